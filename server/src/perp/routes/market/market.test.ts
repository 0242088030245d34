import { readFileSync } from 'node:fs'
import { parseEventLogs, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { instrumentAbi } from '../../../chain/abi/instrument.ts'
import type { DevelopmentAccount } from '../../../chain/embedded/accounts.ts'
import { createRpc } from '../../../chain/rpc.ts'
import type { Hex } from '../../../chain/types.ts'
import { testDatabase } from '../../../db/testing.ts'
import { freePort } from '../../../lib/free-port.ts'
import { WAD } from '../../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../../listing/catalogue.ts'
import { sqrtToPrice } from '../../maths/tick.ts'
import { getMarket, MarketWorld, serveMarket } from '../../testing/market-world.ts'
import { approveGate, setFeed, trade } from '../../testing/trader.ts'

const TRADER = '/v4/public/trader/market'
const MARK8 = 59_800n * 10n ** 8n

let world: MarketWorld
let btc: Hex
let user: DevelopmentAccount
/** The contract's own words for each trade. */
const trades: { readonly size: bigint; readonly entryNotional: bigint; readonly atSec: number }[] = []
beforeAll(async () => {
  world = await MarketWorld.start()
  const { chain } = world
  btc = await chain.instrument('BTC/USDC')
  user = chain.accounts.users[0] as DevelopmentAccount
  await setFeed(chain, 'BTC', MARK8)
  await setFeed(chain, 'ETH', 3_000n * 10n ** 8n)
  expect(await approveGate(chain, user, btc)).toBe('success')

  for (const size of [WAD, -WAD / 2n, 2n * WAD]) {
    expect(await trade(chain, user, btc, size, 20_000n * WAD)).toBe('success')
  }
  const logs = await chain.rpc.call<{ data: Hex; topics: Hex[]; blockNumber: Hex }[]>('eth_getLogs', [
    { address: btc, fromBlock: '0x0', toBlock: 'latest' },
  ])
  for (const log of parseEventLogs({ abi: instrumentAbi, logs: logs as never, eventName: 'Trade' })) {
    const block = await chain.rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', [
      toHex(BigInt(log.blockNumber)),
      false,
    ])
    const { size, entryNotional } = log.args
    trades.push({ size: size < 0n ? -size : size, entryNotional, atSec: Number(block.timestamp) })
  }
  await world.indexed()
})
afterAll(() => world?.close())

const exact = (text: string, field: string): string | undefined => new RegExp(`"${field}":(-?[\\d.]+)`).exec(text)?.[1]
const decimal = (wad: bigint): string => {
  const digits = wad.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}
const priceOf = ({ size, entryNotional }: { size: bigint; entryNotional: bigint }) => (entryNotional * WAD) / size
const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)

describe('GET market/orderBook', () => {
  it('gives a book for each ratio at one block, at the price the curve has there', async () => {
    const { status, code, data, blockInfo } = await world.get(`${TRADER}/orderBook`, { symbol: 'BTC/USDC', depth: 10 })
    expect([status, code]).toEqual([200, 0])
    expect(Object.keys(data)).toEqual(['1', '10', '100', '200'])
    const amm = await world.chain.readInstrument(btc, 'getAmm', [PERPETUAL_EXPIRY])
    for (const { blockInfo: own, bids, asks } of Object.values<typeof data>(data)) {
      expect(own).toEqual(blockInfo)
      expect([bids.length, asks.length]).toEqual([10, 10])
      expect(bids[0].tick).toBeLessThan(amm.tick)
      expect(asks[0].tick).toBeGreaterThan(amm.tick)
      expect(BigInt(asks[9].baseSum)).toBe(sum(asks.map((level: { baseSize: string }) => BigInt(level.baseSize))))
      expect(BigInt(bids[9].quoteSum)).toBe(sum(bids.map((level: { quoteSize: string }) => BigInt(level.quoteSize))))
    }
  })
})

describe('GET market/kline', () => {
  it.each(['1m', '5m', '15m', '30m', '1h', '4h', '8h', '12h', '1d', '1w', '1M'])(
    'draws candles of %s from the trades, with exact numbers',
    async (interval) => {
      const { status, data, text, blockInfo } = await world.get(`${TRADER}/kline`, { symbol: 'BTC/USDC', interval })
      expect(status).toBe(200)
      expect(blockInfo?.height).toBeGreaterThan(0)
      expect(data.length).toBeGreaterThan(0)
      const first = data[0]
      expect(first.openTime).toBeLessThanOrEqual(trades[0]?.atSec as number)
      expect(first.closeTime).toBeGreaterThanOrEqual(trades[0]?.atSec as number)
      expect(exact(text, 'open')).toBe(decimal(priceOf(trades[0] as (typeof trades)[0])))
      const within = trades.filter(({ atSec }) => atSec <= first.closeTime)
      expect(exact(text, 'baseVolume')).toBe(decimal(sum(within.map(({ size }) => size))))
      expect(exact(text, 'quoteVolume')).toBe(decimal(sum(within.map(({ entryNotional }) => entryNotional))))
      expect(first.high).toBeGreaterThanOrEqual(Math.max(first.open, first.close))
      expect(first.low).toBeLessThanOrEqual(Math.min(first.open, first.close))
    },
  )

  it('has no candle before the first trade, and none of a pair without trades', async () => {
    const end = (trades[0]?.atSec as number) - 120
    expect((await world.get(`${TRADER}/kline`, { symbol: 'BTC/USDC', interval: '1m', end })).data).toEqual([])
    expect((await world.get(`${TRADER}/kline`, { symbol: 'ETH/USDC', interval: '1m' })).data).toEqual([])
  })
})

describe('candles of before their fees were in them', () => {
  it('have by the migration what the indexer writes', async () => {
    const { sql } = world.venue
    const fees = async () => [...(await sql`select interval, start_sec, trade_fee_wad from perp_candles order by 1, 2`)]
    const indexed = await fees()
    expect(indexed.every((row) => row.trade_fee_wad > 0n)).toBe(true)
    const text = readFileSync(new URL('../../../db/migrations/241.do.perp-candle-fees.sql', import.meta.url), 'utf8')
    const filled = text.slice(text.indexOf('alter table perp_candles disable'))
    await sql.begin((tx) =>
      tx
        .unsafe(
          `alter table perp_candles disable trigger user; update perp_candles set trade_fee_wad = 0;
           alter table perp_candles enable trigger user; ${filled}`,
        )
        .simple(),
    )
    expect(await fees()).toEqual(indexed)
  })
})

describe('GET market/tickers', () => {
  it('gives one symbol’s last day, with prices and open interest of the block', async () => {
    const { status, data, text, blockInfo } = await world.get(`${TRADER}/tickers`, { symbol: 'BTC/USDC' })
    expect(status).toBe(200)
    const last = trades.at(-1) as (typeof trades)[0]
    const amm = await world.chain.readInstrument(btc, 'getAmm', [PERPETUAL_EXPIRY])
    const fair = sqrtToPrice(amm.sqrtPX96 as bigint)
    const mark = MARK8 * 10n ** 10n
    expect(data).toMatchObject({
      instrumentAddress: btc,
      symbol: 'BTC/USDC',
      expiry: PERPETUAL_EXPIRY,
      lastPrice: String(priceOf(last)),
      volume24h: String(sum(trades.map(({ size }) => size))),
      quoteVolume24h: String(sum(trades.map(({ entryNotional }) => entryNotional))),
      markPrice: String(mark),
      spotPrice: String(mark),
      openInterest: String(amm.openInterests),
      fundingRate: String(((fair - mark) * WAD) / mark / 24n),
      timestamp: blockInfo?.timestamp,
      closeTime24h: blockInfo?.timestamp,
    })
    const open = priceOf(trades[0] as (typeof trades)[0])
    expect(exact(text, 'openPrice24h')).toBe(decimal(open))
    expect(data.priceChange24H).toBe(String(priceOf(last) - open))
    const sorted = trades.map(priceOf).sort((a, b) => Number(a - b))
    expect(exact(text, 'highPrice24h')).toBe(decimal(sorted.at(-1) as bigint))
    expect(exact(text, 'lowPrice24h')).toBe(decimal(sorted[0] as bigint))
  })

  it('gives all without a symbol; a pair that was never traded stands at the curve’s price', async () => {
    const { data } = await world.get(`${TRADER}/tickers`)
    expect(data.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['BTC/USDC', 'ETH/USDC'])
    expect(data[1]).toMatchObject({ volume24h: '0', priceChange24H: '0', priceChangePercent24h: '0' })
    const eth = await world.chain.instrument('ETH/USDC')
    const amm = await world.chain.readInstrument(eth, 'getAmm', [PERPETUAL_EXPIRY])
    expect(data[1].lastPrice).toBe(String(sqrtToPrice(amm.sqrtPX96)))
  })
})

describe('GET market/funding/history', () => {
  it('gives what each side paid by the hour, positive where longs paid', async () => {
    const read = () => world.chain.readInstrument(btc, 'getAmm', [PERPETUAL_EXPIRY])
    do {
      expect(await world.chain.send(user, btc, instrumentAbi, 'update', [PERPETUAL_EXPIRY])).toBe('success')
    } while ((await read()).longFundingIndex === 0n)
    await world.indexed()
    const { status, data } = await world.get(`${TRADER}/funding/history`, { symbol: 'BTC/USDC' })
    expect(status).toBe(200)
    const amm = await read()
    const mark = MARK8 * 10n ** 10n
    const total = (side: 'long' | 'short') =>
      sum(data.map((hour: Record<'long' | 'short', string>) => BigInt(hour[side])))
    expect(total('long')).toBe(-((amm.longFundingIndex as bigint) * WAD) / mark)
    expect(total('short')).toBe(-((amm.shortFundingIndex as bigint) * WAD) / mark)
    // The curve stands above the mark: longs pay, and nobody else is short to receive it.
    expect(sqrtToPrice(amm.sqrtPX96 as bigint)).toBeGreaterThan(mark)
    expect(total('long')).toBeGreaterThan(0n)
    expect(total('short')).toBe(0n)
    for (const { timestamp } of data) expect(timestamp % 3600).toBe(0)
  })
})

describe('the market’s reads refuse', () => {
  const needs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    orderBook: {},
    kline: { interval: '1h' },
    tickers: {},
    'funding/history': {},
  }
  it.each(Object.entries(needs))(
    '%s: an unknown symbol, another chain, an unknown field, a wrong key',
    async (name, query) => {
      const path = `${TRADER}/${name}`
      const unknown = await world.get(path, { ...query, symbol: 'DOGE/USDC' })
      expect([unknown.status, unknown.code, unknown.reason, unknown.data]).toEqual([
        400,
        40002,
        'instrument_unknown',
        {},
      ])
      const chain = await world.get(path, { ...query, symbol: 'BTC/USDC', chainId: 1 })
      expect([chain.status, chain.code, chain.reason]).toEqual([400, 40001, 'chain_id_differs'])
      const field = await world.get(path, { ...query, symbol: 'BTC/USDC', colour: 'red' })
      expect([field.status, field.code, field.reason]).toEqual([400, 40001, 'request_invalid'])
      const nobody = await world.get(path, { ...query, symbol: 'BTC/USDC' }, null)
      expect([nobody.status, nobody.code]).toEqual([200, 0])
      const stranger = await world.get(path, { ...query, symbol: 'BTC/USDC' }, 'stranger')
      expect([stranger.status, stranger.code]).toEqual([401, 40101])
    },
  )

  it.each([
    ['kline', { interval: '2h' }],
    ['kline', {}],
    ['kline', { interval: '1h', limit: 1001 }],
    ['kline', { interval: '1h', limit: 0 }],
    ['kline', { interval: '1h', start: -1 }],
    ['kline', { interval: '1h', start: 20, end: 10 }],
    ['funding/history', { limit: 201 }],
    ['funding/history', { startTime: 20, endTime: 10 }],
    ['orderBook', { expiry: 4_294_967_296 }],
  ])('%s with %j', async (name, query) => {
    const { status, code, data } = await world.get(`${TRADER}/${name}`, { symbol: 'BTC/USDC', ...query })
    expect([status, code, data]).toEqual([400, 40001, {}])
  })

  it.each(['orderBook', 'tickers', 'kline', 'funding/history'])('%s of an expiry that is not traded', async (name) => {
    const query = { ...needs[name], symbol: 'BTC/USDC', expiry: 1_800_000_000 }
    const { status, code, reason } = await world.get(`${TRADER}/${name}`, query)
    expect([status, code, reason]).toEqual([400, 40002, 'pair_unknown'])
  })
})

describe('the market’s reads take', () => {
  const CHAIN = { chainId: 31_337 }
  it.each([
    ['the chain', '/v4/public/mm/serverTime', CHAIN],
    ['the chain', '/v4/public/mm/token/coinsWithSymbol', CHAIN],
    ['an expiry', '/v4/public/mm/instruments-info', { symbol: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }],
    ['an expiry', `${TRADER}/funding/history`, { symbol: 'BTC/USDC', expiry: PERPETUAL_EXPIRY }],
  ])('%s at %s', async (_, path, query) => {
    const { status, code } = await world.get(path, query)
    expect([status, code]).toEqual([200, 0])
    const other = await world.get(path, { ...query, chainId: 1 })
    expect([other.status, other.code, other.reason]).toEqual([400, 40001, 'chain_id_differs'])
  })
})

describe('the market’s reads say', () => {
  const reads: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    [`${TRADER}/orderBook`]: { symbol: 'BTC/USDC' },
    [`${TRADER}/kline`]: { symbol: 'BTC/USDC', interval: '1h' },
    [`${TRADER}/tickers`]: {},
    [`${TRADER}/funding/history`]: { symbol: 'BTC/USDC' },
    '/v4/public/mm/token/coinsWithSymbol': {},
    '/v4/public/market/marketList': {},
  }

  it('that the node does not answer, and show nothing older', async () => {
    const rpc = createRpc({ url: `http://127.0.0.1:${await freePort()}` })
    const { url, close } = await serveMarket({ ...world.venue, rpc })
    for (const [path, query] of Object.entries(reads)) {
      const { status, code, reason, data } = await getMarket(url, path, query)
      expect([path, status, code, reason, data]).toEqual([path, 500, 50001, 'perp_chain_unreachable', {}])
    }
    await close()
  })

  it('that nothing is indexed yet, where they are made of what is indexed', async () => {
    const database = await testDatabase()
    const { url, close } = await serveMarket({ ...world.venue, sql: database.sql })
    for (const [path, query] of Object.entries(reads).slice(1)) {
      const { status, code, reason } = await getMarket(url, path, query)
      expect([path, status, code, reason]).toEqual([path, 500, 50001, 'perp_not_indexed'])
    }
    await close()
    await database.drop()
  })
})
