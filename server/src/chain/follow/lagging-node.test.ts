import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../db/testing.ts'
import { chainProfile } from '../profiles.ts'
import {
  CHAIN_ID,
  cleanIndex,
  dump,
  headOf,
  mine,
  type ProbeChain,
  probeDatabase,
  type RunningFollower,
  set,
  startFollower,
  startProbeChain,
  waitForHead,
  waitForStatus,
} from './testing.ts'
import { type RpcProxy, startRpcProxy } from './testing-proxies.ts'

const LENGTH = 30

describe('a node that lags or lies', () => {
  let chain: ProbeChain
  let database: TestDatabase
  let proxy: RpcProxy
  let follower: RunningFollower

  beforeEach(async () => {
    chain = await startProbeChain()
    database = await probeDatabase()
    proxy = await startRpcProxy(chain.rpc)
    for (let block = 0; block < LENGTH; block++) await mine(chain, set(block % 5, BigInt(block)))
    follower = startFollower(database.sql, chain, { rpcUrl: proxy.url })
    await waitForHead(database.sql, chain.rpc)
  })
  afterEach(async () => {
    await follower.stop()
    await proxy.close()
    await database.drop()
    await chain.anvil.stop()
  })

  /** Serves the chain only up to a height, like a node that has fallen back to syncing. */
  const serveUpTo = (height: bigint) => {
    const top = `0x${height.toString(16)}`
    proxy.intercept = async (call, forward) => {
      if (call.method !== 'eth_getBlockByNumber') return forward()
      const [tag] = call.params
      if (tag === 'latest') return chain.rpc.call('eth_getBlockByNumber', [top, false])
      return BigInt(tag as string) > height ? null : forward()
    }
  }
  /** Waits until the follower has looked at the head so many times more. */
  const untilLooks = async (count: number) => {
    const { intercept } = proxy
    let looks = 0
    proxy.intercept = (call, forward) => {
      if (call.params[0] === 'latest') looks++
      return intercept(call, forward)
    }
    await expect.poll(() => looks, { timeout: 240_000 }).toBeGreaterThanOrEqual(count)
  }
  /** Every state that the follower reports from now on. */
  const statesTold = async () => {
    await database.sql.unsafe(`
      create table told (state text);
      create function note_state() returns trigger language plpgsql as
        $$ begin insert into told values (new.state); return null; end $$;
      create trigger note_state after update on follower_status for each row execute function note_state()`)
    return async () => (await database.sql<{ state: string }[]>`select state from told`).map(({ state }) => state)
  }
  const rewrites = async () => (await database.sql`select updated_at from chain_checkpoints`)[0]?.updated_at

  it('is behind, not a reorganisation: nothing changes, and it goes on when the node is back', async () => {
    const head = await headOf(chain.rpc)
    const [before, touched] = [await dump(database.sql), await rewrites()]
    serveUpTo(head.number - 20n)
    const status = await waitForStatus(database.sql, ({ state }) => state === 'behind')
    expect(status.reason).toContain(`head ${head.number - 20n} is below block ${head.number}`)
    await untilLooks(10)
    expect([await dump(database.sql), await rewrites()]).toEqual([before, touched])

    await mine(chain, set(1, 77n))
    proxy.intercept = (_, forward) => forward()
    await waitForHead(database.sql, chain.rpc)
    expect(await dump(database.sql)).toEqual(await cleanIndex(chain))
  })

  it('is behind when its head is below the first block indexed', async () => {
    serveUpTo(0n)
    const status = await waitForStatus(database.sql, ({ state }) => state === 'behind')
    expect(status.reason).toContain('head 0 is below block')
  })

  it('is no matter where it stands behind another one by as many blocks as nodes may', async () => {
    const head = await headOf(chain.rpc)
    await follower.stop()
    const profile = { ...chainProfile(CHAIN_ID), nodeLagBlocks: 5 }
    follower = startFollower(database.sql, chain, { rpcUrl: proxy.url, profile })
    serveUpTo(head.number - 5n)
    const states = await statesTold()
    await untilLooks(10)
    expect(await states()).not.toContain('behind')
    serveUpTo(head.number - 6n)
    await waitForStatus(database.sql, ({ state }) => state === 'behind')
  })

  it('that names a block and does not serve it once or twice is another one of several', async () => {
    const states = await statesTold()
    const next = `0x${((await headOf(chain.rpc)).number + 1n).toString(16)}`
    let hidden = 2
    proxy.intercept = async (call, forward) => {
      const isOfNext = call.method === 'eth_getBlockByNumber' && call.params[0] === next
      return isOfNext && hidden-- > 0 ? null : forward()
    }
    await mine(chain, set(2, 5n))
    await waitForHead(database.sql, chain.rpc)
    expect(hidden).toBeLessThanOrEqual(0)
    expect(await states()).not.toContain('behind')
  })

  it('that names a linked stale fork once is not believed', async () => {
    const head = await headOf(chain.rpc)
    const [before, touched] = [await dump(database.sql), await rewrites()]
    const fork = await chain.rpc.call<object>('eth_getBlockByNumber', [`0x${(head.number - 3n).toString(16)}`, false])
    let looks = 0
    proxy.intercept = async (call, forward) => {
      // Every third look at the head shows another block on top of one of ours.
      if (call.params[0] !== 'latest' || ++looks % 3 !== 0) return forward()
      return { ...fork, hash: `0x${'dd'.repeat(32)}` }
    }
    const status = await waitForStatus(database.sql, ({ state }) => state === 'behind')
    expect(status.reason).toBe('the node named another chain and did not confirm it')
    await untilLooks(9)
    expect([await dump(database.sql), await rewrites()]).toEqual([before, touched])
  })

  it('that names a chain without a line to ours is not believed', async () => {
    const [before, head] = [await dump(database.sql), await headOf(chain.rpc)]
    const nonsense = {
      number: `0x${(head.number + 9n).toString(16)}`,
      hash: `0x${'ee'.repeat(32)}`,
      parentHash: `0x${'ef'.repeat(32)}`,
    }
    proxy.intercept = async (call, forward) => {
      if (call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest') return nonsense
      const answer = await forward()
      return (
        answer ??
        (call.method === 'eth_getBlockByNumber'
          ? { ...nonsense, number: call.params[0], timestamp: '0x1', logsBloom: '0x', transactions: [] }
          : null)
      )
    }
    const status = await waitForStatus(database.sql, ({ state }) => state === 'behind')
    expect(status.reason).toContain('cannot show how it links to ours')
    expect(await dump(database.sql)).toEqual(before)
  })

  it('that names a head before it serves the block is waited for', async () => {
    serveUpTo((await headOf(chain.rpc)).number)
    const known = proxy.intercept
    await mine(chain, set(2, 5n))
    const head = await headOf(chain.rpc)
    proxy.intercept = async (call, forward) => (call.params[0] === 'latest' ? forward() : known(call, forward))
    const status = await waitForStatus(database.sql, ({ state }) => state === 'behind')
    expect(status.reason).toBe(`the node names block ${head.number} but does not serve ${head.number}`)
    proxy.intercept = (_, forward) => forward()
    await waitForHead(database.sql, chain.rpc)
  })

  it('that cannot be reached is waited for', async () => {
    proxy.intercept = async () => {
      throw new Error('overloaded')
    }
    const status = await waitForStatus(database.sql, ({ state }) => state === 'behind')
    expect(status.reason).toContain('overloaded')
    proxy.intercept = (_, forward) => forward()
    await mine(chain, set(3, 3n))
    await waitForHead(database.sql, chain.rpc)
    expect(await dump(database.sql)).toEqual(await cleanIndex(chain))
  })
})
