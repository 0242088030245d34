/** Market trade and margin adjustment. Source: perp-protocol 3.7, 4.1. */
import { countClose, countTrade } from './amm.ts'
import { type Event, log, logFunding } from './events.ts'
import {
  accountOf,
  type Context,
  isFairNearMark,
  keepRecord,
  minTradeValue,
  payMargin,
  pullMargin,
  savePosition,
} from './instrument.ts'
import { enter } from './lifecycle.ts'
import {
  combine,
  fundingFee,
  isImrSafe,
  isMmrSafe,
  maxWithdrawable,
  NO_POSITION,
  openPosition,
  type Position,
  realise,
} from './position.ts'
import { isCrazyDeviation, type Quotation, quote } from './quotation.ts'
import { require } from './revert.ts'
import type { SwapResult } from './swap.ts'
import { MAX_TICK, MIN_TICK, sqrtToPrice, tickToPrice } from './tick.ts'
import { abs, max, ratioToWad, sign, wdivDown, wmul, wmulDown } from './wad.ts'

/** Amounts and sizes are WAD; a negative `amount` takes margin out. */
type TradeParam = {
  readonly size: bigint
  readonly amount: bigint
  readonly limitTick: number
  readonly deadline: number
}

/** Trades, or adjusts margin where `size` is 0. Returns the resulting main position. */
export function trade(context: Context, trader: string, param: TradeParam): Position {
  enter(context, param.deadline)
  return param.size === 0n ? adjust(context, trader, param.amount) : tradeSize(context, trader, param)
}

function tradeSize(context: Context, trader: string, param: TradeParam): Position {
  const { pair } = context
  const { size, amount } = param
  const { amm } = pair
  const before = accountOf(pair, trader).position
  const { quotation, swapped } = quote(context, size)
  checkQuotation(context, before, param, quotation)

  applySwap(context, size, swapped, quotation.fee)
  const traded = openPosition(amm, max(0n, amount) - quotation.fee, size, quotation.entryNotional)
  const combined = combine(amm, before, traded)
  countClose(amm, combined.closedSize)
  logFunding(context, trader, combined.funding)

  const released = max(0n, -amount)
  const position = { ...combined.position, balance: combined.position.balance - released }
  if (released > 0n) checkRelease(context, combined.position, released)
  checkMargin(context, before.size, position)
  if (released > 0n) log(context, 'Adjust', { trader, net: amount })
  log(context, 'Trade', { trader, size, amount: max(0n, amount), ...executionLog(context, size, swapped) })
  const payout = savePosition(context, trader, position)
  pullMargin(context, trader, max(0n, amount))
  payMargin(context, trader, released)
  payMargin(context, trader, payout)
  return position.size === 0n ? NO_POSITION : position
}

/** What the events of whoever takes from the pair say of the walk; `takenSize` is signed as the makers' side. */
export function executionLog({ instrument, markWad }: Context, size: bigint, swapped: SwapResult): Event['args'] {
  return {
    takenSize: -sign(size) * swapped.takenSize,
    takenValue: swapped.takenValue,
    entryNotional: swapped.entryNotional,
    feeRatio: instrument.setting.param.tradingFeeRatio,
    sqrtPX96: swapped.sqrtPX96,
    mark: markWad,
  }
}

/** A position that grew, also by flipping beyond its old size, must meet the initial margin, any other the maintenance. */
function checkMargin({ pair, instrument, markWad }: Context, sizeBefore: bigint, position: Position): void {
  const { initialMarginRatio, maintenanceMarginRatio } = instrument.setting
  if (position.size === 0n) return
  if (abs(position.size) > abs(sizeBefore)) {
    require(isImrSafe(pair.amm, position, initialMarginRatio, markWad), 'TradeImrUnsafe')
  } else {
    require(isMmrSafe(pair.amm, position, maintenanceMarginRatio, markWad), 'TradeMmrUnsafe')
  }
}

function checkQuotation({ instrument }: Context, before: Position, param: TradeParam, quotation: Quotation): void {
  const { size, limitTick } = param
  require(isWithinLimit(size, quotation.entryNotional, limitTick), 'TradeSlippage')
  require(!isCrazyDeviation(quotation, instrument.setting.maintenanceMarginRatio), 'CrazyDeviation')
  if (before.size === 0n) require(quotation.entryNotional >= minTradeValue(instrument.setting), 'TradeTrivial')
}

/**
 * Whether the average price of a trade lies within its limit: a long pays at most what its size is worth at the limit's
 * price, a short gets at least that. A limit beyond the tick range means its end. Source: perp-protocol 3.3.
 */
export function isWithinLimit(size: bigint, notional: bigint, limitTick: number): boolean {
  const tick = Math.min(Math.max(limitTick, MIN_TICK), MAX_TICK)
  const atLimit = wmul(tickToPrice(tick), abs(size))
  return size > 0n ? notional <= atLimit : notional >= atLimit
}

/** Writes the swap: price, pearls, records, open interest, and the fee's three shares. */
export function applySwap({ pair, instrument }: Context, size: bigint, swapped: SwapResult, fee: bigint): void {
  const { amm } = pair
  amm.sqrtPX96 = swapped.sqrtPX96
  amm.tick = swapped.tick
  amm.liquidity = swapped.liquidity
  for (const [tick, pearl] of swapped.pearls) pair.pearls.set(tick, pearl)
  for (const { tick, nonce, record } of swapped.records) keepRecord(pair, tick, nonce, record)
  countTrade(amm, size, swapped.takenSize)

  // Per unit of all liquidity, in range or not: a range's claim does not ask whether it was in range.
  const curveNotional = swapped.entryNotional - swapped.takenValue
  const providerFee = wmulDown(curveNotional, ratioToWad(instrument.setting.param.tradingFeeRatio))
  if (amm.totalLiquidity > 0n) amm.feeIndex += wdivDown(providerFee, amm.totalLiquidity)
  amm.protocolFee += fee - swapped.makerFee - providerFee
}

function adjust(context: Context, trader: string, net: bigint): Position {
  const { pair } = context
  const before = accountOf(pair, trader).position
  require(before.size !== 0n, 'PositionNotExist')
  const realised = realise(pair.amm, before)
  logFunding(context, trader, fundingFee(pair.amm, before))
  if (net < 0n) checkRelease(context, realised, -net)
  const position = { ...realised, balance: realised.balance + net }
  log(context, 'Adjust', { trader, net })
  savePosition(context, trader, position)
  pullMargin(context, trader, max(0n, net))
  payMargin(context, trader, max(0n, -net))
  return position
}

/** Whether `released` (WAD) may leave the position. Reverts `ForbidNegativeAdjust`, `TradeImrUnsafe`. */
function checkRelease(context: Context, position: Position, released: bigint): void {
  const { pair, instrument, markWad } = context
  require(isFairNearMark(context, sqrtToPrice(pair.amm.sqrtPX96)), 'ForbidNegativeAdjust')
  const most = maxWithdrawable(pair.amm, position, instrument.setting.initialMarginRatio, markWad)
  require(position.size !== 0n && released <= most, 'TradeImrUnsafe')
}
