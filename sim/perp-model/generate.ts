/**
 * Seeded scenarios: plausible random actions of several accounts on several instruments while price and time move. Each
 * action is tried on the model as it is made, so that the next one fits the state; a few are made to fail on purpose.
 */
import { spoil } from './generate-faults.ts'
import { makeAdd, makeFill, makeRemove } from './generate-liquidity.ts'
import { makeBatchPlace, makeCancel, makePlace } from './generate-orders.ts'
import type { Scene } from './generate-scene.ts'
import { STRESS_MAKERS, throughHandler } from './generate-stress.ts'
import { makeAdjust, makeTrade } from './generate-trades.ts'
import { type Cast, createSetup, DATED_EXPIRY, DEFAULT_CAST } from './markets.ts'
import { createRandom, type Random } from './random.ts'
import { createWorld, type Scenario } from './replay.ts'
import { sqrtToPrice } from './tick.ts'
import { type Action, apply, contextOf, type World } from './world.ts'

type Maker = (scene: Scene) => Action | undefined

const FEED_UNIT_WAD = 10n ** 10n
const SPOILT_PERCENT = 4
const ATTEMPTS = 3

/** Makers and how often each is drawn. One that finds nothing to do leaves its turn to a trade. */
const MAKERS: readonly (readonly [weight: number, make: Maker])[] = [
  [30, makeTrade],
  [20, makePlace],
  [4, makeBatchPlace],
  [8, makeCancel],
  [12, makeFill],
  [4, makeAdd],
  [4, makeRemove],
  [6, makeAdjust],
  [8, makePrice],
  [2, makeDeposit],
  [2, makeWithdraw],
  [2, makeUpdate],
]

/** How much liquidity the pairs open with. */
export type Depth = 'usual' | 'shallow' | 'deep'

/** Margin of the first range in thousandths of a thousand quote units. */
const LAUNCH_MARGINS: { readonly [depth in Depth]: readonly [low: number, high: number] } = {
  usual: [40_000, 200_000],
  shallow: [8_000, 16_000],
  deep: [2_000_000, 6_000_000],
}

export type Options = {
  readonly depth?: Depth
  /** With oracle gaps, thin margins, liquidations, dated pairs, halts and changed parameters. */
  readonly stress?: boolean
}

type Style = Required<Options>

/** A scenario of `length` actions after the first `add` of each instrument, which the Gate's `launch` performs on chain. */
export function generate(
  seed: number,
  length: number,
  cast: Cast = DEFAULT_CAST,
  { depth = 'usual', stress = false }: Options = {},
): Scenario {
  const random = createRandom(seed)
  const setup = createSetup(cast)
  const accounts = cast.traders
  const actions: Action[] = []
  let world = createWorld(setup)
  const append = (action: Action) => {
    actions.push(action)
    world = apply(world, action).world
  }

  setup.instruments.forEach((_, instrument) => {
    append(makeLaunch(random, setup.startSec + instrument, instrument, accounts, depth))
    if (!stress) return
    const launch = makeLaunch(random, setup.startSec + instrument, instrument, accounts, depth)
    append({ ...launch, expiry: DATED_EXPIRY } as Action)
  })
  const launches = actions.length
  while (actions.length < length + launches) append(makeAction(random, world, accounts, { depth, stress }))
  return { seed, setup, actions }
}

function makeLaunch(
  random: Random,
  timeSec: number,
  instrument: number,
  accounts: readonly string[],
  depth: Depth,
): Action {
  return {
    type: 'add',
    timeSec,
    instrument,
    account: random.pick(accounts),
    amount: random.scale(10n ** 21n, ...LAUNCH_MARGINS[depth]).toString(),
    tickDeltaLower: random.int(2000, 5000),
    tickDeltaUpper: random.int(2000, 5000),
    limitTickLower: -8_388_608,
    limitTickUpper: 8_388_607,
    deadline: 0,
  }
}

/** Draws until an action succeeds, a few times at most; one in a while is spoilt and meant to fail. */
function makeAction(random: Random, world: World, accounts: readonly string[], style: Style): Action {
  const timeSec = world.nowSec + nextDelaySec(random, style)
  const isSpoilt = random.chance(SPOILT_PERCENT)
  for (let attempt = 1; ; attempt++) {
    const scene = createScene(random, world, accounts, timeSec, style)
    const drawn = drawMaker(random, style)(scene) ?? makeTrade(scene)
    const action = style.stress ? throughHandler(scene, drawn) : drawn
    if (isSpoilt) return spoil(scene, action)
    if (attempt === ATTEMPTS || apply(world, action).ok) return action
  }
}

function createScene(
  random: Random,
  world: World,
  accounts: readonly string[],
  timeSec: number,
  { stress }: Style,
): Scene {
  const instrument = random.int(0, world.instruments.length - 1)
  const draft = structuredClone({ ...world, nowSec: timeSec })
  const dated = stress && random.chance(35) ? { expiry: DATED_EXPIRY } : {}
  const context = contextOf(draft, instrument, dated.expiry)
  const base = { timeSec, instrument, account: random.pick(accounts), ...dated }
  return { random, world: draft, context, accounts, base }
}

/** Under stress a scenario of some hundred steps lasts longer than its dated pairs. */
function nextDelaySec(random: Random, { stress }: Style): number {
  if (random.chance(15)) return 0
  if (stress && random.chance(30)) return random.int(600, 20_000)
  return random.chance(5) ? random.int(3600, 20_000) : random.int(1, 400)
}

function drawMaker(random: Random, { stress }: Style): Maker {
  const makers = stress ? [...MAKERS, ...STRESS_MAKERS] : MAKERS
  let draw = random.int(
    1,
    makers.reduce((sum, [weight]) => sum + weight, 0),
  )
  for (const [weight, make] of makers) {
    draw -= weight
    if (draw <= 0) return make
  }
  return makeTrade
}

/** A step of the oracle price, drawn back towards the fair price so that neither runs away. */
function makePrice({ random, context, base }: Scene): Action {
  const { instrument, pair, markWad } = context
  const fair = pair.amm.sqrtPX96 > 0n ? sqrtToPrice(pair.amm.sqrtPX96) : markWad
  const wandered = random.scale(markWad, 994, 1006) + random.scale(markWad, 0, 4) / 10n
  const spotWad = (wandered * 9n + fair) / 10n
  const rounded = (spotWad / FEED_UNIT_WAD) * FEED_UNIT_WAD
  return {
    type: 'price',
    timeSec: base.timeSec,
    instrument: base.instrument,
    spotWad: (rounded > 0n ? rounded : instrument.spotWad).toString(),
  }
}

function makeDeposit({ random, context, base }: Scene): Action {
  const { quote } = context
  const amountRaw = random.scale(10n ** BigInt(quote.decimals), 1, 5_000_000)
  return {
    type: 'deposit',
    timeSec: base.timeSec,
    account: base.account,
    quote: quote.symbol,
    amountRaw: `${amountRaw}`,
  }
}

function makeWithdraw({ random, context, base }: Scene): Action | undefined {
  const { quote } = context
  const reserve = quote.ledgers.get(base.account)?.reserve ?? 0n
  if (reserve === 0n) return undefined
  const amountRaw = random.scale(reserve, 1, 1000)
  return {
    type: 'withdraw',
    timeSec: base.timeSec,
    account: base.account,
    quote: quote.symbol,
    amountRaw: `${amountRaw}`,
  }
}

function makeUpdate({ base }: Scene): Action {
  return { type: 'update', ...base }
}
