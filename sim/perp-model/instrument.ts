/** An instrument, its pairs by expiry, and the checks every action shares. Source: perp-protocol 2.1 to 2.4, 3.11, 4.1. */
import { type Account, emptyAccount } from './account.ts'
import { type Amm, CONDITION, countClose, dormantAmm, STATUS } from './amm.ts'
import { accrueFunding } from './funding.ts'
import { gather, type Quote, rawUnitWad, scatter, toRawDown, toRawUp } from './gate.ts'
import { NO_PEARL, type Pearl, type Record } from './pearl.ts'
import { combine, NO_POSITION, type Position } from './position.ts'
import { Revert, require } from './revert.ts'
import { priceToTick, sqrtToPrice } from './tick.ts'
import { deviation, RATIO_BASE, ratioToWad, WAD, wmulUp } from './wad.ts'

/** WAD amounts, ratios in basis points. */
type QuoteParam = {
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
  readonly setting: Setting
  readonly spacing: Spacing
  /** Symbol of the quote token in the Gate. */
  readonly quote: string
  condition: number
  spotWad: bigint
  readonly pairs: Map<number, Pair>
}

export type Pair = {
  readonly amm: Amm
  readonly pearls: Map<number, Pearl>
  /** Finished generations by `recordKey`. */
  readonly records: Map<string, Record>
  readonly accounts: Map<string, Account>
}

/** All an action works on: one pair of one instrument, its quote ledger, the block's time. */
export type Context = {
  readonly instrument: Instrument
  readonly pair: Pair
  readonly quote: Quote
  readonly nowSec: number
  /** Mark price, WAD; for a perpetual the spot price, which is also the benchmark. */
  readonly markWad: bigint
}

const MIN_ORDER_MULTIPLIER = 2n
const MIN_RANGE_MULTIPLIER = 10n

export function emptyPair(expiry: number): Pair {
  return { amm: dormantAmm(expiry), pearls: new Map(), records: new Map(), accounts: new Map() }
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

/** Deadline 0 means none. Reverts `Timeout`. */
export function checkDeadline(nowSec: number, deadlineSec: number): void {
  require(deadlineSec === 0 || nowSec <= deadlineSec, 'Timeout')
}

/** Reverts `BadInstrumentCondition` or `NotTradeable`. */
export function checkTradeable({ instrument, pair }: Context): void {
  require(instrument.condition === CONDITION.NORMAL, 'BadInstrumentCondition')
  const { status } = pair.amm
  require(status === STATUS.TRADING || status === STATUS.SETTLING, 'NotTradeable')
}

/** Brings the pair's funding to the block's time. */
export function touch({ instrument, pair, nowSec, markWad }: Context): void {
  Object.assign(pair.amm, accrueFunding(pair.amm, markWad, instrument.setting.fundingHour, nowSec))
}

/** The action `update`. Reverts `BadInstrumentCondition`, `BadAmmStatus`. */
export function update(context: Context): void {
  require(context.instrument.condition === CONDITION.NORMAL, 'BadInstrumentCondition')
  require(context.pair.amm.status === STATUS.TRADING, 'BadAmmStatus')
  touch(context)
}

/** Whether the fair price is no further from the mark than the initial margin ratio. */
export function isFairNearMark(context: Context, fairWad: bigint): boolean {
  return deviation(fairWad, context.markWad) <= ratioToWad(context.instrument.setting.initialMarginRatio)
}

/** Pulls margin (WAD, not negative) from the Gate; a fraction of a raw unit is paid as a whole one. */
export function pullMargin({ pair, quote }: Context, trader: string, amountWad: bigint): void {
  if (amountWad === 0n) return
  const amountRaw = toRawUp(quote, amountWad)
  scatter(quote, trader, amountRaw)
  pair.amm.involvedFund += amountRaw * rawUnitWad(quote)
}

/**
 * Pays margin (WAD, not negative) to the Gate; a fraction of a raw unit stays in the pair. Where the pair lacks no more than
 * rounding can have cost it, all there is.
 */
export function payMargin({ pair, quote }: Context, trader: string, amountWad: bigint): void {
  const { amm } = pair
  const owedRaw = toRawDown(quote, amountWad)
  const missingWad = owedRaw * rawUnitWad(quote) - amm.involvedFund
  require(missingWad <= mostDust(amm), 'InvariantBroken')
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

/** Combines a position that an order or a range produced with the trader's main one. */
export function absorb(context: Context, trader: string, produced: Position): Position {
  const { pair } = context
  const { position, closedSize } = combine(pair.amm, accountOf(pair, trader).position, produced)
  countClose(pair.amm, closedSize)
  payMargin(context, trader, savePosition(context, trader, position))
  return position
}

/** The quote of an instrument. */
export function quoteOf(quotes: ReadonlyMap<string, Quote>, instrument: Instrument): Quote {
  const quote = quotes.get(instrument.quote)
  if (!quote) throw new Revert('QuoteNotSupported')
  return quote
}
