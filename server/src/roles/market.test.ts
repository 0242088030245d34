import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chainProfile } from '../chain/profiles.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { testVenue } from '../http/testing.ts'
import { systemClock } from '../lib/clock.ts'
import { createLogger } from '../lib/logger.ts'
import { type Environment, readVariables } from '../lib/variables.ts'
import { WAD } from '../lib/wad.ts'
import { settingsOf, until, wireServer } from '../market/alpaca/testing/harness.ts'
import type { WireServer } from '../market/alpaca/testing/wire-server.ts'
import { requestOrder } from '../market/broker-orders.ts'
import { findBrokerOrders } from '../market/broker-store.ts'
import { marketListings, openMarket } from '../market/open.ts'
import { latestQuote, listSymbols } from '../market/store.ts'
import { marketTasks } from '../market/tasks.ts'
import { type MarketSettings, marketVariables } from '../market/variables.ts'
import { runKeeper } from './keeper.ts'

const CHAIN = 31_337
const log = createLogger('silent')

let db: TestDatabase
let server: WireServer
beforeEach(async () => {
  db = await testDatabase()
  server = await wireServer(systemClock)
})
afterEach(async () => {
  await server.stop()
  await db.drop()
})

const settings = (environment: Environment) => readVariables([marketVariables], environment).values as MarketSettings

function configured() {
  const { keyId, secretKey, tradingUrl, dataUrl, streamUrl } = settingsOf(server)
  return settings({
    BROKER: 'alpaca',
    MARKET_HOURS: 'calendar',
    ALPACA_SYMBOLS: 'AAPL,MSFT',
    ALPACA_KEY_ID: keyId,
    ALPACA_SECRET_KEY: secretKey,
    ALPACA_TRADING_URL: tradingUrl,
    ALPACA_DATA_URL: dataUrl,
    ALPACA_STREAM_URL: streamUrl,
  })
}

/** A trade and a quote of the newest moment the market was open. */
function newest(timeMs: number) {
  const t = new Date(timeMs).toISOString()
  return { latestTrade: { t, p: 229.5, s: 1, c: ['@'], i: 1 }, latestQuote: { t, bp: 229.4, ap: 229.6 } }
}

describe('the keeper over BROKER=alpaca', () => {
  it('lists, quotes, sends, collects, and stops with its connections closed', async () => {
    const market = await openMarket(db.sql, configured(), [], log)
    server.data.snapshots = { AAPL: newest(market.hours.lastOpen(Date.now())) }
    const stop = new AbortController()
    const venue = testVenue({ sql: db.sql, clock: systemClock })
    const context = { venue, profile: chainProfile(CHAIN), metrics: new Registry(), signal: stop.signal }
    const chainId = venue.deployment.chainId
    const order = { clientOrderId: 'a', symbol: 'AAPL', type: 'market', side: 'buy', expiresAtMs: null } as const
    await requestOrder(db.sql, market.broker, chainId, { ...order, notionalWad: 1000n * WAD })
    const done = runKeeper(context, () => [...marketTasks(market), ...market.tasks()]).finally(() => market.close())
    await until(async () => (await findBrokerOrders(db.sql, chainId, ['a']))[0]?.status === 'filled')
    // The first round of quotes may come before the symbols are listed; the next source time is a new quote.
    await until(async () => {
      server.tell([{ T: 'q', S: 'AAPL', ...newest(market.hours.lastOpen(Date.now())).latestQuote }])
      return (await latestQuote(db.sql, 'AAPL')) !== null
    })
    expect((await listSymbols(db.sql)).map(({ symbol }) => symbol)).toEqual(['AAPL', 'MSFT'])
    expect(await market.broker.positions()).toEqual([
      { symbol: 'AAPL', quantityWad: server.account.order('a').filledWad },
    ])
    stop.abort()
    await done
    await until(() => server.updateSockets.size + server.dataSockets.size === 0)
  })

  it('names the stocks of an embedded chain as the broker does, and refuses what it does not know', async () => {
    expect((await marketListings(configured(), [])).stocks).toEqual([
      { ticker: 'AAPL', company: 'Apple Inc. Common Stock' },
      { ticker: 'MSFT', company: 'Microsoft Corporation Common Stock' },
    ])
    const unknown = marketListings({ ...configured(), ALPACA_SYMBOLS: 'AAPL,NONE' }, [])
    await expect(unknown).rejects.toThrow('the broker does not know NONE')
  })

  it('refuses the database of a simulated market, and the simulator that of an account', async () => {
    await openMarket(db.sql, settings({}), [], log)
    await expect(openMarket(db.sql, configured(), [], log)).rejects.toThrow('belongs to the market "simulator"')
    await db.sql`update market_origin set origin = 'alpaca one'`
    await expect(openMarket(db.sql, settings({}), [], log)).rejects.toThrow('belongs to the market "alpaca one"')
  })
})
