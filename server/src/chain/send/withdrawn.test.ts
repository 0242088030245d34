import { afterEach, expect, test } from 'vitest'
import {
  devAccount,
  intend,
  startWorld,
  untilMined,
  untilState,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { clear, hit, hitAfter, tallies, tooEarly } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

test('what reverted in a block that vanished is not sent again: its nonce is used by nothing, and it has failed', async () => {
  world = await startWorld({ noMining: true })
  const set = await intend(world, 'set', hit(5n))
  await withRelayer(world, {}, async () => {
    await untilState(world, set, 'broadcast')
    await world.rpc.call('evm_mine')
    await untilMined(world, set)
    const needs = await intend(world, 'needs', hitAfter(6n, 5n))
    await untilState(world, needs, 'broadcast')
    // Somebody else pays more and takes away what it needs.
    const call = { from: devAccount(1).address, to: world.tally, data: clear(5n), gasPrice: '0x174876e800' }
    await world.rpc.call('eth_sendTransaction', [call])
    await world.rpc.call('evm_mine')
    expect(await untilState(world, needs, 'mined')).toMatchObject({ outcome: 'reverted' })
    await world.rpc.call('anvil_reorg', [1, []])
    expect(await tallies(world.rpc, world.tally, [5n]), 'it would succeed now').toEqual([1n])
    const next = await intend(world, 'next', hit(7n))
    await whileMining(world.rpc, 100, async () => {
      expect(await untilState(world, needs, 'failed', 'final')).toMatchObject({
        state: 'failed',
        nonce: 1n,
        revertData: tooEarly(6n),
      })
      expect(await untilMined(world, next)).toMatchObject({ outcome: 'succeeded', nonce: 2n })
    })
  })
  expect(await tallies(world.rpc, world.tally, [5n, 6n, 7n])).toEqual([1n, 0n, 1n])
  expect(await world.sql`select from tx_unaccounted`).toHaveLength(0)
})
