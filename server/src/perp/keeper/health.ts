import { mulWadUp, WAD } from '../../lib/wad.ts'

/** How a position stands, by the instrument's own formulas (perp-protocol 3.6, 3.10). Everything WAD but ratios, basis points. */

const RATIO_UNIT_WAD = WAD / 10_000n
const Q96 = 2n ** 96n
const DEFAULT_FUNDING_HOURS = 24
/** A unit of the receiving side gets at most so many times what a unit of the paying side pays. */
const MOST_FUNDING_LEVERAGE = 1_000_000n

export interface Position {
  readonly balance: bigint
  /** Positive is long. */
  readonly size: bigint
  readonly entryNotional: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

/** What positions are measured against, a unit of size. */
export interface Indices {
  readonly longSocialLossIndex: bigint
  readonly shortSocialLossIndex: bigint
  readonly longFundingIndex: bigint
  readonly shortFundingIndex: bigint
}

interface FundingState extends Indices {
  readonly sqrtPX96: bigint
  readonly totalLong: bigint
  readonly totalShort: bigint
}

/** The price of a curve's root, with the protocol's extra wei. */
export const sqrtToPrice = (sqrtPX96: bigint): bigint => (((sqrtPX96 * sqrtPX96) / Q96) * WAD) / Q96 + 1n

/** A perpetual's indices after `elapsedSec` more seconds at this mark: what any action on it does first. */
export function accruedIndices(amm: FundingState, markWad: bigint, fundingHour: number, elapsedSec: number): Indices {
  const { longSocialLossIndex, shortSocialLossIndex, longFundingIndex, shortFundingIndex } = amm
  const fair = sqrtToPrice(amm.sqrtPX96)
  const longPays = fair > markWad
  const [payers, receivers] = longPays ? [amm.totalLong, amm.totalShort] : [amm.totalShort, amm.totalLong]
  const periodSec = BigInt((fundingHour === 0 ? DEFAULT_FUNDING_HOURS : fundingHour) * 3600)
  const paid = payers === 0n || elapsedSec <= 0 ? 0n : nearest(abs(fair - markWad), BigInt(elapsedSec), periodSec)
  const whole = receivers === 0n ? 0n : nearest(nearest(paid, payers, WAD), WAD, receivers)
  const most = paid * MOST_FUNDING_LEVERAGE
  const received = whole < most ? whole : most
  return {
    longSocialLossIndex,
    shortSocialLossIndex,
    longFundingIndex: longFundingIndex + (longPays ? -paid : received),
    shortFundingIndex: shortFundingIndex + (longPays ? received : -paid),
  }
}

/** The position's balance with funding and social loss since its entry in it. */
export function realisedBalance(position: Position, indices: Indices): bigint {
  const { balance, size } = position
  if (size === 0n) return balance
  const long = size > 0n
  const funding = (long ? indices.longFundingIndex : indices.shortFundingIndex) - position.entryFundingIndex
  const loss = (long ? indices.longSocialLossIndex : indices.shortSocialLossIndex) - position.entrySocialLossIndex
  const fundingFee = (funding < 0n ? -1n : 1n) * nearest(abs(funding), abs(size), WAD)
  return balance + fundingFee - mulWadUp(loss, abs(size))
}

/** What its size is worth at a price. */
export const valueAt = ({ size }: Pick<Position, 'size'>, priceWad: bigint): bigint => nearest(priceWad, abs(size), WAD)

/** Profit from price alone. */
export function pricePnl(position: Position, priceWad: bigint): bigint {
  const gain = valueAt(position, priceWad) - position.entryNotional
  return position.size < 0n ? -gain : position.size === 0n ? 0n : gain
}

/** What its owner would get if it ended at this price. */
export const equityAt = (position: Position, indices: Indices, priceWad: bigint): bigint =>
  realisedBalance(position, indices) + pricePnl(position, priceWad)

/** The margin that a ratio in basis points asks of a position at a price. */
export const marginAt = (position: Position, priceWad: bigint, ratio: number): bigint =>
  mulWadUp(valueAt(position, priceWad), BigInt(ratio) * RATIO_UNIT_WAD)

/** Whether anybody may liquidate it. */
export const isBelowMaintenance = (position: Position, indices: Indices, markWad: bigint, ratio: number): boolean =>
  position.size !== 0n && equityAt(position, indices, markWad) < marginAt(position, markWad, ratio)

export const abs = (value: bigint): bigint => (value < 0n ? -value : value)

/** `a × b / c` to nearest, halves up; none may be negative. */
const nearest = (a: bigint, b: bigint, c: bigint): bigint => (a * b + c / 2n) / c
