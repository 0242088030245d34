/**
 * Every account closes: what it brought into a pair and took out again, and every fee, loss and execution of its records, sum up to
 * what the contracts say that it has there, after every step.
 */
import { decodeEventLog, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { instrumentAbi } from '../../server/src/chain/abi/instrument.ts'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { crashDay } from '../perp-model/crash-day.ts'
import { generate } from '../perp-model/generate.ts'
import type { Cast } from '../perp-model/markets.ts'
import type { Scenario } from '../perp-model/replay.ts'
import { SCENES } from '../perp-model/scenes.ts'
import { type Flow, flowsOf, type Held, heldOnChain, placeOf } from './account-sums.ts'
import { messageOf } from './actions.ts'
import { Chain, type Receipt } from './chain.ts'
import { type Deployment, deployPerp } from './deploy.ts'
import { Indexer } from './indexer.ts'

const TIMEOUT_MS = 1_200_000

type Write = (cast: Cast) => Scenario
const stress = (seed: number, steps: number): [string, Write] => [
  `seed ${seed}, under stress`,
  (cast) => generate(seed, steps, cast, { stress: true }),
]

/** Seeds of the differential test's list: in them losses are spread, borne by nobody, and paid later. */
const SCENARIOS: readonly (readonly [string, Write])[] = [
  ['a day on which the market loses 30 %', (cast) => crashDay(cast).scenario()],
  ...lengthOf({
    short: [stress(51, 210), stress(58, 145)],
    whole: [1, 3, 6, 7, 8, 12, 22, 51, 58].map((seed) => stress(seed, 600)),
  }),
  ...lengthOf({ short: [], whole: Object.entries(SCENES) }),
]

/** How often something happened in all scenarios together. */
const counts = new Map<string, number>()
const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** An action that succeeded, and what accounts had after it. */
interface Step {
  readonly receipt: Receipt
  readonly held: ReadonlyMap<string, Held>
}

test.each(SCENARIOS)(
  '%s: every account is what its rows sum up to',
  async (_, write) => {
    const chain = await Chain.start()
    const cast = chain.cast(9)
    const scenario = write(cast)
    await chain.setClock(scenario.setup.startSec)
    const deployment = await deployPerp(chain, scenario.setup)
    const indexer = await Indexer.start(chain, deployment)
    try {
      const steps = await play(chain, deployment, cast, scenario)
      await indexer.caughtUp()
      const flows = await flowsOf(indexer.sql, (instrument) => unitOf(scenario, deployment, instrument))
      expect(differences(steps, flows)).toEqual([])
    } finally {
      await indexer.stop()
      await chain.stop()
    }
  },
  TIMEOUT_MS,
)

test('accounts failed in every way there is', () => {
  const events = ['Sweep', 'Liquidate', 'Settle', 'Fill', 'Cancel', 'Remove']
  const rows = ['loss -', 'liquidation -', 'liquidation +', 'tip -', 'tip +', 'funding -', 'funding +']
  for (const name of [...events, ...rows]) expect(counts.get(name) ?? 0, name).toBeGreaterThan(0)
})

/** One action a block, so that each is looked at. */
async function play(chain: Chain, deployment: Deployment, cast: Cast, { actions }: Scenario): Promise<Step[]> {
  const steps: Step[] = []
  for (const action of actions) {
    const [receipt] = await chain.mine(action.timeSec, [messageOf(deployment, action)])
    if (receipt?.status !== '0x1') continue
    steps.push({ receipt, held: await heldOnChain(chain, deployment, [...cast.traders, cast.admin, cast.handler]) })
  }
  return steps
}

function unitOf({ setup }: Scenario, { instruments }: Deployment, instrument: string): bigint {
  const at = instruments.find(({ address }) => address === instrument)
  const quote = setup.quotes.find(({ symbol }) => symbol === at?.quote)
  if (!quote) throw new Error(`no quote of ${instrument}`)
  return 10n ** BigInt(18 - quote.decimals)
}

const NOTHING: Held = { cash: 0n, size: 0n }

/** Where an account changed by something else than the rows of the step sum up to. */
function differences(steps: readonly Step[], flows: readonly Flow[]): string[] {
  for (const { what, cash } of flows) count(`${what} ${cash < 0n ? '-' : '+'}`)
  const byTransaction = Map.groupBy(flows, ({ txHash }) => txHash)
  let before: ReadonlyMap<string, Held> = new Map()
  return steps.flatMap(({ receipt, held }, nth) => {
    const had = before
    before = held
    const events = eventsOf(receipt)
    for (const { eventName } of events) count(eventName)
    const told = inPairs(byTransaction.get(receipt.transactionHash) ?? [], events)
    const names = events.map(({ eventName }) => eventName).join(' ')
    return [...held].flatMap(([place, now]) => {
      const own = told.filter((flow) => flow.place === place)
      const wrong = differenceOf(had.get(place) ?? NOTHING, now, [...own, ...unpaidIn(place, own, events)])
      return wrong ? [`${nth} ${place} ${wrong}: ${names}`] : []
    })
  })
}

function differenceOf(before: Held, after: Held, flows: readonly Flow[]): string | null {
  const sum = (of: 'cash' | 'size' | 'mostKept') => flows.reduce((all, flow) => all + flow[of], 0n)
  const size = sum('size') - (after.size - before.size)
  const kept = sum('cash') - (after.cash - before.cash)
  if (size === 0n && kept >= 0n && kept <= sum('mostKept')) return null
  return `rows tell of ${kept} more, and of size ${size}`
}

type InstrumentEvent = ReturnType<typeof eventsOf>[number]

function eventsOf({ logs }: Receipt) {
  return logs.flatMap(({ address, data, topics }) => {
    try {
      return [{ address, ...decodeEventLog({ abi: instrumentAbi, data, topics: topics as [Hex, ...Hex[]] }) }]
    } catch {
      return []
    }
  })
}

/** Transfers of a pair's own funds pass through the reserve of whoever gives or gets them, and through no account of the pair. */
const OF_FUNDS: readonly string[] = ['DonateInsuranceFund', 'ClaimProtocolFee', 'RecycleInsuranceFund']

const inPairs = (flows: readonly Flow[], events: readonly InstrumentEvent[]): readonly Flow[] =>
  events.some(({ eventName }) => OF_FUNDS.includes(eventName))
    ? flows.filter(({ what }) => what !== 'scatter' && what !== 'gather')
    : flows

/** What an account is paid less than it was owed at the end of a pair that lacks money, since a loss stands that nobody could bear. */
function unpaidIn(place: string, own: readonly Flow[], events: readonly InstrumentEvent[]): Flow[] {
  return events.flatMap((event) => {
    if (event.eventName !== 'Settle') return []
    const { trader, expiry, balance } = event.args
    if (placeOf(trader, event.address, expiry) !== place) return []
    const paid = own.reduce((all, { what, cash }) => (what === 'gather' ? all - cash : all), 0n)
    return [{ place, txHash: '0x', what: 'unpaid', mostKept: balance - paid, cash: 0n, size: 0n }]
  })
}
