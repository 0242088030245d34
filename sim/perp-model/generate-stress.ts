/**
 * What generated scenarios do beyond trading when they are to stress the protocol: gaps of the oracle, liquidations, bad
 * debt, ends of dated pairs, halts, changed parameters, money that waits.
 */
import { CONDITION, STATUS } from './amm.ts'
import type { Scene } from './generate-scene.ts'
import type { Context } from './instrument.ts'
import { touch } from './lifecycle.ts'
import { equity, isMmrSafe, type Position, split } from './position.ts'
import { quote } from './quotation.ts'
import { Revert } from './revert.ts'
import { sqrtToPrice, tickToPrice, tickToSqrt } from './tick.ts'
import { abs, deviation, max, ratioToWad, wmul, wmulUp } from './wad.ts'
import type { Action } from './world.ts'

const FEED_UNIT_WAD = 10n ** 10n
const MOST_BASE = 10n ** 30n

type Maker = (scene: Scene) => Action | undefined

/** These with how often each is drawn, beside the makers of ordinary trading. */
export const STRESS_MAKERS: readonly (readonly [weight: number, make: Maker])[] = [
  [5, makeGap],
  [10, makeReturn],
  [16, makeLiquidate],
  [10, makeSweep],
  [24, makeSettle],
  [3, makeDonate],
  [2, makeClaim],
  [9, makeHalt],
  [2, makeParameter],
  [7, makeThrottle],
  [14, makeEdge],
]

/** The oracle jumps by a few per cent or by a third, and the fair price stays behind. */
function makeGap({ random, base, context }: Scene): Action {
  const size = random.chance(60) ? random.int(20, 90) : random.int(90, 330)
  const factor = random.chance(50) ? 1000 + size : 1000 - size
  return priceAction(base, random.scale(context.spotWad, factor, factor))
}

/** The oracle comes back to the fair price, or half of the way. */
function makeReturn({ random, base, context }: Scene): Action | undefined {
  if (context.pair.amm.sqrtPX96 === 0n) return undefined
  const fair = sqrtToPrice(context.pair.amm.sqrtPX96)
  return priceAction(base, random.chance(50) ? fair : (fair + context.spotWad) / 2n)
}

function priceAction(base: Scene['base'], spotWad: bigint): Action {
  const rounded = max(1n, spotWad / FEED_UNIT_WAD) * FEED_UNIT_WAD
  return { type: 'price', timeSec: base.timeSec, instrument: base.instrument, spotWad: rounded.toString() }
}

/** Brings the oracle to the nearest edge of a range, or a trade exactly onto it, a wei short of it or a wei beyond. */
function makeEdge(scene: Scene): Action | undefined {
  const { random, context, base } = scene
  const { pair, instrument, markWad } = context
  const edges = [...pair.pearls].filter(([, { liquidityGross }]) => liquidityGross !== 0n).map(([tick]) => tick)
  if (edges.length === 0) return undefined
  const nearest = edges.reduce((best, tick) =>
    Math.abs(tick - pair.amm.tick) < Math.abs(best - pair.amm.tick) ? tick : best,
  )
  const priceWad = tickToPrice(nearest)
  const isNear = deviation(priceWad, markWad) * 2n < ratioToWad(instrument.setting.maintenanceMarginRatio)
  if (!isNear) return priceAction(base, priceWad)
  const least = leastSizeTo(context, tickToSqrt(nearest))
  if (least === undefined || least === 0n) return undefined
  const size = least + random.pick([0n, 0n, 1n, -1n])
  const amount = wmul(priceWad, abs(size)) + 10n ** 20n
  const limitTick = size > 0n ? 8_388_607 : -8_388_608
  return { type: 'trade', ...base, size: size.toString(), amount: amount.toString(), limitTick, deadline: 0 }
}

/** The least trade (signed base) that carries the price to `target`; undefined where none does. */
function leastSizeTo(context: Context, target: bigint): bigint | undefined {
  const isLong = target > context.pair.amm.sqrtPX96
  const sign = isLong ? 1n : -1n
  const reaches = (size: bigint) => {
    try {
      const { sqrtPostFairPX96 } = quote(context, sign * size).quotation
      return isLong ? sqrtPostFairPX96 >= target : sqrtPostFairPX96 <= target
    } catch (error) {
      if (error instanceof Revert) return true
      throw error
    }
  }
  let [low, high] = [0n, MOST_BASE]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (reaches(middle)) high = middle
    else low = middle
  }
  return high === MOST_BASE ? undefined : sign * high
}

type Unsafe = { readonly target: string; readonly position: Position }

function unsafeAccounts(context: Context): Unsafe[] {
  const { pair, instrument, markWad } = context
  touch(context)
  const { maintenanceMarginRatio } = instrument.setting
  return [...pair.accounts].flatMap(([target, { position }]) =>
    position.size !== 0n && !isMmrSafe(pair.amm, position, maintenanceMarginRatio, markWad)
      ? [{ target, position }]
      : [],
  )
}

/** Mostly the one that owes most: bad debt is what these scenarios are for. */
function pickUnsafe({ random, context }: Scene): Unsafe | undefined {
  const unsafe = unsafeAccounts(context)
  if (unsafe.length === 0) return undefined
  const worth = ({ position }: Unsafe) => equity(context.pair.amm, position, context.markWad)
  return random.chance(40)
    ? random.pick(unsafe)
    : unsafe.reduce((worst, item) => (worth(item) < worth(worst) ? item : worst))
}

function partOf({ random }: Scene, size: bigint): bigint {
  return random.chance(60) ? size : random.scale(size, 1, 999)
}

/** Takes a position over with just enough margin, plenty, or now and then a wei too little. */
function makeLiquidate(scene: Scene): Action | undefined {
  const { random, context, base } = scene
  const unsafe = pickUnsafe(scene)
  if (!unsafe) return undefined
  const size = partOf(scene, unsafe.position.size)
  const { part } = split(unsafe.position, size)
  const worth = max(0n, equity(context.pair.amm, part, context.markWad))
  const required = wmulUp(wmul(context.markWad, abs(size)), ratioToWad(context.instrument.setting.initialMarginRatio))
  const exact = max(0n, required - worth)
  const amount = random.chance(20) ? max(0n, exact + BigInt(random.int(-1, 1))) : random.scale(exact, 1001, 3000)
  return { type: 'liquidate', ...base, target: unsafe.target, size: size.toString(), amount: amount.toString() }
}

function makeSweep(scene: Scene): Action | undefined {
  const unsafe = pickUnsafe(scene)
  if (!unsafe) return undefined
  const size = -partOf(scene, unsafe.position.size)
  return { type: 'sweep', ...scene.base, target: unsafe.target, size: size.toString() }
}

/** Settles somebody who has something in a pair that has ended, or brings a dated pair there. */
function makeSettle({ random, context, base }: Scene): Action | undefined {
  const { amm, accounts } = context.pair
  const isOver = amm.status === STATUS.SETTLED || context.nowSec >= amm.expiry
  if (amm.status === STATUS.DORMANT || !isOver) return undefined
  if (amm.status !== STATUS.SETTLED && random.chance(30)) return { type: 'update', ...base }
  const holders = [...accounts].filter(
    ([, { position, oids, rids }]) => position.size !== 0n || oids.length > 0 || rids.length > 0,
  )
  if (holders.length === 0) {
    const type = amm.insuranceFund > 0n ? 'recycle' : 'claimProtocolFee'
    return { type, ...base, account: context.protocol.admin }
  }
  return { type: 'settle', ...base, target: random.pick(holders)[0] }
}

function makeDonate({ random, context, base }: Scene): Action {
  const amount = random.scale(context.instrument.setting.param.minMarginAmount, 100, 40_000)
  return { type: 'donate', ...base, amount: amount.toString() }
}

function makeClaim({ random, context, base }: Scene): Action {
  const account = random.chance(95) ? context.protocol.admin : base.account
  return { type: random.chance(60) ? 'claimProtocolFee' : 'recycle', ...base, account }
}

/** Freezes now and then, and mostly lets go on; now and then it is the end. */
function makeHalt({ random, context, base }: Scene): Action | undefined {
  const { admin } = context.protocol
  const own = { timeSec: base.timeSec, instrument: base.instrument, account: random.chance(95) ? admin : base.account }
  if (context.instrument.condition === CONDITION.NORMAL) {
    return random.chance(10) ? { type: 'freeze', ...own } : undefined
  }
  if (random.chance(92)) return { type: 'normalize', ...own }
  const priceWad = random.chance(50) ? '0' : random.scale(context.spotWad, 950, 1050).toString()
  return { type: 'resolve', ...own, priceWad }
}

function makeParameter({ random, context, base }: Scene): Action {
  const own = { timeSec: base.timeSec, instrument: base.instrument, account: context.protocol.admin }
  const { setting } = context.instrument
  switch (random.int(1, 5)) {
    case 1: {
      const initialRatio = random.int(300, 1200)
      return { type: 'leverage', ...own, initialRatio, maintenanceRatio: random.int(150, initialRatio) }
    }
    case 2:
      return { type: 'fundingHour', ...own, hours: random.int(0, 24) }
    case 3:
      return { type: 'placePaused', ...own, flag: !setting.placePaused || random.chance(10) }
    case 4:
      return { type: 'orderRebateDisabled', ...own, flag: random.chance(50) }
    default: {
      const { minMarginAmount, qtype, tip } = setting.param
      const [tradingFeeRatio, protocolFeeRatio] = [random.int(0, 30), random.int(0, 10)]
      const exact = { minMarginAmount: minMarginAmount.toString(), tip: tip.toString() }
      return { type: 'quoteParam', ...own, ...exact, tradingFeeRatio, protocolFeeRatio, qtype }
    }
  }
}

/** Who waits is released when due, and now and then too early; thresholds and the blacklist change. */
function makeThrottle({ random, context, base, accounts }: Scene): Action | undefined {
  const { quote, protocol } = context
  const own = { timeSec: base.timeSec, account: base.account }
  const waiting = [...quote.ledgers].filter(([, { pending }]) => pending.amount > 0n)
  if (waiting.length > 0 && random.chance(60)) {
    return { type: 'release', ...own, quote: quote.symbol, target: random.pick(waiting)[0] }
  }
  const reserve = quote.ledgers.get(base.account)?.reserve ?? 0n
  if (reserve > 0n && random.chance(60)) {
    return { type: 'withdraw', ...own, quote: quote.symbol, amountRaw: random.scale(reserve, 500, 1000).toString() }
  }
  if (random.chance(20)) {
    const amountRaw = (10n ** BigInt(quote.decimals) * BigInt(random.int(0, 1_000_000))).toString()
    return { type: 'threshold', ...own, account: protocol.admin, quote: quote.symbol, amountRaw }
  }
  if (!random.chance(30)) return undefined
  const banned = [...protocol.blacklist]
  const target = banned.length > 0 && random.chance(80) ? random.pick(banned) : random.pick(accounts)
  return { type: 'blacklist', timeSec: base.timeSec, account: protocol.admin, target, banned: !banned.includes(target) }
}

const FOR_USERS = new Set(['trade', 'adjust', 'add', 'remove', 'place', 'batchPlace', 'cancel', 'deposit', 'withdraw'])

/** Some of what users do, the handler does for them; now and then somebody else tries to. */
export function throughHandler({ random, context, base }: Scene, action: Action): Action {
  if (!FOR_USERS.has(action.type) || !random.chance(12)) return action
  return { ...action, operator: random.chance(90) ? context.protocol.handler : base.account } as Action
}
