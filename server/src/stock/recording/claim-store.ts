import type { BlockRef } from '../../chain/follow/store.ts'
import type { Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { SentSend } from '../../delegation/send-group.ts'
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
  /** The client's own name for the order; kept with the claim to a trade. */
  readonly clientOrderId?: string | null
  /** The order that a cancellation is of. */
  readonly cancelOrderId?: Hex | null
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
    insert into stock_claims (claim_id, chain_id, api_key_id, tx_hash, operation_type, user_address, created_at,
      client_order_id, cancel_order_id)
    values (${newId()}, ${claim.chainId}, ${claim.apiKeyId}, ${claim.txHash}, ${claim.claimType},
      ${claim.userAddress}, clock_timestamp(), ${claim.claimType === 'trade' ? (claim.clientOrderId ?? null) : null},
      ${claim.claimType === 'cancel' ? (claim.cancelOrderId ?? null) : null})
    on conflict (chain_id, tx_hash, operation_type, api_key_id) do nothing`
}

/** The claims to one transaction that the venue sends itself. */
export interface SentClaims {
  /** Id of the first claim. */
  readonly id: string
  readonly claimTypes: readonly ClaimType[]
  /** The client's own name for the order; kept with the first of the claims. */
  readonly clientOrderId: string | null
  /** The order that a cancellation is of. */
  readonly cancelOrderId: Hex | null
}

/** Stores the claims to what the venue sends itself. */
export async function insertSentClaims(tx: Tx, chainId: number, sends: readonly SentSend<SentClaims>[]): Promise<void> {
  const rows = sends.flatMap(({ kept, ...sent }) =>
    kept.claimTypes.map((claimType, nth) => ({
      ...sent,
      claimType,
      claimId: nth === 0 ? kept.id : newId(),
      clientOrderId: nth === 0 ? kept.clientOrderId : null,
      cancelOrderId: claimType === 'cancel' ? kept.cancelOrderId : null,
    })),
  )
  await tx`
    insert into stock_claims (claim_id, chain_id, api_key_id, intent_id, operation_type, user_address, created_at,
      client_order_id, cancel_order_id)
    select claim_id, ${chainId}, api_key_id, intent_id, operation_type, user_address, clock_timestamp(), client_order_id,
      cancel_order_id
    from unnest(${rows.map(({ claimId }) => claimId)}::uuid[], ${rows.map(({ apiKeyId }) => apiKeyId)}::text[],
      ${rows.map(({ intentId }) => numeric(intentId))}::bigint[], ${rows.map(({ claimType }) => claimType)}::text[],
      ${rows.map(({ user }) => user)}::text[], ${rows.map(({ clientOrderId }) => clientOrderId)}::text[],
      ${rows.map(({ cancelOrderId }) => cancelOrderId)}::text[])
      as new (claim_id, api_key_id, intent_id, operation_type, user_address, client_order_id, cancel_order_id)`
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

/** A claimed cancellation of an order that the chain does not show yet. */
export interface PendingCancel {
  readonly claimId: string
  /** Null while a send has no transaction. */
  readonly txHash: Hex | null
  /** True for the venue's own send; of a recorded hash only the node knows whether it still waits. */
  readonly isSent: boolean
}

/** Cancellations of the order that were claimed and are neither indexed nor known to have failed, earliest first. */
export async function pendingCancels(db: Db, chainId: number, orderId: Hex): Promise<PendingCancel[]> {
  return await db<PendingCancel[]>`
    select m.claim_id as "claimId", m.tx_hash as "txHash", m.recorded_tx_hash is null as "isSent"
    from stock_claims c join stock_mappings m using (claim_id)
    where c.chain_id = ${chainId} and c.cancel_order_id = ${orderId} and m.succeeded is null
    order by m.created_at, m.claim_id`
}

/** Holds the cancellations of an order that the venue sends for the rest of the caller's transaction. */
export async function lockCancels(tx: Tx, chainId: number, orderId: Hex): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`stock.cancel:${chainId}:${orderId}`}, 0))`
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

/**
 * Remembers that an unbound key built this calldata, and behind which block: the further one of what the index has and of
 * `head`, the node's newest block (null when it does not say). What it built before stays as it was.
 */
export async function insertBuiltCalldata(
  db: Db,
  chainId: number,
  apiKeyId: string,
  hash: Hex,
  head: BlockRef | null = null,
): Promise<void> {
  await db`
    insert into stock_built_calldata
      (chain_id, api_key_id, calldata_hash, created_at, head_number, head_hash, final_number)
    select ${chainId}, ${apiKeyId}, ${hash}, clock_timestamp(), known.number, known.hash, known.final
    from (
      select block_number as number, block_hash as hash, final_number as final
      from chain_checkpoints where chain_id = ${chainId}
      union all
      select ${head?.number ?? -1n}::bigint, ${head?.hash ?? null}::text,
        coalesce((select final_number from chain_checkpoints where chain_id = ${chainId}), -1)
      order by number desc limit 1
    ) known
    on conflict do nothing`
}

/** Calldata as a transaction carries it. */
export interface CarriedCalldata {
  readonly chainId: number
  readonly calldataHash: Hex
  /** The block that holds the transaction; null while it waits. */
  readonly blockNumber: bigint | null
}

/** Rows of the table `b` that were built before the transaction's block. */
const builtBefore = (db: Db, { chainId, calldataHash, blockNumber }: CarriedCalldata) => db`
  b.chain_id = ${chainId} and b.calldata_hash = ${calldataHash}
    and (${blockNumber}::bigint is null or stock_built_before(b, ${blockNumber}::bigint))`

/** Whether the key built this calldata, and before the block of the transaction; `late` when after. */
export async function findBuild(db: Db, apiKeyId: string, carried: CarriedCalldata): Promise<'built' | 'late' | null> {
  const rows = await db<{ inTime: boolean }[]>`
    select ${builtBefore(db, carried)} as "inTime" from stock_built_calldata b
    where b.chain_id = ${carried.chainId} and b.api_key_id = ${apiKeyId} and b.calldata_hash = ${carried.calldataHash}`
  if (rows[0] === undefined) return null
  return rows[0].inTime ? 'built' : 'late'
}

/** Whether a key built this calldata in time and earlier than another one. */
export async function builtEarlier(
  db: Db,
  carried: CarriedCalldata,
  { apiKeyId, than }: { readonly apiKeyId: string; readonly than: string },
): Promise<boolean> {
  const rows = await db`
    select from stock_built_calldata b
    join stock_built_calldata other on other.chain_id = b.chain_id and other.calldata_hash = b.calldata_hash
    where ${builtBefore(db, carried)} and b.api_key_id = ${apiKeyId} and other.api_key_id = ${than}
      and (b.created_at, b.api_key_id) < (other.created_at, other.api_key_id)`
  return rows.length > 0
}

/** An indexed transaction with the operations in it. */
export interface IndexedTransaction {
  readonly succeeded: boolean
  readonly calldataHash: Hex
  readonly blockNumber: bigint
  readonly operations: readonly { readonly type: ClaimType; readonly userAddress: Hex }[]
}

/** The transaction as the indexer knows it; null when it does not yet. */
export async function findIndexedTransaction(db: Db, chainId: number, txHash: Hex): Promise<IndexedTransaction | null> {
  const rows = await db<IndexedTransaction[]>`
    select t.succeeded, t.calldata_hash as "calldataHash", t.block_number as "blockNumber", coalesce((
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
