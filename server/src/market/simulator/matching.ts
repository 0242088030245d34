import { hash } from 'node:crypto'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { AppliedSplit } from '../applied-splits.ts'
import { type MarketHours, SESSION } from '../hours.ts'
import type { Instrument } from '../instruments.ts'
import type { BrokerOrderStatus, Execution } from '../ports.ts'
import { STEP_MS } from './price-path.ts'
import type { SimulatedPrices } from './prices.ts'
import type { BookOrder } from './store.ts'

/** Nine decimals, as brokers of fractional shares have them. */
export const DECIMALS = 9
export const UNIT_WAD = 10n ** BigInt(WAD_DECIMALS - DECIMALS)
const PRICE_UNIT = 10n ** 8n
const MINUTE_MS = 60_000
/** Quotes examined for one order at a time; the rest waits for the next time. */
const MAX_STEPS = 2000

/** What orders are matched against. */
export interface MatchingRules {
  readonly seed: string
  readonly hours: MarketHours
  readonly prices: SimulatedPrices
  readonly instruments: readonly Instrument[]
  readonly splits: readonly AppliedSplit[]
}

/** The outcome of matching an open order. */
export interface Matched {
  readonly executions: readonly Execution[]
  readonly status: BrokerOrderStatus
  readonly reason: string | null
  /** The next instant to look at, market clock, Unix ms. */
  readonly nextMs: number
  /** False when there was more to examine than one pass takes. */
  readonly isCurrent: boolean
}

/**
 * Carries an open order forward to `nowMs`: a pure function of the seed, the order and the rules, so that every process
 * that looks, whenever it looks, finds the same fills at the same seconds.
 */
export function match(order: BookOrder, rules: MatchingRules, nowMs: number): Matched {
  const end = endOf(order, rules.splits)
  const untilMs = Math.min(nowMs, end.atMs - 1)
  const matched = order.limitPrice8 === null ? matchMarket(order, rules, untilMs) : matchLimit(order, rules, untilMs)
  const isOpen = matched.status === 'accepted' || matched.status === 'partially_filled'
  if (!isOpen || !matched.isCurrent || end.atMs > nowMs) return matched
  return { ...matched, status: end.status, reason: end.reason }
}

interface End {
  readonly atMs: number
  readonly status: 'expired' | 'canceled'
  readonly reason: string | null
}

/** What ends an order first: its expiry, its cancel, or a split, after which its shares and price mean something else. */
function endOf(order: BookOrder, splits: readonly AppliedSplit[]): End {
  const split = splits.find(({ symbol, effectiveMs }) => symbol === order.symbol && effectiveMs > order.acceptedMs)
  const never = Number.MAX_SAFE_INTEGER
  const ends: End[] = [
    { atMs: order.expiresAtMs ?? never, status: 'expired', reason: null },
    { atMs: order.cancelMs ?? never, status: 'canceled', reason: null },
    { atMs: split?.effectiveMs ?? never, status: 'canceled', reason: 'the shares were split' },
  ]
  return ends.reduce((first, other) => (other.atMs < first.atMs ? other : first))
}

/** A market order fills whole, at the first quote of a regular session once it is due. */
function matchMarket(order: BookOrder, { hours, prices, splits, seed }: MatchingRules, untilMs: number): Matched {
  const timeMs = hours.nextRegular(order.fillTimeMs)
  const waiting = { executions: [], status: order.status, reason: null, nextMs: order.fillTimeMs, isCurrent: true }
  const quote = timeMs > untilMs ? null : prices.quoteAt(order.symbol, timeMs, splits)
  if (!quote) return waiting
  const price8 = order.side === 'buy' ? quote.ask8 : quote.bid8
  const amountWad = order.notionalWad === null ? (order.quantityWad ?? 0n) : (order.notionalWad * PRICE_UNIT) / price8
  const quantityWad = cut(amountWad, UNIT_WAD)
  if (quantityWad === 0n) {
    return { ...waiting, status: 'rejected', reason: `the amount buys less than 10^-${DECIMALS} shares` }
  }
  return { ...waiting, executions: [executionOf(order, seed, quantityWad, price8, timeMs)], status: 'filled' }
}

/** A limit order fills second by second while the quote meets its price, each time as far as the quote's size goes. */
function matchLimit(order: BookOrder, rules: MatchingRules, untilMs: number): Matched {
  const { hours, prices, splits, seed } = rules
  const path = prices.path(order.symbol)
  const instrument = rules.instruments.find(({ symbol }) => symbol === order.symbol)
  const executions: Execution[] = []
  let { status, filledQuantityWad: filledWad } = order
  let timeMs = order.fillTimeMs
  if (!path || !instrument) return { executions, status, reason: null, nextMs: timeMs, isCurrent: true }
  const totalWad = order.quantityWad ?? 0n
  const unitWad = instrument.fractionable ? UNIT_WAD : WAD
  let lookedAt = 0
  while (timeMs <= untilMs && filledWad < totalWad && lookedAt < MAX_STEPS) {
    if (!mayTrade(instrument, totalWad, hours, timeMs)) {
      timeMs = nextMinute(timeMs, hours)
      continue
    }
    lookedAt++
    const price8 = meets(order, prices.quoteAt(order.symbol, timeMs, splits))
    if (price8 !== null) {
      const sizeWad = cut(path.sizeAt(path.stepAt(timeMs)), unitWad)
      const quantityWad = sizeWad < totalWad - filledWad ? sizeWad : totalWad - filledWad
      if (quantityWad > 0n) {
        const nth = order.fillCount + executions.length
        executions.push(executionOf(order, seed, quantityWad, price8, timeMs, nth))
        filledWad += quantityWad
        status = filledWad === totalWad ? 'filled' : 'partially_filled'
      }
    }
    timeMs = path.timeOf(path.stepAt(timeMs) + 1n)
  }
  return { executions, status, reason: null, nextMs: timeMs, isCurrent: timeMs > untilMs }
}

function meets(order: BookOrder, quote: { readonly bid8: bigint; readonly ask8: bigint } | null): bigint | null {
  const limit8 = order.limitPrice8
  if (!quote || limit8 === null) return null
  if (order.side === 'buy') return quote.ask8 <= limit8 ? quote.ask8 : null
  return quote.bid8 >= limit8 ? quote.bid8 : null
}

/** Whether an asset trades at an instant: in extended hours and overnight by its flags (stock-api 7). */
function mayTrade(instrument: Instrument, quantityWad: bigint, hours: MarketHours, timeMs: number): boolean {
  const session = hours.session(timeMs)
  if (session === SESSION.regular) return true
  if (session === SESSION.closed) return false
  if (session === SESSION.overnight && !instrument.overnightTradable) return false
  return instrument.fractionalEhEnabled || quantityWad % WAD === 0n
}

/** Sessions begin on whole minutes; while the market is closed, the beginning of the next trade date. */
function nextMinute(timeMs: number, hours: MarketHours): number {
  const minuteMs = (Math.floor(timeMs / MINUTE_MS) + 1) * MINUTE_MS
  return Math.max(
    minuteMs,
    hours.session(timeMs) === SESSION.closed ? hours.tradeDateStart(hours.tradeDate(timeMs)) : 0,
  )
}

function executionOf(
  order: BookOrder,
  seed: string,
  quantityWad: bigint,
  price8: bigint,
  timeMs: number,
  nth = 0,
): Execution {
  const { clientOrderId, symbol, side } = order
  const executionId = `sim-${digest(seed, clientOrderId, nth === 0 ? 'execution' : `execution:${nth}`).slice(0, 24)}`
  return { executionId, clientOrderId, symbol, side, quantityWad, price8, timeMs }
}

/** Seconds after which what was asked of the broker happens: the seed and the order decide. */
export const delayMs = (seed: string, clientOrderId: string, kind: 'delay' | 'cancel', maxSteps: number): number =>
  (Number.parseInt(digest(seed, clientOrderId, kind).slice(0, 8), 16) % (maxSteps + 1)) * STEP_MS

export const digest = (seed: string, clientOrderId: string, kind: string): string =>
  hash('sha256', `${seed}|${kind}|${clientOrderId}`, 'hex')

const cut = (amountWad: bigint, unitWad: bigint): bigint => (amountWad / unitWad) * unitWad
