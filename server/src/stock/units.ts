/** Decimals of mUSD, stock tokens and contract prices (stock-api 4.1). */
export const WAD_DECIMALS = 18
export const WAD = 10n ** 18n

/** Largest amount of a contract argument that holds any token amount. */
export const UINT256_MAX = (1n << 256n) - 1n

/** Decimals of oracle and quote prices (stock-api 7). */
export const PRICE_DECIMALS = 8

/** A price with 8 decimals as the contracts take it, with 18. */
export const priceWad = (price8: bigint): bigint => price8 * 10n ** BigInt(WAD_DECIMALS - PRICE_DECIMALS)

/** `quantity × price`, both wads, in mUSD wads: rounded up for what a user pays, down for what it gets (design 7). */
export function notionalWad(quantityWad: bigint, pricePerTokenWad: bigint, side: 'Buy' | 'Sell'): bigint {
  const product = quantityWad * pricePerTokenWad
  return side === 'Buy' ? (product + WAD - 1n) / WAD : product / WAD
}

const PPM = 1_000_000n

/** The fee on a notional at a rate in parts per million, rounded up (design 7). */
export const feeWad = (notional: bigint, ratePpm: number): bigint => (notional * BigInt(ratePpm) + PPM - 1n) / PPM
