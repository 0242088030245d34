import type { Call, Params, Venue } from '../venue.ts'
import { revertError } from './errors.ts'

/** What both products answer to a send. */
export interface Sent {
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly txHash: string | null
  readonly failure: string | null
  /** What it means; a venue of before does not tell. */
  readonly failureMessage?: string | null
  /** Of a stock order, once it is indexed. */
  readonly orderId?: string | null
}

interface Sending {
  /** For people: what is sent. */
  readonly what: string
  readonly call: Call
  readonly body: Params
  /** The Idempotency-Key; a repetition under it does nothing twice. */
  readonly key: string
}

/**
 * Sends once and asks under the same key until the transaction is mined. Throws what the venue refuses it with; InvalidOrder or
 * a class below it when the transaction failed; RequestTimeout when nobody knows what became of it, or not yet.
 */
export async function sent(venue: Venue, sending: Sending): Promise<Sent> {
  const { call, body, key, what } = sending
  const headers = { 'Idempotency-Key': key }
  // ccxt's own retries would hide that an earlier attempt may stand.
  const once = { ...body, maxRetriesOnFailure: 0 }
  let answer: Sent
  try {
    answer = await venue.ask<Sent>(call, once, headers)
  } catch (error) {
    throw venue.isRefusal(error) ? error : unknownOutcome(venue, sending, error)
  }
  const until = venue.milliseconds() + Number(venue.options.confirmTimeout)
  while (answer.status === 'Pending') {
    if (venue.milliseconds() > until) throw unknownOutcome(venue, sending, 'its transaction is not mined yet')
    await venue.sleep(Number(venue.options.confirmInterval))
    // It is accepted: that an answer about it fails says nothing about it.
    answer = await venue.ask<Sent>(call, once, headers).catch(() => answer)
  }
  if (answer.status === 'Confirmed') return answer
  const failure = answer.failure ?? 'the transaction failed'
  const meaning = answer.failureMessage ? ` ${answer.failureMessage}` : ''
  throw new venue.ccxt[revertError(failure)](`${venue.id} ${what} failed on chain: ${failure}${meaning}`)
}

/** What is sent may stand or not. */
function unknownOutcome(venue: Venue, { what, key }: Sending, cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause)
  const next = `call it again with the same arguments and params.clientOrderId '${key}': nothing is done twice`
  const error = new venue.ccxt.RequestTimeout(
    `${venue.id} it is not known whether ${what} was carried out; ${next} (${why})`,
  )
  return Object.assign(error, { clientOrderId: key, cause })
}

/** Asks until an answer is there, as long as a send may take; undefined when none came. */
export async function eventually<Answer>(
  venue: Venue,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  const until = venue.milliseconds() + Number(venue.options.confirmTimeout)
  for (;;) {
    const answer = await ask().catch((error) => {
      if (error instanceof venue.ccxt.OperationFailed) return undefined
      throw error
    })
    if (answer !== undefined || venue.milliseconds() > until) return answer
    await venue.sleep(Number(venue.options.confirmInterval))
  }
}
