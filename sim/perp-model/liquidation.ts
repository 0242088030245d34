/**
 * What becomes of an account below its maintenance margin: another takes its position over, or the market does. Orders and
 * ranges of the account stay, their margins are their own. Source: perp-protocol 3.12.
 */
import { countClose } from './amm.ts'
import { log, logFunding } from './events.ts'
import { accountOf, type Context, payMargin, pullMargin, savePosition } from './instrument.ts'
import { enter } from './lifecycle.ts'
import { coverDeficit } from './losses.ts'
import {
  combine,
  equity,
  fundingFee,
  isImrSafe,
  isMmrSafe,
  openPosition,
  type Position,
  realise,
  split,
} from './position.ts'
import { isCrazyDeviation, quote } from './quotation.ts'
import { require } from './revert.ts'
import { applySwap, executionLog } from './trade.ts'
import { abs, max, sign } from './wad.ts'

/** `size` is base with the sign of the target's position; `amount` is the liquidator's margin. WAD. */
type LiquidateParam = { readonly target: string; readonly size: bigint; readonly amount: bigint }

/** `size` is base with the opposite sign of the target's position, WAD. */
type SweepParam = { readonly target: string; readonly size: bigint }

/** Takes over a part of a position at its entry price, with the margin it has left; a debt is covered first. */
export function liquidate(context: Context, liquidator: string, { target, size, amount }: LiquidateParam): void {
  const { pair, instrument, protocol, markWad } = context
  const { amm } = pair
  enter(context)
  require(protocol.openLiquidator || protocol.liquidators.has(liquidator), 'LiquidatorIneligible')
  require(liquidator !== target, 'SelfLiquidation')
  const { part, rest } = splitUnsafe(context, target, size, size)

  const deficit = max(0n, -equity(amm, part, markWad))
  coverDeficit(pair, deficit, size > 0n, markWad)
  const taken = { ...part, balance: part.balance + deficit + amount }
  savePosition(context, target, rest)
  log(context, 'Liquidate', { trader: liquidator, amount, mark: markWad, target, size })

  const { position, closedSize, funding } = combine(amm, accountOf(pair, liquidator).position, taken)
  countClose(amm, closedSize)
  logFunding(context, liquidator, funding)
  const { initialMarginRatio } = instrument.setting
  const isSafe = position.size === 0n ? position.balance >= 0n : isImrSafe(amm, position, initialMarginRatio, markWad)
  require(isSafe, 'LiquidatePostImrUnsafe')
  const payout = savePosition(context, liquidator, position)
  pullMargin(context, liquidator, amount)
  payMargin(context, liquidator, payout)
}

/** Closes a part of a position in the market. What is left of its margin insures the pair, what is missing is covered. */
export function sweep(context: Context, operator: string, { target, size }: SweepParam): void {
  const { pair, instrument, markWad } = context
  const { amm } = pair
  enter(context)
  const { part, rest } = splitUnsafe(context, target, -size, size)
  const { quotation, swapped } = quote(context, size)
  // Or whoever moved the price away could have the victim close at that price.
  require(!isCrazyDeviation(quotation, instrument.setting.maintenanceMarginRatio), 'CrazyDeviation')

  applySwap(context, size, swapped, quotation.fee)
  const traded = openPosition(amm, -quotation.fee, size, quotation.entryNotional)
  const { position, closedSize } = combine(amm, part, traded)
  countClose(amm, closedSize)
  savePosition(context, target, rest)
  log(context, 'Sweep', { trader: target, size, ...executionLog(context, size, swapped), operator })
  if (position.balance >= 0n) amm.insuranceFund += position.balance
  else coverDeficit(pair, -position.balance, part.size > 0n, markWad)
}

/**
 * The part of a position that is to be taken, signed like the position, and the rest; funding and social loss are realised. Reverts `PositionNotExist`,
 * `BadTargetSize` with the size as it was asked for, `TargetSafe`.
 */
function splitUnsafe(
  context: Context,
  target: string,
  size: bigint,
  requested: bigint,
): { readonly part: Position; readonly rest: Position } {
  const { pair, instrument, markWad } = context
  const { position } = accountOf(pair, target)
  require(position.size !== 0n, 'PositionNotExist')
  const isPart = sign(size) === sign(position.size) && abs(size) <= abs(position.size)
  require(isPart, 'BadTargetSize', position.size, requested)
  const isSafe = isMmrSafe(pair.amm, position, instrument.setting.maintenanceMarginRatio, markWad)
  require(!isSafe, 'TargetSafe')
  logFunding(context, target, fundingFee(pair.amm, position))
  return split(realise(pair.amm, position), size)
}
