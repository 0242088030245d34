import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { erc20Abi } from 'viem'
import { afterEach, expect, test } from 'vitest'
import { cashierAbi } from '../src/chain/abi/cashier.ts'
import { lengthOf } from '../src/lib/testing-campaign.ts'
import { programFile } from '../src/lib/testing-programs.ts'
import { createRandom } from '../src/lib/testing-random.ts'
import { WAD } from '../src/lib/wad.ts'
import { latestQuote } from '../src/market/store.ts'
import { stockReverts } from '../src/stock/reverts/stock-reverts.ts'
import { AnvilWorld, TICKERS, USDC } from './anvil-world.ts'
import { eventually } from './client.ts'
import type { KeeperOrder } from './keeper-child.ts'
import { KEEPER_STEPS, type KeeperStep } from './keeper-steps.ts'

type Hex = `0x${string}`

let world: AnvilWorld
let running: ChildProcess | null = null
afterEach(async () => {
  running?.kill('SIGKILL')
  await world?.stop()
})

const DEPOSIT = 30_000n
const USERS = [0, 1, 2]
const STEP_TIMEOUT_MS = 900_000
/** More than one order takes: who has less buys nothing, however many orders a slow keeper lets come together. */
const LEAST_CASH_WAD = 2000n * WAD

function startKeeper(killAt: KeeperOrder['killAt']): Promise<NodeJS.Signals | number> {
  const order: KeeperOrder = {
    databaseUrl: world.databaseUrl,
    rpcUrl: world.anvil.rpcUrl,
    contracts: world.deployment.contracts,
    offsetMs: world.offsetMs,
    killAt,
  }
  const child = fork(programFile(join(import.meta.dirname, 'keeper-child.ts')), {
    env: { ...process.env, KEEPER_CHILD: JSON.stringify(order) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  running = child
  return once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number)
}

/** The kinds of traffic that lead past every step. */
const ACTIONS = ['marketBuy', 'marketSell', 'limitBuy', 'limitSell', 'rest', 'cancel'] as const

/** Users who trade at random; what the chain refuses them (nothing to sell, nothing to cancel) they let be. */
class Crowd {
  readonly #pick: (below: number) => number
  readonly #resting: { user: number; orderId: Hex }[] = []

  constructor(pick: (below: number) => number) {
    this.#pick = pick
  }

  async act(action: (typeof ACTIONS)[number]): Promise<void> {
    const index = this.#pick(USERS.length)
    const user = world.user(index)
    const ticker = TICKERS[this.#pick(TICKERS.length)] ?? 'AAPL'
    const price = ((await latestQuote(world.sql, ticker))?.price8 ?? 0n) * 10n ** 10n
    const few = (WAD * BigInt(1 + this.#pick(8))) / 4n
    if (/Buy|rest/.test(action) && (await world.mUsd(user)) < LEAST_CASH_WAD) return
    if (action === 'marketBuy') await world.placeMarket(user, ticker, 50n * WAD * BigInt(1 + this.#pick(9)))
    if (action === 'limitBuy') await world.placeLimit(user, ticker, few, (price * 11n) / 10n)
    if (action === 'rest') {
      const orderId = await world.placeLimit(user, ticker, few, price / 2n)
      this.#resting.push({ user: index, orderId })
    }
    if (action === 'marketSell' || action === 'limitSell') {
      const held = await world.shares(user, ticker)
      if (held === 0n) return this.act('limitBuy')
      const part = held / BigInt(1 + this.#pick(3))
      if (action === 'marketSell') await world.placeMarket(user, ticker, -part)
      else await world.placeLimit(user, ticker, -part, (price * 9n) / 10n)
    }
    if (action === 'cancel') {
      if (this.#resting.length === 0) await this.act('rest')
      const [one] = this.#resting.splice(this.#pick(this.#resting.length), 1)
      if (one) await world.cancel(world.user(one.user), one.orderId).catch(() => {})
    }
  }
}

/** Every order of the chain has ended, the broker's books have too, and nothing is left to settle. */
async function untilAllSettled(): Promise<void> {
  const open = () => world.sql`
    select o.order_id, o.status, o.order_type, b.status as broker from stock_orders o
    left join broker_orders b on b.client_order_id = o.order_id where o.status = 'open'`
  await eventually(
    async () => (await open()).map((row) => Object.values(row).join(' ')),
    (rows) => rows.length === 0,
  )
}

/** How an order ends that the broker never got: one that had to wait for a killed keeper until its day was over expires. */
const ENDS_OF_UNSENT = ['canceled', 'rejected', 'expired']

/** Broker, database and chain agree, each order is settled exactly once, and money and shares add up to the wei. */
async function expectBooksAgree(): Promise<void> {
  const { sql } = world
  const differences = await sql`
    select o.order_id, o.status, o.filled_quantity_wad, b.filled_quantity_wad as at_broker, s.filled_quantity_wad as in_book,
      (select coalesce(sum(quantity_wad), 0) from stock_fills f where f.order_id = o.order_id) as in_fills,
      (select coalesce(sum(quantity_wad), 0) from simulated_broker_executions e where e.client_order_id = o.order_id) as executed
    from stock_orders o
    left join broker_orders b on b.client_order_id = o.order_id
    left join simulated_broker_orders s on s.client_order_id = o.order_id
    where o.filled_quantity_wad <> b.filled_quantity_wad or o.filled_quantity_wad <> coalesce(s.filled_quantity_wad, 0)
      or o.filled_quantity_wad <> (select coalesce(sum(quantity_wad), 0) from stock_fills f where f.order_id = o.order_id)
      or o.filled_quantity_wad <> (select coalesce(sum(quantity_wad), 0) from simulated_broker_executions e
        where e.client_order_id = o.order_id)
      or b.status <> s.status or s.status is null and b.status not in ${sql(ENDS_OF_UNSENT)}`
  expect([...differences]).toEqual([])
  const [counts] = await sql`
    select (select count(*) from broker_executions) as recorded, (select count(*) from simulated_broker_executions) as made,
      (select count(*) from stock_fills) as settled,
      (select count(*) from execution_settlements where intent_id is null) as open, (select count(*) from hedges) as hedges`
  expect(counts).toMatchObject({ recorded: counts?.made, settled: counts?.made, open: 0n, hedges: 0n })
  expect(counts?.made).toBeGreaterThan(10n)
  // Nothing was sent twice: the contract had nothing to leave out, and no transaction failed.
  expect(await world.skips()).toBe(0)
  const failed = await sql<{ revertData: Hex | null }[]>`
    select id, state, outcome, problem, revert_data as "revertData" from tx_intents
    where state in ('rejected', 'failed') or outcome = 'reverted'`
  // When the day was put forward, the prices on chain grew old at once; what met them was refused before it was sent.
  const others = failed.filter(({ revertData }) => stockReverts.decode(revertData)?.name !== 'OraclePriceStale')
  expect(others).toEqual([])

  for (const index of USERS) {
    const user = world.user(index)
    const address = user.address.toLowerCase()
    const [cash] = await sql<{ spent: bigint | null }[]>`
      select sum(case side when 'Buy' then filled_notional_wad + third_party_fee_wad + protocol_fee_wad
        else third_party_fee_wad + protocol_fee_wad - filled_notional_wad end) as spent
      from stock_orders where user_address = ${address}`
    expect(await world.mUsd(user)).toBe(DEPOSIT * WAD - (cash?.spent ?? 0n))
    for (const ticker of TICKERS) {
      const [shares] = await sql<{ held: bigint | null }[]>`
        select sum(case side when 'Buy' then filled_quantity_wad else - filled_quantity_wad end) as held
        from stock_orders where user_address = ${address} and token = ${world.token(ticker)}`
      expect(await world.shares(user, ticker)).toBe(shares?.held ?? 0n)
    }
  }
  await expectSupplyAndCash()
}

/** The supply is what users hold, the settler holds none, and the Cashier holds what it owes. */
async function expectSupplyAndCash(): Promise<void> {
  for (const ticker of TICKERS) {
    const held = await Promise.all(USERS.map((index) => world.shares(world.user(index), ticker)))
    await eventually(
      async () => String(await world.settlerHolds(ticker)),
      (text) => text === '0',
    )
    expect(await world.supply(ticker)).toBe(held.reduce((sum, one) => sum + one, 0n))
  }
  await world.untilSupplyMatches()
  const cashier = world.contract('Cashier')
  const owedWad = await world.read(cashier, cashierAbi, 'totalOwedWad')
  const balances = await Promise.all(USERS.map((index) => world.mUsd(world.user(index))))
  expect(owedWad).toBe(balances.reduce((sum, one) => sum + one, 0n))
  const cash = await world.read(world.contract('USDC'), erc20Abi, 'balanceOf', cashier)
  expect((cash * WAD) / USDC).toBeGreaterThanOrEqual(owedWad)
}

async function setUp(): Promise<void> {
  world = await AnvilWorld.start()
  const first = startKeeper(null)
  for (const index of USERS) await world.fund(world.user(index), DEPOSIT)
  await eventually(
    () => latestQuote(world.sql, 'MSFT'),
    (quote) => quote !== null,
  )
  running?.kill('SIGTERM')
  expect(await first).toBe(0)
}

/** At every step where tests run at full length. */
const KILLS = lengthOf({ short: 7, whole: KEEPER_STEPS.length })
/** BOURSE_SEED repeats a run. */
const SEED = Number(process.env.BOURSE_SEED ?? 20_261_121)

test.each([SEED])(
  'SIGKILL at named steps of the keeper (seed %i): every order settled once, broker, database and chain agree',
  { timeout: 3_600_000 },
  async (seed) => {
    await setUp()
    const { below: pick, shuffled } = createRandom(seed)
    const crowd = new Crowd(pick)
    const plan: KeeperStep[] = shuffled(KEEPER_STEPS).slice(0, KILLS)
    for (const step of plan) {
      const ended = startKeeper({ step, count: 1 + pick(2) })
      let signal: NodeJS.Signals | number | null = null
      ended.then((one) => {
        signal = one
      })
      const deadline = Date.now() + STEP_TIMEOUT_MS
      while (signal === null && Date.now() < deadline) {
        for (const action of shuffled(ACTIONS)) {
          if (signal === null) await crowd.act(action)
        }
      }
      expect([step, signal]).toEqual([step, 'SIGKILL'])
    }
    // The end of the day ends what rests still; of this one nobody can have thought better.
    await crowd.act('rest')
    await world.endDay()
    const last = startKeeper(null)
    await untilAllSettled()
    await expectBooksAgree()
    const [ends] = await world.sql`
      select count(*) filter (where status = 'filled') as filled, count(*) filter (where status = 'canceled') as canceled,
        count(*) filter (where status = 'expired') as expired from stock_orders`
    expect(ends?.filled).toBeGreaterThan(5n)
    expect(ends?.canceled).toBeGreaterThan(0n)
    expect(ends?.expired).toBeGreaterThan(0n)
    running?.kill('SIGTERM')
    expect(await last).toBe(0)
  },
)
