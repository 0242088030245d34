import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { PERP_EXPIRY } from './amm.ts'
import { generate } from './generate.ts'
import { imageOf, tickBitmaps } from './image.ts'
import type { Pair } from './instrument.ts'
import {
  generationGaps,
  liquidityGaps,
  misplacedTicks,
  openInterestGaps,
  surplusWad,
  tokenSupply,
} from './invariants.ts'
import { quote } from './quotation.ts'
import { createWorld } from './replay.ts'
import { Revert } from './revert.ts'
import { sqrtToPrice } from './tick.ts'
import { abs, WAD } from './wad.ts'
import { type Action, apply, contextOf, inquire, type World } from './world.ts'

const LENGTH = 200
const RUNS = lengthOf({ short: 4, whole: 12 })

/** Plays a scenario and shows every state, with the one before it, to `check`. */
function play(seed: number, check: (world: World, before: World, action: Action, ok: boolean) => void): World {
  const { setup, actions } = generate(seed, LENGTH)
  let world = createWorld(setup)
  for (const action of actions) {
    const outcome = apply(world, action)
    check(outcome.world, world, action, outcome.ok)
    world = outcome.world
  }
  return world
}

function pairsOf(world: World): Pair[] {
  return world.instruments.flatMap((instrument) => [...instrument.pairs.values()])
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 })

test('every reachable state keeps the books', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { setup } = generate(seed, 0)
      const supply = setup.quotes.map(({ symbol }) => tokenSupply(createWorld(setup), symbol))
      play(seed, (world) => {
        expect(setup.quotes.map(({ symbol }) => tokenSupply(world, symbol))).toEqual(supply)
        for (const pair of pairsOf(world)) checkPair(pair)
      })
    }),
    { numRuns: RUNS },
  )
})

function checkPair(pair: Pair): void {
  const { virtualBase, ...exact } = openInterestGaps(pair)
  expect(exact).toEqual({ entryBase: 0n, long: 0n, short: 0n })
  expect(abs(virtualBase) < 10_000n).toBe(true)
  expect(liquidityGaps(pair)).toEqual({ active: 0n, total: 0n, net: 0n, gross: 0n })
  expect(misplacedTicks(pair)).toEqual([])
  expect(generationGaps(pair)).toEqual(new Map())
  // A long gets the base of each segment it uses up rounded up, so dust of base may be missing.
  const dust = 5n * BigInt(LENGTH) * (sqrtToPrice(pair.amm.sqrtPX96) / WAD + 1n)
  const surplus = surplusWad(pair)
  expect(surplus >= -dust).toBe(true)
  expect(surplus < WAD / 100n).toBe(true)
  expect(pair.amm.insuranceFund >= 0n && pair.amm.protocolFee >= 0n).toBe(true)
}

test('scenarios reach the rare states', () => {
  const seen = { lateOrders: 0, records: 0, partlyTaken: 0, shorts: 0, tips: 0, insurance: 0 }
  for (const seed of [1, 2, 3]) {
    play(seed, (world, _, action, ok) => {
      if (ok && 'target' in action && action.target !== action.account) seen.tips += 1
      for (const pair of pairsOf(world)) {
        const pearls = [...pair.pearls.values()]
        if (pearls.some(({ waiting }) => waiting !== 0n)) seen.lateOrders += 1
        if (pearls.some(({ taken, left }) => taken !== 0n && left !== 0n)) seen.partlyTaken += 1
        if (pair.records.size > 0) seen.records += 1
        if (pair.amm.shortFundingIndex < 0n) seen.shorts += 1
        if (pair.amm.insuranceFund > 0n) seen.insurance += 1
      }
    })
  }
  for (const [state, count] of Object.entries(seen)) expect(count, state).toBeGreaterThan(10)
})

test('indices move with time and trades only as they should', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      play(seed, (world, before, action) => {
        world.instruments.forEach((instrument, i) => {
          const now = instrument.pairs.get(PERP_EXPIRY)?.amm
          const then = before.instruments[i]?.pairs.get(PERP_EXPIRY)?.amm
          if (!now || !then) return
          expect(now.feeIndex >= then.feeIndex).toBe(true)
          expect(now.longSocialLossIndex).toBe(then.longSocialLossIndex)
          if (now.longFundingIndex !== then.longFundingIndex) expect(action.timeSec > then.timestamp).toBe(true)
          if (now.sqrtPX96 !== then.sqrtPX96) expect(action.type).toBe('trade')
        })
      })
    }),
    { numRuns: 4 },
  )
})

test('the bitmap has a bit for a tick with liquidity or orders, and no other', () => {
  const world = play(7, () => {})
  for (const pair of pairsOf(world)) {
    const words = tickBitmaps(pair, 1)
    const bits = [...words].flatMap(([word, bitmap]) =>
      Array.from({ length: 256 }, (_, bit) => bit)
        .filter((bit) => (bitmap >> BigInt(bit)) & 1n)
        .map((bit) => word * 256 + bit),
    )
    const expected = [...pair.pearls].filter(([, p]) => p.liquidityGross !== 0n || p.left !== 0n).map(([tick]) => tick)
    expect(bits.toSorted((a, b) => a - b)).toEqual(expected.toSorted((a, b) => a - b))
  }
})

test('a trade does what an inquiry in its block said', () => {
  let trades = 0
  play(13, (world, before, action, ok) => {
    if (action.type !== 'trade' || !ok) return
    const asked = inquire({ ...before, nowSec: action.timeSec }, action.instrument, BigInt(action.size))
    const { amm } = contextOf(structuredClone(world), action.instrument).pair
    expect([amm.sqrtPX96, amm.tick]).toEqual([asked.sqrtPostFairPX96, asked.postTick])
    trades += 1
  })
  expect(trades).toBeGreaterThan(30)
})

test('a second update in one block changes nothing, nor does a reverted action', () => {
  const world = play(11, () => {})
  const update = { type: 'update', timeSec: world.nowSec + 100, instrument: 0, account: '0xa1' } as const
  const once = apply(world, update)
  expect(once.ok).toBe(true)
  expect(imageOf(apply(once.world, update).world)).toEqual(imageOf(once.world))
  const refused = apply(once.world, { ...update, type: 'fill', target: '0xa1', tick: 1, nonce: 0 })
  expect(refused.ok).toBe(false)
  expect(imageOf(refused.world)).toEqual(imageOf(once.world))
})

test('a trade and its reverse in one block never gain, whatever orders and edges lie on the way', () => {
  const sizes = fc.integer({ min: 1, max: 400 })
  const worlds = Array.from({ length: 6 }, (_, seed) => play(seed, () => {}))
  let trips = 0
  fc.assert(
    fc.property(fc.constantFrom(...worlds), sizes, fc.boolean(), (world, thousandths, isLong) => {
      world.instruments.forEach((_, instrument) => {
        const depth = contextOf(structuredClone(world), instrument).pair.amm.totalLong + WAD
        const size = ((isLong ? 1n : -1n) * depth * BigInt(thousandths)) / 1000n
        const gain = roundTrip(world, instrument, size)
        expect(gain === undefined || gain <= 0n).toBe(true)
        if (gain !== undefined) trips += 1
      })
    }),
    { numRuns: 100 },
  )
  expect(trips).toBeGreaterThan(150)
})

/** What a trade and its reverse earn before fees; undefined where liquidity does not reach. */
function roundTrip(world: World, instrument: number, size: bigint): bigint | undefined {
  const context = contextOf(structuredClone(world), instrument)
  const { amm, pearls } = context.pair
  try {
    const there = quote(context, size)
    Object.assign(amm, {
      sqrtPX96: there.swapped.sqrtPX96,
      tick: there.swapped.tick,
      liquidity: there.swapped.liquidity,
    })
    for (const [tick, pearl] of there.swapped.pearls) pearls.set(tick, pearl)
    const back = quote(context, -size)
    const gain = back.quotation.entryNotional - there.quotation.entryNotional
    return size > 0n ? gain : -gain
  } catch (error) {
    if (error instanceof Revert) return undefined
    throw error
  }
}
