import { minRangeValue } from './position.ts'
import { minRangeTickDelta, Q96, tickToSqrt } from './tick.ts'
import { RATIO_BASE } from './wad.ts'

/**
 * The most that a tip may be so that every range can pay it where the price leaves it. At either edge a range is a position that meets the
 * initial margin, and it is smallest at the nearest lower edge: half of the range's value, times l·(1 - l), where l² is what the price has
 * fallen to there. WAD, cut.
 */
export function mostTip(instrument: { readonly minMarginAmount: bigint; readonly initialMarginRatio: number }): bigint {
  const { initialMarginRatio } = instrument
  const edge = tickToSqrt(-minRangeTickDelta(initialMarginRatio))
  const valueAtEdge = (minRangeValue(instrument) * edge * (Q96 - edge)) / (2n * Q96 * Q96)
  return (valueAtEdge * BigInt(initialMarginRatio)) / RATIO_BASE
}
