import { keccak256, toHex } from 'viem'
import type { Hex } from '../../chain/types.ts'
import type { Random } from '../../lib/testing-random.ts'
import { WAD } from '../../lib/wad.ts'
import { priceIdOf } from '../listing/price-id.ts'
import {
  AAPL,
  ALICE,
  BOB,
  cancelRequested,
  cancelSettled,
  closed,
  depositAndBuy,
  depositAndSell,
  type EventCall,
  filled,
  limitFilled,
  MSFT,
  placed,
  placedLimit,
  published,
  stockDeposited,
  stockWithdrawn,
  type TestTransaction,
} from './chain.ts'

// Random events that the contracts could emit, and plain books of what they say, kept apart from the indexer's own way.

/** An exact fraction. */
interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** What a user holds of one stock, and the exact cost of it; null when not known. */
export class HoldingBook {
  quantityWad = 0n
  cost: Fraction | null = { numerator: 0n, denominator: 1n }

  add(quantityWad: bigint, priceWad: bigint | null): void {
    this.quantityWad += quantityWad
    if (this.cost === null || priceWad === null) this.cost = null
    else {
      const { numerator, denominator } = this.cost
      this.cost = { numerator: numerator + quantityWad * priceWad * denominator, denominator }
    }
  }

  take(quantityWad: bigint): void {
    const left = this.quantityWad - quantityWad
    if (left === 0n) this.cost = { numerator: 0n, denominator: 1n }
    else if (this.cost) {
      const { numerator, denominator } = this.cost
      this.cost = { numerator: numerator * left, denominator: denominator * this.quantityWad }
    }
    this.quantityWad = left
  }
}

interface BookOrder {
  readonly orderId: Hex
  readonly user: Hex
  readonly token: Hex
  readonly isLimit: boolean
  readonly isBuy: boolean
  /** Shares of a sell or a limit buy. */
  readonly quantityWad: bigint
  filledWad: bigint
  cancelRequested: boolean
}

/** What the events of a line of transactions add up to. */
export class Books {
  readonly orders = new Map<Hex, BookOrder>()
  readonly #holdings = new Map<string, HoldingBook>()
  readonly #prices = new Map<Hex, bigint>()

  holding(user: Hex, token: Hex): HoldingBook {
    const name = `${user} ${token}`
    const known = this.#holdings.get(name) ?? new HoldingBook()
    this.#holdings.set(name, known)
    return known
  }

  price8(ticker: string): bigint | null {
    return this.#prices.get(priceIdOf(ticker)) ?? null
  }

  /** What open sell orders hold. */
  lockedWad(user: Hex, token: Hex): bigint {
    const sells = [...this.orders.values()].filter((one) => one.user === user && one.token === token && !one.isBuy)
    return sells.reduce((sum, { quantityWad, filledWad }) => sum + quantityWad - filledWad, 0n)
  }

  freeWad(user: Hex, token: Hex): bigint {
    return this.holding(user, token).quantityWad - this.lockedWad(user, token)
  }

  // biome-ignore lint/suspicious/noExplicitAny: the shape is the ABI's
  apply(name: string, args: any): void {
    const { user, token, stockToken, orderId, amount, quantity, price, priceId } = args
    if (name === 'PricePublished') this.#prices.set(priceId, price)
    else if (name === 'FeedReset') this.#prices.delete(priceId)
    else if (name === 'StockDeposited') {
      const price8 = this.price8(token === AAPL ? 'AAPL' : 'MSFT')
      this.holding(user, token).add(amount, price8 === null ? null : price8 * 10n ** 10n)
    } else if (name === 'StockWithdrawn') this.holding(user, token).take(amount)
    else if (name === 'MarketOrderPlaced') this.#place(args, amount, false)
    else if (name === 'LimitOrderPlaced') this.#place(args, quantity, true)
    else if (name === 'OrderClosed') this.orders.delete(orderId)
    else if (name === 'CancelRequested') (this.orders.get(orderId) as BookOrder).cancelRequested = true
    else if (name === 'MarketOrderSettled' || name === 'LimitOrderSettled') {
      const holding = this.holding(user, stockToken)
      if (quantity > 0n) holding.add(quantity, price)
      else holding.take(BigInt(-quantity))
      ;(this.orders.get(orderId) as BookOrder).filledWad += quantity > 0n ? quantity : -quantity
    }
  }

  #place(
    { orderId, user, stockToken }: { orderId: Hex; user: Hex; stockToken: Hex },
    signed: bigint,
    isLimit: boolean,
  ) {
    const quantityWad = signed > 0n ? signed : -signed
    const order = { orderId, user, token: stockToken, isLimit, isBuy: signed > 0n, quantityWad }
    this.orders.set(orderId, { ...order, filledWad: 0n, cancelRequested: false })
  }
}

export function foldBooks(transactions: readonly TestTransaction[]): Books {
  const books = new Books()
  for (const { events = [] } of transactions) for (const [name, args] of events) books.apply(name, args)
  return books
}

/** Where in a random line a transaction stands; its ids come of it, so that a run can be repeated. */
interface Place {
  readonly seed: number
  readonly step: number
  readonly nth: number
}

/** An amount from 1 to `max`, of uneven digits. */
const someOf = (random: Random, max: bigint): bigint => 1n + ((max - 1n) * BigInt(random.below(1e9))) / 10n ** 9n

/** One transaction that the contracts could have made after these books. */
export function randomTransaction(random: Random, books: Books, place: Place): TestTransaction {
  const { pick } = random
  const id = (what: string): Hex => keccak256(toHex(`${what} ${JSON.stringify(place)} ${random.below(1e9)}`))
  const some = (max: bigint) => someOf(random, max)
  const [user, token] = [pick([ALICE, BOB]), pick([AAPL, MSFT])]
  const price = some(500n * WAD)
  const free = books.freeWad(user, token)
  const order = books.orders.size > 0 ? pick([...books.orders.values()]) : null

  const makers: (() => EventCall[] | null)[] = [
    () => [published(pick(['AAPL', 'MSFT']), some(500n * 10n ** 8n))],
    () => (random.below(3) === 0 ? [['FeedReset', { priceId: priceIdOf(token === AAPL ? 'AAPL' : 'MSFT') }]] : null),
    () => [stockDeposited(some(3n * WAD), user, token)],
    () => (free > 0n ? [stockWithdrawn(random.below(3) === 0 ? free : some(free), user, token)] : null),
    () => [placed({ orderId: id('buy'), user, stockToken: token, amount: some(100n * WAD) })],
    () => (free > 0n ? [placed({ orderId: id('sell'), user, stockToken: token, amount: -some(free) })] : null),
    () => [placedLimit({ orderId: id('limit buy'), user, stockToken: token, quantity: some(3n * WAD), price })],
    () =>
      free > 0n
        ? [placedLimit({ orderId: id('limit sell'), user, stockToken: token, quantity: -some(free), price })]
        : null,
    () => depositAndBuy(id('deposit'), id('buy'), user),
    () => depositAndSell(id('sell'), user),
    () => (order ? fill(order, random, price) : null),
    () => (order ? fill(order, random, price) : null),
    () => (order ? end(order, random) : null),
    () => (order?.isLimit && !order.cancelRequested ? [cancelRequested(order.orderId)] : null),
  ]
  for (;;) {
    const events = pick(makers)()
    if (events) return { hash: id('transaction'), events }
  }
}

/** A part of an order, or all that is left, which closes it. */
function fill(order: BookOrder, random: Random, price: bigint): EventCall[] {
  const { orderId, user, token, isBuy, isLimit, quantityWad, filledWad } = order
  const left = quantityWad - filledWad
  if (left === 0n) return [closed(orderId, 'filled')]
  const whole = random.below(5) < 2
  const amount = whole ? left : someOf(random, left)
  const terms = { orderId, user, stockToken: token, quantity: isBuy ? amount : -amount, price, fees: [2n, 1n] as const }
  const settled = isLimit ? limitFilled(terms) : filled(terms)
  return whole ? [settled, closed(orderId, 'filled')] : [settled]
}

function end({ orderId, isLimit }: BookOrder, random: Random): EventCall[] {
  const { pick } = random
  if (isLimit && random.below(3) > 0) {
    return cancelSettled(orderId, pick(['canceled', 'expired', 'rejected', 'partiallyFilled'] as const), 1n, 2)
  }
  return [closed(orderId, pick(['rejected', 'takenBack', 'partiallyFilled'] as const), 1n)]
}
