import { Check } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import type { LatestQuote, ListedSymbol } from '../../market/store.ts'
import { configSchema, configView } from '../listing/config-view.ts'
import { priceIdOf } from '../listing/price-id.ts'
import { priceView, priceViewSchema, symbolSchema, symbolView } from '../listing/symbol-view.ts'
import { mappingStatus } from '../recording/mapping.ts'
import { stockReverts } from '../reverts/stock-reverts.ts'
import { pageOf } from '../schemas.ts'
import { notionalWad, priceWad } from '../units.ts'
import { walletOf } from './user-id.ts'

const wire = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('units', () => {
  it('a price with 8 decimals is the same price with 18', () => {
    expect(priceWad(34_015_500_000n)).toBe(340_155_000_000_000_000_000n)
  })

  it('a notional is rounded up for what a user pays and down for what it gets', () => {
    expect(notionalWad(1n, 1n, 'Buy')).toBe(1n)
    expect(notionalWad(1n, 1n, 'Sell')).toBe(0n)
    expect(notionalWad(WAD, 5n, 'Buy')).toBe(5n)
    expect(notionalWad(WAD, 5n, 'Sell')).toBe(5n)
    expect(notionalWad(WAD / 3n, 3n * WAD, 'Buy')).toBe(WAD - 1n)
  })
})

describe('pageOf', () => {
  it.each([
    [{}, { limit: 10, offset: 0 }],
    [{ page: 3 }, { limit: 10, offset: 20 }],
    [
      { page: 0, limit: 0 },
      { limit: 10, offset: 0 },
    ],
    [
      { page: -5, limit: -1 },
      { limit: 10, offset: 0 },
    ],
    [
      { page: 2, limit: 100 },
      { limit: 100, offset: 100 },
    ],
    [
      { page: 2, limit: 101 },
      { limit: 100, offset: 100 },
    ],
    [
      { page: 999_999_999_999_999, limit: 100 },
      { limit: 100, offset: 10_000_000 },
    ],
  ])('%j', (query, page) => {
    expect(pageOf(query)).toEqual(page)
  })
})

it('a user id is trimmed and lower-cased', () => {
  expect(walletOf(` \t0x${'Ab'.repeat(20)} `)).toBe(`0x${'ab'.repeat(20)}`)
})

it('a price id is the hash of the ticker', () => {
  expect(priceIdOf('AAPL')).toMatch(/^0x3a54a9a6/)
})

describe('a revert', () => {
  it('is named with its arguments when it is one of the product’s, else given raw', () => {
    const stale = '0x' as const
    expect([stockReverts.name(null), stockReverts.name(stale)]).toEqual([null, null])
    expect(stockReverts.name('0xdeadbeef')).toBe('0xdeadbeef')
    expect(stockReverts.decode('0xdeadbeef')).toBeNull()
    // EnforcedPause(), of OpenZeppelin.
    expect(stockReverts.name('0xd93c0665')).toBe('EnforcedPause()')
  })
})

describe('mappingStatus', () => {
  const row = { succeeded: null, operationId: null } as Parameters<typeof mappingStatus>[0]
  it('is pending, confirmed or failed', () => {
    expect(mappingStatus(row)).toBe('pending')
    expect(mappingStatus({ ...row, succeeded: true, operationId: '0x01' })).toBe('confirmed')
    expect(mappingStatus({ ...row, succeeded: true })).toBe('failed')
    expect(mappingStatus({ ...row, succeeded: false })).toBe('failed')
  })
})

describe('GET /config', () => {
  it('has fractions, human units and each token’s limits', () => {
    const settings = {
      creditBufferWad: 19_999_500_000_000_000_000_000n,
      creditBufferCapacityWad: 20_000n * WAD,
      instantThresholdDivisor: 5,
      depositFeePpm: 0,
      withdrawFeePpm: 2100,
      buyThirdPartyPpm: 1000,
      buyProtocolPpm: 100,
      sellThirdPartyPpm: 0,
      sellProtocolPpm: 100,
      updatedAtSec: 1_700_000_000n,
    }
    const token = {
      token: `0x${'5'.repeat(40)}` as const,
      symbol: 'USDC',
      decimals: 6,
      minAmountRaw: 1_500_000n,
      usdRateE6: 999_900n,
      depositPaused: true,
      withdrawPaused: false,
      withdrawBufferRaw: 1n,
      withdrawBufferCapacityRaw: 50_000_000_000n,
    }
    const view = wire(configView({ chainId: 31_337, productType: 'Bourse', settings, cashTokens: [token] }))
    expect(Check(configSchema, view)).toBe(true)
    expect(view).toMatchObject({
      cashierBuffer: { creditBuffer: '19999.5', creditBufferCapacity: '20000', instantThresholdDivisor: 5 },
      exchangeFeeConfig: { chainId: 31_337, productType: 'Bourse', buyFeeRate: 0.0011, sellFeeRate: 0.0001 },
      cashierTokenConfig: [
        {
          minAmount: '1.5',
          usdRate: 0.9999,
          depositPaused: true,
          withdrawPaused: false,
          withdrawalBuffer: '0.000001',
          withdrawalBufferCapacity: '50000',
        },
      ],
    })
    expect(view.exchangeFeeConfig).toMatchObject({ withdrawFeeRate: 0.0021, buyThirdPartyFeeRate: 0.001 })
  })
})

describe('symbols and prices', () => {
  const quote: LatestQuote = {
    price8: 34_015_500_000n,
    bid8: 34_011_000_000n,
    ask8: 34_020_000_000n,
    open8: 33_000_000_000n,
    high8: 34_100_000_000n,
    low8: 32_900_000_000n,
    previousClose8: 33_500_000_000n,
    change24h8: -515_500_000n,
    change24hPpm: -15_388n,
    volume24hWad: 12_345_678_900_000_000_000n,
    session: 2,
    sourceTimeMs: 1_700_000_000_999,
  }
  const market: ListedSymbol = {
    symbol: 'AAPL',
    name: 'Apple Inc.',
    tradable: true,
    fractionable: true,
    overnightTradable: false,
    fractionalEhEnabled: false,
    logoUrl: '',
    pdfUrl: '',
    steps: { price8: 1_000_000n, quantityWad: 10n ** 9n, notionalWad: 10n ** 9n, leastNotionalWad: 0n },
    quote,
  }
  const token = {
    token: `0x${'6'.repeat(40)}` as const,
    ticker: 'AAPL',
    symbol: 'aAAPL',
    name: 'Apple aStock',
    tradable: true,
    depositPaused: false,
    withdrawPaused: false,
  }

  it('a symbol has its contract and its last price', () => {
    const view = wire(symbolView({ token, market, underlying: market, sharesPerTokenWad: WAD }))
    expect(Check(symbolSchema, view)).toBe(true)
    expect(view).toMatchObject({
      symbol: 'AAPL',
      name: 'Apple Inc.',
      contractAddress: token.token,
      contractSymbol: 'aAAPL',
      contractName: 'Apple aStock',
      decimals: 18,
      onChainDecimals: 18,
      tradable: true,
      price: 340.155,
      change24H: -5.155,
      change24HPercent: -1.5388,
      volume24H: 12.3456789,
      lastUpdateTimestamp: 1_700_000_000,
    })
  })

  it('a symbol without a quote has nulls, never a zero price', () => {
    const view = wire(
      symbolView({
        token: { ...token, tradable: false },
        market: { ...market, quote: null },
        underlying: { ...market, quote: null },
        sharesPerTokenWad: WAD,
      }),
    )
    expect(Check(symbolSchema, view)).toBe(true)
    const nothing = { price: null, change24H: null, change24HPercent: null, volume24H: null, lastUpdateTimestamp: null }
    expect(view).toMatchObject({ ...nothing, tradable: false })
  })

  it('a price has the quote, and the token where there is one', () => {
    const view = wire(
      priceView({ underlying: market, stock: { token, market, underlying: market, sharesPerTokenWad: WAD } }),
    )
    expect(Check(priceViewSchema, view)).toBe(true)
    expect(view.basicInfo).toMatchObject({ bid: 340.11, ask: 340.2, open: 330, high: 341, low: 329, prevClose: 335 })
    expect(view.onChain).toMatchObject({ contractAddress: token.token })
    const without = wire(priceView({ underlying: { ...market, quote: null }, stock: null }))
    expect(Check(priceViewSchema, without)).toBe(true)
    expect(without).toMatchObject({ basicInfo: { price: null, bid: null }, onChain: null })
  })
})
