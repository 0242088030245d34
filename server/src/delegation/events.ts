import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import type { EventModule } from '../chain/follow/event-module.ts'
import type { Hex } from '../chain/types.ts'
import { oneClickRouters } from './one-click.ts'
import { upsertDelegation } from './store.ts'

const ABI_VERSION = 1

interface DelegationArgs {
  readonly user: string
  readonly delegatee: string
  readonly nextNonce: bigint
}

/** Delegations to rows, whoever made or ended them: the only writer of the table of migration 060. */
export const delegationEvents: EventModule = {
  name: 'delegation',
  sources: (deployment) =>
    oneClickRouters(deployment).map((address) => ({ address, abi: oneClickRouterAbi, abiVersion: ABI_VERSION })),
  tables: ['delegations'],
  async apply(tx, block, events) {
    for (const event of events) {
      if (event.name !== 'Delegated' && event.name !== 'Undelegated') continue
      const { user, delegatee, nextNonce } = event.args as unknown as DelegationArgs
      await upsertDelegation(tx, block, event, {
        userAddress: user.toLowerCase() as Hex,
        delegatee: event.name === 'Delegated' ? (delegatee.toLowerCase() as Hex) : null,
        nextNonce,
      })
    }
  },
}
