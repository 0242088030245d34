import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createPool } from '../../db/pool.ts'
import type { TestDatabase } from '../../db/testing.ts'
import { sleep } from '../../lib/clock.ts'
import { createRandom, type Random } from '../../lib/testing-random.ts'
import {
  cleanIndex,
  dump,
  mine,
  type ProbeChain,
  probeDatabase,
  randomCall,
  startFollower,
  startProbeChain,
  waitForHead,
} from './testing.ts'
import { type DatabaseProxy, startDatabaseProxy, startRpcProxy } from './testing-proxies.ts'

let chain: ProbeChain
let database: TestDatabase
beforeEach(async () => {
  chain = await startProbeChain()
  database = await probeDatabase()
})
afterEach(async () => {
  await database.drop()
  await chain.anvil.stop()
})

/** In pieces of data: from where a start has connected to past where it has undone a reorganisation and gone on. */
const FIRST_CUT = 30
const LAST_CUT = 110
/** Where the pieces end is up to the machine: the cuts are made again until one fell where one must. */
const MOST_PASSES = 5

describe('a restart', () => {
  it('is safe wherever the last process was cut off', async () => {
    const proxy = await startDatabaseProxy(database.url)
    const random = createRandom(7)
    let undone = 0
    try {
      for (let block = 0; block < 8; block++) await mine(chain, randomCall(random, chain), randomCall(random, chain))
      for (let pass = 0; pass < MOST_PASSES && undone === 0; pass++) {
        for (let chunks = FIRST_CUT; chunks <= LAST_CUT; chunks++) {
          if (await isCutAfterUndo(proxy, random, chunks)) undone++
          if (chunks % 40 === 0) await expectCleanRows()
        }
      }
      await expectCleanRows()
      // Some cuts fell between the undoing of a reorganisation and the blocks that replace it.
      expect(undone).toBeGreaterThan(0)
    } finally {
      await proxy.close()
    }
  })

  /**
   * Cuts a follower off after so many pieces of data, every second time while there is a reorganisation to undo; what it
   * leaves must be whole. True when that is the chain up to where the reorganisation began.
   */
  async function isCutAfterUndo(proxy: DatabaseProxy, random: Random, chunks: number): Promise<boolean> {
    const { sql } = database
    const [before] = await sql`select block_number from chain_checkpoints`
    if (chunks % 2 === 0) await chain.rpc.call('anvil_reorg', [1 + random.below(3), []])
    await mine(chain, randomCall(random, chain), randomCall(random, chain))
    await mine(chain)

    const pool = createPool({ url: proxy.url, maxConnections: 1, applicationName: 'cut' })
    const cut = proxy.cutAfter(chunks)
    const follower = startFollower(pool, chain)
    await cut
    await follower.stop()
    await pool.end({ timeout: 0 })

    const [state] = await sql`
      select c.block_number = max(b.number) as "isTip", bool_or(b.hash = c.block_hash) as "isHash", c.block_number as tip,
             not exists (select 1 from probe_transactions t where t.block_number > c.block_number) as "hasNoMore"
      from chain_checkpoints c join blocks b using (chain_id) group by c.block_number`
    if (!state) return false
    expect(state, `after ${chunks} pieces`).toMatchObject({ isTip: true, isHash: true, hasNoMore: true })
    return before !== undefined && state.tip < before.block_number
  }

  /** Lets a follower finish undisturbed and compares with an index from scratch. */
  async function expectCleanRows(): Promise<void> {
    const follower = startFollower(database.sql, chain)
    await waitForHead(database.sql, chain.rpc)
    await follower.stop()
    expect(await dump(database.sql)).toEqual(await cleanIndex(chain))
  }

  it.each([11, 12])('is not even needed while database and node fail at random, seed %i', async (seed) => {
    const random = createRandom(seed)
    const node = await startRpcProxy(chain.rpc)
    node.intercept = async (_, forward) => {
      if (random.below(25) === 0) throw new Error('overloaded')
      return forward()
    }
    const pool = createPool({ url: database.url, maxConnections: 2, applicationName: 'victim' })
    const follower = startFollower(pool, chain, { rpcUrl: node.url, pollMs: 2, confirmMs: 1 })
    try {
      for (let round = 0; round < 60; round++) {
        await mine(chain, randomCall(random, chain), randomCall(random, chain))
        if (random.below(8) === 0) await chain.rpc.call('anvil_reorg', [1 + random.below(5), []])
        await sleep(random.below(15))
        if (random.below(4) === 0) {
          await database.sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where application_name = 'victim' and datname = current_database()`
        }
      }
      node.intercept = (_, forward) => forward()
      await waitForHead(database.sql, chain.rpc)
      expect(await dump(database.sql)).toEqual(await cleanIndex(chain))
    } finally {
      await follower.stop()
      await pool.end({ timeout: 1 })
      await node.close()
    }
  })

  it('as a second follower at the same time changes nothing wrong: one of them is fenced off at each block', async () => {
    const random = createRandom(5)
    const followers = [1, 2].map(() => startFollower(database.sql, chain, { pollMs: 1 }))
    try {
      for (let block = 0; block < 40; block++) {
        await mine(chain, randomCall(random, chain))
        if (random.below(8) === 0) await chain.rpc.call('anvil_reorg', [1 + random.below(4), []])
        await sleep(random.below(10))
      }
      await waitForHead(database.sql, chain.rpc)
    } finally {
      for (const follower of followers) await follower.stop()
    }
    await expectCleanRows()
  })
})
