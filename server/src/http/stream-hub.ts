import { type Hints, openHints } from '../db/hints.ts'
import type { Sql } from '../db/pool.ts'
import { sleep } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { concurrencyLimit } from '../lib/turns.ts'
import type { StreamDelta, StreamSource } from './stream-source.ts'

/** Interval at which heads are looked up even without a hint. */
const POLL_MS = 500
const RETRY_MS = 500
const CLOSE_TIMEOUT_MS = 2000
/** Channels whose deltas are read at once. */
const CONCURRENCY = 32

/** A subscription that has its snapshot: deltas after `sequence` come next. */
export interface Follower {
  readonly channel: string
  /** Sequence of the last message it was given. */
  sequence: bigint
  deliver(delta: StreamDelta): void
  /** Called when the next deltas are gone: it no longer follows and needs a new snapshot. */
  lose(): void
}

/**
 * Brings each channel's deltas to its followers, in order and without a gap, whichever process made them: every follower
 * has a position of its own, and what lies after it is read from where it is kept.
 */
export class StreamHub {
  readonly #source: StreamSource
  readonly #log: Logger
  readonly #followers = new Map<string, Set<Follower>>()
  /** Channels that are being brought forward. */
  readonly #reads = new Map<string, Promise<void>>()
  /** Those of them whose head has moved meanwhile. */
  readonly #moved = new Set<string>()
  /** Up to which head each channel was brought forward, and when; not of one that somebody has joined since. */
  readonly #broughtTo = new Map<string, { readonly head: bigint; readonly atMs: number }>()
  readonly #inTurn = concurrencyLimit(CONCURRENCY)
  readonly #abort = new AbortController()
  readonly #running: Promise<void>
  #hints: Hints | null = null

  constructor(source: StreamSource, sql: Sql, log: Logger) {
    this.#source = source
    this.#log = log
    this.#running = this.#run(sql)
  }

  follow(follower: Follower): void {
    const followers = this.#followers.get(follower.channel) ?? new Set()
    this.#followers.set(follower.channel, followers.add(follower))
    this.#broughtTo.delete(follower.channel)
    this.#hints?.wake()
  }

  leave(follower: Follower): void {
    const followers = this.#followers.get(follower.channel)
    if (!followers?.delete(follower) || followers.size > 0) return
    this.#followers.delete(follower.channel)
    this.#broughtTo.delete(follower.channel)
    this.#source.release(follower.channel)
  }

  async close(): Promise<void> {
    this.#abort.abort()
    // A database that does not answer must not hold up the end.
    await Promise.race([this.#running, sleep(CLOSE_TIMEOUT_MS)])
  }

  async #run(sql: Sql): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        this.#hints ??= await openHints(sql, this.#source.hints)
        await this.#round()
        await this.#hints.wait(POLL_MS, signal)
      } catch (err) {
        this.#log.warn({ err }, 'the streams could not be brought forward and are tried again')
        await sleep(RETRY_MS, signal)
      }
    }
    await Promise.all(this.#reads.values())
    await this.#hints?.close()
  }

  /** Begins to bring forward what stands behind: a channel that takes long to read holds up no other. */
  async #round(): Promise<void> {
    if (this.#followers.size === 0) return
    const heads = await this.#source.heads([...this.#followers.keys()])
    for (const [channel, head] of heads) {
      if (!this.#isBehind(channel, head)) continue
      if (this.#reads.has(channel)) this.#moved.add(channel)
      else this.#reads.set(channel, this.#read(channel, head))
    }
  }

  /** What has told no news up to a head may yet do so, where a node lags: it is read again after a while. */
  #isBehind(channel: string, head: bigint): boolean {
    const brought = this.#broughtTo.get(channel)
    if (brought?.head === head && performance.now() - brought.atMs < POLL_MS) return false
    return [...(this.#followers.get(channel) ?? [])].some(({ sequence }) => sequence !== head)
  }

  async #read(channel: string, head: bigint): Promise<void> {
    // A channel that cannot be read is tried again in the next round.
    await this.#inTurn(() => this.#bringForward(channel, head)).catch((err) =>
      this.#log.warn({ err, channel }, 'a channel could not be brought forward'),
    )
    this.#reads.delete(channel)
    if (this.#moved.delete(channel)) this.#hints?.wake()
  }

  /** Gives every follower of a channel what it has not received. */
  async #bringForward(channel: string, head: bigint): Promise<void> {
    // Positions with nothing after them.
    const ends = new Set([head])
    const standing = (accept: (follower: Follower) => boolean) =>
      [...(this.#followers.get(channel) ?? [])].filter(accept)
    for (;;) {
      const [behind] = standing(({ sequence }) => !ends.has(sequence))
      if (!behind) {
        if (this.#followers.has(channel)) this.#broughtTo.set(channel, { head, atMs: performance.now() })
        return
      }
      const after = behind.sequence
      const deltas = await this.#source.deltas(channel, after, head)
      // Some may have joined or left meanwhile: only those that stand here take these.
      const here = standing(({ sequence }) => sequence === after)
      if (deltas?.length === 0) ends.add(after)
      for (const follower of here) {
        if (deltas === null) this.#lose(follower)
        else for (const delta of deltas) deliver(follower, delta)
      }
    }
  }

  #lose(follower: Follower): void {
    this.leave(follower)
    follower.lose()
  }
}

function deliver(follower: Follower, delta: StreamDelta): void {
  follower.sequence = delta.sequence
  follower.deliver(delta)
}
