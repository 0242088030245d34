import Type from 'typebox'
import type { OrderTerms } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { type ListedStock, tradableStock } from '../listing/catalogue.ts'
import { addressSchema, amountSchema, deadlineSchema } from '../schemas.ts'
import { requireFutureDeadline } from './deadline.ts'
import { requireTradableFraction } from './fractions.ts'
import { requireRegularSession } from './market-session.ts'
import { type OrderFields, readOrder } from './order-terms.ts'

/** The fields of every body that describes an order (stock-api 2.3). */
export const orderProperties = {
  stockAddress: addressSchema('Stock token of GET /symbols.'),
  side: Type.Enum(['Buy', 'Sell']),
  type: Type.Enum(['Market', 'Limit']),
  quantity: Type.Optional(amountSchema('Shares; required for a limit order and a market sell.')),
  notional: Type.Optional(amountSchema('USD; required for a market buy, which alone has it.')),
  price: Type.Optional(amountSchema('USD per share; required for a limit order, which alone has it.')),
  timeInForce: Type.Optional(
    Type.String({ description: 'DAY, nothing else; required for a limit order, which alone has it.' }),
  ),
  deadline: deadlineSchema,
  deferred: Type.Optional(Type.Boolean({ description: 'Accepted and ignored.' })),
}

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
export async function readOrderRequest(context: StockContext, body: OrderBody): Promise<OrderRequest> {
  const terms = readOrder(body)
  if (terms.type === 'Market') await requireRegularSession(context)
  await requireFutureDeadline(context, body.deadline)
  const catalogue = await context.catalogue()
  const stock = tradableStock(catalogue, 'stockAddress', body.stockAddress)
  requireTradableFraction(catalogue.hours, context.venue.clock.nowMs(), stock, terms)
  return { stock, terms, deadlineSec: body.deadline }
}
