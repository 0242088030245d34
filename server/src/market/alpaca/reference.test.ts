import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Task } from '../../http/product.ts'
import { testVenue } from '../../http/testing.ts'
import { createLogger } from '../../lib/logger.ts'
import { insertAppliedSplit } from '../applied-splits.ts'
import { addDays, newYorkInstant } from '../calendar/new-york.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { listCorporateActions } from '../corporate-action-store.ts'
import { SESSION } from '../hours.ts'
import { latestQuote, listSymbols } from '../store.ts'
import { marketTasks } from '../tasks.ts'
import { candles } from '../testing-bars.ts'
import type { OpenMarket } from './market.ts'
import { type Clock, openTestMarket, settingsOf, testClock, USD8, until, wireServer } from './testing/harness.ts'
import type { WireServer } from './testing/wire-server.ts'

const log = createLogger('silent')
let db: TestDatabase
let clock: Clock
let server: WireServer
let market: OpenMarket
let tasks: readonly Task[]
beforeEach(async () => {
  db = await testDatabase()
  clock = testClock()
  server = await wireServer(clock)
  server.data.bars = { AAPL: ['2026-07-30', '2026-07-31', '2026-08-03'].map((date, i) => bar(date, 225 + i)) }
  server.data.calendar = theirCalendar()
  await open('AAPL', 'BRK.B', 'DAYF')
})
afterEach(async () => {
  market.close()
  await server.stop()
  await db.drop()
})

async function open(...symbols: string[]): Promise<void> {
  market = await openTestMarket(db.sql, server, clock, { settings: settingsOf(server, symbols), log })
  tasks = [...marketTasks(market), ...market.tasks()]
}

const bar = (date: string, c: number) => ({
  t: `${date}T04:00:00Z`,
  o: c - 0.5,
  h: c + 1,
  l: c - 1.005,
  c,
  v: 1000,
  n: 1,
  vw: c,
})
const venue = () => testVenue({ sql: db.sql, clock })
const splits = async () => {
  const actions = await listCorporateActions(db.sql, { symbol: null, fromSec: null, toSec: null })
  return actions.map(({ symbol, exDate }) => `${symbol} ${exDate}`)
}
const run = (name: string) => tasks.find((task) => task.name === name)?.run(venue()) ?? Promise.reject(name)

/** The venue's own calendar, as the broker would write it. */
function theirCalendar(): { date: string; open: string; close: string; session_open: string; session_close: string }[] {
  const days = Array.from({ length: 400 }, (_, day) => addDays('2026-08-01', day))
  return days
    .filter((date) => usCalendar.session(newYorkInstant(date, 10)) === SESSION.regular)
    .map((date) => {
      const short = usCalendar.session(newYorkInstant(date, 14)) !== SESSION.regular
      const [close, session_close] = short ? ['13:00', '1700'] : ['16:00', '2000']
      return { date, open: '09:30', close, session_open: '0400', session_close }
    })
}

describe('reference data', () => {
  it("lists the configured symbols with the broker's flags, and what it does not know is shown", async () => {
    await run('market.reference')
    const flags = (await listSymbols(db.sql)).map((one) => [
      ...[one.symbol, one.tradable, one.fractionable, one.overnightTradable, one.fractionalEhEnabled],
    ])
    expect(flags).toEqual([
      ['AAPL', true, true, true, true],
      ['BRK.B', true, false, false, false],
      ['DAYF', true, true, false, false],
    ])
    market.close()
    await open('AAPL', 'NONE')
    await expect(run('market.reference')).rejects.toThrow('the broker does not know NONE')
    expect((await listSymbols(db.sql)).find(({ symbol }) => symbol === 'AAPL')?.name).toContain('Apple')
  })

  it('loads the days that have ended, page by page, and later the gap and what was corrected', async () => {
    server.data.pageSize = 1
    await run('market.reference')
    const days = async () =>
      (await candles(db.sql, { interval: '1d' })).map(({ open, low, close }) => [open, low, close])
    expect(await days()).toEqual([
      ['224.5', '223.995', '225'],
      ['225.5', '224.995', '226'],
    ])
    const asked = server.requests.length
    await run('market.reference')
    expect(server.requests.length).toBe(asked)
    server.data.bars = { AAPL: [bar('2026-07-31', 226.5), bar('2026-08-03', 227), bar('2026-08-04', 228)] }
    clock.advance(86_400_000)
    await run('market.reference')
    expect((await days()).map(([, , close]) => close)).toEqual(['225', '226.5', '227'])
    const starts = server.requests
      .filter((one) => one.includes('/bars'))
      .map((one) => new URL(one.slice(4), 'http://x').searchParams.get('start'))
    expect([starts[0], starts.at(-1)]).toEqual(['2016-01-01', '2016-01-01'])
    expect(starts).toContain('2026-07-24')
  })

  it('takes over splits, stock and cash dividends, joins those of one date, and guesses nothing', async () => {
    const dates = {
      process_date: '2026-08-10',
      ex_date: '2026-08-10',
      record_date: '2026-08-07',
      payable_date: '2026-08-09',
    }
    server.data.corporateActions = {
      forward_splits: [{ symbol: 'AAPL', new_rate: 4, old_rate: 1, ...dates }],
      reverse_splits: [{ symbol: 'BRK.B', new_rate: 1, old_rate: 10, ...dates }],
      stock_dividends: [{ symbol: 'DAYF', rate: 0.05, ...dates }],
      cash_dividends: [
        { symbol: 'AAPL', rate: 0.24, special: false, foreign: false, ...dates },
        { symbol: 'AAPL', rate: 0.010000001, special: true, foreign: false, ...dates },
        { symbol: 'AAPL', rate: 1.5, special: true, foreign: false, ...dates },
      ],
      spin_offs: [{ source_symbol: 'AAPL', source_rate: 1, new_symbol: 'NEW', new_rate: 0.5, ...dates }],
      name_changes: [{ old_symbol: 'DAYF', new_symbol: 'NITEF', process_date: '2026-08-10' }],
    }
    await run('market.reference')
    await run('market.corporate-actions')
    const actions = await listCorporateActions(db.sql, { symbol: null, fromSec: null, toSec: null })
    expect(actions.map((one) => [one.symbol, one.type, one.ratioFrom8, one.ratioTo8, one.cashAmount8])).toEqual([
      ['AAPL', 'dividend', null, null, 174_000_000n],
      ['AAPL', 'split', 10n ** 8n, 4n * 10n ** 8n, null],
      ['BRK.B', 'split', 10n * 10n ** 8n, 10n ** 8n, null],
      ['DAYF', 'split', 10n ** 8n, 105_000_000n, null],
    ])
    expect(actions[0]).toMatchObject({ exDate: '2026-08-10', recordDate: '2026-08-07', payableDate: '2026-08-09' })
  })

  it('has a corporate action minutes after it appears and loses it minutes after it goes, on one trade date', async () => {
    await run('market.corporate-actions')
    expect(server.requests).toEqual([])
    await run('market.reference')
    await run('market.corporate-actions')
    const split = { symbol: 'AAPL', new_rate: 4, old_rate: 1, ex_date: '2026-08-03', process_date: '2026-08-03' }
    server.data.corporateActions = { forward_splits: [split] }
    const asked = server.requests.length
    await run('market.corporate-actions')
    expect([await splits(), server.requests.length - asked]).toEqual([['AAPL 2026-08-03'], 1])
    server.data.corporateActions = {}
    await run('market.corporate-actions')
    expect(await splits()).toEqual([])
  })

  it('reads the ratio of a split with every decimal it has, and joins such ratios exactly', async () => {
    const dates = { ex_date: '2026-08-10', process_date: '2026-08-10' }
    server.data.corporateActions = {
      forward_splits: [{ symbol: 'BRK.B', new_rate: '1.123456789012345678', old_rate: 1, ...dates }],
      stock_dividends: [
        { symbol: 'AAPL', rate: '0.030927835', ...dates },
        { symbol: 'DAYF', rate: '0.030927835', ...dates },
        { symbol: 'DAYF', rate: '0.000000001', ...dates },
      ],
    }
    await run('market.reference')
    await run('market.corporate-actions')
    const actions = await listCorporateActions(db.sql, { symbol: null, fromSec: null, toSec: null })
    expect(actions.map(({ symbol, ratioFrom8, ratioTo8 }) => [symbol, ratioFrom8, ratioTo8])).toEqual([
      ['AAPL', 10n ** 9n, 1_030_927_835n],
      ['BRK.B', 10n ** 18n, 1_123_456_789_012_345_678n],
      ['DAYF', 10n ** 18n, 1_030_927_835n * 1_000_000_001n],
    ])
  })

  it('fails while a split cannot be read, with the others stored, until the operator has applied it or it is long past', async () => {
    const split = { symbol: 'AAPL', new_rate: 4, old_rate: 1, ex_date: '2026-08-10' }
    server.data.corporateActions = {
      forward_splits: [
        split,
        { ...split, symbol: 'NONE', new_rate: 'two' },
        { ...split, ex_date: '2016-08-10', old_rate: 0 },
      ],
      stock_dividends: [{ symbol: 'DAYF', rate: '0.0000000000000000001', ex_date: '2026-08-11' }],
    }
    await run('market.reference')
    const failed = expect.objectContaining({
      message:
        'a split cannot be read: stock_dividends of DAYF on 2026-08-11: the field rate has more than 18 decimals',
    })
    for (const _ of [1, 2]) await expect(run('market.corporate-actions')).rejects.toEqual(failed)
    expect(await splits()).toEqual(['AAPL 2026-08-10'])
    const byHand = { symbol: 'DAYF', exDate: '2026-08-11', effectiveMs: clock.nowMs(), from8: 20n, to8: 21n }
    await insertAppliedSplit(db.sql, byHand)
    await expect(run('market.corporate-actions')).resolves.toBeUndefined()
    server.data.corporateActions = { forward_splits: [{ ...split, ex_date: 'soon' }] }
    await expect(run('market.corporate-actions')).rejects.toThrow('forward_splits of AAPL on soon: soon is no date')
    server.data.corporateActions = { forward_splits: [{ ...split, new_rate: null }] }
    await expect(run('market.corporate-actions')).rejects.toThrow('the field new_rate is no decimal')
    clock.advance(60 * 86_400_000)
    await expect(run('market.corporate-actions')).resolves.toBeUndefined()
  })

  it('fails while an applied split is another than the source says, unless it said so when it was applied', async () => {
    const tell = async (rates: Record<string, number>) => {
      const list = Object.entries(rates).map(([symbol, new_rate]) => ({ symbol, new_rate, old_rate: 1 }))
      server.data.corporateActions = { forward_splits: list.map((one) => ({ ...one, ex_date: '2026-08-04' })) }
      await run('market.corporate-actions')
    }
    const apply = (symbol: string, to: bigint) =>
      insertAppliedSplit(db.sql, {
        symbol,
        exDate: '2026-08-04',
        effectiveMs: clock.nowMs(),
        from8: USD8,
        to8: to * USD8,
      })
    await run('market.reference')
    await tell({ AAPL: 4, DAYF: 4 })
    for (const [symbol, to] of [
      ['AAPL', 4n],
      ['DAYF', 6n],
      ['BRK.B', 2n],
    ] as const)
      await apply(symbol, to)
    await tell({ AAPL: 4, DAYF: 4, 'BRK.B': 2 })
    await expect(tell({ AAPL: 5, DAYF: 4, 'BRK.B': 3 })).rejects.toThrow(
      "the split of AAPL on 2026-08-04 was applied as 1 to 4, and the market's source says 1 to 5; " +
        "the split of BRK.B on 2026-08-04 was applied as 1 to 2, and the market's source says 1 to 3",
    )
    await expect(tell({ DAYF: 5 })).rejects.toThrow('the split of DAYF')
    await tell({ AAPL: 4, DAYF: 6 })
    clock.advance(32 * 86_400_000)
    await expect(tell({ AAPL: 5 })).resolves.toBeUndefined()
  })

  it('logs what has no place in it once, and again when that is something else', async () => {
    const warn = vi.spyOn(log, 'warn')
    await run('market.reference')
    const spinOff = { source_symbol: 'AAPL', new_symbol: 'NEW', ex_date: '2026-08-10', process_date: '2026-08-10' }
    const logged = async () => {
      warn.mockClear()
      await run('market.corporate-actions')
      return warn.mock.calls.length
    }
    server.data.corporateActions = { spin_offs: [spinOff] }
    expect([await logged(), await logged()]).toEqual([1, 0])
    server.data.corporateActions = { spin_offs: [spinOff, { ...spinOff, ex_date: '2026-09-10' }] }
    expect([await logged(), await logged()]).toEqual([1, 0])
  })

  it('keeps what it has while the broker is away, and tries again', async () => {
    await run('market.reference')
    clock.advance(86_400_000)
    server.faults.request = () => '500'
    await expect(run('market.reference')).rejects.toMatchObject({ reason: { name: 'broker_unavailable' } })
    expect(await listSymbols(db.sql)).toHaveLength(3)
    server.faults.request = () => 'none'
    await run('market.reference')
  })
})

describe('the calendar', () => {
  it('agrees with a broker that keeps the same days', async () => {
    await expect(run('market.calendar')).resolves.toBeUndefined()
  })

  it('fails in every round while a day differs, and names it', async () => {
    server.data.calendar = theirCalendar()
      .filter(({ date }) => date !== '2026-08-20')
      .map((day) => (day.date === '2026-08-21' ? { ...day, close: '13:00', session_close: '1700' } : day))
    const message =
      "the broker's calendar differs: 2026-08-20: the broker has closed, the venue 09:30-16:00, until 20:00; " +
      '2026-08-21: the broker has 09:30-13:00, until 17:00, the venue 09:30-16:00, until 20:00'
    await expect(run('market.calendar')).rejects.toThrow(message)
    await expect(run('market.calendar')).rejects.toThrow(message)
    expect(market.hours.session(newYorkInstant('2026-08-20', 10))).toBe(SESSION.regular)
  })
})

describe("the keeper's tasks", () => {
  it('take quotes into the tables, with their own times', async () => {
    server.data.snapshots = {
      AAPL: {
        latestTrade: { t: '2026-08-03T14:59:58.5Z', p: 229.5, s: 1, c: ['@'], i: 1 },
        latestQuote: { t: '2026-08-03T14:59:59.25Z', bp: 229.4, ap: 229.6 },
        dailyBar: { t: '2026-08-03T04:00:00Z', v: 500 },
      },
    }
    await run('market.reference')
    await run('market.quotes')
    expect(await latestQuote(db.sql, 'AAPL')).toMatchObject({
      price8: 22_950_000_000n,
      bid8: 22_940_000_000n,
      ask8: 22_960_000_000n,
      session: SESSION.regular,
      sourceTimeMs: Date.parse('2026-08-03T14:59:59.25Z'),
      previousClose8: 22_600_000_000n,
    })
  })

  it('leave the one connection to whoever uses it: a market that was opened and not used has none', async () => {
    expect([server.requests.length, server.updateSockets.size, server.dataSockets.size]).toEqual([0, 0, 0])
    await run('market.broker')
    await until(() => server.updateSockets.size === 1)
    market.close()
    await until(() => server.updateSockets.size === 0)
  })
})
