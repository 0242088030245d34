// The size that a part of the free margin pays for, reckoned as the venue margins an order: with the fee, and the limit as what is paid.
import type { Books } from '@bourse/sdk/perp'
import { formatUnits } from 'viem/utils'
import { toWad, WAD } from './units.ts'

export interface OrderTerms {
  readonly isLong: boolean
  readonly leverage: string
  readonly maxLeverage: string
  readonly markPrice: string
  readonly fairPrice: string
  /** Of a limit order. */
  readonly limitPrice: string | null
  /** Whether it only rests: it then pays no fee and enters at its own price. */
  readonly rests: boolean
  /** How much worse than quoted it may trade. */
  readonly slippageBps: number
  readonly feeBps: number
  /** What would be traded with, by the width of the steps; nothing where it is not known. */
  readonly books: Books | undefined
  /** The position that it adds to; null of the other side, which it takes margin from. */
  readonly grows: {
    readonly size: string
    /** Null where the mark is not known. */
    readonly equity: string | null
    readonly unrealizedPnl: string | null
  } | null
}

const BPS = 10_000n
/** "0.0112". */
const STEP = 10n ** 14n

/** The greatest, or nothing where all are less. */
const greatest = (...all: readonly bigint[]): bigint => all.reduce(greater, 0n)
const greater = (a: bigint, b: bigint): bigint => (a < b ? b : a)
const movedBy = (wad: bigint, bps: number): bigint => (wad * (BPS + BigInt(bps))) / BPS
const valueAt = (size: bigint, price: bigint): bigint => (size * price) / WAD

/** Cut to a round size; "0" where nothing can be had. */
export function sizeFor(free: string, percent: number, terms: OrderTerms): string {
  const budget = (BigInt(free) * BigInt(percent)) / 100n
  const neededFor = neededBy(terms)
  if (BigInt(terms.markPrice) <= 0n || neededFor(STEP) > budget) return '0'
  let [least, most] = [1n, 2n]
  while (neededFor(most * STEP) <= budget) [least, most] = [most, most * 2n]
  while (most - least > 1n) {
    const middle = (least + most) / 2n
    if (neededFor(middle * STEP) <= budget) least = middle
    else most = middle
  }
  return formatUnits(least * STEP, 18)
}

/** What an order of a size takes: never less than the venue asks for at these prices. */
function neededBy(terms: OrderTerms): (size: bigint) => bigint {
  const [mark, limit] = [BigInt(terms.markPrice), BigInt(terms.limitPrice ?? '0')]
  const [leverage, maxLeverage] = [BigInt(toWad(terms.leverage)), BigInt(toWad(terms.maxLeverage))]
  // An order that rests is margined at its price where that is higher. The initial margin counts had the mark moved as far as the price may.
  const [marked, moved] = [greatest(mark, limit), greatest(limit, movedBy(mark, terms.slippageBps))]
  const { size: held, equity, profit } = grownOf(terms)
  const lacks = greatest((valueAt(held, mark) * WAD) / leverage - equity)
  const lacksLeast = greatest((valueAt(held, moved) * WAD) / maxLeverage - equity + profit)
  const costOf = terms.rests ? () => ({ loss: 0n, fee: 0n }) : costBy(terms, mark)
  return (size) => {
    const { loss, fee } = costOf(size)
    const margin = (valueAt(size, marked) * WAD) / leverage + lacks + loss
    const least = (valueAt(size, moved) * WAD) / maxLeverage + lacksLeast
    return greatest(margin, least) + fee
  }
}

/** The position that it adds to; its profit is no initial margin. */
function grownOf({ grows }: OrderTerms) {
  const size = BigInt(grows?.size ?? '0')
  return {
    size: greatest(size, -size),
    equity: BigInt(grows?.equity ?? '0'),
    profit: greatest(BigInt(grows?.unrealizedPnl ?? '0')),
  }
}

/** What a trade costs beside its margin: the loss of entering at its limit, and the fee. */
function costBy(terms: OrderTerms, mark: bigint) {
  const { isLong, slippageBps } = terms
  const fair = BigInt(terms.fairPrice)
  const tradedFor = traded(terms.books, isLong, fair)
  return (size: bigint) => {
    const value = tradedFor(size)
    const worse = movedBy(value, isLong ? slippageBps : -slippageBps) - valueAt(size, mark)
    const fee = (greatest(value, valueAt(size, fair)) * BigInt(terms.feeBps)) / BPS
    return { loss: greatest(isLong ? worse : -worse), fee }
  }
}

/** What a size trades for by the books, each level at its worst price: at most of a buy, at least of a sell. */
function traded(books: Books | undefined, isLong: boolean, fair: bigint): (size: bigint) => bigint {
  const levels = depthOf(books, isLong)
  return (size) => {
    let [left, value, price] = [size, 0n, fair]
    for (const level of levels) {
      price = level.price
      const taken = left < level.size ? left : level.size
      value += valueAt(taken, price)
      left -= taken
      if (left === 0n) return value
    }
    return value + valueAt(left, price)
  }
}

/** The finest book, and what wider ones have behind its end. */
function depthOf(
  books: Books | undefined,
  isLong: boolean,
): readonly { readonly size: bigint; readonly price: bigint }[] {
  let reached = 0n
  return Object.values(books ?? {})
    .flatMap(({ asks, bids }) => (isLong ? asks : bids))
    .flatMap(({ price, baseSum }) => {
      const size = BigInt(baseSum) - reached
      if (size <= 0n) return []
      reached += size
      return [{ size, price: BigInt(price) }]
    })
}
