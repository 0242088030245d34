/**
 * Spot, benchmark and mark of a pair. A dated pair's mark is its benchmark until half an hour before its expiry, then an
 * average that moves from there to what the spot was, and in the end its settlement price. Source: perp-protocol 3.11.
 */
import { type Amm, PERP_EXPIRY, STATUS } from './amm.ts'
import { max, min, ratioToWad, wmulDown } from './wad.ts'

/** Which side of the base carries interest until a dated pair expires. */
export const FEEDER = { NONE_STABLE: 0, QUOTE_STABLE: 1, BASE_STABLE: 2, BOTH_STABLE: 3 } as const

/** The last half hour of a dated pair, seconds. */
export const SETTLING_SEC = 1800

const DAY_SEC = 86_400
const DAILY_INTEREST_BPS = 3

/** What a settling pair remembers of the spot price. Times are seconds, `accumulation` is WAD times seconds. */
export type Accumulator = {
  readonly time: number
  readonly spotWad: bigint
  readonly initTime: number
  readonly initMarkWad: bigint
  readonly accumulation: bigint
}

/** Carry grows the price by whole days, the day that has begun among them. */
export function benchmarkOf(spotWad: bigint, feederType: number, expiry: number, nowSec: number): bigint {
  if (expiry === PERP_EXPIRY) return spotWad
  const daysLeft = nowSec >= expiry ? 0 : Math.floor((expiry - nowSec) / DAY_SEC) + 1
  const carry = wmulDown(spotWad, ratioToWad(DAILY_INTEREST_BPS)) * BigInt(daysLeft)
  if (feederType === FEEDER.QUOTE_STABLE) return spotWad + carry
  return feederType === FEEDER.BASE_STABLE ? max(0n, spotWad - carry) : spotWad
}

/** Opens or continues the settling average at `nowSec`. Time after the expiry does not count. */
export function accumulate(
  before: Accumulator | undefined,
  spotWad: bigint,
  markWad: bigint,
  expiry: number,
  nowSec: number,
): Accumulator {
  const time = Math.min(nowSec, expiry)
  if (!before) return { time, spotWad, initTime: time, initMarkWad: markWad, accumulation: 0n }
  return { ...before, time, spotWad, accumulation: sumUntil(before, time) }
}

function sumUntil({ accumulation, spotWad, time }: Accumulator, untilSec: number): bigint {
  return accumulation + spotWad * BigInt(untilSec - time)
}

/** The mark of a pair that is live: the benchmark, or in the settling window the average. */
export function markOf(amm: Amm, accumulator: Accumulator | undefined, benchmarkWad: bigint, nowSec: number): bigint {
  if (amm.status === STATUS.SETTLED) return amm.settlementPrice
  if (amm.expiry === PERP_EXPIRY || !accumulator) return benchmarkWad
  const untilSec = Math.min(nowSec, amm.expiry)
  const elapsedSec = min(BigInt(untilSec - accumulator.initTime), BigInt(SETTLING_SEC))
  const weighted = accumulator.initMarkWad * (BigInt(SETTLING_SEC) - elapsedSec) + sumUntil(accumulator, untilSec)
  return weighted / BigInt(SETTLING_SEC)
}
