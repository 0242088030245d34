/**
 * The published SDK on our contracts: eight accounts trade on three instruments with nothing but its queries, simulations,
 * encoders and parsers while time and oracle price move, and what it foretold is what the chain did at the same time and
 * price. Actions the SDK refuses are not sent and not counted.
 */
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { createSetup } from '../perp-model/markets.ts'
import { createRandom, type Random } from '../perp-model/random.ts'
import type { Setup } from '../perp-model/replay.ts'
import { sqrtToPrice } from '../perp-model/tick.ts'
import { Chain } from './chain.ts'
import { type Deployment, deployPerp } from './deploy.ts'
import { cancel, fill, moveMoney, readBook } from './sdk-chores.ts'
import { add, adjust, cross, place, remove, scaled, trade } from './sdk-moves.ts'
import { drawUser, type Move } from './sdk-turn.ts'
import { Venue } from './sdk-venue.ts'

/** `PERP_SEEDS=100-119 PERP_STEPS=2000` runs these instead of the listed ones. */
const SEEDS = seedsOf(process.env.PERP_SEEDS ?? lengthOf({ short: '3', whole: '1-4' }))
const STEPS = Number(process.env.PERP_STEPS ?? lengthOf({ short: 450, whole: 900 }))
const TURNS = SEEDS.length * STEPS
const TIMEOUT_MS = 300_000 + TURNS * 4000
/** Shares of all turns: of 3600, at least 2000 simulations and 20 of each kind. */
const LEAST_COMPARED = 5 / 9
const LEAST_OF_A_KIND = 1 / 180
const TRADERS = 8
const FEED_UNIT_WAD = 10n ** 10n

/** What the SDK simulates, with how often it is drawn; these are the actions that count. */
const SIMULATED: { readonly [name: string]: readonly [weight: number, move: Move] } = {
  trade: [32, trade],
  adjust: [12, adjust],
  place: [18, place],
  cross: [9, cross],
  scaled: [6, scaled],
  add: [6, add],
  remove: [6, remove],
}

const CHORES: { readonly [name: string]: readonly [weight: number, move: Move] } = {
  fill: [12, fill],
  cancel: [6, cancel],
  moveMoney: [2, moveMoney],
  readBook: [1, readBook],
}

const MOVES = Object.entries({ ...SIMULATED, ...CHORES })
const WEIGHT = MOVES.reduce((sum, [, [weight]]) => sum + weight, 0)

function seedsOf(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

let chain: Chain
let deployment: Deployment
let setup: Setup
let traders: readonly Hex[]

beforeAll(async () => {
  chain = await Chain.start()
  const cast = chain.cast(TRADERS)
  traders = cast.traders as readonly Hex[]
  setup = createSetup(cast)
  await chain.setClock(setup.startSec)
  deployment = await deployPerp(chain, setup)
  // The SDK reckons deadlines by the wall clock, which is set to the chain's.
  vi.useFakeTimers({ toFake: ['Date'] })
}, TIMEOUT_MS)

afterAll(async () => {
  vi.useRealTimers()
  await chain?.stop()
})

test(
  'what the SDK foretells is what the chain does',
  async () => {
    const counts = new Map<string, number>()
    for (const seed of SEEDS) {
      const start = await chain.snapshot()
      await play(seed, counts)
      await chain.restore(start)
    }
    const done = [...counts].toSorted().map(([name, count]) => `${name} ${count}`)
    const compared = Object.keys(SIMULATED).reduce((sum, name) => sum + (counts.get(name) ?? 0), 0)
    if (process.env.PERP_SEEDS)
      console.log(`${SEEDS.length} seeds of ${STEPS} turns, ${compared} simulations compared: ${done.join(', ')}`)
    expect(compared).toBeGreaterThanOrEqual(TURNS * LEAST_COMPARED)
    for (const name of Object.keys({ ...SIMULATED, ...CHORES }))
      expect(counts.get(name), name).toBeGreaterThan(TURNS * LEAST_OF_A_KIND)
  },
  TIMEOUT_MS,
)

async function play(seed: number, counts: Map<string, number>): Promise<void> {
  const random = createRandom(seed)
  await chain.setClock(setup.startSec)
  const venue = new Venue(chain, deployment, traders, setup.startSec)
  await openPairs(venue, random)
  for (let step = 0; step < STEPS; step++) {
    const instrument = random.int(0, setup.instruments.length - 1)
    const [name, [, move]] = drawMove(random)
    await passTime(venue, random, instrument)
    const turn = await drawTurn(venue, random, instrument, `seed ${seed}, turn ${step}`)
    if (await move(turn)) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  counts.set('texts of parsers', (counts.get('texts of parsers') ?? 0) + venue.parsed)
}

/** The first range of each pair. */
async function openPairs(venue: Venue, random: Random): Promise<void> {
  for (const [instrument, { spotWad }] of setup.instruments.entries()) {
    await venue.advance(venue.nowSec + 1, instrument, BigInt(spotWad))
    const turn = await drawTurn(venue, random, instrument, `first range of ${instrument}`)
    while (!(await add(turn))) venue.nowSec = await chain.nowSec()
  }
}

async function drawTurn(venue: Venue, random: Random, instrument: number, label: string) {
  vi.setSystemTime(venue.nowSec * 1000)
  const trader = random.pick(traders)
  const user = drawUser(random, await venue.snapshot(instrument, trader))
  return { venue, random, trader, instrument, user, label }
}

function drawMove(random: Random) {
  let draw = random.int(1, WEIGHT)
  for (const move of MOVES) {
    draw -= move[1][0]
    if (draw <= 0) return move
  }
  throw new RangeError('no move drawn')
}

/** Some seconds, and a step of the oracle price that is drawn back towards the fair price. */
async function passTime(venue: Venue, random: Random, instrument: number): Promise<void> {
  const { amm, priceData } = await venue.client(instrument).getSnapshot()
  const mark = priceData.markPrice
  const wandered = random.scale(mark, 994, 1006)
  const spot = (wandered * 9n + sqrtToPrice(amm.sqrtPX96)) / 10n
  const delaySec = random.chance(4) ? random.int(3600, 20_000) : random.int(0, 400)
  await venue.advance(venue.nowSec + delaySec, instrument, spot > FEED_UNIT_WAD ? spot : mark)
}
