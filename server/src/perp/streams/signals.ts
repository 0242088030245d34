import type { gateAbi } from '../../chain/abi/gate.ts'
import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import { eventGuard, type NamedEvent } from '../../chain/follow/event-handlers.ts'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock } from '../../chain/types.ts'
import { oidOf, orderIdOf } from '../indexing/order-id.ts'
import type { NewSignal, Signal } from './signal-store.ts'

/** Tables of this file (migration 141). */
export const SIGNAL_TABLES = ['perp_account_signals'] as const

const isEvent = eventGuard<typeof gateAbi | typeof instrumentAbi>()

type OrderEvent = ChainEvent & NamedEvent<typeof instrumentAbi, 'Place' | 'Cancel' | 'Fill'>

const CHANGE_OF_EVENT = { Place: 'placed', Cancel: 'canceled', Fill: 'filled' } as const

/** Whose accounts a block has changed, and in what; `ended` has the public ids of the orders that its events have ended. */
export function signalsIn(
  { chainId, number }: ChainBlock,
  events: readonly ChainEvent[],
  ended: ReadonlyMap<ChainEvent, bigint>,
): readonly NewSignal[] {
  return events
    .flatMap((event) => signalOf(event, ended) ?? [])
    .map((signal, nth) => ({ chainId, blockNumber: number, nth, ...signal }))
}

function signalOf(event: ChainEvent, ended: ReadonlyMap<ChainEvent, bigint>): Signal | null {
  if (isEvent(event, 'Deposit', 'Withdraw', 'Scatter', 'Gather', 'UpdatePending')) {
    return { kind: 'gate', trader: event.args.trader, pair: null, order: null }
  }
  if (isEvent(event, 'Place', 'Cancel', 'Fill')) return { ...ofPair(event, 'order'), order: orderOf(event, ended) }
  if (isEvent(event, 'Add', 'Remove')) return ofPair(event, 'range')
  return isEvent(event, 'UpdatePosition') ? ofPair(event, 'position') : null
}

const ofPair = <Kind extends Signal['kind']>(
  {
    address,
    args: { trader, expiry },
  }: Pick<ChainEvent, 'address'> & { readonly args: Pick<OrderEvent['args'], 'trader' | 'expiry'> },
  kind: Kind,
) => ({ kind, trader, pair: { instrument: address, expiry }, order: null })

function orderOf(event: OrderEvent, ended: ReadonlyMap<ChainEvent, bigint>): Signal['order'] {
  const { tick, nonce } = event.args
  const change = CHANGE_OF_EVENT[event.name]
  const isNew = change === 'placed'
  const id = isNew ? orderIdOf(event.transactionHash, event.indexInTransaction) : (ended.get(event) ?? null)
  return { oid: oidOf(tick, nonce), id, change }
}
