import { oneClickRouterAbi } from '../chain/abi/one-click-router.ts'
import { type EventHandlers, handleEvent } from '../chain/follow/event-handlers.ts'
import type { EventModule } from '../chain/follow/event-module.ts'
import { oneClickRouters } from './one-click.ts'
import { upsertDelegation } from './store.ts'

const ABI_VERSION = 1

/** Delegations to rows, whoever made or ended them: the only writer of the table of migration 060. */
export const delegationEvents: EventModule = {
  name: 'delegation',
  sources: (deployment) =>
    oneClickRouters(deployment).map((address) => ({ address, abi: oneClickRouterAbi, abiVersion: ABI_VERSION })),
  tables: ['delegations'],
  async apply(tx, blocks) {
    for (const { block, events } of blocks) for (const event of events) await handleEvent(handlers, tx, block, event)
  },
}

const handlers: EventHandlers<typeof oneClickRouterAbi> = {
  async Delegated(tx, block, event) {
    const { user, delegatee, nextNonce } = event.args
    await upsertDelegation(tx, block, event, { userAddress: user, delegatee, nextNonce })
  },
  async Undelegated(tx, block, event) {
    const { user, nextNonce } = event.args
    await upsertDelegation(tx, block, event, { userAddress: user, delegatee: null, nextNonce })
  },
}
