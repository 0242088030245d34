import type { Hex } from '../server/src/chain/types.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { type LoadedTables, loadTables } from './load-tables.ts'

// Rows of the perpetual product as the indexer writes them, many at a time: one a minute, the newest in the chain's present minute.

const BATCH = 100_000
const TABLES = [
  'perp_executions',
  'perp_orders',
  'perp_ledger',
  'perp_candles',
  'perp_positions',
  'perp_account_signals',
]
const PERP_TABLES: LoadedTables = { tables: TABLES, untold: TABLES.map((table) => `${table} disable trigger user`) }

/** Whose the rows are, and of which pair. Addresses are lower-case. */
export interface PerpOwner {
  readonly chainId: number
  readonly trader: Hex
  readonly instrument: Hex
  readonly expiry: number
  readonly quote: Hex
  /** The newest row's second. */
  readonly newestSec: number
}

/**
 * Brings each table of what grows to `total` rows: executions, closed orders, deposits and signals of one wallet, the pair's candles of a minute, and positions
 * of so many other wallets. The connection must be the pool's only one.
 */
export async function fillPerpTables(sql: Sql, owner: PerpOwner, total: number): Promise<void> {
  const { chainId, trader, instrument } = owner
  await loadTables(sql, PERP_TABLES, async () => {
    for (const table of ['perp_executions', 'perp_orders', 'perp_ledger', 'perp_account_signals'])
      await sql`delete from ${sql(table)} where chain_id = ${chainId} and trader = ${trader}`
    await sql`delete from perp_candles where chain_id = ${chainId} and instrument = ${instrument}`
    await sql`delete from perp_positions where chain_id = ${chainId} and trader like '0xbe%' and length(update_tx_hash) = 6`
    for (let from = 0; from < total; from += BATCH) {
      await insertBatch(sql, owner, { from, to: Math.min(from + BATCH, total), total })
    }
  })
}

async function insertBatch(
  sql: Sql,
  { chainId, trader, instrument, expiry, quote, newestSec }: PerpOwner,
  { from, to, total }: { readonly from: number; readonly to: number; readonly total: number },
): Promise<void> {
  const newestMinute = Math.floor(newestSec / 60) * 60
  const numbered = sql`
    select n, n + 1 as nth, '0x' || encode(sha256(convert_to('perp' || n, 'UTF8')), 'hex') as hash,
      ${newestMinute}::bigint - 60 * (${total}::bigint - 1 - n) as sec
    from generate_series(${from}::integer, ${to - 1}::integer) n`
  await sql`
    insert into perp_executions
      (chain_id, tx_hash, index_in_tx, kind, event, instrument, expiry, trader, size_wad, notional_wad, price_wad,
       taken_size_wad, taken_notional_wad, trade_fee_wad, protocol_fee_wad, mark_wad, sqrt_px96, block_number, log_index,
       at_sec, nth, nth_of_pair)
    select ${chainId}, hash, 2, 'market', 'Trade', ${instrument}, ${expiry}, ${trader}, 1e16, 600e18, 60000e18, 0, 0, 3e17,
      1e17, 60000e18, 19000000000000000000000000000000, 1, n, sec, nth, nth
    from (${numbered}) r`
  await sql`
    insert into perp_orders
      (chain_id, place_tx_hash, place_index_in_tx, order_id, instrument, expiry, trader, tick, nonce, oid, size_wad,
       balance_wad, price_wad, block_number, log_index, placed_at_sec, status, filled_size_wad, filled_notional_wad,
       filled_balance_wad, close_event, close_tx_hash, closed_at_sec, nth, nth_of_pair)
    select ${chainId}, hash, 1, nth, ${instrument}, ${expiry}, ${trader}, 110000, nth, nth, 1e16, 150e18, 60000e18, 1, n, sec,
      'filled', 1e16, 600e18, 150e18, 'Fill', hash, sec, nth, nth
    from (${numbered}) r`
  await sql`
    insert into perp_ledger
      (chain_id, tx_hash, index_in_tx, kind, trader, token, amount_raw, block_number, at_sec, nth, nth_of_kind, nth_of_side)
    select ${chainId}, hash, 0, 'deposit', ${trader}, ${quote}, 100e6, 1, sec, nth, nth, nth from (${numbered}) r`
  await sql`
    insert into perp_account_signals (chain_id, block_number, nth, trader, kind, instrument, expiry)
    select ${chainId}, -nth, 0, ${trader}, 'position', ${instrument}, ${expiry} from (${numbered}) r`
  await sql`
    insert into perp_candles
      (chain_id, instrument, expiry, interval, start_sec, open_wad, high_wad, low_wad, close_wad, base_volume_wad,
       quote_volume_wad)
    select ${chainId}, ${instrument}, ${expiry}, '1m', sec, 60000e18, 60010e18, 59990e18, 60005e18, 1e16, 600e18
    from (${numbered}) r`
  await sql`
    insert into perp_positions
      (chain_id, instrument, expiry, trader, balance_wad, size_wad, entry_notional_wad, entry_social_loss_index,
       entry_funding_index, update_tx_hash, updated_at_sec)
    select ${chainId}, ${instrument}, ${expiry}, '0xbe' || substr(hash, 3, 38), 150e18, 1e16, 600e18, 0, 0, '0xbe7c', sec
    from (${numbered}) r`
}
