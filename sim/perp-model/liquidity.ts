/** Adding and removing liquidity ranges. Source: perp-protocol 3.8, 3.9, 4.1. */
import { type Account, addRange, deleteRange } from './account.ts'
import { countRemoval, PERP_EXPIRY, STATUS } from './amm.ts'
import { log } from './events.ts'
import {
  absorb,
  accountOf,
  type Context,
  isFairNearMark,
  minRangeValue,
  minTickDelta,
  payMargin,
  pearlAt,
  pullMargin,
} from './instrument.ts'
import { checkDeadline, checkNormal, enter, touch } from './lifecycle.ts'
import type { Position } from './position.ts'
import { SETTLING_SEC } from './prices.ts'
import {
  entryBase,
  feeEarned,
  liquidityFor,
  minLiquidity,
  type Range,
  type RangeTicks,
  rangeKey,
  rangeTicks,
  toPosition,
} from './range.ts'
import { require } from './revert.ts'
import { alignDown, alignUp, MAX_TICK, MIN_TICK, priceToSqrt, sqrtToPrice, sqrtToTick } from './tick.ts'

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

/** Dated pairs expire on Fridays at 08:00 UTC, the first of all times 32 hours after the epoch. */
const FIRST_FRIDAY_SEC = 115_200
const WEEK_SEC = 604_800
const MOST_WEEKS = 13
const TICK_DELTA_MAX = 16_096
const MAX_RANGES = 128
const MIN_FIRST_MARGIN_MULTIPLIER = 10n
const UINT96_RANGE = 2n ** 96n
/** With that much at every tick there is, the active liquidity still fits 128 bits. */
const MOST_LIQUIDITY_OF_A_TICK = (2n ** 128n - 1n) / BigInt(MAX_TICK - MIN_TICK + 1)

export function add(context: Context, trader: string, param: AddParam): Added {
  const { instrument, pair } = context
  const { amm } = pair
  const { setting } = instrument
  checkDeadline(context.nowSec, param.deadline)
  checkNormal(context)
  require(amm.status !== STATUS.SETTLED, 'BadAmmStatus')
  if (amm.status === STATUS.DORMANT) initialise(context, param.amount)
  else touch(context)
  require((amm.status as number) !== STATUS.SETTLED, 'BadAmmStatus')
  // A range added at a price the market has left would be bought through at once, at its provider's cost or the pair's.
  require(isFairNearMark(context, sqrtToPrice(amm.sqrtPX96)), 'FairDeviation')

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
  log(context, 'Add', { trader, ...ticks, range })
  pullMargin(context, trader, param.amount)
  return { ...ticks, range }
}

/** Opens a dormant pair at the mark price. Reverts `InitTrivial`. */
function initialise({ instrument, pair, markWad, nowSec }: Context, marginWad: bigint): void {
  if (pair.amm.expiry !== PERP_EXPIRY) checkExpiry(pair.amm.expiry, nowSec)
  const least = MIN_FIRST_MARGIN_MULTIPLIER * instrument.setting.param.minMarginAmount
  require(marginWad >= least, 'InitTrivial', marginWad, least)
  pair.amm.sqrtPX96 = priceToSqrt(markWad)
  pair.amm.tick = sqrtToTick(pair.amm.sqrtPX96)
  pair.amm.status = STATUS.TRADING
  pair.amm.timestamp = nowSec
}

/** Reverts `ExpiryNotAligned`, `ExpiryExceedMaxExpiryPeriod`, `ExpiryBelowSettlingDuration`. */
function checkExpiry(expiry: number, nowSec: number): void {
  require((expiry - FIRST_FRIDAY_SEC) % WEEK_SEC === 0, 'ExpiryNotAligned')
  require(expiry <= nowSec + MOST_WEEKS * WEEK_SEC, 'ExpiryExceedMaxExpiryPeriod')
  require(expiry > nowSec + SETTLING_SEC, 'ExpiryBelowSettlingDuration')
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
function changeLiquidity({ pair }: Context, ticks: RangeTicks, change: bigint): void {
  const { amm, pearls } = pair
  for (const [tick, net] of [
    [ticks.tickLower, change],
    [ticks.tickUpper, -change],
  ] as const) {
    const pearl = pearlAt(pair, tick)
    const liquidityGross = pearl.liquidityGross + change
    require(liquidityGross <= MOST_LIQUIDITY_OF_A_TICK, 'AddLiquidityExceedMax')
    pearls.set(tick, { ...pearl, liquidityGross, liquidityNet: pearl.liquidityNet + net })
  }
  amm.totalLiquidity += change
  if (ticks.tickLower <= amm.tick && amm.tick < ticks.tickUpper) amm.liquidity += change
}

/** Turns a range into a position of its owner; anyone may do so for a tip once the price has left it. */
export function remove(context: Context, caller: string, param: RemoveParam): Removed {
  const { pair, instrument } = context
  const { amm } = pair
  const { target } = param
  enter(context, param.deadline)

  const account = accountOf(pair, target)
  const rid = rangeKey(param)
  const range = account.ranges.get(rid)
  require(range !== undefined, 'RangeNotExist')
  require(param.limitTickLower <= amm.tick && amm.tick <= param.limitTickUpper, 'RemoveSlippage')
  const isActive = param.tickLower <= amm.tick && amm.tick < param.tickUpper
  require(caller === target || !isActive, 'RemoveActiveRange')

  const tip = caller === target ? 0n : instrument.setting.param.tip
  const { pic, fee } = closeRange(context, account, rid, range, { target, operator: caller, tip })
  absorb(context, target, pic)
  payMargin(context, caller, tip)
  return { pic, fee, tip }
}

type Closing = { readonly target: string; readonly operator: string; readonly tip: bigint }

/** Takes a range out of the curve and its account. Returns the position it became, without the tip, and the fee that it earned. */
export function closeRange(
  context: Context,
  account: Account,
  rid: number,
  range: Range,
  { target, operator, tip }: Closing,
): Pick<Removed, 'pic' | 'fee'> {
  const { amm } = context.pair
  const ticks = rangeTicks(rid)
  const position = toPosition(range, ticks, amm)
  countRemoval(amm, position.size, entryBase(range, ticks))
  changeLiquidity(context, ticks, -range.liquidity)
  deleteRange(account, rid)
  const fee = feeEarned(range, amm.feeIndex)
  const pic = { ...position, balance: position.balance - tip }
  log(context, 'Remove', { trader: target, ...ticks, fee, pic, operator, tip })
  return { pic, fee }
}
