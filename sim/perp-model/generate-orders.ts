/** Random limit orders: close to the price so that trades reach them, often at ticks that others use. */
import { orderAt, orderKeyParts } from './account.ts'
import type { Scene } from './generate-scene.ts'
import { accountOf, maxLeverage, minOrderValue } from './instrument.ts'
import { orderMargin } from './orders.ts'
import { tickToPrice } from './tick.ts'
import { wdivUp } from './wad.ts'
import type { Action } from './world.ts'

const NEAR_TICKS = 40
const FAR_TICKS = 250

export function makePlace(scene: Scene): Action | undefined {
  const { random, context, base } = scene
  const { instrument } = context
  const isBuy = random.chance(50)
  const tick = pickTick(scene, isBuy)
  if (orderAt(accountOf(context.pair, base.account), tick) !== undefined) return undefined
  const size = orderSize(scene, tick, isBuy)
  const least = orderMargin(context, tick, size, maxLeverage(instrument.setting))
  const amount = random.chance(10) ? least : random.scale(least, 1001, 4000)
  return { type: 'place', ...base, tick, size: size.toString(), amount: amount.toString(), deadline: 0 }
}

function pickTick({ random, context }: Scene, isBuy: boolean): number {
  const { amm, pearls } = context.pair
  const isOnSide = (tick: number) => (isBuy ? tick < amm.tick : tick > amm.tick)
  const shared = [...pearls].filter(([tick, { left }]) => left !== 0n && isOnSide(tick)).map(([tick]) => tick)
  if (shared.length > 0 && random.chance(50)) {
    // The tick next to the price is the one that may be partly taken.
    return random.chance(60) ? nearest(shared, amm.tick) : random.pick(shared)
  }
  const distance = random.int(1, random.chance(80) ? NEAR_TICKS : FAR_TICKS)
  return isBuy ? amm.tick - distance : amm.tick + distance
}

function nearest(ticks: readonly number[], to: number): number {
  return ticks.reduce((best, tick) => (Math.abs(tick - to) < Math.abs(best - to) ? tick : best))
}

function orderSize({ random, context }: Scene, tick: number, isBuy: boolean): bigint {
  const value = random.scale(minOrderValue(context.instrument.setting), 1005, random.chance(80) ? 6000 : 40_000)
  const size = wdivUp(value, tickToPrice(tick))
  return isBuy ? size : -size
}

export function makeBatchPlace(scene: Scene): Action | undefined {
  const { random, context, base } = scene
  const { setting } = context.instrument
  const isBuy = random.chance(50)
  const account = accountOf(context.pair, base.account)
  const count = random.int(2, 9)
  const step = random.int(1, 12)
  const first = random.int(1, NEAR_TICKS)
  const ticks = Array.from({ length: count }, (_, i) => context.pair.amm.tick + (isBuy ? -1 : 1) * (first + i * step))
  if (ticks.some((tick) => orderAt(account, tick) !== undefined)) return undefined
  const share = Math.floor(10_000 / count)
  const ratios = ticks.map((_, i) => (i === 0 ? 10_000 - share * (count - 1) : share))
  const each = wdivUp(random.scale(minOrderValue(setting), 1050, 3000), tickToPrice(Math.min(...ticks)))
  const size = (each * 10_000n) / BigInt(share)
  const leverage = random.scale(maxLeverage(setting), 200, 1000)
  return {
    type: 'batchPlace',
    ...base,
    size: (isBuy ? size : -size).toString(),
    leverage: leverage.toString(),
    ticks,
    ratios,
    deadline: base.timeSec + 600,
  }
}

/** Cancels one to three orders of an account that has some, and now and then names a tick without an order. */
export function makeCancel({ random, context, base }: Scene): Action | undefined {
  const makers = [...context.pair.accounts].filter(([, account]) => account.oids.length > 0)
  if (makers.length === 0) return undefined
  const [account, { oids }] = random.pick(makers)
  const from = random.int(0, oids.length - 1)
  const ticks = oids.slice(from, from + random.int(1, 3)).map((oid) => orderKeyParts(oid).tick)
  if (random.chance(10)) ticks.push(context.pair.amm.tick)
  return { type: 'cancel', ...base, account, ticks, deadline: 0 }
}
