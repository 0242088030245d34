import type { Hex } from '../../chain/types.ts'
import { CREATED_AT, SETTLED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { unixSeconds } from '../../lib/clock.ts'
import type { StockContext } from '../context.ts'
import { OPERATION_ID, ORDER_ID } from '../examples.ts'
import { stockReverts } from '../reverts/stock-reverts.ts'
import type { ClaimType } from './claim-types.ts'
import type { MappingRow } from './mapping-store.ts'

export type MappingStatus = 'pending' | 'confirmed' | 'failed' | 'expired'

/**
 * Status of the link from key to operation: pending until the transaction is indexed, failed when it reverted or holds
 * no operation that the key is entitled to, expired when the chain has not shown its hash for a day (stock-api 3.5).
 */
export function mappingStatus({ succeeded, operationId, expired }: MappingRow): MappingStatus {
  if (succeeded === null) return expired ? 'expired' : 'pending'
  return succeeded && operationId !== null ? 'confirmed' : 'failed'
}

/** Whether a mapping leads to nothing. */
export const leadsNowhere = (row: MappingRow): boolean => ['failed', 'expired'].includes(mappingStatus(row))

/** Why a mapping has failed or expired; null for every other. */
export function statusReason(row: MappingRow): string | null {
  const status = mappingStatus(row)
  if (status === 'expired') return 'the chain has not shown this hash within 24 hours of its record'
  if (status !== 'failed') return null
  if (row.succeeded === false) {
    return stockReverts.name(row.revertData) ?? row.problem ?? 'the transaction reverted'
  }
  if (!row.ofOthers) return 'the transaction made no such operation'
  return row.boundAddress === null
    ? 'another API key has it: one that is bound to its wallet, or that built its calldata earlier; or this key did not build its calldata before its block'
    : 'another wallet made it, or another API key of the same wallet recorded it first'
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

/** The mapping as the wire has it (stock-api 2.0). */
export function mappingView(row: MappingRow, productType: string) {
  const createdAt = unixSeconds(row.createdAt)
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
    statusReason: statusReason(row),
    createdAt,
    updatedAt: Math.max(createdAt, Number(row.minedAtSec ?? 0n)),
  }
}

/** The operations that mappings lead to, as far as they are indexed. */
export const operationIds = (mappings: readonly MappingRow[]): Hex[] =>
  mappings.flatMap(({ operationId }) => (operationId === null ? [] : [operationId]))

/** What a mapping leads to, among what was found; null when it is not indexed. */
export function found<T>(byId: ReadonlyMap<Hex, T>, { operationId }: MappingRow): T | null {
  return (operationId && byId.get(operationId)) ?? null
}

/** A mapping of an indexed transaction, for the reference. */
export const mappingExample = (
  { chainId, productType }: Pick<StockContext, 'chainId' | 'productType'>,
  operationType: 'trade' | 'deposit' | 'withdraw',
) => ({
  id: '42',
  chainId,
  productType,
  userAddress: WALLET,
  operationType,
  txHash: TX_HASH,
  clientOrderId: null,
  orderId: operationType === 'trade' ? ORDER_ID : null,
  operationId: operationType === 'trade' ? null : OPERATION_ID,
  status: 'confirmed' as const,
  statusReason: null,
  createdAt: CREATED_AT,
  updatedAt: SETTLED_AT,
})
