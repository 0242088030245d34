import type { gateAbi } from '../../chain/abi/gate.ts'
import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import { eventGuard, type NamedEvent } from '../../chain/follow/event-handlers.ts'
import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock } from '../../chain/types.ts'
import { oidOf, orderIdOf } from '../indexing/order-id.ts'
import type { EndedOrder } from '../indexing/order-store.ts'
import type { NewSignal, Signal } from './signal-store.ts'

/** Tables of this file (migration 141). */
export const SIGNAL_TABLES = ['perp_account_signals'] as const

const isEvent = eventGuard<typeof gateAbi | typeof instrumentAbi>()

type OrderEvent = ChainEvent & NamedEvent<typeof instrumentAbi, 'Place' | 'Cancel' | 'Fill'>

const CHANGE_OF_END = { Cancel: 'canceled', Fill: 'filled' } as const

/** Whose accounts a block has changed, and in what; `ended` has the orders that its events have ended. */
export function signalsIn(
  { chainId, number }: ChainBlock,
  events: readonly ChainEvent[],
  ended: ReadonlyMap<ChainEvent, EndedOrder>,
): readonly NewSignal[] {
  return events
    .flatMap((event) => signalOf(event, ended) ?? [])
    .map((signal, nth) => ({ chainId, blockNumber: number, nth, ...signal }))
}

function signalOf(event: ChainEvent, ended: ReadonlyMap<ChainEvent, EndedOrder>): Signal | null {
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

function orderOf(event: OrderEvent, ended: ReadonlyMap<ChainEvent, EndedOrder>): Signal['order'] {
  const oid = oidOf(event.args.tick, event.args.nonce)
  if (event.name === 'Place') {
    return { oid, id: orderIdOf(event.transactionHash, event.indexInTransaction), change: 'placed' }
  }
  const order = ended.get(event)
  // What was taken whole is filled, also where a cancel claims it, as One Click does.
  const change = order?.status === 'filled' ? 'filled' : CHANGE_OF_END[event.name]
  return { oid, id: order?.id ?? null, change }
}
