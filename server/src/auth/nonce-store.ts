import type { Clock } from '../lib/clock.ts'

/** Timestamps may be this far from the venue's wall clock, to either side (seed 5A). */
export const TIMESTAMP_WINDOW_MS = 45_000

/** Remembers the nonces of verified requests, each unique per key. */
export interface NonceStore {
  /**
   * Consumes a nonce, which is remembered until `timestampMs` + 45 s. False when it was taken before. Throws or rejects when the
   * store does not answer, and with `NonceMemoryError` when the timestamp is from before the store's memory began: whether the
   * nonce was taken is not known then, and nobody is let in.
   */
  consume(apiKey: string, nonce: string, timestampMs: number): boolean | Promise<boolean>
  /** Costs what `consume` costs and takes nothing: failures that come before it must not be quicker. */
  probe(apiKey: string, nonce: string): unknown
}

/** A request signed before the store began to remember. Signed anew it can be judged. */
export class NonceMemoryError extends Error {
  constructor() {
    super('the timestamp is from before the nonces are remembered')
    this.name = 'NonceMemoryError'
  }
}

/**
 * A nonce counts for at most twice the window, since its timestamp may lie one window ahead. An entry of the newest of
 * three generations outlives two turns, so one window a generation keeps it long enough.
 */
const GENERATION_MS = TIMESTAMP_WINDOW_MS

/**
 * The nonces of a single process. Timestamps from before the process began are refused, since their nonces are not known.
 */
export function memoryNonceStore(clock: Clock): NonceStore {
  const startedMs = clock.nowMs()
  let turnedMs = startedMs
  let newest: Generation = new Map()
  let middle: Generation = new Map()
  let oldest: Generation = new Map()

  function turn(): void {
    const nowMs = clock.nowMs()
    if (nowMs - turnedMs < GENERATION_MS) return
    oldest = middle
    middle = newest
    newest = new Map()
    turnedMs = nowMs
  }

  return {
    consume(apiKey, nonce, timestampMs) {
      turn()
      if (timestampMs < startedMs) throw new NonceMemoryError()
      if (holds(middle, apiKey, nonce) || holds(oldest, apiKey, nonce)) return false
      return addIfNew(newest, apiKey, nonce)
    },
    probe: (apiKey, nonce) =>
      holds(middle, apiKey, nonce) || holds(oldest, apiKey, nonce) || holds(newest, apiKey, nonce),
  }
}

/** Nonces by key: joined texts would have to be built, hashed and kept for every request. */
type Generation = Map<string, Set<string>>

function holds(generation: Generation, apiKey: string, nonce: string): boolean {
  return generation.get(apiKey)?.has(nonce) ?? false
}

function addIfNew(generation: Generation, apiKey: string, nonce: string): boolean {
  let nonces = generation.get(apiKey)
  if (!nonces) {
    nonces = new Set()
    generation.set(apiKey, nonces)
  }
  // One look-up instead of two.
  const before = nonces.size
  nonces.add(nonce)
  return nonces.size > before
}
