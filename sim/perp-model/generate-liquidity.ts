/** Random ranges, and the keeper's two chores: filling taken orders and removing ranges the price has left. */
import { orderKeyParts } from './account.ts'
import type { Scene } from './generate-scene.ts'
import { minRangeValue, minTickDelta, pearlAt } from './instrument.ts'
import { liquidityFor, minLiquidity, rangeTicks } from './range.ts'
import { alignDown, alignUp } from './tick.ts'
import { abs } from './wad.ts'
import type { Action } from './world.ts'

const ANY_LIMITS = { limitTickLower: -8_388_608, limitTickUpper: 8_388_607, deadline: 0 }
const PROBE_MARGIN = 10n ** 21n

export function makeAdd({ random, context, base }: Scene): Action | undefined {
  if (context.pair.amm.sqrtPX96 === 0n) return undefined
  const { instrument, pair } = context
  const least = minTickDelta(instrument.setting)
  const tickDeltaUpper = random.int(least, least + 1500)
  const tickDeltaLower = random.chance(30) ? 0 : random.int(least, least + 1500)
  const ticks = {
    tickLower: alignDown(pair.amm.tick - (tickDeltaLower || tickDeltaUpper), instrument.spacing.range),
    tickUpper: alignUp(pair.amm.tick + tickDeltaUpper, instrument.spacing.range),
  }
  // Liquidity is proportional to margin, so one probe tells the least margin.
  const probe = liquidityFor(PROBE_MARGIN, pair.amm.sqrtPX96, ticks, instrument.setting.initialMarginRatio)
  const leastMargin = (minLiquidity(minRangeValue(instrument.setting), pair.amm.sqrtPX96) * PROBE_MARGIN) / probe + 1n
  const amount = random.scale(leastMargin, 1010, random.chance(70) ? 20_000 : 400_000)
  return { type: 'add', ...base, ...ANY_LIMITS, amount: amount.toString(), tickDeltaLower, tickDeltaUpper }
}

/** Removes an own range, or another's that the price has left. */
export function makeRemove({ random, context, base }: Scene): Action | undefined {
  const { amm, accounts } = context.pair
  const ranges = [...accounts].flatMap(([owner, { rids }]) => rids.map((rid) => ({ owner, ...rangeTicks(rid) })))
  if (ranges.length < 2) return undefined
  const { owner, tickLower, tickUpper } = random.pick(ranges)
  const isLeft = amm.tick < tickLower || amm.tick >= tickUpper
  const account = isLeft ? base.account : owner
  return { type: 'remove', ...base, ...ANY_LIMITS, account, target: owner, tickLower, tickUpper }
}

/** Fills a taken order, its owner's or another's. */
export function makeFill({ random, context, base }: Scene): Action | undefined {
  const { pair } = context
  const taken = [...pair.accounts].flatMap(([target, { oids, orders }]) =>
    oids.flatMap((oid) => {
      const { tick, nonce } = orderKeyParts(oid)
      const pearl = pearlAt(pair, tick)
      const size = abs(orders.get(oid)?.size ?? 0n)
      const isTaken = nonce < pearl.nonce || (nonce === pearl.nonce && abs(pearl.taken) >= size)
      return isTaken ? [{ target, tick, nonce }] : []
    }),
  )
  if (taken.length === 0) return undefined
  return { type: 'fill', ...base, ...random.pick(taken) }
}
