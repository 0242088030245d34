import { inTransaction } from '../../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../../db/testing.ts'
import { WAD } from '../../../lib/wad.ts'
import { collectExecutions, submitOrder } from '../../broker-orders.ts'
import { findBrokerOrders, type OrderRecord } from '../../broker-store.ts'
import { usCalendar } from '../../calendar/us-calendar.ts'
import type { BrokerOrderRequest } from '../../ports.ts'
import { upsertSymbols } from '../../store.ts'
import { placeWithBroker } from '../../testing-broker.ts'
import type { OpenMarket } from '../market.ts'
import { readInstruments } from '../reference-data.ts'
import { alpacaRest } from '../rest.ts'
import { type Clock, type MarketChanges, openTestMarket, settingsOf, testClock, USD8, wireServer } from './harness.ts'
import type { WireServer } from './wire-server.ts'

const CHAIN = 31_337

/** A venue's database with listed symbols, a market over it, and the server that the market talks to. */
export class Stage {
  readonly db: TestDatabase
  readonly clock: Clock
  readonly server: WireServer
  market: OpenMarket
  readonly #opened: OpenMarket[]

  private constructor(db: TestDatabase, clock: Clock, server: WireServer, market: OpenMarket) {
    this.db = db
    this.clock = clock
    this.server = server
    this.market = market
    this.#opened = [market]
  }

  static async open(): Promise<Stage> {
    const [db, clock] = [await testDatabase(), testClock()]
    const server = await wireServer(clock)
    const settings = settingsOf(server)
    const instruments = await readInstruments({ ...settings, rest: alpacaRest(settings) })
    await inTransaction(db.sql, (tx) => upsertSymbols(tx, instruments))
    return new Stage(db, clock, server, await openTestMarket(db.sql, server, clock))
  }

  /** Ends the process that works with the broker, and starts another. */
  async reopen(changes?: MarketChanges): Promise<void> {
    this.market.close()
    this.market = await openTestMarket(this.db.sql, this.server, this.clock, changes)
    this.#opened.push(this.market)
  }

  async close(): Promise<void> {
    for (const market of this.#opened) market.close()
    await this.server.stop()
    await this.db.drop()
  }

  /** A buy of three AAPL at 200 USD or less, for the day. */
  limit(clientOrderId: string, changes: Partial<BrokerOrderRequest> = {}): BrokerOrderRequest {
    return {
      clientOrderId,
      symbol: 'AAPL',
      type: 'limit',
      side: 'buy',
      quantityWad: 3n * WAD,
      limitPrice8: 200n * USD8,
      expiresAtMs: usCalendar.dayOrderExpiry(this.clock.nowMs()),
      ...(changes as object),
    }
  }

  place(order: BrokerOrderRequest): Promise<OrderRecord> {
    return placeWithBroker(this.db.sql, this.market.broker, CHAIN, order)
  }

  submitAgain(clientOrderId: string): Promise<OrderRecord> {
    return submitOrder(this.db.sql, this.market.broker, CHAIN, clientOrderId)
  }

  collect(): ReturnType<typeof collectExecutions> {
    return collectExecutions(this.db.sql, this.market.broker, CHAIN)
  }

  async order(clientOrderId: string): Promise<OrderRecord | undefined> {
    return (await findBrokerOrders(this.db.sql, CHAIN, [clientOrderId]))[0]
  }

  /** Requests that sent an order. */
  get posts(): number {
    return this.server.requests.filter((request) => request.startsWith('POST')).length
  }
}
