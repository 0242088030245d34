import { decodeFunctionData } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { createLogger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { INTERVALS } from '../../market/candles.ts'
import { pollQuotes } from '../../market/tasks.ts'
import { splitCommand } from '../keeper/split-commands.ts'
import { stockStreamSource } from '../streams/source.ts'
import { serveApi } from '../testing/api.ts'
import { AAPL, CHAIN_ID } from '../testing/chain.ts'
import { testContext } from '../testing/context.ts'
import { KeeperWorld, START_MS } from '../testing/keeper.ts'

// A client that copies prices from quotes into limits, across a split of four that takes effect in the middle of a minute.

let world: KeeperWorld
let api: Awaited<ReturnType<typeof serveApi>>
beforeEach(async () => {
  world = await KeeperWorld.open()
  api = await serveApi(world.venue)
})
afterEach(async () => {
  await api.close()
  await world.drop()
})

const SPLIT_MS = START_MS + 90_500

/** Quotes of a share: its price in cents, and how many shares were traded so far, by the source's counter. */
async function quote(afterMs: number, cents: number, shares: number): Promise<void> {
  const timeMs = START_MS + afterMs
  world.nowMs = timeMs
  const price8 = BigInt(cents) * 1_000_000n
  const one = { symbol: 'AAPL', price8, bid8: price8 - 1_000_000n, ask8: price8 + 1_000_000n }
  const latestQuotes = async () => [{ ...one, volumeWad: BigInt(shares) * WAD, timeMs }]
  const source = { name: 'test', symbols: () => [], latestQuotes }
  const venue = { sql: world.sql, log: createLogger('silent') }
  await pollQuotes(venue, { source, clock: world.venue.clock, hours: world.hours })
  // The catalogue is read anew once it is older than a moment.
  world.nowMs += 400
}

async function split(exDate: string): Promise<void> {
  world.nowMs = SPLIT_MS
  const args = ['apply', '--symbol', 'AAPL', '--from', '1', '--to', '4', '--ex-date', exDate]
  await splitCommand(args, { sql: world.sql, chainId: CHAIN_ID, clock: world.venue.clock, actor: 'cli:test' })
}

/** A day of 200 dollars a token: a share is worth 200 before the split and 50 after it; 8 tokens' worth is traded. */
async function dayWithSplit(exDate: string): Promise<void> {
  await quote(0, 20_000, 0)
  await quote(30_000, 20_000, 2)
  await quote(80_000, 20_000, 4)
  await split(exDate)
  await quote(100_000, 5_000, 24)
  await quote(130_000, 5_000, 32)
}

// biome-ignore lint/suspicious/noExplicitAny: what is in an answer is what the test looks at
const get = async (path: string): Promise<any> => {
  const { code, data, errMsg } = await api.get(path)
  expect([code, errMsg]).toEqual([200, ''])
  return data
}

describe.each([
  ['that is the day of its application', '2026-08-03'],
  ['that has long passed', '2020-08-31'],
])('a split with an ex-date %s', (_, exDate) => {
  beforeEach(() => dayWithSplit(exDate))

  it('leaves every figure of a token where it was, and says what a token stands for', async () => {
    const [symbol] = (await get('/symbols')).filter(({ symbol: ticker }: { symbol: string }) => ticker === 'AAPL')
    const steps = { priceIncrement: 0.04, quantityIncrement: 2.5e-10, minQuantity: 2.5e-10, sharesPerToken: 4 }
    expect(symbol).toMatchObject({ price: 200, volume24H: 8, ...steps })
    const price = await get('/prices/AAPL')
    const day = { open: 200, high: 200, low: 200 }
    expect(price.basicInfo).toMatchObject({ unit: 'token', price: 200, bid: 199.96, ask: 200.04, volume24H: 8, ...day })
    expect(price.onChain).toMatchObject(steps)
    const share = await get('/underlying/AAPL/price')
    expect(share).toMatchObject({ unit: 'share', price: 50, bid: 49.99, ask: 50.01, open: 50, high: 50, volume24H: 32 })
  })

  it.each(['raw', 'split', 'dividend', 'spin-off', 'all'])('leaves recorded bars where they were: %s', async (kind) => {
    for (const interval of INTERVALS) {
      const bars = await get(`/prices/AAPL/history?endTime=4000000000&interval=${interval}&adjustment=${kind}`)
      expect(bars.length, interval).toBe(interval === '1m' ? 3 : 1)
      let volume = 0
      for (const bar of bars) {
        expect(bar, interval).toMatchObject({ open: 200, high: 200, low: 200, close: 200 })
        volume += bar.volume
      }
      expect(volume, interval).toBe(8)
    }
  })

  it('streams what GET shows', async () => {
    const source = stockStreamSource(testContext(world.venue))
    const caller = { keyId: 'bound', access: 'READ_ONLY' as const, userAddress: null }
    const dataOf = async (channel: string) => {
      const name = await source.resolve(channel, caller)
      return JSON.parse((await source.snapshot(name)).dataJson)
    }
    expect(await dataOf('quotes:AAPL')).toEqual(await get('/prices/AAPL'))
    expect(await dataOf('candles:AAPL:1m')).toEqual(
      await get('/prices/AAPL/history?endTime=4000000000&interval=1m&adjustment=all'),
    )
  })

  it('lets a limit that is copied from the quote reach the broker at the price of a share', async () => {
    const { basicInfo, onChain } = await get('/prices/AAPL')
    for (const [side, price, shareCents] of [
      ['Buy', basicInfo.ask, 5_001],
      ['Sell', basicInfo.bid, 4_999],
    ] as const) {
      const terms = { side, type: 'Limit', quantity: 2, price, timeInForce: 'DAY', deadline: 2_000_000_000 }
      const { code, data } = await api.post('/orders/calldata', { stockAddress: AAPL, ...terms })
      expect(code).toBe(200)
      const { args } = decodeFunctionData({ abi: stockRouterAbi, data: data.callData })
      const [, quantity, limit] = args as unknown as readonly [string, bigint, bigint]
      const orderId = await world.placeLimit(quantity, limit)
      await world.trade()
      const [row] = await world.sql`
        select quantity_wad, limit_price8 from broker_orders where client_order_id = ${orderId}`
      expect(row).toEqual({ quantity_wad: 8n * WAD, limit_price8: BigInt(shareCents) * 1_000_000n })
    }
    expect(onChain.sharesPerToken).toBe(4)
  })
})

it('a minute without a quote after the split is in the new shares all the same', async () => {
  await quote(0, 20_000, 0)
  await quote(80_000, 20_000, 4)
  await split('2026-08-03')
  await quote(150_000, 5_000, 24)
  for (const kind of ['raw', 'all']) {
    for (const interval of INTERVALS) {
      const bars = await get(`/prices/AAPL/history?endTime=4000000000&interval=${interval}&adjustment=${kind}`)
      for (const bar of bars) expect([interval, bar.open, bar.close]).toEqual([interval, 200, 200])
    }
  }
})
