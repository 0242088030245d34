import type { Abi, ContractFunctionName } from 'viem'
import { type ArgumentsOf, type Contract, encodeCall } from '../../chain/calls.ts'
import { insertIntent } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { newId } from '../../lib/ids.ts'
import { settleKey } from './settlement-failures.ts'

/** Purpose of the transactions that settle. */
export const SETTLE = 'settle'

/** A batch of queued operations: the call that carries them out, and how many they are. */
interface Batch {
  readonly to: Hex
  readonly data: Hex
  readonly operations: number
  readonly orderingKey: string
}

/**
 * The Cashier and Stock skip what they cannot pay yet, for next to nothing: an estimate made before the batch that brings the cash
 * would be short of it. So there is gas for all of them; one takes 71,104 with its transaction.
 */
export function insertBatchIntent(venue: Venue, { to, data, operations, orderingKey }: Batch) {
  return insertIntent(venue.sql, {
    chainId: venue.deployment.chainId,
    purpose: SETTLE,
    to,
    data,
    leastGas: 60_000n + 100_000n * BigInt(operations),
    dedupeKey: `${orderingKey}:${newId()}`,
    orderingKey,
  })
}

/** Settlements of one token follow each other in order. Nothing repeats them: each is inserted with what it settles. */
export function insertSettleIntent<const A extends Abi, Name extends ContractFunctionName<A>>(
  db: Db,
  venue: Venue,
  token: Hex,
  { address, abi }: Contract<A>,
  functionName: Name,
  args: ArgumentsOf<A, Name>,
) {
  return insertIntent(db, {
    chainId: venue.deployment.chainId,
    purpose: SETTLE,
    to: address,
    data: encodeCall<A, Name>(abi, functionName, args),
    dedupeKey: `${settleKey(token)}:${newId()}`,
    orderingKey: settleKey(token),
  })
}
