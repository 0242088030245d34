import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  memoryNonceStore,
  NONCE_LIFE_MS,
  NonceMemoryError,
  type NonceStore,
  startMemoryNonceStore,
  TIMESTAMP_WINDOW_MS,
} from './nonce-store.ts'
import { memoryMark } from './testing-mark.ts'

const START_MS = 1_700_000_000_000

function setUp() {
  let nowMs = START_MS
  const store = memoryNonceStore({ nowMs: () => nowMs })
  return { store, now: () => nowMs, wait: (ms: number) => (nowMs += ms) }
}

/** Whether the write is let in: a refusal of either kind is a no. */
async function letIn(store: NonceStore, { nonce, timestampMs }: { nonce: string; timestampMs: number }) {
  try {
    return await store.consume('a', nonce, timestampMs, 'WRITABLE')
  } catch (error) {
    if (error instanceof NonceMemoryError) return false
    throw error
  }
}

describe('memoryNonceStore', () => {
  it('takes a nonce once for each key', () => {
    const { store, now } = setUp()
    expect(store.consume('a', 'n', now(), 'WRITABLE')).toBe(true)
    expect(store.consume('a', 'n', now(), 'WRITABLE')).toBe(false)
    expect(store.consume('a', 'n', now() + 1, 'WRITABLE')).toBe(false)
    expect(store.consume('b', 'n', now(), 'WRITABLE')).toBe(true)
    expect(store.consume('a', 'N', now(), 'WRITABLE')).toBe(true)
  })

  it('holds 10,000 nonces of one millisecond apart', () => {
    const { store, now } = setUp()
    for (let i = 0; i < 10_000; i++) expect(store.consume('a', `n${i}`, now(), 'WRITABLE')).toBe(true)
    for (let i = 0; i < 10_000; i++) expect(store.consume('a', `n${i}`, now(), 'WRITABLE')).toBe(false)
  })

  it('cannot judge timestamps from before it began', () => {
    const { store } = setUp()
    expect(() => store.consume('a', 'n', START_MS - 1, 'WRITABLE')).toThrow(NonceMemoryError)
    expect(store.consume('a', 'n', START_MS, 'WRITABLE')).toBe(true)
  })

  it('holds a nonce although the clock is set back by a minute when its window is over', () => {
    const { store, now, wait } = setUp()
    const timestampMs = now() + TIMESTAMP_WINDOW_MS
    store.consume('a', 'n', timestampMs, 'WRITABLE')
    for (let i = 0; i < 10; i++) {
      wait((2 * TIMESTAMP_WINDOW_MS) / 10 + 1)
      store.consume('a', `other${i}`, now(), 'WRITABLE')
    }
    for (let i = 0; i < 60; i++) {
      wait(1000)
      store.consume('a', `another${i}`, now(), 'WRITABLE')
    }
    wait(-60_000)
    expect(store.consume('a', 'n', timestampMs, 'WRITABLE')).toBe(false)
  })

  it('takes nothing by a probe', () => {
    const { store, now } = setUp()
    store.probe('a', 'n')
    expect(store.consume('a', 'n', now(), 'WRITABLE')).toBe(true)
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
          const taken = timestampMs >= START_MS && store.consume('a', nonce, timestampMs, 'WRITABLE')
          if (mustRefuse) expect(taken).toBe(false)
          if (taken) liveUntilMs.set(nonce, timestampMs + TIMESTAMP_WINDOW_MS)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('never lets the same write in twice, however often the process is started anew in between', async () => {
    const step = fc.record({
      waitMs: fc.integer({ min: 0, max: 30_000 }),
      skewMs: fc.integer({ min: -TIMESTAMP_WINDOW_MS, max: TIMESTAMP_WINDOW_MS }),
      restarts: fc.boolean(),
      /** The write of an earlier step once more, if it is still inside the window, instead of one of its own. */
      repeats: fc.option(fc.nat(20)),
    })
    let restarted = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let nowMs = START_MS
        const clock = { nowMs: () => nowMs }
        const mark = memoryMark()
        let store = await startMemoryNonceStore(clock, mark)
        const sent: { readonly nonce: string; readonly timestampMs: number }[] = []
        const taken = new Set<string>()
        for (const [nth, { waitMs, skewMs, restarts, repeats }] of steps.entries()) {
          nowMs += waitMs
          if (restarts) store = await startMemoryNonceStore(clock, mark)
          const again = repeats === null ? undefined : sent[repeats]
          const write = again ?? { nonce: `n${nth}`, timestampMs: nowMs + skewMs }
          sent.push(write)
          if (Math.abs(nowMs - write.timestampMs) > TIMESTAMP_WINDOW_MS) continue
          if (restarts && taken.has(write.nonce)) restarted++
          const isIn = await letIn(store, write)
          expect(isIn && taken.has(write.nonce)).toBe(false)
          if (isIn) taken.add(write.nonce)
        }
      }),
      { numRuns: 500 },
    )
    expect(restarted).toBeGreaterThan(20)
  })

  it('lets in at once, after a start, what cannot have been let in before', async () => {
    let nowMs = START_MS
    const clock = { nowMs: () => nowMs }
    const mark = memoryMark()
    const first = await startMemoryNonceStore(clock, mark)
    expect(await letIn(first, { nonce: 'right clock', timestampMs: nowMs })).toBe(true)
    nowMs += 1500
    const second = await startMemoryNonceStore(clock, mark)
    expect(await letIn(second, { nonce: 'right clock', timestampMs: START_MS })).toBe(false)
    expect(await letIn(second, { nonce: 'new', timestampMs: nowMs })).toBe(true)
  })

  it('refuses no read for a write of a clock that is ahead', async () => {
    const mark = memoryMark()
    const clock = { nowMs: () => START_MS }
    await letIn(await startMemoryNonceStore(clock, mark), { nonce: 'ahead', timestampMs: START_MS + 20_000 })
    const store = await startMemoryNonceStore(clock, mark)
    expect(() => store.consume('a', 'write', START_MS + 20_000, 'WRITABLE')).toThrow(NonceMemoryError)
    expect(store.consume('a', 'read', START_MS, 'READ_ONLY')).toBe(true)
    expect(store.consume('a', 'read', START_MS, 'READ_ONLY')).toBe(false)
  })

  it('lets no write in whose mark cannot be stored', async () => {
    const store = memoryNonceStore({ nowMs: () => START_MS }, { cover: () => Promise.reject(new Error('down')) })
    await expect(store.consume('a', 'n', START_MS, 'WRITABLE')).rejects.toThrow('down')
  })

  it('forgets in the end', () => {
    const { store, now, wait } = setUp()
    store.consume('a', 'n', now(), 'WRITABLE')
    for (let i = 0; i < 3; i++) {
      wait(NONCE_LIFE_MS / 2)
      store.consume('a', `other${i}`, now(), 'WRITABLE')
    }
    expect(store.consume('a', 'n', now(), 'WRITABLE')).toBe(true)
  })
})
