import Type from 'typebox'
import { jsonNumber } from '../../lib/decimal.ts'
import { mappingStatus, mappingView } from '../recording/mapping.ts'
import { mappingSchema, nullable } from '../schemas.ts'
import type { MappingRow } from '../store.ts'
import { WAD_DECIMALS } from '../units.ts'
import type { StockOperationRow } from './stock-operation-store.ts'

/**
 * What a client sees of a move of stock between wallet and exchange (stock-api 2.5): processing until its transaction is
 * indexed, then at once success, or failed when it reverted (stock-api 3.6). One of the two is always given.
 */
export function stockOperationView(
  operation: StockOperationRow | null,
  mapping: MappingRow | null,
  productType: string,
) {
  return {
    operationId: operation?.operationId ?? null,
    txHash: operation?.createTxHash ?? mapping?.txHash ?? null,
    mappingStatus: mapping && mappingStatus(mapping),
    operationStatus: operationStatus(operation, mapping),
    mapping: mapping && mappingView(mapping, productType),
    depositOperation: operation?.kind === 'deposit' ? terms(operation) : null,
    withdrawalOperation: operation?.kind === 'withdraw' ? terms(operation) : null,
  }
}

function operationStatus(operation: StockOperationRow | null, mapping: MappingRow | null) {
  if (operation !== null) return 'success'
  return mapping && mappingStatus(mapping) === 'failed' ? 'failed' : 'processing'
}

const terms = (operation: StockOperationRow) => ({
  operationId: operation.operationId,
  userAddress: operation.userAddress,
  tokenAddress: operation.token,
  symbol: operation.ticker,
  status: 'success',
  amount: jsonNumber(operation.amountWad, WAD_DECIMALS),
  orderId: operation.orderId,
  createTxHash: operation.createTxHash,
  createdAt: Number(operation.createdAtSec),
})

const termsSchema = Type.Object({
  operationId: Type.String(),
  userAddress: Type.String(),
  tokenAddress: Type.String(),
  symbol: Type.String(),
  status: Type.Enum(['success']),
  amount: Type.Number({ description: 'Stock tokens moved.' }),
  orderId: nullable(Type.String({ description: 'The order that was placed in the same transaction.' })),
  createTxHash: Type.String(),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
})

export const stockOperationViewSchema = Type.Object({
  operationId: nullable(
    Type.String({ description: 'bytes32, the venue’s own id; null until the transaction is indexed.' }),
  ),
  txHash: nullable(Type.String()),
  mappingStatus: nullable(Type.Enum(['pending', 'confirmed', 'failed'])),
  operationStatus: Type.Enum(['processing', 'success', 'failed']),
  mapping: nullable(mappingSchema),
  depositOperation: nullable(termsSchema),
  withdrawalOperation: nullable(termsSchema),
})
