import Type from 'typebox'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { divideUp, mulWadDown, WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { ListedSymbol } from '../../market/store.ts'
import { priceWad } from '../units.ts'

// In what steps a token trades, from those in which its shares do.

/** Steps and least amounts of a token's orders, 18 decimals. */
export interface TokenIncrements {
  /** A limit between two steps counts as the next one that is no worse for its user. */
  readonly priceWad: bigint
  /** The part of a quantity that is finer than this is not traded. */
  readonly quantityWad: bigint
  readonly notionalWad: bigint
  /** The least quantity that trades: one step. */
  readonly minQuantityWad: bigint
  /** The least a market buy must spend to buy anything at the current ask; null before the first quote. */
  readonly minNotionalWad: bigint | null
}

/** Increments of a token that stands for so many shares, from the symbol's own and its share quote. */
export function tokenIncrements(
  { fractionable, steps, quote }: ListedSymbol,
  sharesPerTokenWad: bigint,
): TokenIncrements {
  const shareStepWad = fractionable ? steps.quantityWad : WAD
  const quantityWad = tokenStep(shareStepWad, sharesPerTokenWad)
  return {
    priceWad: mulWadDown(priceWad(steps.price8), sharesPerTokenWad),
    quantityWad,
    notionalWad: steps.notionalWad,
    minQuantityWad: quantityWad,
    minNotionalWad: quote && leastNotional(steps, shareStepWad, priceWad(quote.ask8)),
  }
}

/** The least amount of tokens that is a whole number of steps of shares. */
export function tokenStep(shareStepWad: bigint, sharesPerTokenWad: bigint): bigint {
  const whole = shareStepWad * WAD
  return whole / greatestCommonDivisor(whole, sharesPerTokenWad)
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b]
  return a
}

function leastNotional(
  { notionalWad, leastNotionalWad }: ListedSymbol['steps'],
  shareStepWad: bigint,
  askWad: bigint,
): bigint {
  const oneStepWad = divideUp(shareStepWad * askWad, WAD)
  const neededWad = oneStepWad > leastNotionalWad ? oneStepWad : leastNotionalWad
  return divideUp(neededWad, notionalWad) * notionalWad
}

const amount = (wad: bigint) => jsonNumber(wad, WAD_DECIMALS)

export const incrementsView = (increments: TokenIncrements) => ({
  priceIncrement: amount(increments.priceWad),
  quantityIncrement: amount(increments.quantityWad),
  notionalIncrement: amount(increments.notionalWad),
  minQuantity: amount(increments.minQuantityWad),
  minNotional: increments.minNotionalWad === null ? null : amount(increments.minNotionalWad),
})

export const incrementProperties = {
  priceIncrement: Type.Number({
    description: 'USD per token. A limit between two steps counts as the next one that is no worse for you.',
  }),
  quantityIncrement: Type.Number({ description: 'Tokens. What of a quantity is finer than this is not traded.' }),
  notionalIncrement: Type.Number({ description: 'USD. What of a notional is finer than this is not spent.' }),
  minQuantity: Type.Number({ description: 'Tokens; the least quantity that trades.' }),
  minNotional: nullable(
    Type.Number({
      description: 'USD; the least that a market buy trades for at the current ask; null without a quote.',
    }),
  ),
}

export const incrementsExample = {
  priceIncrement: 0.01,
  quantityIncrement: 1e-9,
  notionalIncrement: 1e-9,
  minQuantity: 1e-9,
  minNotional: 1.81e-7,
}
