import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../db/testing.ts'
import { sleep } from '../../lib/clock.ts'
import { type Anvil, startAnvil } from '../embedded/anvil.ts'
import {
  cleanIndex,
  dump,
  headOf,
  mine,
  type ProbeChain,
  probeDatabase,
  set,
  startFollower,
  startProbeChain,
  waitForHead,
  waitForStatus,
} from './testing.ts'
import { startRpcProxy } from './testing-proxies.ts'

let folder: string
let database: TestDatabase
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-follow-'))
  database = await probeDatabase()
})
afterEach(async () => {
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

describe('a chain that stands behind the database after a hard kill', () => {
  /** Mines and indexes blocks and kills the chain, which has by then not saved them: its state is put back to before. */
  async function loseBlocks(chain: ProbeChain, statePath: string): Promise<void> {
    await chain.anvil.stop()
    await copyFile(statePath, `${statePath}.before`)
    const anvil = await startAnvil({ noMining: true, statePath, port: chain.anvil.port })
    for (let block = 0; block < 12; block++) await mine(chain, set(block, 5n))
    await waitForHead(database.sql, chain.rpc)
    await anvil.kill()
    await rm(`${statePath}.copy`, { force: true })
    await copyFile(`${statePath}.before`, statePath)
  }

  it('is behind until it grows, and then is reconciled with like a reorganisation', async () => {
    const statePath = join(folder, 'chain.json')
    const chain = await startProbeChain({ statePath })
    const { port } = chain.anvil
    let anvil: Anvil = chain.anvil
    const follower = startFollower(database.sql, chain)
    try {
      for (let block = 0; block < 10; block++) await mine(chain, set(block, 1n))
      await loseBlocks(chain, statePath)
      anvil = await startAnvil({ noMining: true, statePath, port })
      const head = await headOf(chain.rpc)
      const status = await waitForStatus(
        database.sql,
        ({ state, headNumber }) => state === 'behind' && headNumber === head.number,
      )
      expect(status.indexedNumber).toBeGreaterThan(head.number)

      // Shorter than what was lost, but linked: the lost blocks are not coming back.
      await mine(chain, set(99, 9n))
      await mine(chain, set(98, 9n))
      await waitForHead(database.sql, chain.rpc)
      expect(await dump(database.sql)).toEqual(await cleanIndex(chain))
    } finally {
      await follower.stop()
      await anvil.stop()
    }
  })
})

describe('a wholly different chain', () => {
  it.each([
    ['shorter', 1],
    ['longer', 40],
  ])('that is %s halts the follower, whether it runs or starts, and the data stays', async (_, blocks) => {
    const chain = await startProbeChain()
    const { port } = chain.anvil
    let anvil: Anvil = chain.anvil
    const running = startFollower(database.sql, chain)
    try {
      for (let block = 0; block < 20; block++) await mine(chain, set(block, 1n))
      await waitForHead(database.sql, chain.rpc)
      const before = await dump(database.sql)
      await anvil.stop()
      // A first block is told from another by its second.
      await sleep(1100)
      anvil = await startAnvil({ noMining: true, port })
      for (let block = 0; block < blocks; block++) await chain.rpc.call('evm_mine')

      const status = await waitForStatus(database.sql, ({ state }) => state === 'halted')
      expect(status.reason).toContain('the database was filled from one that begins with')
      await running.stop()

      await database.sql`update follower_status set state = 'behind'`
      const started = startFollower(database.sql, chain)
      await waitForStatus(database.sql, ({ state }) => state === 'halted')
      await started.stop()
      expect(await dump(database.sql)).toEqual(before)
    } finally {
      await running.stop()
      await anvil.stop()
    }
  })

  it('by its id is refused before anything is indexed', async () => {
    const chain = await startProbeChain({ chainId: 4242 })
    const follower = startFollower(database.sql, chain)
    try {
      const status = await waitForStatus(database.sql, ({ state }) => state === 'halted')
      expect(status.reason).toBe('the node serves chain 4242, not 31337 (tried again every 30 s)')
      expect((await dump(database.sql)).checkpoint).toEqual([])
    } finally {
      await follower.stop()
      await chain.anvil.stop()
    }
  })
})

it('a chain is followed from its first block although the node names another block 0 than the one that is linked to', async () => {
  const chain = await startProbeChain()
  const proxy = await startRpcProxy(chain.rpc)
  // As an Anvil does that has loaded its state more than once: it has several blocks 0, and names one by chance.
  proxy.intercept = async ({ method, params }, forward) => {
    const block = await forward()
    const isFirst = method === 'eth_getBlockByNumber' && params[0] === '0x0'
    return isFirst ? { ...(block as object), hash: `0x${'ab'.repeat(32)}` } : block
  }
  const deployment = { ...chain.deployment, startBlock: 0n }
  const follower = startFollower(database.sql, chain, { rpcUrl: proxy.url, deployment })
  try {
    await mine(chain, set(1, 1n))
    await waitForHead(database.sql, chain.rpc)
    const { parentHash } = await chain.rpc.call<{ parentHash: string }>('eth_getBlockByNumber', ['0x1', false])
    expect([...(await database.sql`select hash from blocks where number = 0`)]).toEqual([{ hash: parentHash }])
  } finally {
    await follower.stop()
    await proxy.close()
    await chain.anvil.stop()
  }
})
