import type { FastifyRequest } from 'fastify'
import { sleep } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import type { Mount } from './admission.ts'
import {
  type AnswerKey,
  type FirstAnswer,
  findAnswer,
  freePlace,
  type KeptAnswer,
  keepAnswer,
  sweepAnswers,
  takeAnswer,
} from './answer-store.ts'
import type { Venue } from './product.ts'
import { httpReasons } from './reasons.ts'
import type { Repetition } from './scheme.ts'
import type { Answer } from './scope.ts'
import { textOf } from './write-answer.ts'

/** How long a repeated request waits for the first answer. */
const WAIT_MS = 10_000
const POLL_MS = 50
const SWEEP_INTERVAL_MS = 60_000

/** How a write is carried out, and what is answered where that throws. */
interface Work {
  carryOut(): Promise<Answer>
  failure(thrown: unknown): Answer
  /** False once the answer is known to be that of an earlier request, which is kept elsewhere. */
  isFirst(): boolean
}

/** A write that may come again. */
export interface RepeatableWrite {
  readonly product: string
  readonly keyId: string
  readonly repetition: Repetition
  /** Its `Idempotency-Key`; null for none. */
  readonly idempotencyKey: string | null
}

/** What the product's scheme says of a write with an API key; null when it cannot come twice. */
export function repetitionOf(request: FastifyRequest, { name, scheme }: Mount): RepeatableWrite | null {
  const { method, signed, caller, idempotency } = request
  if (method === 'GET' || !signed || !caller) return null
  const repetition = scheme.repetition?.(signed) ?? null
  return repetition && { product: name, keyId: caller.keyId, repetition, idempotencyKey: idempotency?.key ?? null }
}

/** The first answers to writes that their schemes would accept again; one a server. */
export class AnswerOnce {
  readonly #venue: Venue
  #sweptAtMs = 0

  constructor(venue: Venue) {
    this.#venue = venue
  }

  /**
   * Carries out a write once in all processes. Whoever sends it again gets the first answer, a refusal too, and waits for it
   * when both come at once; after a refusal that says when to come again, by which nothing was done, it is tried anew. Throws
   * `first_answer_unknown` when the first was cut off before its answer was kept: what it did may stand, so it is not tried again; and
   * `signature_used` when it has another `Idempotency-Key` than the first: it was meant as another one, and has no answer yet.
   */
  async answer(
    { product, keyId, repetition, idempotencyKey }: RepeatableWrite,
    work: Work,
  ): Promise<{ readonly answer: Answer; readonly replayed: boolean }> {
    const { sql, deployment } = this.#venue
    const key = { chainId: deployment.chainId, product, keyId, id: repetition.id }
    await this.#sweep()
    for (;;) {
      const isMine = await takeAnswer(sql, key, repetition.untilMs, idempotencyKey)
      if (isMine) return { answer: await this.#carryOut(key, work), replayed: false }
      const first = await this.#first(key, idempotencyKey)
      if (first) return { answer: first, replayed: true }
    }
  }

  async #carryOut(key: AnswerKey, { carryOut, failure, isFirst }: Work): Promise<Answer> {
    const { sql, log } = this.#venue
    const answer = await carryOut().catch(failure)
    const isKept = answer.retryAfterSec === null && isFirst()
    // What was done is done: the caller is told so even when nobody who repeats the request will be.
    await (isKept ? keepAnswer(sql, key, answer, textOf(answer.body)) : freePlace(sql, key)).catch((err) =>
      log.error({ err, product: key.product }, 'a first answer could not be kept'),
    )
    return answer
  }

  /** Waits for the first answer; null when its place has been given back meanwhile. */
  async #first(key: AnswerKey, idempotencyKey: string | null): Promise<KeptAnswer | null> {
    for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += POLL_MS) {
      const first = await findAnswer(this.#venue.sql, key)
      if (first === null) return null
      requireSameKey(first, idempotencyKey)
      if (first.answer !== 'atWork') return first.answer
      await sleep(POLL_MS)
    }
    const message =
      'a request with this signature came before and its answer is not known: look at what it did, then sign a new one'
    throw new AppError(httpReasons.first_answer_unknown, message)
  }

  /** Forgets answers to requests that no scheme accepts any more. */
  async #sweep(): Promise<void> {
    const nowMs = this.#venue.clock.nowMs()
    if (Math.abs(nowMs - this.#sweptAtMs) < SWEEP_INTERVAL_MS) return
    this.#sweptAtMs = nowMs
    await sweepAnswers(this.#venue.sql, nowMs)
  }
}

/** A repetition has the same `Idempotency-Key` or none. */
function requireSameKey({ idempotencyKey: first }: FirstAnswer, own: string | null): void {
  if (own === null || first === null || own === first) return
  const other = first === '' ? 'without an Idempotency-Key' : 'with another Idempotency-Key'
  const message = `a request with this very signature came before, ${other}: this one was not carried out. Sign it with another timestamp`
  throw new AppError(httpReasons.signature_used, message)
}
