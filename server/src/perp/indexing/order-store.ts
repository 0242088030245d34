import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import { RowChanges } from '../../db/row-changes.ts'
import { numbered, OF_PAIR, OF_TRADER } from './nth.ts'
import { oidOf, orderIdOf } from './order-id.ts'
import type { OrderRow } from './perp-rows.ts'

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

/** How an order ended: what of it became position, and what its maker got and gave for that. */
export interface OrderEnd extends OrderPlace {
  readonly filledSizeWad: bigint
  readonly filledNotionalWad: bigint
  readonly rebateWad: bigint
  readonly tipWad: bigint
}

/** An order that has ended: its public id, and as what. */
export interface EndedOrder {
  readonly id: bigint
  readonly status: OrderRow['status']
}

const NEW_ORDER = {
  filled_size_wad: 0n,
  filled_notional_wad: 0n,
  filled_balance_wad: 0n,
  rebate_wad: 0n,
  tip_wad: 0n,
  close_event: null,
  close_tx_hash: null,
  closed_at_sec: null,
  nth: null,
  nth_of_pair: null,
}

const openRow = (block: ChainBlock, event: ChainEvent, order: NewOrder): OrderRow => ({
  chain_id: block.chainId,
  place_tx_hash: event.transactionHash,
  place_index_in_tx: event.indexInTransaction,
  order_id: orderIdOf(event.transactionHash, event.indexInTransaction),
  instrument: order.instrument,
  expiry: order.expiry,
  trader: order.trader,
  tick: order.tick,
  nonce: order.nonce,
  oid: oidOf(order.tick, order.nonce),
  size_wad: order.sizeWad,
  balance_wad: order.balanceWad,
  price_wad: order.priceWad,
  block_number: block.number,
  log_index: event.logIndex,
  placed_at_sec: block.timestampSec,
  status: 'open',
  ...NEW_ORDER,
})

/** The margin stays with the position as soon as anything of the order was filled. */
const closing = (order: OrderRow, block: ChainBlock, event: ChainEvent, end: OrderEnd) => ({
  status: statusAfter(end.filledSizeWad, order.size_wad),
  filled_size_wad: end.filledSizeWad,
  filled_notional_wad: end.filledNotionalWad,
  filled_balance_wad: end.filledSizeWad === 0n ? 0n : order.balance_wad,
  rebate_wad: end.rebateWad,
  tip_wad: end.tipWad,
  close_event: event.name,
  close_tx_hash: event.transactionHash,
  closed_at_sec: block.timestampSec,
})

const statusAfter = (filledWad: bigint, sizeWad: bigint): OrderRow['status'] => {
  if (filledWad === 0n) return 'cancelled'
  return filledWad === sizeWad ? 'filled' : 'partial_filled'
}

type PlaceKey = Pick<OrderRow, 'instrument' | 'expiry' | 'trader' | 'tick' | 'nonce'>

const keyOf = ({ instrument, expiry, trader, tick, nonce }: PlaceKey): string =>
  `${instrument} ${expiry} ${trader} ${tick} ${nonce}`

/** Orders that events open and end (migrations 131 and 242). */
export class OrderChanges {
  readonly #rows = new RowChanges<OrderRow>('perp_orders', ['chain_id', 'place_tx_hash', 'place_index_in_tx'])
  /** By place; there is never more than one open at it. */
  readonly #open = new Map<string, OrderRow>()
  /** In the order in which they ended. */
  readonly #ended: OrderRow[] = []
  readonly #endedBy = new Map<ChainEvent, EndedOrder>()

  /** The orders that have ended, by the event. */
  get endedBy(): ReadonlyMap<ChainEvent, EndedOrder> {
    return this.#endedBy
  }

  /** Loads what is open at the places of orders that are to end. */
  async load(tx: Tx, chainId: number, places: readonly OrderPlace[]): Promise<void> {
    if (places.length === 0) return
    const asked = places.map(({ instrument, expiry, trader, tick, nonce }) => ({
      chain_id: chainId,
      instrument,
      expiry,
      trader,
      tick,
      nonce,
    }))
    const rows = await tx<OrderRow[]>`
      select o.* from perp_orders o, ${asTable(tx, 'perp_orders', asked)}
      where o.chain_id = new.chain_id and o.instrument = new.instrument and o.expiry = new.expiry
        and o.trader = new.trader and o.tick = new.tick and o.nonce = new.nonce and o.status = 'open'`
    this.#rows.loaded(rows)
    for (const row of rows) this.#open.set(keyOf(row), row)
  }

  open(block: ChainBlock, event: ChainEvent, order: NewOrder): void {
    const row = openRow(block, event, order)
    this.#rows.add(row)
    this.#open.set(keyOf(row), row)
  }

  /** Throws when the order was not recorded as open. */
  end(block: ChainBlock, event: ChainEvent, end: OrderEnd): void {
    const key = keyOf(end)
    const order = this.#open.get(key)
    if (!order) throw new Error(`no open order is recorded: ${key}`)
    this.#open.delete(key)
    const closed = closing(order, block, event, end)
    this.#rows.change(order, closed)
    this.#ended.push(order)
    this.#endedBy.set(event, { id: order.order_id, status: closed.status })
  }

  async write(tx: Tx): Promise<void> {
    const ended = await numbered(tx, 'perp_orders', this.#ended, { nth: OF_TRADER, nth_of_pair: OF_PAIR })
    for (const row of ended) this.#rows.change(row, { nth: row.nth as bigint, nth_of_pair: row.nth_of_pair as bigint })
    await this.#rows.write(tx)
  }
}
