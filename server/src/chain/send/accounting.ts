import { inTransaction } from '../../db/pool.ts'
import { min } from '../../lib/bigints.ts'
import type { Rpc } from '../rpc.ts'
import type { Hex } from '../types.ts'
import {
  accountedSigners,
  declarePause,
  forgetUnderWay,
  insertFoundAttempts,
  insertUnaccounted,
  meetSigner,
  oldestQueuedSec,
  openNonces,
  type Unaccounted,
  unknownNonce,
} from './accounting-store.ts'
import type { SendContext } from './context.ts'

/** A signer of which the chain knows transactions that the database does not. */
export interface BehindSigner {
  readonly address: Hex
  readonly chainNonce: bigint
  readonly accountedNonce: bigint
}

interface FullBlock {
  readonly number: Hex
  readonly timestamp: Hex
  readonly transactions: readonly {
    readonly hash: Hex
    readonly from: Hex
    readonly to: Hex | null
    readonly nonce: Hex
    readonly input: Hex
    readonly value: Hex
  }[]
}

/** For so long a client's repetition of a call without a tag that was lost leads to the transaction that made it. */
export const REPETITION_GRACE_MS = 600_000
/** Blocks read in one request. */
const BLOCKS_A_REQUEST = 50
/** How far back unaccounted transactions are looked for. */
const MAX_BLOCKS_BACK = 200_000
/** A node keeps the state of about so many blocks. */
const STATE_BLOCKS = 120

/**
 * The signers of this chain, all that the database has met, of which the chain knows more transactions than the database
 * does. The chain is read first: bytes are stored before a node sees them, so a database that is whole always knows at
 * least as much. Throws `RpcError`.
 */
export async function behindSigners(ctx: SendContext): Promise<BehindSigner[]> {
  await meet(ctx)
  const met = await accountedSigners(ctx.sql, ctx.lane.chainId)
  const chainNonces = await chainNoncesOf(
    ctx.rpc,
    met.map(({ address }) => address),
  )
  const known = await accountedSigners(ctx.sql, ctx.lane.chainId)
  return known.flatMap(({ address, accountedNonce }) => {
    const chainNonce = chainNonces.get(address) ?? 0n
    return chainNonce > accountedNonce ? [{ address, chainNonce, accountedNonce }] : []
  })
}

/** Transactions of each address at the head. Throws `RpcError`. */
export async function chainNoncesOf(rpc: Rpc, addresses: readonly Hex[]): Promise<Map<Hex, bigint>> {
  const counts = await rpc.batch<Hex>(
    addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] })),
  )
  return new Map(addresses.map((address, index) => [address, BigInt(counts[index] as Hex)]))
}

/**
 * Writes down a signer that this database has never met. What it did before is accounted for, unless intents wait that are
 * older than its last transaction: those may be what it sent.
 */
async function meet({ sql, rpc, lane, signer }: SendContext): Promise<void> {
  const met = await accountedSigners(sql, lane.chainId)
  if (met.some(({ address }) => address === lane.signer)) return
  const chainNonce = (await chainNoncesOf(rpc, [lane.signer])).get(lane.signer) ?? 0n
  const queuedSec = await oldestQueuedSec(sql, lane.chainId, signer.purposes)
  const isOurs = queuedSec !== null && chainNonce > 0n && (await hasSentSince(rpc, lane.signer, chainNonce, queuedSec))
  await meetSigner(sql, lane, signer.purposes, isOurs ? 0n : chainNonce)
}

/** False only when the chain shows that the signer's count is what it was before `sinceSec`. */
async function hasSentSince(rpc: Rpc, signer: Hex, chainNonce: bigint, sinceSec: bigint): Promise<boolean> {
  const head = BigInt(await rpc.call<Hex>('eth_blockNumber'))
  const low = head > BigInt(STATE_BLOCKS) ? head - BigInt(STATE_BLOCKS) : 0n
  const blocks = await readBlocks(rpc, low, head, false)
  const before = blocks.findLast(({ timestamp }) => BigInt(timestamp) < sinceSec)
  if (!before) return true
  const [then] = await rpc.outcomes<Hex>([{ method: 'eth_getTransactionCount', params: [signer, before.number] }])
  return !then?.ok || BigInt(then.value) !== chainNonce
}

/**
 * Stops all sending on the chain because the database stands behind it, with the transactions that it does not know, so
 * that none of them is made again. Throws `RpcError`.
 */
export async function pauseBehind(ctx: SendContext, behind: readonly BehindSigner[]): Promise<void> {
  const open = await openNonces(ctx.sql, ctx.lane.chainId)
  const found = await findUnaccounted(ctx.rpc, behind, open)
  const isUnknown = ({ signer, nonce }: Unaccounted) =>
    behind.some(({ address, accountedNonce }) => address === signer && nonce >= accountedNonce)
  const detail = behind
    .map(({ address, chainNonce, accountedNonce }) => `${address} has ${chainNonce} on chain, ${accountedNonce} here`)
    .join('; ')
  const { chainId } = ctx.lane
  await inTransaction(ctx.sql, async (tx) => {
    await declarePause(tx, chainId, 'database_behind_chain', detail)
    await forgetUnderWay(tx, chainId)
    await insertUnaccounted(tx, chainId, found.filter(isUnknown), null)
    // What was in flight may have been signed again with a higher fee later: that hash belongs to it too.
    await insertFoundAttempts(tx, chainId, found)
  })
  ctx.log.error({ chainId, detail, unaccounted: found.length }, 'the database stands behind the chain: nothing is sent')
}

/**
 * While sending is paused because the database stands behind: what of the signer was mined since is written down too, as it was under
 * way when the database was put back. Throws `RpcError`.
 */
export async function noteMinedSince({ sql, rpc, lane }: SendContext, chainNonce: bigint): Promise<void> {
  const from = await unknownNonce(sql, lane)
  if (chainNonce <= from) return
  const found = await findUnaccounted(rpc, [{ address: lane.signer, chainNonce, accountedNonce: from }], new Map())
  await inTransaction(sql, (tx) => insertUnaccounted(tx, lane.chainId, found, null))
}

/**
 * Looks on the chain for what took the nonces of these intents, where none of the bytes that the database knows did: a database
 * that was put back does not know those of a later fee bump. Where it makes the intent's call it is noted as an attempt of it, and
 * otherwise as unaccounted: it may be what was asked for by a request that is forgotten. Answers which intents have one now. Throws `RpcError`.
 */
export async function adoptMined(
  { sql, rpc, lane }: SendContext,
  chainNonce: bigint,
  intents: readonly { readonly id: bigint; readonly nonce: bigint }[],
): Promise<ReadonlySet<bigint>> {
  const lowest = intents.map(({ nonce }) => nonce).reduce(min)
  const found = await findUnaccounted(rpc, [{ address: lane.signer, chainNonce, accountedNonce: lowest }], new Map())
  return inTransaction(sql, async (tx) => {
    const adopted = new Set(await insertFoundAttempts(tx, lane.chainId, found))
    const foreign = new Set(intents.filter(({ id }) => !adopted.has(id)).map(({ nonce }) => nonce))
    const unknown = found.filter(({ nonce }) => foreign.has(nonce))
    await insertUnaccounted(tx, lane.chainId, unknown, REPETITION_GRACE_MS)
    return adopted
  })
}

/**
 * The transactions with the nonces that the database does not know or has in flight, from the head down to where all are
 * found.
 */
async function findUnaccounted(
  rpc: Rpc,
  behind: readonly BehindSigner[],
  open: ReadonlyMap<Hex, bigint>,
): Promise<Unaccounted[]> {
  const wanted = new Map(
    behind.map(({ address, chainNonce, accountedNonce }) => {
      return [address, { chainNonce, fromNonce: open.get(address) ?? accountedNonce }] as const
    }),
  )
  let missing = [...wanted.values()].reduce((sum, { chainNonce, fromNonce }) => sum + Number(chainNonce - fromNonce), 0)
  const found: Unaccounted[] = []
  let high = BigInt(await rpc.call<Hex>('eth_blockNumber'))
  const lowest = high - BigInt(MAX_BLOCKS_BACK)
  while (missing > 0 && high >= 0n && high > lowest) {
    const low = high >= BigInt(BLOCKS_A_REQUEST) ? high - BigInt(BLOCKS_A_REQUEST) + 1n : 0n
    const ours = (await readBlocks(rpc, low, high, true)).flatMap((block) => oursIn(block, wanted))
    missing -= ours.filter(({ signer, nonce }) => nonce < (wanted.get(signer)?.chainNonce ?? 0n)).length
    found.push(...ours)
    high = low - 1n
  }
  return found
}

function oursIn(block: FullBlock, wanted: ReadonlyMap<Hex, { readonly fromNonce: bigint }>): Unaccounted[] {
  return block.transactions.flatMap(({ hash, from, to, nonce, input, value }) => {
    const signer = from.toLowerCase() as Hex
    const range = wanted.get(signer)
    if (!range || to === null || BigInt(nonce) < range.fromNonce) return []
    const call = { to: to.toLowerCase() as Hex, data: input.toLowerCase() as Hex, valueWei: BigInt(value) }
    return [{ hash, signer, nonce: BigInt(nonce), ...call, blockNumber: BigInt(block.number) }]
  })
}

async function readBlocks(rpc: Rpc, low: bigint, high: bigint, full: boolean): Promise<FullBlock[]> {
  const count = Number(high - low) + 1
  const calls = Array.from({ length: count }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [`0x${(low + BigInt(index)).toString(16)}`, full],
  }))
  return (await rpc.batch<FullBlock | null>(calls)).flatMap((block) => (block ? [block] : []))
}
