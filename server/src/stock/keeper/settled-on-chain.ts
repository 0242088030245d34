import { inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { markSettled, reopenExecutions } from '../../market/broker-orders.ts'
import { executionsByChain } from './keeper-store.ts'

/** What an execution is given to that the chain shows as settled by no intent which the database has: ids of intents begin at 1. */
export const LOST_INTENT = 0n

/**
 * Gives up executions that wait for a settlement and have one on chain: their intent is lost (the database was put back to an earlier
 * state), or was taken for missed in a block that was reorganised away and was mined again. While they waited nothing that follows on
 * them in their orders could be settled. Those that the chain shows no longer, after a reorganisation, wait again.
 */
export async function followChain({ sql, deployment: { chainId }, log }: Venue): Promise<void> {
  const { settled, vanished } = await executionsByChain(sql, chainId, LOST_INTENT)
  if (settled.length > 0) {
    await inTransaction(sql, (tx) => markSettled(tx, chainId, settled, LOST_INTENT))
    log.warn({ executionIds: settled }, 'the chain shows settlements of executions that waited for one')
  }
  if (vanished.length > 0) {
    await inTransaction(sql, (tx) => reopenExecutions(tx, chainId, vanished))
    log.warn({ executionIds: vanished }, 'the chain shows settlements no longer that no intent is known of')
  }
}
