import type { Sql } from '../db/pool.ts'
import { inParallel } from '../lib/turns.ts'
import { applyBrokerAnswers } from './broker-store.ts'
import { cancelUnsent, countCancel, dueCancels } from './cancel-store.ts'
import type { Broker } from './ports.ts'

/** A cancel without an answer; without an error where the broker does not know the order yet. */
export interface UnansweredCancel {
  readonly clientOrderId: string
  readonly err: unknown
}

const BATCH = 500
const AT_ONCE = 4

/**
 * Sends the broker the cancels that are due. A cancel is a request: the order stays open here until the broker's books say
 * otherwise, and what was filled before is collected as any other execution. An order that was never sent ends at once.
 * Kill-safe: a cancel that is sent twice asks for the same. Resolves to those that the broker did not answer, with why.
 */
export async function sendCancels(sql: Sql, broker: Broker, chainId: number): Promise<readonly UnansweredCancel[]> {
  await cancelUnsent(sql, chainId)
  const unanswered = await inParallel(await dueCancels(sql, chainId, BATCH), AT_ONCE, async (clientOrderId) => {
    await countCancel(sql, chainId, clientOrderId)
    const answer = await broker.cancel(clientOrderId).catch((err: unknown) => ({ err }))
    if (answer === null || 'err' in answer) return [{ clientOrderId, err: answer?.err ?? null }]
    await applyBrokerAnswers(sql, chainId, [answer])
    return []
  })
  return unanswered.flat()
}
