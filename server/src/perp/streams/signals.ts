import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { oidOf, orderIdOf } from '../recording/order-id.ts'
import { closedOrderId, insertSignals, type Signal } from './signal-store.ts'

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

/** Notes whose accounts a block has changed, and in what. Its events have been applied before: closed orders are found by them. */
export async function recordSignals(tx: Tx, block: ChainBlock, events: readonly ChainEvent[]): Promise<void> {
  const signals: Signal[] = []
  for (const event of events) {
    const kind = KIND_OF_EVENT[event.name]
    if (kind === undefined) continue
    const { trader, expiry } = event.args as { readonly trader: Hex; readonly expiry?: number }
    if (kind === 'gate') signals.push({ kind, trader, pair: null, order: null })
    else {
      const pair = { instrument: event.address, expiry: expiry as number }
      signals.push({ kind, trader, pair, order: kind === 'order' ? await orderOf(tx, block, event) : null })
    }
  }
  await insertSignals(tx, block, signals)
}

async function orderOf(tx: Tx, block: ChainBlock, event: ChainEvent): Promise<Signal['order']> {
  const { tick, nonce } = event.args as unknown as OrderArguments
  const change = CHANGE_OF_EVENT[event.name as keyof typeof CHANGE_OF_EVENT]
  const isNew = change === 'placed'
  const id = isNew
    ? orderIdOf(event.transactionHash, event.indexInTransaction)
    : await closedOrderId(tx, block, event, { tick, nonce })
  return { oid: oidOf(tick, nonce), id, change }
}
