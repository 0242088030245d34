import { encodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { lengthOf } from '../../server/src/lib/testing-campaign.ts'
import { generate } from '../perp-model/generate.ts'
import { DEFAULT_CAST } from '../perp-model/markets.ts'
import { SCENES } from '../perp-model/scenes.ts'
import type { Action } from '../perp-model/world.ts'
import { messageOf } from './actions.ts'
import { readArtifact } from './artifacts.ts'
import type { Deployment } from './deploy.ts'
import { actionsOf } from './recorded.ts'

const at = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`

async function createDeployment(): Promise<Deployment> {
  const contract = async (name: string, n: number) => ({ address: at(n), abi: (await readArtifact(name)).abi })
  const instrument = async (n: number) => ({
    ...(await contract('Instrument', n)),
    feed: await contract('TestFeed', n + 10),
    quote: 'USDC',
  })
  const token = await contract('TestToken', 40)
  return {
    admin: DEFAULT_CAST.admin as Hex,
    gate: await contract('Gate', 1),
    config: await contract('Config', 2),
    market: await contract('LinkMarket', 3),
    observer: await contract('Observer', 4),
    manyReads: await contract('ManyReads', 5),
    tokens: new Map(['USDC', 'USDE', 'USDX'].map((symbol, i) => [symbol, { ...token, address: at(40 + i) }])),
    instruments: [await instrument(10), await instrument(11), await instrument(12)],
    launchedExpiry: 0,
  }
}

/** What the contracts cannot tell apart reads the same: the word of a price, and an unused account. */
function readable(action: Action): Action | undefined {
  if (action.type === 'quoteParam' || action.type === 'liquidators' || action.type === 'openLiquidation')
    return undefined
  if (action.type === 'price') return { ...action, spotWad: `${(BigInt(action.spotWad) / 10n ** 10n) * 10n ** 10n}` }
  if (action.type === 'remove' && action.operator !== undefined) return { ...action, account: action.target }
  return action
}

test('what was sent reads as what it was', async () => {
  const deployment = await createDeployment()
  const seeds = lengthOf({ short: [1], whole: [1, 2, 3] })
  const scenarios = seeds.map((seed) => generate(seed, 300, DEFAULT_CAST, { stress: true }))
  scenarios.push(...Object.values(SCENES).map((write) => write(DEFAULT_CAST)))
  const kinds = new Set<string>()
  for (const action of scenarios.flatMap(({ actions }) => actions)) {
    const expected = readable(action)
    if (!expected) continue
    const message = messageOf(deployment, action)
    expect(actionsOf(deployment, { ...message, to: message.to as string }, action.timeSec)).toEqual([expected])
    kinds.add(action.type)
  }
  expect(kinds.size).toBeGreaterThan(22)
})

test('a multicall is its calls, other contracts are nothing, and an unknown function is named', async () => {
  const deployment = await createDeployment()
  const [instrument] = deployment.instruments
  if (!instrument) throw new Error('no instrument')
  const from = at(99)
  const { actions } = generate(5, 40, DEFAULT_CAST)
  const own = actions
    .filter((action) => 'account' in action && 'instrument' in action && action.instrument === 0)
    .slice(0, 3)
  const data = encodeFunctionData({
    abi: instrument.abi,
    functionName: 'multicall',
    args: [own.map((action) => messageOf(deployment, action).data)],
  })
  expect(actionsOf(deployment, { from, to: instrument.address, data }, 7)).toEqual(
    own.map((action) => ({ ...action, account: from, timeSec: 7 })),
  )
  expect(actionsOf(deployment, { from, to: at(77), data: '0x12345678' }, 7)).toEqual([])
  const unknown = encodeFunctionData({ abi: deployment.gate.abi, functionName: 'setPendingDuration', args: [1n] })
  expect(() => actionsOf(deployment, { from, to: deployment.gate.address, data: unknown }, 7)).toThrow(
    'setPendingDuration',
  )
})
