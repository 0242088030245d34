/**
 * What the indexer makes of random trading on a real chain: the same as an indexer that begins when all is over, whatever was
 * reorganised away in between, and the same as the contracts' own events say.
 */
import { inspect } from 'node:util'
import { decodeEventLog, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instrumentAbi } from '../../server/src/chain/abi/instrument.ts'
import { observerAbi } from '../../server/src/chain/abi/observer.ts'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { perpComparisons, takeReading } from '../../server/src/perp/reconciliation/reconcile.ts'
import type { Line } from '../../server/src/reconciliation/lines.ts'
import { generate } from '../perp-model/generate.ts'
import { type Cast, createSetup, DATED_EXPIRY } from '../perp-model/markets.ts'
import type { Scenario } from '../perp-model/replay.ts'
import type { Action } from '../perp-model/world.ts'
import { messageOf } from './actions.ts'
import { Chain, type Log, type Message, type Receipt } from './chain.ts'
import { type Deployment, deployPerp } from './deploy.ts'
import { Indexer } from './indexer.ts'

/** `PERP_RECORDING_STEPS=5000 PERP_RECORDING_SEED=3` plays longer, and otherwise. */
const STEPS = Number(process.env.PERP_RECORDING_STEPS ?? lengthOf({ short: 200, whole: 10_000 }))
const SEED = Number(process.env.PERP_RECORDING_SEED ?? 7)
/** Parts of the campaign. Each ends with a reorganisation, and with database and chain compared. */
const PARTS = Math.max(5, Math.ceil(STEPS / 400))
/** Most actions that a reorganisation plays once more. */
const REORGANISED = 64
/** Most actions of a block. A request for each took most of the time when a block had one. */
const A_BLOCK = 8
const TIMEOUT_MS = 300_000 + STEPS * 2000
const WAD = 10n ** 18n

let chain: Chain
let deployment: Deployment
let indexer: Indexer
let actions: readonly Action[]
/** Logs of the chain as it ended, by transaction, in their order. */
const logs = new Map<Hex, readonly Log[]>()
/** Actions of the chain as it ended that did not revert, by type. */
const succeeded = new Map<string, number>()
/** The protocol's fee of the instrument, basis points, when it logged this: its events name the trading fee alone. */
const protocolRatios = new Map<Log, number>()

beforeAll(async () => {
  chain = await Chain.start()
  const cast = chain.cast(9)
  const setup = createSetup(cast)
  await chain.setClock(setup.startSec)
  deployment = await deployPerp(chain, setup)
  indexer = await Indexer.start(chain, deployment)
  const scenario = generate(SEED, STEPS, cast, { stress: true })
  actions = [...scenario.actions, ...endOfDated(scenario, cast)]
  const length = Math.ceil(actions.length / PARTS)
  for (let start = 0; start < actions.length; start += length) await playPart(actions.slice(start, start + length))
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

/**
 * Everybody's settlement in the dated pairs, at prices that the markets take. Twice: whoever is owed more than the pair holds waits for
 * those who owe it.
 */
function endOfDated({ setup, actions: before }: Scenario, { admin, traders }: Cast): Action[] {
  const timeSec = Math.max(before.at(-1)?.timeSec ?? 0, DATED_EXPIRY) + 60
  return setup.instruments.flatMap((initial, instrument): Action[] => {
    const price = before.findLast((action) => action.type === 'price' && action.instrument === instrument)
    const spotWad = price?.type === 'price' ? price.spotWad : initial.spotWad
    const settled = traders.map((target): Action => {
      return { type: 'settle', timeSec, instrument, expiry: DATED_EXPIRY, account: target, target }
    })
    return [
      { type: 'price', timeSec, instrument, spotWad },
      { type: 'normalize', timeSec, instrument, account: admin },
      ...settled,
      ...settled,
    ]
  })
}

/** What is undone has another block first and lacks an action, so the same transactions stand in other blocks afterwards. */
async function playPart(part: readonly Action[]): Promise<void> {
  const stays = part.slice(0, -REORGANISED)
  const tail = part.slice(-REORGANISED)
  keep(await play(stays))
  const snapshot = await chain.snapshot()
  await chain.mine(tail[0]?.timeSec ?? 0, [])
  await play(tail.slice(1))
  await indexer.caughtUp()
  await chain.restore(snapshot)
  keep(await play(tail))
  await indexer.caughtUp()
  expect(await differences()).toEqual([])
}

interface Played {
  readonly type: Action['type']
  readonly receipt: Receipt
}

function keep(played: readonly Played[]): void {
  for (const { type, receipt } of played) {
    logs.set(receipt.transactionHash, receipt.logs)
    if (receipt.status === '0x1') succeeded.set(type, (succeeded.get(type) ?? 0) + 1)
  }
}

/** In the order in which the chain has them. */
async function play(list: readonly Action[]): Promise<Played[]> {
  const played: Played[] = []
  for (const block of blocksOf(list)) {
    const receipts = await chain.mine(
      block.at(-1)?.action.timeSec ?? 0,
      block.map(({ message }) => message),
    )
    const mined = block.map(({ action: { type } }, index) => ({ type, receipt: receipts[index] as Receipt }))
    played.push(...mined.sort((a, b) => Number(a.receipt.transactionIndex) - Number(b.receipt.transactionIndex)))
  }
  return played
}

interface Sent {
  readonly action: Action
  readonly message: Message
}

/** Follows the actions' order; a sender has one of them in a block. */
function blocksOf(list: readonly Action[]): Sent[][] {
  const blocks: Sent[][] = []
  for (const action of list) {
    const message = messageOf(deployment, action)
    const block = blocks.at(-1)
    const fits = block && block.length < A_BLOCK && !block.some((other) => other.message.from === message.from)
    if (fits) block.push({ action, message })
    else blocks.push([{ action, message }])
  }
  return blocks
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

test('has had actions of every kind that moves an account', () => {
  const seldom = [
    'cancel',
    'remove',
    'adjust',
    'sweep',
    'settle',
    'batchPlace',
    'withdraw',
    'donate',
    'release',
    'resolve',
  ]
  const kinds = ['trade', 'place', 'fill', 'add', 'liquidate', ...lengthOf({ short: [], whole: seldom })]
  for (const kind of kinds) expect(succeeded.get(kind) ?? 0, kind).toBeGreaterThan(0)
  const total = [...succeeded.values()].reduce((sum, count) => sum + count, 0)
  // The model refuses four in ten of a long scenario itself; others fail where a block gives several actions one time.
  expect(total).toBeGreaterThan(STEPS / 3)
})

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
  const held = new Map<string, bigint>()
  const expected = [...logs].flatMap(([hash, made]) =>
    made.flatMap((log, index) =>
      executionsOf(log, held).map((execution) => ({ tx_hash: hash, index_in_tx: index, ...execution })),
    ),
  )
  expect(sorted(rows)).toEqual(sorted(expected))
  const kinds = new Set(expected.map(({ kind }) => kind))
  for (const kind of ['market', 'fill', 'liquidation', 'settlement']) expect(kinds, kind).toContain(kind)
})

test('records all that changed a size: the executions of each account in a pair add up to its position', async () => {
  const rows = await indexer.sql<Executed[]>`
    select trader, instrument, expiry::float8, sum(size_wad) as "sizeWad" from (
      select trader, instrument, expiry, size_wad from perp_executions
      union all
      select trader, instrument, expiry, 0 from perp_positions
    ) sizes group by 1, 2, 3`
  const held = await Promise.all(rows.map(async (row) => ({ ...row, sizeWad: await sizeHeld(row) })))
  expect(sorted(rows)).toEqual(sorted(held))
  expect(rows.some(({ sizeWad }) => sizeWad !== 0n)).toBe(true)
})

interface Executed {
  readonly trader: Hex
  readonly instrument: Hex
  readonly expiry: number
  readonly sizeWad: bigint
}

/** The size of a position as the contracts have it. */
async function sizeHeld({ trader, instrument, expiry }: Executed): Promise<bigint> {
  const call = { abi: observerAbi, functionName: 'getPortfolio', args: [instrument, expiry, trader] } as const
  const data = await chain.read({ to: deployment.observer.address, data: encodeFunctionData(call) })
  return decodeFunctionResult({ ...call, data })[0].position.size
}

test('records what each event credited and charged, signed as the account sees it', async () => {
  const rows = await indexer.sql`
    select tx_hash, index_in_tx, kind, trader, amount_wad from perp_ledger where kind in ('funding', 'fee', 'tip')`
  const expected = [...logs].flatMap(([hash, made]) =>
    made.flatMap((log, index) => [
      ...movementsOf(log).map((moved) => ({ tx_hash: hash, index_in_tx: index, ...moved })),
      ...tipEarned(log).map((moved) => ({ tx_hash: hash, index_in_tx: storedAfter(made, index), ...moved })),
    ]),
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

/** What whoever ended an order or a range for its owner got for it. */
function tipEarned(log: Log) {
  const event = eventOf(log)
  if ((event?.eventName !== 'Fill' && event?.eventName !== 'Remove') || event.args.tip === 0n) return []
  return [{ kind: 'tip', trader: event.args.operator.toLowerCase(), amount_wad: event.args.tip }]
}

/** The place of the event that stores the owner's position. */
const storedAfter = (made: readonly Log[], index: number): number =>
  made.findIndex((log, place) => place > index && eventOf(log)?.eventName === 'UpdatePosition')

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

/** What an event of an instrument executed, added to what each account holds of each pair. */
function executionsOf(log: Log, held: Map<string, bigint>) {
  const event = eventOf(log)
  const expiry = event && 'expiry' in event.args ? event.args.expiry : 0
  const keyOf = (trader: string) => `${log.address} ${expiry} ${trader.toLowerCase()}`
  const executions =
    event?.eventName === 'Settle' ? settled(event.args, held.get(keyOf(event.args.trader)) ?? 0n) : tradedBy(log)
  for (const { trader, size_wad } of executions) held.set(keyOf(trader), (held.get(keyOf(trader)) ?? 0n) + size_wad)
  return executions
}

const executed = (kind: string, trader: string, size: bigint, notional: bigint, fee = 0n, protocolFee = 0n) => ({
  kind,
  trader: trader.toLowerCase(),
  size_wad: size,
  notional_wad: notional,
  trade_fee_wad: fee,
  protocol_fee_wad: protocolFee,
  price_wad: (notional * WAD) / (size < 0n ? -size : size),
})

const notionalOf = (size: bigint, price: bigint): bigint => ((size < 0n ? -size : size) * price + WAD / 2n) / WAD

/** The end of what an account holds, at the price of the settlement. */
const settled = ({ trader, settlement }: { trader: string; settlement: bigint }, size: bigint) =>
  size === 0n ? [] : [executed('settlement', trader, -size, notionalOf(size, settlement))]

function tradedBy(log: Log) {
  const event = eventOf(log)
  if (event?.eventName === 'Trade' || event?.eventName === 'Sweep') {
    const { trader, size, entryNotional, feeRatio } = event.args
    const kind = event.eventName === 'Trade' ? 'market' : 'liquidation'
    const tradeFee = (entryNotional * BigInt(feeRatio)) / 10_000n
    const protocolFee = takerFee(log, entryNotional, feeRatio) - tradeFee
    return [executed(kind, trader, size, entryNotional, tradeFee, protocolFee)]
  }
  if (event?.eventName === 'Fill' || event?.eventName === 'Cancel' || event?.eventName === 'Remove') {
    const { trader, pic, fee } = event.args
    if (pic.size === 0n) return []
    const isRange = event.eventName === 'Remove'
    return [executed(isRange ? 'range' : 'fill', trader, pic.size, pic.entryNotional, isRange ? 0n : -fee)]
  }
  if (event?.eventName !== 'Liquidate') return []
  const { trader, target, size, mark } = event.args
  const notional = notionalOf(size, mark)
  return [executed('liquidation', target, -size, notional), executed('take_over', trader, size, notional)]
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
