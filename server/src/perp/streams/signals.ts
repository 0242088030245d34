import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { oidOf, orderIdOf } from '../indexing/order-id.ts'
import { insertSignals, type Signal } from './signal-store.ts'

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

/** Notes whose accounts a block has changed, and in what; `ended` has the public ids of the orders that its events have ended. */
export async function recordSignals(
  tx: Tx,
  block: ChainBlock,
  events: readonly ChainEvent[],
  ended: ReadonlyMap<ChainEvent, bigint>,
): Promise<void> {
  const signals: Signal[] = []
  for (const event of events) {
    const kind = KIND_OF_EVENT[event.name]
    if (kind === undefined) continue
    const { trader, expiry } = event.args as { readonly trader: Hex; readonly expiry?: number }
    if (kind === 'gate') signals.push({ kind, trader, pair: null, order: null })
    else {
      const pair = { instrument: event.address, expiry: expiry as number }
      signals.push({ kind, trader, pair, order: kind === 'order' ? orderOf(event, ended) : null })
    }
  }
  await insertSignals(tx, block, signals)
}

function orderOf(event: ChainEvent, ended: ReadonlyMap<ChainEvent, bigint>): Signal['order'] {
  const { tick, nonce } = event.args as unknown as OrderArguments
  const change = CHANGE_OF_EVENT[event.name as keyof typeof CHANGE_OF_EVENT]
  const isNew = change === 'placed'
  const id = isNew ? orderIdOf(event.transactionHash, event.indexInTransaction) : (ended.get(event) ?? null)
  return { oid: oidOf(tick, nonce), id, change }
}
