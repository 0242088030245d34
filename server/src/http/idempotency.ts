import { createHash } from 'node:crypto'
import { inTransaction, type Sql, type Tx } from '../db/pool.ts'
import { AppError } from '../lib/errors.ts'
import { findRecord, finishRecord, type RecordKey, takeRecord } from './idempotency-store.ts'
import { httpReasons } from './reasons.ts'

/** An `Idempotency-Key` with the request it came with. */
export interface Idempotency {
  readonly key: string
  /** What makes two requests the same: method, path, query and the exact bytes of the body. */
  readonly requestHash: string
  /** True once the answer is that of an earlier request with this key. */
  replayed: boolean
}

const KEY = /^[\x21-\x7e]{1,255}$/

/**
 * Reads the header of a request. Throws `request_invalid` when it is not 1 to 255 visible ASCII characters.
 *
 * @param uri path and query below the product's prefix; the order of the query's parameters does not count
 */
export function readIdempotency(
  header: string | string[] | undefined,
  request: { readonly method: string; readonly uri: string; readonly rawBody: Buffer },
): Idempotency | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !KEY.test(header)) {
    throw new AppError(httpReasons.request_invalid, 'Idempotency-Key must be 1 to 255 visible ASCII characters')
  }
  const [path, query = ''] = request.uri.split('?', 2)
  const sorted = query.split('&').sort().join('&')
  const hash = createHash('sha256').update(`${request.method}\n${path}?${sorted}\n`).update(request.rawBody)
  return { key: header, requestHash: hash.digest('hex'), replayed: false }
}

/** A key's request, with its `Idempotency-Key` if it has one. */
export interface KeyedRequest {
  readonly caller: { readonly keyId: string }
  readonly idempotency?: Idempotency
}

/** What a request stores, in two parts. */
export interface IdempotentWork<Prepared, Result> {
  /** Checks that may take long or ask the chain; nothing is stored here, and a repeated request skips it. */
  prepare(): Promise<Prepared>
  /** Stores everything in the one transaction and returns, as plain JSON, what the answer is rendered from. */
  store(tx: Tx, prepared: Prepared): Promise<Result>
}

/**
 * Stores what a request asks for, once for each `Idempotency-Key` of an API key: the record of the key is part of the same
 * transaction, so that either both are there or neither. A repeat of the request returns what the first one stored, and
 * waits for it when both come at once. Without the header every request stores anew. Throws `idempotency_key_reused` for
 * another request under the same key, and what `work` throws, of which nothing is kept.
 */
export async function idempotent<Prepared, Result>(
  sql: Sql,
  chainId: number,
  { caller, idempotency }: KeyedRequest,
  work: IdempotentWork<Prepared, Result>,
): Promise<Result> {
  if (!idempotency) {
    const prepared = await work.prepare()
    return await inTransaction(sql, (tx) => work.store(tx, prepared))
  }
  const key = { chainId, apiKeyId: caller.keyId, idempotencyKey: idempotency.key }
  const earlier = await replay<Result>(sql, key, idempotency)
  if (earlier) return earlier.result
  let prepared: Prepared
  try {
    prepared = await work.prepare()
  } catch (error) {
    // What the first request has stored meanwhile may be the very reason why a second one is refused.
    const meanwhile = await replay<Result>(sql, key, idempotency)
    if (meanwhile) return meanwhile.result
    throw error
  }
  return await inTransaction(sql, async (tx) => {
    if (!(await takeRecord(tx, key, idempotency.requestHash))) {
      const first = await replay<Result>(tx, key, idempotency)
      if (!first) throw new Error('an idempotency key is taken by a record that cannot be read')
      return first.result
    }
    const result = await work.store(tx, prepared)
    await finishRecord(tx, key, result)
    return result
  })
}

async function replay<Result>(
  db: Sql | Tx,
  key: RecordKey,
  idempotency: Idempotency,
): Promise<{ readonly result: Result } | null> {
  const record = await findRecord(db, key)
  if (!record) return null
  if (record.requestHash !== idempotency.requestHash) {
    const message =
      'this Idempotency-Key was used for another request: send the same method, path and body again, or a new key'
    throw new AppError(httpReasons.idempotency_key_reused, message)
  }
  idempotency.replayed = true
  return { result: record.result as Result }
}
