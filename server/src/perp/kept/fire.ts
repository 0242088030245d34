import { inTransaction } from '../../db/pool.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import { storeSubmission } from '../../delegation/submission.ts'
import { checkUserCall } from '../../delegation/submit.ts'
import { AppError } from '../../lib/errors.ts'
import { chosenDeadline } from '../actions/action.ts'
import { reducing } from '../actions/close.ts'
import type { PerpContext } from '../context.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { PairRefused, type PairState, readPair } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { perpOneClick } from '../sending/one-click.ts'
import { relayedCall, roomFor, sentAction } from '../sending/send.ts'
import { insertSends } from '../sending/send-store.ts'
import { isReached, type KeptOrder, keptTag, reducedBy } from './kept-order.ts'
import { countTry, type Ending, endOpen, lockLink, markSent } from './kept-store.ts'
import { hasNothingLeft } from './nothing-left.ts'

export type KeeperContext = Pick<PerpContext, 'venue' | 'chainId' | 'submitGasPerDay'>

/** Tries after which an order that comes to nothing has failed. */
const MOST_TRIES = 10

/** The position is not there any more: nothing is left that the order could do, once that stands deep enough (`hasNothingLeft`). */
const ENDS: readonly string[] = [perpReasons.position_missing.name, perpReasons.reduce_only_would_increase.name]
/** Passes by itself, and says nothing about the order. */
const PASSES: readonly string[] = [
  perpReasons.perp_chain_unreachable.name,
  perpReasons.reduction_under_way.name,
  delegationReasons.chain_not_answering.name,
  delegationReasons.one_click_unavailable.name,
]

/** How a send ends the orders that its own is linked with. */
export const OF_LINKED: Ending = {
  state: 'cancelled',
  reason: 'linked_order_sent',
  message: 'the order that it is linked with was sent',
}

/**
 * Stores the trade of an order that the mark has reached, with the order's own change in one transaction: a process that dies
 * has done both or neither. What refuses it is noted; what passes by itself is left for the next round, as is a node that shows a block older
 * than the order was judged at, and a position that is gone in blocks that may be undone.
 */
export async function fire(context: KeeperContext, instrument: ListedInstrument, order: KeptOrder): Promise<void> {
  try {
    const pair = await readPair(context.venue, instrument, order.expiry, order.user)
    if (pair.block.height < order.judgedBlock) return
    if (isReached(order, pair.mark) && !hasExpired(order, pair)) await send(context, pair, order)
  } catch (error) {
    // The pair takes no action now: it is frozen, paused or without a price.
    if (error instanceof PairRefused) return
    if (!(error instanceof AppError)) throw error
    if (ENDS.includes(error.reason.name) && !(await hasNothingLeft(context, instrument.address, order))) return
    await noteRefusal(context, order, error)
  }
}

const hasExpired = ({ expiresAtSec }: KeptOrder, { block }: PairState): boolean =>
  expiresAtSec !== null && block.timestampSec >= BigInt(expiresAtSec)

async function send(context: KeeperContext, pair: PairState, order: KeptOrder): Promise<void> {
  const { venue, chainId } = context
  const { user, keptId, slippageBps, expiresAtSec, apiKeyId } = order
  const size = reducedBy(order, pair.portfolio.position.size)
  const deadlineSec = Math.min(chosenDeadline(pair.block, undefined), expiresAtSec ?? Number.POSITIVE_INFINITY)
  const prepared = await reducing(context, user, pair, { size, slippageBps, deadlineSec })
  const oneClick = perpOneClick(context)
  const call = {
    user,
    ...relayedCall(context, user, prepared),
    gasLimit: null,
    spending: null,
    tag: keptTag(keptId),
  }
  const checked = await checkUserCall(oneClick, call)
  await inTransaction(venue.sql, async (tx) => {
    if (!(await lockLink(tx, chainId, order, 'open'))) return
    const caller = { keyId: apiKeyId }
    const dedupeKey = `perp.kept:${keptId}:${order.tries}`
    const { id: intentId } = await storeSubmission(tx, { ...oneClick, caller }, checked, dedupeKey)
    const kept = sentAction('kept', prepared)
    await roomFor(chainId, user, kept, prepared)?.check(tx)
    await insertSends(tx, chainId, [{ kept, intentId, apiKeyId, user }])
    const sent = { intentId, markWad: pair.mark, tradesWad: size, judgedBlock: pair.block.height }
    await markSent(tx, chainId, order, sent, OF_LINKED)
  })
}

async function noteRefusal({ venue, chainId }: KeeperContext, order: KeptOrder, error: AppError): Promise<void> {
  const { name } = error.reason
  if (PASSES.includes(name)) {
    venue.log.debug({ keptId: order.keptId, why: error.message }, 'a kept order waits')
    return
  }
  const why = { reason: revertOf(error) ?? name, message: error.message }
  if (ENDS.includes(name)) await endOpen(venue.sql, chainId, order.keptId, { state: 'cancelled', ...why })
  else if (name === delegationReasons.delegation_not_enabled.name || isLastTry(order)) {
    await endOpen(venue.sql, chainId, order.keptId, { state: 'failed', ...why })
  } else await countTry(venue.sql, chainId, order, 'open', why)
}

/** Whether another try that comes to nothing is the order's last. */
export const isLastTry = ({ tries }: Pick<KeptOrder, 'tries'>): boolean => tries + 1 >= MOST_TRIES

/** The name of the revert that a refusal is about. */
function revertOf({ detail }: AppError): string | null {
  const { revert } = detail as { readonly revert?: { readonly name: string } }
  return revert?.name ?? null
}
