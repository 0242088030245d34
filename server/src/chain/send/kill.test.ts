import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { createRandom } from '../../lib/testing-random.ts'
import { startAnvil } from '../embedded/anvil.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Hex } from '../types.ts'
import { createSigners, type SignerKey } from './signer.ts'
import { SEND_STEPS, type SendStep } from './steps.ts'
import {
  devAccount,
  eventually,
  intend,
  noncesOf,
  quickProfile,
  reload,
  startWorld,
  untilSettled,
  untilState,
  upTo,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { type RelayerChild, spawnRelayer } from './testing/spawn-child.ts'
import { hit, hitAfter, tallies } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

const settle = devAccount(0)
const signers = [{ purpose: 'settle', privateKey: settle.privateKey }]
const keys = (n: number): bigint[] => upTo(n).map((index) => BigInt(index + 1))

const startChild = (
  killAt: { step: SendStep; count: number } | null,
  profile: ChainProfile,
  by: readonly SignerKey[] = signers,
): RelayerChild =>
  spawnRelayer({ databaseUrl: world.database.url, rpcUrl: world.anvil.rpcUrl, profile, signers: by, killAt })

/** Nothing lost, nothing twice: every key counted once, nonces dense, the chain's count that of the nonces. */
async function expectEachMinedOnce(n: number, by: readonly SignerKey[] = signers): Promise<void> {
  expect(await tallies(world.rpc, world.tally, keys(n))).toEqual(keys(n).map(() => 1n))
  for (const { address } of createSigners(by)) {
    const nonces = await noncesOf(world, address)
    expect(nonces).toEqual(upTo(nonces.length))
    expect(nonces).not.toEqual([])
    expect(Number(await world.rpc.call('eth_getTransactionCount', [address, 'latest']))).toBe(nonces.length)
  }
  const bad = await world.sql`
    select id, state, outcome, problem from tx_intents
    where state not in ('mined', 'final') or outcome <> 'succeeded'`
  expect([...bad]).toEqual([])
}

const ROUNDS_PER_SEED = 2
/** Two signers that submit for users, each user at one of them. */
const pool = [1, 2].map((index) => ({ purpose: 'submit', privateKey: devAccount(index).privateKey }))

test.each([
  { seed: 20_261_121, purpose: 'settle', by: signers },
  { seed: 7, purpose: 'settle', by: signers },
  { seed: 11, purpose: 'submit', by: pool },
])(
  'SIGKILL at every named step of a send (seed $seed, purpose $purpose): none lost, none twice',
  { timeout: 240_000 },
  async ({ seed, purpose, by }) => {
    world = await startWorld({ noMining: true })
    const { below: pick } = createRandom(seed)
    let inserted = 0
    const insertSome = async () => {
      for (const _ of upTo(1 + pick(3))) {
        inserted++
        const key = BigInt(inserted)
        // Every third needs the one before it, by the ordering key.
        const data = inserted % 3 === 0 ? hitAfter(key, key - 1n) : hit(key)
        await intend(world, `key ${key}`, data, { purpose, orderingKey: `group ${Math.floor((inserted - 2) / 3)}` })
      }
    }
    for (const { step, count } of killPlan(seed)) {
      await insertSome()
      const child = startChild({ step, count }, quickProfile(), by)
      let over = false
      child.ended.then(() => {
        over = true
      })
      for (let turn = 0; !over && turn < 400; turn++) {
        await weather(step, turn % 20, pick)
        if (turn % 20 === 2) await insertSome()
        await delay(20 + pick(60))
      }
      expect(over, `the process passes the step ${step}`).toBe(true)
      expect(await child.ended).toBe('SIGKILL')
    }
    await world.rpc.call('anvil_setNextBlockBaseFeePerGas', ['0x3b9aca00'])
    await withRelayer(world, { signers: by }, () => whileMining(world.rpc, 80, () => untilSettled(world, 40_000)))
    await expectEachMinedOnce(inserted, by)
  },
)

/** Every step as often as there are rounds, in the seed's order; the frequent ones the first or the second time they pass. */
function killPlan(seed: number): { step: SendStep; count: number }[] {
  const { below: pick, shuffled } = createRandom(seed)
  const steps = shuffled(upTo(ROUNDS_PER_SEED).flatMap(() => [...SEND_STEPS]))
  return steps.map((step) => ({ step, count: step === 'locked' || isRare(step) ? 1 : 1 + pick(2) }))
}

const isRare = (step: SendStep): boolean => ['bump_stored', 'resend_counted', 'resent'].includes(step)

/**
 * One turn of the chain. Blocks come at random, some too dear for what is pending. For the rarer steps the chain is quiet
 * until the new intents are sent; then blocks get too dear for them, or the node's mempool forgets them.
 */
async function weather(step: SendStep, phase: number, pick: (below: number) => number): Promise<void> {
  const forgetting = step === 'resend_counted' || step === 'resent'
  if (forgetting && phase === 8) await world.rpc.call('anvil_dropAllTransactions')
  if (isRare(step) && phase > 0 && phase < 9) return
  const dear = step === 'bump_stored' ? phase >= 9 : !forgetting && pick(8) === 0
  await world.rpc.call('anvil_setNextBlockBaseFeePerGas', [dear ? '0x2540be400' : '0x3b9aca00'])
  await world.rpc.call('evm_mine')
}

test('two relayer processes at once: each intent is mined once, and the second takes over from a killed one', {
  timeout: 120_000,
}, async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const profile = quickProfile()
  const children = [startChild(null, profile), startChild(null, profile)]
  const insert = (from: number, to: number) =>
    Promise.all(
      keys(to)
        .slice(from)
        .map((key) => intend(world, `key ${key}`, hit(key))),
    )
  await insert(0, 60)
  await untilSettled(world)
  const holder = await lockHolders()
  expect(holder).toHaveLength(1)
  const inserting = insert(60, 120)
  const killed = children[0] as RelayerChild
  killed.process.kill('SIGKILL')
  await killed.ended
  await inserting
  await untilSettled(world, 30_000)
  const last = children[1] as RelayerChild
  last.process.kill('SIGTERM')
  expect(await last.ended).toBe(0)
  await expectEachMinedOnce(120)
})

const lockHolders = () => world.sql`
  select pid from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())`

test('a chain that stands behind after a hard kill gets the same bytes again', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'send-'))
  const statePath = join(folder, 'chain.json')
  world = await startWorld({ noMining: true, statePath })
  try {
    // Blocks are final after three here, so that final intents are lost too.
    const profile = quickProfile({ finality: { by: 'depth', blocks: 3 } })
    const older = await intend(world, 'key 1', hit(1n))
    const { blockHash } = await withRelayer(world, { profile }, () =>
      whileMining(world.rpc, 100, () => untilState(world, older, 'final')),
    )
    const snapshot = join(folder, 'snapshot.json')
    await eventually('the state with the first block of ours is on disk', async () => {
      await copyFile(statePath, snapshot).catch(() => {})
      return (
        (await readFile(snapshot, 'utf8').catch(() => '')).includes((blockHash as string).slice(2)) &&
        validJson(snapshot)
      )
    })
    const heightOfSnapshot = await world.rpc.call<Hex>('eth_blockNumber')

    const lost = await Promise.all(
      keys(8)
        .slice(1)
        .map((key) => intend(world, `key ${key}`, hit(key))),
    )
    await withRelayer(world, { profile }, async () => {
      await whileMining(world.rpc, 100, () => untilState(world, lost[0] as (typeof lost)[0], 'final'))
      await untilSettled(world)
    })
    await world.anvil.kill()
    await copyFile(snapshot, statePath)
    const anvil = await startAnvil({ port: world.anvil.port, noMining: true, statePath })
    world = { ...world, anvil, stop: () => stopBoth(anvil, world) }
    expect(BigInt(await world.rpc.call<Hex>('eth_blockNumber'))).toBeLessThanOrEqual(BigInt(heightOfSnapshot))
    expect(await tallies(world.rpc, world.tally, keys(8))).toEqual([1n, 0n, 0n, 0n, 0n, 0n, 0n, 0n])

    const before = await Promise.all(lost.map((intent) => reload(world, intent)))
    await withRelayer(world, { profile }, () =>
      whileMining(world.rpc, 100, () =>
        eventually('all are back', async () => (await tallies(world.rpc, world.tally, keys(8))).every((n) => n === 1n)),
      ),
    )
    await expectEachMinedOnce(8)
    for (const { txHash } of before) {
      expect(await world.rpc.call('eth_getTransactionReceipt', [txHash]), 'the same bytes').toMatchObject({
        status: '0x1',
      })
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

async function stopBoth(anvil: { stop(): Promise<void> }, { database }: World): Promise<void> {
  await anvil.stop()
  await database.drop()
}

async function validJson(file: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(file, 'utf8'))
    return true
  } catch {
    return false
  }
}
