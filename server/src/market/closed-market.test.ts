import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createLogger } from '../lib/logger.ts'
import { usCalendar } from './calendar/us-calendar.ts'
import { INTERVALS } from './candles.ts'
import { openEmbeddedMarket } from './embedded.ts'
import { alwaysOpen, SESSION } from './hours.ts'
import { type KeptHours, readMarketHours } from './hours-store.ts'
import { embeddedInstruments } from './instruments.ts'
import { findSymbol, quotesToPublish } from './store.ts'
import { type Market, pollQuotes } from './tasks.ts'
import { candles } from './testing-bars.ts'

// Friday 7 August 2026 and the Sunday evening after it, in New York.
const friday = (time: string) => Date.parse(`2026-08-07T${time}-04:00`)
const SUNDAY_EVENING = Date.parse('2026-08-09T20:00:00-04:00')

let database: TestDatabase
let nowMs: number
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(() => database.drop())

const open = (marketHours: KeptHours) =>
  openEmbeddedMarket(database.sql, {
    seed: 'test',
    marketClock: { nowMs: () => nowMs },
    instruments: embeddedInstruments,
    recordedFiles: [],
    marketHours,
    maxOrderNotionalWad: 10n ** 24n,
    maxFillDelaySteps: 0,
  })
const poll = (market: Market, timeMs: number) => {
  nowMs = timeMs
  return pollQuotes({ sql: database.sql, log: createLogger('silent') }, market)
}
const published = async () => (await quotesToPublish(database.sql)).find((quote) => quote.symbol === 'AAPL')
const barTimes = async () => (await candles(database.sql, {})).map((bar) => bar.timestamp * 1000)

it('stands still while it is closed: last prices with their times, said to be closed, and no bars', async () => {
  nowMs = friday('19:58:00')
  const market = await open('calendar')
  await poll(market, friday('19:59:59.500'))
  const last = await published()
  expect(last).toMatchObject({ session: SESSION.afterHours, sourceTimeMs: friday('19:59:59') })
  for (const timeMs of [friday('20:00:00'), friday('23:00:00'), SUNDAY_EVENING - 1]) {
    expect(await poll(market, timeMs)).toEqual([])
    expect(await published()).toEqual({ ...last, session: SESSION.closed })
  }
  expect(await barTimes()).toEqual([friday('19:59:00')])
  await poll(market, SUNDAY_EVENING)
  expect(await published()).toMatchObject({ session: SESSION.overnight, sourceTimeMs: SUNDAY_EVENING })
  expect(await barTimes()).toEqual([friday('19:59:00'), SUNDAY_EVENING])
  expect((await findSymbol(database.sql, 'AAPL'))?.quote).toMatchObject({ previousClose8: last?.price8 })
})

it('that first starts while it is closed has the prices it starts from, at the end of the last session, and no bars', async () => {
  nowMs = Date.parse('2026-08-08T12:00:00-04:00')
  await poll(await open('calendar'), nowMs)
  expect(await published()).toMatchObject({
    price8: 23_000_000_000n,
    session: SESSION.closed,
    sourceTimeMs: friday('19:59:59'),
  })
  for (const interval of INTERVALS) expect(await candles(database.sql, { interval })).toEqual([])
})

it('is said to be closed though its source does not answer, and stays so when the last seconds come late', async () => {
  nowMs = friday('19:58:00')
  const market = await open('calendar')
  await poll(market, friday('19:59:50'))
  const last = await published()
  const away = { ...market.source, latestQuotes: () => Promise.reject(new Error('the stream is away')) }
  await expect(poll({ ...market, source: away }, friday('19:59:59'))).rejects.toThrow('away')
  expect(await published()).toEqual({ ...last, session: SESSION.afterHours })
  await expect(poll({ ...market, source: away }, friday('20:00:00'))).rejects.toThrow('away')
  expect(await published()).toEqual({ ...last, session: SESSION.closed })
  await poll(market, friday('20:05:00'))
  expect(await published()).toMatchObject({ session: SESSION.closed, sourceTimeMs: friday('19:59:59') })
})

it('takes no quote that a source made while it was closed', async () => {
  nowMs = friday('19:00:00')
  const market = await open('calendar')
  const quote = { symbol: 'AAPL', price8: 1n, bid8: 1n, ask8: 1n, volumeWad: 0n, timeMs: friday('20:00:00') }
  const source = { ...market.source, latestQuotes: async () => [quote] }
  expect(await poll({ ...market, source }, friday('20:00:01'))).toEqual([])
  expect(await published()).toBeUndefined()
})

it('tells the other roles which hours it keeps', async () => {
  nowMs = friday('12:00:00')
  expect(await readMarketHours(database.sql)).toBe(alwaysOpen)
  await open('calendar')
  expect(await readMarketHours(database.sql)).toBe(usCalendar)
  await open('always')
  expect(await readMarketHours(database.sql)).toBe(alwaysOpen)
})
