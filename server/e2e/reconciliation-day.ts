import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { erc20Abi } from 'viem'
import { stockAbi } from '../src/chain/abi/stock.ts'
import { stockTokenAbi } from '../src/chain/abi/stock-token.ts'
import { programFile } from '../src/lib/testing-programs.ts'
import type { Random } from '../src/lib/testing-random.ts'
import { WAD } from '../src/lib/wad.ts'
import { latestQuote } from '../src/market/store.ts'
import { isMoving } from '../src/reconciliation/lines.ts'
import type { Reading } from '../src/reconciliation/reading-store.ts'
import { latestStockReading } from '../src/stock/reconciliation/supply.ts'
import { type AnvilWorld, TICKERS, USDC } from './anvil-world.ts'
import { eventually } from './client.ts'
import type { KeeperOrder } from './keeper-child.ts'

type Hex = `0x${string}`

// What happens at a venue in a day: users who trade and move cash and stock at random, and a keeper that is a process of
// its own, so that it can be killed.

const CHAIN_ID = 31_337
const CLI = join(import.meta.dirname, '..', 'src', 'cli.ts')

/** The keeper of a world in a process of its own. */
export class KeeperProcess {
  readonly #world: AnvilWorld
  #child: ChildProcess | null = null

  constructor(world: AnvilWorld) {
    this.#world = world
  }

  /** Starts it at the world's time. */
  start(): void {
    const { databaseUrl, anvil, deployment, offsetMs } = this.#world
    const order: KeeperOrder = {
      databaseUrl,
      rpcUrl: anvil.rpcUrl,
      contracts: deployment.contracts,
      offsetMs,
      killAt: null,
    }
    this.#child = fork(programFile(join(import.meta.dirname, 'keeper-child.ts')), {
      env: { ...process.env, KEEPER_CHILD: JSON.stringify(order) },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child
    this.#child = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
}

/** What users do. Each leads past another part of the books. */
export const ACTIONS = [
  'marketBuy',
  'marketSell',
  'limitBuy',
  'limitSell',
  'rest',
  'cancel',
  'deposit',
  'depositMuch',
  'withdraw',
  'withdrawMuch',
  'withdrawStock',
  'depositStock',
] as const
export type Action = (typeof ACTIONS)[number]

/** One user with a wallet, who does one thing after the other. */
export class DayTrader {
  readonly #world: AnvilWorld
  readonly #index: number
  readonly #random: Random
  readonly #resting: Hex[] = []

  constructor(world: AnvilWorld, index: number, random: Random) {
    this.#world = world
    this.#index = index
    this.#random = random
  }

  get #user() {
    return this.#world.user(this.#index)
  }

  /** Buys something of each stock, to begin with. */
  async stockUp(): Promise<void> {
    const orders: Hex[] = []
    for (const ticker of TICKERS) orders.push(await this.#limit(ticker, 6n * WAD, 110n))
    await Promise.all(orders.map((orderId) => this.#world.ended(orderId)))
  }

  /** Does it, and before it what it needs: who has nothing to sell buys, and waits for it. */
  async act(action: Action): Promise<void> {
    const ticker = this.#random.pick(TICKERS)
    const few = (WAD * BigInt(1 + this.#random.below(10))) / 4n
    await this.#acts[action](ticker, few, BigInt(2 + this.#random.below(3)))
  }

  readonly #acts: Readonly<Record<Action, (ticker: string, few: bigint, parts: bigint) => Promise<unknown>>> = {
    marketBuy: (ticker, few) => this.#world.placeMarket(this.#user, ticker, few * 60n + 1n),
    marketSell: async (ticker, _few, parts) =>
      this.#world.placeMarket(this.#user, ticker, -(await this.#free(ticker)) / parts),
    // More than the broker fills at once.
    limitBuy: (ticker, few) => this.#limit(ticker, 2n * WAD + few, 110n),
    limitSell: async (ticker, _few, parts) => this.#limit(ticker, -(await this.#free(ticker)) / parts, 90n),
    rest: async (ticker, few) => this.#resting.push(await this.#limit(ticker, few, 50n)),
    cancel: async () => {
      if (this.#resting.length === 0) await this.act('rest')
      const orderId = this.#resting.shift()
      if (orderId) await this.#world.cancel(this.#user, orderId)
    },
    deposit: (_ticker, few) => this.#cash('deposit', (few * 100n) / 10n ** 12n),
    depositMuch: (_ticker, few) => this.#cash('deposit', (5_000n + few / WAD) * USDC),
    withdraw: (_ticker, few) => this.#cash('withdraw', few * 10n + 7n),
    withdrawMuch: () => this.#cash('withdraw', 6_001n * WAD),
    withdrawStock: async (ticker, _few, parts) =>
      this.#stock('withdrawStock', ticker, (await this.#free(ticker)) / parts),
    depositStock: async (ticker) => {
      const amount = WAD / 3n
      await this.#stock('withdrawStock', ticker, ((await this.#free(ticker)) + amount) / 2n)
      const spender = this.#world.contract('StockRouter')
      await this.#world.call(this.#user, this.#world.token(ticker), erc20Abi, 'approve', [spender, amount])
      await this.#stock('depositStock', ticker, amount)
    },
  }

  /** Stock that is free to be sold or taken away: a share at least. */
  async #free(ticker: string): Promise<bigint> {
    const held = await this.#world.shares(this.#user, ticker)
    if (held >= WAD) return held
    await this.#world.ended(await this.#limit(ticker, WAD, 110n))
    return this.#world.shares(this.#user, ticker)
  }

  async #limit(ticker: string, quantity: bigint, percent: bigint): Promise<Hex> {
    const price8 = (await latestQuote(this.#world.sql, ticker))?.price8 ?? 0n
    const perToken = await this.#world.read(this.#world.token(ticker), stockTokenAbi, 'sharesPerToken')
    const price = ((price8 * 10n ** 10n * perToken) / WAD / 100n) * percent
    return this.#world.placeLimit(this.#user, ticker, quantity, price)
  }

  #cash(kind: 'deposit' | 'withdraw', amount: bigint): Promise<Hex> {
    return this.#world.route(this.#user, kind, [this.#world.contract('USDC'), amount])
  }

  #stock(kind: 'depositStock' | 'withdrawStock', ticker: string, amount: bigint): Promise<Hex> {
    return this.#world.route(this.#user, kind, [this.#world.token(ticker), amount])
  }
}

/** A user's order of which the broker fills a part while nothing can be delivered, taken back after the time-out. */
export async function takeBackFilledOrder(world: AnvilWorld, index: number, ticker: string): Promise<Hex> {
  const { admin } = world.accounts
  await world.call(admin, world.token(ticker), stockTokenAbi, 'pause', [])
  const price8 = (await latestQuote(world.sql, ticker))?.price8 ?? 0n
  const orderId = await world.placeLimit(world.user(index), ticker, 400n * WAD, price8 * 11n * 10n ** 9n)
  await eventually(
    async () => (await world.sql`select 1 from broker_executions where client_order_id = ${orderId}`).length,
    (executions) => executions > 0,
  )
  await world.passTime(8 * 24 * 3600)
  await world.call(world.user(index), world.contract('Stock'), stockAbi, 'takeBackOrder', [orderId])
  await world.call(admin, world.token(ticker), stockTokenAbi, 'unpause', [])
  return orderId
}

/** A reading of after now that `accept` likes. */
export async function untilReading(world: AnvilWorld, accept: (reading: Reading) => boolean): Promise<Reading> {
  const [row] = await world.sql<{ now: Date }[]>`select clock_timestamp() as now`
  let last: Reading | null = null
  await eventually(
    async () => {
      last = await latestStockReading(world.sql, CHAIN_ID)
      return last === null ? [] : notable(last)
    },
    () => last !== null && last.readAt > (row?.now ?? 0) && accept(last),
  )
  return last as unknown as Reading
}

/** True once every order has ended and nothing is on its way any more. */
export const isQuiet = ({ lines }: Reading): boolean => !lines.some(isMoving)

/** What is not plain in a reading, in words. */
export const notable = ({ lines }: Reading): string[] =>
  lines
    .filter((line) => line.difference !== 0n || isMoving(line))
    .map(({ subject, comparison, difference, cause, inFlight, details }) =>
      [subject, comparison, difference, cause, ...inFlight.map((one) => `${one.amount} ${one.name}`), ...details].join(
        ' ',
      ),
    )

/** Runs `bourse reconcile` in a process of its own; resolves to what it printed and its exit code. */
export function runReconcile(databaseUrl: string, ...args: string[]): Promise<{ stdout: string; code: number }> {
  return new Promise((resolve) => {
    const env = { ...process.env, DATABASE_URL: databaseUrl }
    execFile(process.execPath, [programFile(CLI), 'reconcile', ...args], { env }, (error, stdout, stderr) => {
      resolve({ stdout: `${stdout}${stderr}`, code: typeof error?.code === 'number' ? error.code : error ? -1 : 0 })
    })
  })
}
