import { afterEach, expect, test } from 'vitest'
import { type Intent, listAttempts } from './intents.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
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

/** Brings an intent into a block in which it reverts, and takes that block away: on any other it would succeed. */
async function revertedAndVanished(before?: () => Promise<unknown>): Promise<Intent> {
  const set = await intend(world, 'set', hit(5n))
  await untilState(world, set, 'broadcast')
  await world.rpc.call('evm_mine')
  await untilMined(world, set)
  await before?.()
  const needs = await intend(world, 'needs', hitAfter(6n, 5n))
  await untilState(world, needs, 'broadcast')
  // Somebody else pays more and takes away what it needs.
  const call = { from: devAccount(1).address, to: world.tally, data: clear(5n), gasPrice: '0x174876e800' }
  await world.rpc.call('eth_sendTransaction', [call])
  await setNextBaseFee(1n)
  await world.rpc.call('evm_mine')
  expect(await untilState(world, needs, 'mined')).toMatchObject({ outcome: 'reverted' })
  await setNextBaseFee(1n)
  await world.rpc.call('anvil_reorg', [1, []])
  return needs
}

const setNextBaseFee = (wei: bigint) => world.rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${wei.toString(16)}`])

test('what has to be replaced so is replaced, also where the fee of its bytes is far beyond what is paid now', async () => {
  world = await startWorld({ noMining: true })
  await withRelayer(world, {}, async () => {
    const needs = await revertedAndVanished(async () => {
      await setNextBaseFee(20_000_000_000n)
      await world.rpc.call('evm_mine')
    })
    await eventually(
      'an empty transaction is signed',
      async () => (await listAttempts(world.sql, CHAIN_ID, needs.id)).length > 1,
    )
    await world.rpc.call('evm_mine')
    await whileMining(world.rpc, 100, () => untilState(world, needs, 'failed'))
  })
})

test('what reverted in a block that vanished is not sent again: its nonce is used by nothing, and it has failed', async () => {
  world = await startWorld({ noMining: true })
  await withRelayer(world, {}, async () => {
    const needs = await revertedAndVanished()
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
