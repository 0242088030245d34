import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom } from '../../lib/testing-random.ts'
import { chainProfile } from '../profiles.ts'
import { createRpc, type Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { type FetchContext, type FetchRequest, fetchBlocks, sourcesOf } from './fetch.ts'
import { CHAIN_ID, mine, type ProbeChain, randomCall, set, startProbeChain } from './testing.ts'
import { type RpcProxy, startRpcProxy } from './testing-proxies.ts'

const STRANGER: Hex = '0x00000000000000000000000000000000000000aa'
/** In each block: more than there are to the probe. */
const TO_STRANGER = 3

let chain: ProbeChain
let proxy: RpcProxy
let from: bigint
let to: bigint
let parentHash: Hex
beforeAll(async () => {
  chain = await startProbeChain()
  proxy = await startRpcProxy(chain.rpc)
  const random = createRandom(3)
  from = chain.deployment.startBlock
  for (let block = 0; block < 40; block++) {
    for (let nth = 0; nth < TO_STRANGER; nth++) await toStranger()
    await mine(chain, ...(block % 3 ? [randomCall(random, chain), randomCall(random, chain)] : []))
  }
  to = from + 39n
  const [base] = await chain.rpc.batch<{ hash: Hex }>([
    { method: 'eth_getBlockByNumber', params: [`0x${(from - 1n).toString(16)}`, false] },
  ])
  parentHash = base?.hash ?? '0x'
})
afterAll(async () => {
  await proxy.close()
  await chain.anvil.stop()
})

/** A transaction that has nothing to do with the probe, into the next block. */
const toStranger = () =>
  chain.rpc.call('eth_sendTransaction', [{ from: chain.account, to: STRANGER, value: '0x1', gas: '0x30000' }])

const contextOf = (options: Partial<FetchContext> = {}): FetchContext => ({
  rpc: chain.rpc,
  profile: chainProfile(CHAIN_ID),
  sources: sourcesOf([chain.probe]),
  signal: new AbortController().signal,
  ...options,
})
const request = (logsBy: 'range' | 'hash', change: Partial<FetchRequest> = {}): FetchRequest => ({
  from,
  to,
  parentHash,
  logsBy,
  ...change,
})

const hashOf = async (number: bigint): Promise<Hex> =>
  (await chain.rpc.call<{ hash: Hex }>('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])).hash

/** A node whose answers to one method are changed. */
function altered(method: string, change: (result: unknown, params: readonly unknown[]) => unknown): Rpc {
  proxy.intercept = async (call, forward) => (call.method === method ? change(await forward(), call.params) : forward())
  return createRpc({ url: proxy.url })
}

describe('fetching blocks', () => {
  it('gives the same by range, by hash, and without trust in bloom filters', async () => {
    const byRange = await fetchBlocks(contextOf(), request('range'))
    const byHash = await fetchBlocks(contextOf(), request('hash'))
    const late = { ...chainProfile(CHAIN_ID), logsBloom: 'late' as const }
    const withoutBloom = await fetchBlocks(contextOf({ profile: late }), request('hash'))
    expect(byRange.blocks).toHaveLength(40)
    expect(byRange.blocks.flatMap(({ logs }) => logs).length).toBeGreaterThan(20)
    expect(byRange.blocks.flatMap(({ transactions }) => transactions).some((tx) => !tx.succeeded)).toBe(true)
    expect(byHash).toEqual(byRange)
    expect(withoutBloom).toEqual(byRange)
  })

  it('gives the same where most transactions are to the sources, and asks for receipts of those alone that logged nothing', async () => {
    const byRange = await fetchBlocks(contextOf(), request('range'))
    const own = new Set(byRange.blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)))
    const silent = own.difference(new Set(byRange.blocks.flatMap(({ logs }) => logs.map((log) => log.transactionHash))))
    const asked: unknown[] = []
    const rpc = altered('eth_getTransactionReceipt', (result, [hash]) => {
      asked.push(hash)
      return result
    })
    for (const logsBy of ['range', 'hash'] as const) {
      asked.length = 0
      const sources = sourcesOf([chain.probe, STRANGER])
      const { blocks } = await fetchBlocks(contextOf({ rpc, sources }), request(logsBy))
      const ofProbe = blocks.map(({ transactions, ...block }) => ({
        ...block,
        transactions: transactions.filter(({ to }) => to !== STRANGER),
      }))
      expect(ofProbe).toEqual(byRange.blocks)
      expect(asked).toHaveLength(40 * TO_STRANGER + silent.size)
    }
  })

  it('asks for no receipts where most transactions log at a source through another contract, once it has seen some', async () => {
    const before = { from: to, parentHash: await hashOf(to - 1n) }
    const throughOther = { functionName: 'setThrough', args: [chain.probe, 3n, 4n], to: chain.other }
    await mine(chain, throughOther, throughOther, throughOther, throughOther)
    const one = { from: to + 1n, to: to + 1n, parentHash: await hashOf(to) }
    const sources = sourcesOf([chain.probe])
    let receipts = 0
    const rpc = altered('eth_getTransactionReceipt', (result) => {
      receipts++
      return result
    })
    const first = await fetchBlocks(contextOf({ rpc, sources }), request('range', one))
    expect([sources.areMost, receipts]).toEqual([true, 4])
    expect(await fetchBlocks(contextOf({ rpc, sources }), request('range', one))).toEqual(first)
    expect(first.blocks[0]?.logs).toHaveLength(4)
    expect(receipts).toBe(4)
    await fetchBlocks(contextOf({ rpc, sources }), request('range', before))
    expect(sources.areMost).toBe(false)
    to++
  })

  it('gives the same of a block whose logs come with it, also where its name was another one’s', async () => {
    const sources = sourcesOf([chain.probe, STRANGER])
    const one = { from: to, parentHash: await hashOf(to - 1n) }
    const fetched = await fetchBlocks(contextOf({ sources }), request('hash', one))
    expect(fetched.blocks[0]?.transactions.length).toBeGreaterThanOrEqual(TO_STRANGER)
    expect(sources.areMost).toBe(true)
    for (const hash of [await hashOf(to), one.parentHash]) {
      expect(await fetchBlocks(contextOf({ sources }), request('hash', { ...one, hash }))).toEqual(fetched)
    }
  })

  it('does not ask for logs of blocks whose filter excludes the sources', async () => {
    let asked = 0
    const rpc = altered('eth_getLogs', (result) => {
      asked++
      return result
    })
    const stranger = sourcesOf(['0x00000000000000000000000000000000000000bb'])
    const { blocks } = await fetchBlocks(contextOf({ rpc, sources: stranger }), request('hash'))
    expect(blocks.every(({ logs, transactions }) => logs.length + transactions.length === 0)).toBe(true)
    expect(asked).toBeLessThan(3)
  })

  it('finds a transaction to another contract by the log it makes here, and counts logs from the transaction’s first', async () => {
    const [hash] = await mine(chain, set(1, 1n), {
      functionName: 'setThrough',
      args: [chain.probe, 3n, 4n],
      to: chain.other,
    })
    await mine(chain, { functionName: 'setThrough', args: [chain.other, 3n, 4n] })
    const head = (await fetchBlocks(contextOf(), request('hash', { to: to + 2n }))).blocks.slice(-2)
    expect(head[0]?.transactions.map(({ to, succeeded }) => [to, succeeded])).toEqual([
      [chain.probe, true],
      [chain.other, true],
    ])
    expect(head[0]?.transactions[0]).toMatchObject({ hash, index: 0, from: chain.account, valueWei: 0n })
    expect(head[0]?.logs.map((log) => [log.address, log.logIndex, log.indexInTransaction])).toEqual([
      [chain.probe, 0, 0],
      [chain.probe, 1, 0],
    ])
    expect(head[1]?.logs.map((log) => [log.address, log.logIndex, log.indexInTransaction])).toEqual([
      [chain.probe, 1, 1],
    ])
  })

  it('names the fork when the first block has another parent', async () => {
    const fetched = await fetchBlocks(contextOf(), request('hash', { parentHash: `0x${'00'.repeat(32)}` }))
    expect(fetched.blocks).toEqual([])
    expect(fetched.fork).toMatchObject({ number: from, parentHash })
  })

  it('ends before a block that is missing or does not link', async () => {
    const missing = altered('eth_getBlockByNumber', (result, [number]) =>
      BigInt(number as string) === from + 30n ? null : result,
    )
    expect((await fetchBlocks(contextOf({ rpc: missing }), request('hash'))).blocks).toHaveLength(30)
    const unlinked = altered('eth_getBlockByNumber', (result, [number]) =>
      BigInt(number as string) === from + 7n ? { ...(result as object), parentHash: `0x${'12'.repeat(32)}` } : result,
    )
    expect((await fetchBlocks(contextOf({ rpc: unlinked }), request('hash'))).blocks).toHaveLength(7)
  })

  it('refuses answers that contradict each other', async () => {
    const foreignLog = altered('eth_getLogs', (result) =>
      (result as object[]).map((log) => ({ ...log, blockHash: `0x${'77'.repeat(32)}` })),
    )
    await expect(fetchBlocks(contextOf({ rpc: foreignLog }), request('range'))).rejects.toThrow(
      'which the node did not serve',
    )
    const noReceipt = altered('eth_getTransactionReceipt', () => null)
    await expect(fetchBlocks(contextOf({ rpc: noReceipt }), request('range'))).rejects.toThrow('has no receipt of')
    const lagging = altered('eth_getBlockByNumber', (result, [, full]) => (full ? result : null))
    await expect(fetchBlocks(contextOf({ rpc: lagging }), request('range'))).rejects.toThrow(`no block ${to} yet`)
  })
})
