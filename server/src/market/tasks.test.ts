import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRpc } from '../chain/rpc.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Venue } from '../http/product.ts'
import { createLogger } from '../lib/logger.ts'
import { requestOrder } from './broker-orders.ts'
import { findBrokerOrders } from './broker-store.ts'
import { openEmbeddedMarket } from './embedded.ts'
import { embeddedInstruments } from './instruments.ts'
import { latestQuote } from './store.ts'
import { marketTasks } from './tasks.ts'
import { unsettledExecutions } from './testing-executions.ts'

const CHAIN = 31_337

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
})
afterEach(() => database.drop())

it('quotes symbols and carries an order to the broker and its fill back, at the quoted ask', async () => {
  const marketClock = { nowMs: () => Date.UTC(2026, 7, 3, 15, 0, 0) }
  const market = await openEmbeddedMarket(database.sql, {
    seed: 'tasks',
    marketClock,
    instruments: embeddedInstruments,
    recordedFiles: [],
    maxOrderNotionalWad: 10n ** 24n,
    maxFillDelaySteps: 0,
  })
  const venue: Venue = {
    sql: database.sql,
    deployment: { chainId: CHAIN, startBlock: 0n, contracts: {} },
    clock: marketClock,
    log: createLogger('silent'),
    rpc: createRpc({ url: 'http://127.0.0.1:1' }),
  }
  const notionalWad = 25n * 10n ** 18n
  await requestOrder(database.sql, market.broker, CHAIN, {
    clientOrderId: 'o',
    symbol: 'TSLA',
    type: 'market',
    side: 'buy',
    notionalWad,
    expiresAtMs: null,
  })
  for (const task of marketTasks(market)) await task.run(venue)
  const quote = await latestQuote(database.sql, 'TSLA')
  expect(quote?.price8).toBe(30_000_000_000n)
  expect(await unsettledExecutions(database.sql, CHAIN)).toMatchObject([
    { clientOrderId: 'o', symbol: 'TSLA', price8: quote?.ask8 },
  ])
  expect(await findBrokerOrders(database.sql, CHAIN, ['o'])).toMatchObject([{ status: 'filled' }])
})
