import type { DelegationContext } from '../../delegation/delegation.ts'
import { oneClickOf } from '../../delegation/one-click.ts'
import type { PerpContext } from '../context.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'

/** Path of the One Click operations, before `/status` and the others (perp-api 2A.0). */
export const ONE_CLICK_PREFIX = '/v4/public/trader/1ct'

/** One Click of the perpetual product. Throws `one_click_unavailable` where the chain does not have it. */
export const perpOneClick = ({
  venue,
  submitGasPerDay,
}: Pick<PerpContext, 'venue' | 'submitGasPerDay'>): DelegationContext => ({
  venue,
  oneClick: oneClickOf(venue.deployment, 'PerpOneClickRouter'),
  budget: submitGasPerDay,
  prefix: ONE_CLICK_PREFIX,
  explain: perpReverts.explain,
})
