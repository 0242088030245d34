import type { PendingQuery, Row } from 'postgres'
import type { Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import type { ExecutionKind } from '../indexing/execution-store.ts'
import type { LedgerKind } from '../indexing/ledger-store.ts'
import { isOrderId } from '../indexing/order-id.ts'
import { type NumberedList, type Page, type PageQuery, readPage, readPageAcross } from './page.ts'

// Reads of what the indexer has recorded of an account (migrations 130, 131, 240, 242 and 279).

/** Whose rows, and of which pairs alone: those of one expiry of these instruments. */
export interface Scope {
  readonly chainId: number
  readonly trader: Hex
  readonly pairs: { readonly instruments: readonly Hex[]; readonly expiry: number } | null
}

const ofTrader = (tx: Tx, { chainId, trader }: Scope) => tx`chain_id = ${chainId} and trader = ${trader}`

const ofScope = (tx: Tx, scope: Scope) => {
  const { pairs } = scope
  if (pairs === null) return ofTrader(tx, scope)
  return tx`${ofTrader(tx, scope)} and instrument = any(${pairs.instruments as Hex[]}) and expiry = ${pairs.expiry}`
}

/** A list of an account, and the condition for its rows. */
interface AccountList {
  readonly table: string
  readonly time: string
  readonly rows: PendingQuery<Row[]>
}

/** A page of a list of an account: of all of it, or of pairs, each of which has numbers of its own. */
function pageOf<Item extends object>(
  tx: Tx,
  { pairs }: Scope,
  { table, time, rows }: AccountList,
  columns: PendingQuery<Row[]>,
  asked: PageQuery,
): Promise<Page<Item>> {
  if (pairs === null) return readPage<Item>(tx, { table, time, nth: 'nth', rows }, columns, asked)
  const lists = pairs.instruments.map(
    (instrument): NumberedList => ({
      table,
      time,
      nth: 'nth_of_pair',
      rows: tx`${rows} and instrument = ${instrument} and expiry = ${pairs.expiry}`,
    }),
  )
  const [only] = lists
  if (only && lists.length === 1) return readPage<Item>(tx, only, columns, asked)
  return readPageAcross<Item>(tx, lists, 'nth', columns, asked)
}

interface PairRow {
  readonly instrument: Hex
  readonly expiry: bigint
}

export interface OrderRow extends PairRow {
  readonly orderId: bigint
  readonly tick: number
  readonly nonce: number
  readonly oid: bigint
  readonly sizeWad: bigint
  readonly balanceWad: bigint
  readonly priceWad: bigint
  readonly status: 'open' | 'filled' | 'cancelled' | 'partial_filled'
  readonly placeTxHash: Hex
  readonly placedAtSec: bigint
  readonly filledSizeWad: bigint
  readonly filledNotionalWad: bigint
  readonly filledBalanceWad: bigint
  readonly rebateWad: bigint
  readonly closeEvent: 'Fill' | 'Cancel' | null
  readonly closeTxHash: Hex | null
  readonly closedAtSec: bigint | null
  readonly placeIndexInTx: number
}

export const orderColumns = (tx: Tx) => tx`
  instrument, expiry, order_id as "orderId", tick, nonce, oid, size_wad as "sizeWad", balance_wad as "balanceWad",
  price_wad as "priceWad", status, place_tx_hash as "placeTxHash", place_index_in_tx as "placeIndexInTx",
  placed_at_sec as "placedAtSec", filled_size_wad as "filledSizeWad", filled_notional_wad as "filledNotionalWad",
  filled_balance_wad as "filledBalanceWad", rebate_wad as "rebateWad", close_event as "closeEvent",
  close_tx_hash as "closeTxHash", closed_at_sec as "closedAtSec"`

export const listOpenOrders = (tx: Tx, scope: Scope): Promise<OrderRow[]> => tx<OrderRow[]>`
  select ${orderColumns(tx)} from perp_orders where ${ofScope(tx, scope)} and status = 'open'
  order by block_number desc, log_index desc nulls last, place_tx_hash, place_index_in_tx desc`

/** The account's order of an id; null where it has none. */
export async function findOrder(tx: Tx, scope: Scope, orderId: bigint): Promise<OrderRow | null> {
  return (await findOrders(tx, scope, [orderId])).at(-1) ?? null
}

/** The account's orders of ids, newest last. What is greater than any id is no order's. */
export async function findOrders(tx: Tx, scope: Scope, orderIds: readonly bigint[]): Promise<OrderRow[]> {
  const ids = orderIds.filter(isOrderId).map(String)
  if (ids.length === 0) return []
  return await tx<OrderRow[]>`
    select ${orderColumns(tx)} from perp_orders where ${ofScope(tx, scope)} and order_id = any(${ids}::bigint[])
    order by block_number`
}

export const pageOfClosedOrders = (tx: Tx, scope: Scope, asked: PageQuery): Promise<Page<OrderRow>> =>
  pageOf<OrderRow>(
    tx,
    scope,
    { table: 'perp_orders', time: 'closed_at_sec', rows: ofTrader(tx, scope) },
    orderColumns(tx),
    asked,
  )

export interface ExecutionRow extends PairRow {
  readonly txHash: Hex
  readonly indexInTx: number
  readonly kind: ExecutionKind
  readonly event: string
  readonly sizeWad: bigint
  readonly notionalWad: bigint
  readonly priceWad: bigint
  readonly tradeFeeWad: bigint
  readonly protocolFeeWad: bigint
  readonly atSec: bigint
}

export const executionColumns = (tx: Tx) => tx`
  instrument, expiry, tx_hash as "txHash", index_in_tx as "indexInTx", kind, event, size_wad as "sizeWad",
  notional_wad as "notionalWad", price_wad as "priceWad", trade_fee_wad as "tradeFeeWad",
  protocol_fee_wad as "protocolFeeWad", at_sec as "atSec"`

export const pageOfExecutions = (tx: Tx, scope: Scope, asked: PageQuery): Promise<Page<ExecutionRow>> =>
  pageOf<ExecutionRow>(
    tx,
    scope,
    { table: 'perp_executions', time: 'at_sec', rows: ofTrader(tx, scope) },
    executionColumns(tx),
    asked,
  )

/** A position's place and its last change; its figures are read from the contract, with what they are measured by. */
export interface PositionRow extends PairRow {
  readonly updateTxHash: Hex
  readonly updatedAtSec: bigint
}

/** The pairs in which the account has a position. */
export const listPositions = (tx: Tx, scope: Scope): Promise<PositionRow[]> => tx<PositionRow[]>`
  select instrument, expiry, update_tx_hash as "updateTxHash", updated_at_sec as "updatedAtSec"
  from perp_positions where ${ofScope(tx, scope)} and size_wad <> 0 order by instrument, expiry`

export interface RangeRow extends PairRow {
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  readonly entryFeeIndex: bigint
  readonly balanceWad: bigint
  readonly sqrtEntryPX96: bigint
  readonly updateTxHash: Hex
  readonly updatedAtSec: bigint
}

export const rangeColumns = (tx: Tx) => tx`
  instrument, expiry, tick_lower as "tickLower", tick_upper as "tickUpper", liquidity,
  entry_fee_index as "entryFeeIndex", balance_wad as "balanceWad", sqrt_entry_px96 as "sqrtEntryPX96",
  update_tx_hash as "updateTxHash", updated_at_sec as "updatedAtSec"`

export const listRanges = (tx: Tx, scope: Scope): Promise<RangeRow[]> => tx<RangeRow[]>`
  select ${rangeColumns(tx)} from perp_ranges where ${ofScope(tx, scope)} order by instrument, expiry, tick_lower, tick_upper`

export interface LiquidityRow extends PairRow {
  readonly txHash: Hex
  readonly indexInTx: number
  readonly kind: 'add' | 'remove'
  readonly tickLower: number
  readonly tickUpper: number
  readonly amountWad: bigint
  readonly feeWad: bigint
  readonly fairPriceWad: bigint
  readonly atSec: bigint
}

export const pageOfLiquidity = (tx: Tx, scope: Scope, asked: PageQuery): Promise<Page<LiquidityRow>> =>
  pageOf<LiquidityRow>(
    tx,
    scope,
    { table: 'perp_liquidity_events', time: 'at_sec', rows: ofTrader(tx, scope) },
    tx`instrument, expiry, tx_hash as "txHash", index_in_tx as "indexInTx", kind, tick_lower as "tickLower",
       tick_upper as "tickUpper", amount_wad as "amountWad", fee_wad as "feeWad", fair_price_wad as "fairPriceWad",
       at_sec as "atSec"`,
    asked,
  )

export interface LedgerRow {
  readonly txHash: Hex
  readonly indexInTx: number
  readonly kind: LedgerKind
  readonly token: Hex
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly instrument: Hex | null
  readonly expiry: bigint | null
  readonly atSec: bigint
}

export const ledgerColumns = (tx: Tx) => tx`
  tx_hash as "txHash", index_in_tx as "indexInTx", kind, token, amount_raw as "amountRaw", amount_wad as "amountWad",
  instrument, expiry, at_sec as "atSec"`

/** Movements of the account's money: all, those with a wallet or with a pair at one end, or those of a kind. */
export function pageOfLedger(
  tx: Tx,
  scope: Scope,
  which: LedgerKind | 'all' | 'wallet' | 'pair',
  asked: PageQuery,
): Promise<Page<LedgerRow>> {
  const { nth, rows } = ledgerList(tx, ofTrader(tx, scope), which)
  return readPage<LedgerRow>(tx, { table: 'perp_ledger', time: 'at_sec', nth, rows }, ledgerColumns(tx), asked)
}

/** Funding, or transfers to and from pairs, which may be asked of some pairs alone. */
export function pageOfPairLedger(
  tx: Tx,
  scope: Scope,
  which: 'funding' | 'pair',
  asked: PageQuery,
): Promise<Page<LedgerRow>> {
  if (scope.pairs === null) return pageOfLedger(tx, scope, which, asked)
  const rows = tx`${ofTrader(tx, scope)} and pair_list = ${which}`
  return pageOf<LedgerRow>(tx, scope, { table: 'perp_ledger', time: 'at_sec', rows }, ledgerColumns(tx), asked)
}

function ledgerList(tx: Tx, own: PendingQuery<Row[]>, which: LedgerKind | 'all' | 'wallet' | 'pair') {
  if (which === 'all') return { nth: 'nth', rows: own }
  if (which === 'wallet' || which === 'pair') return { nth: 'nth_of_side', rows: tx`${own} and side = ${which}` }
  return { nth: 'nth_of_kind', rows: tx`${own} and kind = ${which}` }
}

export interface VolumeRow extends PairRow {
  readonly quoteVolumeWad: bigint
}

/** What an account has traded in each pair: as a taker, by orders that were taken, and by forced closes. Ranges hand over what others traded. */
export async function volumesOf(
  tx: Tx,
  { chainId, trader }: Pick<Scope, 'chainId' | 'trader'>,
): Promise<readonly VolumeRow[]> {
  return await tx<VolumeRow[]>`
    select instrument, expiry, sum(notional_wad) as "quoteVolumeWad" from perp_executions
    where chain_id = ${chainId} and trader = ${trader} and (event in ('Trade', 'Sweep') or kind = 'fill')
    group by instrument, expiry order by instrument, expiry desc`
}
