import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { ClaimType } from './claim-types.ts'
import { claimsOfTransaction } from './mapping-store.ts'

// Claims and built calldata: written by the role api alone.

export interface NewClaim {
  readonly chainId: number
  readonly apiKeyId: string
  readonly txHash: Hex
  readonly claimType: ClaimType
  /** The wallet the key is bound to; null for an unbound key. */
  readonly userAddress: Hex | null
}

/**
 * Holds the claims to this transaction for the rest of the caller's transaction: of keys that record it at the same moment
 * each sees those that came before.
 */
export async function lockClaims(tx: Tx, chainId: number, txHash: Hex): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`stock.claim:${chainId}:${txHash}`}, 0))`
}

/** Stores the claim; a second time with the same key, transaction and kind changes nothing. */
export async function insertClaim(db: Db, claim: NewClaim): Promise<void> {
  await db`
    insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address, created_at)
    values (${newId()}, ${claim.chainId}, ${claim.apiKeyId}, ${claim.txHash}, ${claim.claimType},
      ${claim.userAddress}, clock_timestamp())
    on conflict (chain_id, tx_hash, operation_type, api_key_id) do nothing`
}

export interface SentClaim {
  readonly chainId: number
  readonly apiKeyId: string
  readonly intentId: bigint
  readonly userAddress: Hex
  readonly claimTypes: readonly ClaimType[]
  /** The client's own name for the order; kept with the first of the claims. */
  readonly clientOrderId: string | null
}

/** Stores the claims to what the venue sends itself. Returns the id of the first. */
export async function insertSentClaims(tx: Tx, sent: SentClaim): Promise<string> {
  const ids = sent.claimTypes.map(newId)
  await tx`
    insert into stock_claims (claim_id, chain_id, api_key_id, intent_id, operation_type, user_address, created_at,
      client_order_id)
    select claim_id, ${sent.chainId}, ${sent.apiKeyId}, ${sent.intentId.toString()}::bigint, operation_type,
      ${sent.userAddress}, clock_timestamp(), case when nth = 1 then ${sent.clientOrderId}::text end
    from unnest(${ids}::uuid[], ${sent.claimTypes as string[]}::text[]) with ordinality
      as claimed (claim_id, operation_type, nth)`
  return ids[0] as string
}

/** Which of these claims to what the venue sends are no longer merely queued. */
export async function claimsUnderWay(db: Db, claimIds: readonly string[]): Promise<Set<string>> {
  const rows = await db<{ claimId: string }[]>`
    select c.claim_id as "claimId" from stock_claims c
    join tx_intents i on i.chain_id = c.chain_id and i.id = c.intent_id
    where c.claim_id = any(${claimIds as string[]}::uuid[]) and i.state <> 'queued'`
  return new Set(rows.map(({ claimId }) => claimId))
}

/** The key's claim under this name of the client's, or null. */
export async function findClientOrder(
  db: Db,
  chainId: number,
  apiKeyId: string,
  clientOrderId: string,
): Promise<string | null> {
  const rows = await db<{ claimId: string }[]>`
    select claim_id as "claimId" from stock_claims
    where chain_id = ${chainId} and api_key_id = ${apiKeyId} and client_order_id = ${clientOrderId}`
  return rows[0]?.claimId ?? null
}

export interface ClaimHolder {
  readonly apiKeyId: string
  readonly userAddress: Hex | null
}

/** Every key's claim to this transaction as one of these kinds, earliest first. */
export async function listClaimHolders(
  db: Db,
  chainId: number,
  txHash: Hex,
  types: readonly ClaimType[],
): Promise<ClaimHolder[]> {
  return await db<ClaimHolder[]>`
    select api_key_id as "apiKeyId", user_address as "userAddress" from stock_claims
    where claim_id in (${claimsOfTransaction(db, chainId, txHash)}) and operation_type = any(${types as string[]})
    order by created_at, claim_id`
}

/** Remembers that an unbound key built this calldata. */
export async function insertBuiltCalldata(db: Db, chainId: number, apiKeyId: string, hash: Hex): Promise<void> {
  await db`
    insert into stock_built_calldata (chain_id, api_key_id, calldata_hash)
    values (${chainId}, ${apiKeyId}, ${hash}) on conflict do nothing`
}

/** True when the key built calldata with this hash. */
export async function hasBuiltCalldata(db: Db, chainId: number, apiKeyId: string, hash: Hex): Promise<boolean> {
  const rows = await db`
    select from stock_built_calldata
    where chain_id = ${chainId} and api_key_id = ${apiKeyId} and calldata_hash = ${hash}`
  return rows.length > 0
}

/** An indexed transaction with the operations in it. */
export interface IndexedTransaction {
  readonly succeeded: boolean
  readonly calldataHash: Hex
  readonly operations: readonly { readonly type: ClaimType; readonly userAddress: Hex }[]
}

/** The transaction as the indexer knows it; null when it does not yet. */
export async function findIndexedTransaction(db: Db, chainId: number, txHash: Hex): Promise<IndexedTransaction | null> {
  const rows = await db<IndexedTransaction[]>`
    select t.succeeded, t.calldata_hash as "calldataHash", coalesce((
      select jsonb_agg(jsonb_build_object('type', op.operation_type, 'userAddress', op.user_address))
      from stock_claimable_operations op where op.chain_id = t.chain_id and op.tx_hash = t.tx_hash), '[]') as operations
    from stock_transactions t where t.chain_id = ${chainId} and t.tx_hash = ${txHash}`
  return rows[0] ?? null
}

/** Number of the newest indexed block; -1 before the first one. */
export async function indexedHeadNumber(db: Db, chainId: number): Promise<bigint> {
  const rows = await db<{ number: bigint }[]>`
    select block_number as number from chain_checkpoints where chain_id = ${chainId}`
  return rows[0]?.number ?? -1n
}
