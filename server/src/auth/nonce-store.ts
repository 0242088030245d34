import type { Access } from '../http/caller.ts'
import { andThen } from '../lib/and-then.ts'
import { type Clock, MAX_CLOCK_SKEW_MS } from '../lib/clock.ts'
import type { WriteMark } from './write-mark.ts'

/** Timestamps may be this far from the venue's wall clock, to either side (seed 5A). */
export const TIMESTAMP_WINDOW_MS = 45_000

/**
 * How long a nonce is remembered at least, whatever its timestamp: nobody but clocks can tell how long a request will be accepted, and that of
 * another process, or of this one once it was set back, says something else. A request is accepted during twice the window by one clock.
 */
export const NONCE_LIFE_MS = 2 * TIMESTAMP_WINDOW_MS + MAX_CLOCK_SKEW_MS

/** Remembers the nonces of verified requests, each unique per key. */
export interface NonceStore {
  /**
   * Consumes a nonce, which is remembered for `NONCE_LIFE_MS`. False when it was taken before. Throws or rejects when the
   * store does not answer, and with `NonceMemoryError` when the nonce may have been taken before the store's memory began: of a
   * write, when its timestamp is below the mark of then (`WriteMark`); of a read, which changes nothing when it is answered twice, when
   * its timestamp is from before.
   */
  consume(apiKey: string, nonce: string, timestampMs: number, access: Access): boolean | Promise<boolean>
  /** Costs what `consume` costs and takes nothing: failures that come before it must not be quicker. */
  probe(apiKey: string, nonce: string): unknown
}

/** A request whose nonce may have been taken and forgotten. Signed anew it can be judged. */
export class NonceMemoryError extends Error {
  constructor() {
    super('the nonce may have been taken before the nonces are remembered')
    this.name = 'NonceMemoryError'
  }
}

/** An entry of the newest of three generations outlives two turns, so half a life a generation keeps it long enough. */
const GENERATION_MS = NONCE_LIFE_MS / 2

/** The nonces of a single process, which knows none of the one before it. */
export async function startMemoryNonceStore(clock: Clock, mark: WriteMark): Promise<NonceStore> {
  return memoryNonceStore(clock, mark, await mark.read())
}

/** Where no process was before and none comes after, as in a test. */
const UNMARKED: Pick<WriteMark, 'cover'> = { cover: () => undefined }

/** @param lostBelowMs the mark below which writes may have been let in before; see `startMemoryNonceStore` */
export function memoryNonceStore(
  clock: Clock,
  mark: Pick<WriteMark, 'cover'> = UNMARKED,
  lostBelowMs = Number.NEGATIVE_INFINITY,
): NonceStore {
  const startedMs = clock.nowMs()
  const fromMs = { READ_ONLY: startedMs, WRITABLE: Math.max(startedMs, lostBelowMs) }
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

  function take(apiKey: string, nonce: string): boolean {
    turn()
    if (holds(middle, apiKey, nonce) || holds(oldest, apiKey, nonce)) return false
    return addIfNew(newest, apiKey, nonce)
  }

  return {
    consume(apiKey, nonce, timestampMs, access) {
      if (timestampMs < fromMs[access]) throw new NonceMemoryError()
      if (access === 'READ_ONLY') return take(apiKey, nonce)
      return andThen(mark.cover(timestampMs), () => take(apiKey, nonce))
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
