import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import { enterBlock } from '../../chain/follow/store.ts'
import { installUndo, type UndoTable, undoAbove } from '../../chain/follow/undo.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { sqrtToPrice, tickToSqrt } from '../maths/tick.ts'
import { tradedIn } from './candle-store.ts'
import { readCandles } from './candles.ts'
import { readFunding } from './funding.ts'
import { INTERVALS, type Interval } from './intervals.ts'
import { MARKET_TABLES, MarketChanges } from './recording.ts'

const CHAIN_ID = 31_337
const BTC: Hex = `0x${'b'.repeat(40)}`
const PAIR = { instrument: BTC, expiry: PERPETUAL_EXPIRY }
const HASH: Hex = `0x${'0'.repeat(64)}`
const utc = (text: string): number => Date.parse(`${text}Z`) / 1000

let database: TestDatabase
let tables: readonly UndoTable[]
let height = 0n
beforeAll(async () => {
  database = await testDatabase()
  tables = await installUndo(database.sql, [...MARKET_TABLES])
})
afterAll(() => database?.drop())
beforeEach(() => empty())

const empty = () =>
  inTransaction(database.sql, async (tx) => {
    await enterBlock(tx, CHAIN_ID, height, 'final')
    for (const { name } of tables) await tx.unsafe(`delete from ${name}`)
  })

type Block = readonly [timeSec: number, events: readonly Partial<ChainEvent>[], indices?: readonly [bigint, bigint]]

/** Applies blocks together, each with these events; the pair then has the given funding indices. */
async function applyTogether(...blocks: readonly Block[]) {
  const market = new MarketChanges()
  for (const [timestampSec, events, [long, short] = [0n, 0n]] of blocks) {
    height++
    const block: ChainBlock = { chainId: CHAIN_ID, number: height, hash: HASH, parentHash: HASH, timestampSec }
    const state = { long_funding_index: long, short_funding_index: short, mark_wad: 100n * WAD }
    market.add(block, events as readonly ChainEvent[], () => state)
  }
  await inTransaction(database.sql, async (tx) => {
    await enterBlock(tx, CHAIN_ID, height, 'record')
    await market.write(tx)
  })
}
const apply = (...block: Block) => applyTogether(block)

/** A trade of a size at a price, in WAD. */
const trade = (size: bigint, priceWad: bigint): Partial<ChainEvent> => ({
  address: BTC,
  name: 'Trade',
  args: {
    expiry: PERPETUAL_EXPIRY,
    size,
    feeRatio: 2,
    sqrtPX96: tickToSqrt(0),
    entryNotional: ((size < 0n ? -size : size) * priceWad) / WAD,
  },
})
const funding: Partial<ChainEvent> = { address: BTC, name: 'UpdateFundingIndex', args: {} }

const read = (interval: Interval, from: string, to: string, limit = 1000) =>
  readCandles(database.sql, CHAIN_ID, PAIR, { interval, startSec: utc(from), endSec: utc(to), limit })
const closes = (candles: readonly { closeWad: bigint }[]) => candles.map(({ closeWad }) => Number(closeWad / WAD))

describe('candles', () => {
  it('hold what was traded in a block and after it', async () => {
    const at = utc('2026-03-04T05:06:10')
    await apply(at, [trade(2n * WAD, 100n * WAD), trade(-WAD, 90n * WAD), trade(WAD, 95n * WAD)])
    await apply(at + 30, [trade(WAD, 110n * WAD)])
    for (const interval of INTERVALS) {
      const [candle, ...others] = await read(interval, '2026-03-04T05:06:00', '2026-03-04T05:06:59')
      expect(others, interval).toEqual([])
      expect(candle, interval).toMatchObject({
        openWad: 100n * WAD,
        highWad: 110n * WAD,
        lowWad: 90n * WAD,
        closeWad: 110n * WAD,
        baseVolumeWad: 5n * WAD,
        quoteVolumeWad: 495n * WAD,
      })
    }
  })

  it('hold the trading fees of what was traded, until that is undone', async () => {
    const at = utc('2026-03-04T05:06:10')
    const feesOfDay = async () => {
      const [day] = await tradedIn(database.sql, CHAIN_ID, [PAIR], { fromSec: at - 86_400, toSec: at + 600 })
      return day?.tradeFeeWad
    }
    expect(await feesOfDay()).toBe(0n)
    await apply(at, [trade(2n * WAD, 100n * WAD), trade(-WAD, 90n * WAD)])
    const ancestor = height
    await apply(at + 5, [trade(WAD, 110n * WAD)])
    await apply(at + 300, [trade(WAD, 100n * WAD)])
    // Two basis points of 500.
    expect(await feesOfDay()).toBe(WAD / 10n)
    await inTransaction(database.sql, (tx) => undoAbove(tx, CHAIN_ID, tables, ancestor))
    expect(await feesOfDay()).toBe((290n * 2n * WAD) / 10_000n)
  })

  it('stand at the last close where nothing is traded, from the first trade on', async () => {
    await apply(utc('2026-03-04T05:01:00'), [trade(WAD, 100n * WAD)])
    await apply(utc('2026-03-04T05:04:00'), [trade(WAD, 120n * WAD)])
    const all = await read('1m', '2026-03-04T04:00:00', '2026-03-04T05:06:00')
    expect(closes(all)).toEqual([100, 100, 100, 120, 120, 120])
    expect(all[1]).toMatchObject({ openWad: 100n * WAD, lowWad: 100n * WAD, baseVolumeWad: 0n, quoteVolumeWad: 0n })
    expect(closes(await read('1m', '2026-03-04T05:02:30', '2026-03-04T05:03:10'))).toEqual([100, 100])
    expect(closes(await read('1m', '2026-03-04T05:00:00', '2026-03-04T05:06:00', 3))).toEqual([120, 120, 120])
    expect(await read('1m', '2026-03-04T04:00:00', '2026-03-04T05:00:59')).toEqual([])
  })

  it('of blocks that are applied together are those of one after the other', async () => {
    const at = utc('2026-03-04T05:58:10')
    const blocks: readonly Block[] = [
      [at, [trade(2n * WAD, 100n * WAD), trade(-WAD, 90n * WAD)]],
      [at + 20, [trade(WAD, 130n * WAD), funding], [-WAD, WAD]],
      [at + 100, [trade(WAD, 110n * WAD), funding], [-2n * WAD, WAD]],
      [at + 300, [funding], [-3n * WAD, 2n * WAD]],
    ]
    const stored = async () => [
      ...(await database.sql`select * from perp_candles order by interval, start_sec`),
      ...(await database.sql`select * from perp_funding_hours order by hour_sec`),
    ]
    const earlier: Block = [at - 5, [trade(WAD, 95n * WAD), funding], [WAD, WAD]]
    await applyTogether(earlier, ...blocks)
    const together = await stored()
    expect(together.length).toBeGreaterThan(INTERVALS.length + 2)
    await empty()
    for (const block of [earlier, ...blocks]) await apply(...block)
    expect(await stored()).toEqual(together)
    await empty()
    await apply(...earlier)
    await applyTogether(...blocks)
    expect(await stored()).toEqual(together)
  })

  it('of weeks begin on Monday and of months on the first, whatever their length', async () => {
    await apply(utc('2024-01-31T23:59:59'), [trade(WAD, 100n * WAD)])
    await apply(utc('2024-03-03T23:59:59'), [trade(WAD, 200n * WAD)])
    await apply(utc('2024-03-04T00:00:00'), [trade(WAD, 300n * WAD)])
    const months = await read('1M', '2024-01-01T00:00:00', '2024-04-30T00:00:00')
    expect(months.map(({ startSec }) => startSec)).toEqual(
      ['2024-01-01', '2024-02-01', '2024-03-01', '2024-04-01'].map((day) => utc(`${day}T00:00:00`)),
    )
    expect(closes(months)).toEqual([100, 100, 300, 300])
    const weeks = await read('1w', '2024-02-26T00:00:00', '2024-03-10T00:00:00')
    expect(weeks.map(({ startSec }) => startSec)).toEqual([utc('2024-02-26T00:00:00'), utc('2024-03-04T00:00:00')])
    expect(closes(weeks)).toEqual([200, 300])
  })

  it('take the curve’s price for a trade so small that its rounding would show', async () => {
    await apply(utc('2026-03-04T05:01:00'), [trade(1n, 100n * WAD)])
    const [candle] = await read('1m', '2026-03-04T05:01:00', '2026-03-04T05:01:00')
    expect(candle).toMatchObject({ closeWad: sqrtToPrice(tickToSqrt(0)), baseVolumeWad: 1n, quoteVolumeWad: 100n })
  })

  it('are as before when a block is reorganised away', async () => {
    await apply(utc('2026-03-04T05:01:00'), [trade(WAD, 100n * WAD)], [-5n, 5n])
    const ancestor = height
    const before = await read('1h', '2026-03-04T05:00:00', '2026-03-04T05:59:00')
    await apply(utc('2026-03-04T05:01:30'), [trade(WAD, 400n * WAD), funding])
    await apply(utc('2026-03-04T06:00:00'), [trade(WAD, 10n * WAD)])
    expect(await read('1h', '2026-03-04T05:00:00', '2026-03-04T05:59:00')).not.toEqual(before)
    await inTransaction(database.sql, (tx) => undoAbove(tx, CHAIN_ID, tables, ancestor))
    expect(await read('1h', '2026-03-04T05:00:00', '2026-03-04T05:59:00')).toEqual(before)
    expect(await database.sql`select from perp_candles where start_sec >= ${utc('2026-03-04T06:00:00')}`).toEqual([])
    expect(await database.sql`select from perp_funding_hours`).toEqual([])
  })

  it('cost the same to read however many there are', async () => {
    const { sql } = database
    await inTransaction(sql, async (tx) => {
      await enterBlock(tx, CHAIN_ID, height, 'final')
      await tx`
        insert into perp_candles select ${CHAIN_ID}, ${BTC}, ${PERPETUAL_EXPIRY}, '1m', nth * 60, 1, 2, 1, 2, 1, 1
        from generate_series(1, 200000) nth`
    })
    await sql`analyze perp_candles`
    const cost = async (fromSec: number) => {
      const [row] = await sql<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }[]>`
        explain (analyze, buffers, format json)
        select close_wad from perp_candles
        where chain_id = ${CHAIN_ID} and instrument = ${BTC} and expiry = ${PERPETUAL_EXPIRY} and interval = '1m'
          and start_sec between ${fromSec} and ${fromSec + 999 * 60}`
      const { Plan: plan } = row?.['QUERY PLAN'][0] ?? { Plan: {} }
      expect(plan['Actual Rows']).toBe(1000)
      return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
    }
    // A thousand rows lie on some dozens of pages, wherever they are among two hundred thousand.
    for (const fromSec of [60, 6_000_000, 11_940_000]) expect(await cost(fromSec)).toBeLessThan(100)
    expect(
      await readCandles(sql, CHAIN_ID, PAIR, { interval: '1m', startSec: 0, endSec: 12_000_000, limit: 1000 }),
    ).toHaveLength(1000)
  })
})

describe('funding by the hour', () => {
  const hours = (from: string, to: string, limit = 200) =>
    readFunding(database.sql, CHAIN_ID, BTC, { startSec: utc(from), endSec: utc(to), limit })

  it('is what the indices moved, as a part of the mark price: positive where a side paid', async () => {
    await apply(utc('2026-03-04T05:10:00'), [funding], [-2n * WAD, WAD])
    await apply(utc('2026-03-04T05:50:00'), [funding], [-3n * WAD, 2n * WAD])
    await apply(utc('2026-03-04T08:20:00'), [funding], [-WAD, -WAD])
    const all = await hours('2026-03-04T00:00:00', '2026-03-04T09:59:00')
    expect(all).toEqual([
      { hourSec: utc('2026-03-04T05:00:00'), longWad: (3n * WAD) / 100n, shortWad: (-2n * WAD) / 100n },
      { hourSec: utc('2026-03-04T06:00:00'), longWad: 0n, shortWad: 0n },
      { hourSec: utc('2026-03-04T07:00:00'), longWad: 0n, shortWad: 0n },
      { hourSec: utc('2026-03-04T08:00:00'), longWad: (-2n * WAD) / 100n, shortWad: (3n * WAD) / 100n },
      { hourSec: utc('2026-03-04T09:00:00'), longWad: 0n, shortWad: 0n },
    ])
    expect(await hours('2026-03-04T00:00:00', '2026-03-04T09:59:00', 2)).toEqual(all.slice(-2))
    expect(await hours('2026-03-04T08:59:59', '2026-03-04T08:59:59')).toEqual(all.slice(3, 4))
    expect(await hours('2026-03-04T00:00:00', '2026-03-04T04:59:59')).toEqual([])
  })
})
