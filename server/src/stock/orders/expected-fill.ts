import { WAD } from '../../lib/wad.ts'
import type { SymbolSteps } from '../../market/store.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import { shareLimit8, sharesOf, tokenPriceWad } from '../listing/shares.ts'
import { feeWad, notionalWad, priceWad as wadOf } from '../units.ts'

/** Fee rates in force, parts per million of the filled notional, as `Stock.feeRates` gives them. */
export interface FeeRates {
  readonly buyThirdPartyPpm: number
  readonly buyProtocolPpm: number
  readonly sellThirdPartyPpm: number
  readonly sellProtocolPpm: number
}

/** What shares an order trades, in which steps, at which quote of a share (8 decimals). */
export interface ShareMarket {
  readonly sharesPerTokenWad: bigint
  readonly fractionable: boolean
  readonly steps: SymbolSteps
  /** Null before the first quote. */
  readonly quote: { readonly bid8: bigint; readonly ask8: bigint } | null
}

export interface ExpectedFill {
  /** Price of a token. */
  readonly priceWad: bigint
  /** The part of the order’s tokens, or of its notional, that is too fine to trade. */
  readonly unfilledWad: bigint
  readonly quantityWad: bigint
  readonly notionalWad: bigint
  readonly thirdPartyFeeWad: bigint
  readonly protocolFeeWad: bigint
}

/** The rates of the order's side. */
export const ratesOf = (rates: FeeRates, side: 'Buy' | 'Sell') =>
  side === 'Buy'
    ? { thirdPartyPpm: rates.buyThirdPartyPpm, protocolPpm: rates.buyProtocolPpm }
    : { thirdPartyPpm: rates.sellThirdPartyPpm, protocolPpm: rates.sellProtocolPpm }

/** Whether a limit order would execute at this quote; a market order always does. */
export function isMarketable(terms: OrderTerms, { quote, sharesPerTokenWad }: ShareMarket): boolean {
  if (quote === null) return false
  if (terms.type === 'Market') return true
  const limit8 = shareLimit8(terms.priceWad, sharesPerTokenWad, terms.side === 'Buy' ? 'buy' : 'sell')
  return terms.side === 'Buy' ? quote.ask8 <= limit8 : quote.bid8 >= limit8
}

/**
 * Result of filling the order at one price of a share, as far as it can be: the broker trades steps of shares, and what is
 * finer is left. Rounded as the keeper and the contracts do.
 */
export function fillAt(terms: OrderTerms, price8: bigint, market: ShareMarket, rates: FeeRates): ExpectedFill {
  const { sharesPerTokenWad, steps, fractionable } = market
  const shareStepWad = fractionable ? steps.quantityWad : WAD
  const shareLimit = sharesFor(terms, price8, market)
  const sharesWad = cut(shareLimit, shareStepWad)
  const priceWad = tokenPriceWad(price8, sharesPerTokenWad)
  const quantityWad = (sharesWad * WAD) / sharesPerTokenWad
  const notional = notionalWad(quantityWad, priceWad, terms.side)
  const { thirdPartyPpm, protocolPpm } = ratesOf(rates, terms.side)
  return {
    priceWad,
    quantityWad,
    unfilledWad: 'quantityWad' in terms ? terms.quantityWad - quantityWad : terms.notionalWad - notional,
    notionalWad: notional,
    thirdPartyFeeWad: feeWad(notional, thirdPartyPpm),
    protocolFeeWad: feeWad(notional, protocolPpm),
  }
}

/** Shares that the order is for at a price of a share, before they are cut to what trades; none below the least notional. */
function sharesFor(terms: OrderTerms, price8: bigint, { sharesPerTokenWad, steps }: ShareMarket): bigint {
  if ('quantityWad' in terms) return sharesOf(terms.quantityWad, sharesPerTokenWad)
  const spentWad = cut(terms.notionalWad, steps.notionalWad)
  return spentWad < steps.leastNotionalWad ? 0n : (spentWad * WAD) / wadOf(price8)
}

const cut = (wad: bigint, stepWad: bigint): bigint => (wad / stepWad) * stepWad
