import { inTransaction } from '../../db/pool.ts'
import { max } from '../../lib/bigints.ts'
import { broadcast } from './broadcast.ts'
import type { SendContext } from './context.ts'
import { bumpedFees, type Fees, freshFees, isBeyondCeiling } from './fees.ts'
import { meaningOf } from './node-messages.ts'
import type { Attempt, OpenIntent } from './outcome-store.ts'
import { type Simulation, simulate } from './simulate.ts'
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
  const stuck = open.flatMap((intent) => raisable(ctx, view, intent, fresh))
  if (stuck.length === 0) return
  const calls = stuck.map(({ intent }) => callOf(ctx, intent))
  const simulations = await simulate(ctx, view, calls)
  const replacements: SignedIntent[] = []
  for (const [index, { intent, newest, fees }] of stuck.entries()) {
    const { to, data, valueWei } = calls[index] as Call
    const gasLimit = gasLimitOf(simulations[index], isEmptied(intent) ? 0n : newest.gasLimit)
    if (gasLimit === null) continue
    const { id, nonce } = intent
    const bytes = await ctx.signer.sign(ctx.lane.chainId, { nonce, to, data, valueWei, gasLimit }, fees)
    const signed = { id, nonce, ...bytes, gasLimit, ...fees, headNumber: view.headNumber }
    if (await inTransaction(ctx.sql, (tx) => storeReplacement(tx, ctx.lane, signed))) replacements.push(signed)
  }
  if (replacements.length === 0) return
  ctx.log.info({ signer: ctx.signer.address, count: replacements.length }, 'fees raised')
  await ctx.passed('bump_stored')
  await broadcast(ctx, replacements, 'answered')
}

interface Raise {
  readonly intent: OpenIntent
  readonly newest: Attempt
  readonly fees: Fees
}

/** The intent with the fees to replace it with; none while it is not stuck, or a higher fee cannot help. */
function raisable(ctx: SendContext, view: ChainView, intent: OpenIntent, fresh: Fees): Raise[] {
  const newest = intent.attempts.at(-1)
  if (!newest || !isStuck(ctx, view, intent, newest)) return []
  const fees = bumpedFees(newest, fresh, ctx.profile.fee)
  // What was withdrawn has to be replaced at any price, once: it may be out, and is not broadcast to be mined itself.
  if (isToBeEmptied(intent, newest) || !isBeyondCeiling(fees, fresh)) return [{ intent, newest, fees }]
  ctx.log.warn({ intent: String(intent.id), nonce: String(intent.nonce) }, 'stuck in spite of a tenfold fee')
  return []
}

function isStuck(ctx: SendContext, view: ChainView, intent: OpenIntent, newest: Attempt): boolean {
  if (intent.nonce < view.chainNonce) return false
  if (isToBeEmptied(intent, newest)) return true
  const overtaken = newest.maxFeeWei < view.baseFeeWei
  if (newest.lastAnswer === 'refused' && overtaken) return true
  // A chain that makes no blocks leaves everything behind; a fee does not help there.
  const passedBy = newest.ageMs >= ctx.profile.fee.bumpAfterMs && view.headNumber > newest.headNumber
  return passedBy && (intent.nonce === view.chainNonce || overtaken)
}

const isToBeEmptied = (intent: OpenIntent, newest: Attempt): boolean => intent.isWithdrawn && !newest.isEmpty

/** True when a node said of the intent's bytes that no node will ever take them. */
const isHopeless = ({ attempts }: OpenIntent): boolean =>
  attempts.some(({ lastAnswer, lastMessage }) => lastAnswer === 'refused' && meaningOf(lastMessage ?? '') === 'never')

type Call = Pick<OpenIntent, 'to' | 'data' | 'valueWei' | 'gasLimit' | 'leastGas'>

const isEmptied = (intent: OpenIntent): boolean => intent.isWithdrawn || isHopeless(intent)

/** What is signed anew: the intent's call, or a transfer of nothing from the signer to itself. */
const callOf = (ctx: SendContext, intent: OpenIntent): Call =>
  isEmptied(intent) ? { to: ctx.lane.signer, data: '0x', valueWei: 0n, gasLimit: null, leastGas: null } : intent

/**
 * A call may have come to need more gas while it was stuck, and never gets less than the attempt before. Null while neither is
 * known: the node does not estimate, and what would be replaced was found on chain.
 */
function gasLimitOf(simulation: Simulation | undefined, before: bigint): bigint | null {
  const gasLimit = max(simulation?.kind === 'passed' ? simulation.gasLimit : 0n, before)
  return gasLimit > 0n ? gasLimit : null
}
