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

/** The records of the keys, in their order; null where there is none. */
export async function findRecords(db: Db, keys: readonly RecordKey[]): Promise<(IdempotencyRecord | null)[]> {
  const rows = await db<(IdempotencyRecord & { readonly nth: number })[]>`
    select k.nth::int as nth, r.request_hash as "requestHash", r.result
    from unnest(${keys.map(({ chainId }) => String(chainId))}::bigint[], ${keys.map(({ apiKeyId }) => apiKeyId)}::text[],
      ${keys.map(({ idempotencyKey }) => idempotencyKey)}::text[])
      with ordinality k (chain_id, api_key_id, idempotency_key, nth)
    join idempotency_records r using (chain_id, api_key_id, idempotency_key)`
  const found = new Map(rows.map(({ nth, ...record }) => [nth, record]))
  return keys.map((_key, index) => found.get(index + 1) ?? null)
}

/** The record of the key, or null. */
export async function findRecord(db: Db, key: RecordKey): Promise<IdempotencyRecord | null> {
  const [record = null] = await findRecords(db, [key])
  return record
}

export interface NewRecord extends RecordKey {
  readonly requestHash: string
  /** What the request stores; null until that is written down. */
  readonly result: unknown
}

/**
 * Takes the keys for these requests, each its own; resolves to those that were free. Waits for a transaction that is taking one of
 * them now.
 */
export async function takeRecords(tx: Tx, records: readonly NewRecord[]): Promise<RecordKey[]> {
  return await tx<RecordKey[]>`
    insert into idempotency_records (chain_id, api_key_id, idempotency_key, request_hash, result)
    select chain_id, api_key_id, idempotency_key, request_hash, result::jsonb
    from unnest(${records.map(({ chainId }) => String(chainId))}::bigint[],
      ${records.map(({ apiKeyId }) => apiKeyId)}::text[], ${records.map(({ idempotencyKey }) => idempotencyKey)}::text[],
      ${records.map(({ requestHash }) => requestHash)}::text[],
      ${records.map(({ result }) => JSON.stringify(result))}::text[])
      as new (chain_id, api_key_id, idempotency_key, request_hash, result)
    -- In one order by all, so that no two transactions wait for each other.
    order by chain_id, api_key_id, idempotency_key
    on conflict do nothing
    returning chain_id::int as "chainId", api_key_id as "apiKeyId", idempotency_key as "idempotencyKey"`
}

/** Gives up keys that the same transaction has taken. */
export async function dropRecords(tx: Tx, keys: readonly RecordKey[]): Promise<void> {
  await tx`
    delete from idempotency_records r
    using unnest(${keys.map(({ chainId }) => String(chainId))}::bigint[], ${keys.map(({ apiKeyId }) => apiKeyId)}::text[],
      ${keys.map(({ idempotencyKey }) => idempotencyKey)}::text[]) k (chain_id, api_key_id, idempotency_key)
    where r.chain_id = k.chain_id and r.api_key_id = k.api_key_id and r.idempotency_key = k.idempotency_key`
}

/** Writes down what the request has stored. */
export async function finishRecord(tx: Tx, key: RecordKey, result: unknown): Promise<void> {
  await tx`
    update idempotency_records set result = ${JSON.stringify(result)}::text::jsonb
    where chain_id = ${key.chainId} and api_key_id = ${key.apiKeyId} and idempotency_key = ${key.idempotencyKey}`
}
