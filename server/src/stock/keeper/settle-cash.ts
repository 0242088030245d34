import { encodeFunctionData } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import type { Venue } from '../../http/product.ts'
import type { Backoff } from '../../lib/backoff.ts'
import { type QueuedCashOperation, queuedCashOperations } from './keeper-store.ts'
import { insertBatchIntent } from './settlement-intent.ts'

const ORDERING_KEY = 'stock.cash'
const BATCH = 50

const SETTLE_FUNCTION = { deposit: 'batchSettleDeposit', withdraw: 'batchSettleWithdraw' } as const

/**
 * Settles queued deposits and withdrawals in batches. An operation that was in a batch and still is queued (the Cashier is
 * short of the token, say) waits longer before each further attempt, and comes in a batch apart: whatever holds it back
 * does not hold back those that come for the first time.
 */
export async function settleCash(venue: Venue, backoff: Backoff): Promise<'waiting' | undefined> {
  const { chainId } = venue.deployment
  // Read between them, so that what is no longer busy is already to be seen in the operations; at rest there are none.
  if ((await queuedCashOperations(venue.sql, chainId)).length === 0) return void backoff.keepOnly([])
  const busy = await busyOrderingKeys(venue.sql, chainId, ORDERING_KEY)
  if (busy.size > 0) return 'waiting'
  const queued = await queuedCashOperations(venue.sql, chainId)
  backoff.keepOnly(queued.map(({ operationId }) => operationId))
  const nowMs = venue.clock.nowMs()
  const due = queued.filter(({ operationId }) => backoff.isDue(operationId, nowMs))
  const isNew = ({ operationId }: QueuedCashOperation) => backoff.failures(operationId) === 0
  for (const kind of ['deposit', 'withdraw'] as const) {
    const ofKind = due.filter((operation) => operation.kind === kind)
    for (const lane of [ofKind.filter(isNew), ofKind.filter((operation) => !isNew(operation))]) {
      const batch = lane.slice(0, BATCH)
      if (batch.length === 0) continue
      await insertBatch(venue, kind, batch)
      for (const { operationId } of batch) backoff.fail(operationId, nowMs)
    }
  }
  return due.length > 0 ? 'waiting' : undefined
}

async function insertBatch(
  venue: Venue,
  kind: QueuedCashOperation['kind'],
  batch: readonly QueuedCashOperation[],
): Promise<void> {
  const operationIds = batch.map(({ operationId }) => operationId)
  await insertBatchIntent(venue, {
    to: contractAddress(venue.deployment, 'Cashier'),
    data: encodeFunctionData({ abi: cashierAbi, functionName: SETTLE_FUNCTION[kind], args: [operationIds] }),
    operations: operationIds.length,
    orderingKey: ORDERING_KEY,
  })
}
