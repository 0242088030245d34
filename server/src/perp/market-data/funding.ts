import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { CONDITION, STATUS } from '../listing/states.ts'
import { fundingPaid } from '../maths/funding.ts'
import { type FundingHour, fundingHoursIn } from './funding-store.ts'
import type { PairState } from './pair-reader.ts'

export const HOUR_SEC = 3600
/** Hours over which the whole gap is paid once, where an instrument says 0. */
const DEFAULT_FUNDING_HOURS = 24n

/** What a side paid in an hour, as a part of the mark at the pair's last trade until then; negative where it received. WAD. */
export interface FundingRate {
  /** Where the hour begins, Unix seconds. */
  readonly hourSec: number
  readonly longWad: bigint
  readonly shortWad: bigint
}

/**
 * What was charged in each hour, oldest first, the newest `limit` hours of the range; none before the first hour in which something was.
 * Funding is charged when something happens on the pair: it belongs to the hour of that moment.
 */
export async function readFunding(
  db: Db,
  chainId: number,
  instrument: Hex,
  { startSec, endSec, limit }: { readonly startSec: number; readonly endSec: number; readonly limit: number },
): Promise<readonly FundingRate[]> {
  if (startSec > endSec) return []
  const hourOf = (timeSec: number) => Math.floor(timeSec / HOUR_SEC) * HOUR_SEC
  const toSec = hourOf(endSec)
  const fromSec = Math.max(hourOf(startSec), toSec - (limit - 1) * HOUR_SEC)
  const { before, hours } = await fundingHoursIn(db, chainId, instrument, { fromSec, toSec })
  const firstSec = before ? fromSec : hours[0]?.hourSec
  if (firstSec === undefined) return []
  const charged = new Map(hours.map((hour, nth) => [hour.hourSec, rateOf(hour, nth === 0 ? before : hours[nth - 1])]))
  const count = (toSec - firstSec) / HOUR_SEC + 1
  return Array.from({ length: count }, (_, nth) => {
    const hourSec = firstSec + nth * HOUR_SEC
    return charged.get(hourSec) ?? { hourSec, longWad: 0n, shortWad: 0n }
  })
}

function rateOf(hour: FundingHour, before: FundingHour | null | undefined): FundingRate {
  const { hourSec, longIndex, shortIndex, markWad } = hour
  const paid = (index: bigint, earlier: bigint) => ((earlier - index) * WAD) / markWad
  return {
    hourSec,
    longWad: paid(longIndex, before?.longIndex ?? 0n),
    shortWad: paid(shortIndex, before?.shortIndex ?? 0n),
  }
}

/** A pair at the curve's price, WAD. */
interface PricedPair {
  readonly expiry: number
  readonly fairWad: bigint
  readonly state: Pick<PairState, 'amm' | 'condition' | 'priceData' | 'setting'>
}

/**
 * The gap of an hour at present prices, as a part of the mark price: what the paying side pays, longs where it is positive and shorts where
 * it is negative. WAD. Nothing is paid in a dated pair, nor while the instrument is frozen or once it is resolved.
 */
export function hourlyRate(pair: PricedPair): bigint {
  const { markPrice } = pair.state.priceData
  if (!isCharged(pair)) return 0n
  const { fundingHour } = pair.state.setting
  const hours = fundingHour === 0 ? DEFAULT_FUNDING_HOURS : BigInt(fundingHour)
  return ((pair.fairWad - markPrice) * WAD) / (markPrice * hours)
}

/**
 * What a unit of each side would pay in an hour at present prices, as a part of the mark price; negative where it would receive. WAD. The
 * receiving side shares what the other pays by size, and where nobody is there to pay, nothing is paid.
 */
export function hourlyFunding(pair: PricedPair): Omit<FundingRate, 'hourSec'> {
  if (!isCharged(pair)) return { longWad: 0n, shortWad: 0n }
  const { fairWad, state } = pair
  const { markPrice } = state.priceData
  const { totalLong, totalShort } = state.amm
  const { fundingHour } = state.setting
  const { long, short } = fundingPaid({ fair: fairWad, mark: markPrice, totalLong, totalShort, fundingHour }, HOUR_SEC)
  return { longWad: (long * WAD) / markPrice, shortWad: (short * WAD) / markPrice }
}

const isCharged = ({ expiry, state: { condition, amm, priceData } }: PricedPair): boolean =>
  expiry === PERPETUAL_EXPIRY &&
  condition === CONDITION.NORMAL &&
  amm.status === STATUS.TRADING &&
  priceData.markPrice !== 0n
