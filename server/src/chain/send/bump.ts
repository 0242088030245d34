import { inTransaction } from '../../db/pool.ts'
import { broadcast } from './broadcast.ts'
import type { SendContext } from './context.ts'
import { bumpedFees, freshFees } from './fees.ts'
import { meaningOf } from './node-messages.ts'
import type { Attempt, OpenIntent } from './outcome-store.ts'
import type { TransactionFields } from './signer.ts'
import { simulate } from './simulate.ts'
import { type SignedIntent, storeReplacement } from './store.ts'
import type { ChainView } from './view.ts'

/**
 * Replaces stuck transactions by ones with a higher fee at the same nonce. Of a signer's transactions only the one at
 * the chain's count can be what is in the way, and those whose fee the base fee has overtaken. One that no node takes any
 * more, but that may be out from an earlier broadcast, is replaced by an empty transaction: whichever of the two is mined
 * decides, and the nonces above are free in either case. So is one that reverted in a block that vanished: its failure may have been
 * told (docs/decisions/told-failures.md).
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
    const fields = await fieldsFor(ctx, view, intent, newest)
    if (!fields) continue
    const bytes = await ctx.signer.sign(ctx.lane.chainId, fields, fees)
    const { nonce, gasLimit } = fields
    const signed = { id: intent.id, nonce, ...bytes, gasLimit, ...fees, headNumber: view.headNumber }
    if (await inTransaction(ctx.sql, (tx) => storeReplacement(tx, ctx.lane, signed))) replacements.push(signed)
  }
  if (replacements.length === 0) return
  ctx.log.info({ signer: ctx.signer.address, count: replacements.length }, 'fees raised')
  await ctx.passed('bump_stored')
  await broadcast(ctx, replacements, 'answered')
}

function isStuck(ctx: SendContext, view: ChainView, intent: OpenIntent, newest: Attempt): boolean {
  if (intent.nonce < view.chainNonce) return false
  if (intent.isWithdrawn && !newest.isEmpty) return true
  const overtaken = newest.maxFeeWei < view.baseFeeWei
  if (newest.lastAnswer === 'refused' && overtaken) return true
  // A chain that makes no blocks leaves everything behind; a fee does not help there.
  const passedBy = newest.ageMs >= ctx.profile.fee.bumpAfterMs && view.headNumber > newest.headNumber
  return passedBy && (intent.nonce === view.chainNonce || overtaken)
}

/** True when a node said of the intent's bytes that no node will ever take them. */
const isHopeless = ({ attempts }: OpenIntent): boolean =>
  attempts.some(({ lastAnswer, lastMessage }) => lastAnswer === 'refused' && meaningOf(lastMessage ?? '') === 'never')

/**
 * What is signed anew: the intent's call, or a transfer of nothing from the signer to itself. Null while the node does not estimate
 * what needs it: the empty one, and a transaction that was found on chain, of which no gas limit is known.
 */
async function fieldsFor(
  ctx: SendContext,
  view: ChainView,
  intent: OpenIntent,
  newest: Attempt,
): Promise<TransactionFields | null> {
  const isEmpty = intent.isWithdrawn || isHopeless(intent)
  const { nonce } = intent
  const { to, data, valueWei } = isEmpty ? { to: ctx.lane.signer, data: '0x' as const, valueWei: 0n } : intent
  if (!isEmpty && newest.gasLimit > 0n) return { nonce, to, data, valueWei, gasLimit: newest.gasLimit }
  const [simulation] = await simulate(ctx, view, [{ to, data, valueWei, gasLimit: null, leastGas: null }])
  return simulation?.kind === 'passed' ? { nonce, to, data, valueWei, gasLimit: simulation.gasLimit } : null
}
