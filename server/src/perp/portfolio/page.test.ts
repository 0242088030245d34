import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { inSnapshot, inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { perpEvents } from '../events.ts'
import { pageOfExecutions, pageOfLedger, pageOfPairLedger, type Scope } from './record-store.ts'

const CHAIN_ID = 31_337
const BUSY: Hex = '0x00000000000000000000000000000000000000b1'
const QUIET: Hex = '0x00000000000000000000000000000000000000b2'
const INSTRUMENT: Hex = '0x00000000000000000000000000000000000000c1'
const OTHER: Hex = '0x00000000000000000000000000000000000000c2'
const EXPIRY = 4_294_967_295
const MANY = 40_000
const FEW = 400

let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await testDatabase()
  sql = database.sql
  for (const [trader, rows] of [
    [BUSY, MANY],
    [QUIET, FEW],
  ] as const) {
    // Every second one on either instrument; ten of each second.
    await sql`
      insert into perp_executions
        (chain_id, tx_hash, index_in_tx, kind, event, instrument, expiry, trader, size_wad, notional_wad, price_wad,
         taken_size_wad, taken_notional_wad, trade_fee_wad, protocol_fee_wad, block_number, at_sec, nth, nth_of_pair)
      select ${CHAIN_ID}, ${trader} || i, 0, 'market', 'Trade', case i % 2 when 0 then ${INSTRUMENT} else ${OTHER} end,
        ${EXPIRY}, ${trader}, 1, 1, 1, 0, 0, 0, 0, i / 10, 1000 + i / 10, i, (i + 1) / 2
      from generate_series(1, ${rows}) i`
  }
  await sql`analyze perp_executions`
}, 120_000)
afterAll(() => database.drop())

const scope = (trader: Hex, pairs: Scope['pairs'] = null): Scope => ({ chainId: CHAIN_ID, trader, pairs })

/** A page, and how many rows of the table were read for it: by index, and without one. */
const readOf = (of: Scope, asked: Parameters<typeof pageOfExecutions>[2]) =>
  inSnapshot(sql, async (tx) => {
    const before = await rowsRead(tx)
    const page = await pageOfExecutions(tx, of, asked)
    const after = await rowsRead(tx)
    return { page, rows: after.rows - before.rows, whole: after.whole - before.whole }
  })

async function rowsRead(tx: Tx): Promise<{ rows: number; whole: number }> {
  const [read] = await tx<{ rows: bigint; whole: bigint }[]>`
    select coalesce(idx_tup_fetch, 0) as rows, seq_tup_read as whole
    from pg_stat_xact_user_tables where relname = 'perp_executions'`
  return { rows: Number(read?.rows ?? 0), whole: Number(read?.whole ?? 0) }
}

describe('a page', () => {
  const pair = { instruments: [INSTRUMENT], expiry: EXPIRY }
  it.each([
    ['first', { page: 1 }],
    ['in the middle', { page: MANY / 100 }],
    ['last', { page: MANY / 50 }],
    ['of a time', { startTime: 1500, endTime: 3500, page: 3 }],
    ['beyond the last', { page: MANY }],
  ])('%s is read by index, as many rows of a long list as of a short one', async (_, asked) => {
    for (const whose of [scope(BUSY), scope(BUSY, pair), scope(QUIET)]) {
      const { rows, whole } = await readOf(whose, { size: 50, ...asked })
      expect(whole).toBe(0)
      // The page, and one row at either end of the time.
      expect(rows).toBeLessThanOrEqual(52)
      if (asked.page !== MANY && whose.trader === BUSY && whose.pairs === null) expect(rows).toBe(52)
    }
  })

  it('has the rows that counting gives', async () => {
    const { page } = await readOf(scope(BUSY), { startTime: 1500, endTime: 3500, page: 3, size: 7 })
    const expected = await sql<{ txHash: string; total: bigint }[]>`
      select tx_hash as "txHash", count(*) over () as total from perp_executions
      where trader = ${BUSY} and at_sec between 1500 and 3500 order by nth desc offset 14 limit 7`
    expect(page.list.map(({ txHash }) => txHash)).toEqual(expected.map(({ txHash }) => txHash))
    expect(BigInt(page.totalCount)).toBe(expected[0]?.total)
    const ofPair = await readOf(scope(BUSY, pair), { startTime: 1500, size: 3 })
    expect(ofPair.page.list.map(({ instrument }) => instrument)).toEqual([INSTRUMENT, INSTRUMENT, INSTRUMENT])
    const [{ count } = {}] = await sql`
      select count(*) from perp_executions where trader = ${BUSY} and instrument = ${INSTRUMENT} and at_sec >= 1500`
    expect(BigInt(ofPair.page.totalCount)).toBe(count)
  })

  it('is empty where no time fits, or the end comes before the start', async () => {
    for (const asked of [{ endTime: 1 }, { startTime: 99_999_999 }, { startTime: 2000, endTime: 1999 }]) {
      expect((await readOf(scope(BUSY), asked)).page).toEqual({ list: [], totalCount: 0 })
    }
  })
})

describe('a page of one expiry', () => {
  const both = { instruments: [INSTRUMENT, OTHER], expiry: EXPIRY }
  const ofBoth = (asked: Parameters<typeof pageOfExecutions>[2]) => readOf(scope(QUIET, both), asked)

  it('has the rows of every instrument, in their order', async () => {
    for (const asked of [{ size: 7 }, { size: 7, page: 9 }, { startTime: 1010, endTime: 1030, size: 30, page: 2 }]) {
      const whole = await readOf(scope(QUIET), asked)
      expect((await ofBoth(asked)).page).toEqual(whole.page)
      expect(whole.page.list.length).toBeGreaterThan(0)
    }
    expect((await ofBoth({ size: 50, page: FEW })).page).toEqual({ list: [], totalCount: FEW })
    const none = { instruments: [INSTRUMENT, OTHER], expiry: 5 }
    expect((await readOf(scope(QUIET, none), {})).page).toEqual({ list: [], totalCount: 0 })
  })

  it('reads by index what of each lies before its end', async () => {
    const { rows, whole } = await readOf(scope(BUSY, both), { size: 50, page: 2 })
    expect(whole).toBe(0)
    expect(rows).toBeLessThanOrEqual(2 * 102)
  })
})

describe('movements', () => {
  const token: Hex = '0x00000000000000000000000000000000000000d1'
  const trader: Hex = '0x00000000000000000000000000000000000000b3'
  const apply = (tx: Tx, number: bigint, events: readonly (readonly [string, Record<string, unknown>])[]) => {
    const hash: Hex = `0x${number.toString(16).padStart(64, '0')}`
    const block: ChainBlock = { chainId: CHAIN_ID, number, hash, parentHash: hash, timestampSec: Number(number) }
    const made = events.map(
      ([name, args], index): ChainEvent => ({
        address: token,
        abiVersion: 1,
        name,
        args: { quote: token, trader, ...args },
        logIndex: index,
        indexInTransaction: index,
        transactionHash: hash,
      }),
    )
    return perpEvents.apply(tx, [{ block, events: made, transactions: [] }])
  }
  const pending = (amount: bigint, timestamp: number) => ({ timestamp, native: false, amount, exemption: 0n })

  it('of a withdrawal that has to wait leave the reserve when it is asked for, and are released and paid in one step', async () => {
    await inTransaction(sql, async (tx) => {
      await apply(tx, 1n, [['Deposit', { quantity: 500n }]])
      await apply(tx, 2n, [['UpdatePending', { pending: pending(200n, 2) }]])
      await apply(tx, 3n, [['UpdatePending', { pending: pending(250n, 3) }]])
      const released = ['UpdatePending', { pending: pending(0n, 0) }] as const
      await apply(tx, 9n, [released, ['Withdraw', { quantity: 250n }]])
    })
    const { list } = await inSnapshot(sql, (tx) => pageOfLedger(tx, scope(trader), 'all', {}))
    expect(list.map(({ kind, amountRaw }) => [kind, amountRaw])).toEqual([
      ['withdraw', 250n],
      ['release', 250n],
      ['request', 50n],
      ['request', 200n],
      ['deposit', 500n],
    ])
    const wallet = await inSnapshot(sql, (tx) => pageOfLedger(tx, scope(trader), 'wallet', {}))
    expect([wallet.totalCount, wallet.list.map(({ kind }) => kind)]).toEqual([2, ['withdraw', 'deposit']])
  })

  it('between Gate and pairs are numbered for each pair, over blocks', async () => {
    const own: Hex = '0x00000000000000000000000000000000000000b4'
    const of = (name: string, instrument: Hex, expiry: number, quantity: bigint) =>
      [name, { trader: own, instrument, expiry, quantity }] as const
    await inTransaction(sql, async (tx) => {
      await apply(tx, 20n, [
        of('Scatter', INSTRUMENT, EXPIRY, 1n),
        of('Scatter', OTHER, EXPIRY, 2n),
        of('Scatter', OTHER, 1_900_000_000, 3n),
      ])
      await apply(tx, 21n, [of('Gather', INSTRUMENT, EXPIRY, 4n), of('Gather', OTHER, EXPIRY, 5n)])
    })
    const read = async (pairs: Scope['pairs'], asked: Parameters<typeof pageOfPairLedger>[3] = {}) => {
      const { list, totalCount } = await inSnapshot(sql, (tx) => pageOfPairLedger(tx, scope(own, pairs), 'pair', asked))
      return [totalCount, ...list.map(({ amountRaw }) => Number(amountRaw))]
    }
    const [one, other] = [
      { instruments: [INSTRUMENT], expiry: EXPIRY },
      { instruments: [OTHER], expiry: EXPIRY },
    ]
    expect(await read(null)).toEqual([5, 5, 4, 3, 2, 1])
    expect(await read(one)).toEqual([2, 4, 1])
    expect(await read(other, { size: 1, page: 2 })).toEqual([2, 2])
    expect(await read({ instruments: [INSTRUMENT, OTHER], expiry: EXPIRY })).toEqual([4, 5, 4, 2, 1])
    expect(await read({ instruments: [INSTRUMENT, OTHER], expiry: EXPIRY }, { size: 3, page: 2 })).toEqual([4, 1])
    expect(await read({ instruments: [OTHER], expiry: 1_900_000_000 })).toEqual([1, 3])
    expect(await read(one, { startTime: 21 })).toEqual([1, 4])
  })
})
