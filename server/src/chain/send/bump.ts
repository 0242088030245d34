import { inTransaction } from '../../db/pool.ts'
import { broadcast } from './broadcast.ts'
import type { SendContext } from './context.ts'
import { bumpedFees, freshFees } from './fees.ts'
import type { Attempt, OpenIntent } from './outcome-store.ts'
import { type SignedIntent, storeReplacement } from './store.ts'
import type { ChainView } from './view.ts'

/**
 * Replaces stuck transactions by ones with a higher fee at the same nonce. Of a signer's transactions only the one at
 * the chain's count can be what is in the way, and those whose fee the base fee has overtaken.
 */
export async function bumpStuck(ctx: SendContext, view: ChainView, open: readonly OpenIntent[]): Promise<void> {
  const fresh = freshFees(view.baseFeeWei, view.tipWei, ctx.profile.fee)
  const replacements: SignedIntent[] = []
  for (const intent of open) {
    const newest = intent.attempts.at(-1)
    if (!newest || !isStuck(ctx, view, intent, newest)) continue
    const fees = bumpedFees(newest, fresh, ctx.profile.fee)
    if (!fees) {
      ctx.log.warn({ intent: String(intent.id), nonce: String(intent.nonce) }, 'stuck in spite of a tenfold fee')
      continue
    }
    const { gasLimit } = newest
    const bytes = await ctx.signer.sign(ctx.lane.chainId, { ...intent, gasLimit }, fees)
    const signed = { id: intent.id, nonce: intent.nonce, ...bytes, gasLimit, ...fees, headNumber: view.headNumber }
    if (await inTransaction(ctx.sql, (tx) => storeReplacement(tx, ctx.lane, signed))) replacements.push(signed)
  }
  if (replacements.length === 0) return
  ctx.log.info({ signer: ctx.signer.address, count: replacements.length }, 'fees raised')
  await ctx.passed('bump_stored')
  await broadcast(ctx, replacements, 'answered')
}

function isStuck(ctx: SendContext, view: ChainView, intent: OpenIntent, newest: Attempt): boolean {
  if (intent.nonce < view.chainNonce) return false
  const overtaken = newest.maxFeeWei < view.baseFeeWei
  if (newest.lastAnswer === 'refused' && overtaken) return true
  // A chain that makes no blocks leaves everything behind; a fee does not help there.
  const passedBy = newest.ageMs >= ctx.profile.fee.bumpAfterMs && view.headNumber > newest.headNumber
  return passedBy && (intent.nonce === view.chainNonce || overtaken)
}
