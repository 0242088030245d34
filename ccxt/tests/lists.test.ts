import { describe, expect, it } from 'vitest'
import { type Answers, documented, offline } from './exchange.ts'

// Lists of a venue that goes on between two questions, longer than a page: what a bot is told of them.

type Fields = Readonly<Record<string, unknown>>

const STOCK = 'AAPL/USD'
const T = 1_790_000_000
const ms = (second: number) => second * 1000
const range = (count: number) => Array.from({ length: count }, (_, nth) => nth)

/** A page as the venue gives it of rows, newest first. */
function pageOf<Row>(rows: readonly Row[], query: URLSearchParams, secondOf: (row: Row) => number) {
  const [start, end] = [Number(query.get('startTime') ?? 0), Number(query.get('endTime') ?? 9e9)]
  const fitting = rows.filter((row) => secondOf(row) >= start && secondOf(row) <= end)
  const size = Number(query.get('limit') ?? query.get('size') ?? 50)
  const offset = (Number(query.get('page') ?? 1) - 1) * size
  return {
    total: fitting.length,
    rows: fitting.toSorted((a, b) => secondOf(b) - secondOf(a)).slice(offset, offset + size),
  }
}

describe('open orders of stocks', () => {
  interface Placed {
    readonly id: string
    readonly recordedSec: number
    status: string
  }

  const [example] = (documented('openapi.json', 'GET', '/api/v1/orders').body as { data: { rows: Fields[] } }).data.rows

  const view = ({ id, recordedSec, status }: Placed) => ({
    ...example,
    orderId: id,
    orderStatus: status,
    mapping: { ...(example?.mapping as Fields), createdAt: recordedSec },
    historyOrder: { ...(example?.historyOrder as Fields), createdAt: recordedSec },
  })

  /** A bot on a venue of these orders, of which something becomes after each answer. */
  function bot(orders: readonly Placed[], after: (questions: number) => void = () => {}) {
    let questions = 0
    const answers: Answers = ({ method, target }) => {
      const { pathname, searchParams } = new URL(`http://v${target}`)
      if (pathname !== '/api/v1/orders') return documented('openapi.json', method, pathname)
      const fitting = orders.filter(({ status }) => status === searchParams.get('status'))
      const { total, rows } = pageOf(fitting, searchParams, ({ recordedSec }) => recordedSec)
      const data = { total, rows: rows.map(view) }
      after(++questions)
      return { body: { code: 200, errMsg: '', data } }
    }
    return offline(answers, {}, 'stock').exchange
  }

  const resting = (count: number, perSecond = 1): Placed[] =>
    range(count).map((nth) => ({ id: `0x${nth}`, recordedSec: T + Math.floor(nth / perSecond), status: 'New' }))
  const ids = (orders: readonly { readonly id?: unknown }[]) => orders.map(({ id }) => id).toSorted()

  it('are all told, however many', async () => {
    const orders = resting(230)
    const told = await bot(orders).fetchOpenOrders(STOCK)
    expect(ids(told)).toEqual(ids(orders))
    expect(ids(await bot(orders).fetchOpenOrders(STOCK, undefined, 2))).toEqual(['0x228', '0x229'])
  })

  it('are all told where many came in one second', async () => {
    const orders = resting(230, 1000)
    expect(ids(await bot(orders).fetchOpenOrders(STOCK))).toEqual(ids(orders))
  })

  it('are told once, and not left out, while they go from one status to the next', async () => {
    for (const moment of [1, 2]) {
      const [order] = resting(1) as [Placed]
      const told = await bot([order], (questions) => {
        if (questions === moment) order.status = 'Partial filled'
      }).fetchOpenOrders(STOCK)
      expect(told.map(({ id, status }) => [id, status])).toEqual([['0x0', 'open']])
    }
  })

  it('are not left out since one on the page before has ended', async () => {
    const orders = resting(150)
    const told = await bot(orders, (questions) => {
      // The second question is the first one for the status New.
      if (questions === 2) for (const order of orders.slice(-5)) order.status = 'Filled'
    }).fetchOpenOrders(STOCK)
    expect(ids(told)).toEqual(expect.arrayContaining(ids(orders.slice(0, -5))))
  })
})

type Read = (
  since: number,
  limit: number,
) => Promise<readonly { readonly id?: unknown; readonly timestamp?: unknown }[]>

/** What a loop as in ccxt's manual finds: it goes on from the time of the last one that it was told. */
async function walked(read: Read): Promise<unknown[]> {
  const found = new Set<unknown>()
  for (let since = ms(T); ; ) {
    const told = await read(since, 50)
    const news = told.filter(({ id }) => !found.has(id))
    if (news.length === 0) return [...found]
    for (const { id } of news) found.add(id)
    since = Number(told.at(-1)?.timestamp)
  }
}

describe('records from a moment on', () => {
  const COUNT = 420

  /** A bot on a venue with rows in one of its lists. */
  function bot(
    product: 'stock' | 'perp',
    list: string,
    rowOf: (nth: number) => Fields,
    second: string,
    count: number = COUNT,
  ) {
    const file = product === 'stock' ? 'openapi.json' : 'perp-openapi.json'
    const rows = range(count).map(rowOf)
    const secondOf = (row: Fields) => Number(second.split('.').reduce<unknown>((at, name) => (at as Fields)[name], row))
    const answers: Answers = ({ method, target }) => {
      const { pathname, searchParams } = new URL(`http://v${target}`)
      const path = pathname.replace(/users\/\w+/, 'users/{userId}')
      const page = path.endsWith(list) ? pageOf(rows, searchParams, secondOf) : { total: 0, rows: [] }
      if (/orders|activities/.test(path)) return { body: { code: 200, data: page } }
      if (/order\/history|execution\/list/.test(path)) return { body: { code: 0, data: { list: page.rows } } }
      return documented(file, method, path)
    }
    return offline(answers, {}, product).exchange
  }
  const rowsOf = (file: 'openapi.json' | 'perp-openapi.json', path: string): Fields => {
    const { data } = documented(file, 'GET', path).body as { data: { rows?: Fields[]; list?: Fields[] } }
    return (data.rows ?? data.list)?.[0] as Fields
  }
  const all = expect.objectContaining({ length: COUNT })

  it('have every fill of stocks', async () => {
    const fill = rowsOf('openapi.json', '/api/v1/users/{userId}/activities')
    const exchange = bot(
      'stock',
      'activities',
      (nth) => ({ ...fill, id: `0x${nth}-0`, txHash: `0x${nth}`, timestamp: T + nth }),
      'timestamp',
    )
    expect(await walked((since, limit) => exchange.fetchMyTrades(STOCK, since, limit))).toEqual(all)
  })

  it('have each of several fills that one settlement has brought an order alike', async () => {
    const fill = rowsOf('openapi.json', '/api/v1/users/{userId}/activities')
    const row = (nth: number) => ({ ...fill, id: `${fill.txHash}-${nth}`, timestamp: T })
    const trades = await bot('stock', 'activities', row, 'timestamp', 3).fetchMyTrades(STOCK, ms(T))
    expect(trades.map(({ id }) => id)).toEqual([0, 1, 2].map((nth) => `${fill.txHash}-${nth}`))
  })

  it('have every order of stocks, by its time on chain', async () => {
    const order = rowsOf('openapi.json', '/api/v1/orders')
    const view = (nth: number) => ({
      ...order,
      orderId: `0x${nth}`,
      // Some wait for minutes until they are on chain.
      mapping: { ...(order.mapping as Fields), createdAt: T + nth - (nth % 300) },
      historyOrder: { ...(order.historyOrder as Fields), createdAt: T + nth },
    })
    const exchange = bot('stock', 'orders', view, 'mapping.createdAt')
    expect(await walked((since, limit) => exchange.fetchOrders(STOCK, since, limit))).toEqual(all)
  })

  it('have every execution of perpetuals', async () => {
    const execution = rowsOf('perp-openapi.json', '/v4/public/trader/execution/list')
    const row = (nth: number) => ({ ...execution, id: `${nth}`, timestamp: T + nth })
    const exchange = bot('perp', 'execution/list', row, 'timestamp')
    expect(await walked((since, limit) => exchange.fetchMyTrades('BTC/USDC:USDC', since, limit))).toEqual(all)
  })

  it('have every ended order of perpetuals, also where few have the status that is asked for', async () => {
    const ended = rowsOf('perp-openapi.json', '/v4/public/trader/order/history')
    const row = (nth: number) => ({
      ...ended,
      id: `${nth}`,
      placeTimestamp: T + nth - 5,
      fillTimestamp: T + nth,
      typeString: nth % 100 === 99 ? 'filled' : 'cancelled',
    })
    const exchange = bot('perp', 'order/history', row, 'fillTimestamp')
    const read: Read = (since, limit) => exchange.fetchCanceledAndClosedOrders('BTC/USDC:USDC', since, limit)
    expect(await walked(read)).toEqual(all)
    const closed: Read = (since, limit) => exchange.fetchClosedOrders('BTC/USDC:USDC', since, limit)
    expect(await walked(closed)).toEqual(['99', '199', '299', '399'])
  })
})

describe('bars from a moment on', () => {
  const FRIDAY = Date.parse('2024-09-20T20:00:00Z') / 1000
  const WEEKEND = 2 * 86_400

  /** Bots on a venue with these bars, by their second. */
  function bots(seconds: readonly number[]) {
    const answers: Answers = ({ method, target }) => {
      const { pathname, searchParams: query } = new URL(`http://v${target}`)
      const first = Number(query.get('startTime') ?? query.get('start') ?? 0)
      const last = Number(query.get('endTime') ?? query.get('end'))
      const fitting = seconds.filter((second) => second >= first && second <= last).slice(-Number(query.get('limit')))
      const bar = { open: 1, high: 1, low: 1, close: 1, volume: 1, baseVolume: 1, long: '0' }
      const data = fitting.map((second) => ({ ...bar, timestamp: second, openTime: second }))
      if (/prices\/AAPL\/history/.test(pathname)) return { body: { code: 200, data } }
      if (/kline|funding/.test(pathname)) return { body: { code: 0, data } }
      return documented(pathname.startsWith('/v4') ? 'perp-openapi.json' : 'openapi.json', method, pathname)
    }
    return { stock: offline(answers, {}, 'stock').exchange, perp: offline(answers).exchange }
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

  it('of perpetuals begin with the first one, as funding does', async () => {
    const { perp } = bots(range(5000).map((nth) => FRIDAY - (5000 - nth) * 3600))
    const first = FRIDAY - 5000 * 3600
    const early = Date.parse('2001-01-01T00:00:00Z')
    const symbol = 'BTC/USDC:USDC'
    expect(times(await perp.fetchOHLCV(symbol, '1h', early, 10))[0]).toBe(first)
    const rates = await perp.fetchFundingRateHistory(symbol, ms(first))
    expect(rates.map(({ timestamp }) => timestamp)).toEqual(range(200).map((nth) => ms(first + nth * 3600)))
  })
})
