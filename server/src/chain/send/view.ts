import { numberToHex } from 'viem'
import type { ChainProfile } from '../profiles.ts'
import { quantityOf } from '../quantity.ts'
import type { Rpc, RpcCall, RpcOutcome } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'

/** The newest block of the chain, and what is final by it. */
export interface HeadView {
  readonly headNumber: bigint
  readonly headHash: Hex
  readonly headParentHash: Hex
  /** Highest block that is final by the profile; -1 when there is none. */
  readonly finalNumber: bigint
  readonly readAtMs: number
}

/** What a signer needs to know of the chain, read in one request. */
export interface ChainView extends HeadView {
  readonly baseFeeWei: bigint
  /** The node's suggestion; 0 when it makes none. */
  readonly tipWei: bigint
  /** Transactions of the signer at the head: the next nonce the chain takes. */
  readonly chainNonce: bigint
  readonly balanceWei: bigint
}

export interface RpcBlock {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly baseFeePerGas?: Hex
}

/** Reads the chain as one signer sees it. Throws `RpcError`. */
export async function readView(rpc: Rpc, profile: ChainProfile, signer: Hex, nowMs: number): Promise<ChainView> {
  // The blocks first: what is counted may be a block younger than they are, never older.
  const blocks = headCalls(profile)
  const outcomes = await rpc.outcomes<unknown>([
    ...blocks,
    { method: 'eth_getTransactionCount', params: [signer, 'latest'] },
    { method: 'eth_getBalance', params: [signer, 'latest'] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
  ])
  const { block, view } = headOf(profile, outcomes, nowMs)
  const [count, balance, tip] = outcomes.slice(blocks.length)
  return {
    ...view,
    baseFeeWei: quantityOf('eth_getBlockByNumber', block.baseFeePerGas ?? '0x0'),
    tipWei: tip?.ok && tip.value !== null ? quantityOf('eth_maxPriorityFeePerGas', tip.value) : 0n,
    chainNonce: quantityOf('eth_getTransactionCount', required('eth_getTransactionCount', count)),
    balanceWei: quantityOf('eth_getBalance', required('eth_getBalance', balance)),
  }
}

/** Reads the newest block and what is final by it. Throws `RpcError`. */
export const readHeadView = async (rpc: Rpc, profile: ChainProfile, nowMs: number): Promise<HeadView> =>
  headOf(profile, await rpc.outcomes<unknown>(headCalls(profile)), nowMs).view

const headCalls = ({ finality }: ChainProfile): RpcCall[] =>
  (finality.by === 'tag' ? ['latest', 'finalized'] : ['latest']).map((tag) => ({
    method: 'eth_getBlockByNumber',
    params: [tag, false],
  }))

/** What the answers to `headCalls` say. */
function headOf(
  { finality }: ChainProfile,
  [latest, finalized]: readonly RpcOutcome<unknown>[],
  readAtMs: number,
): { readonly block: RpcBlock; readonly view: HeadView } {
  const block = required<RpcBlock>('eth_getBlockByNumber', latest)
  const headNumber = quantityOf('eth_getBlockByNumber', block.number)
  const finalNumber = finality.by === 'depth' ? headNumber - BigInt(finality.blocks) : finalizedNumber(finalized)
  const view = { headNumber, headHash: block.hash, headParentHash: block.parentHash, finalNumber, readAtMs }
  return { block, view }
}

const COUNT = 'eth_getTransactionCount'

/** Codes of "method not found", "invalid params" and, by EIP-1474, "method not supported". */
const NOT_OFFERED = new Set([-32601, -32602, -32004])

/** By what words nodes without a pool say so. Whatever else they say may pass: they may know what they do not tell. */
const NO_POOL = /\bpending (\w+ )?(is )?(not available|unavailable)|\bnot (supported|implemented)|\bunsupported/i

/** The answer to a count of `pending`; null of a node that says itself that it has none. Throws `RpcError` for every other failure. */
export function pendingCountOf(outcome: RpcOutcome<unknown> | undefined): bigint | null {
  if (!outcome) throw new Error('a JSON-RPC call without an outcome')
  if (outcome.ok) return outcome.value === null ? null : quantityOf(COUNT, outcome.value)
  const { rpc } = outcome.error
  if (rpc && (NOT_OFFERED.has(rpc.code) || NO_POOL.test(rpc.message))) return null
  throw outcome.error
}

/** The signer's next nonce with all that the node has under way; null of a node that says itself that it does not know. Throws `RpcError`. */
export async function pendingCount(rpc: Rpc, signer: Hex): Promise<bigint | null> {
  const [pending] = await rpc.outcomes<unknown>([{ method: COUNT, params: [signer, 'pending'] }])
  return pendingCountOf(pending)
}

/**
 * The signer's next nonce with all that the node has under way; `minedNonce` of a node that says itself that it does not know, as one
 * without a pool does. Throws `RpcError` for whatever may pass, a time-out above all.
 */
export const readPendingNonce = async (rpc: Rpc, signer: Hex, minedNonce: bigint): Promise<bigint> =>
  (await pendingCount(rpc, signer)) ?? minedNonce

/** A chain that has not finalised anything yet has no such block; some nodes say so with an error. */
const finalizedNumber = (outcome: RpcOutcome<unknown> | undefined): bigint =>
  outcome?.ok && outcome.value !== null ? quantityOf('eth_getBlockByNumber', (outcome.value as RpcBlock).number) : -1n

function required<T>(method: string, outcome: RpcOutcome<unknown> | undefined): T {
  if (!outcome) throw new Error('a JSON-RPC call without an outcome')
  if (!outcome.ok) throw outcome.error
  if (outcome.value === null) throw new RpcError('rpc_malformed', method, 'the answer is null')
  return outcome.value as T
}

/**
 * True when `next` cannot be shown to stand on `previous`: blocks were reorganised away, or this node stands behind.
 * Throws `RpcError`.
 */
export async function isUnlinked(rpc: Rpc, previous: HeadView, next: HeadView): Promise<boolean> {
  if (next.headHash === previous.headHash) return false
  if (next.headNumber === previous.headNumber + 1n && next.headParentHash === previous.headHash) return false
  if (next.headNumber <= previous.headNumber) return true
  const number = numberToHex(previous.headNumber)
  const block = await rpc.call<RpcBlock | null>('eth_getBlockByNumber', [number, false])
  return block?.hash !== previous.headHash
}

/** The last view, when all that was mined was there and `next` stands on it; else null. Throws `RpcError`. */
export async function stoodOn(
  rpc: Rpc,
  last: { readonly view: ChainView | null; readonly missesMined: boolean },
  next: HeadView,
): Promise<ChainView | null> {
  if (last.view === null || last.missesMined) return null
  return (await isUnlinked(rpc, last.view, next)) ? null : last.view
}
