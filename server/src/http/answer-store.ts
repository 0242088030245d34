import type { Db } from '../db/pool.ts'
import { MAX_CLOCK_SKEW_MS } from '../lib/clock.ts'
import type { Answer } from './scope.ts'

// First answers to writes that may come again: written by the role api alone.

/** An answer whose body is one text. None that says when to come again is kept. */
export interface KeptAnswer extends Answer {
  readonly body: string
  readonly retryAfterSec: null
}

export interface AnswerKey {
  readonly chainId: number
  readonly product: string
  readonly keyId: string
  readonly id: string
}

/** The first request's answer, `atWork` until it is kept, and its `Idempotency-Key`: empty for none, null where that is not known. */
export interface FirstAnswer {
  readonly answer: KeptAnswer | 'atWork'
  readonly idempotencyKey: string | null
}

/**
 * Takes the place of the first request; false when another was first. It is kept until a process whose clock is behind, too, refuses the
 * request for its age.
 */
export async function takeAnswer(
  db: Db,
  { chainId, product, keyId, id }: AnswerKey,
  untilMs: number,
  idempotencyKey: string | null,
): Promise<boolean> {
  const keepUntil = new Date(untilMs + MAX_CLOCK_SKEW_MS).toISOString()
  const rows = await db`
    insert into first_answers (chain_id, product, api_key_id, repetition_id, keep_until, idempotency_key)
    values (${chainId}, ${product}, ${keyId}, ${id}, ${keepUntil}::timestamptz, ${idempotencyKey ?? ''})
    on conflict do nothing returning 1`
  return rows.length > 0
}

/** Null where the place of the first request is free. */
export async function findAnswer(db: Db, { chainId, product, keyId, id }: AnswerKey): Promise<FirstAnswer | null> {
  const [row] = await db<
    {
      readonly httpStatus: number | null
      readonly body: string
      readonly reason: string | null
      readonly idempotencyKey: string | null
    }[]
  >`
    select http_status as "httpStatus", body, reason, idempotency_key as "idempotencyKey" from first_answers
    where chain_id = ${chainId} and product = ${product} and api_key_id = ${keyId} and repetition_id = ${id}`
  if (!row) return null
  const { httpStatus, body, reason, idempotencyKey } = row
  const answer = httpStatus === null ? 'atWork' : ({ httpStatus, body, reason, retryAfterSec: null } as const)
  return { answer, idempotencyKey }
}

export async function keepAnswer(db: Db, key: AnswerKey, { httpStatus, reason }: Answer, body: string): Promise<void> {
  const { chainId, product, keyId, id } = key
  await db`
    update first_answers set http_status = ${httpStatus}, body = ${body}, reason = ${reason}
    where chain_id = ${chainId} and product = ${product} and api_key_id = ${keyId} and repetition_id = ${id}`
}

/** Gives back the place of a request by which nothing was done. */
export async function freePlace(db: Db, { chainId, product, keyId, id }: AnswerKey): Promise<void> {
  await db`
    delete from first_answers
    where chain_id = ${chainId} and product = ${product} and api_key_id = ${keyId} and repetition_id = ${id}`
}

/** Forgets what is past its time. */
export async function sweepAnswers(db: Db, nowMs: number): Promise<void> {
  await db`delete from first_answers where keep_until < ${new Date(nowMs).toISOString()}::timestamptz`
}
