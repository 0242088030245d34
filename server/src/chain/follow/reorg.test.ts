import { describe, expect, it } from 'vitest'
import { lengthOf } from '../../lib/testing-campaign.ts'
import { createRandom, type Random } from '../../lib/testing-random.ts'
import {
  cleanIndex,
  dump,
  headOf,
  mine,
  type ProbeChain,
  probeDatabase,
  randomCall,
  set,
  startFollower,
  startProbeChain,
  transactionOf,
  waitForHead,
  waitForStatus,
} from './testing.ts'

const DEEPEST = 64
const SEEDS = lengthOf({ short: [1, 2], whole: [1, 2, 3, 4] })
const STEPS = 10

/** Replaces the newest blocks by others, some with transactions of their own; `depth` is at most `DEEPEST`. */
async function reorg(chain: ProbeChain, depth: number, random: Random): Promise<void> {
  const transactions = Array.from({ length: random.below(6) }, () => [
    transactionOf(chain, randomCall(random, chain)),
    random.below(depth),
  ])
  await chain.rpc.call('anvil_reorg', [depth, transactions])
}

async function mineSome(chain: ProbeChain, blocks: number, random: Random): Promise<void> {
  for (let block = 0; block < blocks; block++) {
    const calls = Array.from({ length: random.below(4) }, () => randomCall(random, chain))
    await mine(chain, ...calls)
  }
}

describe('reorganisations', () => {
  it.each(SEEDS)('leave the rows of a clean index, seed %i', async (seed) => {
    const random = createRandom(seed)
    const chain = await startProbeChain()
    const database = await probeDatabase()
    const follower = startFollower(database.sql, chain)
    const depths: number[] = []
    try {
      await mineSome(chain, DEEPEST + 6, random)
      for (let step = 0; step < STEPS; step++) {
        if (random.below(4) > 0) await waitForHead(database.sql, chain.rpc)
        const depth = step === 0 ? DEEPEST : 1 + random.below(random.pick([2, 8, DEEPEST]))
        depths.push(depth)
        await reorg(chain, depth, random)
        await mineSome(chain, random.below(4), random)
      }
      await waitForHead(database.sql, chain.rpc)
      expect(await dump(database.sql), `depths ${depths}`).toEqual(await cleanIndex(chain))
      const [blocks] = await database.sql`select count(*) as count from blocks`
      expect(blocks?.count).toBeGreaterThan(BigInt(DEEPEST))
    } finally {
      await follower.stop()
      await database.drop()
      await chain.anvil.stop()
    }
  })

  it('deeper than the newest final block halt the follower and change nothing', async () => {
    const chain = await startProbeChain({ slotsInAnEpoch: 2 })
    const database = await probeDatabase()
    const { sql } = database
    // Final two epochs of two blocks below the head, by the node's own tag.
    const profile = { ...(await import('../profiles.ts')).chainProfile(31_337), finality: { by: 'tag' as const } }
    const follower = startFollower(sql, chain, { profile })
    try {
      for (let block = 0; block < 12; block++) await mine(chain, set(block, 1n))
      const head = await headOf(chain.rpc)
      await waitForStatus(
        sql,
        ({ indexedHash, finalNumber }) => indexedHash === head.hash && finalNumber === head.number - 4n,
      )

      await chain.rpc.call('anvil_reorg', [4, []])
      await waitForHead(sql, chain.rpc)
      expect(await dump(sql)).toEqual(await cleanIndex(chain))

      const before = await dump(sql)
      await chain.rpc.call('anvil_reorg', [5, []])
      const status = await waitForStatus(sql, ({ state }) => state === 'halted')
      expect(status.reason).toContain(`differs from ours at block ${head.number - 4n}, which is final`)
      expect(await dump(sql)).toEqual(before)
    } finally {
      await follower.stop()
      await database.drop()
      await chain.anvil.stop()
    }
  })
})
