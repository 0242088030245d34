/**
 * The contracts against the reference model: the same seeded scenarios go through both. After every step all stored
 * fields are equal and so is what was returned, or both refused with the same error and its arguments.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PERP_EXPIRY } from '../perp-model/amm.ts'
import { generate } from '../perp-model/generate.ts'
import type { Json } from '../perp-model/image.ts'
import { createSetup } from '../perp-model/markets.ts'
import { replay, type Scenario, type Step } from '../perp-model/replay.ts'
import { errorOf, messageOf, resultOf } from './actions.ts'
import { Chain } from './chain.ts'
import { type Deployment, deployPerp } from './deploy.ts'
import { field, Observed } from './observed.ts'

/** `PERP_SEEDS=100-163 PERP_STEPS=600` runs these instead of the listed ones. */
const SEEDS = seedsOf(process.env.PERP_SEEDS ?? '1-8')
const STEPS = Number(process.env.PERP_STEPS ?? 300)
const TIMEOUT_MS = 300_000 + STEPS * SEEDS.length * 4000

function seedsOf(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

let chain: Chain
let deployment: Deployment
let traders: readonly Hex[]

beforeAll(async () => {
  chain = await Chain.start()
  traders = chain.accounts.slice(1, 10)
  const setup = createSetup(traders)
  await chain.setClock(setup.startSec)
  deployment = await deployPerp(chain, setup)
}, TIMEOUT_MS)

afterAll(() => chain?.stop())

test(
  'every step leaves the same storage on chain as in the model',
  async () => {
    const counts = new Map<string, number>()
    for (const seed of SEEDS) {
      const start = await chain.snapshot()
      await play(generate(seed, STEPS, traders), counts)
      await chain.restore(start)
    }
    const done = [...counts].toSorted().map(([name, count]) => `${name} ${count}`)
    if (process.env.PERP_SEEDS) console.log(`${SEEDS.length} seeds of ${STEPS} steps: ${done.join(', ')}`)
    const kinds = [
      'add',
      'adjust',
      'batchPlace',
      'cancel',
      'deposit',
      'fill',
      'place',
      'place, late',
      'remove',
      'trade',
    ]
    for (const kind of kinds) expect(counts.get(kind), kind).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

async function play(scenario: Scenario, counts: Map<string, number>): Promise<void> {
  await chain.setClock(scenario.setup.startSec)
  const observed = new Observed(chain, deployment, traders)
  let last: Step | undefined
  for (const step of replay(scenario)) {
    const label = `seed ${scenario.seed}, step ${step.index}: ${JSON.stringify(step.action)}`
    expectSame(await perform(step), { error: step.error, result: step.result }, label)
    expectSame(await observed.image(step.image), step.image, label)
    const name = nameOf(step)
    counts.set(name, (counts.get(name) ?? 0) + 1)
    last = step
  }
  expectSame(await observed.wholeBitmaps(), bitmapsOf(last?.image ?? null), `seed ${scenario.seed}: whole bitmaps`)
}

/** Kind and error, and of orders whether they came late to a tick that was partly taken. */
function nameOf({ action, error, result, image }: Step): string {
  if (error) return `${action.type}: ${error.name}`
  if (action.type !== 'place') return action.type
  const pair = ['instruments', String(action.instrument), 'pairs', String(PERP_EXPIRY)]
  const current = field(image, ...pair, 'pearls', String(action.tick), 'nonce')
  return field(result, 'nonce') === current ? 'place' : 'place, late'
}

async function perform({ action }: Step): Promise<Json> {
  const [receipt] = await chain.mine(action.timeSec, [messageOf(deployment, action)])
  if (!receipt) throw new Error('no receipt')
  const output = await chain.outputOf(receipt)
  if (receipt.status !== '0x1') return { error: errorOf(deployment, output), result: null }
  return { error: null, result: resultOf(deployment, action, output) }
}

function bitmapsOf(image: Json): Json {
  return Object.keys(field(image, 'instruments') as object).map((i) => {
    const [pair] = Object.values(field(image, 'instruments', i, 'pairs') as { [expiry: string]: Json })
    return field(pair, 'tickBitmaps') ?? {}
  })
}

/** Compares without the cost of a report, and reports what differs. */
function expectSame(actual: Json, expected: Json, label: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, label).toEqual(expected)
}
