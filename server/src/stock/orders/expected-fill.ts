import { WAD } from '../../lib/wad.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import { feeWad, notionalWad } from '../units.ts'

/** Fee rates in force, parts per million of the filled notional, as `Stock.feeRates` gives them. */
export interface FeeRates {
  readonly buyThirdPartyPpm: number
  readonly buyProtocolPpm: number
  readonly sellThirdPartyPpm: number
  readonly sellProtocolPpm: number
}

/** Bid and ask per token, 18 decimals. */
export interface TokenQuote {
  readonly bidWad: bigint
  readonly askWad: bigint
}

export interface ExpectedFill {
  readonly priceWad: bigint
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
export function isMarketable(terms: OrderTerms, { bidWad, askWad }: TokenQuote): boolean {
  if (terms.type === 'Market') return true
  return terms.side === 'Buy' ? askWad <= terms.priceWad : bidWad >= terms.priceWad
}

/** Result of filling the whole order at one price, rounded as the contracts do (design 7, "Stock rounding"). */
export function fillAt(terms: OrderTerms, priceWad: bigint, rates: FeeRates): ExpectedFill {
  const quantityWad = 'quantityWad' in terms ? terms.quantityWad : (terms.notionalWad * WAD) / priceWad
  const notional = notionalWad(quantityWad, priceWad, terms.side)
  const { thirdPartyPpm, protocolPpm } = ratesOf(rates, terms.side)
  return {
    priceWad,
    quantityWad,
    notionalWad: notional,
    thirdPartyFeeWad: feeWad(notional, thirdPartyPpm),
    protocolFeeWad: feeWad(notional, protocolPpm),
  }
}
