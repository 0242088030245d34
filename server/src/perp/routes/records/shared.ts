import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { accountQuery } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'
import { symbolSchema } from '../../schemas.ts'

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

/** The query of records that one instrument may be asked of. */
export const ofInstrument = { symbol: Type.Optional(symbolSchema), ...accountQuery }
