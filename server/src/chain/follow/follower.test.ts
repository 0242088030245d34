import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../db/testing.ts'
import { createRandom } from '../../lib/testing-random.ts'
import type { BlockEvents } from './event-module.ts'
import { isFollowing } from './status.ts'
import { BLOCKS_CHANNEL } from './store.ts'
import {
  CHAIN_ID,
  cleanIndex,
  dump,
  headOf,
  mine,
  type ProbeChain,
  probeDatabase,
  probeModule,
  randomCall,
  set,
  startFollower,
  startProbeChain,
  waitForHead,
  waitForStatus,
} from './testing.ts'

describe('the follower on a quiet chain', () => {
  let chain: ProbeChain
  let database: TestDatabase

  beforeAll(async () => {
    chain = await startProbeChain()
    database = await probeDatabase()
  })
  afterAll(async () => {
    await database.drop()
    await chain.anvil.stop()
  })

  it('indexes blocks, events and transactions as they come, and says so', async () => {
    const { sql } = database
    const hints: string[] = []
    const subscription = await sql.listen(BLOCKS_CHANNEL, (payload) => hints.push(payload))
    const follower = startFollower(sql, chain)
    try {
      const [setHash, quietHash, failedHash] = await mine(
        chain,
        set(7, 5n),
        { functionName: 'stayQuiet', args: [] },
        { functionName: 'fail', args: [7n] },
      )
      const [throughHash] = await mine(chain, { functionName: 'setThrough', args: [chain.other, 7n, -9n] })
      const status = await waitForHead(sql, chain.rpc)
      expect(status).toMatchObject({ state: 'following', reason: null, lagBlocks: 0n })
      expect(isFollowing(status)).toBe(true)
      expect(isFollowing({ ...status, silent: true })).toBe(false)

      const transactions =
        await sql`select hash, succeeded from probe_transactions order by block_number, succeeded desc, hash`
      expect(new Map(transactions.map((row) => [row.hash, row.succeeded]))).toEqual(
        new Map([
          [setHash, true],
          [quietHash, true],
          [failedHash, false],
          [throughHash, true],
        ]),
      )
      expect([...(await sql`select key, value_wad, changes from probe_values`)]).toEqual([
        { key: 7n, value_wad: -9n, changes: 2n },
      ])
      // The other probe logged first and is no source: the place within the transaction counts its log all the same.
      const [history] =
        await sql`select index_in_transaction from probe_history where transaction_hash = ${throughHash ?? ''}`
      expect(history?.index_in_transaction).toBe(1n)
      const head = await headOf(chain.rpc)
      // A hint comes by a connection of its own, in its own time.
      await expect.poll(() => hints, { timeout: 240_000 }).toContain(`${CHAIN_ID}:${head.number}`)
    } finally {
      await follower.stop()
      await subscription.unlisten()
    }
  })

  it('refuses a write to its tables outside a block', async () => {
    const write = database.sql`delete from probe_history`
    await expect(write).rejects.toThrow('written only while a block is applied')
  })

  it('fails at the start when a module names a table that is not there', async () => {
    const modules = [{ ...probeModule(chain), tables: ['no_such_table'] }]
    const follower = startFollower(database.sql, chain, { modules })
    await expect(follower.ended).rejects.toThrow('there is no table no_such_table')
  })
})

describe('a gap', () => {
  it('is filled with history by ranges, without undo rows, and with recent blocks that can be undone', async () => {
    const chain = await startProbeChain()
    const database = await probeDatabase()
    const { sql } = database
    const random = createRandom(1)
    try {
      const first = startFollower(sql, chain)
      await mine(chain, set(1, 1n))
      await waitForHead(sql, chain.rpc)
      await first.stop()
      for (let block = 0; block < 220; block++) {
        await mine(chain, ...(random.below(3) ? [randomCall(random, chain)] : []))
      }
      const second = startFollower(sql, chain)
      const status = await waitForHead(sql, chain.rpc)
      await second.stop()
      const head = await headOf(chain.rpc)
      expect(status.finalNumber).toBe(head.number - 128n)
      const [range] = await sql`select min(block_number) as low, max(block_number) as high from undo_log`
      expect(range?.low).toBeGreaterThan(head.number - 128n)
      expect(range?.high).toBeGreaterThan(head.number - 16n)
      expect(await dump(sql)).toEqual(await cleanIndex(chain))
    } finally {
      await database.drop()
      await chain.anvil.stop()
    }
  })
})

describe('a module that fails on a block', () => {
  const holdsKey = (blocks: readonly BlockEvents[], key: bigint) =>
    blocks.some(({ events }) => events.some((event) => event.args.key === key))

  it('halts the follower with the reason, with the blocks before it readable', async () => {
    const chain = await startProbeChain()
    const database = await probeDatabase()
    const { sql } = database
    const probe = probeModule(chain)
    const modules = [
      {
        ...probe,
        async apply(...[tx, blocks]: Parameters<typeof probe.apply>) {
          await probe.apply(tx, blocks)
          if (holdsKey(blocks, 13n)) throw new Error('key 13 is not for me')
        },
      },
    ]
    try {
      await mine(chain, set(12, 1n))
      await mine(chain, set(13, 1n))
      const follower = startFollower(sql, chain, { modules })
      const status = await waitForStatus(sql, ({ state }) => state === 'halted')
      expect(status.reason).toContain('module probe failed on block')
      expect(status.reason).toContain('key 13 is not for me')
      await follower.stop()
      expect([...(await sql`select key from probe_values`)]).toEqual([{ key: 12n }])
      expect(status.indexedNumber).toBe((await headOf(chain.rpc)).number - 1n)
    } finally {
      await database.drop()
      await chain.anvil.stop()
    }
  })

  it('goes on by itself once the fault is mended, however many tries it took', async () => {
    const chain = await startProbeChain()
    const database = await probeDatabase()
    const { sql } = database
    const probe = probeModule(chain)
    let tries = 0
    let isMended = false
    const modules = [
      {
        ...probe,
        async apply(...[tx, blocks]: Parameters<typeof probe.apply>) {
          await probe.apply(tx, blocks)
          if (isMended || !holdsKey(blocks, 13n)) return
          tries++
          throw new Error('key 13 is not for me')
        },
      },
    ]
    try {
      await mine(chain, set(13, 1n))
      const follower = startFollower(sql, chain, { modules, haltedRetryMs: 20 })
      const status = await waitForStatus(sql, ({ state }) => state === 'halted')
      expect(status.reason).toContain('(tried again every 1 s)')
      await expect.poll(() => tries, { timeout: 60_000 }).toBeGreaterThan(8)
      isMended = true
      await waitForStatus(sql, ({ state }) => state === 'following')
      await follower.stop()
      expect([...(await sql`select key from probe_values`)]).toEqual([{ key: 13n }])
    } finally {
      await database.drop()
      await chain.anvil.stop()
    }
  })
})
