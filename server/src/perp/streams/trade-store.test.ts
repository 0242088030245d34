import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import { inSnapshot, inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { perpEvents } from '../events.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { readCandles } from '../market-data/candles.ts'
import { tickToSqrt } from '../maths/tick.ts'
import { listOpenOrders } from '../portfolio/record-store.ts'
import { newestTrades } from './trade-store.ts'

const CHAIN_ID = 31_337
/** Below every block. */
const NO_BLOCK = -1n
const TRADER: Hex = `0x${'b1'.repeat(20)}`
const INSTRUMENT: Hex = `0x${'c1'.repeat(20)}`
const PAIR = { instrument: INSTRUMENT, expiry: PERPETUAL_EXPIRY }

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await database.sql`insert into perp_instruments (chain_id, instrument) values (${CHAIN_ID}, ${INSTRUMENT})`
})
afterEach(() => database.drop())

/** An event by its transaction's hash, which says nothing of its place. */
interface Logged extends Pick<ChainEvent, 'name' | 'args'> {
  readonly hash: number
  readonly indexInTransaction: number
}

const hashOf = (number: number | bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** Indexes a block with events in this order. */
async function apply(number: bigint, events: readonly Logged[]): Promise<void> {
  const hash = hashOf(number)
  const block = { chainId: CHAIN_ID, number, hash, parentHash: hash, timestampSec: Number(number) }
  const made = events.map(
    ({ name, args, hash, indexInTransaction }, logIndex): ChainEvent => ({
      address: INSTRUMENT,
      abiVersion: 1,
      name,
      args: { expiry: PERPETUAL_EXPIRY, trader: TRADER, ...args },
      logIndex,
      indexInTransaction,
      transactionHash: hashOf(hash),
    }),
  )
  await inTransaction(database.sql, (tx) => perpEvents.apply(tx, [{ block, events: made, transactions: [] }]))
}

/** A trade at a price of its own, without fees. */
const trade = (price: bigint, hash: number, indexInTransaction = 0): Logged => ({
  name: 'Trade',
  args: {
    size: WAD,
    entryNotional: price * WAD,
    takenSize: 0n,
    takenValue: 0n,
    sqrtPX96: tickToSqrt(0),
    mark: WAD,
    feeRatio: 0,
  },
  hash,
  indexInTransaction,
})
const place = (tick: number, hash: number): Logged => ({
  name: 'Place',
  args: { tick, nonce: 0, order: { size: WAD, balance: WAD } },
  hash,
  indexInTransaction: 0,
})

async function pricesOf(limit: number, blocks = { after: NO_BLOCK, upTo: 100n }): Promise<readonly bigint[]> {
  const trades = await newestTrades(database.sql, CHAIN_ID, [PAIR], blocks, limit)
  return trades.map(({ priceWad }) => priceWad / WAD)
}

async function lastPrice(): Promise<bigint | undefined> {
  const asked = { interval: '1d', startSec: 0, endSec: 100, limit: 1 } as const
  const candles = await readCandles(database.sql, CHAIN_ID, PAIR, asked)
  return candles.at(-1)?.closeWad
}

describe('the trades of a pair', () => {
  it('come in the order of the chain, whatever the hashes of their transactions are', async () => {
    await apply(1n, [trade(101n, 0x9), trade(102n, 0x1), trade(103n, 0x5), trade(104n, 0x5, 1)])
    await apply(2n, [trade(201n, 0x3), trade(202n, 0x8, 1), trade(203n, 0x2)])
    expect(await pricesOf(10)).toEqual([101n, 102n, 103n, 104n, 201n, 202n, 203n])
    expect(await pricesOf(10, { after: 1n, upTo: 2n })).toEqual([201n, 202n, 203n])
    // The oldest are left out, also of a block that is told in part.
    expect(await pricesOf(5)).toEqual([103n, 104n, 201n, 202n, 203n])
    expect(await lastPrice()).toBe(203n * WAD)
  })

  it('that were recorded without their place come before those of later blocks, in the order of before', async () => {
    await apply(1n, [trade(101n, 0x9), trade(102n, 0x1)])
    await database.sql`update perp_executions set log_index = null`
    await apply(2n, [trade(201n, 0x3), trade(202n, 0x2)])
    expect(await pricesOf(10)).toEqual([101n, 102n, 201n, 202n])
    expect(await pricesOf(3)).toEqual([102n, 201n, 202n])
  })

  it('are found by index, those of older blocks unread', async () => {
    await database.sql`
      insert into perp_executions
        (chain_id, tx_hash, index_in_tx, kind, event, instrument, expiry, trader, size_wad, notional_wad, price_wad,
         taken_size_wad, taken_notional_wad, trade_fee_wad, protocol_fee_wad, mark_wad, sqrt_px96, block_number, log_index,
         at_sec, nth, nth_of_pair)
      select ${CHAIN_ID}, md5(i::text), 0, 'market', 'Trade', ${INSTRUMENT}, ${PERPETUAL_EXPIRY}, ${TRADER}, 1, 1, 1, 0, 0, 0,
        0, 1, 1, i / 4, i % 4, i / 4, i, i
      from generate_series(1, 20000) i`
    await database.sql`analyze perp_executions`
    const read = await inSnapshot(database.sql, async (tx) => {
      const [before] =
        await tx`select idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'perp_executions'`
      await newestTrades(tx as never, CHAIN_ID, [PAIR], { after: NO_BLOCK, upTo: 100_000n }, 10)
      const [after] = await tx`
        select idx_tup_fetch as rows, seq_tup_read as whole from pg_stat_xact_user_tables where relname = 'perp_executions'`
      return { rows: Number(after?.rows) - Number(before?.rows), whole: Number(after?.whole) }
    })
    expect(read.whole).toBe(0)
    // PostgreSQL sorts what agrees in the block at least 32 rows at a time.
    expect(read.rows).toBeLessThanOrEqual(50)
  })
})

describe('open orders', () => {
  it('of one block are shown newest first, whatever the hashes of their transactions are', async () => {
    await apply(1n, [place(1, 0x9), place(2, 0x1), place(3, 0x5)])
    await apply(2n, [place(4, 0x3), place(5, 0x8)])
    const scope = { chainId: CHAIN_ID, trader: TRADER, pairs: null }
    const orders = await inSnapshot(database.sql, (tx) => listOpenOrders(tx, scope))
    expect(orders.map(({ tick }) => tick)).toEqual([5, 4, 3, 2, 1])
  })
})
