import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import { CLAIM_TYPES, type ClaimType, type MappingScope, type Page, STEP_DEPOSITS } from './claim-types.ts'
import { findPage } from './mapping-page-store.ts'

// Mappings: the claims of API keys, joined to the tables that the indexer writes.

/** A claim joined to one operation of its transaction; the operation's columns are null until it is indexed. */
export interface MappingRow {
  readonly claimId: string
  readonly chainId: number
  /** For the venue's own sends the mined hash, until then the newest attempt's; null until there is one. */
  readonly txHash: Hex | null
  readonly operationType: ClaimType
  readonly boundAddress: Hex | null
  readonly createdAt: Date
  /** Null until the transaction is indexed, or known to have failed. */
  readonly succeeded: boolean | null
  readonly minedAtSec: bigint | null
  readonly operationId: Hex | null
  readonly userAddress: Hex | null
  /** The client's own name for the order. */
  readonly clientOrderId: string | null
  /** For a failed send: the contracts' revert data, undecoded, and the relayer's words. */
  readonly revertData: Hex | null
  readonly problem: string | null
  /** The transaction made an operation of the kind, which is another wallet's or to which another key has the better right. */
  readonly ofOthers: boolean | null
  /** The order that a cancellation is of, known before it is indexed. */
  readonly cancelOrderId: Hex | null
  /** The chain has not shown the recorded hash for 24 hours. */
  readonly expired: boolean
}

export const mappingColumns = (db: Db) => db`
  claim_id as "claimId", chain_id::int as "chainId", tx_hash as "txHash", operation_type as "operationType",
  bound_address as "boundAddress", created_at as "createdAt", succeeded, mined_at_sec as "minedAtSec",
  operation_id as "operationId", user_address as "userAddress", client_order_id as "clientOrderId",
  revert_data as "revertData", problem, of_others as "ofOthers",
  cancel_order_id as "cancelOrderId", expired`

/**
 * A page of the key's mappings, newest first, and how many there are. A cancellation is no record of its own: the order's
 * is the one of its placing.
 */
export async function listMappings(
  db: Db,
  scope: MappingScope,
  page: Page,
  clientOrderId?: string,
): Promise<{ total: number; rows: MappingRow[] }> {
  const { operationType } = scope
  if (clientOrderId !== undefined) return mappingsOfClientOrder(db, scope, page, clientOrderId)
  const inStep = STEP_DEPOSITS.find((type) => CLAIM_TYPES[operationType].includes(type))
  const { total, claimIds, skip } = await findPage(db, scope, inStep, page)
  const rows = await db<MappingRow[]>`
    select ${mappingColumns(db)} from stock_mappings
    where claim_id = any(${claimIds as string[]}::uuid[]) and (operation_type = ${operationType} or operation_id is not null)
    order by created_at desc, claim_id, index_in_tx limit ${page.limit} offset ${skip}`
  return { total, rows: [...rows] }
}

/** What the key's own name for an order leads to: a name is one claim's. */
async function mappingsOfClientOrder(
  db: Db,
  { chainId, apiKeyId, operationType }: MappingScope,
  { limit, offset }: Page,
  clientOrderId: string,
): Promise<{ total: number; rows: MappingRow[] }> {
  const rows = await db<MappingRow[]>`
    select ${mappingColumns(db)} from stock_mappings
    where chain_id = ${chainId} and api_key_id = ${apiKeyId} and operation_type = ${operationType}
      and client_order_id = ${clientOrderId}
    order by index_in_tx`
  return { total: rows.length, rows: rows.slice(offset, offset + limit) }
}

/** The claims to a transaction: by its hash, or to the intent of which it is an attempt. */
export const claimsOfTransaction = (db: Db, chainId: number, txHash: Hex) => db`
  select claim_id from stock_claims where chain_id = ${chainId} and tx_hash = ${txHash}
  union all
  select c.claim_id from tx_attempts a join stock_claims c on c.chain_id = a.chain_id and c.intent_id = a.intent_id
  where a.chain_id = ${chainId} and a.hash = ${txHash}`

/**
 * The key's mappings of one transaction as one kind, in the order of its operations; of an order's transaction its
 * cancellations too. Empty when the key has not recorded it.
 */
export async function mappingsOfTransaction(db: Db, scope: MappingScope, txHash: Hex): Promise<MappingRow[]> {
  return await db<MappingRow[]>`
    select ${mappingColumns(db)} from stock_mappings
    where chain_id = ${scope.chainId} and api_key_id = ${scope.apiKeyId}
      and operation_type = any(${CLAIM_TYPES[scope.operationType] as string[]})
      and claim_id in (${claimsOfTransaction(db, scope.chainId, txHash)})
      and (operation_type <> all(${STEP_DEPOSITS as unknown as string[]}) or operation_id is not null)
    order by index_in_tx`
}

/** The key's mapping of one operation, given the transaction that made it; null when another key's or none. */
export async function mappingOfOperation(
  db: Db,
  scope: MappingScope,
  txHash: Hex,
  operationId: Hex,
): Promise<MappingRow | null> {
  const rows = await mappingsOfTransaction(db, scope, txHash)
  return rows.find((row) => row.operationId === operationId) ?? null
}

/** The mappings of claims, each claim's in the order of its operations. */
export async function mappingsOfClaims(db: Db, claimIds: readonly string[]): Promise<MappingRow[]> {
  return await db<MappingRow[]>`
    select ${mappingColumns(db)} from stock_mappings where claim_id = any(${claimIds as string[]}::uuid[])
    order by claim_id, index_in_tx`
}
