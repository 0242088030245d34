import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'

export interface PositionRow {
  readonly token: Hex
  readonly ticker: string
  readonly symbol: string
  /** Free and locked. */
  readonly quantityWad: bigint
  /** Held by open sell orders and queued withdrawals. */
  readonly lockedWad: bigint
  /** What was paid for the quantity without fees, USD with 36 decimals; null when that is not known. */
  readonly costE36: bigint | null
}

/** What of a position `p` waits to be withdrawn: the exchange has taken it off the user's balance, and pays it later. */
export const queuedWithdrawalsWad = (db: Db) => db`
  coalesce((select sum(w.amount_wad) from stock_operations w
    where w.chain_id = p.chain_id and w.user_address = p.user_address and w.token = p.token and w.status = 'queued'), 0)`

/** The stocks that a user holds at the exchange, by ticker. */
export async function listPositions(db: Db, chainId: number, userAddress: Hex): Promise<PositionRow[]> {
  return await db<PositionRow[]>`
    select p.token, t.ticker, t.symbol, p.quantity_wad as "quantityWad", p.cost_e36 as "costE36", coalesce((
      select sum(o.amount_wad - o.filled_quantity_wad) from stock_orders o
      where o.chain_id = p.chain_id and o.user_address = p.user_address and o.token = p.token
        and o.side = 'Sell' and o.status = 'open'), 0) + ${queuedWithdrawalsWad(db)} as "lockedWad"
    from stock_positions p join stock_tokens t on t.chain_id = p.chain_id and t.token = p.token
    where p.chain_id = ${chainId} and p.user_address = ${userAddress} and p.quantity_wad > 0
    order by t.ticker, p.token`
}
