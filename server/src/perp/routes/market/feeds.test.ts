import { type ContractFunctionName, keccak256, toBytes } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stockOracleAbi } from '../../../chain/abi/stock-oracle.ts'
import { testFeedAbi } from '../../../chain/abi/test-feed.ts'
import type { ArgumentsOf } from '../../../chain/calls.ts'
import type { Hex } from '../../../chain/types.ts'
import { WAD } from '../../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { type PerpApi, servePerp } from '../../testing/api.ts'
import { PRICES } from '../../testing/chain.ts'
import { MarketWorld } from '../../testing/market-world.ts'
import { setFeed } from '../../testing/trader.ts'

// A feed that gives no answer is the matter of its own instrument: the others go on, and it says why it has no price.

const PRICE8 = 5_000n * 10n ** 8n
const SPX = keccak256(toBytes('SPX'))
const [CLOSED, REGULAR] = [0, 2]

let world: MarketWorld
let trading: PerpApi
beforeAll(async () => {
  world = await MarketWorld.start([...PRICES, { symbol: 'SPX', price8: PRICE8 }])
  await setFeed(world.chain, 'BTC', 60_000n * 10n ** 8n)
  await setFeed(world.chain, 'ETH', 3_000n * 10n ** 8n)
  trading = await servePerp(world.chain)
})
afterAll(async () => {
  await trading?.close()
  await world?.close()
})

async function asAdmin<Name extends ContractFunctionName<typeof stockOracleAbi>>(
  functionName: Name,
  args: ArgumentsOf<typeof stockOracleAbi, Name>,
): Promise<void> {
  const { chain } = world
  const oracle = chain.contract('StockOracle')
  const sent = chain.send<typeof stockOracleAbi, Name>(chain.accounts.admin, oracle, stockOracleAbi, functionName, args)
  expect(await sent).toBe('success')
}

async function publish(session: number): Promise<void> {
  const { timestamp } = await world.chain.rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
  const update = { priceId: SPX, price: PRICE8, bestBid: 0n, bestAsk: 0n, session }
  await asAdmin('publish', [[{ ...update, feedUpdateTimestamp: BigInt(timestamp) }]])
}

/** The price status of each instrument, wherever market data tells it. */
async function statuses(): Promise<readonly string[]> {
  await world.indexed()
  const tickers = await world.get('/v4/public/trader/market/tickers')
  const list = await world.get('/v4/public/market/marketList')
  const found = [tickers, list].map(({ status, code, data }) => {
    expect([status, code]).toEqual([200, 0])
    return data.map((pair: { symbol: string; priceStatus: string; spotPrice: string; markPrice: string }) => {
      const isLive = pair.priceStatus === 'LIVE'
      expect([BigInt(pair.spotPrice) > 0n, BigInt(pair.markPrice) > 0n]).toEqual([isLive, isLive])
      return `${pair.symbol} ${pair.priceStatus}`
    })
  })
  expect(found[1]).toEqual(found[0])
  return found[0] as readonly string[]
}

/** Asks what a market order of a wallet would do. */
function preview(instrument: string) {
  const user = world.chain.accounts.users[0]?.address as string
  const order = { side: 1, size: '0.1', leverage: '5', slippageBps: 100, expiry: PERPETUAL_EXPIRY }
  return trading.post('order/preview', { action: 'market', params: { ...order, instrument } }, user.toLowerCase())
}

const others = ['BTC/USDC LIVE', 'ETH/USDC LIVE']

describe('an instrument whose feed gives no answer', () => {
  it('before the first price: it has none yet, and everything else is read as ever', async () => {
    expect(await statuses()).toEqual([...others, 'SPX/USDC NONE'])
    const listed = await world.get('/v4/public/mm/instruments-info')
    expect(listed.data.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['BTC/USDC', 'ETH/USDC', 'SPX/USDC'])
    const book = await world.get('/v4/public/trader/market/orderBook', { symbol: 'SPX/USDC', depth: 10 })
    expect([book.status, book.data['1'].bids.length]).toEqual([200, 10])
    await publish(REGULAR)
    expect(await statuses()).toEqual([...others, 'SPX/USDC LIVE'])
    const ticker = await world.get('/v4/public/trader/market/tickers', { symbol: 'SPX/USDC' })
    expect(ticker.data.spotPrice).toBe(String((PRICE8 * WAD) / 10n ** 8n))
  })

  it('frozen: it says so, refuses actions by name, and the others trade on', async () => {
    await publish(REGULAR)
    await asAdmin('freezeFeed', [SPX])
    expect(await statuses()).toEqual([...others, 'SPX/USDC FROZEN'])
    const refused = await preview('SPX/USDC')
    expect([refused.status, refused.code, refused.reason]).toEqual([400, 40003, 'would_revert'])
    expect(refused.msg).toContain('a guardian has frozen it')
    expect((await preview('BTC/USDC')).msg).not.toContain('InvalidCexPrice')
    await asAdmin('unfreezeFeed', [SPX])
    expect(await statuses()).toEqual([...others, 'SPX/USDC LIVE'])
  })

  it('closed, or too old: it is out of date, and a closed market refuses actions by name', async () => {
    await publish(CLOSED)
    const refused = await preview('SPX/USDC')
    expect([refused.status, refused.code, refused.reason]).toEqual([400, 40003, 'would_revert'])
    expect(refused.msg).toContain('InvalidCexPrice')
    expect(refused.msg).toContain('closed')
    const { chain } = world
    const past = [60_000n * 10n ** 8n, BigInt(Math.floor(Date.now() / 1000) - 100_000)] as const
    const feed = chain.contract('PerpFeedBTC')
    expect(await chain.send(chain.accounts.oracle, feed, testFeedAbi, 'setAt', past)).toBe('success')
    expect(await statuses()).toEqual(['BTC/USDC STALE', 'ETH/USDC LIVE', 'SPX/USDC STALE'])
  })
})
