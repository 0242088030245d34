import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { numeric, type Tx } from '../../db/pool.ts'
import { nextNth } from './nth.ts'
import { oidOf, orderIdOf } from './order-id.ts'

/** Which order of an account; there is never more than one open at a tick. */
export interface OrderPlace {
  readonly instrument: Hex
  readonly expiry: number
  readonly trader: Hex
  readonly tick: number
  readonly nonce: number
}

export interface NewOrder extends OrderPlace {
  readonly sizeWad: bigint
  readonly balanceWad: bigint
  readonly priceWad: bigint
}

export async function insertOrder(tx: Tx, block: ChainBlock, event: ChainEvent, order: NewOrder): Promise<void> {
  const { tick, nonce } = order
  const { transactionHash, indexInTransaction } = event
  await tx`
    insert into perp_orders
      (chain_id, place_tx_hash, place_index_in_tx, order_id, instrument, expiry, trader, tick, nonce, oid, size_wad, balance_wad,
       price_wad, block_number, placed_at_sec, status)
    values
      (${block.chainId}, ${transactionHash}, ${indexInTransaction}, ${orderIdOf(transactionHash, indexInTransaction)},
       ${order.instrument}, ${order.expiry}, ${order.trader}, ${tick}, ${nonce}, ${oidOf(tick, nonce)},
       ${numeric(order.sizeWad)}, ${numeric(order.balanceWad)}, ${numeric(order.priceWad)}, ${block.number},
       ${block.timestampSec}, 'open')`
}

/** How an order ended: what of it became position, and what its maker got and gave for that. */
export interface OrderEnd extends OrderPlace {
  readonly filledSizeWad: bigint
  readonly filledNotionalWad: bigint
  readonly rebateWad: bigint
  readonly tipWad: bigint
}

/** The margin stays with the position as soon as anything of the order was filled. Throws when the order was not placed. */
export async function closeOrder(tx: Tx, block: ChainBlock, event: ChainEvent, end: OrderEnd): Promise<void> {
  const { chainId } = block
  const { instrument, expiry, trader, tick, nonce } = end
  const filled = numeric(end.filledSizeWad)
  const closed = await tx`
    update perp_orders set
      status = case when ${filled}::numeric = 0 then 'cancelled' when ${filled}::numeric = size_wad then 'filled'
                    else 'partial_filled' end,
      filled_size_wad = ${filled}, filled_notional_wad = ${numeric(end.filledNotionalWad)},
      filled_balance_wad = case when ${filled}::numeric = 0 then 0 else balance_wad end,
      rebate_wad = ${numeric(end.rebateWad)}, tip_wad = ${numeric(end.tipWad)},
      close_event = ${event.name}, close_tx_hash = ${event.transactionHash}, closed_at_sec = ${block.timestampSec},
      nth = ${nextNth(tx, 'perp_orders', 'nth', tx`chain_id = ${chainId} and trader = ${trader}`)},
      nth_of_pair = ${nextNth(
        tx,
        'perp_orders',
        'nth_of_pair',
        tx`chain_id = ${chainId} and trader = ${trader} and instrument = ${instrument} and expiry = ${expiry}`,
      )}
    where chain_id = ${chainId} and instrument = ${instrument} and expiry = ${expiry} and trader = ${trader}
      and tick = ${tick} and nonce = ${nonce} and status = 'open'`
  if (closed.count !== 1) throw new Error(`no open order of ${trader} at tick ${tick}, nonce ${nonce} of ${instrument}`)
}
