import type { Sql } from '../db/pool.ts'
import { inParallel } from '../lib/turns.ts'
import { applyBrokerAnswers } from './broker-store.ts'
import { cancelUnsent, countCancel, dueCancels } from './cancel-store.ts'
import type { Broker, BrokerOrder } from './ports.ts'

/** A cancel without an answer; without an error where the broker does not know the order yet. */
export interface UnansweredCancel {
  readonly clientOrderId: string
  readonly err: unknown
}

const BATCH = 500
const AT_ONCE = 4

/**
 * Sends the broker the cancels that are due. A cancel is a request: the order stays open here until the broker's books say
 * otherwise, and what was filled before is collected as any other execution. An order that was never sent ends once the broker
 * says that it has none: a database that was put back to an earlier state does not know what it had sent. Kill-safe: a cancel
 * that is sent twice asks for the same. Resolves to those that the broker did not answer, with why.
 */
export async function sendCancels(sql: Sql, broker: Broker, chainId: number): Promise<readonly UnansweredCancel[]> {
  const unanswered = await inParallel(await dueCancels(sql, chainId, BATCH), AT_ONCE, async (due) => {
    const { clientOrderId, isUnsent } = due
    await countCancel(sql, chainId, clientOrderId)
    const asked = isUnsent ? standing(broker, clientOrderId) : broker.cancel(clientOrderId)
    const answer = await asked.catch((err: unknown) => ({ err }))
    if (answer === null && isUnsent && (await cancelUnsent(sql, chainId, clientOrderId))) return []
    if (answer === null || 'err' in answer) return [{ clientOrderId, err: answer?.err ?? null }]
    await applyBrokerAnswers(sql, chainId, [answer])
    return []
  })
  return unanswered.flat()
}

/** How an order stands at the broker; null when it has none. One that stands is cancelled the next time. */
const standing = async (broker: Broker, clientOrderId: string): Promise<BrokerOrder | null> =>
  (await broker.findOrders([clientOrderId]))[0] ?? null
