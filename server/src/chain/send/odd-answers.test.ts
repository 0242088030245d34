import { afterEach, expect, test } from 'vitest'
import { createRpc } from '../rpc.ts'
import {
  eventually,
  intend,
  startWorld,
  untilMined,
  untilState,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { startRpcProxy } from './testing/rpc-proxy.ts'
import { clear, hit, hitAfter, tallies, tooEarly } from './testing/tally.ts'

// A node that answers `null` where something belongs does not end the relayer.

let world: World
afterEach(() => world.stop())

/** Runs a relayer before a node that gives nothing for the method, while `odd.on`; counts how often. */
async function withNulls(method: string, work: (odd: { on: boolean; times: number }) => Promise<void>): Promise<void> {
  world = await startWorld({ noMining: true })
  const odd = { on: true, times: 0 }
  const change = (name: string, result: unknown) => {
    if (!odd.on || name !== method) return result
    odd.times++
    return null
  }
  const proxy = await startRpcProxy(world.anvil.rpcUrl, () => change)
  try {
    await withRelayer(world, { rpc: createRpc({ url: proxy.url }) }, () => work(odd))
  } finally {
    await proxy.stop()
  }
}

test.each([
  'eth_chainId',
  'eth_getBlockByNumber',
  'eth_getTransactionCount',
  'eth_getBalance',
  'eth_maxPriorityFeePerGas',
  'eth_estimateGas',
])('nothing for %s is waited out', async (method) => {
  await withNulls(method, async (odd) => {
    const intent = await intend(world, 'first', hit(1n))
    await eventually('the node was odd', async () => odd.times > 1)
    odd.on = false
    await whileMining(world.rpc, 100, () => untilMined(world, intent))
  })
  expect(await tallies(world.rpc, world.tally, [1n])).toEqual([1n])
})

test('nothing for a trace leads to the revert by a call', async () => {
  await withNulls('debug_traceTransaction', async (odd) => {
    const set = await intend(world, 'set', hit(5n))
    await untilState(world, set, 'broadcast')
    await world.rpc.call('evm_mine')
    await untilMined(world, set)
    // Both pass their simulation at this head; the first to be mined takes from the second what it needs.
    await intend(world, 'clear', clear(5n), { orderingKey: 'u' })
    const second = await intend(world, 'needs', hitAfter(6n, 5n), { orderingKey: 'u' })
    await untilState(world, second, 'broadcast')
    await world.rpc.call('evm_mine')
    expect(await untilMined(world, second)).toMatchObject({ outcome: 'reverted', revertData: tooEarly(6n) })
    expect(odd.times).toBeGreaterThan(0)
  })
})
