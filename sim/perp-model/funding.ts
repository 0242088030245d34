/** Funding of a perpetual: the side that holds the AMM away from the mark pays the other. Source: perp-protocol 3.10. */
import type { Amm } from './amm.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, frac, min, wdiv, wmul, wmulUp } from './wad.ts'

const DEFAULT_FUNDING_HOURS = 24
/** A unit of the receiving side gets at most so many times what a unit of the paying side pays; the rest insures. */
const MOST_LEVERAGE = 1_000_000n

export function fundingPeriodSec(fundingHour: number): number {
  return (fundingHour === 0 ? DEFAULT_FUNDING_HOURS : fundingHour) * 3600
}

type FundingState = Pick<Amm, 'timestamp' | 'longFundingIndex' | 'shortFundingIndex' | 'insuranceFund'>

/**
 * The pair's funding state at `nowSec`. Time spent with an empty paying side is forgotten: otherwise the first one to
 * join that side would owe for it.
 */
export function accrueFunding(amm: Amm, markWad: bigint, fundingHour: number, nowSec: number): FundingState {
  const { longFundingIndex, shortFundingIndex, insuranceFund } = amm
  const unchanged = { timestamp: nowSec, longFundingIndex, shortFundingIndex, insuranceFund }
  const elapsedSec = nowSec - amm.timestamp
  const fair = sqrtToPrice(amm.sqrtPX96)
  const longPays = fair > markWad
  const [payerSize, receiverSize] = longPays ? [amm.totalLong, amm.totalShort] : [amm.totalShort, amm.totalLong]
  if (elapsedSec <= 0 || payerSize === 0n) return unchanged

  const paid = frac(abs(fair - markWad), BigInt(elapsedSec), BigInt(fundingPeriodSec(fundingHour)))
  const total = wmul(paid, payerSize)
  const whole = receiverSize === 0n ? 0n : wdiv(total, receiverSize)
  const received = min(whole, paid * MOST_LEVERAGE)
  const insured = receiverSize === 0n ? total : received < whole ? total - wmulUp(received, receiverSize) : 0n
  return {
    timestamp: nowSec,
    longFundingIndex: longFundingIndex + (longPays ? -paid : received),
    shortFundingIndex: shortFundingIndex + (longPays ? received : -paid),
    insuranceFund: insuranceFund + insured,
  }
}
