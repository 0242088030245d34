/** Random market trades and margin adjustments that fit the state. */
import { deltaBase } from './curve.ts'
import type { Scene } from './generate-scene.ts'
import { accountOf, minTradeValue } from './instrument.ts'
import { touch } from './lifecycle.ts'
import { maxWithdrawable, realise } from './position.ts'
import { quote } from './quotation.ts'
import { Revert } from './revert.ts'
import { nextInitialisedTick } from './swap.ts'
import { priceToTick, sqrtToPrice, tickToSqrt } from './tick.ts'
import { isWithinLimit } from './trade.ts'
import { abs, max, sign, wdiv, wdivUp } from './wad.ts'
import type { Action } from './world.ts'

const ANY_UPPER_TICK = 8_388_607
const ANY_LOWER_TICK = -8_388_608

/** Opens, increases, reduces, closes or flips, more often towards the mark price. */
export function makeTrade(scene: Scene): Action {
  const { random, context, base } = scene
  const held = accountOf(context.pair, base.account).position.size
  const size = held !== 0n && random.chance(45) ? closingSize(scene, held) : openingSize(scene)
  const amount = marginOf(scene, held, size)
  const limitTick = random.chance(25) ? exactLimit(scene, size) : anyLimit(size)
  const deadline = random.chance(50) ? 0 : base.timeSec + random.int(0, 600)
  return { type: 'trade', ...base, size: size.toString(), amount: amount.toString(), limitTick, deadline }
}

function closingSize({ random }: Scene, held: bigint): bigint {
  if (random.chance(50)) return -held
  return random.chance(70) ? -random.scale(held, 100, 950) : -random.scale(held, 1100, 2500)
}

function openingSize(scene: Scene): bigint {
  const { random, context } = scene
  const { pair, markWad, instrument } = context
  const isBelow = sqrtToPrice(pair.amm.sqrtPX96) < markWad
  const isLong = random.chance(72) ? isBelow : !isBelow
  if (random.chance(12)) return edgeSize(scene, isLong)
  const value = random.scale(minTradeValue(instrument.setting), 1020, random.chance(20) ? 400_000 : 40_000)
  const size = wdivUp(value, (markWad * 95n) / 100n)
  return isLong ? size : -size
}

/** Just what reaches the next initialised tick, a wei more or less, or also all or half of the orders there. */
function edgeSize({ random, context }: Scene, isLong: boolean): bigint {
  const { amm, pearls } = context.pair
  const target = nextInitialisedTick(pearls, isLong ? amm.tick : amm.tick + 1, isLong)
  if (target === undefined) return isLong ? 1n : -1n
  const reach = deltaBase(amm.sqrtPX96, tickToSqrt(target), amm.liquidity, 'up')
  const orders = abs(pearls.get(target)?.left ?? 0n)
  const size = max(1n, reach + random.pick([0n, -1n, 1n, orders, orders / 2n]))
  return isLong ? size : -size
}

/** Margin for the size: from barely enough to several times as much; closing needs none and may take some out. */
function marginOf({ random, context }: Scene, held: bigint, size: bigint): bigint {
  const isClosing = sign(held) === -sign(size)
  if (isClosing && size === -held) return random.chance(10) ? 10n ** 18n : 0n
  try {
    const { minAmount } = quote(context, size).quotation
    if (isClosing) return random.chance(50) ? -random.scale(minAmount, 1, 100) : random.scale(minAmount, 0, 1500)
    return random.chance(10) ? minAmount : random.scale(minAmount, 1001, random.chance(70) ? 2500 : 10_000)
  } catch (error) {
    if (error instanceof Revert) return 10n ** 18n
    throw error
  }
}

/** The tightest limit that the trade passes, and now and then the next one, which it does not. */
function exactLimit({ random, context }: Scene, size: bigint): number {
  const step = size > 0n ? 1 : -1
  try {
    const { entryNotional } = quote(context, size).quotation
    let limitTick = priceToTick(wdiv(entryNotional, abs(size))) - 2 * step
    while (!isWithinLimit(size, entryNotional, limitTick)) limitTick += step
    return random.chance(10) ? limitTick - step : limitTick
  } catch (error) {
    if (error instanceof Revert) return anyLimit(size)
    throw error
  }
}

function anyLimit(size: bigint): number {
  return size > 0n ? ANY_UPPER_TICK : ANY_LOWER_TICK
}

/** Adds margin to a position or takes a part of what may be taken. */
export function makeAdjust({ random, context, base }: Scene): Action | undefined {
  const { pair, instrument, markWad } = context
  const holders = [...pair.accounts].filter(([, account]) => account.position.size !== 0n)
  if (holders.length === 0) return undefined
  const [account, { position }] = random.pick(holders)
  touch(context)
  const realised = realise(pair.amm, position)
  const most = maxWithdrawable(pair.amm, realised, instrument.setting.initialMarginRatio, markWad)
  const net =
    random.chance(55) && most > 0n ? -random.scale(most, 10, 1000) : random.scale(wdiv(markWad, 10n ** 18n), 1, 300)
  return { type: 'adjust', ...base, account, net: net.toString(), deadline: 0 }
}
