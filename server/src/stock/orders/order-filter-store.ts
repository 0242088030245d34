import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { MappingScope, Page } from '../recording/claim-types.ts'
import { type MappingRow, mappingColumns } from '../recording/mapping-store.ts'
import type { OrderStatus } from './orders.ts'
import { REJECTION_CODE } from './rejection-reason.ts'

/** Which of a key's orders are asked for; undefined asks for any. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined
  readonly side?: 'Buy' | 'Sell' | undefined
  readonly token?: Hex | undefined
  /** When the key recorded or sent it, Unix seconds, both included. */
  readonly startSec?: number | undefined
  readonly endSec?: number | undefined
}

/**
 * The status of a mapping `m` with its order `o`, as `orderStatus` and `mappingStatus` have it: a list is filtered where it is
 * kept, and a test holds both against each other.
 */
const statusOf = (db: Db) => db`
  case
    when o.order_id is null then
      case when m.succeeded is not null then 'Failed' when m.expired then 'Expired' else 'Init' end
    when o.status in ('rejected', 'partially_filled') and o.reason_code = ${REJECTION_CODE.expired} then 'Expired'
    when o.status = 'rejected' then 'Rejected'
    when o.status = 'partially_filled' and o.reason_code in (0, ${REJECTION_CODE.tooFine}) or o.status = 'filled' then 'Filled'
    when o.status in ('partially_filled', 'taken_back', 'canceled') then 'Canceled'
    when o.status = 'expired' then 'Expired'
    when o.filled_quantity_wad > 0 then 'Partial filled'
    when o.order_type = 'Limit' then 'New'
    else 'Pending'
  end`

/** A page of the key's orders that fit a filter, newest first, and how many there are. It goes through all of the key's. */
export async function listFilteredOrders(
  db: Db,
  { chainId, apiKeyId }: MappingScope,
  { status, side, token, startSec, endSec }: OrderFilter,
  { limit, offset }: Page,
): Promise<{ total: number; rows: MappingRow[] }> {
  const fitting = db`
    from stock_mappings m left join stock_orders o on o.chain_id = m.chain_id and o.order_id = m.operation_id
    where m.chain_id = ${chainId} and m.api_key_id = ${apiKeyId} and m.operation_type = 'trade'
      ${startSec === undefined ? db`` : db`and m.created_at >= to_timestamp(${startSec})`}
      ${endSec === undefined ? db`` : db`and m.created_at < to_timestamp(${endSec}::double precision + 1)`}
      ${side === undefined ? db`` : db`and o.side = ${side}`}
      ${token === undefined ? db`` : db`and o.token = ${token}`}
      ${status === undefined ? db`` : db`and ${statusOf(db)} = ${status}`}`
  const rows = await db<MappingRow[]>`
    select ${mappingColumns(db)} from (select m.* ${fitting}) fitting
    order by created_at desc, claim_id, index_in_tx limit ${limit} offset ${offset}`
  const [counted] = await db<{ total: number }[]>`select count(*)::int as total ${fitting}`
  return { total: counted?.total ?? 0, rows: [...rows] }
}

/** Open limit orders of the key for which no cancel has been requested on chain, oldest first, `limit` at most. */
export async function listCancelable(
  db: Db,
  { chainId, apiKeyId }: MappingScope,
  { token, limit }: { readonly token: Hex | undefined; readonly limit: number },
): Promise<Hex[]> {
  const rows = await db<{ orderId: Hex }[]>`
    select o.order_id as "orderId" from stock_orders o
    where o.chain_id = ${chainId} and o.status = 'open' and o.order_type = 'Limit' and not o.cancel_requested
      ${token === undefined ? db`` : db`and o.token = ${token}`}
      and exists (
        select from stock_mappings m
        where m.claim_id in (
          select claim_id from stock_claims c
          where c.chain_id = o.chain_id and c.api_key_id = ${apiKeyId} and c.tx_hash = o.create_tx_hash
          union all
          select c.claim_id from tx_attempts a join stock_claims c on c.chain_id = a.chain_id and c.intent_id = a.intent_id
          where a.chain_id = o.chain_id and a.hash = o.create_tx_hash and c.api_key_id = ${apiKeyId}
        ) and m.operation_type = 'trade' and m.operation_id = o.order_id
      )
    order by o.block_number, o.create_tx_hash, o.index_in_tx limit ${limit}`
  return rows.map(({ orderId }) => orderId)
}
