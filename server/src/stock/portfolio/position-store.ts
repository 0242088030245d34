import type { ChainBlock, Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import { priceIdOf } from '../listing/price-id.ts'

// Stock of users at the exchange and its cost (docs/decisions/011). The writes are the indexer's, called by
// events.ts alone.

/** Stock of a user that comes in or goes out. */
export interface PositionChange {
  readonly userAddress: Hex
  readonly token: Hex
  readonly quantityWad: bigint
}

/** Stock comes in at a price per token; at null the cost of the position stays unknown until it has been empty. */
export async function increasePosition(
  tx: Tx,
  block: ChainBlock,
  { userAddress, token, quantityWad }: PositionChange,
  priceWad: bigint | null,
): Promise<void> {
  const costE36 = priceWad === null ? null : quantityWad * priceWad
  await tx`
    insert into stock_positions as held (chain_id, user_address, token, quantity_wad, cost_e36)
    values (${block.chainId}, ${userAddress}, ${token}, ${numeric(quantityWad)}, ${numeric(costE36)})
    on conflict (chain_id, user_address, token) do update set
      quantity_wad = held.quantity_wad + excluded.quantity_wad, cost_e36 = held.cost_e36 + excluded.cost_e36`
}

/** Stock goes out at the average cost, which stays what it is. */
export async function reducePosition(
  tx: Tx,
  block: ChainBlock,
  { userAddress, token, quantityWad }: PositionChange,
): Promise<void> {
  const quantity = numeric(quantityWad)
  await tx`
    update stock_positions set
      quantity_wad = quantity_wad - ${quantity}::numeric,
      cost_e36 = case when quantity_wad <= ${quantity}::numeric then 0
        else div(cost_e36 * (quantity_wad - ${quantity}::numeric), quantity_wad) end
    where chain_id = ${block.chainId} and user_address = ${userAddress} and token = ${token}`
}

/** The newest published price of a listed stock, USD per token with 8 decimals; null when there is none. */
export async function publishedPrice8(tx: Tx, block: ChainBlock, token: Hex): Promise<bigint | null> {
  const [stock] = await tx<{ ticker: string }[]>`
    select ticker from stock_tokens where chain_id = ${block.chainId} and token = ${token}`
  if (!stock) return null
  const [published] = await tx<{ price8: bigint }[]>`
    select price_e8 as price8 from oracle_prices
    where chain_id = ${block.chainId} and price_id = ${priceIdOf(stock.ticker)}`
  return published?.price8 ?? null
}

export interface PositionRow {
  readonly token: Hex
  readonly ticker: string
  readonly symbol: string
  /** Free and locked. */
  readonly quantityWad: bigint
  /** Held by open sell orders. */
  readonly lockedWad: bigint
  /** What was paid for the quantity without fees, USD with 36 decimals; null when that is not known. */
  readonly costE36: bigint | null
}

/** The stocks that a user holds at the exchange, by ticker. */
export async function listPositions(db: Db, chainId: number, userAddress: Hex): Promise<PositionRow[]> {
  return await db<PositionRow[]>`
    select p.token, t.ticker, t.symbol, p.quantity_wad as "quantityWad", p.cost_e36 as "costE36", coalesce((
      select sum(o.amount_wad - o.filled_quantity_wad) from stock_orders o
      where o.chain_id = p.chain_id and o.user_address = p.user_address and o.token = p.token
        and o.side = 'Sell' and o.status = 'open'), 0) as "lockedWad"
    from stock_positions p join stock_tokens t on t.chain_id = p.chain_id and t.token = p.token
    where p.chain_id = ${chainId} and p.user_address = ${userAddress} and p.quantity_wad > 0
    order by t.ticker, p.token`
}
