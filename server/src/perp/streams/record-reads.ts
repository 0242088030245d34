import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import {
  type ExecutionRow,
  executionColumns,
  type LedgerRow,
  ledgerColumns,
  type OrderRow,
  orderColumns,
  type PositionRow,
  type RangeRow,
  rangeColumns,
} from '../portfolio/record-store.ts'
import type { RecordName } from './mark-store.ts'

// Records of wallets by their names, as a mark has them; what is no longer there is left out.

/** A row with whose it is and its name. */
export type Named<Row> = Row & { readonly trader: Hex; readonly subject: string }

/** A position as its last change left it. */
export interface StoredPosition extends PositionRow {
  readonly balanceWad: bigint
  readonly sizeWad: bigint
  readonly entryNotionalWad: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

type Names = readonly RecordName[]

const traders = (names: Names) => names.map(({ trader }) => trader)
const parts = (names: Names, separator: '-' | '_', nth: number) =>
  names.map(({ subject }) => subject.split(separator)[nth] ?? '')

export const readOrders = (tx: Tx, chainId: number, names: Names): Promise<Named<OrderRow>[]> => tx<Named<OrderRow>[]>`
  select distinct on (trader, order_id) ${orderColumns(tx)}, trader, order_id::text as subject from perp_orders
  where chain_id = ${chainId} and (trader, order_id) in (
    select * from unnest(${traders(names)}::text[], ${parts(names, '-', 0)}::bigint[]))
  order by trader, order_id, block_number desc`

export const readExecutions = (tx: Tx, chainId: number, names: Names): Promise<Named<ExecutionRow>[]> => tx<
  Named<ExecutionRow>[]
>`
  select ${executionColumns(tx)}, trader, tx_hash || '-' || index_in_tx || '-' || kind as subject from perp_executions
  where chain_id = ${chainId} and (tx_hash, index_in_tx, kind) in (${eventsOf(tx, names)})`

export const readMovements = (tx: Tx, chainId: number, names: Names): Promise<Named<LedgerRow>[]> => tx<
  Named<LedgerRow>[]
>`
  select ${ledgerColumns(tx)}, trader, tx_hash || '-' || index_in_tx || '-' || kind as subject from perp_ledger
  where chain_id = ${chainId} and (tx_hash, index_in_tx, kind) in (${eventsOf(tx, names)})`

const eventsOf = (tx: Tx, names: Names) => tx`
  select * from unnest(
    ${parts(names, '-', 0)}::text[], ${parts(names, '-', 1)}::integer[], ${parts(names, '-', 2)}::text[])`

/** Those that are open. */
export const readPositions = (tx: Tx, chainId: number, names: Names): Promise<Named<StoredPosition>[]> => tx<
  Named<StoredPosition>[]
>`
  select instrument, expiry, balance_wad as "balanceWad", size_wad as "sizeWad",
    entry_notional_wad as "entryNotionalWad", entry_social_loss_index as "entrySocialLossIndex",
    entry_funding_index as "entryFundingIndex", update_tx_hash as "updateTxHash", updated_at_sec as "updatedAtSec",
    trader, instrument || '_' || expiry as subject
  from perp_positions
  where chain_id = ${chainId} and size_wad <> 0 and (trader, instrument, expiry) in (
    select * from unnest(
      ${traders(names)}::text[], ${parts(names, '_', 0)}::text[], ${parts(names, '_', 1)}::bigint[]))`

export const readRanges = (tx: Tx, chainId: number, names: Names): Promise<Named<RangeRow>[]> => tx<Named<RangeRow>[]>`
  select ${rangeColumns(tx)}, trader,
    instrument || '_' || expiry || '_' || tick_lower || '_' || tick_upper as subject
  from perp_ranges
  where chain_id = ${chainId} and (trader, instrument, expiry, tick_lower, tick_upper) in (
    select * from unnest(
      ${traders(names)}::text[], ${parts(names, '_', 0)}::text[], ${parts(names, '_', 1)}::bigint[],
      ${parts(names, '_', 2)}::integer[], ${parts(names, '_', 3)}::integer[]))`

/**
 * The names of what a wallet has, and of what it did last, oldest first: all open orders, positions and ranges, and of what grows
 * without end the newest, `limit` of each kind.
 */
export const namesOfWallet = (tx: Tx, chainId: number, trader: Hex, limit: number): Promise<RecordName[]> => tx<
  RecordName[]
>`
  select ${trader} as trader, kind, subject from (
    (select 'movement' as kind, tx_hash || '-' || index_in_tx || '-' || kind as subject, at_sec, nth from perp_ledger
      where chain_id = ${chainId} and trader = ${trader} order by nth desc limit ${limit})
    union all
    (select 'execution', tx_hash || '-' || index_in_tx || '-' || kind, at_sec, nth from perp_executions
      where chain_id = ${chainId} and trader = ${trader} order by nth desc limit ${limit})
    union all
    (select 'order', order_id::text, closed_at_sec, nth from perp_orders
      where chain_id = ${chainId} and trader = ${trader} and nth is not null order by nth desc limit ${limit})
    union all
    (select 'order', order_id::text, placed_at_sec, 0 from perp_orders
      where chain_id = ${chainId} and trader = ${trader} and status = 'open')
    union all
    (select 'position', instrument || '_' || expiry, updated_at_sec, 0 from perp_positions
      where chain_id = ${chainId} and trader = ${trader} and size_wad <> 0)
    union all
    (select 'range', instrument || '_' || expiry || '_' || tick_lower || '_' || tick_upper, updated_at_sec, 0
      from perp_ranges where chain_id = ${chainId} and trader = ${trader})
    union all
    (select 'keptOrder', kept_id::text, floor(extract(epoch from created_at))::bigint, 0 from perp_kept_orders
      where chain_id = ${chainId} and user_address = ${trader} order by created_at desc limit ${limit})
  ) records order by at_sec, nth, kind, subject`
