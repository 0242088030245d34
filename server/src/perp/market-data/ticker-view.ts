import Type from 'typebox'
import type { BlockInfo } from '../../http/product.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import { wad } from '../schemas.ts'
import { hourlyRate } from './funding.ts'
import { PRICE_STATUS_MEANING, PRICE_STATUSES } from './price-status.ts'
import type { PairSummary } from './summary.ts'

const seconds = (description: string) => Type.Integer({ description: `${description}, Unix seconds.` })
const price = (description: string) => Type.Number({ description: `${description}, in the quote.` })

/** Row 5 of perp-api 2B. */
export const tickerSchema = Type.Object({
  instrumentAddress: Type.String(),
  symbol: Type.String(),
  expiry: Type.Integer({ description: 'Unix seconds; 4294967295 is the perpetual.' }),
  lastPrice: wad('Price of the last trade; before the first one the curve’s'),
  priceChange24H: wad('How far it is from openPrice24h'),
  priceChangePercent24h: wad('The same as a part of openPrice24h, where 10000000000000000 is one percent'),
  openPrice24h: price('The last price before the day, or its first'),
  highPrice24h: price('Highest price of the day'),
  lowPrice24h: price('Lowest price of the day'),
  volume24h: wad('Base traded in the day'),
  quoteVolume24h: wad('Quote traded in the day'),
  openTime24h: seconds('Where the day begins, at a whole minute'),
  closeTime24h: seconds('Where it ends'),
  markPrice: wad('What positions are judged by; 0 while the price source gives none'),
  spotPrice: wad('Price of the source; 0 while it gives none'),
  priceStatus: Type.Enum([...PRICE_STATUSES], { description: PRICE_STATUS_MEANING }),
  openInterest: wad('Base held long, by traders and within ranges'),
  fundingRate: wad(
    'What the paying side pays in an hour at present prices, as a part of the mark price: longs where it is positive, shorts where it is negative; 0 of a dated pair',
  ),
  timestamp: seconds('Time of the block'),
})

export const tickerExample = {
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  symbol: 'BTC/USDC',
  expiry: 4_294_967_295,
  lastPrice: '60120500000000000000000',
  priceChange24H: '120500000000000000000',
  priceChangePercent24h: '2008333333333333',
  openPrice24h: 60_000,
  highPrice24h: 60_480.25,
  lowPrice24h: 59_710.5,
  volume24h: '12500000000000000000',
  quoteVolume24h: '751506250000000000000000',
  openTime24h: 1_763_913_600,
  closeTime24h: 1_764_000_005,
  markPrice: '60100000000000000000000',
  spotPrice: '60100000000000000000000',
  priceStatus: 'LIVE' as const,
  openInterest: '41000000000000000000',
  fundingRate: '14212423738214',
  timestamp: 1_764_000_005,
}

/** A pair's ticker on the wire. */
export function tickerView(pair: PairSummary, { timestampSec }: BlockInfo) {
  const { instrument, state, prices } = pair
  const { amm, priceData } = state
  const change = prices.lastWad - prices.openWad
  return {
    instrumentAddress: instrument.address,
    symbol: instrument.symbol,
    expiry: pair.expiry,
    lastPrice: String(prices.lastWad),
    priceChange24H: String(change),
    priceChangePercent24h: String((change * WAD) / prices.openWad),
    openPrice24h: jsonNumber(prices.openWad, WAD_DECIMALS),
    highPrice24h: jsonNumber(prices.highWad, WAD_DECIMALS),
    lowPrice24h: jsonNumber(prices.lowWad, WAD_DECIMALS),
    volume24h: String(pair.baseVolumeWad),
    quoteVolume24h: String(pair.quoteVolumeWad),
    openTime24h: pair.openSec,
    closeTime24h: Number(timestampSec),
    markPrice: String(priceData.markPrice),
    spotPrice: String(priceData.spotPrice),
    priceStatus: pair.priceStatus,
    openInterest: String(amm.openInterests),
    fundingRate: String(hourlyRate(pair)),
    timestamp: Number(timestampSec),
  }
}
