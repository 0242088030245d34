import type { Sql } from '../server/src/db/pool.ts'
import type { LoadedTables } from './load-tables.ts'

// Rows as the indexer and the role api write them, many at a time. One operation a transaction, one transaction a second.

export type Kind = 'trade' | 'deposit'

/** The user and the token of the operations. Addresses are lower-case. */
export interface Owner {
  readonly chainId: number
  readonly apiKeyId: string
  readonly userAddress: string
  readonly token: string
}

const BATCH = 100_000
/** The first operation's second; the newest is the last. */
const START_SEC = 1_600_000_000
const SETTLED_AFTER_SEC = 5

export const STOCK_TABLES: LoadedTables = {
  tables: ['stock_claims', 'stock_transactions', 'stock_orders', 'cash_operations'],
  untold: [
    'stock_transactions disable trigger user',
    'stock_orders disable trigger user',
    'cash_operations disable trigger user',
    'stock_claims disable trigger stream_mark',
  ],
  analysed: ['stock_claim_counts'],
}

/** Inserts operations of a key with their transactions and claims. */
export async function insertOperations(sql: Sql, owner: Owner, kind: Kind, total: number): Promise<void> {
  for (let from = 0; from < total; from += BATCH) {
    await insertBatch(sql, owner, kind, from, Math.min(from + BATCH, total))
  }
}

async function insertBatch(sql: Sql, owner: Owner, kind: Kind, from: number, to: number): Promise<void> {
  const { chainId, apiKeyId, userAddress } = owner
  await sql`
    with numbered as (
      select n, '0x' || encode(sha256(convert_to(${kind} || n, 'UTF8')), 'hex') as hash, ${START_SEC}::bigint + n as sec
      from generate_series(${from}::integer, ${to - 1}::integer) n
    ), transactions as (
      insert into stock_transactions
        (chain_id, tx_hash, block_number, from_address, to_address, calldata_hash, succeeded, mined_at_sec)
      select ${chainId}, hash, n, ${userAddress}, ${userAddress}, hash, true, sec from numbered
    ), claims as (
      insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address, created_at)
      select gen_random_uuid(), ${chainId}, ${apiKeyId}, hash, ${kind}, ${userAddress}, to_timestamp(sec + 1) from numbered
    )
    ${kind === 'trade' ? orders(sql, owner) : deposits(sql, owner)}`
}

/** Market buys, filled some seconds later. */
const orders = (sql: Sql, { chainId, userAddress, token }: Owner) => sql`
  insert into stock_orders
    (chain_id, order_id, user_address, token, side, order_type, amount_wad, locked_wad, deadline_sec, exit_at_sec, status,
     filled_quantity_wad, filled_notional_wad, third_party_fee_wad, protocol_fee_wad, create_tx_hash, index_in_tx,
     nth_in_tx, block_number, created_at_sec, last_settle_tx_hash, closed_at_sec)
  select ${chainId}, hash, ${userAddress}, ${token}, 'Buy', 'Market', 1000e18, 1001e18, sec + 600, sec + 86400, 'filled',
    4e18, 999e18, 1e18, 1e17, hash, 3, 0, n, sec, hash, sec + ${SETTLED_AFTER_SEC}
  from numbered`

const deposits = (sql: Sql, { chainId, userAddress, token }: Owner) => sql`
  insert into cash_operations
    (chain_id, operation_id, kind, user_address, token, status, is_instant, amount_raw, amount_wad, fee_wad, exit_at_sec,
     create_tx_hash, index_in_tx, nth_in_tx, created_at_sec, settle_tx_hash, settled_at_sec)
  select ${chainId}, hash, 'deposit', ${userAddress}, ${token}, 'settled', true, 1000e6, 1000e18, 0, null, hash, 2, 0, sec,
    hash, sec
  from numbered`
