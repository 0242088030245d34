import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryNonceStore, NonceMemoryError, TIMESTAMP_WINDOW_MS } from './nonce-store.ts'

const START_MS = 1_700_000_000_000

function setUp() {
  let nowMs = START_MS
  const store = memoryNonceStore({ nowMs: () => nowMs })
  return { store, now: () => nowMs, wait: (ms: number) => (nowMs += ms) }
}

describe('memoryNonceStore', () => {
  it('takes a nonce once for each key', () => {
    const { store, now } = setUp()
    expect(store.consume('a', 'n', now())).toBe(true)
    expect(store.consume('a', 'n', now())).toBe(false)
    expect(store.consume('a', 'n', now() + 1)).toBe(false)
    expect(store.consume('b', 'n', now())).toBe(true)
    expect(store.consume('a', 'N', now())).toBe(true)
  })

  it('holds 10,000 nonces of one millisecond apart', () => {
    const { store, now } = setUp()
    for (let i = 0; i < 10_000; i++) expect(store.consume('a', `n${i}`, now())).toBe(true)
    for (let i = 0; i < 10_000; i++) expect(store.consume('a', `n${i}`, now())).toBe(false)
  })

  it('cannot judge timestamps from before it began', () => {
    const { store } = setUp()
    expect(() => store.consume('a', 'n', START_MS - 1)).toThrow(NonceMemoryError)
    expect(store.consume('a', 'n', START_MS)).toBe(true)
  })

  it('takes nothing by a probe', () => {
    const { store, now } = setUp()
    store.probe('a', 'n')
    expect(store.consume('a', 'n', now())).toBe(true)
  })

  it('never takes a nonce twice while its timestamp is inside the window', () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 30_000 }),
      skewMs: fc.integer({ min: -TIMESTAMP_WINDOW_MS, max: TIMESTAMP_WINDOW_MS }),
      nonce: fc.constantFrom('n1', 'n2', 'n3'),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { store, now, wait } = setUp()
        const liveUntilMs = new Map<string, number>()
        for (const { waitMs, skewMs, nonce } of steps) {
          wait(waitMs)
          const timestampMs = now() + skewMs
          const mustRefuse = (liveUntilMs.get(nonce) ?? 0) >= now()
          const taken = timestampMs >= START_MS && store.consume('a', nonce, timestampMs)
          if (mustRefuse) expect(taken).toBe(false)
          if (taken) liveUntilMs.set(nonce, timestampMs + TIMESTAMP_WINDOW_MS)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('forgets in the end', () => {
    const { store, now, wait } = setUp()
    store.consume('a', 'n', now())
    for (let i = 0; i < 4; i++) {
      wait(TIMESTAMP_WINDOW_MS)
      store.consume('a', `other${i}`, now())
    }
    expect(store.consume('a', 'n', now())).toBe(true)
  })
})
