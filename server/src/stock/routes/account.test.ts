import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { saveMarketHours } from '../../market/hours-store.ts'
import { ORDER_STATUSES } from '../orders/orders.ts'
import { ScriptedNode, serveApi } from '../testing/api.ts'
import {
  ALICE,
  BOB,
  cancelRequested,
  cancelSettled,
  closed,
  deposited,
  filled,
  limitFilled,
  MSFT,
  placed,
  placedLimit,
  randomHash,
  stockDeposited,
  withdrawalQueued,
} from '../testing/chain.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'
import { recordLimitOrder, recordOrder } from '../testing/orders.ts'

// What a key sees of its orders by filters, of the market's time, and of an account; and the cancel of all its orders.

let world: KeeperWorld
let api: Awaited<ReturnType<typeof serveApi>>
beforeEach(async () => {
  world = await KeeperWorld.open()
  api = await serveApi({ ...world.venue, rpc: new ScriptedNode() })
})
afterEach(async () => {
  await api.close()
  await world.drop()
})

const ok = async (answer: ReturnType<typeof api.get>) => {
  const { code, errMsg, data } = await answer
  expect([code, errMsg]).toEqual([200, ''])
  return data
}
const idsOf = (rows: { orderId: Hex | null }[]) => rows.map(({ orderId }) => orderId)

/** One order of every status, and of both sides and two stocks. */
async function everyStatus(): Promise<void> {
  const order = (...more: Parameters<typeof placedLimit>[0][]) => more.map(placedLimit)
  const limit = async (after: (orderId: Hex) => ReturnType<typeof cancelSettled>, quantity = 2n * WAD) => {
    const orderId = randomHash()
    await recordOrder({ world, api }, ...order({ orderId, quantity, price: 9n * WAD }), ...after(orderId))
  }
  const part = (orderId: Hex) => limitFilled({ orderId, quantity: WAD, price: 9n * WAD })
  await limit(() => [])
  await limit(() => [], -WAD)
  await limit((orderId) => [part(orderId)])
  await limit((orderId) => [part(orderId), closed(orderId, 'filled')])
  await limit((orderId) => [part(orderId), closed(orderId, 'partiallyFilled', 0n, 5)])
  await limit((orderId) => [part(orderId), closed(orderId, 'partiallyFilled', 0n, 0)])
  await limit((orderId) => [part(orderId), closed(orderId, 'partiallyFilled', 0n, 2)])
  await limit((orderId) => [part(orderId), closed(orderId, 'partiallyFilled', 0n, 3)])
  await limit((orderId) => cancelSettled(orderId, 'expired', 0n, 3))
  await limit((orderId) => cancelSettled(orderId, 'canceled'))
  await limit((orderId) => cancelSettled(orderId, 'rejected', 0n, 1))
  await limit((orderId) => [closed(orderId, 'takenBack')])
  await recordOrder({ world, api }, placed({ orderId: randomHash(), amount: WAD, stockToken: MSFT }))
  const expired = randomHash()
  await recordOrder({ world, api }, placed({ orderId: expired, amount: WAD }), closed(expired, 'rejected', 0n, 3))
  const failed = randomHash()
  await ok(api.post('/orders/tx', { txHash: failed }))
  await world.chain.block({ hash: failed, succeeded: false })
  await ok(api.post('/orders/tx', { txHash: randomHash() }))
}

describe('GET /orders with filters', () => {
  it('has each order under its own status, and under no other', async () => {
    await everyStatus()
    const { rows, total } = await ok(api.get('/orders?limit=100'))
    const seen = new Set(rows.map(({ orderStatus }: { orderStatus: string }) => orderStatus))
    expect([...ORDER_STATUSES].filter((status) => !seen.has(status))).toEqual([])
    let sum = 0
    for (const status of ORDER_STATUSES) {
      const page = await ok(api.get(`/orders?limit=100&status=${encodeURIComponent(status)}`))
      const expected = rows.filter((row: { orderStatus: string }) => row.orderStatus === status)
      expect([status, page]).toEqual([status, { total: expected.length, rows: expected }])
      sum += page.total
    }
    expect(sum).toBe(total)
  })

  it('narrows by side, symbol and time, in pages', async () => {
    await everyStatus()
    expect((await ok(api.get('/orders?side=Sell'))).total).toBe(1)
    expect(await ok(api.get('/orders?symbol=amsft'))).toMatchObject({ total: 1, rows: [{ orderStatus: 'Pending' }] })
    expect((await ok(api.get('/orders?symbol=META'))).total).toBe(0)
    const nowSec = Math.floor(Date.now() / 1000)
    const { total } = await ok(api.get('/orders'))
    expect((await ok(api.get(`/orders?startTime=${nowSec - 600}&endTime=${nowSec + 600}`))).total).toBe(total)
    expect((await ok(api.get(`/orders?endTime=${nowSec - 600}`))).total).toBe(0)
    const all = idsOf((await ok(api.get('/orders?side=Buy&limit=100'))).rows)
    const pages = [1, 2, 3, 4, 5].map(async (page) => (await ok(api.get(`/orders?side=Buy&limit=3&page=${page}`))).rows)
    expect(idsOf((await Promise.all(pages)).flat())).toEqual(all)
    expect((await ok(api.get('/orders?side=Buy', 'other'))).total).toBe(0)
  })

  it.each([
    ['status=filled', 'request_invalid', /status must be one of Init/],
    ['symbol=NOPE', 'symbol_unknown', /no symbol NOPE/],
    ['startTime=2&endTime=1', 'time_range_invalid', /must not be after/],
    ['clientOrderId=a&side=Buy', 'field_not_applicable', /takes no filter/],
  ])('refuses %s', async (query, reason, message) => {
    const answer = await api.get(`/orders?${query}`)
    expect(answer.reason).toBe(reason)
    expect(answer.errMsg).toMatch(message)
  })
})

describe('the cancel of every open order', () => {
  it('builds one for each open limit order of the key, and says what keeps one out', async () => {
    const [first, second] = [await recordLimitOrder({ world, api }), await recordLimitOrder({ world, api })]
    const [asked, ended] = [await recordLimitOrder({ world, api }), await recordLimitOrder({ world, api })]
    await world.chain.emit(cancelRequested(asked), ...cancelSettled(ended, 'canceled'))
    await world.chain.emit(placedLimit({ orderId: randomHash(), user: BOB, quantity: WAD, price: WAD }))
    const rows = await ok(api.remove('/orders/calldata'))
    expect(idsOf(rows)).toEqual([first, second])
    for (const { orderId, calldata, failure } of rows) {
      expect([calldata.method, calldata.callData.slice(10), failure]).toEqual([
        'cancelLimitOrder',
        orderId.slice(2),
        null,
      ])
    }
    expect(await ok(api.remove('/orders/calldata?symbol=MSFT'))).toEqual([])
    expect(await ok(api.remove('/orders/calldata', undefined, 'other'))).toEqual([])
  })

  it('by One Click needs a delegation for each', async () => {
    const orderId = await recordLimitOrder({ world, api })
    expect(await api.remove('/orders/send', undefined, 'unbound')).toMatchObject({ code: 200, data: [] })
    const answer = await api.remove('/orders/send')
    expect(answer).toMatchObject({
      code: 200,
      data: [{ orderId, send: null, failure: { reason: expect.any(String) } }],
    })
  })
})

describe('a send', () => {
  it('that is not the key’s is not found', async () => {
    const id = '0b7c6a2e-51f4-4c0e-9d7b-2f4a8f1c3e5d'
    expect(await api.get(`/sends/${id}`)).toMatchObject({ code: 10_001, reason: 'send_not_found' })
    await ok(api.post('/orders/tx', { txHash: randomHash() }))
    const [claim] = await world.sql`select claim_id from stock_claims`
    expect(await api.get(`/sends/${claim?.claim_id}`)).toMatchObject({ reason: 'send_not_found' })
    expect(await api.get('/sends/0x12')).toMatchObject({ reason: 'request_invalid' })
    const byKey = (key: string) => api.get(`/sends/byIdempotencyKey?idempotencyKey=${key}`)
    expect(await byKey('none')).toMatchObject({ code: 10_001, reason: 'send_not_found' })
    expect(await byKey('a%20b')).toMatchObject({ reason: 'request_invalid' })
  })
})

describe('the market’s time', () => {
  it('is told with its session, its trade date and what comes next', async () => {
    const nowSec = START_MS / 1000
    const always = { timestamp: nowSec, session: 'regular', isOpen: true, isRegular: true, nextRegular: nowSec }
    expect(await ok(api.get('/clock'))).toEqual({
      ...always,
      tradeDate: '2026-08-03',
      dayOrderExpiry: Date.UTC(2026, 7, 4, 4) / 1000,
    })
    await world.sql.begin((tx) => saveMarketHours(tx, 'calendar'))
    world.nowMs = Date.parse('2026-07-03T10:00:00-04:00')
    expect(await ok(api.get('/clock'))).toEqual({
      timestamp: world.nowMs / 1000,
      session: 'closed',
      isOpen: false,
      isRegular: false,
      tradeDate: '2026-07-06',
      nextRegular: Date.parse('2026-07-06T09:30:00-04:00') / 1000,
      dayOrderExpiry: Date.parse('2026-07-06T20:00:00-04:00') / 1000,
    })
  })

  it('has a calendar without the days that are free, and with those that are short', async () => {
    await world.sql.begin((tx) => saveMarketHours(tx, 'calendar'))
    const days = await ok(api.get('/calendar?start=2026-11-25&end=2026-11-28'))
    expect(days.map(({ tradeDate }: { tradeDate: string }) => tradeDate)).toEqual(['2026-11-25', '2026-11-27'])
    const at = (time: string) => Date.parse(`2026-11-27T${time}-05:00`) / 1000
    expect(days[1].sessions).toEqual([
      { session: 'overnight', start: Date.parse('2026-11-26T20:00:00-05:00') / 1000, end: at('04:00:00') },
      { session: 'pre-market', start: at('04:00:00'), end: at('09:30:00') },
      { session: 'regular', start: at('09:30:00'), end: at('13:00:00') },
      { session: 'after-hours', start: at('13:00:00'), end: at('17:00:00') },
    ])
    for (const query of [
      'start=2026-02-30&end=2026-03-01',
      'start=2026-01-02&end=2026-01-01',
      'start=2026-01-01&end=2028-01-01',
    ]) {
      expect((await api.get(`/calendar?${query}`)).reason).toBe('date_range_invalid')
    }
  })
})

it('activities have fills and moves of an account, newest first, of nobody else', async () => {
  const [orderId, deposit, withdrawal] = [randomHash(), randomHash(), randomHash()]
  await world.chain.emit(deposited(deposit, 5n))
  await world.chain.emit(placed({ orderId, amount: WAD }))
  await world.chain.emit(filled({ orderId, quantity: WAD, price: 2n * WAD, fees: [3n, 4n] }), closed(orderId, 'filled'))
  await world.chain.emit(stockDeposited(3n * WAD), deposited(randomHash(), 9n, BOB))
  await world.chain.emit(withdrawalQueued(withdrawal, 2n, WAD))
  const { total, rows } = await ok(api.get(`/users/${ALICE}/activities`))
  expect(total).toBe(4)
  expect(rows).toMatchObject([
    { type: 'cash_withdrawal', operationId: withdrawal, operationStatus: 'processing', amount: 2, feeAmount: 1 },
    { type: 'stock_deposit', symbol: 'AAPL', quantity: 3, operationStatus: 'success', amount: null },
    { type: 'fill', orderId, side: 'Buy', quantity: 1, price: 2, amount: 2, symbol: 'AAPL' },
    { type: 'cash_deposit', operationId: deposit, symbol: 'USDC', amount: 5, operationStatus: 'success' },
  ])
  expect(await ok(api.get(`/users/${ALICE}/activities?type=fill`))).toMatchObject({ total: 1, rows: [{ orderId }] })
  expect((await ok(api.get(`/users/${ALICE}/activities?limit=1&page=2`))).rows).toEqual([rows[1]])
  expect((await ok(api.get(`/users/${ALICE}/activities?startTime=${rows[1].timestamp}`))).total).toBe(2)
})

it('fills of one settlement that are alike have each an id of its own', async () => {
  const orderId = randomHash()
  await world.chain.emit(placed({ orderId, amount: 3n * WAD }))
  const part = filled({ orderId, quantity: WAD, price: WAD })
  await world.chain.emit(part, part, part, closed(orderId, 'filled'))
  const { rows } = await ok(api.get(`/users/${ALICE}/activities?type=fill`))
  const [{ txHash }] = rows
  expect(rows.map(({ id }: { id: string }) => id)).toEqual([0, 1, 2].map((nth) => `${txHash}-${nth}`))
  expect(new Set(rows.map((row: object) => JSON.stringify({ ...row, id: null }))).size).toBe(1)
})
