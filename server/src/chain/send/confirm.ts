import { quantityOf } from '../quantity.ts'
import type { Hex } from '../types.ts'
import { idsOf, judgeByChain } from './accounting.ts'
import type { SendContext } from './context.ts'
import {
  inFlight,
  type MinedRow,
  minedToCheck,
  type OpenIntent,
  recordMined,
  recordNoncePassed,
  recordVanished,
} from './outcome-store.ts'
import { revertCause } from './revert-data.ts'
import type { ChainView, HeadView } from './view.ts'

const PAGE = 200
const RECEIPT = 'eth_getTransactionReceipt'

interface Receipt {
  readonly transactionHash: Hex
  readonly to: Hex | null
  /** Null from nodes that give a receipt before there is a block. */
  readonly blockNumber: Hex | null
  readonly blockHash: Hex
  readonly gasUsed: Hex
  readonly status: Hex
}

/**
 * Brings intents to what the receipts say: in flight to mined, mined to final, and back to broadcast when the block
 * vanished. An intent fails only when its nonce is used by something else and that is final.
 *
 * @param before the view that this one stands on; null when it stands on none: every mined intent is looked at again. Else only those that
 * it says something new of, and those whose receipt was of a block above it, which it says nothing of
 */
export async function confirm(ctx: SendContext, view: ChainView, before: HeadView | null): Promise<Confirmed> {
  const fresh = await confirmInFlight(ctx, view, before === null)
  const { lost, ahead } = await confirmMined(ctx, view, before)
  return { lost, ahead: ahead || isAhead(view, fresh) }
}

export interface Confirmed {
  /** The intents whose transaction the chain has lost: their bytes are to be broadcast at once. */
  readonly lost: readonly bigint[]
  /** A receipt is of a block above the view's head: whether that one stays shows at the next view. */
  readonly ahead: boolean
}

const isAhead = (view: HeadView, mined: readonly MinedRow[]): boolean =>
  mined.some(({ blockNumber }) => blockNumber > view.headNumber)

async function confirmInFlight(ctx: SendContext, view: ChainView, recheck: boolean): Promise<readonly MinedRow[]> {
  const open = await inFlight(ctx.sql, ctx.lane)
  const usable = open.filter((intent) => intent.nonce >= view.chainNonce && intent.noncePassedBlock !== null)
  if (usable.length > 0) await recordNoncePassed(ctx.sql, ctx.lane, idsOf(usable), null)
  // Only nonces below the chain's count can have a receipt.
  const passed = open.filter((intent) => intent.nonce < view.chainNonce)
  if (passed.length === 0) return []
  const { mined, missing } = await takeReceipts(ctx, view, passed)
  await judgeMissing(ctx, view, recheck, missing)
  return mined
}

/**
 * Intents without a receipt whose nonce is used: noted first, failed when that is final and what used it is not for the same.
 * Where it is, its receipt decides, whenever the node shows it.
 */
async function judgeMissing(
  ctx: SendContext,
  view: ChainView,
  recheck: boolean,
  missing: readonly OpenIntent[],
): Promise<void> {
  // One that blocks were searched for in vain waits for its block, whatever the node shows at the head.
  const unseen = missing.filter(
    ({ noncePassedBlock: block }) => block === null || (recheck && block <= view.headNumber),
  )
  // The count may be a block younger than the head that was read with it.
  if (unseen.length > 0) await recordNoncePassed(ctx.sql, ctx.lane, idsOf(unseen), view.headNumber + 1n)
  const lost = missing.filter(
    ({ noncePassedBlock }) => !recheck && noncePassedBlock !== null && noncePassedBlock <= view.finalNumber,
  )
  if (lost.length === 0) return
  const failed = await judgeByChain(ctx, view, lost)
  if (failed.length > 0)
    ctx.log.error({ signer: ctx.signer.address, ids: failed.map(String) }, 'nonces used by foreign transactions')
}

async function confirmMined(ctx: SendContext, view: ChainView, before: HeadView | null): Promise<Confirmed> {
  const lostIds: bigint[] = []
  let ahead = false
  const { chainNonce, finalNumber } = view
  for (let fromNonce = 0n; ; ) {
    const look = { chainNonce, finalNumber, above: before?.headNumber ?? -1n, fromNonce, limit: PAGE }
    const page = await minedToCheck(ctx.sql, ctx.lane, look)
    const { mined, missing } = await takeReceipts(ctx, view, page)
    ahead ||= isAhead(view, mined)
    lostIds.push(...idsOf(missing))
    // A head below the block says nothing about it but that this node stands behind: only the bytes are sent again.
    const vanished = missing.filter((intent) => (intent.blockNumber ?? 0n) <= view.headNumber)
    if (vanished.length > 0) await recordVanished(ctx.sql, ctx.lane, idsOf(vanished))
    const last = page.at(-1)
    if (!last || page.length < PAGE) break
    fromNonce = last.nonce + 1n
  }
  if (lostIds.length > 0)
    ctx.log.warn({ signer: ctx.signer.address, count: lostIds.length }, 'mined transactions vanished')
  return { lost: lostIds, ahead }
}

/**
 * Records the receipts of these intents and returns them with the intents that have none. The receipt of an empty transaction that fills
 * the nonce of an intent (`bump.ts`) is none of the intent's: its call was not made.
 */
async function takeReceipts(
  ctx: SendContext,
  view: ChainView,
  intents: readonly OpenIntent[],
): Promise<{ mined: readonly MinedRow[]; missing: readonly OpenIntent[] }> {
  if (intents.length === 0) return { mined: [], missing: [] }
  const hashes = intents.flatMap((intent) => intent.attempts.map((attempt) => attempt.hash))
  const receipts = await ctx.rpc.batch<Receipt | null>(hashes.map((hash) => ({ method: RECEIPT, params: [hash] })))
  await ctx.passed('receipts_read')
  const byHash = new Map(hashes.map((hash, index) => [hash, receipts[index] ?? null]))
  const mined: MinedRow[] = []
  const missing: OpenIntent[] = []
  for (const intent of intents) {
    const receipt = intent.attempts
      .map((attempt) => byHash.get(attempt.hash))
      .find((candidate) => candidate?.to?.toLowerCase() === intent.to && candidate.blockNumber !== null)
    if (receipt) mined.push(await minedRow(ctx, view, intent, receipt))
    else missing.push(intent)
  }
  if (mined.length > 0) {
    await recordMined(ctx.sql, ctx.lane, mined)
    await ctx.passed('confirmed')
  }
  return { mined, missing }
}

async function minedRow(ctx: SendContext, view: ChainView, intent: OpenIntent, receipt: Receipt): Promise<MinedRow> {
  const blockNumber = quantityOf(RECEIPT, receipt.blockNumber)
  const gasUsed = quantityOf(RECEIPT, receipt.gasUsed)
  const reverted = quantityOf(RECEIPT, receipt.status) === 0n
  const known = intent.blockHash === receipt.blockHash && intent.revertData !== null ? intent : null
  const mined = { hash: receipt.transactionHash, blockNumber, gasUsed }
  const cause = reverted ? (known ?? (await revertCause(ctx, intent, mined))) : null
  return {
    id: intent.id,
    txHash: receipt.transactionHash,
    blockNumber,
    blockHash: receipt.blockHash,
    gasUsed,
    outcome: reverted ? 'reverted' : 'succeeded',
    revertData: cause?.revertData ?? null,
    problem: cause?.problem ?? null,
    final: blockNumber <= view.finalNumber,
  }
}
