import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import { inSnapshot, inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { perpEvents } from '../events.ts'
import { readCandles } from '../market-data/candles.ts'
import { tickToSqrt } from '../maths/tick.ts'
import { volumesOf } from '../portfolio/record-store.ts'
import { newestTrades } from '../streams/trade-store.ts'

const CHAIN_ID = 31_337
const EXPIRY = 1_800_604_800
const INSTRUMENT: Hex = `0x${'c1'.repeat(20)}`
const PAIR = { instrument: INSTRUMENT, expiry: EXPIRY }
const [ALICE, BOB] = ['a1', 'b1'].map((byte): Hex => `0x${byte.repeat(20)}`) as [Hex, Hex]
const NOTHING = { balance: 0n, size: 0n, entryNotional: 0n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await database.sql`insert into perp_instruments (chain_id, instrument) values (${CHAIN_ID}, ${INSTRUMENT})`
})
afterEach(() => database.drop())

type Logged = Pick<ChainEvent, 'name' | 'args'>

/** A block in which each list of events is a transaction's. */
function blockOf(number: bigint, transactions: readonly (readonly Logged[])[]) {
  const hash: Hex = `0x${number.toString(16).padStart(64, '0')}`
  const block = { chainId: CHAIN_ID, number, hash, parentHash: hash, timestampSec: Number(number) }
  const events = transactions.flatMap((made, index) =>
    made.map(
      ({ name, args }, indexInTransaction): ChainEvent => ({
        address: INSTRUMENT,
        abiVersion: 1,
        name,
        args: { expiry: EXPIRY, ...args },
        logIndex: 10 * index + indexInTransaction,
        indexInTransaction,
        transactionHash: `0x${(number * 100n + BigInt(index)).toString(16).padStart(64, '0')}`,
      }),
    ),
  )
  return { block, events, transactions: [] }
}

type Blocks = Parameters<typeof perpEvents.apply>[1]
const apply = (...blocks: Blocks) => inTransaction(database.sql, (tx) => perpEvents.apply(tx, blocks))

const opened: Logged = { name: 'UpdateAmmStatus', args: { status: 1, sqrtPX96: tickToSqrt(0), mark: WAD } }
const positioned = (trader: Hex, size: bigint): Logged => ({
  name: 'UpdatePosition',
  args: { trader, pic: { ...NOTHING, size } },
})
const placed = (trader: Hex, tick: number): Logged => ({
  name: 'Place',
  args: { trader, tick, nonce: 0, order: { size: WAD, balance: WAD } },
})
const cancelled = (trader: Hex, tick: number, size: bigint): Logged => ({
  name: 'Cancel',
  args: { trader, tick, nonce: 0, fee: 0n, pic: { ...NOTHING, size, entryNotional: size } },
})
const ranged = (trader: Hex): Logged => ({
  name: 'Add',
  args: {
    trader,
    tickLower: -100,
    tickUpper: 100,
    range: { liquidity: WAD, entryFeeIndex: 0n, balance: WAD, sqrtEntryPX96: tickToSqrt(0) },
  },
})
const removed = (trader: Hex, size: bigint): Logged => ({
  name: 'Remove',
  args: {
    trader,
    tickLower: -100,
    tickUpper: 100,
    fee: 0n,
    tip: 0n,
    pic: { ...NOTHING, size, entryNotional: size < 0n ? -size : size },
  },
})
const settled = (trader: Hex, settlement: bigint): Logged => ({
  name: 'Settle',
  args: { trader, settlement, balance: 0n, operator: BOB },
})

const executions = () => database.sql`
  select trader, kind, event, size_wad, notional_wad, price_wad, mark_wad, trade_fee_wad, protocol_fee_wad
  from perp_executions order by block_number, log_index`
const settlements = async () => (await executions()).filter(({ kind }) => kind === 'settlement')
const closed = (trader: Hex, size_wad: bigint, notional_wad: bigint, price_wad: bigint) => ({
  trader,
  kind: 'settlement',
  event: 'Settle',
  size_wad,
  notional_wad,
  price_wad,
  mark_wad: price_wad,
  trade_fee_wad: 0n,
  protocol_fee_wad: 0n,
})

describe('a settlement', () => {
  it('closes what the position, the orders and the ranges come to, at its price', async () => {
    await apply(blockOf(1n, [[opened, positioned(ALICE, 3n * WAD), placed(ALICE, 1), ranged(ALICE)]]))
    const price = 89_631n * WAD
    const ended = [removed(ALICE, -WAD / 2n), cancelled(ALICE, 1, WAD / 4n)]
    await apply(blockOf(2n, [[...ended, positioned(ALICE, 0n), settled(ALICE, price)]]))
    expect((await executions()).map(({ kind, size_wad }) => [kind, size_wad])).toEqual([
      ['range', -WAD / 2n],
      ['fill', WAD / 4n],
      ['settlement', (-11n * WAD) / 4n],
    ])
    expect(await settlements()).toEqual([closed(ALICE, (-11n * WAD) / 4n, (11n * price) / 4n, price)])
  })

  it('rounds its notional to nearest', async () => {
    await apply(blockOf(1n, [[opened, positioned(ALICE, -1n)]]), blockOf(2n, [[positioned(BOB, 1n)]]))
    await apply(
      blockOf(3n, [
        [positioned(ALICE, 0n), settled(ALICE, (3n * WAD) / 2n)],
        [positioned(BOB, 0n), settled(BOB, (3n * WAD) / 2n - 1n)],
      ]),
    )
    expect((await settlements()).map(({ size_wad, notional_wad }) => [size_wad, notional_wad])).toEqual([
      [1n, 2n],
      [-1n, 1n],
    ])
  })

  it('of several steps and accounts tells each account once, whether blocks are applied together or not', async () => {
    const opening = blockOf(1n, [[opened, placed(ALICE, 1), placed(ALICE, 2), positioned(BOB, -WAD)]])
    // What one call does not reach, the next one ends.
    const first = blockOf(2n, [
      [cancelled(ALICE, 1, WAD), positioned(ALICE, WAD)],
      [positioned(BOB, 0n), settled(BOB, 2n * WAD)],
    ])
    const second = blockOf(3n, [[cancelled(ALICE, 2, WAD), positioned(ALICE, 0n), settled(ALICE, 2n * WAD)]])
    const expected = [closed(BOB, WAD, 2n * WAD, 2n * WAD), closed(ALICE, -2n * WAD, 4n * WAD, 2n * WAD)]
    await apply(opening)
    await apply(first, second)
    expect(await settlements()).toEqual(expected)
    await database.sql`truncate perp_executions, perp_orders, perp_positions, perp_pairs, perp_account_signals`
    for (const block of [opening, first, second]) await apply(block)
    expect(await settlements()).toEqual(expected)
  })

  it('of an account without a size is none', async () => {
    await apply(blockOf(1n, [[opened, placed(ALICE, 1)]]))
    await apply(blockOf(2n, [[cancelled(ALICE, 1, 0n), positioned(ALICE, 0n), settled(ALICE, WAD)]]))
    expect(await executions()).toEqual([])
  })

  it('is no trade of the market: no candle, no trade and no volume comes of it', async () => {
    await apply(blockOf(1n, [[opened, positioned(ALICE, WAD)]]))
    await apply(blockOf(2n, [[positioned(ALICE, 0n), settled(ALICE, WAD)]]))
    expect(await settlements()).toHaveLength(1)
    const asked = { interval: '1d', startSec: 0, endSec: 100, limit: 1 } as const
    expect(await readCandles(database.sql, CHAIN_ID, PAIR, asked)).toEqual([])
    expect(await newestTrades(database.sql, CHAIN_ID, [PAIR], { after: -1n, upTo: 100n }, 10)).toEqual([])
    expect(await inSnapshot(database.sql, (tx) => volumesOf(tx, { chainId: CHAIN_ID, trader: ALICE }))).toEqual([])
  })
})
