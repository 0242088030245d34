/** Adding and removing liquidity ranges. Source: perp-protocol 3.8, 3.9, 4.1. */
import { addRange, deleteRange } from './account.ts'
import { CONDITION, countRemoval, STATUS } from './amm.ts'
import {
  absorb,
  accountOf,
  type Context,
  checkDeadline,
  checkTradeable,
  minRangeValue,
  minTickDelta,
  payMargin,
  pearlAt,
  pullMargin,
  touch,
} from './instrument.ts'
import { equity, type Position } from './position.ts'
import {
  entryBase,
  feeEarned,
  liquidityFor,
  minLiquidity,
  type Range,
  type RangeTicks,
  rangeKey,
  toPosition,
} from './range.ts'
import { require } from './revert.ts'
import { alignDown, alignUp, MAX_TICK, MIN_TICK, priceToSqrt, sqrtToTick } from './tick.ts'

type LimitTicks = { readonly limitTickLower: number; readonly limitTickUpper: number }

/** `amount` is WAD; a `tickDeltaLower` of 0 means the same as upper. */
type AddParam = LimitTicks & {
  readonly amount: bigint
  readonly tickDeltaLower: number
  readonly tickDeltaUpper: number
  readonly deadline: number
}

type RemoveParam = LimitTicks & RangeTicks & { readonly target: string; readonly deadline: number }

type Added = RangeTicks & { readonly range: Range }
type Removed = { readonly pic: Position; readonly fee: bigint; readonly tip: bigint }

const TICK_DELTA_MAX = 16_096
const MAX_RANGES = 128
const MIN_FIRST_MARGIN_MULTIPLIER = 10n
const UINT96_RANGE = 2n ** 96n
const UINT128_MAX = 2n ** 128n - 1n

export function add(context: Context, trader: string, param: AddParam): Added {
  const { instrument, pair } = context
  const { amm } = pair
  const { setting } = instrument
  checkDeadline(context.nowSec, param.deadline)
  require(instrument.condition === CONDITION.NORMAL, 'BadInstrumentCondition')
  require(amm.status !== STATUS.SETTLED, 'BadAmmStatus')
  if (amm.status === STATUS.DORMANT) initialise(context, param.amount)
  touch(context)

  const isWithinLimits = param.limitTickLower <= amm.tick && amm.tick <= param.limitTickUpper
  require(isWithinLimits, 'AddSlippage')
  const ticks = edges(context, param)
  const liquidity = liquidityFor(param.amount, amm.sqrtPX96, ticks, setting.initialMarginRatio)
  const least = minLiquidity(minRangeValue(setting), amm.sqrtPX96)
  require(liquidity >= least, 'AddTrivial', liquidity, least)
  require(param.amount < UINT96_RANGE, 'AddOverflow')
  const account = accountOf(pair, trader)
  require(!account.ranges.has(rangeKey(ticks)), 'RangeOccupied')
  require(account.rids.length < MAX_RANGES, 'RangeFull')

  const { feeIndex: entryFeeIndex, sqrtPX96: sqrtEntryPX96 } = amm
  const range: Range = { liquidity, entryFeeIndex, balance: param.amount, sqrtEntryPX96 }
  changeLiquidity(context, ticks, liquidity)
  amm.openInterests += entryBase(range, ticks)
  addRange(account, rangeKey(ticks), range)
  pullMargin(context, trader, param.amount)
  return { ...ticks, range }
}

/** Opens a dormant pair at the mark price. Reverts `InitTrivial`. */
function initialise({ instrument, pair, markWad, nowSec }: Context, marginWad: bigint): void {
  const least = MIN_FIRST_MARGIN_MULTIPLIER * instrument.setting.param.minMarginAmount
  require(marginWad >= least, 'InitTrivial', marginWad, least)
  pair.amm.sqrtPX96 = priceToSqrt(markWad)
  pair.amm.tick = sqrtToTick(pair.amm.sqrtPX96)
  pair.amm.status = STATUS.TRADING
  pair.amm.timestamp = nowSec
}

/** The aligned edges of a range. Reverts `AddInvalidTickDelta`, `TickOutOfBound`. */
function edges({ instrument, pair }: Context, param: AddParam): RangeTicks {
  const least = minTickDelta(instrument.setting)
  const upperDelta = param.tickDeltaUpper
  const lowerDelta = param.tickDeltaLower === 0 ? upperDelta : param.tickDeltaLower
  const isValid = (delta: number) => delta >= least && delta <= TICK_DELTA_MAX
  require(isValid(lowerDelta) && isValid(upperDelta), 'AddInvalidTickDelta')
  const tickLower = alignDown(pair.amm.tick - lowerDelta, instrument.spacing.range)
  const tickUpper = alignUp(pair.amm.tick + upperDelta, instrument.spacing.range)
  require(tickLower >= MIN_TICK && tickUpper <= MAX_TICK, 'TickOutOfBound')
  return { tickLower, tickUpper }
}

/** Adds liquidity (removes where negative) between two ticks. Reverts `AddLiquidityExceedMax`. */
function changeLiquidity({ instrument, pair }: Context, ticks: RangeTicks, change: bigint): void {
  const { amm, pearls } = pair
  const cap = UINT128_MAX / usableTicks(instrument.spacing.range)
  for (const [tick, net] of [
    [ticks.tickLower, change],
    [ticks.tickUpper, -change],
  ] as const) {
    const pearl = pearlAt(pair, tick)
    const liquidityGross = pearl.liquidityGross + change
    require(liquidityGross <= cap, 'AddLiquidityExceedMax')
    pearls.set(tick, { ...pearl, liquidityGross, liquidityNet: pearl.liquidityNet + net })
  }
  amm.totalLiquidity += change
  if (ticks.tickLower <= amm.tick && amm.tick < ticks.tickUpper) amm.liquidity += change
}

function usableTicks(spacing: number): bigint {
  return BigInt(Math.floor(MAX_TICK / spacing) - Math.ceil(MIN_TICK / spacing) + 1)
}

/** Turns a range into a position of its owner; anyone may do so for a tip once the price has left it. */
export function remove(context: Context, caller: string, param: RemoveParam): Removed {
  const { pair, instrument, markWad } = context
  const { amm } = pair
  const { target } = param
  checkDeadline(context.nowSec, param.deadline)
  checkTradeable(context)
  touch(context)

  const account = accountOf(pair, target)
  const rid = rangeKey(param)
  const range = account.ranges.get(rid)
  require(range !== undefined, 'RangeNotExist')
  require(param.limitTickLower <= amm.tick && amm.tick <= param.limitTickUpper, 'RemoveSlippage')
  const isActive = param.tickLower <= amm.tick && amm.tick < param.tickUpper
  require(caller === target || !isActive, 'RemoveActiveRange')

  const fee = feeEarned(range, amm.feeIndex)
  const tip = caller === target ? 0n : instrument.setting.param.tip
  const whole = toPosition(range, param, amm)
  const pic = { ...whole, balance: whole.balance - tip }
  countRemoval(amm, pic.size, entryBase(range, param))
  changeLiquidity(context, param, -range.liquidity)
  deleteRange(account, rid)
  const position = absorb(context, target, pic)
  require(position.size === 0n || equity(amm, position, markWad) >= 0n, 'PositionBankrupt')
  payMargin(context, caller, tip)
  return { pic, fee, tip }
}
