import { inTransaction } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Hex } from '../types.ts'
import { type ApplyContext, applyBlocks, finalise, undoBlocks } from './apply.ts'
import { discover, loadDiscovered } from './discover.ts'
import { HaltError, InconsistentNodeError, ModuleError } from './failures.ts'
import {
  type FetchContext,
  type Fetched,
  type FetchedBlock,
  type FetchRequest,
  fetchBlocks,
  type Header,
  headerOf,
  type RawHeader,
  toHex,
} from './fetch.ts'
import type { RangeSize } from './range.ts'
import { confirmFork, findFork } from './reconcile.ts'
import type { FollowerReport } from './status.ts'
import {
  type BlockRef,
  type Checkpoint,
  insertBlocks,
  insertCheckpoint,
  loadBlockHash,
  loadBlockHashesFrom,
  loadCheckpoint,
} from './store.ts'

export interface SyncContext extends ApplyContext, FetchContext {
  readonly startBlock: bigint
  readonly range: RangeSize
  readonly log: Logger
  /**
   * Where the last look found nothing to do: the next one need not read it. If the stored one has moved since, what is applied on top of
   * this one is refused, and the look after that reads it.
   */
  checkpoint: Checkpoint | null
  /** Looks since a block was last served at which the node named a head and did not serve the block after ours. */
  unserved: number
  /** Between two readings that must agree. */
  readonly confirmMs: number
  /** Reports progress while a step takes long. */
  readonly report: (report: FollowerReport) => Promise<void>
}

export interface StepResult {
  /** True when there is nothing to do until the node has something new. */
  readonly idle: boolean
  readonly report: FollowerReport
}

/** Blocks of one transaction near the head, where each is read by its own hash and can be undone. */
const RECENT_BLOCKS_PER_TRANSACTION = 32
/** A lag up to this is the ordinary state between two polls and not worth the name of catching up. */
const ORDINARY_LAG_BLOCKS = 8n
/** A node may name a block and not serve it at fewer looks than this: of several behind one address, another one may have been asked for it. */
const UNSERVED_LOOKS = 3
/** Readings that must agree before the node's chain is called a wrong one. */
const IDENTITY_READINGS = 3

const idle = (state: FollowerReport['state'], headNumber: bigint | null, reason: string | null = null): StepResult => ({
  idle: true,
  report: { state, reason, headNumber },
})

/**
 * One look at the node's head and what follows from it: nothing new, a node that lags, blocks to add (one or a gap), or
 * another chain to reconcile with. Throws `HaltError`, and what reading or writing throws; a repeat is then safe.
 */
export async function step(context: SyncContext): Promise<StepResult> {
  const { sql, chainId } = context
  const [stored, seen] = await Promise.all([context.checkpoint ?? loadCheckpoint(sql, chainId), readHead(context)])
  context.checkpoint = null
  const checkpoint = stored ?? (await initialise(context))
  if (!checkpoint) return idle('behind', null, `the chain has not reached block ${context.startBlock} yet`)
  const { tip } = checkpoint
  const { head, finalNumber } = seen
  if (head.number > tip.number) return extend(context, tip, head, finalNumber)
  if (head.hash === tip.hash) {
    if (finalNumber > checkpoint.finalNumber) await finalise(context, tip, finalNumber)
    else context.checkpoint = checkpoint
    return idle('following', head.number)
  }
  const ours = await loadBlockHash(sql, chainId, head.number)
  if (ours !== head.hash && head.number >= checkpoint.baseNumber) return reconcile(context, head, head.number)
  await verifyChain(context, checkpoint.genesisHash)
  const isBehindAnother = ours === head.hash && tip.number - head.number <= context.profile.nodeLagBlocks
  if (isBehindAnother) return idle('following', tip.number)
  return idle('behind', head.number, `the node's head ${head.number} is below block ${tip.number}, which is indexed`)
}

/** Throws a `HaltError` when the node is on another chain than the profile, or than the database. */
export async function verifyChain(context: SyncContext, genesisHash: Hex | null): Promise<void> {
  let problem: string | null = null
  for (let reading = 0; reading < IDENTITY_READINGS; reading++) {
    if (reading > 0) await sleep(context.confirmMs, context.signal)
    const [chainId, ...firstBlocks] = await context.rpc.batch<unknown>(
      [{ method: 'eth_chainId', params: [] }, ...FIRST_BLOCKS],
      { signal: context.signal },
    )
    const nodeGenesis = genesisOf(firstBlocks as (RawHeader | null)[])
    problem = identityProblem(context.chainId, Number(chainId), genesisHash, nodeGenesis)
    if (problem === null) return
  }
  throw new HaltError('wrong_chain', problem ?? '')
}

const FIRST_BLOCKS = ['0x0', '0x1'].map((number) => ({ method: 'eth_getBlockByNumber', params: [number, false] }))

/**
 * The hash a chain begins with: what its first block links to, as soon as there is one. An Anvil that has loaded its
 * state names one of two blocks 0 by chance, its own new one or the loaded one; the link is always the loaded one.
 */
function genesisOf([genesis, first]: readonly (RawHeader | null)[]): Hex | null {
  if (first) return headerOf(first).parentHash
  return genesis ? headerOf(genesis).hash : null
}

function identityProblem(
  chainId: number,
  nodeChainId: number,
  genesisHash: Hex | null,
  nodeGenesis: Hex | null,
): string | null {
  if (nodeChainId !== chainId) return `the node serves chain ${nodeChainId}, not ${chainId}`
  if (genesisHash === null || nodeGenesis === null) return null
  if (nodeGenesis === genesisHash) return null
  return (
    `the node's chain begins with block ${nodeGenesis}, but the database was filled from one that begins with ${genesisHash}: ` +
    'bring back that chain, or start with an empty database'
  )
}

/** Sets the base block: the one before the first to index. Null while the chain has not come so far. */
async function initialise(context: SyncContext): Promise<Checkpoint | null> {
  const { rpc, sql, chainId, signal } = context
  const baseNumber = context.startBlock > 0n ? context.startBlock - 1n : 0n
  const readBase = { method: 'eth_getBlockByNumber', params: [toHex(baseNumber), false] }
  const [rawBase, ...firstBlocks] = await rpc.batch<RawHeader | null>([readBase, ...FIRST_BLOCKS], { signal })
  const genesisHash = genesisOf(firstBlocks)
  if (!genesisHash || !rawBase) return null
  const named = headerOf(rawBase)
  const base = named.number === 0n ? { ...named, hash: genesisHash } : named
  await inTransaction(sql, async (tx) => {
    await insertCheckpoint(tx, chainId, genesisHash, base)
    await insertBlocks(tx, chainId, [{ chainId, ...base, timestampSec: Number(rawBase.timestamp) }])
  })
  return loadCheckpoint(sql, chainId)
}

async function readHead(context: SyncContext): Promise<{ head: Header; finalNumber: bigint }> {
  const { rpc, profile, signal } = context
  const tags = profile.finality.by === 'tag' ? ['latest', 'finalized'] : ['latest']
  const calls = tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] }))
  const [latest, finalised] = await rpc.batch<RawHeader | null>(calls, { signal })
  if (!latest) throw new InconsistentNodeError('the node has no latest block')
  const head = headerOf(latest)
  if (profile.finality.by === 'depth') return { head, finalNumber: head.number - BigInt(profile.finality.blocks) }
  return { head, finalNumber: finalised ? BigInt(finalised.number) : -1n }
}

/** Adds blocks up to `head`, fetching the next while the last are written. */
async function extend(context: SyncContext, from: BlockRef, head: Header, finalNumber: bigint): Promise<StepResult> {
  let tip = from
  let ahead = fetchAhead(context, tip, head, finalNumber)
  while (tip.number < head.number) {
    context.signal.throwIfAborted()
    const { request, result } = ahead
    const fetched = await result
    if (fetched instanceof Error) {
      if (request.logsBy !== 'range' || !context.range.failed(fetched)) throw fetched
      ahead = fetchAhead(context, tip, head, finalNumber)
      continue
    }
    if (fetched.fork) return reconcile(context, fetched.fork, head.number)
    if (discover(context, fetched.blocks)) {
      ahead = fetchAhead(context, tip, head, finalNumber)
      continue
    }
    const last = fetched.blocks.at(-1)?.block
    if (!last) return unserved(context, tip, head, request)
    context.unserved = 0
    if (request.logsBy === 'range') context.range.succeeded(fetched.blocks.length, sizeOf(fetched))
    if (last.number < head.number) ahead = fetchAhead(context, last, head, finalNumber)
    tip = await applyUpToFailure(context, tip, fetched.blocks, finalNumber)
    if (head.number - tip.number > ORDINARY_LAG_BLOCKS) {
      await context.report({ state: 'catching-up', reason: null, headNumber: head.number })
    }
  }
  return { ...idle('following', head.number), idle: false }
}

/** The node names a head and does not serve the block after ours: what is indexed is the newest that can be had, unless that lasts. */
function unserved(context: SyncContext, tip: BlockRef, head: Header, { from }: FetchRequest): StepResult {
  context.unserved++
  if (context.unserved < UNSERVED_LOOKS) return idle('following', tip.number)
  return idle('behind', head.number, `the node names block ${head.number} but does not serve ${from}`)
}

/** When a module fails within several blocks, the good ones before it are kept. */
async function applyUpToFailure(
  context: SyncContext,
  from: BlockRef,
  blocks: readonly FetchedBlock[],
  finalNumber: bigint,
): Promise<BlockRef> {
  try {
    return await applyBlocks(context, from, blocks, finalNumber)
  } catch (error) {
    if (!(error instanceof ModuleError) || blocks.length === 1) throw error
    let tip = from
    for (const block of blocks) tip = await applyBlocks(context, tip, [block], finalNumber)
    return tip
  }
}

interface Ahead {
  readonly request: FetchRequest
  /** Never rejects, since nobody may be waiting for it when it fails. */
  readonly result: Promise<Fetched | Error>
}

/** History that is final comes by ranges; what may still change comes by block hash. */
function fetchAhead(context: SyncContext, tip: BlockRef, head: Header, finalNumber: bigint): Ahead {
  const from = tip.number + 1n
  const isFinal = from <= finalNumber
  const count = isFinal ? context.range.blocks() : RECENT_BLOCKS_PER_TRANSACTION
  const last = from + BigInt(count) - 1n
  const limit = isFinal ? finalNumber : head.number
  const request: FetchRequest = {
    from,
    to: last < limit ? last : limit,
    parentHash: tip.hash,
    logsBy: isFinal ? 'range' : 'hash',
    ...(from === head.number ? { hash: head.hash } : {}),
  }
  const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))
  return { request, result: fetchBlocks(context, request).catch(asError) }
}

const sizeOf = ({ blocks }: Fetched): number =>
  blocks.reduce((sum, block) => sum + block.logs.length + block.transactions.length, 0)

/** Another chain has been seen: undoes to the common ancestor if the evidence holds, and changes nothing if not. */
async function reconcile(context: SyncContext, otherBlock: Header, headNumber: bigint): Promise<StepResult> {
  const { sql, rpc, chainId, signal, log, confirmMs } = context
  const checkpoint = await loadCheckpoint(sql, chainId)
  if (!checkpoint) throw new Error(`the checkpoint of chain ${chainId} is gone`)
  await verifyChain(context, checkpoint.genesisHash)
  const { tip, finalNumber } = checkpoint
  const ourHashes = await loadBlockHashesFrom(sql, chainId, finalNumber)
  const fork = await findFork(rpc, checkpoint, ourHashes, otherBlock, signal)
  if (!fork) return idle('behind', headNumber, 'the node names another chain but cannot show how it links to ours')
  if (!(await confirmFork(rpc, tip, fork, headNumber, confirmMs, signal))) {
    return idle('behind', headNumber, 'the node named another chain and did not confirm it')
  }
  if (!fork.ancestor) {
    throw new HaltError(
      'reorg_too_deep',
      `the node's chain differs from ours at block ${fork.branch.number}, which is final (final up to ${finalNumber})`,
    )
  }
  await undoBlocks(context, tip, fork.ancestor)
  await loadDiscovered(sql, chainId, context)
  const undone = { from: tip.number, to: fork.ancestor.number, depth: tip.number - fork.ancestor.number }
  log.warn({ chainId, reorg: asText(undone), newBlock: fork.branch.hash }, 'reorganisation undone')
  return { idle: false, report: { state: 'catching-up', reason: null, headNumber } }
}

const asText = (numbers: Record<string, bigint>): Record<string, string> =>
  Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]))
