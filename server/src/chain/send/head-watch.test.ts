import { beforeEach, expect, it } from 'vitest'
import { chainProfile } from '../profiles.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { nothingNew, watchHead } from './head-watch.ts'
import { type RpcBlock, readHeadView } from './view.ts'

const profile = chainProfile(31_337)
const depth = profile.finality.by === 'depth' ? BigInt(profile.finality.blocks) : 0n
const HEIGHT = 1100n

let blocks: Map<bigint, RpcBlock>
let readings: number
const larger = (a: bigint, b: bigint): bigint => (b > a ? b : a)
const quantity = (value: bigint): Hex => `0x${value.toString(16)}`

/** Blocks of a branch, in the place of those that are there. */
function add(branch: string, from: bigint, to: bigint): void {
  const hashOf = (height: bigint): Hex => `0x${branch}${height}`
  for (let height = from; height <= to; height++) {
    const parentHash = height === from ? (blocks.get(height - 1n)?.hash ?? hashOf(height - 1n)) : hashOf(height - 1n)
    blocks.set(height, { number: quantity(height), hash: hashOf(height), parentHash })
  }
}

const blockOf = ({ params }: RpcCall): RpcBlock | null => {
  const [named] = params as [string]
  const height = named === 'latest' ? [...blocks.keys()].reduce(larger) : BigInt(named)
  return blocks.get(height) ?? null
}

const rpc = {
  call: async (method: string, params: readonly unknown[]) => blockOf({ method, params }),
  outcomes: async (calls: readonly RpcCall[]) => {
    readings++
    return calls.map((call) => ({ ok: true, value: blockOf(call) }))
  },
} as unknown as Rpc

beforeEach(() => {
  blocks = new Map()
  readings = 0
  add('a', HEIGHT - 2n, HEIGHT)
})

/** What the newest block says to a signer that looked before `change`, whose first intent was mined at `firstMined`. */
async function after(change: () => void, firstMined = HEIGHT) {
  const before = await readHeadView(rpc, profile, 0)
  change()
  return nothingNew(rpc, watchHead(rpc, profile), before, { firstMined, sinceMs: 0 })
}

it('is nothing new while the same block is the newest, and when others stand on it', async () => {
  expect(await after(() => {})).toMatchObject({ headNumber: HEIGHT })
  expect(await after(() => add('a', HEIGHT + 1n, HEIGHT + 1n))).toMatchObject({ headNumber: HEIGHT + 1n })
  expect(await after(() => add('a', HEIGHT + 2n, HEIGHT + 4n))).toMatchObject({ headNumber: HEIGHT + 4n })
})

it('is news when the newest block stands on another chain, or before the one that was seen', async () => {
  expect(await after(() => add('b', HEIGHT, HEIGHT))).toBeNull()
  expect(await after(() => add('c', HEIGHT, HEIGHT + 1n))).toBeNull()
  expect(await after(() => add('d', HEIGHT, HEIGHT + 5n))).toBeNull()
  expect(await after(() => blocks.delete(HEIGHT + 5n))).toBeNull()
})

it('is news when an intent is final by it', async () => {
  expect(await after(() => {}, HEIGHT - depth + 1n)).not.toBeNull()
  expect(await after(() => {}, HEIGHT - depth)).toBeNull()
})

it('is read once for all who ask for it meanwhile, and anew for who wants it newer', async () => {
  const watch = watchHead(rpc, profile)
  await Promise.all([watch(0), watch(0), watch(0)])
  await watch(0)
  expect(readings).toBe(1)
  await watch(Date.now() + 1000)
  expect(readings).toBe(2)
})
