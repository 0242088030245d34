/**
 * A day on which a market loses 30 %: leveraged longs and shorts, ranges and resting orders, an arbitrageur who keeps the fair
 * price at the oracle's, and a keeper who liquidates, sweeps and fills. Two of its falls are gaps that no margin covers.
 */
import { orderKeyParts } from './account.ts'
import { accountOf, maxLeverage } from './instrument.ts'
import { touch } from './lifecycle.ts'
import type { Cast } from './markets.ts'
import { orderMargin } from './orders.ts'
import { equity, isMmrSafe } from './position.ts'
import { quote } from './quotation.ts'
import { createRandom, type Random } from './random.ts'
import { Revert } from './revert.ts'
import { SceneWriter, toWad } from './scene.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, max, ratioToWad, WAD, wmul, wmulUp } from './wad.ts'

/** ETH against a token of 18 decimals, 10 % and 5 % of margin. */
const INSTRUMENT = 1
const QUARTER_SEC = 900
const QUARTERS = 96
const FALL_BEGINS = 32
const FALL_ENDS = 48
/** Each price in thousandths of the one before: -11 % and -13 % at once, the other quarters -0.7 % each. */
const GAPS = new Map([
  [36, 890],
  [43, 870],
])
const STEADY_FALL = 993

/** The day as a scenario; the same seed makes the same day. */
export function crashDay(cast: Cast, seed = 1): SceneWriter {
  const scene = crashScene(cast)
  for (const keeper of crashTurns(scene, seed)) protect(scene, keeper)
  return scene
}

/** The venue on the morning of the day. */
export const crashScene = (cast: Cast): SceneWriter => new SceneWriter(cast, INSTRUMENT)

/** Plays the day on the scene, but for what its keeper does: yields the keeper whenever its turn has come. */
export function* crashTurns(scene: SceneWriter, seed = 1): Generator<string, void> {
  const random = createRandom(seed)
  const [provider, narrow, arbitrageur, keeper, ...traders] = scene.cast.traders as [
    string,
    string,
    string,
    string,
    ...string[],
  ]
  scene.act(scene.range(provider, 400_000, 9000))
  scene.act(scene.range(narrow, 60_000, 2000))
  scene.attempt({ type: 'donate', account: provider, amount: toWad(50).toString() })
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    scene.act(nextPrice(scene, random, quarter), QUARTER_SEC - 60)
    // Who arbitrages is faster than the keeper where the price jumps.
    if (!GAPS.has(quarter)) yield keeper
    arbitrage(scene, arbitrageur)
    yield keeper
    if (quarter < FALL_ENDS) for (const trader of traders) speculate(scene, random, trader)
  }
}

function nextPrice(scene: SceneWriter, random: Random, quarter: number) {
  const { spotWad } = scene.context()
  const isFalling = quarter >= FALL_BEGINS && quarter < FALL_ENDS
  const factor = isFalling ? (GAPS.get(quarter) ?? STEADY_FALL) : random.int(997, 1003)
  return scene.price(Number((spotWad * BigInt(factor)) / 10n ** 19n) / 100)
}

/** Trades the fair price to the oracle's, as far as the pair allows. */
export function arbitrage(scene: SceneWriter, account: string): void {
  const { pair, markWad } = scene.context()
  const isBelow = sqrtToPrice(pair.amm.sqrtPX96) < markWad
  const passes = (size: bigint) => {
    try {
      const after = sqrtToPrice(quote(scene.context(), isBelow ? size : -size).quotation.sqrtPostFairPX96)
      return isBelow ? after > markWad : after < markWad
    } catch (error) {
      if (error instanceof Revert) return true
      throw error
    }
  }
  let [low, high] = [0n, 2000n * WAD]
  while (high - low > WAD / 1000n) {
    const middle = (low + high) / 2n
    if (passes(middle)) high = middle
    else low = middle
  }
  if (low > 0n) scene.attempt(scene.trade(account, isBelow ? low : -low, 30_000))
}

/** Takes over what is bankrupt or nearly, closes the rest in the market, fills what was taken. */
function protect(scene: SceneWriter, keeper: string): void {
  const context = scene.context()
  touch(context)
  const { pair, instrument, markWad } = context
  const { initialMarginRatio, maintenanceMarginRatio } = instrument.setting
  for (const [target, { position, oids }] of pair.accounts) {
    for (const oid of oids) scene.attempt({ type: 'fill', account: keeper, target, ...orderKeyParts(oid) })
    if (position.size === 0n || isMmrSafe(pair.amm, position, maintenanceMarginRatio, markWad)) continue
    const worth = max(0n, equity(pair.amm, position, markWad))
    const required = wmulUp(wmul(markWad, abs(position.size)), ratioToWad(initialMarginRatio))
    const swept = scene.attempt({ type: 'sweep', account: keeper, target, size: `${-position.size}` })
    const amount = `${max(0n, required - worth) + WAD}`
    if (!swept) scene.attempt({ type: 'liquidate', account: keeper, target, size: `${position.size}`, amount })
  }
}

/** Opens with little margin, adds to it, closes, or rests an order; often nothing. */
function speculate(scene: SceneWriter, random: Random, trader: string): void {
  if (!random.chance(30)) return
  const context = scene.context()
  const held = scene.position(trader).size
  if (held !== 0n && random.chance(6)) return void scene.attempt(scene.trade(trader, -held, 0))
  const size = toWad(random.int(5, 60) / 10)
  const isLong = random.chance(75)
  if (random.chance(30)) {
    const tick = context.pair.amm.tick + (isLong ? -1 : 1) * random.int(5, 400)
    const amount = orderMargin(context, tick, size, maxLeverage(context.instrument.setting))
    if (accountOf(context.pair, trader).oids.length >= 5) return
    return void scene.attempt({
      type: 'place',
      account: trader,
      tick,
      size: `${isLong ? size : -size}`,
      amount: `${amount}`,
      deadline: 0,
    })
  }
  try {
    const { minAmount } = quote(context, isLong ? size : -size).quotation
    const margin = Number((minAmount * BigInt(random.int(102, 130))) / 10n ** 20n)
    scene.attempt(scene.trade(trader, isLong ? size : -size, margin + 1))
  } catch (error) {
    if (!(error instanceof Revert)) throw error
  }
}
