/** Scenes of ranges and limits on average prices, on the BTC instrument of the usual setting. */
import type { Cast } from './markets.ts'
import type { RangeTicks } from './range.ts'
import type { Scenario } from './replay.ts'
import { SceneWriter, toWad } from './scene.ts'
import { tickToPrice } from './tick.ts'

const BTC = 0

function actors(cast: Cast) {
  const [lp, maker, taker, other] = cast.traders as [string, string, string, string]
  return { lp, maker, taker, other }
}

/** A wide range under a narrow one, and the oracle ahead of the price by less than the initial margin. */
function openThinPool(cast: Cast) {
  const scene = new SceneWriter(cast, BTC)
  const { lp, maker } = actors(cast)
  scene.act(scene.range(lp, 12_000, 4000))
  const narrow = scene.act(scene.range(maker, 300, 300)) as RangeTicks
  scene.act(scene.price(69_950))
  return { scene, narrow }
}

/**
 * Trades of 0.05 BTC with the published client's default limit, half a per cent beyond their average price. The last one
 * carries the price past the narrow range, further than its limit: what it pays on average is within.
 */
export function tradePastARange(cast: Cast): { scene: SceneWriter; narrow: RangeTicks } {
  const { scene, narrow } = openThinPool(cast)
  const { taker } = actors(cast)
  for (let i = 0; i < 3; i++) scene.act(scene.limitedTrade(taker, toWad(0.05), 1000))
  return { scene, narrow }
}

/**
 * The price goes below a narrow range, above it and below it again, each time to the very tick at which an order rests, so
 * that it is the same price to the last bit.
 */
export function crossBothEdges(cast: Cast) {
  const scene = new SceneWriter(cast, BTC)
  const { lp, maker, taker, other } = actors(cast)
  scene.act(scene.range(lp, 12_000, 4000))
  const narrow = scene.act(scene.range(maker, 300, 300)) as RangeTicks
  const [below, above] = [narrow.tickLower - 20, narrow.tickUpper + 20]
  scene.act(scene.order(other, below, 0.02, 200))
  scene.act(scene.order(other, above, -0.02, 200))
  const visit = (tick: number, part: number) => {
    scene.act(scene.price(Number(tickToPrice(tick) / 10n ** 16n) / 100))
    const size = scene.sizeTaking(tick === above, toWad(part))
    scene.act(scene.trade(taker, size, 5000))
  }
  return { scene, narrow, maker, visitBelow: () => visit(below, 0.004), visitAbove: () => visit(above, 0.004) }
}

function bothEdges(cast: Cast): Scenario {
  const { scene, visitBelow, visitAbove, narrow, maker } = crossBothEdges(cast)
  visitBelow()
  visitAbove()
  visitBelow()
  scene.act(scene.removal(maker, maker, narrow.tickLower, narrow.tickUpper))
  return scene.scenario()
}

export const LIQUIDITY_SCENES: { readonly [name: string]: (cast: Cast) => Scenario } = {
  'a trade past a range': (cast) => tradePastARange(cast).scene.scenario(),
  'both edges of a range crossed': bothEdges,
}
