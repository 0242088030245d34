import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Venue } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import type { Scheme } from '../../http/scheme.ts'
import { createServer } from '../../http/server.ts'
import { TEST_STREAMS } from '../../http/testing.ts'
import { AppError } from '../../lib/errors.ts'
import { createLogger } from '../../lib/logger.ts'
import { replaceCorporateActions } from '../../market/corporate-action-store.ts'
import { alwaysOpen } from '../../market/hours.ts'
import { saveMarketHours } from '../../market/hours-store.ts'
import { ensurePartitions, MINUTE_BARS } from '../../market/partitions.ts'
import { pollQuotes } from '../../market/tasks.ts'
import { stockEnvelope } from '../envelope.ts'
import { stockReasons } from '../reasons.ts'
import { stockReference } from '../reference.ts'
import { AAPL } from '../testing/chain.ts'
import { testContext } from '../testing/context.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'
import { stockRoutes } from './register.ts'

const MINUTE_MS = 60_000
const START_SEC = START_MS / 1000

let world: KeeperWorld
let app: FastifyInstance
beforeEach(async () => {
  world = await KeeperWorld.open()
  app = await serve(world.venue)
})
afterEach(async () => {
  await app.close()
  await world.drop()
})

/** Lets in whoever names a key. */
const scheme: Scheme = {
  async authenticate({ headers }) {
    if (headers['x-api-key'] === undefined) throw new AppError(unauthenticated, 'Unauthorized')
    return { keyId: 'test', access: 'WRITABLE', userAddress: null }
  },
}
const unauthenticated = { ...stockReasons.market_not_regular, kind: 'unauthenticated' as const }

const serve = (venue: Venue) =>
  createServer({
    mounts: [
      {
        name: 'stock',
        prefix: '/stock',
        owns: [{ path: '/api/v1', unknown: 'key' }],
        envelope: stockEnvelope,
        scheme,
        routes: stockRoutes(testContext(venue)),
        reference: stockReference(31_337, 'Bourse'),
      },
    ],
    venue,
    rateLimiter: memoryRateLimiter({ limit: 1_000_000, windowMs: MINUTE_MS }, venue.clock),
    trustedProxies: [],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
    streams: TEST_STREAMS,
  })

async function get(path: string, headers: Record<string, string> = { 'x-api-key': 'k' }) {
  const { statusCode, payload } = await app.inject({ method: 'GET', url: `/stock/api/v1${path}`, headers })
  return { status: statusCode, text: payload, ...JSON.parse(payload) }
}

/** Trades of AAPL, a minute apart, in dollars. */
async function trade(...dollars: number[]): Promise<void> {
  for (const [i, price] of dollars.entries()) {
    const price8 = BigInt(price) * 100_000_000n
    const quote = { symbol: 'AAPL', price8, bid8: price8, ask8: price8, timeMs: START_MS + i * MINUTE_MS }
    const latestQuotes = async () => [{ ...quote, volumeWad: BigInt(i) * 10n ** 17n }]
    const source = { name: 'test', symbols: () => [], latestQuotes }
    world.nowMs = quote.timeMs
    const market = { source, clock: world.venue.clock, hours: alwaysOpen }
    await pollQuotes({ sql: world.sql, log: createLogger('silent') }, market)
  }
}

const FAR = 4_000_000_000
const bar = (minute: number, price: number, volume: number) => ({
  open: price,
  high: price,
  low: price,
  close: price,
  volume,
  timestamp: START_SEC + minute * 60,
})

describe('GET /prices/{symbol}/history', () => {
  it('answers bars oldest first, found by ticker, token symbol or address', async () => {
    await trade(230, 231, 232)
    for (const name of ['AAPL', 'aapl', 'aAAPL', AAPL]) {
      expect(await get(`/prices/${name}/history?endTime=${FAR}&interval=1m`)).toMatchObject({
        status: 200,
        code: 200,
        errMsg: '',
        data: [bar(0, 230, 0), bar(1, 231, 0.1), bar(2, 232, 0.1)],
      })
    }
  })

  it.each(['1m', '3m', '5m', '15m', '1h', '1d', '1w'])('knows the interval %s', async (interval) => {
    await trade(230, 229, 234, 233)
    const { data } = await get(`/prices/AAPL/history?endTime=${FAR}&interval=${interval}&limit=1`)
    expect(data).toMatchObject([{ close: 233 }])
    expect(Object.keys(data[0])).toEqual(['open', 'high', 'low', 'close', 'volume', 'timestamp'])
  })

  it('takes the range and the newest bars of it, 100 unless told otherwise and 5,000 at most', async () => {
    await ensurePartitions(world.sql, MINUTE_BARS, [START_MS, START_MS - 5500 * MINUTE_MS])
    await world.sql`
      insert into market_minute_bars (symbol, start_time, open_price8, high_price8, low_price8, close_price8, volume_wad,
        volume_total_wad)
      select 'AAPL', ${new Date(START_MS)}::timestamptz - i * interval '1 minute', 1, 1, 1, 1, 0, 0
      from generate_series(0, 5500) i`
    const length = async (query: string) =>
      (await get(`/prices/AAPL/history?endTime=${START_SEC}&interval=1m${query}`)).data.length
    expect(await length('')).toBe(100)
    expect([await length('&limit=0'), await length('&limit=-5'), await length('&limit=7')]).toEqual([100, 100, 7])
    expect(await length('&limit=999999')).toBe(5000)
    expect(await length(`&startTime=${START_SEC - 240}`)).toBe(5)
    expect(await length(`&startTime=${START_SEC}`)).toBe(1)
  })

  it('adjusts for everything unless told otherwise, and prints what is too fine for a float', async () => {
    await trade(400)
    const none = { recordDate: null, payableDate: null }
    await world.sql.begin((tx) =>
      replaceCorporateActions(tx, [
        {
          symbol: 'AAPL',
          type: 'split',
          exDate: '2026-08-04',
          ...none,
          ratioFrom8: 3n,
          ratioTo8: 1_000_000_000n,
          cashAmount8: null,
        },
      ]),
    )
    await world.sql`update market_minute_bars set volume_wad = 123456789012345678901234567891`
    world.nowMs += 86_400_000
    const answer = await get(`/prices/AAPL/history?endTime=${FAR}&interval=1m`)
    expect(answer.text).toContain('[{"open":0.0000012,')
    const raw = await get(`/prices/AAPL/history?endTime=${FAR}&interval=1m&adjustment=raw`)
    expect(raw.text).toContain('"close":400,"volume":123456789012.345678901234567891,')
    expect((await get(`/prices/AAPL/history?endTime=${FAR}&interval=1m&adjustment=dividend`)).data).toEqual(raw.data)
  })

  it('is empty where nothing was recorded', async () => {
    expect(await get(`/prices/MSFT/history?endTime=${FAR}&interval=1d`)).toMatchObject({ status: 200, data: [] })
  })

  it.each([
    ['interval=1m', 'endTime is required'],
    [`endTime=${FAR}`, 'interval is required'],
    [`endTime=${FAR}&interval=2m`, 'interval must be one of 1m, 3m, 5m, 15m, 1h, 1d, 1w, got "2m"'],
    [`endTime=${FAR}&interval=1M`, 'interval must be one of'],
    ['endTime=1.5&interval=1m', 'endTime must be a Unix time in seconds, got "1.5"'],
    ['endTime=1700000000000&interval=1m', 'endTime must be a Unix time in seconds'],
    ['endTime=now&interval=1m', 'endTime must be a Unix time in seconds'],
    [`endTime=${FAR}&interval=1m&limit=many`, 'limit must be an integer'],
    [`endTime=${FAR}&interval=1m&adjustment=splits`, 'adjustment must be one of raw, split, dividend, spin-off, all'],
    ['endTime=5&startTime=6&interval=1m', 'startTime must not be after endTime, got 6 and 5'],
    [`endTime=${FAR}&interval=1m&from=1`, 'unknown parameter from'],
  ])('refuses ?%s', async (query, message) => {
    const answer = await get(`/prices/AAPL/history?${query}`)
    expect(answer).toMatchObject({ status: 400, code: 10_000 })
    expect(answer.errMsg).toContain(message)
  })
})

describe('GET /underlying/{symbol}/price', () => {
  it('answers the quote as GET /prices/{symbol} has it', async () => {
    await trade(230, 231)
    const { data } = await get('/underlying/aapl/price')
    expect(data).toMatchObject({ symbol: 'AAPL', name: 'Apple Inc.', price: 231, open: 230, high: 231, prevClose: 230 })
    expect(data.unit).toBe('share')
    expect((await get('/prices/AAPL')).data.basicInfo).toEqual({ ...data, unit: 'token' })
  })
})

describe('GET /corporate-action', () => {
  const dates = { recordDate: null, payableDate: null }
  beforeEach(() =>
    world.sql.begin((tx) =>
      replaceCorporateActions(tx, [
        {
          symbol: 'AAPL',
          type: 'split',
          exDate: '2020-08-31',
          recordDate: '2020-08-24',
          payableDate: '2020-08-28',
          ratioFrom8: 100_000_000n,
          ratioTo8: 400_000_000n,
          cashAmount8: null,
        },
        {
          symbol: 'MSFT',
          type: 'dividend',
          exDate: '2020-08-19',
          ...dates,
          ratioFrom8: null,
          ratioTo8: null,
          cashAmount8: 51_000_001n,
        },
      ]),
    ),
  )
  const split = {
    symbol: 'AAPL',
    type: 'split',
    exDate: '2020-08-31',
    recordDate: '2020-08-24',
    payableDate: '2020-08-28',
    ratioFrom: 1,
    ratioTo: 4,
    cashAmount: null,
  }
  const dividend = {
    symbol: 'MSFT',
    type: 'dividend',
    exDate: '2020-08-19',
    ...dates,
    ratioFrom: null,
    ratioTo: null,
    cashAmount: 0.51000001,
  }

  it('lists all by ex-date, those of a symbol, and those of a time', async () => {
    expect(await get('/corporate-action')).toMatchObject({ status: 200, code: 200, data: [dividend, split] })
    expect((await get('/corporate-action?symbol=aAAPL')).data).toEqual([split])
    expect((await get(`/corporate-action?startTime=${Date.UTC(2020, 7, 20) / 1000}`)).data).toEqual([split])
    expect((await get(`/corporate-action?endTime=${Date.UTC(2020, 7, 20) / 1000}`)).data).toEqual([dividend])
    expect((await get('/corporate-action?symbol=TSLA')).data).toEqual([])
  })

  it.each([
    ['startTime=6&endTime=5', 'startTime must not be after endTime'],
    ['startTime=today', 'startTime must be a Unix time in seconds'],
    ['symbol=', 'symbol must be at least 1 characters long'],
    ['page=1', 'unknown parameter page'],
  ])('refuses ?%s', async (query, message) => {
    const answer = await get(`/corporate-action?${query}`)
    expect(answer).toMatchObject({ status: 400, code: 10_000 })
    expect(answer.errMsg).toContain(message)
  })
})

describe('each of them', () => {
  const paths = [
    `/prices/NOPE/history?endTime=${FAR}&interval=1m`,
    '/underlying/NOPE/price',
    '/corporate-action?symbol=NOPE',
  ]
  it.each(paths)('%s does not know a symbol that is not listed', async (path) => {
    expect(await get(path)).toMatchObject({ status: 400, code: 10_001, errMsg: 'there is no symbol NOPE' })
  })

  it.each(paths)('%s needs a key', async (path) => {
    expect(await get(path, {})).toMatchObject({ status: 400, code: 401 })
  })

  it.each(paths)('%s waits until the contracts are indexed', async (path) => {
    await app.close()
    app = await serve({ ...world.venue, deployment: { ...world.venue.deployment, chainId: 1 } })
    expect(await get(path)).toMatchObject({ status: 503, code: 500 })
  })
})

describe('POST /orders/calldata', () => {
  async function place(nowMs: number, fields: Record<string, unknown> = {}) {
    world.nowMs = nowMs
    const deadline = nowMs / 1000 + 60
    const { statusCode, payload, headers } = await app.inject({
      method: 'POST',
      url: '/stock/api/v1/orders/calldata',
      headers: { 'x-api-key': 'k', 'content-type': 'application/json' },
      payload: JSON.stringify({ stockAddress: AAPL, side: 'Buy', type: 'Market', notional: '10', deadline, ...fields }),
    })
    return { status: statusCode, reason: headers['x-error-reason'], ...JSON.parse(payload) }
  }
  const friday = (time: string) => Date.parse(`2026-08-07T${time}-04:00`)

  it('takes a market order at any time while the market never closes', async () => {
    expect(await place(friday('21:00:00'))).toMatchObject({ status: 200, data: { method: 'placeMarketOrder' } })
  })

  it('refuses a market order outside the regular session of a market that keeps the calendar', async () => {
    await world.sql.begin((tx) => saveMarketHours(tx, 'calendar'))
    expect(await place(friday('15:59:59'))).toMatchObject({ status: 200 })
    expect(await place(friday('16:00:00'))).toMatchObject({
      status: 400,
      code: 10_000,
      reason: 'market_not_regular',
      errMsg: 'market orders are taken in the regular session only; the next one begins at 2026-08-10T13:30:00Z',
    })
    // What is wrong with the order itself is said first.
    expect(await place(friday('16:00:00'), { notional: undefined })).toMatchObject({ reason: 'notional_missing' })
  })
})
