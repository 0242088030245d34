import { chunks } from '../../lib/chunks.ts'
import { logsThrough } from '../on-block.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import type { ChainBlock, ChainTransaction, Hex } from '../types.ts'
import { type BloomBits, bloomBits, mayContain } from './bloom.ts'
import { InconsistentNodeError } from './failures.ts'
import { type FetchedLog, lower, type NodeLog, ownLogsOf, type RawLog, readLogs } from './logs.ts'

/** A block with everything in it that touches the venue. */
export interface FetchedBlock {
  readonly block: ChainBlock
  /** Logs of the sources, in block order. */
  readonly logs: readonly FetchedLog[]
  /** Transactions to a source, and those that made one log, in block order. */
  readonly transactions: readonly ChainTransaction[]
}

export interface Fetched {
  /** Blocks in order, each the child of the one before; the first is the child of the parent asked for. */
  readonly blocks: readonly FetchedBlock[]
  /** The first block, when it has another parent than the one asked for. */
  readonly fork: Header | null
}

export interface Header {
  readonly number: bigint
  readonly hash: Hex
  readonly parentHash: Hex
}

/** The contracts that are followed; there may be more of them with every block (`discover.ts`). */
export interface Sources {
  readonly addresses: Set<Hex>
  bloomBits: readonly BloomBits[]
  /** Whether most transactions of the blocks fetched last touched the sources, as on a chain of the venue's own. */
  areMost: boolean
}

export interface FetchContext {
  readonly rpc: Rpc
  readonly profile: ChainProfile
  readonly sources: Sources
  readonly signal: AbortSignal
}

export interface FetchRequest {
  readonly from: bigint
  readonly to: bigint
  /** Hash of the block before `from`. */
  readonly parentHash: Hex
  /** By range for history that cannot change; else by the hash of each block. */
  readonly logsBy: 'range' | 'hash'
  /** The hash that the node has just given for this block; only for a single block. */
  readonly hash?: Hex
}

interface RawTransaction {
  readonly hash: Hex
  readonly transactionIndex: Hex
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly value: Hex
}

export interface RawHeader {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
  readonly logsBloom: Hex
}

interface RawReceipt {
  readonly blockHash: Hex
  readonly status: Hex
  readonly logs: readonly RawLog[]
}

/** Full blocks are large: they are fetched this many at a time and reduced to what matters as they arrive. */
const BLOCKS_PER_REQUEST = 25
/** All logs of so many blocks at a time: they are larger still. */
const LOGS_PER_REQUEST = 10

export const toHex = (number: bigint): Hex => `0x${number.toString(16)}`

export function sourcesOf(addresses: Iterable<Hex>): Sources {
  const set = new Set(addresses)
  return { addresses: set, bloomBits: [...set].map(bloomBits), areMost: false }
}

/** Follows one more contract. */
export function addAddress(sources: Sources, address: Hex): void {
  if (sources.addresses.has(address)) return
  sources.addresses.add(address)
  sources.bloomBits = [...sources.bloomBits, bloomBits(address)]
}

/** Follows a contract no more. */
export function removeAddress(sources: Sources, address: Hex): void {
  sources.addresses.delete(address)
  sources.bloomBits = [...sources.addresses].map(bloomBits)
}

export const headerOf = (raw: RawHeader): Header => ({
  number: BigInt(raw.number),
  hash: lower(raw.hash),
  parentHash: lower(raw.parentHash),
})

/**
 * Fetches the blocks `from`..`to` with the logs and transactions of the sources. Returns fewer blocks where the node does
 * not have them all or they do not link. Throws `RpcError` and `InconsistentNodeError`; both mean: try again later.
 */
export async function fetchBlocks(context: FetchContext, request: FetchRequest): Promise<Fetched> {
  const { blocks, allOf } = await fetchHead(context, request)
  const [first] = blocks
  if (!first) return { blocks: [], fork: null }
  if (first.block.parentHash !== request.parentHash) return { blocks: [], fork: first.block }
  // Those that only log at a source, as a router's do, are known with the logs: what was so of the blocks before tells.
  const { logs, outcomes } =
    context.sources.areMost || areMostlyOurs(blocks, toSourceIn)
      ? outcomesOf(context, allOf ?? (await allLogs(context, blocks)))
      : await ownLogs(context, request, blocks)
  const touched = touchedByHash(blocks, logs)
  context.sources.areMost = areMostlyOurs(blocks, ({ block }) => touched.get(block.hash)?.size ?? 0)
  const missing = [...touched.values()].flatMap((hashes) => [...hashes]).filter((hash) => !outcomes.has(hash))
  const known = new Map([...outcomes, ...(await receiptsOf(context, missing))])
  return {
    blocks: blocks.map((block) => assemble(context, block, touched.get(block.block.hash) ?? new Set(), known)),
    fork: null,
  }
}

/** What became of a transaction: whether it succeeded, and all logs that it made, of whatever contract. */
interface Outcome {
  readonly blockHash: Hex
  readonly succeeded: boolean
  readonly logs: readonly NodeLog[]
}

interface FetchedLogs {
  /** Logs of the sources. */
  readonly logs: readonly NodeLog[]
  /** Outcomes of the transactions whose logs tell them. */
  readonly outcomes: ReadonlyMap<Hex, Outcome>
}

/** A block reduced to its header, with its transactions to a source and a way to the others. */
interface SlimBlock {
  readonly block: ChainBlock
  readonly logsBloom: Hex
  readonly toSource: readonly RawTransaction[]
  /** Transactions of the block, whoever they are to. */
  readonly transactionCount: number
  readonly byHash: ReadonlyMap<Hex, RawTransaction>
}

/** Blocks, and all their logs where they came with them: of a single block, if its chain is likely to be mostly the venue's. */
async function fetchHead(
  context: FetchContext,
  request: FetchRequest,
): Promise<{ readonly blocks: readonly SlimBlock[]; readonly allOf: readonly NodeLog[] | null }> {
  const { from, to, hash } = request
  if (hash === undefined || from !== to || !context.sources.areMost) {
    return { blocks: await fetchLinked(context, request), allOf: null }
  }
  const [raw, logs] = await context.rpc.batch<unknown>([blockCall(from), logsCall(hash)], { signal: context.signal })
  const block = raw ? slim(context, raw as RawBlock) : null
  const isNamed = block?.block.hash === hash
  return { blocks: block ? [block] : [], allOf: isNamed ? readLogs(logs as RawLog[]) : null }
}

const blockCall = (number: bigint): RpcCall => ({ method: 'eth_getBlockByNumber', params: [toHex(number), true] })
const logsCall = (blockHash: Hex): RpcCall => ({ method: 'eth_getLogs', params: [{ blockHash }] })

async function fetchLinked(context: FetchContext, { from, to }: FetchRequest): Promise<SlimBlock[]> {
  const calls: RpcCall[] = []
  for (let number = from; number <= to; number++) {
    calls.push(blockCall(number))
  }
  const parts = chunks(calls, BLOCKS_PER_REQUEST).map((part) => fetchPart(context, part))
  const linked: SlimBlock[] = []
  for (const block of (await Promise.all(parts)).flat()) {
    if (!block || block.block.number !== from + BigInt(linked.length)) break
    const parent = linked.at(-1)
    if (parent && parent.block.hash !== block.block.parentHash) break
    linked.push(block)
  }
  return linked
}

type RawBlock = RawHeader & { readonly transactions: readonly RawTransaction[] }

async function fetchPart(context: FetchContext, calls: readonly RpcCall[]): Promise<(SlimBlock | null)[]> {
  const raws = await context.rpc.batch<RawBlock | null>(calls, { signal: context.signal })
  return raws.map((raw) => raw && slim(context, raw))
}

function slim({ sources, profile }: FetchContext, raw: RawBlock): SlimBlock {
  const block: ChainBlock = {
    chainId: profile.chainId,
    ...headerOf(raw),
    timestampSec: Number(raw.timestamp),
  }
  const toSource = raw.transactions.filter(({ to }) => to !== null && sources.addresses.has(lower(to)))
  // Without a log nothing but the transactions to a source is needed: the rest of a block is let go at once.
  const mayLog = profile.logsBloom === 'late' || mayContain(raw.logsBloom, sources.bloomBits)
  const kept = mayLog ? raw.transactions : toSource
  const byHash = new Map(kept.map((tx) => [lower(tx.hash), tx]))
  return { block, logsBloom: raw.logsBloom, toSource, transactionCount: raw.transactions.length, byHash }
}

const toSourceIn = ({ toSource }: SlimBlock): number => toSource.length

/** Whether most transactions are the sources', as on a chain of the venue's own: then few logs are of others. */
function areMostlyOurs(blocks: readonly SlimBlock[], ownIn: (block: SlimBlock) => number): boolean {
  const total = blocks.reduce((sum, block) => sum + block.transactionCount, 0)
  return total > 0 && 2 * blocks.reduce((sum, block) => sum + ownIn(block), 0) >= total
}

/** Every log of the blocks. */
async function allLogs({ rpc, signal }: FetchContext, blocks: readonly SlimBlock[]): Promise<readonly NodeLog[]> {
  const calls = blocks.filter(({ transactionCount }) => transactionCount > 0).map(({ block }) => logsCall(block.hash))
  const parts = chunks(calls, LOGS_PER_REQUEST).map(async (part) =>
    (await rpc.batch<RawLog[]>(part, { signal })).flatMap(readLogs),
  )
  return (await Promise.all(parts)).flat()
}

/**
 * What every log of blocks tells: a transaction that has logged something has succeeded, and no receipt is needed to tell where its
 * logs begin. Receipts cost a node several times as much.
 */
function outcomesOf({ sources }: FetchContext, all: readonly NodeLog[]): FetchedLogs {
  const outcomes = new Map<Hex, Outcome>()
  for (const [hash, logs] of Map.groupBy(all, ({ transactionHash }) => transactionHash)) {
    outcomes.set(hash, { blockHash: (logs[0] as NodeLog).blockHash, succeeded: true, logs })
  }
  return { logs: all.filter(({ address }) => sources.addresses.has(address)), outcomes }
}

/** The logs of the sources alone. */
async function ownLogs(
  context: FetchContext,
  request: FetchRequest,
  blocks: readonly SlimBlock[],
): Promise<FetchedLogs> {
  const logs = request.logsBy === 'range' ? await logsByRange(context, blocks) : await logsByHash(context, blocks)
  return { logs, outcomes: new Map() }
}

async function logsByRange(context: FetchContext, blocks: readonly SlimBlock[]): Promise<NodeLog[]> {
  const address = [...context.sources.addresses]
  if (address.length === 0) return []
  const range = { from: blocks.at(0)?.block.number ?? 0n, to: blocks.at(-1)?.block.number ?? 0n }
  return readLogs(await logsThrough<RawLog>(context.rpc, { address }, range, { signal: context.signal }))
}

async function logsByHash(context: FetchContext, blocks: readonly SlimBlock[]): Promise<NodeLog[]> {
  const { sources, profile, rpc, signal } = context
  const address = [...sources.addresses]
  const asked = blocks.filter((block) => profile.logsBloom === 'late' || mayContain(block.logsBloom, sources.bloomBits))
  if (address.length === 0 || asked.length === 0) return []
  const calls = asked.map(({ block }) => ({ method: 'eth_getLogs', params: [{ blockHash: block.hash, address }] }))
  return (await rpc.batch<RawLog[]>(calls, { signal })).flatMap(readLogs)
}

/** Per block hash, the hashes of the transactions that touch a source. */
function touchedByHash(blocks: readonly SlimBlock[], logs: readonly NodeLog[]): Map<Hex, Set<Hex>> {
  const touched = new Map(
    blocks.map(({ block, toSource }) => [block.hash, new Set(toSource.map((tx) => lower(tx.hash)))]),
  )
  for (const { blockHash, transactionHash } of logs) {
    const ofBlock = touched.get(blockHash)
    if (!ofBlock) throw new InconsistentNodeError(`a log names block ${blockHash}, which the node did not serve`)
    ofBlock.add(transactionHash)
  }
  return touched
}

/**
 * Receipts say whether a transaction succeeded and where its logs begin in the block, so that an event's place within
 * its transaction does not depend on which contracts are indexed.
 */
async function receiptsOf({ rpc, signal }: FetchContext, hashes: readonly Hex[]): Promise<(readonly [Hex, Outcome])[]> {
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  const receipts = await rpc.batch<RawReceipt | null>(calls, { signal })
  return receipts.flatMap((receipt, index) => {
    if (!receipt) return []
    const { blockHash, status, logs } = receipt
    const outcome = { blockHash: lower(blockHash), succeeded: Number(status) === 1, logs: readLogs(logs) }
    return [[hashes[index] as Hex, outcome] as const]
  })
}

function assemble(
  { sources }: FetchContext,
  { block, byHash }: SlimBlock,
  hashes: ReadonlySet<Hex>,
  outcomes: ReadonlyMap<Hex, Outcome>,
): FetchedBlock {
  const transactions: ChainTransaction[] = []
  const logs: FetchedLog[] = []
  for (const hash of hashes) {
    const transaction = byHash.get(hash)
    const outcome = outcomes.get(hash)
    if (!transaction || outcome?.blockHash !== block.hash) {
      throw new InconsistentNodeError(`the node has no receipt of ${hash} in block ${block.hash}`)
    }
    transactions.push(transactionOf(transaction, outcome))
    logs.push(...ownLogsOf(outcome.logs, sources.addresses))
  }
  transactions.sort((a, b) => a.index - b.index)
  logs.sort((a, b) => a.logIndex - b.logIndex)
  return { block, logs, transactions }
}

const transactionOf = (raw: RawTransaction, outcome: Outcome): ChainTransaction => ({
  hash: lower(raw.hash),
  index: Number(raw.transactionIndex),
  from: lower(raw.from),
  to: raw.to && lower(raw.to),
  input: raw.input,
  valueWei: BigInt(raw.value),
  succeeded: outcome.succeeded,
})
