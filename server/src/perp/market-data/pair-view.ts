import Type from 'typebox'
import { nullable } from '../../http/schemas.ts'
import type { Printed } from '../../lib/decimal.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { isDollarQuoted } from '../listing/quote.ts'
import { mulWad } from '../maths/wad.ts'
import { wad } from '../schemas.ts'
import { hourlyFunding, hourlyRate } from './funding.ts'
import { PRICE_STATUS_MEANING, PRICE_STATUSES } from './price-status.ts'
import type { PairSummary } from './summary.ts'
import { baseToken, quoteToken, tokenExample, tokenSchema } from './token-view.ts'

const RATIO_BASE = 10_000
/** What kind of market a pair is of, as the published client's server names it; the price source's kind has a field of its own. */
export const MARKET_TYPE = 'perp'

/** The venue knows USD of stable quotes alone. */
const usd = (description: string) => nullable(wad(`${description}; null where the quote is not stable`))
const sides = (description: string) =>
  Type.Object(
    { long: Type.String(), short: Type.String() },
    { description: `${description}, as a part of the mark price, positive where a side pays; 18 decimals.` },
  )

/** A pair of the market list (perp-api 7.4, 8). */
export const pairSchema = Type.Object({
  instrumentAddr: Type.String(),
  expiry: Type.Integer({ description: 'Unix seconds; 4294967295 is the perpetual.' }),
  symbol: Type.String(),
  fullSymbol: Type.String({ description: 'With the price source’s type and the expiry.' }),
  baseToken: tokenSchema,
  quoteToken: tokenSchema,
  fairPrice: wad('The curve’s price'),
  markPrice: wad('What positions are judged by; 0 while the price source gives none'),
  spotPrice: wad('Price of the source; 0 while it gives none'),
  priceStatus: Type.Enum([...PRICE_STATUSES], { description: PRICE_STATUS_MEANING }),
  fairPriceChange24h: wad('How far the curve’s price is from the price a day ago, as a part of that'),
  baseVolume24h: wad('Base traded in the day'),
  quoteVolume24h: wad('Quote traded in the day'),
  volume24hUsd: usd('The same in USD, where a stable quote counts as a dollar'),
  openInterests: wad('Base held long, by traders and within ranges'),
  openInterestsUsd: nullable(
    wad('The same in USD, at the mark price; null where the quote is not stable, and while there is no mark price'),
  ),
  longOi: wad('Base that traders hold long'),
  shortOi: wad('Base that traders hold short'),
  tvl: wad('Quote that the pair holds'),
  tvlUsd: usd('The same in USD'),
  periods1hFunding: sides('Funding of an hour at present prices for a unit of each side, which share it by size'),
  last1hFunding: sides('Funding of the last complete hour, as market/funding/history has it'),
  fundingRatePerHour: wad(
    'What the paying side pays in an hour at present prices, as a part of the mark price: longs where it is positive, else shorts',
  ),
  updateTime: Type.Integer({ description: 'Time of the block, Unix seconds.' }),
  marketType: Type.String({
    description: 'Always perp, a dated pair’s too; what prices it is market.info.type of the instrument.',
  }),
  poolFee24h: wad('Trading fees that the day’s trades paid to ranges and resting orders, in the quote'),
  maxLeverage: Type.Number(),
  condition: Type.Integer({ description: '0 normal, 1 frozen, 2 resolved.' }),
  ammStatus: Type.Integer({ description: '1 trading, 2 settling, 3 settled.' }),
})

export const pairExample = {
  instrumentAddr: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: PERPETUAL_EXPIRY,
  symbol: 'BTC/USDC',
  fullSymbol: 'BTC-USDC-LINK-PERP',
  baseToken: { ...tokenExample, address: '0x0000000000000000000000000000000000000000', symbol: 'BTC', decimals: 18 },
  quoteToken: tokenExample,
  fairPrice: '60120500000000000000000',
  markPrice: '60100000000000000000000',
  spotPrice: '60100000000000000000000',
  priceStatus: 'LIVE' as const,
  fairPriceChange24h: '2008333333333333',
  baseVolume24h: '12500000000000000000',
  quoteVolume24h: '751506250000000000000000',
  volume24hUsd: '751506250000000000000000',
  openInterests: '41000000000000000000',
  openInterestsUsd: '2464100000000000000000000',
  longOi: '3000000000000000000',
  shortOi: '2500000000000000000',
  tvl: '2000000000000000000000000',
  tvlUsd: '2000000000000000000000000',
  periods1hFunding: { long: '14212423738214', short: '-17054908485856' },
  last1hFunding: { long: '12010002100210', short: '-13954210022118' },
  fundingRatePerHour: '14212423738214',
  updateTime: 1_764_000_000,
  marketType: MARKET_TYPE,
  poolFee24h: '225451875000000000000',
  maxLeverage: 10,
  condition: 0,
  ammStatus: 1,
}

/** A pair on the wire, at a block of this time. */
export function pairView(pair: PairSummary, timeSec: bigint): Printed<Type.Static<typeof pairSchema>> {
  const { instrument, state, fairWad, prices, baseVolumeWad, quoteVolumeWad, lastHour } = pair
  const { amm, priceData, setting } = state
  const coming = hourlyFunding(pair)
  const inUsd = (quoteWad: bigint) => (isDollarQuoted(instrument) ? String(quoteWad) : null)
  return {
    instrumentAddr: instrument.address,
    expiry: pair.expiry,
    symbol: instrument.symbol,
    fullSymbol: `${setting.symbol}-${suffixOf(pair.expiry)}`,
    baseToken: baseToken(instrument, priceData.markPrice),
    quoteToken: quoteToken(instrument),
    ...texts({ fairPrice: fairWad, markPrice: priceData.markPrice, spotPrice: priceData.spotPrice }),
    priceStatus: pair.priceStatus,
    ...texts({ fairPriceChange24h: ((fairWad - prices.openWad) * WAD) / prices.openWad }),
    ...texts({ baseVolume24h: baseVolumeWad, quoteVolume24h: quoteVolumeWad }),
    volume24hUsd: inUsd(quoteVolumeWad),
    ...texts({ openInterests: amm.openInterests }),
    openInterestsUsd: priceData.markPrice === 0n ? null : inUsd(mulWad(amm.openInterests, priceData.markPrice)),
    ...texts({ longOi: amm.totalLong, shortOi: amm.totalShort, tvl: amm.involvedFund }),
    tvlUsd: inUsd(amm.involvedFund),
    periods1hFunding: texts({ long: coming.longWad, short: coming.shortWad }),
    last1hFunding: texts({ long: lastHour?.longWad ?? 0n, short: lastHour?.shortWad ?? 0n }),
    ...texts({ fundingRatePerHour: hourlyRate(pair) }),
    updateTime: Number(timeSec),
    marketType: MARKET_TYPE,
    ...texts({ poolFee24h: pair.tradeFeeWad }),
    maxLeverage: RATIO_BASE / setting.initialMarginRatio,
    condition: state.condition,
    ammStatus: amm.status,
  }
}

/** How a pair's name ends: `PERP`, or the day of its expiry. */
const suffixOf = (expiry: number): string =>
  expiry === PERPETUAL_EXPIRY ? 'PERP' : new Date(expiry * 1000).toISOString().slice(2, 10).replaceAll('-', '')

const texts = <Name extends string>(amounts: Readonly<Record<Name, bigint>>) =>
  Object.fromEntries(Object.entries<bigint>(amounts).map(([name, amount]) => [name, String(amount)])) as Record<
    Name,
    string
  >
