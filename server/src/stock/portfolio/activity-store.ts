import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Page } from '../recording/claim-types.ts'

export const ACTIVITY_TYPES = ['fill', 'cash_deposit', 'cash_withdrawal', 'stock_deposit', 'stock_withdrawal'] as const
export type ActivityType = (typeof ACTIVITY_TYPES)[number]

/** Something that happened to an account on chain. */
export interface ActivityRow {
  readonly type: ActivityType
  readonly timeSec: bigint
  readonly txHash: Hex
  /** Place of its event in the transaction. */
  readonly indexInTx: number
  readonly status: 'queued' | 'settled' | 'taken_back'
  readonly orderId: Hex | null
  readonly operationId: Hex | null
  readonly token: Hex
  /** Ticker of a stock, symbol of a cash token. */
  readonly symbol: string
  readonly side: 'Buy' | 'Sell' | null
  /** Stock tokens of a fill or a move of stock. */
  readonly quantityWad: bigint | null
  readonly priceWad: bigint | null
  /** mUSD: notional of a fill, credit of a deposit, what a withdrawal took; null until it is known. */
  readonly amountWad: bigint | null
  readonly feeWad: bigint | null
}

export interface ActivityFilter {
  readonly type?: ActivityType | undefined
  /** Unix seconds, both included. */
  readonly startSec?: number | undefined
  readonly endSec?: number | undefined
}

/** A page of what happened to a wallet's account, newest first, and how much there is. */
export async function listActivities(
  db: Db,
  chainId: number,
  user: Hex,
  { type, startSec, endSec }: ActivityFilter,
  { limit, offset }: Page,
): Promise<{ total: number; rows: ActivityRow[] }> {
  const fitting = db`
    from (${activities(db, chainId, user)}) a
    where true
      ${type === undefined ? db`` : db`and type = ${type}`}
      ${startSec === undefined ? db`` : db`and time_sec >= ${startSec}`}
      ${endSec === undefined ? db`` : db`and time_sec <= ${endSec}`}`
  const rows = await db<ActivityRow[]>`
    select type, time_sec as "timeSec", tx_hash as "txHash", index_in_tx as "indexInTx", status, order_id as "orderId",
      operation_id as "operationId", token, symbol, side, quantity_wad as "quantityWad", price_wad as "priceWad", amount_wad as "amountWad",
      fee_wad as "feeWad"
    ${fitting} order by time_sec desc, tx_hash, index_in_tx limit ${limit} offset ${offset}`
  const [counted] = await db<{ total: number }[]>`select count(*)::int as total ${fitting}`
  return { total: counted?.total ?? 0, rows: [...rows] }
}

const activities = (db: Db, chainId: number, user: Hex) => db`
  select 'fill' as type, f.settled_at_sec as time_sec, f.tx_hash, 'settled' as status, o.order_id,
    null::text as operation_id, o.token, t.ticker as symbol, o.side, f.quantity_wad, f.price_wad,
    f.notional_wad as amount_wad, f.third_party_fee_wad + f.protocol_fee_wad as fee_wad, f.index_in_tx
  from stock_orders o
  join stock_fills f on f.chain_id = o.chain_id and f.order_id = o.order_id
  join stock_tokens t on t.chain_id = o.chain_id and t.token = o.token
  where o.chain_id = ${chainId} and o.user_address = ${user}
  union all
  select case c.kind when 'deposit' then 'cash_deposit' else 'cash_withdrawal' end, c.created_at_sec, c.create_tx_hash,
    c.status, c.order_id, c.operation_id, c.token, t.symbol, null, null, null, c.amount_wad, c.fee_wad, c.index_in_tx
  from cash_operations c join cash_tokens t on t.chain_id = c.chain_id and t.token = c.token
  where c.chain_id = ${chainId} and c.user_address = ${user}
  union all
  select case s.kind when 'deposit' then 'stock_deposit' else 'stock_withdrawal' end, s.created_at_sec, s.create_tx_hash,
    s.status, s.order_id, s.operation_id, s.token, t.ticker, null, s.amount_wad, null, null, null, s.index_in_tx
  from stock_operations s join stock_tokens t on t.chain_id = s.chain_id and t.token = s.token
  where s.chain_id = ${chainId} and s.user_address = ${user}`
