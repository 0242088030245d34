import { WouldRevert } from '@bourse/sdk/perp'
import { RateLimited, Refused, Unauthenticated, Unavailable, UnknownOutcome } from '@bourse/sdk/stock'
import { signal } from '@preact/signals'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failureWords } from '../strings.ts'
import type { Keyed } from './earlier-sends.ts'
import { explain } from './explain.ts'
import { pause } from './pause.ts'
import { sendOnce, sendUntilMined } from './send-once.ts'
import type { SendState } from './send-state.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Answer = SendState | Error

const pending: SendState = { status: 'Pending', failure: null, failureMessage: null }
const confirmed: SendState = { status: 'Confirmed', failure: null, failureMessage: null }
const failed: SendState = { status: 'Failed', failure: 'PriceOutOfBounds', failureMessage: null }

const failure = { code: 0, message: 'no', requestId: 'r', detail: null, retryAfterMs: null }
const lost = () => new UnknownOutcome('POST /orders/send', 'k', new TypeError('fetch failed'))
const overloaded = () => new Unavailable({ ...failure, status: 503, reason: 'sends_overloaded', retryable: true })
const signedOut = () => new Unauthenticated({ ...failure, status: 401, reason: null, retryable: false })
const refused = () => new Refused({ ...failure, status: 400, reason: 'would_revert', retryable: false })
const ended = () => new WouldRevert({ ...failure, status: 400, reason: 'would_revert', retryable: false })

/** A client, and how often it makes a request at most; null for as often as the library does. */
interface Attempts extends Keyed {
  readonly attempts: number | null
  with(options: { readonly attempts: number }): Attempts
}
const clientOf = (attempts: number | null): Attempts => ({
  attempts,
  product: { name: 'perp' },
  options: { signer: { apiKey: 'k' } },
  with: (options) => clientOf(options.attempts),
})

/** A venue that answers by a list, of which the last stays, each answer after so long. */
function venueThatTakes(answerMs: number, ...answers: readonly Answer[]) {
  const keys: string[] = []
  const attempts: (number | null)[] = []
  const steps: string[] = []
  const askedAtMs: number[] = []
  const changes = signal(0)
  const client = clientOf(null)
  const send = async (by: Attempts, { idempotencyKey }: { readonly idempotencyKey: string }): Promise<SendState> => {
    const answer = answers[Math.min(keys.length, answers.length - 1)] as Answer
    keys.push(idempotencyKey)
    attempts.push(by.attempts)
    askedAtMs.push(performance.now())
    if (answerMs > 0) await pause(answerMs)
    if (answer instanceof Error) throw answer
    return answer
  }
  const at = (step: string) => steps.push(step)
  return {
    keys,
    attempts,
    steps,
    askedAtMs,
    changes,
    once: () => sendOnce(client, send, at),
    untilMined: () => sendUntilMined(client, send, at, changes),
  }
}

const venue = (...answers: readonly Answer[]) => venueThatTakes(0, ...answers)

/** What became of it, in the words that the screen shows; null when it went well. */
async function outcomeOf(work: Promise<void>): Promise<string | null> {
  const outcome = work.then(
    () => null,
    (error) => explain(error),
  )
  await vi.runAllTimersAsync()
  return outcome
}

describe('a send whose answer is lost', () => {
  it('is asked for again under its key until the venue answers', async () => {
    const { keys, steps, once } = venue(lost(), lost(), pending)
    expect(await outcomeOf(once())).toBe(null)
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect(steps).toEqual(['sending', 'repeating', 'repeating'])
  })

  it.each([
    ['a session that ended', signedOut()],
    ['what another send may have caused', refused()],
  ])('stays unknown when the next round is refused for %s, and is not asked for any more', async (_, later) => {
    const { keys, once } = venue(lost(), later)
    expect(await outcomeOf(once())).toBe(failureWords.unknownOutcome)
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  it('is asked for again while the venue is overloaded, and told as it then is', async () => {
    const { keys, once } = venue(lost(), overloaded(), overloaded(), confirmed)
    expect(await outcomeOf(once())).toBe(null)
    expect([keys.length, new Set(keys).size]).toEqual([4, 1])
  })

  it('is unknown in the end when the venue stays overloaded, never “not stored”', async () => {
    const { keys, once } = venue(lost(), overloaded())
    expect(await outcomeOf(once())).toBe(failureWords.unknownOutcome)
    expect(keys.length).toBeGreaterThan(10)
    expect(new Set(keys).size).toBe(1)
  })

  it('waits as long as the venue asks for', async () => {
    const retryAfterMs = 9000
    const limited = new RateLimited({ ...failure, retryAfterMs, status: 429, reason: 'rate_limited', retryable: true })
    const { keys, once } = venue(lost(), limited, confirmed)
    const work = once()
    await vi.advanceTimersByTimeAsync(2000 + retryAfterMs - 1)
    expect(keys).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    await work
    expect(keys).toHaveLength(3)
  })

  it('has failed when the venue says so', async () => {
    const { once } = venue(lost(), failed)
    expect(await outcomeOf(once())).toBe(failureWords.failedOnChain('PriceOutOfBounds'))
  })
})

describe('a send that is refused at once', () => {
  it.each([refused(), overloaded(), signedOut()])('says why: %s', async (error) => {
    const { keys, once } = venue(error)
    expect(await outcomeOf(once())).toBe('no')
    expect(keys).toHaveLength(1)
  })
})

describe('a send that is followed until it is mined', () => {
  it('is not done while nothing is signed, and failed when the chain refuses it', async () => {
    const { keys, steps, untilMined } = venue(pending, pending, failed)
    expect(await outcomeOf(untilMined())).toBe(failureWords.failedOnChain('PriceOutOfBounds'))
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect(steps).toEqual(['sending', 'mining', 'mining'])
  })

  it('is done when the venue has seen it mined, whatever is lost meanwhile', async () => {
    const { keys, untilMined } = venue(pending, lost(), overloaded(), confirmed)
    expect(await outcomeOf(untilMined())).toBe(null)
    expect([keys.length, new Set(keys).size]).toEqual([4, 1])
  })

  it('was not sent when it could not be done any more in its turn', async () => {
    const { untilMined } = venue(pending, ended())
    expect(await outcomeOf(untilMined())).toBe('no')
  })

  it.each([
    ['it stays under way', pending],
    ['nobody may ask any more', signedOut()],
  ])('is told as sent and not confirmed when %s', async (_, later) => {
    const { keys, untilMined } = venue(pending, later)
    expect(await outcomeOf(untilMined())).toBe(failureWords.notConfirmed)
    expect(new Set(keys).size).toBe(1)
  })

  const MINUTE_MS = 60_000

  it('is asked about less and less often, so that several leave room in the limit of the key', async () => {
    const { askedAtMs, untilMined } = venue(pending)
    await outcomeOf(untilMined())
    const [first = 0, ...later] = askedAtMs
    expect(later.slice(0, 3).map((ms) => ms - first)).toEqual([1000, 2000, 4000])
    expect(later.filter((ms) => ms - first <= MINUTE_MS).length).toBeLessThan(12)
    expect((later.at(-1) ?? 0) - first).toBe(3 * MINUTE_MS)
  })

  it('is asked about as soon as the venue tells of a change, and often again after that', async () => {
    const { askedAtMs, changes, untilMined } = venue(...Array.from({ length: 8 }, () => pending), confirmed)
    const done = untilMined()
    await vi.advanceTimersByTimeAsync(21_000)
    expect(askedAtMs).toHaveLength(7)
    changes.value += 1
    await vi.advanceTimersByTimeAsync(0)
    expect(askedAtMs).toHaveLength(8)
    await vi.advanceTimersByTimeAsync(1000)
    await done
    expect(askedAtMs).toHaveLength(9)
  })

  it('is not asked about more often than each second, however much the venue tells', async () => {
    const { askedAtMs, changes, untilMined } = venue(pending)
    const done = untilMined().catch(explain)
    for (let nth = 0; nth < 100; nth += 1) {
      changes.value += 1
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(askedAtMs).toHaveLength(11)
    await vi.runAllTimersAsync()
    expect(await done).toBe(failureWords.notConfirmed)
  })
})

describe('a venue that hangs', () => {
  const HANGS_MS = 30_000

  it('keeps a lost answer asked for no longer than a minute after it was lost and one question', async () => {
    const { askedAtMs, attempts, once } = venueThatTakes(HANGS_MS, lost())
    expect(await outcomeOf(once())).toBe(failureWords.unknownOutcome)
    expect(performance.now() - (askedAtMs[0] ?? 0)).toBeLessThanOrEqual(HANGS_MS + 60_000 + HANGS_MS + 2000)
    expect(new Set(attempts.slice(1))).toEqual(new Set([1]))
  })

  it('keeps a send followed no longer than three minutes and one question', async () => {
    const { askedAtMs, attempts, untilMined } = venueThatTakes(HANGS_MS, pending, lost())
    expect(await outcomeOf(untilMined())).toBe(failureWords.notConfirmed)
    expect(performance.now() - (askedAtMs[0] ?? 0)).toBeLessThanOrEqual(HANGS_MS + 180_000 + HANGS_MS)
    expect(new Set(attempts.slice(1))).toEqual(new Set([1]))
  })
})
