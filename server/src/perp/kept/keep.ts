import { OUT_OF_GAS } from '../../chain/send/out-of-gas.ts'
import type { Venue } from '../../http/product.ts'
import { concurrencyLimit } from '../../lib/turns.ts'
import { isOpen } from '../keeper/claim.ts'
import type { Pair, Survey } from '../keeper/survey.ts'
import { perpReverts } from '../reverts/perp-reverts.ts'
import { fire, isLastTry, type KeeperContext } from './fire.ts'
import { isReached, type KeptOrder } from './kept-order.ts'
import { countTry, dueKept, type EndedSend, type Ending, endedSends, endSent, expireKept } from './kept-store.ts'
import { revertedWith } from './kept-view.ts'

/** Wallets whose orders are sent at the same time. */
const WALLETS_AT_ONCE = 16

const EXPIRED: Ending = {
  state: 'expired',
  reason: 'expired',
  message: 'its time passed before the mark reached its price',
}

/**
 * One look at the kept orders: notes what became of those that were sent, ends those whose time has passed, and sends those that
 * the mark has reached. The mark is the contract's at the newest block; a pair that is frozen, or whose market gives no price,
 * sends nothing.
 */
export async function keepOrders(context: KeeperContext, survey: (venue: Venue) => Promise<Survey>): Promise<void> {
  const { venue, chainId } = context
  for (const sent of await endedSends(venue.sql, chainId)) await noteEnd(context, sent)
  const due = await dueKept(venue.sql, chainId)
  if (due.length === 0) return
  const { nowSec, pairs } = await survey(venue)
  await expireKept(venue.sql, chainId, nowSec, EXPIRED)
  const open = new Map(pairs.filter(isOpen).map((pair) => [`${pair.instrument.symbol} ${pair.expiry}`, pair]))
  const oneOfMany = concurrencyLimit(WALLETS_AT_ONCE)
  const rounds = [...ofWallets(due, open)].map((orders) => oneOfMany(() => fireAll(context, orders)))
  const failed = (await Promise.all(rounds)).flat()
  if (failed.length > 0) throw failed[0]
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
function ofWallets(due: readonly KeptOrder[], open: ReadonlyMap<string, Pair>): Iterable<readonly Reached[]> {
  const wallets = new Map<string, Reached[]>()
  for (const order of due) {
    const pair = open.get(`${order.symbol} ${order.expiry}`)
    if (!pair || pair.markWad === null || !isReached(order, pair.markWad)) continue
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
  if (sent.outcome === 'reverted') {
    return endSent(sql, chainId, sent.keptId, { state: 'failed', ...revertedWith(sent.revertData) })
  }
  const why = sent.ranOutOfGas ? RAN_OUT_OF_GAS : whyNotSent(sent)
  if (isLastTry(sent)) return endSent(sql, chainId, sent.keptId, { state: 'failed', ...why })
  return countTry(sql, chainId, sent, 'sent', why)
}
