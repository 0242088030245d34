import { expect, it } from 'vitest'
import { inTransaction } from '../../db/pool.ts'
import { testDatabase } from '../../db/testing.ts'
import { createRandom, type Random } from '../../lib/testing-random.ts'
import { WAD } from '../../lib/wad.ts'
import { sendCancels } from '../broker-cancels.ts'
import { collectExecutions, requestOrder, submitRequested } from '../broker-orders.ts'
import { findBrokerOrders } from '../broker-store.ts'
import { requestCancels } from '../cancel-store.ts'
import type { BrokerOrderRequest } from '../ports.ts'
import { upsertSymbols } from '../store.ts'
import { unsettledExecutions } from '../testing-executions.ts'
import type { OpenMarket } from './market.ts'
import { readInstruments } from './reference-data.ts'
import { alpacaRest } from './rest.ts'
import { isOpen } from './testing/account.ts'
import { type Clock, openTestMarket, settingsOf, testClock, USD8, wireServer } from './testing/harness.ts'
import type { RequestFault, UpdateFault, WireServer } from './testing/wire-server.ts'

const CHAIN = 31_337
const ORDERS = 200
const SYMBOLS = ['AAPL', 'MSFT', 'AAPL', 'MSFT', 'BRK.B', 'HALT']

/** Two of three requests and updates are as they should be. */
function breakThings(server: WireServer, random: Random): void {
  const requests: readonly RequestFault[] = ['429', '500', 'lost', 'cut', 'slow']
  const updates: readonly UpdateFault[] = ['twice', 'late', 'drop', 'cut']
  server.faults.request = () => (random.below(3) === 0 ? random.pick(requests) : 'none')
  server.faults.update = () => (random.below(3) === 0 ? random.pick(updates) : 'none')
  server.account.hideLooks = () => (random.below(4) === 0 ? random.below(12) : 0)
}

function anyOrder(random: Random, number: number): BrokerOrderRequest {
  const named = { clientOrderId: `order-${number}`, symbol: random.pick(SYMBOLS), expiresAtMs: null }
  const quantityWad = BigInt(1 + random.below(5_000_000)) * 10n ** 12n
  if (random.below(3) === 0)
    return { ...named, type: 'market', side: 'buy', notionalWad: BigInt(1 + random.below(900)) * WAD }
  if (random.below(3) === 0) return { ...named, type: 'market', side: 'sell', quantityWad }
  const side = random.pick(['buy', 'sell'] as const)
  return { ...named, type: 'limit', side, quantityWad, limitPrice8: BigInt(100 + random.below(400)) * USD8 }
}

/** The market moves: some open orders are filled in part or whole, some are ended by the broker. */
function trade(server: WireServer, random: Random, clock: Clock): void {
  for (const order of [...server.account.orders.values()].filter(isOpen)) {
    const { client_order_id } = order.body
    clock.advance(1 + random.below(50))
    const price8 = BigInt(100 + random.below(400)) * USD8 + BigInt(random.below(1_000_000))
    const openWad = server.account.openWad(order, price8)
    if (openWad <= 0n) continue
    const chance = random.below(8)
    if (chance === 0) server.account.end(client_order_id, random.pick(['canceled', 'expired', 'rejected'] as const))
    else if (chance < 3) server.account.fill(client_order_id, openWad, price8)
    else if (chance < 5 && openWad > 1000n * 10n ** 9n) {
      server.account.fill(client_order_id, (openWad / 10n ** 9n / BigInt(2 + random.below(4))) * 10n ** 9n, price8)
    }
  }
}

/** A round of the keeper, of which any part may fail as it does in the keeper: the next round goes on. */
async function round(sql: Parameters<typeof submitRequested>[0], market: OpenMarket): Promise<void> {
  await submitRequested(sql, market.broker, CHAIN)
  await sendCancels(sql, market.broker, CHAIN)
  await collectExecutions(sql, market.broker, CHAIN).catch(() => {})
}

/** Whoever waited for its turn need not wait for real. */
const dueNow = async (sql: Parameters<typeof submitRequested>[0]) => {
  await sql`update broker_orders set next_submit_at = now() where status = 'requested'`
  await sql`update broker_orders set next_cancel_at = now() where next_cancel_at is not null`
}

it.each([1, 2])(
  "a day of orders with every fault ends with the broker's books: seed %i",
  { timeout: 240_000 },
  async (seed) => {
    const random = createRandom(seed)
    const db = await testDatabase()
    const { sql } = db
    const clock = testClock()
    const server = await wireServer(clock)
    const settings = settingsOf(server)
    const instruments = await readInstruments({ ...settings, rest: alpacaRest(settings) })
    await inTransaction(sql, (tx) => upsertSymbols(tx, instruments))
    server.account.fillsMarketOrders = false
    let market = await openTestMarket(sql, server, clock)
    breakThings(server, random)

    const ids: string[] = []
    for (let batch = 0; ids.length < ORDERS; batch++) {
      for (let i = 0; i < 20; i++) {
        const order = anyOrder(random, ids.length)
        await requestOrder(sql, market.broker, CHAIN, order)
        ids.push(order.clientOrderId)
      }
      const running = round(sql, market)
      // Every third batch the process dies in the middle of a round, and another takes over.
      if (batch % 3 === 2) {
        market.close()
        market = await openTestMarket(sql, server, clock)
      }
      trade(server, random, clock)
      await running
      await requestCancels(sql, CHAIN, random.shuffled(ids).slice(0, 2))
      trade(server, random, clock)
      clock.advance(random.below(20_000))
      await dueNow(sql)
      await round(sql, market)
    }

    // The faults end, then the day.
    server.faults.request = () => 'none'
    server.faults.update = () => 'none'
    for (let left = 0; left < 8; left++) {
      trade(server, random, clock)
      clock.advance(61_000)
      await dueNow(sql)
      await round(sql, market)
    }
    for (const order of server.account.orders.values()) {
      if (isOpen(order)) server.account.end(order.body.client_order_id, 'expired')
    }
    for (let left = 0; left < 6; left++) await round(sql, market)

    const orders = await findBrokerOrders(sql, CHAIN, ids)
    expect(orders).toHaveLength(ids.length)
    for (const order of orders) {
      const theirs = server.account.orders.get(order.clientOrderId)
      const expected = theirs
        ? { status: theirs.status, filledQuantityWad: theirs.filledWad }
        : {
            status: order.cancelRequested && order.submitAttempts === 0 ? 'canceled' : 'rejected',
            filledQuantityWad: 0n,
          }
      expect({ id: order.clientOrderId, status: order.status, filledQuantityWad: order.filledQuantityWad }).toEqual({
        id: order.clientOrderId,
        ...expected,
      })
    }
    const byId = (a: { executionId: string }, b: { executionId: string }) => (a.executionId < b.executionId ? -1 : 1)
    const ours = (await unsettledExecutions(sql, CHAIN)).map(
      ({ executionId, clientOrderId, symbol, side, quantityWad, price8, timeMs }) => ({
        executionId,
        clientOrderId,
        symbol,
        side,
        quantityWad,
        price8,
        timeMs,
      }),
    )
    const theirs = server.account.activities.map(({ id, order, quantityWad, price8, timeMs }) => ({
      executionId: id,
      clientOrderId: order.body.client_order_id,
      symbol: order.body.symbol,
      side: order.body.side,
      quantityWad,
      price8,
      timeMs,
    }))
    expect(ours.toSorted(byId)).toEqual(theirs.toSorted(byId))
    expect(theirs.length).toBeGreaterThan(100)
    expect(server.account.orders.size).toBeGreaterThan(100)
    market.close()
    await server.stop()
    await db.drop()
  },
)
