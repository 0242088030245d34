import type { ClaimType, MappingRow } from '../store.ts'

export type MappingStatus = 'pending' | 'confirmed' | 'failed'

/**
 * Where the link from key to operation stands: pending until the transaction is indexed, failed when it reverted or holds
 * no operation that the key is entitled to (stock-api 3.5).
 */
export function mappingStatus({ succeeded, operationId }: MappingRow): MappingStatus {
  if (succeeded === null) return 'pending'
  return succeeded && operationId !== null ? 'confirmed' : 'failed'
}

/** The wire's word for what is recorded (stock-api 3.1). */
const WIRE_TYPE: Readonly<Record<ClaimType, 'trade' | 'deposit' | 'withdraw'>> = {
  trade: 'trade',
  cancel: 'trade',
  deposit: 'deposit',
  trade_deposit: 'deposit',
  withdraw: 'withdraw',
  stock_deposit: 'deposit',
  trade_stock_deposit: 'deposit',
  stock_withdraw: 'withdraw',
}

const unixSec = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The mapping as the wire has it (stock-api 2.0). */
export function mappingView(row: MappingRow, productType: string) {
  const createdAt = unixSec(row.createdAt)
  const operationType = WIRE_TYPE[row.operationType]
  return {
    id: row.claimId,
    chainId: row.chainId,
    productType,
    userAddress: row.userAddress ?? row.boundAddress,
    operationType,
    txHash: row.txHash,
    clientOrderId: row.clientOrderId,
    orderId: operationType === 'trade' ? row.operationId : null,
    operationId: operationType === 'trade' ? null : row.operationId,
    status: mappingStatus(row),
    createdAt,
    updatedAt: Math.max(createdAt, Number(row.minedAtSec ?? 0n)),
  }
}
