import Type from 'typebox'
import { DEADLINE } from '../../http/examples.ts'
import { addressSchema, amountSchema } from '../../http/schemas.ts'
import { andThen } from '../../lib/and-then.ts'
import { decimalReasons } from '../../lib/decimal.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { STOCK_TOKEN } from '../examples.ts'
import { type ListedStock, TOKEN_REASONS, tradableStock } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'
import { deadlineSchema } from '../schemas.ts'
import { requireFutureDeadline } from './deadline.ts'
import { requireTradableFraction } from './fractions.ts'
import { requireRegularSession } from './market-session.ts'
import { type OrderFields, readOrder } from './order-terms.ts'

/** The fields of every body that describes an order (stock-api 2.3). */
export const orderProperties = {
  stockAddress: addressSchema('Stock token of GET /symbols.'),
  side: Type.Enum(['Buy', 'Sell']),
  type: Type.Enum(['Market', 'Limit']),
  quantity: Type.Optional(amountSchema('Stock tokens; required for a limit order and a market sell.')),
  notional: Type.Optional(amountSchema('USD; required for a market buy, which alone has it.')),
  price: Type.Optional(
    amountSchema('USD per token, as quotes have it; required for a limit order, which alone has it.'),
  ),
  timeInForce: Type.Optional(
    Type.String({ description: 'DAY, nothing else; required for a limit order, which alone has it.' }),
  ),
  deadline: deadlineSchema,
  deferred: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
}

const terms = { stockAddress: STOCK_TOKEN, deadline: DEADLINE } as const
const limit = { ...terms, type: 'Limit', quantity: '5', price: '180.50', timeInForce: 'DAY' } as const

/** Bodies of each kind of order, for the reference. */
export const ORDER_EXAMPLES = {
  marketBuy: { ...terms, side: 'Buy', type: 'Market', notional: '1000' },
  marketSell: { ...terms, side: 'Sell', type: 'Market', quantity: '1.25' },
  limitBuy: { ...limit, side: 'Buy' },
  limitSell: { ...limit, side: 'Sell' },
} as const

/** Why `readOrderRequest` refuses an order. */
export const ORDER_REASONS = [
  decimalReasons.amount_invalid,
  ...TOKEN_REASONS,
  stockReasons.notional_missing,
  stockReasons.quantity_missing,
  stockReasons.price_missing,
  stockReasons.time_in_force_missing,
  stockReasons.time_in_force_unsupported,
  stockReasons.field_not_applicable,
  stockReasons.fraction_not_tradable,
  stockReasons.order_too_large,
  stockReasons.deadline_expired,
  stockReasons.market_not_regular,
] as const

export interface OrderBody extends OrderFields {
  readonly stockAddress: string
  readonly deadline: number
}

/** An order that can be built. */
export interface OrderRequest {
  readonly stock: ListedStock
  readonly terms: OrderTerms
  readonly deadlineSec: number
}

/**
 * Reads an order and refuses what no transaction could place. Market orders are taken in the regular session only, limit
 * orders at any time (stock-api 7). Throws as `readOrder`, and `market_not_regular`, `deadline_expired`, `token_unknown`,
 * `token_paused`, `fraction_not_tradable`.
 */
export function readOrderRequest(context: StockContext, body: OrderBody): OrderRequest | Promise<OrderRequest> {
  const terms = readOrder(body)
  return andThen(context.catalogue(), (catalogue) => {
    const nowMs = context.venue.clock.nowMs()
    if (terms.type === 'Market') requireRegularSession(catalogue, nowMs)
    requireFutureDeadline(catalogue, nowMs, body.deadline)
    const stock = tradableStock(catalogue, 'stockAddress', body.stockAddress)
    requireTradableFraction(catalogue.hours, nowMs, stock, terms)
    return { stock, terms, deadlineSec: body.deadline }
  })
}
