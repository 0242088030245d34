/** An instrument, its pairs by expiry, and the checks every action shares. Source: perp-protocol 2.1 to 2.4, 3.11, 4.1. */
import { type Account, emptyAccount } from './account.ts'
import { type Amm, countClose, dormantAmm } from './amm.ts'
import { type Event, logFunding } from './events.ts'
import { gather, type Quote, rawUnitWad, scatter, toRawDown, toRawUp } from './gate.ts'
import { absorbDeficit } from './losses.ts'
import { NO_PEARL, type Pearl, type Record } from './pearl.ts'
import { combine, equity, NO_POSITION, type Position } from './position.ts'
import type { Accumulator } from './prices.ts'
import { Revert, require } from './revert.ts'
import { priceToTick, sqrtToPrice } from './tick.ts'
import { deviation, max, RATIO_BASE, ratioToWad, WAD, wmulUp } from './wad.ts'

/** WAD amounts, ratios in basis points. */
export type QuoteParam = {
  readonly minMarginAmount: bigint
  readonly tradingFeeRatio: number
  readonly protocolFeeRatio: number
  readonly qtype: number
  readonly tip: bigint
}

export type Setting = {
  readonly symbol: string
  readonly decimals: number
  readonly initialMarginRatio: number
  readonly maintenanceMarginRatio: number
  readonly placePaused: boolean
  readonly fundingHour: number
  readonly disableOrderRebate: boolean
  readonly param: QuoteParam
}

export type Spacing = { readonly pearl: number; readonly order: number; readonly range: number }

export type Instrument = {
  setting: Setting
  readonly spacing: Spacing
  /** `FEEDER`: which side of the base is stable. */
  readonly feederType: number
  /** Symbol of the quote token in the Gate. */
  readonly quote: string
  condition: number
  spotWad: bigint
  /** What rounding left of pairs that are gone, WAD. */
  leftWad: bigint
  readonly pairs: Map<number, Pair>
}

/** Who may do what across all instruments. */
export type Protocol = {
  /** Owner of Config. */
  readonly admin: string
  /** The one caller of the functions that act for others. */
  readonly handler: string
  readonly pendingDurationSec: number
  readonly blacklist: Set<string>
  /** Whether everybody may liquidate, or those on the list only. */
  openLiquidator: boolean
  readonly liquidators: Set<string>
}

export type Pair = {
  readonly amm: Amm
  readonly pearls: Map<number, Pearl>
  /** Finished generations by `recordKey`. */
  readonly records: Map<string, Record>
  readonly accounts: Map<string, Account>
  /** Losses that nobody could bear yet, WAD. */
  shortfall: bigint
  /** Only for a dated pair in its last half hour. */
  accumulator: Accumulator | undefined
}

/** All an action works on: one pair of one instrument, its quote ledger, the block's time. */
export type Context = {
  readonly instrument: Instrument
  readonly pair: Pair
  readonly quote: Quote
  readonly protocol: Protocol
  readonly nowSec: number
  /** Prices, WAD; of a perpetual all the same. */
  readonly spotWad: bigint
  readonly benchmarkWad: bigint
  readonly markWad: bigint
  /** What the action has logged so far. */
  readonly events: Event[]
}

const MIN_ORDER_MULTIPLIER = 2n
const MIN_RANGE_MULTIPLIER = 10n

export function emptyPair(expiry: number): Pair {
  return {
    amm: dormantAmm(expiry),
    pearls: new Map(),
    records: new Map(),
    accounts: new Map(),
    shortfall: 0n,
    accumulator: undefined,
  }
}

export function recordKey(tick: number, nonce: number): string {
  return `${tick}:${nonce}`
}

export function maxLeverage(setting: Setting): bigint {
  return (RATIO_BASE * WAD) / BigInt(setting.initialMarginRatio)
}

export function minTradeValue(setting: Setting): bigint {
  return (setting.param.minMarginAmount * RATIO_BASE) / BigInt(setting.initialMarginRatio)
}

export function minOrderValue(setting: Setting): bigint {
  return MIN_ORDER_MULTIPLIER * minTradeValue(setting)
}

export function minRangeValue(setting: Setting): bigint {
  return MIN_RANGE_MULTIPLIER * minTradeValue(setting)
}

/** Least distance of a range's edge from the price, in ticks. */
export function minTickDelta(setting: Setting): number {
  return priceToTick(WAD + ratioToWad(setting.initialMarginRatio))
}

/** Maker rebate as a WAD fraction of the taken value. */
export function rebateWad(setting: Setting): bigint {
  return setting.disableOrderRebate ? 0n : ratioToWad(setting.param.tradingFeeRatio)
}

export function accountOf(pair: Pair, trader: string): Account {
  const known = pair.accounts.get(trader)
  if (known) return known
  const account = emptyAccount()
  pair.accounts.set(trader, account)
  return account
}

export function pearlAt(pair: Pair, tick: number): Pearl {
  return pair.pearls.get(tick) ?? NO_PEARL
}

/** Stores a finished generation. Reverts `ReuseNonEmptyRecord`. */
export function keepRecord(pair: Pair, tick: number, nonce: number, record: Record): void {
  const key = recordKey(tick, nonce)
  require(!pair.records.has(key), 'ReuseNonEmptyRecord')
  pair.records.set(key, record)
}

/** Whether the fair price is no further from the mark than the initial margin ratio. */
export function isFairNearMark(context: Context, fairWad: bigint): boolean {
  return deviation(fairWad, context.markWad) <= ratioToWad(context.instrument.setting.initialMarginRatio)
}

/** Pulls margin (WAD, not negative) from the Gate; a fraction of a raw unit is paid as a whole one. */
export function pullMargin({ pair, quote, protocol }: Context, trader: string, amountWad: bigint): void {
  if (amountWad === 0n) return
  const amountRaw = toRawUp(quote, amountWad)
  require(!protocol.blacklist.has(trader), 'BlacklistedTrader')
  scatter(quote, trader, amountRaw)
  pair.amm.involvedFund += amountRaw * rawUnitWad(quote)
}

/**
 * Pays margin (WAD, not negative) to the Gate; a fraction of a raw unit stays in the pair. Where the pair lacks no more than
 * rounding and losses that nobody bore can have cost it, all there is.
 */
export function payMargin({ pair, quote }: Context, trader: string, amountWad: bigint): void {
  const { amm } = pair
  const owedRaw = toRawDown(quote, amountWad)
  const missingWad = owedRaw * rawUnitWad(quote) - amm.involvedFund
  require(missingWad <= mostDust(amm) + pair.shortfall, 'InvariantBroken')
  // Who is cut short for it has borne that much of what nobody bore.
  if (missingWad > 0n) pair.shortfall = max(0n, pair.shortfall - missingWad)
  const paidRaw = missingWad > 0n ? toRawDown(quote, amm.involvedFund) : owedRaw
  if (paidRaw === 0n) return
  gather(quote, trader, paidRaw)
  amm.involvedFund -= paidRaw * rawUnitWad(quote)
}

/** A billionth of a base unit at the fair price and a millionth of a quote unit, WAD. */
function mostDust({ sqrtPX96 }: Amm): bigint {
  return 10n ** 12n + wmulUp(sqrtToPrice(sqrtPX96), 10n ** 9n)
}

/**
 * Stores a trader's position; a flat one is deleted. Returns what is to be paid out: the balance of a flat one. Reverts
 * `PositionBankrupt`.
 */
export function savePosition({ pair }: Context, trader: string, position: Position): bigint {
  const isFlat = position.size === 0n
  require(!isFlat || position.balance >= 0n, 'PositionBankrupt')
  accountOf(pair, trader).position = isFlat ? NO_POSITION : position
  return isFlat ? position.balance : 0n
}

/** A flat position owes nothing any more: a debt that came from a long or a short becomes a loss of the pair. */
export function withDebtAbsorbed({ pair, markWad }: Context, position: Position, failsLong: boolean): Position {
  if (position.size !== 0n || position.balance >= 0n) return position
  absorbDeficit(pair, -position.balance, failsLong, markWad)
  return { ...position, balance: 0n }
}

/** Whether a debt of both together is one of a long: the main position's if it is bankrupt by itself, else the other's. */
export function failsLong({ pair, markWad }: Context, main: Position, joining: Position): boolean {
  const isMain = main.size !== 0n && (joining.size === 0n || equity(pair.amm, main, markWad) < 0n)
  return (isMain ? main.size : joining.size) > 0n
}

/** Combines a position that an order or a range produced with the trader's main one, and absorbs a debt that this leaves. */
export function absorb(context: Context, trader: string, produced: Position): Position {
  const { pair } = context
  const main = accountOf(pair, trader).position
  const isLong = failsLong(context, main, produced)
  const { position, closedSize, funding } = combine(pair.amm, main, produced)
  logFunding(context, trader, funding)
  countClose(pair.amm, closedSize)
  const covered = withDebtAbsorbed(context, position, isLong)
  payMargin(context, trader, savePosition(context, trader, covered))
  return covered
}

/** The quote of an instrument. */
export function quoteOf(quotes: ReadonlyMap<string, Quote>, instrument: Instrument): Quote {
  const quote = quotes.get(instrument.quote)
  if (!quote) throw new Revert('QuoteNotSupported')
  return quote
}
