/** Who pays when an account is left with a debt. Source: perp-protocol 3.12; docs/decisions/perp-losses.md. */
import type { Amm } from './amm.ts'
import { require } from './revert.ts'
import { min, wdivUp, wmulDown } from './wad.ts'

/** The part of a pair that losses touch. `shortfall` is what nobody could bear yet, WAD. */
type Bearers = { readonly amm: Amm; shortfall: bigint }

/**
 * Covers what a position (long or short) owes beyond its margin: the insurance fund first, then everybody on the other
 * side in proportion to size. Reverts `NoCounterparty` where that side cannot bear it.
 */
export function coverDeficit({ amm }: Bearers, deficitWad: bigint, wasLong: boolean, markWad: bigint): void {
  const rest = takeFromFund(amm, deficitWad)
  if (rest > 0n) require(spread(amm, rest, !wasLong, markWad), 'NoCounterparty', wasLong, rest)
}

/** The same for what may not fail: then the failing side bears it, or it stands as the pair's shortfall. */
export function absorbDeficit(pair: Bearers, deficitWad: bigint, wasLong: boolean, markWad: bigint): void {
  const rest = takeFromFund(pair.amm, deficitWad)
  if (rest === 0n || spread(pair.amm, rest, !wasLong, markWad) || spread(pair.amm, rest, wasLong, markWad)) return
  pair.shortfall += rest
}

/** Lets the insurance fund pay what nobody could bear. */
export function repayShortfall(pair: Bearers): void {
  pair.shortfall = takeFromFund(pair.amm, pair.shortfall)
}

/** What the insurance fund leaves of an amount. */
function takeFromFund(amm: Amm, amountWad: bigint): bigint {
  const insured = min(amountWad, amm.insuranceFund)
  amm.insuranceFund -= insured
  return amountWad - insured
}

/** Charges one side, unless all of it is worth less than the loss. Up, so that what it pays is never less than the loss. */
function spread(amm: Amm, lossWad: bigint, toLongs: boolean, markWad: bigint): boolean {
  const size = toLongs ? amm.totalLong : amm.totalShort
  if (size === 0n || lossWad > wmulDown(markWad, size)) return false
  if (toLongs) amm.longSocialLossIndex += wdivUp(lossWad, size)
  else amm.shortSocialLossIndex += wdivUp(lossWad, size)
  return true
}
