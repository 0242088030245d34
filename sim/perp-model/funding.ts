/** Funding of a perpetual: the side that holds the AMM away from the mark pays the other. Source: perp-protocol 3.10. */
import type { Amm } from './amm.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, frac, wdiv, wmul } from './wad.ts'

const DEFAULT_FUNDING_HOURS = 24

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
  const received = receiverSize === 0n ? 0n : wdiv(total, receiverSize)
  return {
    timestamp: nowSec,
    longFundingIndex: longFundingIndex + (longPays ? -paid : received),
    shortFundingIndex: shortFundingIndex + (longPays ? received : -paid),
    insuranceFund: insuranceFund + (receiverSize === 0n ? total : 0n),
  }
}
