import { encodeFunctionData } from 'viem'
import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import type { Venue } from '../../http/product.ts'
import type { Backoff } from '../../lib/backoff.ts'
import { queuedStockWithdrawals } from '../portfolio/stock-operation-store.ts'
import { insertBatchIntent } from './settlement-intent.ts'

const ORDERING_KEY = 'stock.withdrawals'
const BATCH = 50

/**
 * Pays the withdrawals of stock that have waited for the end of a pause. The contract leaves out what it cannot pay; that
 * waits longer before each further attempt.
 */
export async function settleStockWithdrawals(venue: Venue, backoff: Backoff): Promise<void> {
  const { sql, deployment, clock } = venue
  const { chainId } = deployment
  // Read between them, so that what is no longer busy is already to be seen in the operations; at rest there are none.
  if ((await queuedStockWithdrawals(sql, chainId)).length === 0) return backoff.keepOnly([])
  const busy = await busyOrderingKeys(sql, chainId, ORDERING_KEY)
  if (busy.size > 0) return
  const queued = await queuedStockWithdrawals(sql, chainId)
  backoff.keepOnly(queued)
  const nowMs = clock.nowMs()
  const batch = queued.filter((operationId) => backoff.isDue(operationId, nowMs)).slice(0, BATCH)
  if (batch.length === 0) return
  await insertBatchIntent(venue, {
    to: contractAddress(deployment, 'Stock'),
    data: encodeFunctionData({ abi: stockAbi, functionName: 'settleStockWithdrawals', args: [batch] }),
    operations: batch.length,
    orderingKey: ORDERING_KEY,
  })
  for (const operationId of batch) backoff.fail(operationId, nowMs)
}
