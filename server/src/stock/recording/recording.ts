import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { TX_HASH } from '../../http/examples.ts'
import type { RouteRequest } from '../../http/product.ts'
import { httpReasons } from '../../http/reasons.ts'
import { hashSchema } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope, type OperationType } from './claim-types.ts'
import { recordTransaction } from './claims.ts'
import { namedClientOrderId } from './client-order.ts'
import { mappingView } from './mapping.ts'
import { mappingsOfTransaction } from './mapping-store.ts'

export const txHashBody = Type.Object({ txHash: hashSchema('a transaction hash') })

export const txHashExamples = { request: { txHash: TX_HASH } } as const

/** Why `recordedMapping` refuses a transaction. */
export const RECORDING_REASONS = [
  httpReasons.idempotency_key_reused,
  stockReasons.transaction_of_other_key,
  stockReasons.transaction_of_other_kind,
  stockReasons.transaction_of_other_user,
  stockReasons.chain_unreachable,
] as const

/** Records a transaction and answers its mapping: the first one, when the transaction holds several operations. */
export async function recordedMapping(
  context: StockContext,
  { caller, idempotency }: Pick<RouteRequest, 'caller' | 'idempotency'>,
  operationType: OperationType,
  txHash: string,
  clientOrderId?: string,
) {
  const { venue, chainId, router, productType } = context
  const hash = txHash.toLowerCase() as Hex
  const recording = recordTransaction(venue.sql, venue.rpc, {
    chainId,
    router,
    caller,
    txHash: hash,
    operationType,
    ...(clientOrderId === undefined ? {} : { clientOrderId }),
    ...(idempotency ? { idempotency } : {}),
  })
  await recording.catch((error: unknown) => {
    throw namedClientOrderId(error, clientOrderId)
  })
  const [mapping] = await mappingsOfTransaction(venue.sql, mappingScope(context, caller, operationType), hash)
  if (!mapping) throw new Error(`the claim of ${hash} is not there after it was stored`)
  return mappingView(mapping, productType)
}
