import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction, type Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { WAD } from '../lib/wad.ts'
import { sendCancels } from './broker-cancels.ts'
import {
  collectExecutions,
  markSettled,
  reopenExecutions,
  requestOrder,
  submitOrder,
  submitRequested,
} from './broker-orders.ts'
import {
  countSubmissions,
  expireOrder,
  findBrokerOrders,
  hedgePositions,
  readExecutionsCursor,
  rejectOrder,
} from './broker-store.ts'
import { requestCancels } from './cancel-store.ts'
import type { Broker, BrokerOrder, BrokerOrderRequest, Execution } from './ports.ts'
import { buy, openTestBroker, placeWithBroker, START_MS, sell } from './testing-broker.ts'
import { unsettledExecutions } from './testing-executions.ts'

const CHAIN = 31_337
const AAPL_ASK8 = 23_002_000_000n

let database: TestDatabase
let sql: Sql
let broker: Broker
beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
  broker = await openTestBroker(sql)
})
afterEach(() => database.drop())

const settle = (executionIds: readonly string[], intentId: bigint, chainId = CHAIN) =>
  inTransaction(sql, (tx) => markSettled(tx, chainId, executionIds, intentId))
const reopen = (executionIds: readonly string[]) =>
  inTransaction(sql, (tx) => reopenExecutions(tx, CHAIN, executionIds))
const order = async (id: string) => (await findBrokerOrders(sql, CHAIN, [id]))[0]

describe('many orders', () => {
  it('go to a slow broker a few at once, each exactly once', async () => {
    let active = 0
    let most = 0
    const submitted: string[] = []
    const slow: Broker = {
      ...broker,
      async submit(request) {
        most = Math.max(most, ++active)
        submitted.push(request.clientOrderId)
        await new Promise((resolve) => setTimeout(resolve, 20))
        active--
        if (request.clientOrderId === 'n7') throw new Error('no answer')
        return broker.submit(request)
      },
    }
    const ids = Array.from({ length: 20 }, (_, index) => `n${index}`)
    for (const id of ids) await requestOrder(sql, broker, CHAIN, buy(id, 10n * WAD))
    const unanswered = await submitRequested(sql, slow, CHAIN)
    expect(unanswered.map(({ clientOrderId }) => clientOrderId)).toEqual(['n7'])
    expect([...submitted].sort()).toEqual([...ids].sort())
    expect(most).toBeGreaterThan(3)
    expect(most).toBeLessThanOrEqual(6)
    expect(await order('n3')).toMatchObject({ status: 'accepted', submitAttempts: 1 })
  })
})

describe('placing and collecting', () => {
  it('places, fills, collects and settles an order, with the hedge booked at each step', async () => {
    expect(await placeWithBroker(sql, broker, CHAIN, buy('a', 1000n * WAD))).toMatchObject({ status: 'accepted' })
    await collectExecutions(sql, broker, CHAIN)
    const quantityWad = ((1000n * WAD * 10n ** 8n) / AAPL_ASK8 / 10n ** 9n) * 10n ** 9n
    const cashWad = (quantityWad * AAPL_ASK8) / 10n ** 8n
    expect(await order('a')).toMatchObject({ status: 'filled', filledQuantityWad: quantityWad, filledCashWad: cashWad })
    const open = await unsettledExecutions(sql, CHAIN)
    expect(open).toMatchObject([
      {
        clientOrderId: 'a',
        side: 'buy',
        quantityWad,
        price8: AAPL_ASK8,
        cashWad,
        filledBeforeWad: 0n,
        orderStatus: 'filled',
      },
    ])
    expect(await hedgePositions(sql, CHAIN)).toEqual([{ symbol: 'AAPL', quantityWad, cashWad: -cashWad }])

    const ids = open.map((execution) => execution.executionId)
    await settle(ids, 7n)
    expect(await unsettledExecutions(sql, CHAIN)).toEqual([])
    expect(await hedgePositions(sql, CHAIN)).toEqual([])
    await expect(settle(ids, 8n)).rejects.toThrow('1 of 1 executions are not open')
    await expect(settle([...ids, 'unknown'], 8n)).rejects.toThrow('2 of 2')

    await reopen(ids)
    await reopen(ids)
    expect(await unsettledExecutions(sql, CHAIN)).toEqual(open)
    expect(await hedgePositions(sql, CHAIN)).toEqual([{ symbol: 'AAPL', quantityWad, cashWad: -cashWad }])
    await settle(ids, 8n)
    expect(await hedgePositions(sql, CHAIN)).toEqual([])
    const ledger = await sql`select kind, intent_id from hedge_ledger order by entry_id`
    expect(ledger.map((entry) => [entry.kind, entry.intent_id])).toEqual([
      ['execution', null],
      ['settlement', 7n],
      ['settlement_reopened', 7n],
      ['settlement', 8n],
    ])
  })

  it('settles all of a batch or nothing of it', async () => {
    await placeWithBroker(sql, broker, CHAIN, buy('a', WAD))
    await collectExecutions(sql, broker, CHAIN)
    const [open] = await unsettledExecutions(sql, CHAIN)
    await expect(settle([open?.executionId ?? '', 'unknown'], 1n)).rejects.toThrow('1 of 2')
    expect(await unsettledExecutions(sql, CHAIN)).toEqual([open])
  })

  it('books a sell as shares given for cash', async () => {
    await placeWithBroker(sql, broker, CHAIN, sell('s', 2n * WAD))
    await collectExecutions(sql, broker, CHAIN)
    expect(await hedgePositions(sql, CHAIN)).toEqual([
      { symbol: 'AAPL', quantityWad: -2n * WAD, cashWad: 2n * 22_998_000_000n * 10n ** 10n },
    ])
  })

  it('cuts what is finer than the broker trades, and rejects what is nothing then', async () => {
    await placeWithBroker(sql, broker, CHAIN, sell('fine', WAD + 1_999_999_999n))
    await placeWithBroker(sql, broker, CHAIN, sell('dust', 999_999_999n))
    await collectExecutions(sql, broker, CHAIN)
    expect(await order('fine')).toMatchObject({ status: 'filled', filledQuantityWad: WAD + 10n ** 9n })
    expect(await order('dust')).toMatchObject({
      status: 'rejected',
      rejectReason: 'the amount is finer than the broker trades',
    })
  })

  it('is ended without the broker only while nothing was sent of it', async () => {
    for (const id of ['rejected', 'expired', 'sent']) await requestOrder(sql, broker, CHAIN, sell(id, WAD))
    await countSubmissions(sql, CHAIN, ['sent'])
    for (const id of ['rejected', 'sent']) await rejectOrder(sql, CHAIN, id, 'no room')
    for (const id of ['expired', 'sent']) await expireOrder(sql, CHAIN, id)
    expect(await order('rejected')).toMatchObject({ status: 'rejected', rejectReason: 'no room' })
    expect(await order('expired')).toMatchObject({ status: 'expired' })
    expect(await order('sent')).toMatchObject({ status: 'requested' })
  })

  it('records a reject with the broker’s reason', async () => {
    expect(await placeWithBroker(sql, broker, CHAIN, buy('big', 2_000_000n * WAD))).toMatchObject({
      status: 'rejected',
      rejectReason: 'the order is larger than the broker takes',
    })
    expect(await submitRequested(sql, broker, CHAIN)).toEqual([])
  })

  it('lets the broker refuse a symbol that the venue does not list', async () => {
    expect(await placeWithBroker(sql, broker, CHAIN, { ...buy('x', WAD), symbol: 'XYZ' })).toMatchObject({
      status: 'rejected',
      rejectReason: 'XYZ is not known',
    })
  })

  it('takes the same order again and refuses its id for another', async () => {
    await requestOrder(sql, broker, CHAIN, buy('a', WAD))
    expect(await requestOrder(sql, broker, CHAIN, buy('a', WAD))).toMatchObject({ status: 'requested' })
    await expect(requestOrder(sql, broker, CHAIN, buy('a', 2n * WAD))).rejects.toThrow('names another order')
    await expect(requestOrder(sql, broker, CHAIN, sell('a', WAD))).rejects.toThrow('names another order')
    await expect(requestOrder(sql, broker, CHAIN, buy('', WAD))).rejects.toThrow('1 to 128 characters')
    await expect(requestOrder(sql, broker, CHAIN, buy('x'.repeat(129), WAD))).rejects.toThrow('1 to 128 characters')
  })

  it('keeps chains apart that trade through one account', async () => {
    await placeWithBroker(sql, broker, 1, buy('1-a', WAD))
    await placeWithBroker(sql, broker, 2, buy('2-a', WAD))
    const first = await collectExecutions(sql, broker, 1)
    const second = await collectExecutions(sql, broker, 2)
    expect([first.executionIds.length, second.executionIds.length]).toEqual([1, 1])
    expect(first.foreign.map((execution) => execution.clientOrderId)).toEqual(['2-a'])
    expect(await unsettledExecutions(sql, 1)).toMatchObject([{ clientOrderId: '1-a' }])
    const [open] = await unsettledExecutions(sql, 2)
    await expect(settle([open?.executionId ?? ''], 1n, 1)).rejects.toThrow('not open')
  })

  it('refuses to change or delete what was executed or booked', async () => {
    await placeWithBroker(sql, broker, CHAIN, buy('a', WAD))
    await collectExecutions(sql, broker, CHAIN)
    for (const table of ['broker_executions', 'hedge_ledger']) {
      await expect(sql.unsafe(`update ${table} set quantity_wad = 1`)).rejects.toThrow('append-only')
      await expect(sql.unsafe(`delete from ${table}`)).rejects.toThrow('append-only')
    }
  })
})

/** A broker that says what the test scripts. */
function scripted(script: {
  submit?: (order: BrokerOrderRequest) => Promise<BrokerOrder>
  orders?: () => readonly BrokerOrder[]
  executions?: () => readonly Execution[]
}): Broker {
  return {
    name: 'scripted',
    precision: { quantityDecimals: 9, notionalDecimals: 2 },
    submit: script.submit ?? (() => Promise.reject(new Error('time-out'))),
    cancel: async () => null,
    findOrders: async () => script.orders?.() ?? [],
    openOrders: async () => [],
    positions: async () => [],
    executionsSince: async (cursor) => {
      const executions = (script.executions?.() ?? []).slice(Number(cursor ?? 0))
      return { executions, cursor: String(Number(cursor ?? 0) + executions.length) }
    },
  }
}

const answerTo = (request: BrokerOrderRequest, changes: Partial<BrokerOrder> = {}): BrokerOrder => ({
  clientOrderId: request.clientOrderId,
  brokerOrderId: `b-${request.clientOrderId}`,
  symbol: request.symbol,
  side: request.side,
  status: 'accepted',
  filledQuantityWad: 0n,
  rejectReason: null,
  ...changes,
})

const fillOf = (
  clientOrderId: string,
  executionId: string,
  quantityWad: bigint,
  changes: Partial<Execution> = {},
): Execution => ({
  executionId,
  clientOrderId,
  symbol: 'AAPL',
  side: 'buy',
  quantityWad,
  price8: 20_000_000_000n,
  timeMs: START_MS,
  ...changes,
})

describe('cancelling', () => {
  it('is asked for until the broker has ended the order, and keeps what was filled meanwhile', async () => {
    let standing = answerTo(buy('a', 1000n * WAD))
    const executions: Execution[] = []
    const asked: string[] = []
    const slow = {
      ...scripted({ submit: async () => standing, orders: () => [standing], executions: () => executions }),
      cancel: async (id: string) => {
        asked.push(id)
        return standing
      },
    }
    await placeWithBroker(sql, slow, CHAIN, buy('a', 1000n * WAD))
    await requestCancels(sql, CHAIN, ['a', 'unknown'])
    await requestCancels(sql, CHAIN, ['a'])
    expect(await sendCancels(sql, slow, CHAIN)).toEqual([])
    expect(await sendCancels(sql, slow, CHAIN)).toEqual([])
    expect(asked).toEqual(['a'])
    expect(await order('a')).toMatchObject({ status: 'accepted', cancelRequested: true })
    await sql`update broker_orders set next_cancel_at = now()`
    await sendCancels(sql, slow, CHAIN)
    expect(asked).toEqual(['a', 'a'])
    executions.push(fillOf('a', 'e1', WAD))
    standing = { ...standing, status: 'canceled', filledQuantityWad: WAD }
    await sql`update broker_orders set next_cancel_at = now()`
    await sendCancels(sql, slow, CHAIN)
    expect(await order('a')).toMatchObject({ status: 'accepted' })
    await collectExecutions(sql, slow, CHAIN)
    expect(await order('a')).toMatchObject({ status: 'canceled', filledQuantityWad: WAD })
    await sql`update broker_orders set next_cancel_at = now()`
    await sendCancels(sql, slow, CHAIN)
    expect(asked).toHaveLength(3)
  })

  it('never sends an order that was to end before it was sent; one that may be at the broker is sent to know', async () => {
    const lost = scripted({})
    await requestOrder(sql, lost, CHAIN, buy('unsent', WAD))
    await placeWithBroker(sql, lost, CHAIN, buy('lost', WAD))
    await requestCancels(sql, CHAIN, ['unsent', 'lost'])
    await sql`update broker_orders set next_submit_at = now()`
    const sent: string[] = []
    const found = scripted({
      submit: async (request) => {
        sent.push(request.clientOrderId)
        return answerTo(request)
      },
    })
    expect(await submitOrder(sql, found, CHAIN, 'unsent')).toMatchObject({ status: 'requested', submitAttempts: 0 })
    await submitRequested(sql, found, CHAIN)
    expect(await sendCancels(sql, found, CHAIN)).toMatchObject([{ clientOrderId: 'lost' }])
    expect(sent).toEqual(['lost'])
    expect(await order('unsent')).toMatchObject({ status: 'canceled', submitAttempts: 0 })
    expect(await order('lost')).toMatchObject({ status: 'accepted' })
  })

  it('of an order that was never sent waits for the word of the broker, which may have it', async () => {
    const books: BrokerOrder[] = []
    const away = { ...scripted({}), findOrders: () => Promise.reject(new Error('away')) }
    const back = scripted({ orders: () => books })
    await requestOrder(sql, away, CHAIN, buy('a', WAD))
    await requestCancels(sql, CHAIN, ['a'])
    expect(await sendCancels(sql, away, CHAIN)).toMatchObject([{ clientOrderId: 'a', err: { message: 'away' } }])
    expect(await order('a')).toMatchObject({ status: 'requested', submitAttempts: 0 })
    books.push(answerTo(buy('a', WAD), { status: 'partially_filled', filledQuantityWad: WAD }))
    await sql`update broker_orders set next_cancel_at = now()`
    expect(await sendCancels(sql, back, CHAIN)).toEqual([])
    expect(await order('a')).toMatchObject({ status: 'partially_filled', brokerOrderId: 'b-a', submitAttempts: 0 })
  })
})

describe('a broker that misbehaves', () => {
  it('is asked again, later each time, until it answers', async () => {
    const lost = scripted({})
    expect(await placeWithBroker(sql, lost, CHAIN, buy('a', 10n * WAD + 1n))).toMatchObject({
      status: 'requested',
      submitAttempts: 1,
      lastSubmitError: 'time-out',
    })
    expect(await submitRequested(sql, lost, CHAIN)).toEqual([])
    const waits: bigint[] = []
    for (let i = 0; i < 9; i += 1) {
      const [row] = await sql<{ wait: bigint }[]>`
        select round(extract(epoch from next_submit_at - updated_at)) as wait from broker_orders`
      waits.push(row?.wait ?? 0n)
      await submitOrder(sql, lost, CHAIN, 'a')
    }
    expect(waits).toEqual([1n, 2n, 4n, 8n, 16n, 32n, 60n, 60n, 60n])
    await sql`update broker_orders set next_submit_at = now()`
    expect(await submitRequested(sql, lost, CHAIN)).toMatchObject([{ clientOrderId: 'a', submitAttempts: 11 }])
    const sent: BrokerOrderRequest[] = []
    const found = scripted({
      submit: async (request) => {
        sent.push(request)
        return answerTo(request)
      },
    })
    await sql`update broker_orders set next_submit_at = now()`
    expect(await submitRequested(sql, found, CHAIN)).toEqual([])
    expect(sent).toEqual([buy('a', 10n * WAD)])
    expect(await order('a')).toMatchObject({ status: 'accepted', brokerOrderId: 'b-a', lastSubmitError: null })
  })

  it('is asked for an order that it may have and that has become too small for it, later each time', async () => {
    await placeWithBroker(sql, scripted({}), CHAIN, sell('a', WAD / 2n))
    await requestOrder(sql, scripted({}), CHAIN, sell('unsent', WAD / 2n))
    const known: BrokerOrder[] = []
    const coarse = { ...scripted({ orders: () => known }), precision: { quantityDecimals: 0, notionalDecimals: 0 } }
    await sql`update broker_orders set next_submit_at = now()`
    const problem = 'the amount is finer than the broker trades, and it does not show the order'
    const waiting = { clientOrderId: 'a', submitAttempts: 2, lastSubmitError: problem }
    expect(await submitRequested(sql, coarse, CHAIN)).toMatchObject([waiting])
    expect(await order('unsent')).toMatchObject({ status: 'rejected' })
    expect(await submitRequested(sql, coarse, CHAIN)).toEqual([])
    known.push(answerTo(sell('a', WAD / 2n)))
    await sql`update broker_orders set next_submit_at = now()`
    await submitRequested(sql, coarse, CHAIN)
    expect(await order('a')).toMatchObject({ status: 'accepted', brokerOrderId: 'b-a', lastSubmitError: null })
  })

  it('is not believed when it answers with another order', async () => {
    const wrong = scripted({ submit: async (request) => answerTo(request, { side: 'sell' }) })
    expect(await placeWithBroker(sql, wrong, CHAIN, buy('a', WAD))).toMatchObject({
      status: 'requested',
      lastSubmitError: "the broker's order b-a is sell AAPL under a",
    })
  })

  it('may fill in parts, repeat them and name them anew: each counts once, and an order ends with its last part', async () => {
    const executions: Execution[] = []
    let standing = answerTo(buy('a', WAD))
    const partial = scripted({
      submit: async () => standing,
      orders: () => [standing],
      executions: () => executions,
    })
    await placeWithBroker(sql, partial, CHAIN, buy('a', 1000n * WAD))
    executions.push(fillOf('a', 'e1', 2n * WAD), fillOf('a', 'e2', WAD), fillOf('a', 'e1', 2n * WAD))
    standing = { ...standing, status: 'filled', filledQuantityWad: 5n * WAD }
    expect((await collectExecutions(sql, partial, CHAIN)).executionIds).toEqual(['e1', 'e2'])
    expect(await order('a')).toMatchObject({ status: 'partially_filled', filledQuantityWad: 3n * WAD })
    expect(await readExecutionsCursor(sql, CHAIN, 'scripted')).toBe('3')
    const nextMonthMs = START_MS + 40 * 86_400_000
    executions.push(
      fillOf('a', 'e2', WAD, { timeMs: nextMonthMs }),
      fillOf('a', 'e3', 2n * WAD, { timeMs: nextMonthMs }),
    )
    expect((await collectExecutions(sql, partial, CHAIN)).executionIds).toEqual(['e3'])
    expect(await order('a')).toMatchObject({
      status: 'filled',
      filledQuantityWad: 5n * WAD,
      filledCashWad: 1000n * WAD,
    })
    const open = await unsettledExecutions(sql, CHAIN)
    expect(open.map((one) => [one.executionId, one.filledBeforeWad / WAD])).toEqual([
      ['e1', 0n],
      ['e2', 2n],
      ['e3', 3n],
    ])
    expect(await hedgePositions(sql, CHAIN)).toEqual([{ symbol: 'AAPL', quantityWad: 5n * WAD, cashWad: -1000n * WAD }])
  })

  it('may have executions of orders that are not ours: they are named and not booked', async () => {
    const other = scripted({ executions: () => [fillOf('manual', 'm1', WAD)] })
    const collected = await collectExecutions(sql, other, CHAIN)
    expect(collected.executionIds).toEqual([])
    expect(collected.foreign).toMatchObject([{ executionId: 'm1' }])
    expect(await hedgePositions(sql, CHAIN)).toEqual([])
  })

  it('may have executions of an order that is stored only then: they are recorded before those that follow', async () => {
    const executions = [fillOf('a', 'e1', WAD), fillOf('manual', 'm1', WAD), fillOf('b', 'e2', WAD)]
    const of = (id: string, quantityWad: bigint) =>
      answerTo(buy(id, 400n * WAD), { status: 'filled', filledQuantityWad: quantityWad })
    const known = scripted({
      submit: async ({ clientOrderId }) => of(clientOrderId, clientOrderId === 'a' ? 2n * WAD : WAD),
      orders: () => [of('a', 2n * WAD), of('b', WAD)],
      executions: () => executions,
    })
    const early = await collectExecutions(sql, known, CHAIN)
    expect(early.foreign.map(({ executionId }) => executionId)).toEqual(['e1', 'm1', 'e2'])
    for (const id of ['a', 'b']) {
      expect(await placeWithBroker(sql, known, CHAIN, buy(id, 400n * WAD))).toMatchObject({ status: 'accepted' })
    }
    executions.push(fillOf('a', 'e3', WAD))
    expect(await collectExecutions(sql, known, CHAIN)).toEqual({ executionIds: ['e1', 'e3', 'e2'], foreign: [] })
    for (const id of ['a', 'b']) expect(await order(id)).toMatchObject({ status: 'filled' })
    const open = await unsettledExecutions(sql, CHAIN)
    expect(open.map(({ executionId, filledBeforeWad }) => [executionId, filledBeforeWad])).toEqual([
      ['e1', 0n],
      ['e3', WAD],
      ['e2', 0n],
    ])
    expect(await sql`select execution_id from unclaimed_executions`).toMatchObject([{ execution_id: 'm1' }])
    expect(await collectExecutions(sql, known, CHAIN)).toEqual({ executionIds: [], foreign: [] })
  })

  it('may have executions under our id that are of another symbol or side: they are named and not booked', async () => {
    const wrong = scripted({
      submit: async (request) => answerTo(request),
      executions: () => [fillOf('a', 'side', WAD, { side: 'sell' }), fillOf('a', 'symbol', WAD, { symbol: 'MSFT' })],
    })
    await placeWithBroker(sql, wrong, CHAIN, buy('a', 200n * WAD))
    const collected = await collectExecutions(sql, wrong, CHAIN)
    expect(collected.executionIds).toEqual([])
    expect(collected.foreign.map(({ executionId }) => executionId)).toEqual(['side', 'symbol'])
    expect(await hedgePositions(sql, CHAIN)).toEqual([])
    expect(await order('a')).toMatchObject({ status: 'accepted', filledQuantityWad: 0n })
  })

  it('may reject after accepting', async () => {
    const late = scripted({
      submit: async (request) => answerTo(request),
      orders: () => [answerTo(buy('a', WAD), { status: 'rejected', rejectReason: 'halted' })],
    })
    await placeWithBroker(sql, late, CHAIN, buy('a', WAD))
    await collectExecutions(sql, late, CHAIN)
    expect(await order('a')).toMatchObject({ status: 'rejected', rejectReason: 'halted' })
  })
})
