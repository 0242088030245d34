// A take-profit or a stop-loss: the side of the mark on which its price lies, and what the position would have made there.
import { compare, isPositive } from '../lib/decimal.ts'
import { fromWad, isZero, sumOf, toWad, valueAt } from './units.ts'

export const KINDS = ['takeProfit', 'stopLoss'] as const
export type Kind = (typeof KINDS)[number]

/** Whether an order waits for the mark to rise to its price, not to fall to it. */
const risesTo = (kind: Kind, isLong: boolean): boolean => (kind === 'takeProfit') === isLong

/**
 * Where a price has to lie that a person typed, if it does not: the venue refuses one that the mark, 18 decimals, has reached. A mark of 0
 * is none, which no price lies above or below.
 */
export function triggerFault(
  text: string,
  { kind, isLong, mark }: { readonly kind: Kind; readonly isLong: boolean; readonly mark: string },
): 'unreadable' | 'above' | 'below' | null {
  if (!isPositive(text)) return 'unreadable'
  if (isZero(mark)) return null
  const order = compare(text, fromWad(mark) ?? '0')
  if (risesTo(kind, isLong)) return order > 0 ? null : 'above'
  return order < 0 ? null : 'below'
}

/** Result of the price alone for a size, 18 decimals, if it is traded at exactly this one. */
export function resultAt(
  text: string,
  { isLong, size, entryPrice }: { readonly isLong: boolean; readonly size: string; readonly entryPrice: string },
): string {
  const [then, entered] = [valueAt(size, toWad(text)), valueAt(size, entryPrice)]
  return isLong ? sumOf(then, `-${entered}`) : sumOf(entered, `-${then}`)
}

/** Whether the mark, on its way to the price, comes past the one at which the position is liquidated; 0 where there is none. */
export function isLiquidatedBefore(
  text: string,
  { isLong, liquidationPrice }: { readonly isLong: boolean; readonly liquidationPrice: string },
): boolean {
  if (isZero(liquidationPrice)) return false
  const order = BigInt(toWad(text)) - BigInt(liquidationPrice)
  return isLong ? order <= 0n : order >= 0n
}

/** Orders of one kind, first the one that the mark comes to first. */
export const nearestFirst = <Order extends { readonly kind: Kind; readonly triggerPrice: string }>(
  orders: readonly Order[],
  kind: Kind,
  isLong: boolean,
): readonly Order[] =>
  orders
    .filter((order) => order.kind === kind)
    .toSorted((a, b) => {
      const isHigher = BigInt(a.triggerPrice) > BigInt(b.triggerPrice)
      if (a.triggerPrice === b.triggerPrice) return 0
      return isHigher === risesTo(kind, isLong) ? 1 : -1
    })
