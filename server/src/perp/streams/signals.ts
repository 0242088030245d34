import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { oidOf, orderIdOf } from '../indexing/order-id.ts'
import type { NewSignal, Signal } from './signal-store.ts'

/** Tables of this file (migration 141). */
export const SIGNAL_TABLES = ['perp_account_signals'] as const

const KIND_OF_EVENT: Readonly<Record<string, Signal['kind']>> = {
  Place: 'order',
  Cancel: 'order',
  Fill: 'order',
  Add: 'range',
  Remove: 'range',
  UpdatePosition: 'position',
  Deposit: 'gate',
  Withdraw: 'gate',
  Scatter: 'gate',
  Gather: 'gate',
  UpdatePending: 'gate',
}

const CHANGE_OF_EVENT = { Place: 'placed', Cancel: 'canceled', Fill: 'filled' } as const

interface OrderArguments {
  readonly tick: number
  readonly nonce: number
}

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
  const kind = KIND_OF_EVENT[event.name]
  if (kind === undefined) return null
  const { trader, expiry } = event.args as { readonly trader: Hex; readonly expiry?: number }
  if (kind === 'gate') return { kind, trader, pair: null, order: null }
  const pair = { instrument: event.address, expiry: expiry as number }
  return { kind, trader, pair, order: kind === 'order' ? orderOf(event, ended) : null }
}

function orderOf(event: ChainEvent, ended: ReadonlyMap<ChainEvent, bigint>): Signal['order'] {
  const { tick, nonce } = event.args as unknown as OrderArguments
  const change = CHANGE_OF_EVENT[event.name as keyof typeof CHANGE_OF_EVENT]
  const isNew = change === 'placed'
  const id = isNew ? orderIdOf(event.transactionHash, event.indexInTransaction) : (ended.get(event) ?? null)
  return { oid: oidOf(tick, nonce), id, change }
}
