import { chainProfile, type GasPolicy, withLeastBuffer } from '../../chain/profiles.ts'
import type { DelegationContext } from '../../delegation/delegation.ts'
import { oneClickOf } from '../../delegation/one-click.ts'
import type { PerpContext } from '../context.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'

/** Path of the One Click operations, before `/status` and the others (perp-api 2A.0). */
export const ONE_CLICK_PREFIX = '/v4/public/trader/1ct'

/**
 * The gas of actions: at least half as much again as estimated. Others act before it is mined: an order that is taken makes its cancel, and
 * an order or a range that leaves makes what comes to its place, that much dearer (`gas-growth.test.ts`).
 */
export const actionGas = (chainId: number): GasPolicy => withLeastBuffer(chainProfile(chainId).gas, 150)

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
  gas: actionGas(venue.deployment.chainId),
})
