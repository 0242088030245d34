/**
 * What the indexer makes of random trading on a real chain: the same as an indexer that begins when all is over, whatever was
 * reorganised away in between, and the same as the contracts' own events say.
 */
import { inspect } from 'node:util'
import { decodeEventLog, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instrumentAbi } from '../../server/src/chain/abi/instrument.ts'
import { perpComparisons, takeReading } from '../../server/src/perp/reconciliation/reconcile.ts'
import type { Line } from '../../server/src/reconciliation/lines.ts'
import { generate } from '../perp-model/generate.ts'
import { createSetup } from '../perp-model/markets.ts'
import type { Action } from '../perp-model/world.ts'
import { messageOf } from './actions.ts'
import { Chain, type Log } from './chain.ts'
import { type Deployment, deployPerp } from './deploy.ts'
import { Indexer } from './indexer.ts'

/** `PERP_RECORDING_STEPS=5000 PERP_RECORDING_SEED=3` plays longer, and otherwise. */
const STEPS = Number(process.env.PERP_RECORDING_STEPS ?? 200)
const SEED = Number(process.env.PERP_RECORDING_SEED ?? 7)
const REORGS = Math.max(4, Math.floor(STEPS / 40))
const TIMEOUT_MS = 300_000 + STEPS * 2000
const WAD = 10n ** 18n

let chain: Chain
let deployment: Deployment
let indexer: Indexer
/** Logs of the chain as it ended, by transaction. */
const logs = new Map<Hex, readonly Log[]>()
/** The protocol's fee of the instrument, basis points, when it logged this: its events name the trading fee alone. */
const protocolRatios = new Map<Log, number>()

beforeAll(async () => {
  chain = await Chain.start()
  const cast = chain.cast(9)
  const setup = createSetup(cast)
  await chain.setClock(setup.startSec)
  deployment = await deployPerp(chain, setup)
  indexer = await Indexer.start(chain, deployment)
  const { actions } = generate(SEED, STEPS, cast, { stress: true })
  const length = Math.ceil(actions.length / REORGS)
  for (let start = 0; start < actions.length; start += length) {
    const part = actions.slice(start, start + length)
    const snapshot = await chain.snapshot()
    await play(part)
    await indexer.caughtUp()
    await chain.restore(snapshot)
    // The chain that stays has another block first, and not the last action.
    await chain.mine(part[0]?.timeSec ?? 0, [])
    for (const [hash, made] of await play(part.slice(0, -1))) logs.set(hash, made)
    await indexer.caughtUp()
  }
  const current = new Map(
    deployment.instruments.map(({ address }, index) => [
      address,
      setup.instruments[index]?.setting.param.protocolFeeRatio ?? 0,
    ]),
  )
  for (const log of [...logs.values()].flat()) {
    const event = eventOf(log)
    if (event?.eventName === 'UpdateParam') current.set(log.address, event.args.param.protocolFeeRatio)
    protocolRatios.set(log, current.get(log.address) ?? 0)
  }
}, TIMEOUT_MS)
afterAll(async () => {
  await indexer?.stop()
  await chain?.stop()
})

async function play(actions: readonly Action[]): Promise<Map<Hex, readonly Log[]>> {
  const made = new Map<Hex, readonly Log[]>()
  for (const action of actions) {
    const [receipt] = await chain.mine(action.timeSec, [messageOf(deployment, action)])
    if (receipt) made.set(receipt.transactionHash, receipt.logs)
  }
  return made
}

test(
  'ends where an indexer that begins now ends',
  async () => {
    const other = await Indexer.start(chain, deployment)
    try {
      await other.caughtUp()
      const [mine, theirs] = [await indexer.dump(), await other.dump()]
      expect(mine).toEqual(theirs)
      // Only profit ever waits in Gate, which few scenarios come to.
      const { perp_pending_withdrawals: _, ...tables } = mine
      for (const [table, rows] of Object.entries(tables)) expect(rows.length, table).toBeGreaterThan(0)
    } finally {
      await other.stop()
    }
  },
  TIMEOUT_MS,
)

test('follows every instrument and pair from its first block', async () => {
  const listed = await indexer.sql`
    select instrument, symbol, ordinal, trading_fee_bps, initial_margin_bps from perp_instruments order by ordinal`
  expect(listed.map(({ instrument, ordinal }) => [instrument, ordinal])).toEqual(
    deployment.instruments.map(({ address }, index) => [address, index]),
  )
  expect(listed.map(({ symbol }) => symbol)).toEqual(['BTC-USDC-LINK', 'ETH-USDE-LINK', 'MEME-USDX-LINK'])
  const pairs = await indexer.sql`select instrument from perp_pairs where expiry = ${deployment.launchedExpiry}`
  expect(pairs.length).toBe(deployment.instruments.length)
})

test('records an execution for each event that moved size, with what was charged for it', async () => {
  const rows = await indexer.sql`
    select tx_hash, index_in_tx, kind, trader, size_wad, notional_wad, price_wad, trade_fee_wad, protocol_fee_wad
    from perp_executions`
  const expected = [...logs].flatMap(([hash, made]) =>
    made.flatMap((log, index) =>
      executionsOf(log).map((execution) => ({ tx_hash: hash, index_in_tx: index, ...execution })),
    ),
  )
  expect(sorted(rows)).toEqual(sorted(expected))
  const kinds = new Set(expected.map(({ kind }) => kind))
  for (const kind of ['market', 'fill', 'liquidation']) expect(kinds, kind).toContain(kind)
})

test('records what each event credited and charged, signed as the account sees it', async () => {
  const rows = await indexer.sql`
    select tx_hash, index_in_tx, kind, trader, amount_wad from perp_ledger where kind in ('funding', 'fee', 'tip')`
  const expected = [...logs].flatMap(([hash, made]) =>
    made.flatMap((log, index) => movementsOf(log).map((moved) => ({ tx_hash: hash, index_in_tx: index, ...moved }))),
  )
  expect(sorted(rows)).toEqual(sorted(expected))
  for (const kind of ['funding', 'fee']) {
    const amounts = expected.flatMap((row) => (row.kind === kind ? [row.amount_wad] : []))
    expect(amounts.some((amount) => amount > 0n) && amounts.some((amount) => amount < 0n), kind).toBe(true)
  }
  expect(expected.some(({ kind }) => kind === 'tip')).toBe(true)
})

test('records with the end of each order and range what it earned and which tip it paid', async () => {
  const rows = await indexer.sql`
    select close_tx_hash as tx_hash, trader, tick, rebate_wad as fee_wad, tip_wad from perp_orders where status <> 'open'
    union all
    select tx_hash, trader, tick_lower, fee_wad, tip_wad from perp_liquidity_events where kind = 'remove'`
  const expected = [...logs].flatMap(([hash, made]) =>
    made.flatMap((log) => endsOf(log).map((end) => ({ tx_hash: hash, ...end }))),
  )
  expect(sorted(rows)).toEqual(sorted(expected))
  expect(expected.some(({ tip_wad }) => tip_wad > 0n)).toBe(true)
})

const sorted = (list: readonly object[]) => list.map((row) => inspect({ ...row }, { sorted: true })).sort()

/** An event of an instrument, read by another decoder than the server's. */
function eventOf(log: Log) {
  if (!deployment.instruments.some(({ address }) => address === log.address)) return null
  return decodeEventLog({ abi: instrumentAbi, data: log.data, topics: log.topics as [Hex, ...Hex[]] })
}

/** All that a taker pays: both ratios are rounded up once. */
function takerFee(log: Log, notional: bigint, feeRatio: number): bigint {
  return (notional * BigInt(feeRatio + (protocolRatios.get(log) ?? 0)) + 9999n) / 10_000n
}

function movementsOf(log: Log) {
  const event = eventOf(log)
  const row = (kind: string, trader: string, amount_wad: bigint) =>
    amount_wad === 0n ? [] : [{ kind, trader: trader.toLowerCase(), amount_wad }]
  switch (event?.eventName) {
    case 'FundingFee':
      return row('funding', event.args.trader, event.args.funding)
    case 'Trade':
    case 'Sweep':
      return row('fee', event.args.trader, -takerFee(log, event.args.entryNotional, event.args.feeRatio))
    case 'Cancel':
      return row('fee', event.args.trader, event.args.fee)
    case 'Fill':
    case 'Remove':
      return [...row('fee', event.args.trader, event.args.fee), ...row('tip', event.args.trader, -event.args.tip)]
    default:
      return []
  }
}

function endsOf(log: Log) {
  const event = eventOf(log)
  const row = (trader: string, tick: number, fee_wad: bigint, tip_wad: bigint) => [
    { trader: trader.toLowerCase(), tick, fee_wad, tip_wad },
  ]
  switch (event?.eventName) {
    case 'Cancel':
      return row(event.args.trader, event.args.tick, event.args.fee, 0n)
    case 'Fill':
      return row(event.args.trader, event.args.tick, event.args.fee, event.args.tip)
    case 'Remove':
      return row(event.args.trader, event.args.tickLower, event.args.fee, event.args.tip)
    default:
      return []
  }
}

/** What an event of an instrument executed. */
function executionsOf(log: Log) {
  const event = eventOf(log)
  if (!event) return []
  const row = (kind: string, trader: string, size: bigint, notional: bigint, fee: bigint, protocolFee = 0n) => ({
    kind,
    trader: trader.toLowerCase(),
    size_wad: size,
    notional_wad: notional,
    trade_fee_wad: fee,
    protocol_fee_wad: protocolFee,
    price_wad: (notional * WAD) / (size < 0n ? -size : size),
  })
  if (event.eventName === 'Trade' || event.eventName === 'Sweep') {
    const { trader, size, entryNotional, feeRatio } = event.args
    const kind = event.eventName === 'Trade' ? 'market' : 'liquidation'
    const tradeFee = (entryNotional * BigInt(feeRatio)) / 10_000n
    const protocolFee = takerFee(log, entryNotional, feeRatio) - tradeFee
    return [row(kind, trader, size, entryNotional, tradeFee, protocolFee)]
  }
  if (event.eventName === 'Fill' || event.eventName === 'Cancel' || event.eventName === 'Remove') {
    const { trader, pic, fee } = event.args
    if (pic.size === 0n) return []
    const isRange = event.eventName === 'Remove'
    return [row(isRange ? 'range' : 'fill', trader, pic.size, pic.entryNotional, isRange ? 0n : -fee)]
  }
  if (event.eventName !== 'Liquidate') return []
  const { trader, target, size, mark } = event.args
  const notional = ((size < 0n ? -size : size) * mark + WAD / 2n) / WAD
  return [row('liquidation', target, -size, notional, 0n), row('take_over', trader, size, notional, 0n)]
}

test('numbers the executions of each trader without a gap, in their order', async () => {
  const traders = await indexer.sql`
    select trader, count(*) as rows, max(nth) as last, count(distinct nth) as distinct_nth from perp_executions group by 1`
  expect(traders.length).toBeGreaterThan(3)
  for (const { rows, last, distinct_nth } of traders) expect([last, distinct_nth]).toEqual([rows, rows])
  const [{ wrong } = {}] = await indexer.sql`
    select count(*) as wrong from perp_executions a join perp_executions b using (chain_id, trader)
    where b.nth = a.nth + 1 and (b.block_number, b.at_sec) < (a.block_number, a.at_sec)`
  expect(wrong).toBe(0n)
})

test('continues after a pause, with what was launched before it', async () => {
  await indexer.pause()
  const { actions } = generate(SEED, STEPS, chain.cast(9), { stress: true })
  const last = actions.at(-1)
  if (!last) throw new Error('no action')
  indexer.begin()
  await chain.mine(last.timeSec + 10, [messageOf(deployment, last)])
  await indexer.caughtUp()
  const [{ block_number } = {}] = await indexer.sql`select block_number from chain_checkpoints`
  expect(block_number).toBeGreaterThan(0n)
})

test('has every position, order and range as the contracts have it, and names a row that is not', async () => {
  const { sql } = indexer
  expect(await differences()).toEqual([])
  const [{ open } = {}] = await sql`select count(*) as open from perp_orders where status = 'open'`
  expect(open).toBeGreaterThan(0n)
  // A row that somebody changed by hand, and one that is lost.
  const [order] = await sql`
    update perp_orders set size_wad = size_wad + 1 where ctid = (select ctid from perp_orders where status = 'open' limit 1)
    returning trader, oid`.catch(() => [])
  expect(order).toBeUndefined()
  await sql.begin(async (tx) => {
    await tx`select set_config('bourse.block', '31337/0/final', true)`
    await tx`
      update perp_orders set size_wad = size_wad + 1
      where ctid = (select ctid from perp_orders where status = 'open' limit 1)`
    await tx`delete from perp_ranges where ctid = (select ctid from perp_ranges order by trader limit 1)`
    await tx`
      update perp_positions set balance_wad = balance_wad - 1
      where ctid = (select ctid from perp_positions where size_wad <> 0 limit 1)`
  })
  const found = await differences()
  expect(found.map(({ cause }) => cause)).toEqual(['liquidity_books', 'position_books', 'order_books', 'range_books'])
  expect(found.find(({ cause }) => cause === 'position_books')?.details).toEqual([
    expect.stringMatching(/^0x.*: balance$/),
  ])
})

/** The lines that differ, over every account. */
async function differences() {
  const lines: Line[] = []
  for (let from = perpComparisons.start; ; ) {
    const reading = await takeReading(indexer, from)
    if (!reading) throw new Error('no reading')
    lines.push(...reading.lines.filter(({ difference }) => difference !== 0n))
    if (reading.isRoundOver || lines.length > 0) return lines
    from = reading.next
  }
}
