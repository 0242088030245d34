import { classifySend, type SendAnswer } from './classify.ts'
import { rebroadcastAfterMs, type SendContext } from './context.ts'
import { finalFrom, inFlight } from './outcome-store.ts'
import type { SendStep } from './steps.ts'
import {
  type Broadcast,
  countBroadcasts,
  type RecordedAnswer,
  recordAnswers,
  rejectSigned,
  releaseNonce,
} from './store.ts'
import type { ChainView } from './view.ts'

/** Delay before bytes with an unknown fate are followed up. */
const FOLLOW_UP_MS = 1000

/** The outcome of a round of broadcasts. */
export interface BroadcastResult {
  /** A node said that the balance does not suffice. */
  readonly outOfFunds: boolean
  /** The view of the chain is out of date: fees or nonces moved. */
  readonly viewStale: boolean
}

/**
 * Hands stored bytes, whose broadcast is already counted, to the node once, in nonce order, and writes down the answers.
 * Nothing is thrown for what a node says; a time-out counts as sent.
 */
export async function broadcast(
  ctx: SendContext,
  items: readonly Broadcast[],
  answeredStep: SendStep,
): Promise<BroadcastResult> {
  if (items.length === 0) return { outOfFunds: false, viewStale: false }
  const outcomes = await ctx.rpc.outcomes<string>(
    items.map((item) => ({ method: 'eth_sendRawTransaction', params: [item.rawTx] })),
  )
  await ctx.passed(answeredStep)
  const answers = outcomes.map(classifySend)
  await recordAnswers(
    ctx.sql,
    ctx.lane,
    items.map((item, index) => recorded(ctx, item, answers[index] as SendAnswer)),
  )
  await ctx.passed('recorded')
  // From the highest nonce down: an intent leaves its nonce only when none that must follow it stands above.
  for (const [index, item] of [...items.entries()].reverse())
    await settleRefusal(ctx, item, answers[index] as SendAnswer)
  return {
    outOfFunds: answers.some((answer) => answer.kind === 'refused' && answer.cause === 'funds'),
    viewStale: answers.some((answer) => answer.kind === 'refused' || answer.kind === 'nonce_too_low'),
  }
}

function recorded(ctx: SendContext, item: Broadcast, answer: SendAnswer): RecordedAnswer {
  const { id, nonce, hash } = item
  const againInMs = answer.kind === 'unknown' ? FOLLOW_UP_MS : rebroadcastAfterMs(ctx.profile)
  return { id, nonce, hash, answer: answer.kind, message: answer.message, againInMs }
}

/** A refused intent leaves its nonce where that is certainly safe; else it stays, and its bytes or its fee are tried again. */
async function settleRefusal(ctx: SendContext, item: Broadcast, answer: SendAnswer): Promise<void> {
  if (answer.kind === 'accepted') return
  const note = { signer: ctx.signer.address, intent: String(item.id), nonce: String(item.nonce), answer }
  ctx.log.warn(note, 'a broadcast was not plainly accepted')
  if (answer.kind !== 'refused' || answer.cause === 'replacement') return
  if (answer.cause === 'never') await rejectSigned(ctx.sql, ctx.lane, item.id, item.nonce, answer.message)
  else await releaseNonce(ctx.sql, ctx.lane, item.id, item.nonce)
}

/** Broadcasts the newest bytes of intents in flight once more; each broadcast is counted before it is made. */
export async function rebroadcast(ctx: SendContext, ids: readonly bigint[]): Promise<BroadcastResult> {
  if (ids.length === 0) return { outOfFunds: false, viewStale: false }
  const items = await countBroadcasts(ctx.sql, ctx.lane, ids, rebroadcastAfterMs(ctx.profile))
  await ctx.passed('resend_counted')
  return await broadcast(ctx, items, 'resent')
}

/** Broadcasts intents in flight once more of which nothing was heard for long enough. */
export async function rebroadcastDue(ctx: SendContext, view: ChainView): Promise<void> {
  const open = await inFlight(ctx.sql, ctx.lane)
  const due = open.filter((intent) => intent.broadcastDue && intent.nonce >= view.chainNonce)
  await rebroadcast(
    ctx,
    due.map((intent) => intent.id),
  )
}

const PAGE = 100

/**
 * Broadcasts final intents again that a chain lacks which stands behind, as an embedded one does after a hard kill. Their
 * state stays: the same bytes are mined again at the same nonces. A node that merely lags knows them and says so.
 */
export async function rebroadcastFinal(ctx: SendContext, chainNonce: bigint): Promise<void> {
  for (let fromNonce = chainNonce; ; ) {
    const page = await finalFrom(ctx.sql, ctx.lane, fromNonce, PAGE)
    const last = page.at(-1)
    if (!last) return
    ctx.log.warn({ signer: ctx.signer.address, count: page.length }, 'the chain lacks final transactions')
    await broadcast(ctx, page, 'resent')
    fromNonce = last.nonce + 1n
  }
}
