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
  if (size > 200) throw new Error('no page is as large')
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

/** What a loop as in ccxt's manual finds: it goes on from the time of the last one that it was told, or `after` it in milliseconds. */
async function walked(read: Read, after = 0, timeOf = 'timestamp'): Promise<unknown[]> {
  const found = new Set<unknown>()
  for (let since = ms(T); ; ) {
    const told = await read(since, 50)
    const news = told.filter(({ id }) => !found.has(id))
    if (news.length === 0) return [...found]
    for (const { id } of news) found.add(id)
    since = Number((told.at(-1) as Fields)[timeOf]) + after
  }
}

describe('records from a moment on', () => {
  const COUNT = 420

  /** A bot on a venue with rows in one of its lists. */
  function bot(product: 'stock' | 'perp', list: string, rows: readonly Fields[], second: string) {
    const file = product === 'stock' ? 'openapi.json' : 'perp-openapi.json'
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
  const fill = rowsOf('openapi.json', '/api/v1/users/{userId}/activities')
  const stockOrder = rowsOf('openapi.json', '/api/v1/orders')
  const execution = rowsOf('perp-openapi.json', '/v4/public/trader/execution/list')
  const ended = rowsOf('perp-openapi.json', '/v4/public/trader/order/history')
  const PERP = 'BTC/USDC:USDC'

  /** By what the venue has a record of a list in its place, and what a bot reads of them, each at its second. */
  const LISTS: Readonly<
    Record<string, (seconds: readonly number[]) => { readonly read: Read; readonly timeOf?: string }>
  > = {
    'fill of stocks': (seconds) => {
      const rows = seconds.map((timestamp, nth) => ({ ...fill, id: `${nth}`, timestamp }))
      const exchange = bot('stock', 'activities', rows, 'timestamp')
      return { read: (since, limit) => exchange.fetchMyTrades(STOCK, since, limit) }
    },
    'order of stocks, by its time on chain': (seconds) => {
      const rows = seconds.map((createdAt, nth) => ({
        ...stockOrder,
        orderId: `${nth}`,
        // Some wait for minutes until they are on chain.
        mapping: { ...(stockOrder.mapping as Fields), createdAt: createdAt - (nth % 300) },
        historyOrder: { ...(stockOrder.historyOrder as Fields), createdAt },
      }))
      const exchange = bot('stock', 'orders', rows, 'mapping.createdAt')
      return { read: (since, limit) => exchange.fetchOrders(STOCK, since, limit) }
    },
    'execution of perpetuals': (seconds) => {
      const rows = seconds.map((timestamp, nth) => ({ ...execution, id: `${nth}`, timestamp }))
      const exchange = bot('perp', 'execution/list', rows, 'timestamp')
      return { read: (since, limit) => exchange.fetchMyTrades(PERP, since, limit) }
    },
    'ended order of perpetuals': (seconds) => {
      const rows = seconds.map((fillTimestamp, nth) => ({
        ...ended,
        id: `${nth}`,
        placeTimestamp: fillTimestamp - 5,
        fillTimestamp,
      }))
      const exchange = bot('perp', 'order/history', rows, 'fillTimestamp')
      const read: Read = (since, limit) => exchange.fetchCanceledAndClosedOrders(PERP, since, limit)
      return { read, timeOf: 'lastUpdateTimestamp' }
    },
  }
  /** The second of the nth record, where the limit of the loop is 50. */
  const BURSTS: Readonly<Record<string, (nth: number) => number>> = {
    'one a second': (nth) => nth,
    'three a second': (nth) => Math.floor(nth / 3),
    'forty a second': (nth) => Math.floor(nth / 40),
    '120 in the first second': (nth) => Math.max(0, nth - 119),
    '120 in a later second': (nth) => nth - Math.max(0, Math.min(nth, 320) - 200),
  }
  const cases = Object.entries(LISTS).flatMap(([list, listOf]) =>
    Object.entries(BURSTS).map(([burst, secondOf]) => ({ list, burst, listOf, secondOf })),
  )

  it.each(cases)('have every $list, of which there are $burst', async ({ listOf, secondOf }) => {
    const { read, timeOf } = listOf(range(COUNT).map((nth) => T + secondOf(nth)))
    const ids = range(COUNT).map(String).toSorted()
    for (const after of [0, 1]) expect((await walked(read, after, timeOf)).toSorted()).toEqual(ids)
  })

  it('are the limit at most where no second has more', async () => {
    const rows = range(COUNT).map((nth) => ({ ...execution, id: `${nth}`, timestamp: T + nth }))
    const exchange = bot('perp', 'execution/list', rows, 'timestamp')
    const ids = async (since: number, limit: number) =>
      (await exchange.fetchMyTrades(PERP, since, limit)).map(({ id }) => id)
    expect(await ids(ms(T), 50)).toEqual(range(50).map(String))
    expect(await ids(ms(T) + 1, 1)).toEqual(['1'])
  })

  it('have each of several fills that one settlement has brought an order alike', async () => {
    const rows = range(3).map((nth) => ({ ...fill, id: `${fill.txHash}-${nth}`, timestamp: T }))
    const trades = await bot('stock', 'activities', rows, 'timestamp').fetchMyTrades(STOCK, ms(T))
    expect(trades.map(({ id }) => id)).toEqual([0, 1, 2].map((nth) => `${fill.txHash}-${nth}`))
  })

  /** Every hundredth was filled. */
  const rarelyFilled = (count: number) =>
    range(count).map((nth) => ({
      ...ended,
      id: `${nth}`,
      placeTimestamp: T + nth - 5,
      fillTimestamp: T + nth,
      typeString: nth % 100 === 99 ? 'filled' : 'cancelled',
    }))

  it('are of the status that is asked for, also where few have it', async () => {
    const exchange = bot('perp', 'order/history', rarelyFilled(COUNT), 'fillTimestamp')
    const closed: Read = (since, limit) => exchange.fetchClosedOrders(PERP, since, limit)
    expect(await walked(closed)).toEqual(['99', '199', '299', '399'])
  })

  it('are found without a moment too, where the newest are not what is asked for', async () => {
    const perp = bot('perp', 'order/history', rarelyFilled(COUNT), 'fillTimestamp')
    const closed = async (limit?: number) => (await perp.fetchClosedOrders(PERP, undefined, limit)).map(({ id }) => id)
    expect([await closed(1), await closed(3), await closed()]).toEqual([
      ['399'],
      ['199', '299', '399'],
      ['99', '199', '299', '399'],
    ])
    const kinds = range(COUNT).map((nth) => ({ ...execution, id: `${nth}`, timestamp: T + nth, txHash: `0x${nth}` }))
    const made = kinds.map((row, nth) => ({ ...row, typeString: nth === 0 ? 'market' : 'fill' }))
    const maker = bot('perp', 'execution/list', made, 'timestamp')
    expect((await maker.fetchClosedOrders(PERP, undefined, 1)).map(({ id }) => id)).toEqual(['0x0'])
    const symbols = range(COUNT).map((nth) => ({
      ...fill,
      id: `${nth}`,
      timestamp: T + nth,
      symbol: nth ? 'TSLA' : 'AAPL',
    }))
    const stock = bot('stock', 'activities', symbols, 'timestamp')
    expect((await stock.fetchMyTrades(STOCK, undefined, 1)).map(({ id }) => id)).toEqual(['0'])
  })

  describe('of stocks that ended', () => {
    const DAY = 86_400
    /** An order with the second of its placing and that of its end. */
    const order = (id: string, createdAt: number, settledAt: number, orderStatus = 'Filled') => ({
      ...stockOrder,
      orderId: id,
      orderStatus,
      mapping: { ...(stockOrder.mapping as Fields), createdAt },
      historyOrder: { ...(stockOrder.historyOrder as Fields), createdAt, settledAt },
    })
    const ids = (orders: readonly { readonly id?: unknown }[]) => orders.map(({ id }) => id)

    it.each(['fetchClosedOrders', 'fetchCanceledOrders'] as const)(
      'have every one of %s by its end, however long it rested',
      async (method) => {
        // Of these the first ends last, and some were placed days before the moment.
        const rows = range(COUNT).map((nth) => order(`${nth}`, T + nth - 4 * DAY, T + 2 * COUNT - nth))
        const exchange = bot('stock', 'orders', rows, 'mapping.createdAt')
        const read: Read = (since, limit) => exchange[method](STOCK, since, limit)
        for (const after of [0, 1])
          expect((await walked(read, after, 'lastUpdateTimestamp')).toSorted()).toEqual(
            range(COUNT).map(String).toSorted(),
          )
      },
    )

    it('are those that ended from the moment on, in the order of their ends', async () => {
      const rows = [
        order('early', T - 900, T - 100),
        order('rested', T - 800, T + 1800),
        order('soon', T + 300, T + 310),
      ]
      const exchange = bot('stock', 'orders', rows, 'mapping.createdAt')
      expect(ids(await exchange.fetchClosedOrders(STOCK, ms(T)))).toEqual(['soon', 'rested'])
      expect(ids(await exchange.fetchClosedOrders(STOCK, ms(T), 1))).toEqual(['soon'])
      // All orders are in the order of their placing.
      expect(ids(await exchange.fetchOrders(STOCK, ms(T) - 900_000))).toEqual(['early', 'rested', 'soon'])
    })

    it('lack none that ended on a page that was read before another', async () => {
      const rows = range(150).map((nth) => order(`${nth}`, T + nth, T + 200 + nth))
      // After the first page the newest order ends, and then the oldest, which is on the second.
      const resting = [
        { row: rows.at(-1) as Fields, second: T + 500 },
        { row: rows.at(0) as Fields, second: T + 510 },
      ]
      const answers: Answers = ({ method, target }) => {
        const { pathname, searchParams } = new URL(`http://v${target}`)
        if (pathname !== '/api/v1/orders') return documented('openapi.json', method, pathname)
        const filled = rows.filter((one) => !resting.some(({ row }) => row === one))
        const data = pageOf(filled, searchParams, ({ mapping }) => Number((mapping as Fields).createdAt))
        for (const { row, second } of resting.splice(0))
          Object.assign(row.historyOrder as Fields, { settledAt: second })
        return { body: { code: 200, data } }
      }
      const { exchange } = offline(answers, {}, 'stock')
      const told = await exchange.fetchClosedOrders(STOCK, ms(T))
      expect(ids(told.slice(-2))).toEqual(['149', '0'])
      expect(told).toHaveLength(150)
    })

    it('may have rested as long as the bot says', async () => {
      const exchange = bot('stock', 'orders', [order('long', T - 20 * DAY, T)], 'mapping.createdAt')
      expect(ids(await exchange.fetchClosedOrders(STOCK, ms(T)))).toEqual([])
      exchange.options.orderLifeSeconds = 30 * DAY
      expect(ids(await exchange.fetchClosedOrders(STOCK, ms(T)))).toEqual(['long'])
    })
  })

  describe('of a venue that takes in two blocks after each answer', () => {
    const LAST = 60

    /** What loops find that go on from the last one's time, and right after it, until every block is there and was read. */
    async function followed(secondOf: (height: number) => number, read: 'orders' | 'trades', after: number) {
      let height = 0
      const heights = range(LAST).map((nth) => nth + 1)
      const rowsOf = {
        'order/history': heights.map((at) => ({ ...ended, id: `limit ${at}`, fillTimestamp: secondOf(at), at })),
        'execution/list': heights.map((at) => ({
          ...{ ...execution, id: `trade ${at}`, typeString: 'market' },
          ...{ timestamp: secondOf(at), txHash: `market ${at}`, at },
        })),
      }
      const { exchange } = offline(({ method, target }) => {
        const { pathname, searchParams } = new URL(`http://v${target}`)
        const path = pathname.split('/').slice(-2).join('/') as keyof typeof rowsOf
        if (!(path in rowsOf)) return documented('perp-openapi.json', method, pathname)
        const indexed = (rowsOf[path] as readonly (Fields & { readonly at: number })[]).filter(({ at }) => at <= height)
        const { rows } = pageOf(indexed, searchParams, ({ at }) => secondOf(at))
        const blockInfo = { height, timestamp: secondOf(height) }
        height += 2
        return { body: { code: 0, data: { list: rows, totalCount: rows.length }, blockInfo } }
      })
      const found: unknown[] = []
      for (let since = ms(T); height < LAST + 5; ) {
        const told =
          read === 'orders'
            ? await exchange.fetchCanceledAndClosedOrders(PERP, since)
            : await exchange.fetchMyTrades(PERP, since)
        found.push(...told.map(({ id }) => id))
        const last = told.at(-1) as Fields | undefined
        if (last) since = Number(last.lastUpdateTimestamp ?? last.timestamp) + after
      }
      return new Set(found)
    }
    const heights = range(LAST).map((nth) => nth + 1)
    const ORDERS = heights.flatMap((at) => [`limit ${at}`, `market ${at}`]).toSorted()

    it.each([0, 1])(
      'lack no order that ended before another which a second answer has, %i ms after the last',
      async (after) => {
        const found = await followed((height) => T + 2 * height, 'orders', after)
        expect([...found].toSorted()).toEqual(ORDERS)
      },
    )

    it.each([0, 1])('lack none where several blocks share a second, %i ms after the last', async (after) => {
      const shared = (height: number) => T + Math.floor(height / 3)
      const orders = await followed(shared, 'orders', after)
      expect([...orders].toSorted()).toEqual(ORDERS)
      const trades = await followed(shared, 'trades', after)
      expect([...trades].toSorted()).toEqual(heights.map((at) => `trade ${at}`).toSorted())
    })
  })

  it('of a maker are found without a look at all that was ever made', async () => {
    const rows = {
      ended: rarelyFilled(COUNT),
      executed: range(COUNT).map((nth) => ({ ...execution, id: `${nth}`, timestamp: T + nth, typeString: 'fill' })),
    }
    const { exchange, asked } = offline(({ method, target }) => {
      const { pathname, searchParams } = new URL(`http://v${target}`)
      const list = pathname.includes('execution/list')
        ? pageOf(rows.executed, searchParams, ({ timestamp }) => timestamp)
        : pageOf(rows.ended, searchParams, ({ fillTimestamp }) => fillTimestamp)
      return /history|list/.test(pathname)
        ? { body: { code: 0, data: { list: list.rows } } }
        : documented('perp-openapi.json', method, pathname)
    })
    expect(await exchange.fetchCanceledAndClosedOrders(PERP, undefined, 10)).toHaveLength(10)
    expect(asked.filter(({ target }) => /history|list/.test(target))).toHaveLength(2)
  })

  it('are as many as are asked for, also more than a page has, and a page of a bot that asks for it', async () => {
    const rows = range(COUNT).map((nth) => ({ ...execution, id: `${nth}`, timestamp: T + nth }))
    const exchange = bot('perp', 'execution/list', rows, 'timestamp')
    const ids = async (limit?: number, params = {}) =>
      (await exchange.fetchMyTrades(PERP, undefined, limit, params)).map(({ id }) => Number(id))
    expect(await ids(300)).toEqual(range(300).map((nth) => COUNT - 300 + nth))
    expect(await ids()).toEqual(range(50).map((nth) => COUNT - 50 + nth))
    expect(await ids(10, { page: 2 })).toEqual(range(10).map((nth) => COUNT - 20 + nth))
    expect(await ids(undefined, { size: 7 })).toEqual(range(7).map((nth) => COUNT - 7 + nth))
  })
})
