import { INT96_MAX, parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError, type Reason } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import { stockReasons } from '../reasons.ts'
import { notionalWad } from '../units.ts'

/** The business fields of an order as they arrive (stock-api 2.3). */
export interface OrderFields {
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  readonly quantity?: string | number
  readonly notional?: string | number
  readonly price?: string | number
  readonly timeInForce?: string
}

/**
 * Reads an order: a market buy by notional, a market sell by quantity, a limit order by quantity, price and timeInForce
 * (seed 4A). Each rule has its own reason, and a field that this order does not have is refused instead of ignored.
 */
export function readOrder(fields: OrderFields): OrderTerms {
  if (fields.type === 'Limit') return readLimit(fields)
  if (fields.price !== undefined) throw notApplicable('price', 'a market order has no price')
  if (fields.timeInForce !== undefined) throw notApplicable('timeInForce', 'a market order has no timeInForce')
  return fields.side === 'Buy' ? readMarketBuy(fields) : readMarketSell(fields)
}

function readMarketBuy({ notional, quantity }: OrderFields): OrderTerms {
  if (notional === undefined) {
    throw invalid(stockReasons.notional_missing, 'notional', 'notional is required for a market buy: the USD to spend')
  }
  if (quantity !== undefined) throw notApplicable('quantity', 'a market buy is placed by notional, not by quantity')
  const rule = { field: 'notional', decimals: WAD_DECIMALS, max: INT96_MAX }
  return { type: 'Market', side: 'Buy', notionalWad: parseAmount(notional, rule) }
}

function readMarketSell({ notional, quantity }: OrderFields): OrderTerms {
  if (quantity === undefined) throw quantityMissing('a market sell: the stock tokens to sell')
  if (notional !== undefined) throw notApplicable('notional', 'a market sell is placed by quantity, not by notional')
  return { type: 'Market', side: 'Sell', quantityWad: readQuantity(quantity) }
}

function readLimit({ side, notional, quantity, price, timeInForce }: OrderFields): OrderTerms {
  if (quantity === undefined) throw quantityMissing(`a limit order: the stock tokens to ${side.toLowerCase()}`)
  if (price === undefined) {
    throw invalid(stockReasons.price_missing, 'price', 'price is required for a limit order: USD per token')
  }
  if (timeInForce === undefined) {
    const message = 'timeInForce is required for a limit order, and DAY is the only one taken'
    throw invalid(stockReasons.time_in_force_missing, 'timeInForce', message)
  }
  if (timeInForce !== 'DAY') {
    const message = `timeInForce must be DAY, the only one that the contracts take, got ${JSON.stringify(timeInForce)}`
    throw invalid(stockReasons.time_in_force_unsupported, 'timeInForce', message)
  }
  if (notional !== undefined) {
    throw notApplicable('notional', 'a limit order is placed by quantity and price, not by notional')
  }
  const quantityWad = readQuantity(quantity)
  const priceWad = parseAmount(price, { field: 'price', decimals: WAD_DECIMALS, max: UINT96_MAX })
  if (notionalWad(quantityWad, priceWad, 'Buy') > UINT96_MAX) {
    throw invalid(stockReasons.order_too_large, 'quantity', 'quantity × price is more USD than the contracts can hold')
  }
  return { type: 'Limit', side, quantityWad, priceWad }
}

const readQuantity = (quantity: string | number): bigint =>
  parseAmount(quantity, { field: 'quantity', decimals: WAD_DECIMALS, max: INT96_MAX })

const quantityMissing = (what: string) =>
  invalid(stockReasons.quantity_missing, 'quantity', `quantity is required for ${what}`)

const notApplicable = (field: string, message: string) => invalid(stockReasons.field_not_applicable, field, message)

const invalid = (reason: Reason, field: string, message: string) => new AppError(reason, message, { detail: { field } })
