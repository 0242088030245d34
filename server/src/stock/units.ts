import { divideUp, mulWadDown, mulWadUp, WAD_DECIMALS } from '../lib/wad.ts'

/** Decimals of oracle and quote prices (stock-api 7). */
export const PRICE_DECIMALS = 8

/** A price with 8 decimals as the contracts take it, with 18. */
export const priceWad = (price8: bigint): bigint => price8 * 10n ** BigInt(WAD_DECIMALS - PRICE_DECIMALS)

/** `quantity × price`, both wads, in mUSD wads: rounded up for what a user pays, down for what it gets. */
export const notionalWad = (quantityWad: bigint, pricePerTokenWad: bigint, side: 'Buy' | 'Sell'): bigint =>
  side === 'Buy' ? mulWadUp(quantityWad, pricePerTokenWad) : mulWadDown(quantityWad, pricePerTokenWad)

const PPM = 1_000_000n

/** The fee on a notional at a rate in parts per million, rounded up. */
export const feeWad = (notional: bigint, ratePpm: number): bigint => divideUp(notional * BigInt(ratePpm), PPM)
