import { WouldRevert } from '@bourse/sdk/perp'
import { RateLimited, Refused, Unauthenticated, Unavailable, UnknownOutcome } from '@bourse/sdk/stock'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failureWords } from '../strings.ts'
import { explain } from './explain.ts'
import { type SendState, sendOnce, sendUntilMined } from './send-once.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

type Answer = SendState | Error

const pending: SendState = { status: 'Pending', failure: null }
const confirmed: SendState = { status: 'Confirmed', failure: null }
const failed: SendState = { status: 'Failed', failure: 'PriceOutOfBounds' }

const failure = { code: 0, message: 'no', requestId: 'r', detail: null, retryAfterMs: null }
const lost = () => new UnknownOutcome('POST /orders/send', 'k', new TypeError('fetch failed'))
const overloaded = () => new Unavailable({ ...failure, status: 503, reason: 'sends_overloaded', retryable: true })
const signedOut = () => new Unauthenticated({ ...failure, status: 401, reason: null, retryable: false })
const refused = () => new Refused({ ...failure, status: 400, reason: 'would_revert', retryable: false })
const ended = () => new WouldRevert({ ...failure, status: 400, reason: 'would_revert', retryable: false })

/** A venue that answers by a list, of which the last stays. */
function venue(...answers: readonly Answer[]) {
  const keys: string[] = []
  const steps: string[] = []
  const send = async ({ idempotencyKey }: { readonly idempotencyKey: string }): Promise<SendState> => {
    const answer = answers[Math.min(keys.length, answers.length - 1)] as Answer
    keys.push(idempotencyKey)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { send, keys, steps, at: (step: string) => steps.push(step) }
}

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
    const { send, keys, steps, at } = venue(lost(), lost(), pending)
    expect(await outcomeOf(sendOnce(send, at))).toBe(null)
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect(steps).toEqual(['sending', 'repeating', 'repeating'])
  })

  it.each([
    ['a session that ended', signedOut()],
    ['what another send may have caused', refused()],
  ])('stays unknown when the next round is refused for %s, and is not asked for any more', async (_, later) => {
    const { send, keys, at } = venue(lost(), later)
    expect(await outcomeOf(sendOnce(send, at))).toBe(failureWords.unknownOutcome)
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  it('is asked for again while the venue is overloaded, and told as it then is', async () => {
    const { send, keys, at } = venue(lost(), overloaded(), overloaded(), confirmed)
    expect(await outcomeOf(sendOnce(send, at))).toBe(null)
    expect([keys.length, new Set(keys).size]).toEqual([4, 1])
  })

  it('is unknown in the end when the venue stays overloaded, never “not stored”', async () => {
    const { send, keys, at } = venue(lost(), overloaded())
    expect(await outcomeOf(sendOnce(send, at))).toBe(failureWords.unknownOutcome)
    expect(keys.length).toBeGreaterThan(10)
    expect(new Set(keys).size).toBe(1)
  })

  it('waits as long as the venue asks for', async () => {
    const retryAfterMs = 9000
    const limited = new RateLimited({ ...failure, retryAfterMs, status: 429, reason: 'rate_limited', retryable: true })
    const { send, keys, at } = venue(lost(), limited, confirmed)
    const work = sendOnce(send, at)
    await vi.advanceTimersByTimeAsync(2000 + retryAfterMs - 1)
    expect(keys).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    await work
    expect(keys).toHaveLength(3)
  })

  it('has failed when the venue says so', async () => {
    const { send, at } = venue(lost(), failed)
    expect(await outcomeOf(sendOnce(send, at))).toBe(failureWords.failedOnChain('PriceOutOfBounds'))
  })
})

describe('a send that is refused at once', () => {
  it.each([refused(), overloaded(), signedOut()])('says why: %s', async (error) => {
    const { send, keys, at } = venue(error)
    expect(await outcomeOf(sendOnce(send, at))).toBe('no')
    expect(keys).toHaveLength(1)
  })
})

describe('a send that is followed until it is mined', () => {
  it('is not done while nothing is signed, and failed when the chain refuses it', async () => {
    const { send, keys, steps, at } = venue(pending, pending, failed)
    expect(await outcomeOf(sendUntilMined(send, at))).toBe(failureWords.failedOnChain('PriceOutOfBounds'))
    expect([keys.length, new Set(keys).size]).toEqual([3, 1])
    expect(steps).toEqual(['sending', 'mining', 'mining'])
  })

  it('is done when the venue has seen it mined, whatever is lost meanwhile', async () => {
    const { send, keys, at } = venue(pending, lost(), overloaded(), confirmed)
    expect(await outcomeOf(sendUntilMined(send, at))).toBe(null)
    expect([keys.length, new Set(keys).size]).toEqual([4, 1])
  })

  it('was not sent when it could not be done any more in its turn', async () => {
    const { send, at } = venue(pending, ended())
    expect(await outcomeOf(sendUntilMined(send, at))).toBe('no')
  })

  it.each([
    ['it stays under way', pending],
    ['nobody may ask any more', signedOut()],
  ])('is told as sent and not confirmed when %s', async (_, later) => {
    const { send, keys, at } = venue(pending, later)
    expect(await outcomeOf(sendUntilMined(send, at))).toBe(failureWords.notConfirmed)
    expect(new Set(keys).size).toBe(1)
  })
})
