import { describe, expect, it } from 'vitest'
import { type Answers, documented, offline } from './exchange.ts'

// Lists of a venue that goes on between two questions, longer than a page: what a bot is told of them.

type Fields = Readonly<Record<string, unknown>>

const STOCK = 'AAPL/USD'
const T = 1_790_000_000
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
