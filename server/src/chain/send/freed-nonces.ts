import { nonceWithoutIntents } from './accounting-store.ts'
import type { SendContext } from './context.ts'
import { type ChainView, pendingCount } from './view.ts'

/** Blocks that pass before a freed nonce is closed: the pools of several nodes take back what a reorganisation undid one after another. */
const FREED_BLOCKS = 5n
/** And where the node does not tell that its pool lacks it: what was put back should be mined by then. */
const FREED_BLOCKS_UNTOLD = 20n

/** Gaps where the chain, as the node shows it, has not used what it had used without an intent. */
export interface Freed {
  /** The first of them; null while there are none. */
  lowest: bigint | null
  /** The head when that one came to be the first. */
  sinceBlock: bigint
  /** Those that are not to be closed: what had used them may be mined there again. */
  left: ReadonlySet<bigint>
}

export const nothingFreed = (): Freed => ({ lowest: null, sinceBlock: 0n, left: new Set() })

/**
 * Which of the gaps are left to the node's pool. A pool takes back what a reorganisation undid: an empty transaction in its place would be
 * refused as a replacement, or end for good what the signer's owner had sent. So some blocks must have passed since those below were used,
 * and the node's pool must lack it by its count. Where it does not say so, the first is closed after more blocks: a higher count may be of
 * what stands above a gap, as some nodes count (Besu, Erigon), and what a pool has and no block takes would hold up all above it.
 * Throws `RpcError`.
 */
export async function leaveToPool(
  ctx: SendContext,
  view: ChainView,
  gaps: readonly bigint[],
  freed: Freed,
): Promise<void> {
  const first = await nonceWithoutIntents(ctx.sql, ctx.lane)
  const nonces = gaps.filter((nonce) => nonce < first)
  const [lowest] = nonces
  if (lowest === undefined) {
    Object.assign(freed, nothingFreed())
    return
  }
  if (freed.lowest === null)
    ctx.log.warn({ signer: ctx.lane.signer, nonces: nonces.map(String) }, 'nonces from before are free again')
  if (freed.lowest !== lowest) Object.assign(freed, { lowest, sinceBlock: view.headNumber })
  const blocks = view.headNumber - freed.sinceBlock
  const lacked = blocks >= FREED_BLOCKS ? await pendingCount(ctx.rpc, ctx.lane.signer) : null
  const isClosed = (nonce: bigint) => nonce === lacked || (nonce === lowest && blocks >= FREED_BLOCKS_UNTOLD)
  freed.left = new Set(nonces.filter((nonce) => !isClosed(nonce)))
}
