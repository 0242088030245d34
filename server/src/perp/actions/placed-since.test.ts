import { encodeAbiParameters } from 'viem'
import { expect, it } from 'vitest'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { testVenue } from '../../http/testing.ts'
import { oidOf } from '../indexing/order-id.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import type { PairState } from '../listing/pair.ts'
import { placedSince } from './placed-since.ts'

const TRADER: Hex = `0x${'a'.repeat(40)}`
const hashOf = (height: bigint): Hex => `0x${height.toString(16).padStart(64, '0')}`
const blockAt = (height: bigint) => ({ height, hash: hashOf(height), timestampSec: 0n })
const pairAt = (height: bigint) =>
  ({
    block: blockAt(height),
    instrument: { address: `0x${'b'.repeat(40)}` },
    expiry: PERPETUAL_EXPIRY,
  }) as unknown as PairState

interface Node {
  /** Of its block at the indexed height. */
  readonly hash?: Hex
  /** Of its block at the pair's height; null where it has none yet. */
  readonly newest?: Hex | null
  readonly isAway?: boolean
}

/** What the node was asked, and the oids at which it says that orders were placed. */
async function ask(indexed: bigint, newest: bigint, node: Node = {}) {
  const asked: unknown[] = []
  const fields = ['int24', 'uint32', 'uint128', 'int128'].map((type) => ({ type }))
  const newestHash = node.newest === undefined ? hashOf(newest) : node.newest
  const call = async (method: string, [first]: readonly unknown[] = []) => {
    asked.push(method)
    if (node.isAway) throw new Error('no node')
    if (method === 'eth_getBlockByNumber' && BigInt(first as Hex) === indexed)
      return { hash: node.hash ?? hashOf(indexed) }
    if (method === 'eth_getBlockByNumber') return newestHash && { hash: newestHash }
    if (newestHash !== hashOf(newest)) return []
    const { topics } = first as { topics: Hex[] }
    return [{ topics, data: encodeAbiParameters(fields, [-7, 3, 1n, -1n]) }]
  }
  const outcomes = (calls: readonly RpcCall[]) =>
    Promise.all(calls.map(async ({ method, params }) => ({ ok: true, value: await call(method, params) })))
  const venue = testVenue({ rpc: { outcomes } as unknown as Rpc })
  return { placed: [...(await placedSince(venue, blockAt(indexed), pairAt(newest), TRADER))], asked }
}

it('asks the node for the blocks that are not indexed yet, and for nothing where there are none', async () => {
  expect((await ask(5n, 7n)).placed).toEqual([oidOf(-7, 3)])
  expect(await ask(7n, 7n)).toEqual({ placed: [], asked: [] })
  expect(await ask(8n, 7n)).toEqual({ placed: [], asked: [] })
})

it('is sure of nothing where the node has another block, too many have come since, or it does not answer', async () => {
  await expect(ask(5n, 7n, { hash: hashOf(9n) })).rejects.toMatchObject({ reason: { name: 'perp_not_indexed' } })
  await expect(ask(5n, 9_999n)).rejects.toMatchObject({ reason: { name: 'perp_not_indexed' } })
  await expect(ask(5n, 7n, { isAway: true })).rejects.toMatchObject({ reason: { name: 'perp_chain_unreachable' } })
})

it.each([
  ['no block', null],
  ['another block', hashOf(9n)],
])('is sure of nothing where the node has %s at the height of the pair’s: it may leave logs out', async (_, newest) => {
  await expect(ask(5n, 7n, { newest })).rejects.toMatchObject({ reason: { name: 'perp_not_indexed' } })
})
