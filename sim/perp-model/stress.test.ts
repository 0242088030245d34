/** Scenarios with gaps, bankruptcies, halts and settlement: the books are kept in every state, and the rare states occur. */
import { expect, test } from 'vitest'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { PERP_EXPIRY, STATUS } from './amm.ts'
import { generate } from './generate.ts'
import type { Pair } from './instrument.ts'
import {
  generationGaps,
  liquidityGaps,
  misplacedTicks,
  openInterestGaps,
  surplusWad,
  tokenSupply,
} from './invariants.ts'
import { equity } from './position.ts'
import { rangeTicks } from './range.ts'
import { createWorld } from './replay.ts'
import { sqrtToPrice, tickToSqrt } from './tick.ts'
import { abs, WAD } from './wad.ts'
import { type Action, apply, contextOf, type World } from './world.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8]
/** Those of which every state is checked; all of them together must reach the rare states. */
const CHECKED = SEEDS.slice(0, lengthOf({ short: 3, whole: SEEDS.length }))
const LENGTH = 300

function play(
  seed: number,
  check: (world: World, before: World, action: Action, error: string | undefined) => void,
): void {
  const { setup, actions } = generate(seed, LENGTH, undefined, { stress: true })
  let world = createWorld(setup)
  for (const action of actions) {
    const outcome = apply(world, action)
    check(outcome.world, world, action, outcome.ok ? undefined : outcome.error)
    world = outcome.world
  }
}

function pairsOf(world: World): Pair[] {
  return world.instruments.flatMap((instrument) => [...instrument.pairs.values()])
}

function checkPair(pair: Pair, label: string): void {
  if (pair.amm.status === STATUS.DORMANT) return
  const { virtualBase, ...exact } = openInterestGaps(pair)
  expect(exact, label).toEqual({ entryBase: 0n, long: 0n, short: 0n })
  // A long that is settled leaves the total of its side alone.
  if (pair.amm.status !== STATUS.SETTLED) expect(abs(virtualBase) < 10_000n, label).toBe(true)
  expect(liquidityGaps(pair), label).toEqual({ active: 0n, total: 0n, net: 0n, gross: 0n })
  expect(misplacedTicks(pair), label).toEqual([])
  expect(generationGaps(pair), label).toEqual(new Map())
  const price = sqrtToPrice(pair.amm.sqrtPX96) + pair.amm.settlementPrice
  const dust = 5n * BigInt(LENGTH) * (price / WAD + 1n)
  const surplus = surplusWad(pair)
  expect(surplus >= -dust, `${label}: surplus ${surplus}`).toBe(true)
  expect(surplus < WAD / 100n, `${label}: surplus ${surplus}`).toBe(true)
  const { insuranceFund, protocolFee, involvedFund } = pair.amm
  expect(
    [insuranceFund, protocolFee, involvedFund, pair.shortfall].every((amount) => amount >= 0n),
    label,
  ).toBe(true)
}

test.each(CHECKED)('seed %i: every state keeps the books', (seed) => {
  const { setup } = generate(seed, 0, undefined, { stress: true })
  const supply = setup.quotes.map(({ symbol }) => tokenSupply(createWorld(setup), symbol))
  let step = 0
  play(seed, (world, before, action, error) => {
    const label = `seed ${seed}, step ${step++}: ${JSON.stringify(action)}`
    expect(setup.quotes.map(({ symbol }) => tokenSupply(world, symbol))).toEqual(supply)
    for (const pair of pairsOf(world)) checkPair(pair, label)
    if (error === 'InvariantBroken') expect(isAnybodyBankrupt(before, action), label).toBe(true)
    checkIndices(world, before, label)
  })
})

/** Until what others owe is liquidated, a pair may lack the money for a payment. */
function isAnybodyBankrupt(world: World, action: Action): boolean {
  if (!('instrument' in action) || !('account' in action)) return false
  const expiry = 'expiry' in action ? action.expiry : undefined
  const { pair, markWad } = contextOf({ ...world, nowSec: action.timeSec }, action.instrument, expiry)
  return [...pair.accounts.values()].some(({ position }) => equity(pair.amm, position, markWad) < 0n)
}

/** Losses of the other side only grow; funding moves with time alone, and never in a halt. */
function checkIndices(world: World, before: World, label: string): void {
  world.instruments.forEach((instrument, i) => {
    const now = instrument.pairs.get(PERP_EXPIRY)?.amm
    const then = before.instruments[i]?.pairs.get(PERP_EXPIRY)?.amm
    if (!now || !then || now.status === STATUS.DORMANT) return
    expect(now.longSocialLossIndex >= then.longSocialLossIndex, label).toBe(true)
    expect(now.shortSocialLossIndex >= then.shortSocialLossIndex, label).toBe(true)
    const hasMoved = now.longFundingIndex !== then.longFundingIndex || now.shortFundingIndex !== then.shortFundingIndex
    if (hasMoved) expect(world.nowSec > then.timestamp && instrument.condition === 0, label).toBe(true)
  })
}

test('the rare states occur', () => {
  const seen = {
    socialLoss: 0,
    insured: 0,
    liquidated: 0,
    swept: 0,
    settled: 0,
    settledShort: 0,
    closed: 0,
    normalized: 0,
    byHandler: 0,
    refusedHandler: 0,
    endedOnEdge: 0,
    lateWhileLosses: 0,
  }
  for (const seed of SEEDS) {
    play(seed, (world, before, action, error) => {
      if (error) {
        if (error === 'NotHandler') seen.refusedHandler += 1
        return
      }
      if (action.type === 'liquidate') seen.liquidated += 1
      if (action.type === 'sweep') seen.swept += 1
      if (action.type === 'settle') seen.settled += 1
      if (action.type === 'normalize') seen.normalized += 1
      if ('operator' in action) seen.byHandler += 1
      if (!('instrument' in action)) return
      const expiry = ('expiry' in action ? action.expiry : undefined) ?? PERP_EXPIRY
      const now = world.instruments[action.instrument]?.pairs.get(expiry)
      const then = before.instruments[action.instrument]?.pairs.get(expiry)
      if (!now || !then) return
      const losses = ({ amm }: Pair) => amm.longSocialLossIndex + amm.shortSocialLossIndex
      if (losses(now) > losses(then)) seen.socialLoss += 1
      if (now.amm.insuranceFund < then.amm.insuranceFund && action.type !== 'recycle') seen.insured += 1
      if (action.type === 'settle' && now.amm.totalShort < then.amm.totalShort) seen.settledShort += 1
      if (then.amm.status === STATUS.SETTLED && now.amm.status === STATUS.DORMANT) seen.closed += 1
      if (action.type === 'trade' && action.size.startsWith('-') && endsOnEdge(now)) seen.endedOnEdge += 1
      const waits = [...now.pearls.values()].some(
        ({ waiting, entrySocialLossIndex }) => waiting !== 0n && entrySocialLossIndex > 0n,
      )
      if (waits) seen.lateWhileLosses += 1
    })
  }
  for (const [state, count] of Object.entries(seen)) expect(count, state).toBeGreaterThan(0)
  expect(seen.socialLoss).toBeGreaterThan(30)
})

/** Whether the price stands exactly on the edge of a range. */
function endsOnEdge({ amm, accounts }: Pair): boolean {
  return [...accounts.values()].some(({ rids }) =>
    rids.some((rid) => {
      const { tickLower, tickUpper } = rangeTicks(rid)
      return amm.sqrtPX96 === tickToSqrt(tickLower) || amm.sqrtPX96 === tickToSqrt(tickUpper)
    }),
  )
}
