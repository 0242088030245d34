import { AppError } from '../../lib/errors.ts'
import { WAD } from '../../lib/wad.ts'
import { type MarketHours, SESSION, type Session } from '../../market/hours.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import type { ListedStock } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'

/** Whether an order may execute in a session: by the hours and flags of its symbol (stock-api 2.1, 7). */
export function tradesIn(session: Session, stock: ListedStock, terms: OrderTerms): boolean {
  const symbol = stock.market
  const whole = isWhole(stock, terms)
  if (!symbol.fractionable && !whole) return false
  if (session === SESSION.regular) return true
  if (session === SESSION.closed || terms.type === 'Market') return false
  if (session === SESSION.overnight && !symbol.overnightTradable) return false
  return whole || symbol.fractionalEhEnabled
}

/** A market buy spends a notional, which is seldom a whole number of shares. Orders are in tokens of several shares each. */
const isWhole = ({ sharesPerTokenWad }: ListedStock, terms: OrderTerms): boolean =>
  'quantityWad' in terms && (terms.quantityWad * sharesPerTokenWad) % (WAD * WAD) === 0n

/**
 * Refuses a fraction that could never execute: of a stock that trades in whole shares, or in an order of the day after its
 * regular session when the stock trades in whole shares then (stock-api 2.1, `fractionable` and `fractionalEhEnabled`).
 * Throws `fraction_not_tradable`.
 */
export function requireTradableFraction(
  hours: MarketHours,
  nowMs: number,
  stock: ListedStock,
  terms: OrderTerms,
): void {
  if (isWhole(stock, terms)) return
  const { symbol, fractionable } = stock.market
  if (!fractionable) throw notTradable(`${symbol} is traded in whole shares only: ${advice(terms)}`)
  if (terms.type === 'Market' || tradesIn(hours.session(nowMs), stock, terms)) return
  const nextMs = hours.nextRegular(nowMs)
  if (nextMs < hours.dayOrderExpiry(nowMs)) return
  const next = new Date(nextMs).toISOString().replace('.000Z', 'Z')
  throw notTradable(
    `${symbol} is traded in whole shares only until the day of this order ends: quantity must be a whole number of shares, or place it after that; the next regular session begins at ${next}`,
  )
}

const advice = (terms: OrderTerms): string =>
  'quantityWad' in terms ? 'quantity must be a whole number of shares' : 'buy it by a limit order with a whole quantity'

const notTradable = (message: string) =>
  new AppError(stockReasons.fraction_not_tradable, message, { detail: { field: 'quantity' } })
