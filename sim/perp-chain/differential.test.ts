/**
 * The contracts against the reference model: the same seeded scenarios go through both. After every step all stored
 * fields are equal and so is what was returned and what was logged, or both refused with the same error and its arguments.
 */
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { generate } from '../perp-model/generate.ts'
import type { Json } from '../perp-model/image.ts'
import { type Cast, createSetup } from '../perp-model/markets.ts'
import { replay, type Scenario, type Step } from '../perp-model/replay.ts'
import { SCENES } from '../perp-model/scenes.ts'
import { errorOf, eventsOf, messageOf, resultOf } from './actions.ts'
import { Chain } from './chain.ts'
import { type Deployment, deployPerp } from './deploy.ts'
import { field, Observed } from './observed.ts'

type Style = 'ordinary' | 'stress'
type Run = { readonly seed: number; readonly steps: number }

/**
 * `PERP_SEEDS=100-163 PERP_STEPS=600` runs these instead of the listed ones. Those under stress are listed for what happens in them:
 * most seeds have no end of a whole instrument, no loss that nobody bears and no money that waits.
 */
const LISTED: { readonly [style in Style]: readonly Run[] } = {
  ordinary: lengthOf({ short: runsOf([3], 150), whole: runsOf([1, 2, 3, 4, 5, 6, 7, 8], 300) }),
  stress: lengthOf({
    short: [...runsOf([51], 210), ...runsOf([58], 145)],
    whole: runsOf([1, 3, 6, 7, 8, 12, 22, 58], 300),
  }),
}
const ASKED = process.env.PERP_SEEDS ? askedRuns(process.env.PERP_SEEDS) : undefined
const MOST_STEPS = Object.values(LISTED).map((runs) => (ASKED ?? runs).reduce((sum, { steps }) => sum + steps, 0))
const TIMEOUT_MS = 300_000 + Math.max(...MOST_STEPS) * 4000

function runsOf(seeds: readonly number[], steps: number): Run[] {
  return seeds.map((seed) => ({ seed, steps }))
}

function askedRuns(text: string): Run[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  const seeds = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  return runsOf(seeds, Number(process.env.PERP_STEPS ?? 300))
}

let chain: Chain
let deployment: Deployment
let cast: Cast

beforeAll(async () => {
  chain = await Chain.start()
  cast = chain.cast(9)
  const setup = createSetup(cast)
  await chain.setClock(setup.startSec)
  deployment = await deployPerp(chain, setup)
}, TIMEOUT_MS)

afterAll(() => chain?.stop())

/** What must have happened in each style of scenarios, or they prove little. */
const KINDS = {
  ordinary: ['add', 'adjust', 'batchPlace', 'cancel', 'deposit', 'fill', 'place', 'place, late', 'remove', 'trade'],
  stress: [
    'claimProtocolFee',
    'donate',
    'freeze',
    'liquidate',
    'loss borne by the other side',
    'normalize',
    'settle',
    'sweep',
    'withdraw',
  ],
}

/** What must have happened in the listed scenarios under stress, and does not in most others. */
const RARE = [
  'loss that nobody bears',
  'loss that was not borne is paid',
  'logged FundingFee',
  'logged Liquidate',
  'logged Settle',
  'logged Sweep',
  'recycle',
  'release',
  'resolve',
  'settle: InvariantBroken',
  'settle, perpetual',
]

describe.each(['ordinary', 'stress'] as const)('%s scenarios', (style) => {
  test(
    'every step leaves the same storage on chain as in the model',
    async () => {
      const counts = new Map<string, number>()
      const runs = ASKED ?? LISTED[style]
      for (const { seed, steps } of runs) {
        await play(generate(seed, steps, cast, { stress: style === 'stress' }), counts)
      }
      const done = [...counts].toSorted().map(([name, count]) => `${name} ${count}`)
      if (ASKED) console.log(`${runs.length} seeds of ${runs[0]?.steps} steps: ${done.join(', ')}`)
      const kinds = style === 'stress' && !ASKED ? [...KINDS.stress, ...RARE] : KINDS[style]
      for (const kind of kinds) expect(counts.get(kind) ?? 0, kind).toBeGreaterThan(0)
    },
    TIMEOUT_MS,
  )
})

test.each(Object.entries(SCENES))(
  'the scene: %s',
  async (_, write) => {
    const counts = new Map<string, number>()
    await play(write(cast), counts)
    expect(counts.size).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

/** Plays a scenario on the fresh deployment, and leaves that as it was. */
async function play(scenario: Scenario, counts: Map<string, number>): Promise<void> {
  const start = await chain.snapshot()
  try {
    await playOn(scenario, counts)
  } finally {
    await chain.restore(start)
  }
}

async function playOn(scenario: Scenario, counts: Map<string, number>): Promise<void> {
  await chain.setClock(scenario.setup.startSec)
  const observed = new Observed(chain, deployment, [...cast.traders, cast.admin, cast.handler])
  let last: Step | undefined
  for (const step of replay(scenario)) {
    const label = `seed ${scenario.seed}, step ${step.index}: ${JSON.stringify(step.action)}`
    const { error, result, events } = step
    expectSame(await perform(step), { error, result, events }, label)
    expectSame(await observed.image(step.image), step.image, label)
    const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
    count(nameOf(step))
    for (const { name } of events as readonly { readonly name: string }[]) count(`logged ${name}`)
    if (socialLossOf(step.image) > socialLossOf(last?.image ?? null)) count('loss borne by the other side')
    const [before, after] = [BigInt(last?.shortfallWad ?? 0), BigInt(step.shortfallWad)]
    if (after > before) count('loss that nobody bears')
    if (after < before) count('loss that was not borne is paid')
    last = step
  }
  expectSame(await observed.wholeBitmaps(), bitmapsOf(last?.image ?? null), `seed ${scenario.seed}: whole bitmaps`)
}

/** Kind and error, of settlements whether the pair is a perpetual, and of orders whether they came late to a tick that was partly taken. */
function nameOf({ action, error, result, image }: Step): string {
  if (error) return `${action.type}: ${error.name}`
  if (action.type === 'settle' && action.expiry === undefined) return 'settle, perpetual'
  if (action.type !== 'place') return action.type
  const pair = ['instruments', String(action.instrument), 'pairs', String(PERP_EXPIRY)]
  const current = field(image, ...pair, 'pearls', String(action.tick), 'nonce')
  return field(result, 'nonce') === current ? 'place' : 'place, late'
}

/** All indices of social loss together; they only grow. */
function socialLossOf(image: Json): bigint {
  const indices = Object.values((field(image, 'instruments') ?? {}) as { [index: string]: Json }).flatMap(
    (instrument) =>
      Object.values((field(instrument, 'pairs') ?? {}) as { [expiry: string]: Json }).flatMap((pair) => [
        field(pair, 'amm', 'longSocialLossIndex') ?? 0,
        field(pair, 'amm', 'shortSocialLossIndex') ?? 0,
      ]),
  )
  return indices.reduce((sum: bigint, index) => sum + BigInt(index as string), 0n)
}

async function perform({ action }: Step): Promise<Json> {
  const [receipt] = await chain.mine(action.timeSec, [messageOf(deployment, action)])
  if (!receipt) throw new Error('no receipt')
  const output = await chain.outputOf(receipt)
  const events = eventsOf(deployment, receipt.logs)
  if (receipt.status !== '0x1') return { error: errorOf(deployment, output), result: null, events }
  return { error: null, result: resultOf(deployment, action, output), events }
}

function bitmapsOf(image: Json): Json {
  return Object.keys(field(image, 'instruments') as object).map((i) => {
    return field(image, 'instruments', i, 'pairs', String(PERP_EXPIRY), 'tickBitmaps') ?? {}
  })
}

/** Compares without the cost of a report, and reports what differs. */
function expectSame(actual: Json, expected: Json, label: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, label).toEqual(expected)
}
