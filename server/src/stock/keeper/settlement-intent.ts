import { type Abi, encodeFunctionData } from 'viem'
import { insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { newId } from '../../lib/ids.ts'
import { settleKey } from './settlement-failures.ts'

/** Purpose of the transactions that settle. */
export const SETTLE = 'settle'

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
