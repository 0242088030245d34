import Type from 'typebox'
import { CREATED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { OPERATION_ID, STOCK_TOKEN } from '../examples.ts'
import { leadsNowhere, mappingExample, mappingStatus, mappingView } from '../recording/mapping.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import { mappingSchema } from '../schemas.ts'
import type { StockOperationRow } from './stock-operation-store.ts'

/**
 * What a client sees of a move of stock between wallet and exchange (stock-api 2.5): processing until its transaction is
 * indexed, then at once success, or failed when it reverted (stock-api 3.6). A withdrawal that waits because its token is
 * paused is processing until it is paid, and failed when its user took it back. One of the two is always given.
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
  if (operation !== null) return STATUS[operation.status]
  return mapping && leadsNowhere(mapping) ? 'failed' : 'processing'
}

const STATUS = { queued: 'processing', settled: 'success', taken_back: 'failed' } as const

const terms = (operation: StockOperationRow) => ({
  operationId: operation.operationId,
  userAddress: operation.userAddress,
  tokenAddress: operation.token,
  symbol: operation.ticker,
  status: STATUS[operation.status],
  exitAt: operation.exitAtSec === null ? null : Number(operation.exitAtSec),
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
  status: Type.Enum(['processing', 'success', 'failed'], {
    description: 'processing: a withdrawal that waits because its token is paused; failed: its user took it back.',
  }),
  exitAt: nullable(
    Type.Integer({
      description: 'For a waiting withdrawal: from this time on its user can claim it alone. Unix seconds.',
    }),
  ),
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
  mappingStatus: nullable(Type.Enum(['pending', 'confirmed', 'failed', 'expired'])),
  operationStatus: Type.Enum(['processing', 'success', 'failed']),
  mapping: nullable(mappingSchema),
  depositOperation: nullable(termsSchema),
  withdrawalOperation: nullable(termsSchema),
})

const termsExample = {
  operationId: OPERATION_ID,
  userAddress: WALLET,
  tokenAddress: STOCK_TOKEN,
  symbol: 'AAPL',
  status: 'success',
  exitAt: null,
  amount: 5.5,
  orderId: null,
  createTxHash: TX_HASH,
  createdAt: CREATED_AT,
} as const

export const stockOperationExample = (context: StockContext, kind: 'deposit' | 'withdraw') => ({
  operationId: OPERATION_ID,
  txHash: TX_HASH,
  mappingStatus: 'confirmed' as const,
  operationStatus: 'success' as const,
  mapping: mappingExample(context, kind),
  depositOperation: kind === 'deposit' ? termsExample : null,
  withdrawalOperation: kind === 'withdraw' ? termsExample : null,
})
