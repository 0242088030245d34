import { decodeFunctionData, maxUint256 } from 'viem'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { operatorPoolAbi } from '../../chain/abi/operator-pool.ts'
import { relayRouterAbi } from '../../chain/abi/relay-router.ts'
import { unaccountedTags } from '../../chain/send/accounting-store.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction } from '../../db/pool.ts'
import { storeSubmission } from '../../delegation/submission.ts'
import { type CheckedCall, callMadeFor } from '../../delegation/submit.ts'
import { newId } from '../../lib/ids.ts'
import { tradeSizeOf } from '../calldata/words.ts'
import { perpOneClick } from '../sending/one-click.ts'
import { insertSends } from '../sending/send-store.ts'
import { type KeeperContext, OF_LINKED } from './fire.ts'
import { type KeptOrder, keptTag } from './kept-order.ts'
import { lockLink, markSent, openKept } from './kept-store.ts'

/**
 * Notes the sends of open orders that the chain has and the database has forgotten, as one that was put back has: the relayer then takes
 * the transaction over, and what it did is the order's end. Before anything is judged, since the mark may have left the order's price and reached
 * that of the one that it is linked with, and the position may be gone by that very trade.
 */
export async function noteMade(context: KeeperContext): Promise<void> {
  const { venue, chainId } = context
  const oneClick = perpOneClick(context)
  const tags = await unaccountedTags(venue.sql, chainId, oneClick.oneClick.pool)
  if (tags.size === 0) return
  for (const order of await openKept(venue.sql, chainId)) {
    const tag = keptTag(order.keptId)
    const made = tags.has(tag.slice(2)) && (await callMadeFor(oneClick, order.user, tag))
    if (made) await noteSend(context, order, made)
  }
}

/** The mark that it was sent at is forgotten. */
async function noteSend(context: KeeperContext, order: KeptOrder, made: CheckedCall): Promise<void> {
  const { venue, chainId } = context
  const { user, keptId, apiKeyId, tries, judgedBlock } = order
  await inTransaction(venue.sql, async (tx) => {
    if (!(await lockLink(tx, chainId, order, 'open'))) return
    // Its gas is spent already: no budget has to allow it.
    const terms = { ...perpOneClick(context), budget: maxUint256, caller: { keyId: apiKeyId } }
    const { id: intentId } = await storeSubmission(tx, terms, made, `perp.kept:${keptId}:${tries}`)
    // Nor does what is mined take room from others.
    const kept = { id: newId(), action: 'kept', orders: [], trade: null }
    await insertSends(tx, chainId, [{ kept, intentId, apiKeyId, user }])
    const sent = { intentId, markWad: null, tradesWad: tradedBy(made.data), judgedBlock }
    await markSent(tx, chainId, order, sent, OF_LINKED)
  })
}

/** Signed base that a call of the pool trades. */
function tradedBy(data: Hex): bigint {
  const executed = decodeFunctionData({ abi: operatorPoolAbi, data })
  if (executed.functionName !== 'execute') throw new Error(`no kept order is sent by ${executed.functionName}`)
  const relayed = decodeFunctionData({ abi: relayRouterAbi, data: executed.args[3] })
  if (relayed.functionName !== 'batch') throw new Error(`no kept order is sent by ${relayed.functionName}`)
  const traded = decodeFunctionData({ abi: instrumentAbi, data: relayed.args[3] })
  if (traded.functionName !== 'tradeFor') throw new Error(`no kept order is sent by ${traded.functionName}`)
  return tradeSizeOf(traded.args[1])
}
