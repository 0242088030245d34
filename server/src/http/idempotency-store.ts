import type { Db, Tx } from '../db/pool.ts'

// Idempotency records: written by the role api alone.

export interface RecordKey {
  readonly chainId: number
  readonly apiKeyId: string
  readonly idempotencyKey: string
}

export interface IdempotencyRecord {
  readonly requestHash: string
  readonly result: unknown
}

/** The record of the key, or null. */
export async function findRecord(db: Db, key: RecordKey): Promise<IdempotencyRecord | null> {
  const rows = await db<IdempotencyRecord[]>`
    select request_hash as "requestHash", result from idempotency_records
    where chain_id = ${key.chainId} and api_key_id = ${key.apiKeyId} and idempotency_key = ${key.idempotencyKey}`
  return rows[0] ?? null
}

/** Takes the key for this request; false when it is taken. Waits for a transaction that is taking it now. */
export async function takeRecord(tx: Tx, key: RecordKey, requestHash: string): Promise<boolean> {
  const rows = await tx`
    insert into idempotency_records (chain_id, api_key_id, idempotency_key, request_hash, result)
    values (${key.chainId}, ${key.apiKeyId}, ${key.idempotencyKey}, ${requestHash}, 'null')
    on conflict do nothing returning 1`
  return rows.length > 0
}

/** Writes down what the request has stored. */
export async function finishRecord(tx: Tx, key: RecordKey, result: unknown): Promise<void> {
  await tx`
    update idempotency_records set result = ${JSON.stringify(result)}::text::jsonb
    where chain_id = ${key.chainId} and api_key_id = ${key.apiKeyId} and idempotency_key = ${key.idempotencyKey}`
}
