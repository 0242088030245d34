import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { sendCancels } from '../broker-cancels.ts'
import { requestOrder } from '../broker-orders.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { endUnansweredBy, requestCancels } from '../cancel-store.ts'
import { unsettledExecutions } from '../testing-executions.ts'
import { START_MS, settingsOf, USD8, wireServer } from './testing/harness.ts'
import { Stage } from './testing/stage.ts'
import { SECRET_KEY } from './testing/wire-server.ts'

const CHAIN = 31_337

let stage: Stage
beforeEach(async () => {
  stage = await Stage.open()
})
afterEach(() => stage.close())

describe('sending an order', () => {
  it('says exactly what was asked for, and a limit never worse than it', async () => {
    stage.server.account.fillsMarketOrders = false
    const half = { quantityWad: WAD / 2n }
    const named = { clientOrderId: 'notional', symbol: 'AAPL', expiresAtMs: null }
    await stage.place({ ...named, type: 'market', side: 'buy', notionalWad: 12_345_678n * 10n ** 12n })
    await stage.place(stage.limit('whole', { limitPrice8: 20_012_999_999n }))
    await stage.place(stage.limit('sale', { ...half, side: 'sell', limitPrice8: 20_012_000_001n }))
    await stage.place(stage.limit('pennies', { ...half, limitPrice8: 99_999_999n, quantityWad: 100n * WAD }))
    await stage.place(stage.limit('by day', { ...half, symbol: 'DAYF' }))
    const sent = [...stage.server.account.orders.values()].map(({ body }) => body)
    const day = { time_in_force: 'day' }
    expect(sent).toEqual([
      { symbol: 'AAPL', side: 'buy', type: 'market', ...day, client_order_id: 'notional', notional: '12.34' },
      expect.objectContaining({ ...day, qty: '3', limit_price: '200.12', extended_hours: true }),
      expect.objectContaining({ side: 'sell', qty: '0.5', limit_price: '200.13', extended_hours: true }),
      expect.objectContaining({ qty: '100', limit_price: '0.9999', extended_hours: true }),
      expect.objectContaining({ symbol: 'DAYF', qty: '0.5', extended_hours: false }),
    ])
    for (const { client_order_id } of sent)
      expect(await stage.order(client_order_id)).toMatchObject({ status: 'accepted' })
  })

  it.each(['lost', 'cut'] as const)('finds the order that stands when its answer is %s', async (fault) => {
    stage.server.faults.request = (method) => (method === 'POST' ? fault : 'none')
    expect(await stage.place(stage.limit('a'))).toMatchObject({ status: 'requested', submitAttempts: 1 })
    expect(stage.server.account.order('a').status).toBe('new')
    expect(await stage.submitAgain('a')).toMatchObject({
      status: 'accepted',
      submitAttempts: 2,
    })
    expect(stage.posts).toBe(1)
  })

  it('finds it in another process after a kill between the sending and the answer, filled meanwhile', async () => {
    stage.server.faults.request = (method) => (method === 'POST' ? 'cut' : 'none')
    await stage.place(stage.limit('a'))
    stage.market.close()
    stage.server.account.fill('a', 3n * WAD, 199n * USD8)
    stage.server.faults.request = () => 'none'
    await stage.reopen()
    await stage.submitAgain('a')
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({
      status: 'filled',
      filledQuantityWad: 3n * WAD,
      filledCashWad: 597n * WAD,
    })
    expect(stage.posts).toBe(1)
  })

  it('collects the fills of an order whose answer was lost and that was never asked for again', async () => {
    stage.server.faults.request = (method) => (method === 'POST' ? 'lost' : 'none')
    await stage.place(stage.limit('a'))
    stage.server.account.fill('a', WAD, 199n * USD8)
    await stage.collect()
    expect(await unsettledExecutions(stage.db.sql, CHAIN)).toMatchObject([{ clientOrderId: 'a', quantityWad: WAD }])
  })

  it('sends again what a failing server or the rate limit did not take, once', async () => {
    const faults = ['500', '429'] as const
    let attempt = 0
    stage.server.faults.request = (method) => (method === 'POST' ? (faults[attempt++] ?? 'none') : 'none')
    expect(await stage.place(stage.limit('a'))).toMatchObject({ status: 'requested' })
    expect(await stage.submitAgain('a')).toMatchObject({ status: 'requested' })
    expect(await stage.submitAgain('a')).toMatchObject({ status: 'accepted' })
    expect([stage.posts, stage.server.account.orders.size]).toEqual([3, 1])
  })

  it('never says that an order is refused, or too late, while an earlier attempt may still arrive', async () => {
    const late = stage.limit('late', { expiresAtMs: START_MS + 30_000 })
    stage.server.faults.request = (method) => (method === 'POST' ? '500' : 'none')
    await stage.place(late)
    await stage.place(stage.limit('poor'))
    stage.server.faults.request = () => 'none'
    stage.server.account.buyingPowerWad = 0n
    stage.clock.advance(59_999)
    for (const id of ['late', 'poor']) {
      expect(await stage.submitAgain(id)).toMatchObject({ status: 'requested' })
    }
    stage.clock.advance(1)
    expect(await stage.submitAgain('late')).toMatchObject({ status: 'expired' })
    const poor = { status: 'rejected', rejectReason: 'insufficient buying power' }
    expect(await stage.submitAgain('poor')).toMatchObject(poor)
    expect(stage.server.account.orders.size).toBe(0)
  })

  it('cancels an order that arrives after it was given up, and collects what was filled of it', async () => {
    stage.server.faults.request = (method) => (method === 'POST' ? '500' : 'none')
    const late = stage.limit('late', { expiresAtMs: START_MS + 30_000 })
    await stage.place(late)
    stage.clock.advance(60_000)
    expect(await stage.submitAgain('late')).toMatchObject({ status: 'expired' })
    stage.server.faults.request = () => 'none'
    stage.server.account.place({
      symbol: 'AAPL',
      side: 'buy',
      type: 'limit',
      qty: '3',
      limit_price: '200',
      time_in_force: 'day',
      extended_hours: true,
      client_order_id: 'late',
    })
    stage.server.account.fill('late', WAD, 199n * USD8)
    await stage.collect()
    await stage.collect()
    expect(stage.server.account.order('late').status).toBe('canceled')
    expect(await unsettledExecutions(stage.db.sql, CHAIN)).toMatchObject([{ clientOrderId: 'late', quantityWad: WAD }])
  })

  it('takes a refused key for no answer, and tells the secret to nobody', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    await stage.reopen({ settings: { secretKey: 'another-secret' }, log })
    await expect(stage.market.broker.submit(stage.limit('a'))).rejects.toMatchObject({
      reason: { name: 'broker_unavailable' },
    })
    const told = JSON.stringify([lines, await stage.place(stage.limit('b'))], (_, value) =>
      typeof value === 'bigint' ? '' : value,
    )
    expect(told).not.toContain('another-secret')
    expect(told).not.toContain(SECRET_KEY)
  })

  it('refuses an id under which another order stands, and another account', async () => {
    stage.server.account.place({
      symbol: 'AAPL',
      side: 'buy',
      type: 'market',
      notional: '5',
      time_in_force: 'day',
      client_order_id: 'taken',
    })
    const taken = await stage.place(stage.limit('taken'))
    expect(taken).toMatchObject({ status: 'requested', lastSubmitError: expect.stringContaining('was used before') })
    const other = await wireServer(stage.clock, 'another-account')
    await stage.reopen({ settings: settingsOf(other) })
    await expect(stage.market.broker.submit(stage.limit('b'))).rejects.toThrow(
      'this database belongs to the market "alpaca e6fe',
    )
    await expect(stage.market.broker.executionsSince(null, 1)).rejects.toThrow('this database belongs to')
    expect(other.account.orders.size).toBe(0)
    await other.stop()
  })
})

describe('ending an order', () => {
  it('is a request: a fill on the way still counts', async () => {
    await stage.place(stage.limit('a'))
    stage.server.account.fill('a', WAD, 199n * USD8)
    expect(await stage.market.broker.cancel('a')).toMatchObject({ status: 'canceled', filledQuantityWad: WAD })
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'canceled', filledQuantityWad: WAD })
  })

  it('that a database put back to an earlier state does not have is that of the order at the broker', async () => {
    await stage.place(stage.limit('a'))
    await stage.db.sql`delete from alpaca_orders`
    expect(await stage.market.broker.cancel('a')).toMatchObject({ status: 'canceled' })
    expect(stage.server.account.order('a').status).toBe('canceled')
  })

  it.each([
    ['the day has ended', async () => void stage.clock.set(usCalendar.dayOrderExpiry(START_MS))],
    ['its user wants it ended', () => requestCancels(stage.db.sql, CHAIN, ['a'])],
  ])('that the broker executed for and the database has lost: %s meanwhile', async (_, happens) => {
    const order = stage.limit('a')
    await stage.place(order)
    stage.server.account.fill('a', 3n * WAD, 199n * USD8)
    await stage.db.sql`delete from broker_orders`
    await stage.db.sql`delete from alpaca_orders`
    await stage.collect()
    await stage.db.sql`delete from alpaca_orders`
    await requestOrder(stage.db.sql, stage.market.broker, CHAIN, order)
    await happens()
    await sendCancels(stage.db.sql, stage.market.broker, CHAIN)
    await stage.submitAgain('a')
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'filled', filledQuantityWad: 3n * WAD })
    expect(await unsettledExecutions(stage.db.sql, CHAIN)).toMatchObject([
      { clientOrderId: 'a', quantityWad: 3n * WAD },
    ])
  })

  it('that the broker forbids is told, not taken for one that came too late', async () => {
    await stage.place(stage.limit('a'))
    stage.server.faults.request = (method) => (method === 'DELETE' ? '403' : 'none')
    await requestCancels(stage.db.sql, CHAIN, ['a'])
    const unanswered = await sendCancels(stage.db.sql, stage.market.broker, CHAIN)
    expect(unanswered).toEqual([{ clientOrderId: 'a', err: expect.objectContaining({ status: 403 }) }])
  })

  it('that is filled already changes nothing', async () => {
    await stage.place(stage.limit('a'))
    stage.server.account.fill('a', 3n * WAD, 199n * USD8)
    expect(await stage.market.broker.cancel('a')).toMatchObject({ status: 'filled' })
  })

  it.each(['expired', 'canceled', 'done_for_day'] as const)(
    'by the end of the day, as the broker says it: %s',
    async (status) => {
      await stage.place(stage.limit('a'))
      stage.clock.set(usCalendar.dayOrderExpiry(START_MS))
      stage.server.account.end('a', status)
      await stage.collect()
      expect(await stage.order('a')).toMatchObject({ status: 'expired' })
    },
  )

  it('by somebody else is a cancel', async () => {
    await stage.place(stage.limit('a'))
    stage.clock.advance(1000)
    stage.server.account.end('a', 'canceled')
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'canceled' })
  })

  it('before the broker would: it is cancelled in time and has expired', async () => {
    const expiresAtMs = START_MS + 3_600_000
    await stage.place(stage.limit('a', { expiresAtMs }))
    stage.clock.set(expiresAtMs - 5_001)
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'accepted' })
    stage.clock.advance(1)
    await stage.collect()
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'expired' })
    expect(stage.server.account.order('a').status).toBe('canceled')
  })

  it('earlier than it was sent with: by the end that it has now, though its first answer was lost', async () => {
    stage.clock.set(Date.UTC(2026, 7, 8, 15, 0))
    stage.server.faults.request = (method) => (method === 'POST' ? 'lost' : 'none')
    await stage.place(stage.limit('a'))
    const expiresAtMs = Date.UTC(2026, 7, 10, 0, 0)
    await endUnansweredBy(stage.db.sql, CHAIN, ['a'], expiresAtMs)
    expect(await stage.submitAgain('a')).toMatchObject({ status: 'accepted', expiresAtMs })
    stage.clock.set(expiresAtMs - 5_000)
    await stage.collect()
    await stage.collect()
    expect(await stage.order('a')).toMatchObject({ status: 'expired' })
    expect(stage.server.account.order('a').status).toBe('canceled')
  })

  it('before the only session that would fill it: it is not sent, so that it is not kept for the next open', async () => {
    stage.clock.set(Date.parse('2026-08-07T16:00:00-04:00'))
    const expiresAtMs = usCalendar.dayOrderExpiry(stage.clock.nowMs())
    const named = { clientOrderId: 'market', symbol: 'AAPL', expiresAtMs }
    await stage.place({ ...named, type: 'market', side: 'buy', notionalWad: 100n * WAD })
    await stage.place(stage.limit('fraction by day', { symbol: 'DAYF', quantityWad: WAD / 2n }))
    await stage.place(stage.limit('whole', { symbol: 'DAYF' }))
    expect(await stage.order('market')).toMatchObject({ status: 'expired' })
    expect(await stage.order('fraction by day')).toMatchObject({ status: 'expired' })
    expect(await stage.order('whole')).toMatchObject({ status: 'accepted' })
    expect(stage.posts).toBe(1)
  })

  it.each([
    ['of the weekend whose end is a split at the beginning of Monday', '2026-08-08T11:00:00-04:00', '2026-08-10'],
    ['of the same on Sunday, seconds before', '2026-08-09T19:59:54-04:00', '2026-08-10'],
    ['after an early close, and a split that is dated on the holiday after', '2026-12-24T18:00:00-05:00', '2026-12-25'],
  ])('before the market opens again: a limit order %s is not sent', async (_, placed, exDate) => {
    stage.clock.set(Date.parse(placed))
    const wholeDay = stage.limit('stands over it')
    await stage.place(stage.limit('a', { expiresAtMs: usCalendar.tradeDateStart(exDate) }))
    expect([await stage.order('a'), stage.posts]).toMatchObject([{ status: 'expired' }, 0])
    await stage.place(wholeDay)
    expect([await stage.order('stands over it'), stage.posts]).toMatchObject([{ status: 'accepted' }, 1])
  })

  it('in the last seconds of its life: it is not sent any more', async () => {
    await stage.place(stage.limit('a', { expiresAtMs: START_MS + 5_000 }))
    expect(await stage.order('a')).toMatchObject({ status: 'expired' })
    expect(stage.posts).toBe(0)
  })
})
