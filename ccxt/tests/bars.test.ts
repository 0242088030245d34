import { describe, expect, it } from 'vitest'
import { type Answers, documented, offline } from './exchange.ts'

// Candles and funding from a moment on, of a venue that gives the newest of a range.

const STOCK = 'AAPL/USD'
const PERP = 'BTC/USDC:USDC'
const ms = (second: number) => second * 1000
const range = (count: number) => Array.from({ length: count }, (_, nth) => nth)

describe('bars from a moment on', () => {
  const FRIDAY = Date.parse('2024-09-20T20:00:00Z') / 1000
  const WEEKEND = 2 * 86_400

  /** Bots on a venue with these bars, by their second; of perpetuals a range begins with the bar that holds its first second. */
  function bots(seconds: readonly number[]) {
    const answers: Answers = ({ method, target }) => {
      const { pathname, searchParams: query } = new URL(`http://v${target}`)
      const first = Number(query.get('startTime') ?? query.get('start') ?? 0)
      const last = Number(query.get('endTime') ?? query.get('end'))
      const isPerp = pathname.startsWith('/v4')
      const from = (isPerp && seconds.findLast((second) => second <= first)) || first
      const fitting = seconds.filter((second) => second >= from && second <= last).slice(-Number(query.get('limit')))
      const bar = { open: 1, high: 1, low: 1, close: 1, volume: 1, baseVolume: 1, long: '0' }
      const data = fitting.map((second) => ({ ...bar, timestamp: second, openTime: second }))
      if (/prices\/AAPL\/history/.test(pathname)) return { body: { code: 200, data } }
      if (/kline|funding/.test(pathname)) return { body: { code: 0, data } }
      return documented(isPerp ? 'perp-openapi.json' : 'openapi.json', method, pathname)
    }
    const { exchange: perp, asked } = offline(answers)
    return { stock: offline(answers, {}, 'stock').exchange, perp, asked }
  }
  const minutes = (from: number, count: number) => range(count).map((nth) => from + nth * 60)
  const times = (bars: readonly (readonly unknown[])[]) => bars.map(([time]) => Number(time) / 1000)

  it('are those after a weekend where the market is closed', async () => {
    const monday = minutes(FRIDAY + WEEKEND, 300)
    const { stock } = bots(monday)
    expect(times(await stock.fetchOHLCV(STOCK, '1m', ms(FRIDAY), 100))).toEqual(monday.slice(0, 100))
    expect(times(await stock.fetchOHLCV(STOCK, '1m', ms(FRIDAY), 1))).toEqual(monday.slice(0, 1))
  })

  it('have no hole after it where more than an answer holds follow', async () => {
    const recorded = [...minutes(FRIDAY - 6000, 100), ...minutes(FRIDAY + WEEKEND, 12_000)]
    const { stock } = bots(recorded)
    expect(times(await stock.fetchOHLCV(STOCK, '1m', ms(FRIDAY - 6000)))).toEqual(recorded.slice(0, 5000))
    const early = Date.parse('2001-01-01T00:00:00Z')
    expect(times(await stock.fetchOHLCV(STOCK, '1m', early, 200))).toEqual(recorded.slice(0, 200))
  })

  it('are none where the market has none any more', async () => {
    const { stock } = bots(minutes(FRIDAY, 10))
    expect(await stock.fetchOHLCV(STOCK, '1m', ms(FRIDAY + 6000), 100)).toEqual([])
  })

  const EARLY = Date.parse('2001-01-01T00:00:00Z') / 1000
  const HOURS = range(5000).map((nth) => FRIDAY - (5000 - nth) * 3600)
  const MONTHS = range(120).map((nth) => Date.UTC(2014, nth, 1) / 1000)
  const SINCE = {
    'the first one': (bars: readonly number[]) => Number(bars[0]),
    'long before the first one': () => EARLY,
    'a second after one': (bars: readonly number[]) => Number(bars[7]) + 1,
    'a second before one': (bars: readonly number[]) => Number(bars[7]) - 1,
  }
  const cases = Object.entries(SINCE).flatMap(([name, since]) => [1, 2, 100].map((limit) => ({ name, limit, since })))

  it.each(cases)('of perpetuals are $limit where there are more, from $name on', async ({ limit, since }) => {
    for (const [timeframe, all] of [
      ['1h', HOURS],
      ['1M', MONTHS],
    ] as const) {
      const { perp, asked } = bots(all)
      const wanted = all.filter((second) => second >= since(all)).slice(0, limit)
      expect(times(await perp.fetchOHLCV(PERP, timeframe, ms(since(all)), limit))).toEqual(wanted)
      expect(asked.length).toBeLessThan(30)
    }
    const { perp } = bots(HOURS)
    const rates = await perp.fetchFundingRateHistory(PERP, ms(since(HOURS)), limit)
    const wanted = HOURS.filter((second) => second >= since(HOURS)).slice(0, limit)
    expect(rates.map(({ timestamp }) => Number(timestamp) / 1000)).toEqual(wanted)
  })

  it('of perpetuals are as many as an answer holds, and end where a bot wants it', async () => {
    const { perp } = bots(HOURS)
    const since = Number(HOURS[0]) + 1
    expect(times(await perp.fetchOHLCV(PERP, '1h', ms(since)))).toEqual(HOURS.slice(1, 1001))
    const rates = await perp.fetchFundingRateHistory(PERP, ms(since))
    expect(rates.map(({ timestamp }) => Number(timestamp) / 1000)).toEqual(HOURS.slice(1, 201))
    const few = await perp.fetchOHLCV(PERP, '1h', ms(since), 100, { end: HOURS[9] })
    expect(times(few)).toEqual(HOURS.slice(1, 10))
    const end = { endTime: HOURS[9] }
    expect(await perp.fetchFundingRateHistory(PERP, ms(since), 100, end)).toHaveLength(9)
  })
})
