import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startAnvil } from '../embedded/anvil.ts'
import type { Hex } from '../types.ts'
import {
  devAccount,
  eventually,
  expectEachMinedOnce,
  intend,
  keysTo as keys,
  quickProfile,
  reload,
  startWorld,
  untilSettled,
  untilState,
  type World,
  whileMining,
  withRelayer,
} from './testing/harness.ts'
import { type RelayerChild, spawnRelayer } from './testing/spawn-child.ts'
import { hit, tallies } from './testing/tally.ts'

let world: World
afterEach(() => world.stop())

const settle = devAccount(0)
const signers = [{ purpose: 'settle', privateKey: settle.privateKey }]

const startChild = (applicationName: string): RelayerChild =>
  spawnRelayer({
    databaseUrl: world.database.url,
    rpcUrl: world.anvil.rpcUrl,
    profile: quickProfile(),
    signers,
    killAt: null,
    applicationName,
  })

test('two relayer processes at once: each intent is mined once, and the second takes over from a killed one', async () => {
  world = await startWorld({ blockTimeSec: 0.1 })
  const insert = (from: number, to: number) =>
    Promise.all(
      keys(to)
        .slice(from)
        .map((key) => intend(world, `key ${key}`, hit(key))),
    )
  const first = startChild('first')
  await eventually('the first process holds the lock', async () => (await lockHolder()) === 'first')
  const second = startChild('second')
  await insert(0, 60)
  await untilSettled(world)
  expect(await lockHolder()).toBe('first')
  const inserting = insert(60, 120)
  first.process.kill('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')
  await inserting
  await untilSettled(world)
  expect(await lockHolder()).toBe('second')
  second.process.kill('SIGTERM')
  expect(await second.ended).toBe(0)
  await expectEachMinedOnce(world, keys(120), [settle.address])
})

/** The application that holds the signer's lock; one at most may. */
async function lockHolder(): Promise<string | undefined> {
  const holders = await world.sql<{ name: string }[]>`
    select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'advisory' and l.granted
      and l.database = (select oid from pg_database where datname = current_database())`
  expect(holders.length).toBeLessThanOrEqual(1)
  return holders[0]?.name
}

test('a chain that stands behind after a hard kill gets the same bytes again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'send-'))
  const statePath = join(folder, 'chain.json')
  world = await startWorld({ noMining: true, statePath, stateIntervalSec: 2 })
  try {
    // Blocks are final after three here, so that final intents are lost too. No fee is raised: those were other bytes.
    const { fee } = quickProfile()
    const profile = quickProfile({ finality: { by: 'depth', blocks: 3 }, fee: { ...fee, bumpAfterMs: 600_000 } })
    const older = await intend(world, 'key 1', hit(1n))
    const { blockHash } = await withRelayer(world, { profile }, () =>
      whileMining(world.rpc, 100, () => untilState(world, older, 'final')),
    )
    const snapshot = join(folder, 'snapshot.json')
    await eventually('the state with the first block of ours is on disk', async () => {
      await copyFile(`${statePath}.copy`, snapshot).catch(() => {})
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
    // The keys are back before the relayer has noted the receipts; a first look that finds all of them ends the matter.
    await withRelayer(world, { profile }, () =>
      whileMining(world.rpc, 100, async () => {
        await untilState(world, await intend(world, 'key 9', hit(9n)), 'final')
        await untilSettled(world)
      }),
    )
    await expectEachMinedOnce(world, keys(9), [settle.address])
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
