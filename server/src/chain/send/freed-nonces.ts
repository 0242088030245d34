import { nonceWithoutIntents } from './accounting-store.ts'
import type { SendContext } from './context.ts'
import { type ChainView, pendingCount } from './view.ts'

/** Blocks that pass before a freed nonce is closed: the pools of several nodes take back what a reorganisation undid one after another. */
const FREED_BLOCKS = 5n
/** And where the node does not tell what its pool has: what was put back should be mined by then. */
const FREED_BLOCKS_UNTOLD = 20n

/** Gaps where the chain, as the node shows it, has not used what it had used without an intent. */
export interface Freed {
  /** The head when there first were some; null while there are none. */
  sinceBlock: bigint | null
  /** Those that are not to be closed: what had used them may be mined there again. */
  left: ReadonlySet<bigint>
}

export const nothingFreed = (): Freed => ({ sinceBlock: null, left: new Set() })

/**
 * Which of the gaps are left to the node's pool. A pool takes back what a reorganisation undid: an empty transaction in its place would be
 * refused as a replacement, or end for good what the signer's owner had sent. Only the first that the pool lacks is closed, once some
 * blocks have passed, as the node's count tells nothing of those above it until then. Throws `RpcError`.
 */
export async function leaveToPool(
  ctx: SendContext,
  view: ChainView,
  gaps: readonly bigint[],
  freed: Freed,
): Promise<void> {
  const first = await nonceWithoutIntents(ctx.sql, ctx.lane)
  const nonces = gaps.filter((nonce) => nonce < first)
  if (nonces.length === 0) {
    Object.assign(freed, nothingFreed())
    return
  }
  if (freed.sinceBlock === null)
    ctx.log.warn({ signer: ctx.lane.signer, nonces: nonces.map(String) }, 'nonces from before are free again')
  freed.sinceBlock ??= view.headNumber
  const pending = await pendingCount(ctx.rpc, ctx.lane.signer)
  const isDue = view.headNumber - freed.sinceBlock >= (pending === null ? FREED_BLOCKS_UNTOLD : FREED_BLOCKS)
  freed.left = new Set(nonces.filter((nonce) => !isDue || (pending !== null && nonce !== pending)))
}
