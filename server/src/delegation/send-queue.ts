import { AppError } from '../lib/errors.ts'
import { delegationReasons } from './reasons.ts'

/** How many sends one process works at, and for how many it keeps a place. */
export interface SendLimits {
  /** Sends that are checked and stored at the same time: enough to share what the chain's node is asked. */
  readonly atOnce: number
  readonly atOnceOfKey: number
  /** Sends that wait for that. */
  readonly waiting: number
  readonly waitingOfKey: number
  /** The longest wait; an answer comes within two seconds of a send's turn. */
  readonly waitMs: number
}

export const SEND_LIMITS: SendLimits = { atOnce: 64, atOnceOfKey: 16, waiting: 512, waitingOfKey: 128, waitMs: 1000 }

/** What a refused client is told to wait. */
const RETRY_AFTER_SEC = 1

interface Waiting {
  readonly keyId: string
  readonly start: () => void
}

/**
 * Where sends wait for their turn, in the order in which they came, but that no key takes more than its share. Who finds no place,
 * waits too long or goes away is turned away before anything is done for it: a process that is asked for more than it can do
 * goes on doing what it can.
 */
export class SendQueue {
  readonly #limits: SendLimits
  readonly #active = new Map<string, number>()
  #total = 0
  #waiting: Waiting[] = []
  /** Made once: it says the same to everybody, and to trace where it comes from takes longer than to refuse. */
  readonly #full = overloaded('too many sends wait already')

  constructor(limits: SendLimits) {
    this.#limits = limits
  }

  /** Waits for a turn; the answer ends it and must be called once. Throws `sends_overloaded` and `send_abandoned`. */
  async enter(keyId: string, caller?: AbortSignal): Promise<() => void> {
    if (caller?.aborted) throw abandoned()
    if (this.#mayStart(keyId)) this.#start(keyId)
    else await this.#wait(keyId, caller)
    return () => this.#end(keyId)
  }

  /** The refusal of any send, whosever it is, while there is no place for it; null while some key's may find one. */
  get refusal(): AppError | null {
    const { atOnce, waiting } = this.#limits
    return this.#total >= atOnce && this.#waiting.length >= waiting ? this.#full : null
  }

  #mayStart(keyId: string): boolean {
    return this.#total < this.#limits.atOnce && (this.#active.get(keyId) ?? 0) < this.#limits.atOnceOfKey
  }

  #start(keyId: string): void {
    this.#total++
    this.#active.set(keyId, (this.#active.get(keyId) ?? 0) + 1)
  }

  #wait(keyId: string, caller: AbortSignal | undefined): Promise<void> {
    const ofKey = this.#waiting.filter((one) => one.keyId === keyId).length
    if (this.#waiting.length >= this.#limits.waiting || ofKey >= this.#limits.waitingOfKey) {
      throw this.#full
    }
    return new Promise((resolve, reject) => {
      const leave = (error: AppError) => {
        this.#waiting = this.#waiting.filter((one) => one !== place)
        settle()
        reject(error)
      }
      const goneAway = () => leave(abandoned())
      const timer = setTimeout(
        () => leave(overloaded(`its turn did not come within ${this.#limits.waitMs} ms`)),
        this.#limits.waitMs,
      )
      const settle = () => {
        clearTimeout(timer)
        caller?.removeEventListener('abort', goneAway)
      }
      const place: Waiting = {
        keyId,
        start() {
          settle()
          resolve()
        },
      }
      caller?.addEventListener('abort', goneAway)
      this.#waiting.push(place)
    })
  }

  #end(keyId: string): void {
    this.#total--
    const left = (this.#active.get(keyId) ?? 1) - 1
    if (left === 0) this.#active.delete(keyId)
    else this.#active.set(keyId, left)
    const index = this.#waiting.findIndex((one) => this.#mayStart(one.keyId))
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1)
    if (!next) return
    this.#start(next.keyId)
    next.start()
  }
}

export const abandoned = (): AppError =>
  new AppError(delegationReasons.send_abandoned, 'the caller has gone away; nothing was stored')

const overloaded = (why: string): AppError =>
  new AppError(delegationReasons.sends_overloaded, `${why}; nothing was stored: send it again in a moment`, {
    retryAfterSec: RETRY_AFTER_SEC,
  })
