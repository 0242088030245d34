import { delegationReasons } from '../../../delegation/reasons.ts'
import type { Reason } from '../../../lib/errors.ts'
import { perpReasons } from '../../reasons.ts'

/** Why a pair of the published client's reads may not be quoted. */
export const INQUIRY_REASONS: readonly Reason[] = [
  perpReasons.instrument_unknown,
  perpReasons.pair_unknown,
  perpReasons.chain_id_differs,
  delegationReasons.would_revert,
  perpReasons.perp_not_indexed,
  perpReasons.perp_chain_unreachable,
]
