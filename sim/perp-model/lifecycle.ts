/**
 * What every action does first: checks of time and state, funding up to now, the steps of a dated pair towards its end. And
 * the administrator's halt of a whole instrument. Source: perp-protocol 3.10, 3.13, 4.1.
 */
import { CONDITION, PERP_EXPIRY, STATUS } from './amm.ts'
import { accrueFunding } from './funding.ts'
import type { Context } from './instrument.ts'
import { accumulate, markOf, SETTLING_SEC } from './prices.ts'
import { require } from './revert.ts'
import { MAX_TICK, MIN_TICK, tickToPrice } from './tick.ts'

/** The entrance of everything that trades. Reverts `Timeout`, `BadInstrumentCondition`, `NotTradeable`. */
export function enter(context: Context, deadlineSec = 0): void {
  checkDeadline(context.nowSec, deadlineSec)
  checkNormal(context)
  checkTradeable(context)
  touch(context)
  // A dated pair may just have come to its end.
  checkTradeable(context)
}

/** Deadline 0 means none. Reverts `Timeout`. */
export function checkDeadline(nowSec: number, deadlineSec: number): void {
  require(deadlineSec === 0 || nowSec <= deadlineSec, 'Timeout')
}

/** Reverts `BadInstrumentCondition`. */
export function checkNormal({ instrument }: Context): void {
  require(instrument.condition === CONDITION.NORMAL, 'BadInstrumentCondition')
}

function checkTradeable({ pair }: Context): void {
  const { status } = pair.amm
  require(status === STATUS.TRADING || status === STATUS.SETTLING, 'NotTradeable')
}

/** Brings a live pair to the block's time: a perpetual's funding, a dated pair's average and status. */
export function touch(context: Context): void {
  const { instrument, pair, nowSec, spotWad, markWad } = context
  const { amm } = pair
  if (amm.expiry === PERP_EXPIRY) {
    Object.assign(amm, accrueFunding(amm, markWad, instrument.setting.fundingHour, nowSec))
    return
  }
  if (amm.status === STATUS.TRADING && nowSec >= amm.expiry - SETTLING_SEC) {
    amm.status = STATUS.SETTLING
    amm.timestamp = nowSec
  }
  if (amm.status !== STATUS.SETTLING) return
  pair.accumulator = accumulate(pair.accumulator, spotWad, markWad, amm.expiry, nowSec)
  if (nowSec >= amm.expiry) settlePair(context, markWad)
}

function settlePair({ pair }: Context, priceWad: bigint): void {
  pair.amm.status = STATUS.SETTLED
  pair.amm.settlementPrice = priceWad
}

/** The action `update`. Reverts `BadInstrumentCondition`, `BadAmmStatus`, `BadAmmTiming`. */
export function update(context: Context): void {
  checkNormal(context)
  const { amm } = context.pair
  require(amm.status === STATUS.TRADING || amm.status === STATUS.SETTLING, 'BadAmmStatus')
  const isTooEarly = amm.expiry !== PERP_EXPIRY && context.nowSec < amm.expiry - SETTLING_SEC
  require(!isTooEarly, 'BadAmmTiming')
  touch(context)
}

/** Halts everything in the instrument. */
export function freeze({ instrument }: Pick<Context, 'instrument'>): void {
  require(instrument.condition === CONDITION.NORMAL, 'BadInstrumentCondition')
  instrument.condition = CONDITION.FROZEN
}

/** Undoes `freeze`. The time in between is nobody's: perpetuals owe no funding for it. */
export function normalize({ instrument, nowSec }: Pick<Context, 'instrument' | 'nowSec'>): void {
  require(instrument.condition === CONDITION.FROZEN, 'BadInstrumentCondition')
  instrument.condition = CONDITION.NORMAL
  const perpetual = instrument.pairs.get(PERP_EXPIRY)?.amm
  if (perpetual && perpetual.status !== STATUS.DORMANT) perpetual.timestamp = nowSec
}

/** Ends a frozen instrument: every live pair settles at the price given, or at its own mark where that is 0. */
export function resolve(contexts: readonly Context[], instrument: Context['instrument'], priceWad: bigint): void {
  require(instrument.condition === CONDITION.FROZEN, 'BadInstrumentCondition')
  if (priceWad !== 0n) require(priceWad >= tickToPrice(MIN_TICK) && priceWad <= tickToPrice(MAX_TICK), 'CrazySpot')
  instrument.condition = CONDITION.RESOLVED
  for (const context of contexts) {
    const { amm, accumulator } = context.pair
    if (amm.status !== STATUS.TRADING && amm.status !== STATUS.SETTLING) continue
    settlePair(context, priceWad || markOf(amm, accumulator, context.benchmarkWad, context.nowSec))
  }
}
