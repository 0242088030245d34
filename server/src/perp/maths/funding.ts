import { abs, min } from '../../lib/bigints.ts'
import type { SideIndices } from './position.ts'
import { sqrtToPrice } from './tick.ts'
import { divWad, frac, mulWad } from './wad.ts'

// Funding of a perpetual pair as every action on it charges it first (perp-protocol 3.10), with 18 decimals.

const DEFAULT_FUNDING_HOURS = 24
/** A unit of the receiving side gets at most so many times what a unit of the paying side pays. */
const MOST_FUNDING_LEVERAGE = 1_000_000n

export interface FundingState extends SideIndices {
  readonly sqrtPX96: bigint
  readonly totalLong: bigint
  readonly totalShort: bigint
}

/** What holds of a pair while time passes on it; prices with 18 decimals. */
interface Charged extends Pick<FundingState, 'totalLong' | 'totalShort'> {
  readonly fair: bigint
  readonly mark: bigint
  /** 0 stands for 24. */
  readonly fundingHour: number
}

/** What a unit of each side pays in the quote in so many seconds; negative where it receives. */
export function fundingPaid(pair: Charged, elapsedSec: number): { readonly long: bigint; readonly short: bigint } {
  const { fair, mark, totalLong, totalShort, fundingHour } = pair
  const longPays = fair > mark
  const [payers, receivers] = longPays ? [totalLong, totalShort] : [totalShort, totalLong]
  const periodSec = BigInt((fundingHour === 0 ? DEFAULT_FUNDING_HOURS : fundingHour) * 3600)
  const paid = payers === 0n || elapsedSec <= 0 ? 0n : frac(abs(fair - mark), BigInt(elapsedSec), periodSec)
  const whole = receivers === 0n ? 0n : divWad(mulWad(paid, payers), receivers)
  const received = min(whole, paid * MOST_FUNDING_LEVERAGE)
  return longPays ? { long: paid, short: -received } : { long: -received, short: paid }
}

/** The pair's indices after `elapsedSec` more seconds at this mark. `fundingHour` 0 stands for 24. */
export function accruedIndices(pair: FundingState, mark: bigint, fundingHour: number, elapsedSec: number): SideIndices {
  const { totalLong, totalShort, longSocialLossIndex, shortSocialLossIndex } = pair
  const fair = sqrtToPrice(pair.sqrtPX96)
  const { long, short } = fundingPaid({ fair, mark, totalLong, totalShort, fundingHour }, elapsedSec)
  return {
    longSocialLossIndex,
    shortSocialLossIndex,
    longFundingIndex: pair.longFundingIndex - long,
    shortFundingIndex: pair.shortFundingIndex - short,
  }
}
