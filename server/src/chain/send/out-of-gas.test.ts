import { afterEach, expect, test } from 'vitest'
import { createRpc, type Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import type { Intent, NewIntent } from './intents.ts'
import {
  intend,
  quickProfile,
  startWorld,
  untilAllBroadcast,
  untilMined,
  untilState,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { startRpcProxy } from './testing/rpc-proxy.ts'
import { clear, hit, hitAfter, tooEarly } from './testing/tally.ts'

// A transaction that ran out of gas says nothing itself. What is told of it must be this, whatever the node shows.

let world: World
afterEach(() => world.stop())

const OUT_OF_GAS = { outcome: 'reverted', revertData: '0x', problem: 'the transaction ran out of gas' }

interface Sending {
  /** Mines what is sent of these calls, one after the other in one block, each estimated on the block before. */
  inOneBlock(...calls: readonly (readonly [data: Hex, more?: Partial<NewIntent>])[]): Promise<Intent[]>
}

/** Runs a relayer, by a node with traces or without; its gas limits are a quarter above the estimates. */
async function sending(node: { traces: boolean; chargesLimit?: boolean }, work: (sending: Sending) => Promise<void>) {
  world = await startWorld({ noMining: true })
  const gas = { limitPercent: 125, chargesLimit: node.chargesLimit ?? false, maxGasLimit: 1_000_000n }
  const proxy = await startRpcProxy(
    world.anvil.rpcUrl,
    () => (method, result) => (method === 'debug_traceTransaction' && !node.traces ? null : result),
  )
  const rpc: Rpc = createRpc({ url: proxy.url })
  let block = 0
  const inOneBlock: Sending['inOneBlock'] = async (...calls) => {
    block++
    const intents: Intent[] = []
    for (const [index, [data, more]] of calls.entries())
      intents.push(await intend(world, `${block} ${index}`, data, { orderingKey: 'u', ...more }))
    await untilAllBroadcast(world, intents)
    await world.rpc.call('evm_mine')
    return Promise.all(intents.map((intent) => untilMined(world, intent)))
  }
  try {
    await withRelayer(world, { rpc, profile: quickProfile({ gas }) }, () => work({ inOneBlock }))
  } finally {
    await proxy.stop()
  }
}

test.each([{ traces: true }, { traces: true, chargesLimit: true }, { traces: false }])(
  'what became dearer than its gas limit is told as out of gas, %o',
  async (node) => {
    await sending(node, async ({ inOneBlock }) => {
      await inOneBlock([hit(6n)])
      // A word of storage that is cleared first has to be made anew.
      const [, starved] = await inOneBlock([clear(6n)], [hit(6n)])
      expect(starved).toMatchObject(OUT_OF_GAS)
    })
  },
)

test.each([{ traces: true }, { traces: false }])(
  'it is not told by what it would revert with after its block, %o',
  async (node) => {
    await sending(node, async ({ inOneBlock }) => {
      await inOneBlock([hit(5n)], [hit(6n)])
      const [, starved] = await inOneBlock([clear(6n)], [hitAfter(6n, 5n)], [clear(5n)])
      expect(starved).toMatchObject(OUT_OF_GAS)
    })
  },
)

test.each([{ traces: true }, { traces: false }])(
  'a revert near the gas limit is told by what it says, %o',
  async (node) => {
    await sending(node, async ({ inOneBlock }) => {
      await inOneBlock([hit(5n)], [hit(6n)])
      const [, tight] = await inOneBlock([clear(5n)], [hitAfter(6n, 5n), { gasLimit: 28_700n }])
      expect(tight).toMatchObject({ outcome: 'reverted', revertData: tooEarly(6n), problem: null })
      expect(Number(tight?.gasUsed)).toBeGreaterThan(0.8 * 28_700)
    })
  },
)

test('it is told so again at its end when its block vanished and it was withdrawn', async () => {
  await sending({ traces: true }, async ({ inOneBlock }) => {
    await inOneBlock([hit(6n)])
    const [, starved] = await inOneBlock([clear(6n)], [hit(6n)])
    await world.rpc.call('anvil_reorg', [1, []])
    await whileMining(world.rpc, 100, async () => {
      expect(await untilState(world, starved as Intent, 'failed')).toMatchObject({ problem: OUT_OF_GAS.problem })
    })
  })
})

/** Reverts with nothing once its first word of storage is set. */
const SHY: Hex = '0x5f54600557005b5f5ffd'

test('a revert without a word is none of the gas, however little is left: the trace says so', async () => {
  await sending({ traces: true, chargesLimit: true }, async () => {
    const to: Hex = `0x${'5'.repeat(40)}`
    await world.rpc.call('anvil_setCode', [to, SHY])
    const intent = await intend(world, 'shy', '0x', { to, gasLimit: 24_000n })
    await untilAllBroadcast(world, [intent])
    await world.rpc.call('anvil_setStorageAt', [to, `0x${'0'.repeat(64)}`, `0x${'0'.repeat(63)}1`])
    await world.rpc.call('evm_mine')
    expect(await untilMined(world, intent)).toMatchObject({ outcome: 'reverted', revertData: '0x', problem: null })
  })
})

test('without a trace, where the limit is charged, nobody knows what was used: it has reverted', async () => {
  await sending({ traces: false, chargesLimit: true }, async ({ inOneBlock }) => {
    await inOneBlock([hit(6n)])
    const [, starved] = await inOneBlock([clear(6n)], [hit(6n)])
    expect(starved).toMatchObject({ outcome: 'reverted', revertData: '0x', problem: null })
  })
})
