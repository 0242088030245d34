import { max, min } from '../../lib/bigints.ts'
import type { FeePolicy } from '../profiles.ts'

/** What a transaction offers per gas, in wei. */
export interface Fees {
  readonly maxFeeWei: bigint
  readonly maxPriorityFeeWei: bigint
}

/** However long a transaction is stuck, it never offers more than this many times the fee of a fresh one. */
const BUMP_CEILING = 10n

/**
 * The fees of a fresh transaction.
 *
 * @param suggestedTipWei the node's suggestion; the profile's minimum counts when it is lower
 */
export function freshFees(baseFeeWei: bigint, suggestedTipWei: bigint, policy: FeePolicy): Fees {
  const tip = suggestedTipWei > policy.minPriorityFeeWei ? suggestedTipWei : policy.minPriorityFeeWei
  return { maxFeeWei: (baseFeeWei * BigInt(policy.baseFeePercent)) / 100n + tip, maxPriorityFeeWei: tip }
}

/** The fees that replace `previous`: both raised by the profile's percentage, or fresh ones where those are higher. */
export function bumpedFees(previous: Fees, fresh: Fees, policy: FeePolicy): Fees {
  const raise = (wei: bigint) => (wei * BigInt(100 + policy.bumpPercent) + 99n) / 100n
  const maxFeeWei = max(raise(previous.maxFeeWei), fresh.maxFeeWei)
  const maxPriorityFeeWei = max(raise(previous.maxPriorityFeeWei), fresh.maxPriorityFeeWei)
  return { maxFeeWei, maxPriorityFeeWei: min(maxPriorityFeeWei, maxFeeWei) }
}

/** Whether that is too much for a transaction that is stuck: something else than the fee is in the way. */
export const isBeyondCeiling = (fees: Fees, fresh: Fees): boolean => fees.maxFeeWei > fresh.maxFeeWei * BUMP_CEILING
