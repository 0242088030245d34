// The order that a ticket's values make.
import type { BuildOrderParams, ListedSymbol } from '@bourse/sdk/stock'
import { add, isPositive, ratio } from '../lib/decimal.ts'

/** An order without the time until when it may be mined. */
export type OrderTerms = Omit<BuildOrderParams, 'deadline'>
export type Side = 'Buy' | 'Sell'
export type OrderType = 'Market' | 'Limit'

interface Values {
  readonly side: Side
  readonly type: OrderType
  readonly amount: string
  readonly price: string
}

export function orderOf(
  stock: Pick<ListedSymbol, 'contractAddress'>,
  { side, type, amount, price }: Values,
): OrderTerms | null {
  if (!isPositive(amount)) return null
  const base = { stockAddress: stock.contractAddress, side, type }
  if (type === 'Market') return side === 'Buy' ? { ...base, notional: amount } : { ...base, quantity: amount }
  return isPositive(price) ? { ...base, quantity: amount, price, timeInForce: 'DAY' } : null
}

/** What can be spent of `held` when a fee of `rate` comes on top, cut off: never more than there is. */
export const spendable = (held: string, rate: string): string => ratio(held, add('1', rate)) ?? '0'
