// What a trade brings that takes something off a position, reckoned and rounded as the contract does.
import type { PreviewActionResult } from '@bourse/sdk/perp'
import { WAD } from './units.ts'

export interface Proceeds {
  /** Of the price, less the fee. */
  readonly realized: string
  /** What leaves the position for the reserve at Gate; null while something of it is left, with which its margin stays. */
  readonly out: string | null
}

type Traded = Pick<PreviewActionResult, 'before' | 'after' | 'notional' | 'fee' | 'amount' | 'orders' | 'markPrice'>

/** `x·y/z`, to nearest. */
const frac = (x: bigint, y: bigint, z: bigint): bigint => (x * y + z / 2n) / z
const abs = (x: bigint): bigint => (x < 0n ? -x : x)

/** Null where nothing is closed. */
export function proceedsOf({ before, after, notional, fee, markPrice, ...rest }: Traded): Proceeds | null {
  if (!before || !after || notional === null || fee === null || markPrice === null) return null
  const [held, left] = [BigInt(before.size), BigInt(after.size)]
  const isTurned = left !== 0n && left > 0n !== held > 0n
  if (isTurned || abs(left) >= abs(held)) return null
  const sign = held > 0n ? 1n : -1n
  const entry = frac(BigInt(markPrice), abs(held), WAD) - sign * BigInt(before.unrealizedPnl)
  const entryOfClosed = frac(entry, abs(held) - abs(left), abs(held))
  const realized = sign * (abs(BigInt(notional)) - entryOfClosed) - BigInt(fee)
  const out = left === 0n ? String(BigInt(before.margin) + paidIn(rest) + realized) : null
  return { realized: String(realized), out }
}

/** What goes into the trade alone: the margin of what rests after it is not of the position. */
const paidIn = ({ amount, orders }: Pick<Traded, 'amount' | 'orders'>): bigint =>
  orders.reduce((sum, { margin }) => sum - BigInt(margin ?? '0'), BigInt(amount ?? '0'))
