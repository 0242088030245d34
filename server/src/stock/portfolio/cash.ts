import Type from 'typebox'
import { CREATED_AT, SETTLED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { CASH_TOKEN, OPERATION_ID, SETTLE_TX_HASH } from '../examples.ts'
import { leadsNowhere, mappingExample, mappingStatus, mappingView } from '../recording/mapping.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import { mappingSchema } from '../schemas.ts'
import type { CashOperationRow } from '../store.ts'

/** Statuses of cash operations (stock-api 3.5): queued is processing, never a failure. */
export type OperationStatus = 'processing' | 'success' | 'failed'

const STATUS: Readonly<Record<CashOperationRow['status'], OperationStatus>> = {
  queued: 'processing',
  settled: 'success',
  taken_back: 'failed',
}

/** Null until the operation is on chain; failed also when its transaction reverted. */
export function operationStatus(
  operation: CashOperationRow | null,
  mapping: MappingRow | null,
): OperationStatus | null {
  if (operation !== null) return STATUS[operation.status]
  return mapping && leadsNowhere(mapping) ? 'failed' : null
}

/** What a client sees of a deposit or withdrawal (stock-api 2.4, CashOperationDetail). */
export function cashOperationView(operation: CashOperationRow | null, mapping: MappingRow | null, productType: string) {
  return {
    operationId: operation?.operationId ?? null,
    txHash: operation?.createTxHash ?? mapping?.txHash ?? null,
    mappingStatus: mapping && mappingStatus(mapping),
    operationStatus: operationStatus(operation, mapping),
    mapping: mapping && mappingView(mapping, productType),
    depositOperation: operation?.kind === 'deposit' ? depositOperation(operation) : null,
    withdrawalOperation: operation?.kind === 'withdraw' ? withdrawalOperation(operation) : null,
  }
}

function terms(operation: CashOperationRow) {
  return {
    operationId: operation.operationId,
    userAddress: operation.userAddress,
    tokenAddress: operation.token,
    status: STATUS[operation.status],
    isInstant: operation.isInstant,
    feeAmount: jsonNumber(operation.feeWad, WAD_DECIMALS),
    orderId: operation.orderId,
    createTxHash: operation.createTxHash,
    settleTxHash: operation.settleTxHash,
    createdAt: Number(operation.createdAtSec),
    settledAt: operation.settledAtSec === null ? null : Number(operation.settledAtSec),
  }
}

const tokenAmount = ({ amountRaw, tokenDecimals }: CashOperationRow) =>
  amountRaw === null ? null : jsonNumber(amountRaw, tokenDecimals)
const cashAmount = ({ amountWad }: CashOperationRow) =>
  amountWad === null ? null : jsonNumber(amountWad, WAD_DECIMALS)

const depositOperation = (operation: CashOperationRow) => ({
  ...terms(operation),
  amount: tokenAmount(operation),
  creditAmount: cashAmount(operation),
})

const withdrawalOperation = (operation: CashOperationRow) => ({
  ...terms(operation),
  mUsdAmount: cashAmount(operation),
  amount: tokenAmount(operation),
})

const termsSchema = {
  operationId: Type.String(),
  userAddress: Type.String(),
  tokenAddress: Type.String(),
  status: Type.Enum(['processing', 'success', 'failed']),
  isInstant: Type.Boolean(),
  feeAmount: Type.Number({ description: 'mUSD.' }),
  orderId: nullable(Type.String({ description: 'The order that was placed in the same transaction.' })),
  createTxHash: Type.String(),
  settleTxHash: nullable(Type.String()),
  createdAt: Type.Integer({ description: 'Unix seconds.' }),
  settledAt: nullable(Type.Integer({ description: 'Unix seconds.' })),
}

export const cashOperationViewSchema = Type.Object({
  operationId: nullable(Type.String({ description: 'bytes32; null until the transaction is indexed.' })),
  txHash: nullable(Type.String()),
  mappingStatus: nullable(Type.Enum(['pending', 'confirmed', 'failed', 'expired'])),
  operationStatus: nullable(Type.Enum(['processing', 'success', 'failed'])),
  mapping: nullable(mappingSchema),
  depositOperation: nullable(
    Type.Object({
      ...termsSchema,
      amount: nullable(Type.Number({ description: 'Token units brought in.' })),
      creditAmount: nullable(Type.Number({ description: 'mUSD credited; null until it is.' })),
    }),
  ),
  withdrawalOperation: nullable(
    Type.Object({
      ...termsSchema,
      mUsdAmount: nullable(Type.Number({ description: 'mUSD taken from the balance.' })),
      amount: nullable(Type.Number({ description: 'Token units paid out; null until they are.' })),
    }),
  ),
})

const termsExample = {
  operationId: OPERATION_ID,
  userAddress: WALLET,
  tokenAddress: CASH_TOKEN,
  status: 'success',
  isInstant: false,
  feeAmount: 0,
  orderId: null,
  createTxHash: TX_HASH,
  settleTxHash: SETTLE_TX_HASH,
  createdAt: CREATED_AT,
  settledAt: SETTLED_AT,
} as const

export const cashOperationExample = (context: StockContext, kind: 'deposit' | 'withdraw') => ({
  operationId: OPERATION_ID,
  txHash: TX_HASH,
  mappingStatus: 'confirmed' as const,
  operationStatus: 'success' as const,
  mapping: mappingExample(context, kind),
  depositOperation: kind === 'deposit' ? { ...termsExample, amount: 2500.5, creditAmount: 2500.5 } : null,
  withdrawalOperation:
    kind === 'withdraw' ? { ...termsExample, feeAmount: 1.05, mUsdAmount: 500, amount: 498.95 } : null,
})
