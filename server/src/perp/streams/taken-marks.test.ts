import { pino } from 'pino'
import { encodeFunctionResult } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKey } from '../../auth/keys.ts'
import { observerAbi } from '../../chain/abi/observer.ts'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import { deleteBlocksAbove, enterBlock, insertBlocks } from '../../chain/follow/store.ts'
import { installUndo, type UndoTable, undoAbove } from '../../chain/follow/undo.ts'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { readMessages } from '../../db/outbox.ts'
import { ensureOutboxPartitions } from '../../db/outbox-partitions.ts'
import { inTransaction, type Tx } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Venue } from '../../http/product.ts'
import { testVenue } from '../../http/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { outboxChannel } from '../../push/key-channels.ts'
import { type Publication, publishAll } from '../../push/publish.ts'
import { executionRow, insertExecutions } from '../indexing/execution-store.ts'
import { oidOf, orderIdOf } from '../indexing/order-id.ts'
import { OrderChanges } from '../indexing/order-store.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { tickToPrice, tickToSqrt } from '../maths/tick.ts'
import { CHAIN_ID, testMasterKeys } from '../testing/key-api.ts'
import { PERP_PRODUCT } from '../variables.ts'
import { perpPublication } from './publish.ts'

// Which open orders are marked when what is taken of them can have changed, and what is told of them then. The node is a table here.

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [BTC, ALICE, BOB, CAROL] = ['b', '1', '2', '3'].map(address) as [Hex, Hex, Hex, Hex]
const TICK = 110_000

let db: TestDatabase
let tables: readonly UndoTable[]
let height: bigint
/** Every event has a transaction of its own. */
let transactions: number
beforeEach(async () => {
  db = await testDatabase()
  tables = await installUndo(db.sql, ['perp_orders', 'perp_executions'])
  await ensureOutboxPartitions(db.sql)
  ;[height, transactions] = [0n, 0]
})
afterEach(() => db.drop())

const hashOf = (number: number | bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`
const newEvent = (name: string): ChainEvent => ({
  address: BTC,
  abiVersion: 1,
  name,
  args: {},
  logIndex: 0,
  indexInTransaction: 0,
  transactionHash: hashOf(++transactions),
})

/** Indexes one more block, in which this happens. */
async function inBlock<T>(happens: (tx: Tx, block: ChainBlock) => Promise<T>): Promise<T> {
  height++
  const block = {
    chainId: CHAIN_ID,
    number: height,
    hash: hashOf(height),
    parentHash: hashOf(height - 1n),
    timestampSec: 1,
  }
  return inTransaction(db.sql, async (tx) => {
    await insertBlocks(tx, CHAIN_ID, [block])
    await enterBlock(tx, CHAIN_ID, height, 'record')
    return happens(tx, block)
  })
}

/** Takes the newest block back. */
async function undo(): Promise<void> {
  height--
  await inTransaction(db.sql, async (tx) => {
    await undoAbove(tx, CHAIN_ID, tables, height)
    await deleteBlocksAbove(tx, CHAIN_ID, height)
  })
}

const place = (trader: Hex, tick: number, expiry = PERPETUAL_EXPIRY) => ({
  instrument: BTC,
  expiry,
  trader,
  tick,
  nonce: 0,
})
type Place = ReturnType<typeof place>

const openIn = (changes: OrderChanges, block: ChainBlock, order: Place, sizeWad: bigint): string => {
  const event = newEvent('Place')
  changes.open(block, event, { ...order, sizeWad, balanceWad: WAD, priceWad: tickToPrice(order.tick) })
  return String(orderIdOf(event.transactionHash, event.indexInTransaction))
}
const NOTHING = { filledSizeWad: 0n, filledNotionalWad: 0n, rebateWad: 0n, tipWad: 0n }
const cancelIn = (changes: OrderChanges, block: ChainBlock, order: Place) =>
  changes.end(block, newEvent('Cancel'), { ...order, ...NOTHING })

/** Rests an order; resolves with its public id. */
const rest = (order: Place, sizeWad: bigint): Promise<string> =>
  inBlock(async (tx, block) => {
    const changes = new OrderChanges()
    const id = openIn(changes, block, order, sizeWad)
    await changes.write(tx)
    return id
  })

/** Cancels an order of which nothing was filled. */
const leave = (order: Place) =>
  inBlock(async (tx, block) => {
    const changes = new OrderChanges()
    await changes.load(tx, CHAIN_ID, [order])
    cancelIn(changes, block, order)
    await changes.write(tx)
  })

/** Rests an order and cancels it in the same block. */
const visit = (order: Place, sizeWad: bigint): Promise<string> =>
  inBlock(async (tx, block) => {
    const changes = new OrderChanges()
    const id = openIn(changes, block, order, sizeWad)
    cancelIn(changes, block, order)
    await changes.write(tx)
    return id
  })

/** Bob trades until the price stands at the tick. */
const trade = (sizeWad: bigint, toTick: number, takenSizeWad = WAD) =>
  inBlock(async (tx, block) => {
    const execution = { kind: 'market', instrument: BTC, expiry: PERPETUAL_EXPIRY, trader: BOB } as const
    const row = { ...execution, sizeWad, notionalWad: WAD, takenSizeWad, sqrtPX96: tickToSqrt(toTick) }
    await insertExecutions(tx, [executionRow(block, newEvent('Trade'), row)])
  })

/** The orders marked by what happens. */
async function markedBy(happens: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  await db.sql`delete from perp_stream_marks`
  await happens()
  const rows = await db.sql<{ subject: string }[]>`select subject from perp_stream_marks where kind = 'order'`
  return new Set(rows.map(({ subject }) => subject))
}

describe('open orders are marked', () => {
  it('that a trade has reached from their side, and again when it is undone', async () => {
    const near = await rest(place(ALICE, TICK - 10), WAD)
    const reached = await rest(place(CAROL, TICK - 20), WAD)
    const beyond = await rest(place(ALICE, TICK - 30), WAD)
    const offered = await rest(place(CAROL, TICK + 10), -WAD)
    const offeredBeyond = await rest(place(ALICE, TICK + 20), -WAD)
    await rest(place(ALICE, TICK - 20, 1_900_000_000), WAD)

    expect(await markedBy(() => trade(-WAD, TICK - 20))).toEqual(new Set([near, reached]))
    expect(await markedBy(undo)).toEqual(new Set([near, reached]))
    expect(await markedBy(() => trade(WAD, TICK + 10))).toEqual(new Set([offered]))
    expect(await markedBy(() => trade(WAD, TICK + 20))).toEqual(new Set([offered, offeredBeyond]))
    expect(await markedBy(() => trade(-WAD, TICK - 30))).toEqual(new Set([near, reached, beyond]))
  })

  it('by no trade that took nothing of the book', async () => {
    await rest(place(ALICE, TICK - 10), WAD)
    expect(await markedBy(() => trade(-WAD, TICK - 20, 0n))).toEqual(new Set())
  })

  it('at the tick that another one leaves untouched, and again when that is undone', async () => {
    const stays = await rest(place(ALICE, TICK), WAD)
    const leaves = await rest(place(CAROL, TICK), WAD)
    await rest(place(BOB, TICK - 1), WAD)
    await rest(place(BOB, TICK, 1_900_000_000), WAD)
    expect(await markedBy(() => leave(place(CAROL, TICK)))).toEqual(new Set([stays, leaves]))
    expect(await markedBy(undo)).toEqual(new Set([stays, leaves]))
  })

  it('whose tick another one has come to and left within a block, and again when that is undone', async () => {
    const stays = await rest(place(ALICE, TICK), WAD)
    let visitor = ''
    const visiting = async () => {
      visitor = await visit(place(CAROL, TICK), WAD)
    }
    expect(await markedBy(visiting)).toEqual(new Set([stays, visitor]))
    expect(await markedBy(undo)).toEqual(new Set([stays, visitor]))
  })
})

describe('what is taken of an open order is told', () => {
  const oid = oidOf(TICK, 0)
  /** What the node answers, the same for whomever it is asked. */
  let taken: bigint
  let isAway: boolean
  let asked: (readonly RpcCall[])[]
  let logged: unknown[]
  let venue: Venue
  let publication: Publication
  beforeEach(async () => {
    ;[taken, isAway, asked, logged] = [0n, false, [], []]
    const key = { label: 'a', access: 'READ_ONLY', chainId: CHAIN_ID, productType: PERP_PRODUCT } as const
    for (const userAddress of [ALICE, CAROL]) {
      const newKey = { ...key, userAddress, ipWhitelist: ['127.0.0.1'], expiresAt: null }
      await createKey(db.sql, testMasterKeys(), newKey, 'test')
    }
    const deployment = { chainId: CHAIN_ID, startBlock: 0n, contracts: { Observer: address('9') } }
    const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
    venue = testVenue({ sql: db.sql, rpc: node, deployment, log })
    const instrument = { address: BTC, symbol: 'BTC/USDC' } as ListedInstrument
    const instruments = async () => ({ block: { height: 0n, timestampSec: 0n }, list: [instrument] })
    publication = perpPublication({ venue, chainId: CHAIN_ID, productType: PERP_PRODUCT, instruments })
  })

  const answer = () => {
    const position = { balance: 0n, size: 0n, entryNotional: 0n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }
    const orders = [{ balance: WAD, size: 2n * WAD }]
    const portfolio = { oids: [Number(oid)], rids: [], position, orders, ranges: [], ordersTaken: [taken] }
    const result = [portfolio, { timestamp: 0, height: 0 }] as const
    return encodeFunctionResult({ abi: observerAbi, functionName: 'getPortfolio', result })
  }
  const node = {
    async outcomes(calls: readonly RpcCall[]) {
      asked.push(calls)
      const error = new RpcError('rpc_unreachable', 'eth_call', 'no node')
      return calls.map(() => (isAway ? { ok: false, error } : { ok: true, value: answer() }))
    },
  } as unknown as Rpc

  const publish = () => publishAll(venue, publication)
  async function told(wallet: Hex): Promise<(readonly [string, string])[]> {
    const messages = await readMessages(db.sql, outboxChannel('perp', CHAIN_ID, wallet, 'orders'), 0n, 100)
    return (messages ?? []).map(({ payload }) => {
      const order = JSON.parse(payload ?? '')
      return [order.taken, order.status] as const
    })
  }

  it('once for each change, to every wallet by one reading of the block, and after an undone block again', async () => {
    for (const trader of [ALICE, CAROL]) await rest(place(trader, TICK), 2n * WAD)
    await publish()
    taken = WAD
    await trade(-WAD, TICK)
    asked = []
    await publish()
    expect(asked.map((calls) => calls.map(({ params }) => params[1]))).toEqual([
      [{ blockHash: hashOf(height) }, { blockHash: hashOf(height) }],
    ])
    // Marked again, and nothing has changed.
    await trade(-WAD, TICK)
    await publish()
    taken = 2n * WAD
    await trade(-WAD, TICK)
    await publish()
    taken = WAD
    await undo()
    await publish()
    for (const wallet of [ALICE, CAROL]) {
      expect(await told(wallet)).toEqual([
        ['0', 'open'],
        [String(WAD), 'partial_filled'],
        [String(2n * WAD), 'filled'],
        [String(WAD), 'partial_filled'],
      ])
    }
  })

  it('as it is recorded where an order is not open on chain, which is logged once and holds up nobody else', async () => {
    await rest(place(ALICE, TICK - 10), 2n * WAD)
    await rest(place(CAROL, TICK), 2n * WAD)
    taken = WAD
    await publish()
    await trade(-WAD, TICK - 10)
    await publish()
    expect(await told(ALICE)).toEqual([['0', 'open']])
    expect(await told(CAROL)).toEqual([[String(WAD), 'partial_filled']])
    expect(logged).toEqual([expect.objectContaining({ level: 50, trader: ALICE })])
  })

  it('later where the node was away or the publisher was ended before its commit, and then once', async () => {
    await rest(place(ALICE, TICK), 2n * WAD)
    await publish()
    taken = WAD
    await trade(-WAD, TICK)
    isAway = true
    await expect(publish()).rejects.toThrow('the chain node gives no sound answer')
    isAway = false
    await db.sql`alter table outbox add constraint ended check (sequence < 2)`
    await expect(publish()).rejects.toThrow('ended')
    expect(await told(ALICE)).toEqual([['0', 'open']])
    await db.sql`alter table outbox drop constraint ended`
    await publish()
    await publish()
    expect(await told(ALICE)).toEqual([
      ['0', 'open'],
      [String(WAD), 'partial_filled'],
    ])
  })
})
