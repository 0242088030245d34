import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { asTable, insertRows } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import { nextNth, OF_PAIR, OF_TRADER } from './nth.ts'
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

/** How an order ended: what of it became position, and what its maker got and gave for that. */
export interface OrderEnd extends OrderPlace {
  readonly filledSizeWad: bigint
  readonly filledNotionalWad: bigint
  readonly rebateWad: bigint
  readonly tipWad: bigint
}

const placeRow = (chainId: number, { instrument, expiry, trader, tick, nonce }: OrderPlace) => ({
  ...{ chain_id: chainId, instrument, expiry, trader, tick, nonce },
})

const openRow = (block: ChainBlock, { transactionHash, indexInTransaction }: ChainEvent, order: NewOrder) => ({
  ...placeRow(block.chainId, order),
  place_tx_hash: transactionHash,
  place_index_in_tx: indexInTransaction,
  order_id: orderIdOf(transactionHash, indexInTransaction),
  oid: oidOf(order.tick, order.nonce),
  size_wad: order.sizeWad,
  balance_wad: order.balanceWad,
  price_wad: order.priceWad,
  block_number: block.number,
  placed_at_sec: block.timestampSec,
  status: 'open',
})

const endRow = ({ chainId, timestampSec }: ChainBlock, event: ChainEvent, end: OrderEnd) => ({
  ...placeRow(chainId, end),
  filled_size_wad: end.filledSizeWad,
  filled_notional_wad: end.filledNotionalWad,
  rebate_wad: end.rebateWad,
  tip_wad: end.tipWad,
  close_event: event.name,
  close_tx_hash: event.transactionHash,
  closed_at_sec: timestampSec,
})

const keyOf = ({ instrument, expiry, trader, tick, nonce }: OrderPlace): string =>
  `${instrument} ${expiry} ${trader} ${tick} ${nonce}`

/** Orders of which each ends at most once, so that all can be stored before any ends. */
interface Batch {
  readonly opened: ReturnType<typeof openRow>[]
  readonly ended: Map<string, { readonly row: ReturnType<typeof endRow>; readonly event: ChainEvent }>
}

const emptyBatch = (): Batch => ({ opened: [], ended: new Map() })

/** Orders that a block opens and ends (migration 131). */
export class OrderChanges {
  readonly #block: ChainBlock
  readonly #batches: Batch[] = [emptyBatch()]
  readonly #ended = new Map<ChainEvent, bigint>()

  constructor(block: ChainBlock) {
    this.#block = block
  }

  open(event: ChainEvent, order: NewOrder): void {
    // One that is placed again where it just ended: its forerunner has to have ended in the table too.
    if (this.#batch.ended.has(keyOf(order))) this.#batches.push(emptyBatch())
    this.#batch.opened.push(openRow(this.#block, event, order))
  }

  end(event: ChainEvent, end: OrderEnd): void {
    this.#batch.ended.set(keyOf(end), { row: endRow(this.#block, event, end), event })
  }

  get #batch(): Batch {
    return this.#batches.at(-1) as Batch
  }

  /** The public ids of the orders that the block has ended, by the event, once they are written. */
  get ended(): ReadonlyMap<ChainEvent, bigint> {
    return this.#ended
  }

  /** Throws when an order that ended was not recorded as open. */
  async write(tx: Tx): Promise<void> {
    await Promise.all(
      this.#batches.flatMap((batch) => [insertRows(tx, 'perp_orders', batch.opened), this.#writeEnds(tx, batch)]),
    )
  }

  async #writeEnds(tx: Tx, { ended }: Batch): Promise<void> {
    if (ended.size === 0) return
    const closed = await closeOrders(
      tx,
      [...ended.values()].map(({ row }) => row),
    )
    for (const { orderId, ...place } of closed) {
      const end = ended.get(keyOf(place))
      if (end) this.#ended.set(end.event, orderId)
    }
    for (const [key, { event }] of ended)
      if (!this.#ended.has(event)) throw new Error(`no open order is recorded: ${key}`)
  }
}

/** The margin stays with the position as soon as anything of the order was filled. */
async function closeOrders(tx: Tx, ends: readonly ReturnType<typeof endRow>[]) {
  return await tx<(OrderPlace & { orderId: bigint })[]>`
    with ended as (
      select new.*, ${nextNth(tx, 'perp_orders', 'nth', OF_TRADER)} as next_nth,
        ${nextNth(tx, 'perp_orders', 'nth_of_pair', OF_PAIR)} as next_nth_of_pair
      from ${asTable(tx, 'perp_orders', ends)}
    )
    update perp_orders o set
      status = case when ended.filled_size_wad = 0 then 'cancelled'
                    when ended.filled_size_wad = o.size_wad then 'filled' else 'partial_filled' end,
      filled_size_wad = ended.filled_size_wad, filled_notional_wad = ended.filled_notional_wad,
      filled_balance_wad = case when ended.filled_size_wad = 0 then 0 else o.balance_wad end,
      rebate_wad = ended.rebate_wad, tip_wad = ended.tip_wad, close_event = ended.close_event,
      close_tx_hash = ended.close_tx_hash, closed_at_sec = ended.closed_at_sec, nth = ended.next_nth,
      nth_of_pair = ended.next_nth_of_pair
    from ended
    where o.chain_id = ended.chain_id and o.instrument = ended.instrument and o.expiry = ended.expiry
      and o.trader = ended.trader and o.tick = ended.tick and o.nonce = ended.nonce and o.status = 'open'
    returning o.instrument, o.expiry::float8 as expiry, o.trader, o.tick, o.nonce, o.order_id as "orderId"`
}
