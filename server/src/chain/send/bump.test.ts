import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import type { Hex } from '../types.ts'
import { type Intent, listAttempts, type NewIntent } from './intents.ts'
import {
  CHAIN_ID,
  devAccount,
  eventually,
  intend,
  quickProfile,
  reload,
  startWorld,
  untilState,
  type World,
  withRelayer,
} from './testing/harness.ts'
import { clear, hit } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

/** A quarter above the estimate, as on chains that charge the limit. */
const profile = () => quickProfile({ gas: { limitPercent: 125, chargesLimit: true, maxGasLimit: 1_000_000n } })

/** The key was counted before: to count it changes a word of storage, until it is cleared. */
const GETS_DEARER = clear(1n)
/** The other way round. */
const GETS_CHEAPER = hit(1n)

/** Of another account. */
const byOther = (data: Hex, gasPriceWei: bigint) =>
  world.rpc.call('eth_sendTransaction', [
    { from: devAccount(1).address, to: world.tally, data, gasPrice: `0x${gasPriceWei.toString(16)}` },
  ])

const limitsOf = async ({ id }: Intent): Promise<bigint[]> => {
  const rows = await world.sql<{ gas: bigint }[]>`
    select gas_limit as gas from tx_attempts where intent_id = ${String(id)}::bigint order by signed_at`
  return rows.map(({ gas }) => gas)
}

/** Signs a call that counts a key, has another one made while it is stuck, and lets its replacement be mined. */
async function stuckWhile(
  meanwhile: Hex,
  more: Partial<NewIntent> = {},
): Promise<{ mined: Intent; limits: readonly bigint[] }> {
  world = await startWorld({ noMining: true })
  if (meanwhile === GETS_DEARER) await byOther(hit(1n), 2_000_000_000n)
  await world.rpc.call('evm_mine')
  const stuck = await intend(world, 'stuck', hit(1n), more)
  return await withRelayer(world, { profile: profile() }, async () => {
    await untilState(world, stuck, 'broadcast')
    const [first] = await listAttempts(world.sql, CHAIN_ID, stuck.id)
    // What the other one pays is more than a block asks for that is too dear for the first attempt.
    const baseFeeWei = 3n * (first?.maxFeeWei ?? 0n)
    await byOther(meanwhile, 2n * baseFeeWei)
    await world.rpc.call('anvil_setNextBlockBaseFeePerGas', [`0x${baseFeeWei.toString(16)}`])
    await world.rpc.call('evm_mine')
    await eventually('it is replaced', async () => (await limitsOf(stuck)).length > 1)
    const mined = await eventually('the replacement is mined', async () => {
      await world.rpc.call('evm_mine')
      await delay(50)
      const row = await reload(world, stuck)
      return row.blockNumber !== null && row
    })
    return { mined, limits: await limitsOf(stuck) }
  })
}

test('a replacement has the gas that its call needs by then', async () => {
  const { mined, limits } = await stuckWhile(GETS_DEARER)
  expect(mined).toMatchObject({ outcome: 'succeeded', nonce: 0n })
  expect(limits.at(-1)).toBeGreaterThan(limits[0] ?? 0n)
})

test('a replacement has no less gas than the transaction before', async () => {
  const { mined, limits } = await stuckWhile(GETS_CHEAPER)
  expect(mined).toMatchObject({ outcome: 'succeeded' })
  expect(new Set(limits).size).toBe(1)
})

test('a replacement has what was asked for', async () => {
  const { mined, limits } = await stuckWhile(GETS_DEARER, { leastGas: 200_000n })
  expect(mined).toMatchObject({ outcome: 'succeeded' })
  expect(new Set(limits)).toEqual(new Set([200_000n]))
  await world.stop()
  const own = await stuckWhile(GETS_DEARER, { gasLimit: 30_000n })
  expect(own.mined).toMatchObject({ outcome: 'reverted' })
  expect(new Set(own.limits)).toEqual(new Set([30_000n]))
})
