import { type Abi, encodeFunctionData } from 'viem'
import { insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { newId } from '../../lib/ids.ts'
import { settleKey } from './settlement-failures.ts'

/** Purpose of the transactions that settle. */
export const SETTLE = 'settle'

/**
 * Gas for a batch of queued operations, all of them carried out (one takes 71,104 with its transaction). The Cashier and Stock skip what they
 * cannot pay yet, for next to nothing: an estimate made before the batch that brings the cash would be short of it.
 */
export const batchGas = (operations: number): bigint => 60_000n + 100_000n * BigInt(operations)

/** Settlements of one token follow each other in order. Nothing repeats them: each is inserted with what it settles. */
export function insertSettleIntent(
  db: Db,
  venue: Venue,
  token: Hex,
  to: Hex,
  abi: Abi | readonly unknown[],
  functionName: string,
  args: readonly unknown[],
) {
  return insertIntent(db, {
    chainId: venue.deployment.chainId,
    purpose: SETTLE,
    to,
    data: encodeFunctionData({ abi: abi as Abi, functionName, args }),
    dedupeKey: `${settleKey(token)}:${newId()}`,
    orderingKey: settleKey(token),
  })
}
