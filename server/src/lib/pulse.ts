import { sleep } from './clock.ts'

/** Wakes all who wait for something to happen. */
export class Pulse {
  #beats = 0
  #next = new AbortController()

  /** How often something has happened. */
  get beats(): number {
    return this.#beats
  }

  beat(): void {
    this.#beats++
    this.#next.abort()
    this.#next = new AbortController()
  }

  /** Resolves once there have been more than `beats`, after `ms`, or when the signal aborts. */
  async after(beats: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#beats === beats) await sleep(ms, AbortSignal.any([signal, this.#next.signal]))
  }
}
