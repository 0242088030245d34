import { numberToHex } from 'viem'
import { inTransaction } from '../../db/pool.ts'
import { max, min } from '../../lib/bigints.ts'
import { sleep } from '../../lib/clock.ts'
import { quantityOf } from '../quantity.ts'
import type { Rpc, RpcCall } from '../rpc.ts'
import { RpcError } from '../rpc-error.ts'
import type { Hex } from '../types.ts'
import {
  accountedSigners,
  declarePause,
  type FoundTransaction,
  findPause,
  forgetUnderWay,
  insertFoundAttempts,
  insertUnaccounted,
  meetSigner,
  nonceWithoutIntents,
  oldestQueuedSec,
  openNonces,
  unknownNonce,
} from './accounting-store.ts'
import type { SendContext } from './context.ts'
import { meaningOf } from './node-messages.ts'
import { type OpenIntent, recordFailed, recordNoncePassed } from './outcome-store.ts'
import { type ChainView, pendingCountOf, readPendingNonce } from './view.ts'

/** A signer of which the chain, or the node's pool, knows transactions that the database does not. */
export interface BehindSigner {
  readonly address: Hex
  readonly chainNonce: bigint
  /** With all that the node has under way. */
  readonly pendingNonce: bigint
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

/** How long a repeated untagged call still maps to the transaction that a restored database forgot. */
export const REPETITION_GRACE_MS = 600_000
/** Blocks read in one request. */
const BLOCKS_A_REQUEST = 50
/** How far back unaccounted transactions are looked for. */
const MAX_BLOCKS_BACK = 200_000
/** After a search in vain of so many blocks, it is made again when one more is final. */
const BLOCKS_A_REPEAT = 10n
/** So often each part of a search is asked for. */
const TRIES = 3
const RETRY_MS = 500
/** A node keeps the state of about so many blocks. */
const STATE_BLOCKS = 120
const COUNT = 'eth_getTransactionCount'

/**
 * The signers of this chain, all that the database has met, of which the chain or the node's pool knows more transactions than the
 * database does: one that was sent and then forgotten may be mined at any time. The chain is read first: bytes are stored before a
 * node sees them, so a database that is whole always knows at least as much. Throws `RpcError`.
 *
 * @param disputed the first of the signer's own nonces for which a node has other bytes than the database (`disputedNonce`)
 */
export async function behindSigners(ctx: SendContext, disputed: bigint | null): Promise<BehindSigner[]> {
  const met = await accountedSigners(ctx.sql, ctx.lane.chainId)
  const counts = await countsOf(
    ctx.rpc,
    met.map(({ address }) => address),
  )
  const known = await accountedSigners(ctx.sql, ctx.lane.chainId)
  return known.flatMap((signer) => {
    const { address } = signer
    const isDisputed = address === ctx.lane.signer && disputed !== null
    const accountedNonce = isDisputed ? min(disputed, signer.accountedNonce) : signer.accountedNonce
    const { chainNonce, pendingNonce } = counts.get(address) ?? { chainNonce: 0n, pendingNonce: 0n }
    return pendingNonce > accountedNonce ? [{ address, chainNonce, pendingNonce, accountedNonce }] : []
  })
}

/**
 * The lowest nonce of an intent whose bytes no node has ever taken because one has others there: nobody but us signs with this nonce, so
 * the database does not know what it was once sent for. Not of those that are accounted for without an intent: there the others are what a
 * reorganisation has undone. Null when there is none.
 */
export async function disputedNonce({ sql, lane }: SendContext, open: readonly OpenIntent[]): Promise<bigint | null> {
  const disputed = open.filter(({ neverTaken, attempts }) => {
    const newest = attempts.at(-1)
    return neverTaken && newest?.lastAnswer === 'refused' && meaningOf(newest.lastMessage ?? '') === 'replacement'
  })
  // Hardly ever: no look asks the database for it otherwise.
  if (disputed.length === 0) return null
  const first = await nonceWithoutIntents(sql, lane)
  return disputed.find(({ nonce }) => nonce >= first)?.nonce ?? null
}

/** Transactions of each address at the head, and with those that the node has under way. Throws `RpcError`. */
async function countsOf(
  rpc: Rpc,
  addresses: readonly Hex[],
): Promise<Map<Hex, { readonly chainNonce: bigint; readonly pendingNonce: bigint }>> {
  const count = (block: string) => addresses.map((address): RpcCall => ({ method: COUNT, params: [address, block] }))
  const outcomes = await rpc.outcomes([...count('latest'), ...count('pending')])
  return new Map(
    addresses.map((address, index) => {
      const [mined, pending] = [outcomes[index], outcomes[index + addresses.length]]
      if (mined && !mined.ok) throw mined.error
      const chainNonce = quantityOf(COUNT, mined?.value)
      return [address, { chainNonce, pendingNonce: max(pendingCountOf(pending) ?? chainNonce, chainNonce) }]
    }),
  )
}

/**
 * Writes down a signer that this database has never met. What it did before is accounted for, unless intents wait that are
 * older than its last transaction: those may be what it sent. It is counted once so many blocks have passed since it was first looked at
 * that no node can lack what was there then, and at the view's very block, which a node that stands behind does not have: a count that is
 * too low would pause all sending, or have a request signed at a nonce that is used. Answers whether it is met. Throws `RpcError`.
 *
 * @param firstHead the head when this process first looked
 */
export async function meet(
  { sql, rpc, lane, signer, profile }: SendContext,
  view: ChainView,
  firstHead: bigint,
): Promise<boolean> {
  if (view.headNumber < firstHead + BigInt(profile.nodeLagBlocks)) return false
  const counted = quantityOf(COUNT, await rpc.call(COUNT, [lane.signer, numberToHex(view.headNumber)]))
  // The view's own count may be a block younger.
  const chainNonce = max(counted, view.chainNonce)
  const queuedSec = await oldestQueuedSec(sql, lane.chainId, signer.purposes)
  const isOurs =
    queuedSec !== null && chainNonce > 0n && (await hasSentSince(rpc, lane.signer, view, queuedSec, chainNonce))
  await meetSigner(sql, lane, signer.purposes, isOurs ? 0n : chainNonce)
  return true
}

/** False only when the chain shows that the signer's count is what it was before `sinceSec`. */
async function hasSentSince(
  rpc: Rpc,
  signer: Hex,
  { headNumber: head }: ChainView,
  sinceSec: bigint,
  chainNonce: bigint,
): Promise<boolean> {
  const low = head > BigInt(STATE_BLOCKS) ? head - BigInt(STATE_BLOCKS) : 0n
  const blocks = await readBlocks(rpc, low, head, false)
  if (blocks.length <= Number(head - low))
    throw new RpcError('rpc_malformed', 'eth_getBlockByNumber', 'blocks are missing')
  const before = blocks.findLast(({ timestamp }) => BigInt(timestamp) < sinceSec)
  if (!before) return true
  const [then] = await rpc.outcomes([{ method: COUNT, params: [signer, before.number] }])
  return !then?.ok || quantityOf(COUNT, then.value) !== chainNonce
}

/**
 * Stops all sending on the chain because the database stands behind it, with the transactions that it does not know, so
 * that none of them is made again. Throws `RpcError`.
 */
export async function pauseBehind(ctx: SendContext, behind: readonly BehindSigner[]): Promise<void> {
  const open = await openNonces(ctx.sql, ctx.lane.chainId)
  const found = await findUnaccounted(ctx.rpc, behind, open, ctx.over)
  const isUnknown = ({ signer, nonce }: FoundTransaction) =>
    behind.some(({ address, accountedNonce }) => address === signer && nonce >= accountedNonce)
  const detail = behind.map(describe).join('; ')
  const { chainId } = ctx.lane
  await inTransaction(ctx.sql, async (tx) => {
    await declarePause(tx, chainId, 'database_behind_chain', detail)
    await forgetUnderWay(tx, chainId)
    // What was in flight may have been signed again with a higher fee later: that hash belongs to it too.
    await insertFoundAttempts(tx, chainId, found)
    await insertUnaccounted(tx, chainId, found.filter(isUnknown), null)
  })
  ctx.log.error({ chainId, detail, unaccounted: found.length }, 'the database stands behind the chain: nothing is sent')
}

function describe({ address, chainNonce, pendingNonce, accountedNonce }: BehindSigner): string {
  const underWay = pendingNonce > chainNonce ? ` and ${pendingNonce - chainNonce} under way` : ''
  return `${address} has ${chainNonce} on chain${underWay}, ${accountedNonce} here`
}

/** What has been written down of a signer while the database stands behind. */
export interface Noted {
  /** The count up to which all is written down that the node shows. */
  nonce: bigint | null
  /** A count up to which it did not show all, with the newest block and the final one of then. */
  missing: { readonly nonce: bigint; readonly headNumber: bigint; readonly finalNumber: bigint } | null
}

export const nothingNoted = (): Noted => ({ nonce: null, missing: null })

/**
 * While sending is paused because the database stands behind: writes down what of the signer was mined since, as it was under way when
 * the database was put back. Answers the next nonce with all that may yet turn out to be what an intent is for; 0 when nothing may: what
 * is mined and cannot be found, as it is too old, is not waited for. Throws `RpcError`.
 */
export async function noteUnderWay(ctx: SendContext, view: ChainView, noted: Noted): Promise<bigint> {
  const { chainNonce } = view
  if (noted.nonce !== chainNonce) await noteMinedSince(ctx, view, noted)
  const pendingNonce = await readPendingNonce(ctx.rpc, ctx.lane.signer, chainNonce)
  return noted.nonce === chainNonce && pendingNonce <= chainNonce ? 0n : pendingNonce
}

/**
 * Searches once as far back as is worth it, and where that does not find all, once more when the newest block of then is final: of several
 * nodes, the one that showed the blocks may have stood behind the one that told the count.
 */
async function noteMinedSince({ sql, rpc, lane, over }: SendContext, view: ChainView, noted: Noted): Promise<void> {
  const { chainNonce, headNumber, finalNumber } = view
  const before = noted.missing?.nonce === chainNonce ? noted.missing : null
  if (before !== null && before.headNumber > finalNumber) return
  const from = await unknownNonce(sql, lane)
  const wanted = { address: lane.signer, chainNonce, accountedNonce: from }
  const found =
    from < chainNonce ? await findUnaccounted(rpc, [wanted], new Map(), over, max(before?.finalNumber ?? 0n, 0n)) : []
  await inTransaction(sql, (tx) => insertUnaccounted(tx, lane.chainId, found, null))
  const nonces = new Set(found.filter(({ nonce }) => nonce < chainNonce).map(({ nonce }) => nonce))
  const isAll = from + BigInt(nonces.size) >= chainNonce
  if (isAll || before !== null) noted.nonce = chainNonce
  noted.missing = isAll || before !== null ? null : { nonce: chainNonce, headNumber, finalNumber }
}

/**
 * Looks on the chain for what took the nonces of these intents, where the node shows no receipt of the bytes that the database knows: a
 * database that was put back does not know those of a later fee bump. Where it is for the same as the intent, it is noted as an
 * attempt of it. Otherwise the intent has failed, and in the same moment the transaction is noted as unaccounted, as it may be what was
 * asked for by a request that is forgotten. Where the node shows neither, or has not kept blocks from so long ago, the intent stays
 * pending. Answers which have failed. Throws `RpcError`.
 */
export async function judgeByChain(
  { sql, rpc, lane, log, over }: SendContext,
  view: ChainView,
  intents: readonly { readonly id: bigint; readonly nonce: bigint }[],
): Promise<bigint[]> {
  const lowest = intents.map(({ nonce }) => nonce).reduce(min)
  const behind = { address: lane.signer, chainNonce: view.chainNonce, accountedNonce: lowest }
  const { found, blocks, failure } = await searchDown(rpc, [behind], new Map(), over)
  // Where the relayer ends, the next one searches at once: it is no search in vain.
  if (failure !== null && (blocks === 0n || over.aborted)) throw failure
  if (failure !== null) log.warn({ err: failure, signer: lane.signer, blocks: String(blocks) }, 'a search ended early')
  return inTransaction(sql, async (tx) => {
    const adopted = new Set(await insertFoundAttempts(tx, lane.chainId, found))
    const foreign = found.filter(({ nonce }) => intents.some((one) => one.nonce === nonce && !adopted.has(one.id)))
    const failed = idsOf(intents.filter(({ nonce }) => foreign.some((one) => one.nonce === nonce)))
    const open = idsOf(intents).filter((id) => !failed.includes(id))
    // Their receipts are asked for at each look, but blocks are searched again the later the more it took: what is older than all that a
    // node shows is never found.
    if (open.length > 0) await recordNoncePassed(tx, lane, open, view.headNumber + 1n + blocks / BLOCKS_A_REPEAT)
    if (failed.length > 0)
      await recordFailed(tx, lane, failed, 'another transaction of the signer has this nonce and is final')
    // While sending is paused the time for repetitions has not begun.
    const paused = await findPause(tx, lane.chainId)
    const graceMs = paused?.reason === 'database_behind_chain' ? null : REPETITION_GRACE_MS
    await insertUnaccounted(tx, lane.chainId, foreign, graceMs)
    return failed
  })
}

export const idsOf = (intents: readonly { readonly id: bigint }[]): bigint[] => intents.map(({ id }) => id)

/** Whose transactions are searched for, and between which nonces. */
type Wanted = Pick<BehindSigner, 'address' | 'chainNonce' | 'accountedNonce'>

/** The transactions with the nonces that the database does not know or has in flight. Throws `RpcError`. */
async function findUnaccounted(
  rpc: Rpc,
  behind: readonly Wanted[],
  open: ReadonlyMap<Hex, bigint>,
  over: AbortSignal,
  downTo = 0n,
): Promise<readonly FoundTransaction[]> {
  const { found, failure } = await searchDown(rpc, behind, open, over, downTo)
  if (failure !== null) throw failure
  return found
}

/** How far a search came, and what ended it before all was found. */
interface Search {
  readonly found: readonly FoundTransaction[]
  readonly blocks: bigint
  readonly failure: RpcError | null
}

/** Searches from the head down to where all are found, or to as far back as is worth it. An abort of `over` is a failure like the node's. */
async function searchDown(
  rpc: Rpc,
  behind: readonly Wanted[],
  open: ReadonlyMap<Hex, bigint>,
  over: AbortSignal,
  downTo = 0n,
): Promise<Search> {
  const wanted = new Map(
    behind.map(({ address, chainNonce, accountedNonce }) => {
      return [address, { chainNonce, fromNonce: open.get(address) ?? accountedNonce }] as const
    }),
  )
  let missing = [...wanted.values()].reduce((sum, { chainNonce, fromNonce }) => {
    return sum + Number(max(chainNonce - fromNonce, 0n))
  }, 0)
  const found: FoundTransaction[] = []
  const head = await headNumber(rpc)
  const lowest = head - BigInt(MAX_BLOCKS_BACK)
  let high = head
  try {
    while (missing > 0 && high >= downTo && high > lowest) {
      if (over.aborted) throw new RpcError('rpc_interrupted', 'eth_getBlockByNumber', 'the relayer ends')
      const low = high >= BigInt(BLOCKS_A_REQUEST) ? high - BigInt(BLOCKS_A_REQUEST) + 1n : 0n
      const ours = (await readPart(rpc, low, high, over)).flatMap((block) => oursIn(block, wanted))
      missing -= ours.filter(({ signer, nonce }) => nonce < (wanted.get(signer)?.chainNonce ?? 0n)).length
      found.push(...ours)
      high = low - 1n
    }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { found, blocks: head - high, failure: error }
  }
  return { found, blocks: head - high, failure: null }
}

/** Whole blocks. A search of thousands of such requests does not begin anew for one that failed. */
async function readPart(rpc: Rpc, low: bigint, high: bigint, over: AbortSignal): Promise<FullBlock[]> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await readBlocks(rpc, low, high, true)
    } catch (error) {
      if (!(error instanceof RpcError) || left === 0 || over.aborted) throw error
      await sleep(RETRY_MS, over)
    }
  }
}

function oursIn(block: FullBlock, wanted: ReadonlyMap<Hex, { readonly fromNonce: bigint }>): FoundTransaction[] {
  return block.transactions.flatMap(({ hash, from, to, nonce, input, value }) => {
    const signer = from.toLowerCase() as Hex
    const range = wanted.get(signer)
    if (!range || BigInt(nonce) < range.fromNonce) return []
    const call = {
      to: (to?.toLowerCase() ?? null) as Hex | null,
      data: input.toLowerCase() as Hex,
      valueWei: BigInt(value),
    }
    return [{ hash, signer, nonce: BigInt(nonce), ...call, blockNumber: BigInt(block.number) }]
  })
}

const headNumber = async (rpc: Rpc): Promise<bigint> => quantityOf('eth_blockNumber', await rpc.call('eth_blockNumber'))

async function readBlocks(rpc: Rpc, low: bigint, high: bigint, full: boolean): Promise<FullBlock[]> {
  const count = Number(high - low) + 1
  const calls = Array.from({ length: count }, (_, index) => ({
    method: 'eth_getBlockByNumber',
    params: [numberToHex(low + BigInt(index)), full],
  }))
  return (await rpc.batch<FullBlock | null>(calls)).flatMap((block) => (block ? [block] : []))
}
