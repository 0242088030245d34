import { sleep } from '../../lib/clock.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import { type Header, headerOf, type RawHeader, toHex } from './fetch.ts'
import type { BlockRef, Checkpoint } from './store.ts'

/** Where another chain branches off ours. */
export interface Fork {
  /** Newest block of ours that is on the other chain; null when that lies below the newest final block. */
  readonly ancestor: BlockRef | null
  /** The other chain's block above the ancestor (or at the newest final block). */
  readonly branch: Header
}

async function readHeader(rpc: Rpc, block: string, signal: AbortSignal): Promise<Header | null> {
  const byHash = block.length === 66
  const method = byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const raw = await rpc.call<RawHeader | null>(method, [block, false], { signal })
  return raw && headerOf(raw)
}

/**
 * Walks from a block of another chain along parent hashes to our chain. `ourHashes` holds our blocks from the newest
 * final one up. Null when the node cannot show an unbroken line: then there is no evidence of a reorganisation.
 */
export async function findFork(
  rpc: Rpc,
  checkpoint: Checkpoint,
  ourHashes: ReadonlyMap<bigint, Hex>,
  otherBlock: Header,
  signal: AbortSignal,
): Promise<Fork | null> {
  let branch = otherBlock
  while (branch.number > checkpoint.finalNumber) {
    const parent = { number: branch.number - 1n, hash: branch.parentHash }
    if (ourHashes.get(parent.number) === parent.hash) return { ancestor: parent, branch }
    const header = await readHeader(rpc, parent.hash, signal)
    if (!header || header.hash !== parent.hash || header.number !== parent.number) return null
    branch = header
  }
  return { ancestor: null, branch }
}

/** Readings that must agree before a fork is believed. A shorter chain must prove itself longer: nodes lag. */
const READINGS = 2
const READINGS_OF_SHORTER = 5

/**
 * Asks several times, with a pause in between, whether the node's chain still runs through the fork's branch and no
 * longer through our tip. One node of a pool that shows a stale fork does not pass.
 */
export async function confirmFork(
  rpc: Rpc,
  tip: BlockRef,
  fork: Fork,
  headNumber: bigint,
  pauseMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { branch } = fork
  const blocks = ['latest', toHex(branch.number), toHex(tip.number)]
  const calls = blocks.map((block) => ({ method: 'eth_getBlockByNumber', params: [block, false] }))
  const readings = headNumber < tip.number ? READINGS_OF_SHORTER : READINGS
  for (let reading = 0; reading < readings; reading++) {
    await sleep(pauseMs, signal)
    signal.throwIfAborted()
    const [latest, atBranch, atTip] = await rpc.batch<RawHeader | null>(calls, { signal })
    if (!latest || BigInt(latest.number) < branch.number) return false
    if (!atBranch || headerOf(atBranch).hash !== branch.hash) return false
    if (atTip && headerOf(atTip).hash === tip.hash) return false
  }
  return true
}
