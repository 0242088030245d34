import { ConnectionFailed, Refused } from '@bourse/sdk/stock'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { earlierWords } from '../strings.ts'
import type { SendState } from './send-state.ts'

const by = { product: 'perp', apiKey: 'k' }
const pending: SendState = { status: 'Pending', failure: null, failureMessage: null }
const confirmed: SendState = { status: 'Confirmed', failure: null, failureMessage: null }
const failed: SendState = { status: 'Failed', failure: 'TradeSlippage()', failureMessage: null }
const failure = { code: 0, message: 'no', requestId: 'r', detail: null, retryAfterMs: null }
const unknown = new Refused({ ...failure, status: 400, reason: 'send_unknown', retryable: false })
const offline = new ConnectionFailed('GET /sends', new TypeError('fetch failed'))

/** A tab, which outlasts its pages. */
let stored: Map<string, string>
beforeEach(() => {
  vi.useFakeTimers()
  stored = new Map()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, text: string) => stored.set(name, text),
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

let pages = 0
/** The module as a page that has just been loaded has it. */
const page = (): Promise<typeof import('./earlier-sends.ts')> => import(`./earlier-sends.ts?page=${pages++}`)

/** A page that has begun a send and is gone before it ends. */
async function leaves(key: string, of = by): Promise<void> {
  const { remembered } = await page()
  void remembered(of, key, () => new Promise(() => {}))
}

/** What the next page tells, and what it has asked for; the venue answers by the list, of which the last stays. */
async function nextPage(answers: readonly (SendState | Error)[], of = by) {
  const { tellEarlier } = await page()
  const asked: string[] = []
  const told: (readonly [string, string])[] = []
  const ask = async (key: string) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push(key)
    if (answer instanceof Error || answer === undefined) throw answer
    return answer
  }
  const tell = (kind: string, text: string) => void told.push([kind, text])
  const telling = tellEarlier(of, ask, tell)
  await vi.runAllTimersAsync()
  await telling
  return { asked, told, again: () => tellEarlier(of, ask, tell) }
}

describe('a send that a page has left', () => {
  it('is told by the next one as it ends, once', async () => {
    await leaves('one')
    const { asked, told, again } = await nextPage([pending, offline, confirmed])
    expect(asked).toEqual(['one', 'one', 'one'])
    expect(told).toEqual([['good', earlierWords.confirmed]])
    await again()
    expect(told).toHaveLength(1)
    expect((await nextPage([confirmed])).told).toEqual([])
  })

  it('that failed is told with its reason', async () => {
    await leaves('one')
    expect((await nextPage([failed])).told).toEqual([['bad', earlierWords.failed('TradeSlippage()')]])
  })

  it('is told as never sent only when its request can no longer arrive', async () => {
    await leaves('one')
    const leftAtMs = Date.now()
    const { told, asked } = await nextPage([unknown])
    expect(told).toEqual([['bad', earlierWords.neverArrived]])
    expect(asked.length).toBeGreaterThan(25)
    expect(Date.now() - leftAtMs).toBeGreaterThan(60_000)
  })

  it('that arrives late is told as what it became', async () => {
    await leaves('one')
    expect((await nextPage([unknown, unknown, pending, confirmed])).told).toEqual([['good', earlierWords.confirmed]])
  })

  it('of which nothing can be learned is told so, and not as never sent', async () => {
    await leaves('one')
    expect((await nextPage([offline])).told).toEqual([['bad', earlierWords.notKnown]])
  })

  it('is of its product and key alone', async () => {
    await leaves('one')
    expect((await nextPage([confirmed], { ...by, apiKey: 'other' })).asked).toEqual([])
    expect((await nextPage([confirmed], { ...by, product: 'stock' })).asked).toEqual([])
    expect((await nextPage([confirmed])).told).toHaveLength(1)
  })
})

describe('a send that the page has seen to its end', () => {
  it('is not told again, however it ended', async () => {
    const { remembered } = await page()
    expect(await remembered(by, 'good', async () => 7)).toBe(7)
    await expect(remembered(by, 'bad', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect((await nextPage([confirmed])).asked).toEqual([])
  })

  it('is not told beside what it is for while it is under way, in a session that comes back', async () => {
    const { remembered, tellEarlier } = await page()
    void remembered(by, 'mine', () => new Promise(() => {}))
    const told: unknown[] = []
    await tellEarlier(
      by,
      async () => confirmed,
      (...words) => told.push(words),
    )
    expect(told).toEqual([])
  })
})

describe('a browser that keeps nothing', () => {
  it('sends all the same', async () => {
    const refuse = () => {
      throw new Error('storage is off')
    }
    vi.stubGlobal('sessionStorage', { getItem: refuse, setItem: refuse })
    const { remembered } = await page()
    expect(await remembered(by, 'one', async () => 7)).toBe(7)
  })
})
