import type { Hex } from '../../chain/types.ts'
import { priceIdOf } from '../listing/price-id.ts'
import type { StockChanges } from './stock-changes.ts'

// Stock of users at the exchange and its cost (docs/decisions/011).

/** Stock of a user that comes in or goes out. */
export interface PositionChange {
  readonly userAddress: Hex
  readonly token: Hex
  readonly quantityWad: bigint
}

/** Stock comes in at a price per token; at null the cost of the position stays unknown until it has been empty. */
export function increasePosition(
  { block, positions }: StockChanges,
  { userAddress, token, quantityWad }: PositionChange,
  priceWad: bigint | null,
): void {
  const key = { chain_id: block.chainId, user_address: userAddress, token }
  const costE36 = priceWad === null ? null : quantityWad * priceWad
  const held = positions.get(key)
  if (held) {
    positions.change(key, {
      quantity_wad: held.quantity_wad + quantityWad,
      cost_e36: held.cost_e36 === null || costE36 === null ? null : held.cost_e36 + costE36,
    })
  } else positions.add({ ...key, quantity_wad: quantityWad, cost_e36: costE36 })
}

/** Stock goes out at the average cost, which stays what it is. */
export function reducePosition(
  { block, positions }: StockChanges,
  { userAddress, token, quantityWad }: PositionChange,
): void {
  const key = { chain_id: block.chainId, user_address: userAddress, token }
  const held = positions.get(key)
  if (!held) return
  const leftWad = held.quantity_wad - quantityWad
  positions.change(key, { quantity_wad: leftWad, cost_e36: costOfRest(held.cost_e36, leftWad, held.quantity_wad) })
}

function costOfRest(costE36: bigint | null, leftWad: bigint, quantityWad: bigint): bigint | null {
  if (leftWad <= 0n) return 0n
  return costE36 === null ? null : (costE36 * leftWad) / quantityWad
}

/** The newest published price of a listed stock, USD per token with 8 decimals; null when there is none. */
export function publishedPrice8({ block, stockTokens, prices }: StockChanges, token: Hex): bigint | null {
  const { chainId: chain_id } = block
  const listed = stockTokens.get({ chain_id, token })
  return listed ? (prices.get({ chain_id, price_id: priceIdOf(listed.ticker) })?.price_e8 ?? null) : null
}
