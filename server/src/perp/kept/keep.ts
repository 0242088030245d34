import { blockCall } from '../../chain/on-block.ts'
import { chainProfile } from '../../chain/profiles.ts'
import type { Rpc } from '../../chain/rpc.ts'
import { OUT_OF_GAS } from '../../chain/send/out-of-gas.ts'
import type { Hex } from '../../chain/types.ts'
import { inTransaction, type Tx } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { concurrencyLimit } from '../../lib/turns.ts'
import { isOpen } from '../keeper/claim.ts'
import type { Pair, Survey } from '../keeper/survey.ts'
import { STATUS } from '../listing/states.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'
import { fire, isLastTry, type KeeperContext, OF_LINKED } from './fire.ts'
import { isReached, type KeptOrder } from './kept-order.ts'
import {
  countTry,
  type DueOrder,
  dueKept,
  type EndedSend,
  type Ending,
  endBesides,
  endedSends,
  endOpen,
  endSent,
  expireKept,
  lockLink,
  type RevertedSend,
  reopenLinked,
  revertedSends,
} from './kept-store.ts'
import { revertedWith } from './kept-view.ts'
import { noteMade } from './made.ts'

/** Wallets whose orders are sent at the same time. */
const WALLETS_AT_ONCE = 16

const EXPIRED: Ending = {
  state: 'expired',
  reason: 'expired',
  message: 'its time passed before the mark reached its price',
}

const SETTLED: Ending = {
  state: 'cancelled',
  reason: 'pair_settled',
  message: 'the pair is settled: nothing is traded in it any more',
}

/** An order of a pair that is not there counts as one of a pair that is gone once it is older: a reorganisation may take a new one away. */
const PAIR_SHOWN_AFTER_SEC = 600

/**
 * One look at the kept orders: notes what became of those that were sent, and which had been where the database has forgotten it, ends those whose time has passed or whose pair has
 * settled, and sends those that the mark has reached. The mark is the contract's at the newest block; a pair that is frozen, or
 * whose market gives no price, sends nothing. A node that lags behind the block of an order's making, or of its last send, says
 * nothing about it.
 */
export async function keepOrders(context: KeeperContext, survey: (venue: Venue) => Promise<Survey>): Promise<void> {
  const { venue, chainId } = context
  await endBesides(venue.sql, chainId, OF_LINKED)
  for (const sent of await endedSends(venue.sql, chainId)) await noteEnd(context, sent)
  await reopenAfterReverts(context)
  await noteMade(context)
  const waiting = await dueKept(venue.sql, chainId)
  if (waiting.length === 0) return
  const surveyed = await survey(venue)
  const { blockNumber, nowSec } = surveyed
  await expireKept(venue.sql, chainId, nowSec, EXPIRED)
  const due = waiting.filter(({ judgedBlock }) => judgedBlock <= blockNumber)
  const named = pairsByName(surveyed)
  await endSettled(context, due, named)
  const oneOfMany = concurrencyLimit(WALLETS_AT_ONCE)
  const rounds = [...ofWallets(due, named)].map((orders) => oneOfMany(() => fireAll(context, orders)))
  const failed = (await Promise.all(rounds)).flat()
  if (failed.length > 0) throw failed[0]
}

const nameOf = (symbol: string, expiry: number): string => `${symbol} ${expiry}`

/**
 * Each pair by symbol and expiry. Of instruments with one symbol the first counts, also while it has no pair: a request that names it is
 * about that one.
 */
function pairsByName({ instruments, pairs }: Survey): ReadonlyMap<string, Pair> {
  const first = new Map<string, Hex>()
  for (const { symbol, address } of instruments) if (!first.has(symbol)) first.set(symbol, address)
  return new Map(
    pairs
      .filter(({ instrument: { symbol, address } }) => first.get(symbol) === address)
      .map((pair) => [nameOf(pair.instrument.symbol, pair.expiry), pair]),
  )
}

/** Ends the orders whose pair has settled, or was deleted after that. While it settles it is still traded. */
async function endSettled(
  { venue, chainId }: KeeperContext,
  due: readonly DueOrder[],
  pairs: ReadonlyMap<string, Pair>,
): Promise<void> {
  for (const { keptId, symbol, expiry, ageSec } of due) {
    const pair = pairs.get(nameOf(symbol, expiry))
    const isOver = pair ? pair.amm.status === STATUS.SETTLED : ageSec > PAIR_SHOWN_AFTER_SEC
    if (isOver) await endOpen(venue.sql, chainId, keptId, SETTLED)
  }
}

/** Resolves to what went wrong: one order must not hold up another. */
async function fireAll(context: KeeperContext, orders: readonly Reached[]): Promise<unknown[]> {
  const failed: unknown[] = []
  for (const { order, pair } of orders) {
    await fire(context, pair.instrument, order).catch((error: unknown) => failed.push(error))
  }
  return failed
}

interface Reached {
  readonly order: KeptOrder
  readonly pair: Pair
}

/** Orders that the mark has reached, wallet by wallet: those of one wallet may be about one position. */
function ofWallets(due: readonly KeptOrder[], pairs: ReadonlyMap<string, Pair>): Iterable<readonly Reached[]> {
  const wallets = new Map<string, Reached[]>()
  for (const order of due) {
    const pair = pairs.get(nameOf(order.symbol, order.expiry))
    if (!pair || !isOpen(pair) || pair.markWad === null || !isReached(order, pair.markWad)) continue
    wallets.set(order.user, [...(wallets.get(order.user) ?? []), { order, pair }])
  }
  return wallets.values()
}

const RAN_OUT_OF_GAS = { reason: 'out_of_gas', message: OUT_OF_GAS }

const whyNotSent = ({ revertData, problem }: EndedSend) => ({
  reason: perpReverts.decode(revertData)?.name ?? 'not_sent',
  message: problem ?? 'the transaction was not sent',
})

/** What was mined has its effect, or none for good; what never was, or ran out of gas, may be tried again. */
async function noteEnd({ venue, chainId }: KeeperContext, sent: EndedSend): Promise<void> {
  const { sql } = venue
  if (sent.outcome === 'succeeded') {
    return endSent(sql, chainId, sent.keptId, { state: 'done', reason: null, message: null })
  }
  // A send that came to nothing has cancelled nothing: without its linked stop-loss the position would be left unprotected.
  await inTransaction(sql, async (tx) => {
    if (!(await lockLink(tx, chainId, sent, 'sent'))) return
    await noteNothing(tx, chainId, sent)
    await reopenLinked(tx, chainId, sent, OF_LINKED)
  })
}

/**
 * A trade that reverted has left the position as it was, and what it cancelled is needed again long before its block is final: it is open
 * again once the keeper may act on the block. What ran out of gas is sent again itself, once it is final.
 */
async function reopenAfterReverts({ venue, chainId }: KeeperContext): Promise<void> {
  const { sql, rpc } = venue
  const reverted = await revertedSends(sql, chainId, OF_LINKED)
  if (reverted.length === 0) return
  for (const sent of await inDeepBlocks(rpc, reverted, BigInt(chainProfile(chainId).actDepth))) {
    await inTransaction(sql, async (tx) => {
      if (await lockLink(tx, chainId, sent, 'sent')) await reopenLinked(tx, chainId, sent, OF_LINKED)
    })
  }
}

/**
 * Those whose very block the node has, that many blocks deep. A reorganisation may have put another in its place, in which the trade
 * succeeded, and the relayer, when it stands still, does not say so.
 */
async function inDeepBlocks(rpc: Rpc, reverted: readonly RevertedSend[], depth: bigint): Promise<RevertedSend[]> {
  const [head, ...blocks] = await rpc.batch<unknown>([
    { method: 'eth_blockNumber', params: [] },
    ...reverted.map(({ blockNumber }) => blockCall(blockNumber)),
  ])
  return reverted.filter(({ blockNumber, blockHash }, nth) => {
    const block = blocks[nth] as { readonly hash: Hex } | null
    return block?.hash === blockHash && BigInt(head as Hex) - blockNumber + 1n >= depth
  })
}

async function noteNothing(tx: Tx, chainId: number, sent: EndedSend): Promise<void> {
  const fail = (why: Pick<Ending, 'reason' | 'message'>) =>
    endSent(tx, chainId, sent.keptId, { state: 'failed', ...why })
  if (sent.outcome === 'reverted') return fail(revertedWith(sent.revertData))
  const why = sent.ranOutOfGas ? RAN_OUT_OF_GAS : whyNotSent(sent)
  return isLastTry(sent) ? fail(why) : countTry(tx, chainId, sent, 'sent', why)
}
