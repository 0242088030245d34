/** Placing, cancelling and filling limit orders. Source: perp-protocol 3.4, 3.5, 4.1. */
import { addOrder, deleteOrder, type Order, orderAt, orderKey, orderKeyParts } from './account.ts'
import { countClose } from './amm.ts'
import { log, logFunding } from './events.ts'
import {
  absorb,
  accountOf,
  type Context,
  failsLong,
  isFairNearMark,
  keepRecord,
  maxLeverage,
  minOrderValue,
  payMargin,
  pearlAt,
  pullMargin,
  recordKey,
  savePosition,
  withDebtAbsorbed,
} from './instrument.ts'
import { checkDeadline, enter } from './lifecycle.ts'
import { claim, currentLeft, join, LAST_NONCE, type Record, withdrawLeft, withdrawWaiting } from './pearl.ts'
import { combine, NO_POSITION, type Position } from './position.ts'
import { Revert, require } from './revert.ts'
import { EMPTY_TICK, MAX_TICK, MIN_TICK, sqrtToPrice, tickToPrice } from './tick.ts'
import { abs, deviation, max, RATIO_BASE, ratioToWad, wdivUp, wmul, wmulUp } from './wad.ts'

type PlaceParam = {
  readonly tick: number
  /** Signed base, WAD. */
  readonly size: bigint
  /** Margin, WAD. */
  readonly amount: bigint
  readonly deadline: number
}

type BatchPlaceParam = {
  /** Signed base of all orders, WAD. */
  readonly size: bigint
  /** WAD. */
  readonly leverage: bigint
  readonly ticks: readonly number[]
  /** Share of each order in basis points. */
  readonly ratios: readonly number[]
  readonly deadline: number
}

type Placed = { readonly nonce: number; readonly order: Order }
type Cancelled = { readonly success: boolean; readonly pic: Position }
type Filled = { readonly pic: Position; readonly tip: bigint }

const MAX_ORDERS = 128
const MIN_BATCH = 2
const MAX_BATCH = 9

export function place(context: Context, trader: string, param: PlaceParam): Placed {
  beginPlacing(context, param.deadline)
  checkPlacement(context, param.tick, param.size)
  const placed = placeOne(context, trader, param.tick, param.size, param.amount)
  pullMargin(context, trader, param.amount)
  return placed
}

/** Several orders that share a size by ratios; each margin follows from one leverage. All are placed or none. */
export function batchPlace(context: Context, trader: string, param: BatchPlaceParam): Placed[] {
  const { size, leverage, ticks, ratios } = param
  require(ticks.length === ratios.length && ticks.length >= MIN_BATCH && ticks.length <= MAX_BATCH, 'OrderTrivial')
  require(ratios.reduce((sum, ratio) => sum + ratio, 0) === 10_000, 'OrderTrivial')
  beginPlacing(context, param.deadline)
  const placed = ticks.map((tick, i) => {
    // Truncated towards zero, as the published SDK's simulation of scaled orders does.
    const orderSize = (size * BigInt(ratios[i] ?? 0)) / RATIO_BASE
    checkPlacement(context, tick, orderSize)
    require(leverage > 0n, 'DivByZero')
    return placeOne(context, trader, tick, orderSize, orderMargin(context, tick, orderSize, leverage))
  })
  pullMargin(
    context,
    trader,
    placed.reduce((sum, { order }) => sum + order.balance, 0n),
  )
  return placed
}

/** Margin that an order needs at this leverage, WAD. */
export function orderMargin(context: Context, tick: number, size: bigint, leverage: bigint): bigint {
  return wdivUp(wmulUp(max(tickToPrice(tick), context.markWad), abs(size)), leverage)
}

function beginPlacing(context: Context, deadlineSec: number): void {
  checkDeadline(context.nowSec, deadlineSec)
  require(!context.instrument.setting.placePaused, 'PlacePaused')
  enter(context)
  require(isFairNearMark(context, sqrtToPrice(context.pair.amm.sqrtPX96)), 'FairDeviation')
}

/** Where an order may rest and how small it may be. */
function checkPlacement({ instrument, pair, markWad }: Context, tick: number, size: bigint): void {
  const { setting, spacing } = instrument
  require(size !== 0n, 'OrderTrivial')
  require(tick >= MIN_TICK && tick <= MAX_TICK, 'TickOutOfBound')
  require(tick % spacing.order === 0, 'OrderTickUnaligned')
  require(size > 0n ? tick < pair.amm.tick : tick > pair.amm.tick, 'OrderWrongSide')
  const priceWad = tickToPrice(tick)
  require(deviation(priceWad, markWad) <= 2n * ratioToWad(setting.initialMarginRatio), 'OrderTooFar')
  require(wmul(priceWad, abs(size)) >= minOrderValue(setting), 'OrderTrivial')
}

/** Rests one order; its margin is still to be paid. */
function placeOne(context: Context, trader: string, tick: number, size: bigint, amount: bigint): Placed {
  const { pair } = context
  const least = orderMargin(context, tick, size, maxLeverage(context.instrument.setting))
  require(amount >= least, 'OrderImrUnsafe', amount, least)
  const account = accountOf(pair, trader)
  require(orderAt(account, tick) === undefined, 'OrderOccupied')
  require(account.oids.length < MAX_ORDERS, 'OrderFull')

  const { pearl, nonce } = join(pearlAt(pair, tick), size)
  require(nonce < LAST_NONCE, 'ReuseNonEmptyRecord')
  pair.pearls.set(tick, pearl)
  const order: Order = { balance: amount, size }
  log(context, 'Place', { trader, tick, nonce, order })
  addOrder(account, orderKey(tick, nonce), order)
  return { nonce, order }
}

/** Takes back what is unfilled of up to 8 orders, and claims what is filled; a tick without an order is passed over. */
export function cancel(context: Context, trader: string, ticks: readonly number[], deadlineSec: number): Cancelled[] {
  enter(context, deadlineSec)
  const { amm } = context.pair
  let main = accountOf(context.pair, trader).position
  let isLong = false
  let refund = 0n
  const cancelled = ticks.map((tick): Cancelled => {
    const oid = tick === EMPTY_TICK ? undefined : orderAt(accountOf(context.pair, trader), tick)
    if (oid === undefined) return { success: false, pic: NO_POSITION }
    const { pic, fee, nonce } = cancelOne(context, trader, oid)
    log(context, 'Cancel', { trader, tick, nonce, fee, pic })
    // The whole margin follows the filled part into the position; only an untouched order's margin goes back.
    if (pic.size === 0n) refund += pic.balance
    const filled = pic.size === 0n ? NO_POSITION : pic
    if (main.size !== 0n || filled.size !== 0n) isLong = failsLong(context, main, filled)
    const { position, closedSize, funding } = combine(amm, main, filled)
    countClose(amm, closedSize)
    logFunding(context, trader, funding)
    main = position
    return { success: true, pic }
  })
  const isChanged = cancelled.some(({ success }) => success)
  if (isChanged) refund += savePosition(context, trader, withDebtAbsorbed(context, main, isLong))
  payMargin(context, trader, refund)
  return cancelled
}

/** A withdrawn order: what its filled part becomes, or with nothing filled its margin alone, and what that earned as maker. */
type Withdrawn = {
  readonly tick: number
  readonly nonce: number
  readonly order: Order
  readonly pic: Position
  readonly fee: bigint
}

/** Withdraws one order; the caller logs it. */
export function cancelOne(context: Context, trader: string, oid: number): Withdrawn {
  const { pair } = context
  const { tick, nonce } = orderKeyParts(oid)
  const order = takeOrder(context, trader, oid)
  const unfilled = unfilledSize(pearlAt(pair, tick), nonce, order.size)
  const filled = order.size - unfilled
  const isUntouched = filled === 0n
  const pic = isUntouched
    ? { ...NO_POSITION, balance: order.balance }
    : produce(context, tick, nonce, filled, order.balance)
  dropUnfilled(context, tick, nonce, unfilled)
  return { tick, nonce, order, pic, fee: pic.balance - order.balance }
}

/** What a cancellation of `size` would take back from the tick. */
function unfilledSize(pearl: ReturnType<typeof pearlAt>, nonce: number, size: bigint): bigint {
  if (nonce < pearl.nonce) return 0n
  if (nonce > pearl.nonce) return size
  const left = currentLeft(pearl)
  return abs(left) >= abs(size) ? size : left
}

/** The part of an order that cancelling it now would turn into a position, signed. */
export function takenOf(context: Pick<Context, 'pair'>, oid: number, order: Order): bigint {
  const { tick, nonce } = orderKeyParts(oid)
  return order.size - unfilledSize(pearlAt(context.pair, tick), nonce, order.size)
}

function dropUnfilled({ pair }: Context, tick: number, nonce: number, unfilled: bigint): void {
  const pearl = pearlAt(pair, tick)
  if (unfilled === 0n || nonce < pearl.nonce) return
  if (nonce > pearl.nonce) {
    pair.pearls.set(tick, withdrawWaiting(pearl, unfilled))
    return
  }
  const change = withdrawLeft(pearl, unfilled)
  pair.pearls.set(tick, change.pearl)
  if (change.record) keepRecord(pair, tick, nonce, change.record)
}

/** Turns a taken order into a position of its owner; whoever does it for another earns the tip. */
export function fill(context: Context, caller: string, target: string, tick: number, nonce: number): Filled {
  const { pair, instrument } = context
  enter(context)
  const oid = orderKey(tick, nonce)
  const order = takeOrder(context, target, oid)
  const pearl = pearlAt(pair, tick)
  if (nonce >= pearl.nonce) {
    const taken = nonce === pearl.nonce ? pearl.taken : 0n
    require(abs(taken) >= abs(order.size), 'OrderNotFullyTaken', order.size, taken)
  }
  const whole = produce(context, tick, nonce, order.size, order.balance)
  const tip = caller === target ? 0n : instrument.setting.param.tip
  const pic = { ...whole, balance: whole.balance - tip }
  const fee = whole.balance - order.balance
  log(context, 'Fill', { trader: target, tick, nonce, fee, pic, operator: caller, tip })
  absorb(context, target, pic)
  payMargin(context, caller, tip)
  return { pic, tip }
}

function takeOrder({ pair }: Context, trader: string, oid: number): Order {
  const account = accountOf(pair, trader)
  const order = account.orders.get(oid)
  require(order !== undefined, 'OrderNotExist')
  deleteOrder(account, oid)
  return order
}

/** Claims `size` from a generation and makes it a position at the tick's price, with the maker's share of fees. */
function produce(context: Context, tick: number, nonce: number, size: bigint, margin: bigint): Position {
  const { pair } = context
  const pearl = pearlAt(pair, tick)
  const source: Record | undefined = nonce < pearl.nonce ? pair.records.get(recordKey(tick, nonce)) : pearl
  if (!source) throw new Revert('InvariantBroken')
  const { entrySocialLossIndex, entryFundingIndex } = source
  const { makerFee } = claim(source, size)
  if (source === pearl) pair.pearls.set(tick, claim(pearl, size).rest)
  else pair.records.set(recordKey(tick, nonce), claim(source, size).rest)
  const entryNotional = wmul(tickToPrice(tick), abs(size))
  return { balance: margin + makerFee, size, entryNotional, entrySocialLossIndex, entryFundingIndex }
}
