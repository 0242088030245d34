import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { type ListedInstrument, PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { barInUsd } from './candle-view.ts'
import { pairView } from './pair-view.ts'
import type { PairSummary } from './summary.ts'
import { tickerView } from './ticker-view.ts'

const [STABLE, NONSTABLE] = [1, 2]
const DATED = 1_767_340_800
const NOW_SEC = 1_764_000_000n

/** A pair whose curve stands a hundredth above its mark price. */
function pair(expiry = PERPETUAL_EXPIRY, quoteType = STABLE): PairSummary {
  const markWad = 50_000n * WAD
  const fairWad = 50_500n * WAD
  const instrument = {
    address: `0x${'b'.repeat(40)}`,
    symbol: 'BTC/USDC',
    base: 'BTC',
    quote: { symbol: 'USDC', address: `0x${'c'.repeat(40)}`, decimals: 6 },
    quoteType,
    market: { address: `0x${'a'.repeat(40)}`, type: 'LINK' },
  } as unknown as ListedInstrument
  return {
    instrument,
    expiry,
    state: {
      amm: { openInterests: 4n * WAD, totalLong: 3n * WAD, totalShort: 2n * WAD, involvedFund: 900n * WAD, status: 1 },
      priceData: { markPrice: markWad, spotPrice: markWad },
      setting: { symbol: 'BTC-USDC-LINK', fundingHour: 10, initialMarginRatio: 1000 },
      condition: 0,
    } as unknown as PairSummary['state'],
    priceStatus: 'LIVE',
    fairWad,
    prices: { openWad: fairWad, highWad: fairWad, lowWad: fairWad, lastWad: fairWad },
    baseVolumeWad: 7n * WAD,
    quoteVolumeWad: 350_000n * WAD,
    tradeFeeWad: 70n * WAD,
    openSec: 1_763_913_600,
    lastHour: null,
  }
}

describe('a pair on the wire', () => {
  it('has funding at the gap between its prices, and none where it has an end', () => {
    const block = { height: 9n, timestampSec: NOW_SEC }
    const perpetual = pairView(pair(), NOW_SEC)
    expect(perpetual.fundingRatePerHour).toBe(String(WAD / 1000n))
    expect(tickerView(pair(), block).fundingRate).toBe(perpetual.fundingRatePerHour)
    const dated = pairView(pair(DATED), NOW_SEC)
    expect([dated.fundingRatePerHour, dated.periods1hFunding]).toEqual(['0', { long: '0', short: '0' }])
    expect(tickerView(pair(DATED), block).fundingRate).toBe('0')
  })

  it.each([
    ['longs pay', 50_500n, [3n, 2n], [WAD / 1000n, (-WAD * 15n) / 10_000n]],
    ['shorts pay', 49_500n, [3n, 2n], [(-WAD * 2n) / 3000n, WAD / 1000n]],
    ['no long is there to pay', 50_500n, [0n, 2n], [0n, 0n]],
    ['no short is there to receive', 50_500n, [3n, 0n], [WAD / 1000n, 0n]],
  ])('shares the funding of an hour by the size of each side: %s', (_, fair, [long = 0n, short = 0n], paid) => {
    const summary = pair()
    const amm = { ...summary.state.amm, totalLong: long * WAD, totalShort: short * WAD }
    const { periods1hFunding } = pairView(
      { ...summary, fairWad: fair * WAD, state: { ...summary.state, amm } },
      NOW_SEC,
    )
    expect(periods1hFunding).toEqual({ long: String(paid[0]), short: String(paid[1]) })
  })

  it('has no open interest in USD while there is no mark price', () => {
    const summary = pair()
    const state = { ...summary.state, priceData: { ...summary.state.priceData, markPrice: 0n } }
    expect(pairView({ ...summary, state }, NOW_SEC)).toMatchObject({
      openInterests: String(4n * WAD),
      openInterestsUsd: null,
    })
  })

  it.each([
    ['frozen', { condition: 1 }],
    ['resolved', { condition: 2 }],
    ['settled', { amm: { ...pair().state.amm, status: 3 } }],
  ])('has no funding once it is %s, though its prices differ', (_, changed) => {
    const summary = pair()
    const state = { ...summary.state, ...changed }
    const { fundingRatePerHour, periods1hFunding } = pairView({ ...summary, state }, NOW_SEC)
    expect([fundingRatePerHour, periods1hFunding]).toEqual(['0', { long: '0', short: '0' }])
    expect(tickerView({ ...summary, state }, { height: 9n, timestampSec: NOW_SEC }).fundingRate).toBe('0')
  })

  it('is of the market type perp, whatever prices it', () => {
    expect([pairView(pair(), NOW_SEC).marketType, pairView(pair(DATED), NOW_SEC).marketType]).toEqual(['perp', 'perp'])
    expect(pairView(pair(), NOW_SEC).fullSymbol).toBe('BTC-USDC-LINK-PERP')
  })

  it('names amounts in USD where its quote is a dollar, and none where nobody knows what the quote is worth', () => {
    const inUsd = (quoteType: number) => {
      const { volume24hUsd, openInterestsUsd, tvlUsd } = pairView(pair(PERPETUAL_EXPIRY, quoteType), NOW_SEC)
      return [volume24hUsd, openInterestsUsd, tvlUsd]
    }
    expect(inUsd(STABLE)).toEqual([350_000n, 4n * 50_000n, 900n].map((usd) => String(usd * WAD)))
    expect(inUsd(NONSTABLE)).toEqual([null, null, null])
    expect(pairView(pair(PERPETUAL_EXPIRY, NONSTABLE), NOW_SEC)).toMatchObject({
      quoteVolume24h: String(350_000n * WAD),
      tvl: String(900n * WAD),
    })
    const prices = { openWad: WAD, highWad: WAD, lowWad: WAD, closeWad: WAD }
    const candle = { startSec: 0, ...prices, baseVolumeWad: WAD, quoteVolumeWad: 3n * WAD }
    const candleOf = (quoteType: number) =>
      JSON.parse(JSON.stringify(barInUsd(pair(PERPETUAL_EXPIRY, quoteType).instrument, candle)))
    expect(candleOf(STABLE)).toMatchObject({ quoteVolume: 3, volumeUSD: 3 })
    expect(candleOf(NONSTABLE)).toMatchObject({ quoteVolume: 3, volumeUSD: null })
  })
})
