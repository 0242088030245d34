import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { RouteRequest } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { hashSchema } from '../schemas.ts'
import { mappingsOfTransaction, type OperationType } from '../store.ts'
import { recordTransaction } from './claims.ts'
import { mappingScope } from './lookups.ts'
import { mappingView } from './mapping.ts'

export const txHashBody = Type.Object({ txHash: hashSchema('a transaction hash') })

/** Records a transaction and answers its mapping: the first one, when the transaction holds several operations. */
export async function recordedMapping(
  context: StockContext,
  { caller, idempotency }: Pick<RouteRequest, 'caller' | 'idempotency'>,
  operationType: OperationType,
  txHash: string,
) {
  const { venue, chainId, router, productType } = context
  const hash = txHash.toLowerCase() as Hex
  await recordTransaction(venue.sql, venue.rpc, {
    ...{ chainId, router, caller, txHash: hash, operationType },
    ...(idempotency ? { idempotency } : {}),
  })
  const [mapping] = await mappingsOfTransaction(venue.sql, mappingScope(context, caller, operationType), hash)
  if (!mapping) throw new Error(`the claim of ${hash} is not there after it was stored`)
  return mappingView(mapping, productType)
}
