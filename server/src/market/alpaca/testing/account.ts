import { createHash } from 'node:crypto'
import { formatUnits, parseAmount } from '../../../lib/decimal.ts'
import { WAD } from '../../../lib/wad.ts'
import type { Side } from '../../ports.ts'

// An account at a broker that speaks Alpaca's formats: its orders, executions and what it announces of them.

const MAX = 10n ** 60n
const PRICE = 10n ** 8n

/** https://docs.alpaca.markets/reference/get-v2-assets-symbol_or_asset_id, and the quote that market orders fill at. */
export interface AccountAsset {
  readonly name: string
  readonly status: 'active' | 'inactive'
  readonly tradable: boolean
  readonly fractionable: boolean
  readonly attributes: readonly string[]
  readonly bid8: bigint
  readonly ask8: bigint
}

/** The body of https://docs.alpaca.markets/reference/postorder */
export interface OrderBody {
  readonly symbol: string
  readonly side: Side
  readonly type: 'market' | 'limit'
  readonly time_in_force: string
  readonly client_order_id: string
  readonly qty?: string
  readonly notional?: string
  readonly limit_price?: string
  readonly extended_hours?: boolean
}

export interface AccountOrder {
  readonly body: OrderBody
  readonly id: string
  readonly submittedMs: number
  status: string
  filledWad: bigint
  cashWad: bigint
  changedMs: number
  canceledMs: number | null
}

/** A row of https://docs.alpaca.markets/docs/account-activities; `visibleAfter` counts the looks that do not show it yet. */
export interface Activity {
  readonly id: string
  readonly order: AccountOrder
  readonly quantityWad: bigint
  readonly price8: bigint
  readonly cumulativeWad: bigint
  readonly timeMs: number
  visibleAfter: number
}

/** What the trade updates say: https://docs.alpaca.markets/docs/websocket-streaming */
export type Announce = (event: string, order: AccountOrder, activity: Activity | null) => void

export class RefusedRequest extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export class Account {
  readonly id: string
  readonly assets: ReadonlyMap<string, AccountAsset>
  readonly orders = new Map<string, AccountOrder>()
  readonly activities: Activity[] = []
  readonly nowMs: () => number
  announce: Announce = () => {}
  /** Market orders fill at once; else a test fills them. */
  fillsMarketOrders = true
  buyingPowerWad = 10n ** 27n
  /** How many looks at the activities a new one hides from. */
  hideLooks: () => number = () => 0

  constructor(id: string, assets: ReadonlyMap<string, AccountAsset>, nowMs: () => number) {
    this.id = id
    this.assets = assets
    this.nowMs = nowMs
  }

  place(body: OrderBody): AccountOrder {
    const order = this.accept(body)
    this.announce('new', order, null)
    const asset = this.assets.get(body.symbol)
    if (body.type === 'market' && this.fillsMarketOrders && asset) {
      const price8 = body.side === 'buy' ? asset.ask8 : asset.bid8
      this.fill(body.client_order_id, this.openWad(order, price8), price8)
    }
    return order
  }

  /** What is left of an order, at a price; nine decimals of a share. */
  openWad(order: AccountOrder, price8: bigint): bigint {
    if (order.body.qty !== undefined) return wad(order.body.qty) - order.filledWad
    const leftWad = ((wad(order.body.notional ?? '0') - order.cashWad) * PRICE) / price8
    return (leftWad / 10n ** 9n) * 10n ** 9n
  }

  /** Executes a part of an order; the order is filled when less than a billionth of a share is left of it. */
  fill(clientOrderId: string, quantityWad: bigint, price8: bigint): Activity {
    const order = this.order(clientOrderId)
    if (!isOpen(order)) throw new Error(`${clientOrderId} is ${order.status}`)
    const timeMs = this.nowMs()
    order.filledWad += quantityWad
    order.cashWad += (quantityWad * price8) / PRICE
    order.changedMs = timeMs
    order.status = this.openWad(order, price8) < 10n ** 9n ? 'filled' : 'partially_filled'
    const digits = new Date(timeMs).toISOString().replace(/\D/g, '')
    const id = `${digits}::${uuid(`${this.id} activity ${this.activities.length}`)}`
    const fill = { id, order, quantityWad, price8, cumulativeWad: order.filledWad, timeMs }
    const activity = { ...fill, visibleAfter: this.hideLooks() }
    this.activities.push(activity)
    this.announce(order.status === 'filled' ? 'fill' : 'partial_fill', order, activity)
    return activity
  }

  end(clientOrderId: string, status: 'canceled' | 'expired' | 'rejected' | 'done_for_day'): void {
    const order = this.order(clientOrderId)
    order.status = status
    order.changedMs = this.nowMs()
    if (status === 'canceled') order.canceledMs = order.changedMs
    this.announce(status, order, null)
  }

  order(clientOrderId: string): AccountOrder {
    const order = this.orders.get(clientOrderId)
    if (order) return order
    throw new Error(`no order ${clientOrderId}`)
  }

  byId(id: string): AccountOrder | undefined {
    return [...this.orders.values()].find((order) => order.id === id)
  }

  /** Shares held, signed. */
  positions(): ReadonlyMap<string, bigint> {
    const held = new Map<string, bigint>()
    for (const { body, filledWad } of this.orders.values()) {
      held.set(body.symbol, (held.get(body.symbol) ?? 0n) + (body.side === 'buy' ? filledWad : -filledWad))
    }
    return held
  }

  /** The checks of https://docs.alpaca.markets/docs/orders-at-alpaca and …/fractional-trading. */
  private accept(body: OrderBody): AccountOrder {
    if (this.orders.has(body.client_order_id)) throw new RefusedRequest(422, 40010001, 'client_order_id must be unique')
    const asset = this.assets.get(body.symbol)
    if (!asset) throw new RefusedRequest(422, 42210000, `asset "${body.symbol}" not found`)
    if (!asset.tradable) throw new RefusedRequest(422, 42210000, `asset ${body.symbol} is not tradable`)
    checkAmounts(body, asset)
    const price8 = body.limit_price === undefined ? asset.ask8 : parseAmount(body.limit_price, amount('limit_price', 8))
    const worthWad = body.notional === undefined ? (wad(body.qty ?? '0') * price8) / PRICE : wad(body.notional)
    if (body.side === 'buy' && worthWad < WAD) {
      throw new RefusedRequest(403, 40310000, 'cost basis must be >= minimal amount of order 1')
    }
    if (body.side === 'buy' && worthWad > this.buyingPowerWad) {
      throw new RefusedRequest(403, 40310000, 'insufficient buying power')
    }
    const timeMs = this.nowMs()
    const order: AccountOrder = {
      body,
      id: uuid(`${this.id} order ${body.client_order_id}`),
      submittedMs: timeMs,
      status: 'new',
      filledWad: 0n,
      cashWad: 0n,
      changedMs: timeMs,
      canceledMs: null,
    }
    this.orders.set(body.client_order_id, order)
    return order
  }
}

function checkAmounts(body: OrderBody, asset: AccountAsset): void {
  const refuse = (message: string) => new RefusedRequest(422, 42210000, message)
  const decimals = (text: string) => text.split('.')[1]?.length ?? 0
  if ((body.qty === undefined) === (body.notional === undefined)) throw refuse('qty or notional is required')
  if (decimals(body.notional ?? '') > 2) throw refuse('notional value must be limited to 2 decimal places')
  if (decimals(body.qty ?? '') > 9) throw refuse('qty must be limited to 9 decimal places')
  const isFraction = body.notional !== undefined || wad(body.qty ?? '0') % WAD !== 0n
  if (isFraction && !asset.fractionable) throw refuse('requested asset is not fractionable')
  if (isFraction && body.time_in_force !== 'day') throw refuse('fractional orders must be DAY orders')
  if (body.extended_hours && (body.type !== 'limit' || body.time_in_force !== 'day')) {
    throw refuse('extended hours order must be DAY limit orders')
  }
  if (body.extended_hours && isFraction && !asset.attributes.includes('fractional_eh_enabled')) {
    throw refuse('asset is not enabled for fractional trading in extended hours')
  }
  if (body.limit_price !== undefined && decimals(body.limit_price) > (Number(body.limit_price) >= 1 ? 2 : 4)) {
    throw refuse(
      `invalid limit_price ${body.limit_price}. sub-penny increment does not fulfill minimum pricing criteria`,
    )
  }
}

export const isOpen = ({ status }: AccountOrder): boolean => status === 'new' || status === 'partially_filled'
const amount = (field: string, decimals: number) => ({ field, decimals, max: MAX })
const wad = (text: string): bigint => (text === '0' ? 0n : parseAmount(text, amount('amount', 18)))

/** The same name has the same id. */
function uuid(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return [8, 12, 16, 20, 32].map((end, i, ends) => hex.slice(i === 0 ? 0 : ends[i - 1], end)).join('-')
}

const iso = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs).toISOString().replace('Z', '123456Z'))

/** https://docs.alpaca.markets/reference/getorderbyorderid */
export const orderJson = (order: AccountOrder) => ({
  id: order.id,
  client_order_id: order.body.client_order_id,
  created_at: iso(order.submittedMs),
  updated_at: iso(order.changedMs),
  submitted_at: iso(order.submittedMs),
  filled_at: order.status === 'filled' ? iso(order.changedMs) : null,
  expired_at: order.status === 'expired' ? iso(order.changedMs) : null,
  canceled_at: iso(order.canceledMs),
  failed_at: null,
  replaced_at: null,
  replaced_by: null,
  replaces: null,
  asset_id: uuid(order.body.symbol),
  symbol: order.body.symbol,
  asset_class: 'us_equity',
  notional: order.body.notional ?? null,
  qty: order.body.qty ?? null,
  filled_qty: formatUnits(order.filledWad, 18),
  filled_avg_price: order.filledWad === 0n ? null : formatUnits((order.cashWad * PRICE) / order.filledWad, 8),
  order_class: '',
  order_type: order.body.type,
  type: order.body.type,
  side: order.body.side,
  time_in_force: order.body.time_in_force,
  limit_price: order.body.limit_price ?? null,
  stop_price: null,
  status: order.status,
  extended_hours: order.body.extended_hours ?? false,
  legs: null,
  trail_percent: null,
  trail_price: null,
  hwm: null,
})

export const activityJson = ({ id, order, quantityWad, price8, cumulativeWad, timeMs }: Activity) => ({
  activity_type: 'FILL',
  id,
  cum_qty: formatUnits(cumulativeWad, 18),
  leaves_qty: '0',
  price: formatUnits(price8, 8),
  qty: formatUnits(quantityWad, 18),
  side: order.body.side,
  symbol: order.body.symbol,
  transaction_time: new Date(timeMs).toISOString(),
  order_id: order.id,
  type: order.status === 'filled' && cumulativeWad === order.filledWad ? 'fill' : 'partial_fill',
  order_status: order.status,
})

export const updateJson = (event: string, order: AccountOrder, activity: Activity | null, account: Account) => ({
  stream: 'trade_updates',
  data: {
    event,
    order: orderJson(order),
    timestamp: iso(order.changedMs),
    ...(activity && {
      // Nothing that is documented connects it with the id of the activity.
      execution_id: uuid(`execution ${activity.id}`),
      position_qty: formatUnits(account.positions().get(order.body.symbol) ?? 0n, 18),
      price: formatUnits(activity.price8, 8),
      qty: formatUnits(activity.quantityWad, 18),
    }),
  },
})
