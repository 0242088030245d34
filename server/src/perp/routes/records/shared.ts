import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { accountQuery } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'
import { expiryProperty, symbolSchema } from '../../schemas.ts'

/** Where an operation is served: below /trader/, and under the older API's name. */
export const MM = '/v4/public/mm'
export const TRADER = '/v4/public/trader'

/** Why any of the records may not be given. */
export const RECORD_REASONS = [
  authReasons.key_not_bound,
  authReasons.user_not_bound,
  perpReasons.chain_id_differs,
  perpReasons.perp_not_indexed,
  perpReasons.perp_chain_unreachable,
] as const

/**
 * The query of records that may be asked of some pairs: a symbol stands for its perpetual unless an expiry is given, an expiry alone for
 * that of every instrument.
 */
export const ofPair = { symbol: Type.Optional(symbolSchema), ...expiryProperty, ...accountQuery }

/** Why these may not be given. */
export const PAIR_REASONS = [...RECORD_REASONS, perpReasons.instrument_unknown] as const

/** Why a page may not be given. */
export const PAGE_REASONS = [...RECORD_REASONS, perpReasons.perp_range_invalid] as const
export const PAIR_PAGE_REASONS = [...PAIR_REASONS, perpReasons.perp_range_invalid] as const
