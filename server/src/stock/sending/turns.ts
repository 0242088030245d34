/**
 * Lets so many go on at the same time under each name; the others wait for their turn, in the order in which they came. What
 * the database would make wait under a lock then waits here, without a connection that others could use.
 */
export class Turns {
  readonly #atOnce: number
  readonly #active = new Map<string, { count: number; readonly waiting: (() => void)[] }>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a turn; the answer gives it back and must be called, once. */
  async take(name: string): Promise<() => void> {
    const own = this.#active.get(name) ?? { count: 0, waiting: [] }
    this.#active.set(name, own)
    if (own.count < this.#atOnce) own.count++
    else await new Promise<void>((resolve) => own.waiting.push(resolve))
    return () => {
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.count === 0) this.#active.delete(name)
    }
  }
}
