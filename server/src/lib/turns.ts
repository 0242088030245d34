/**
 * Lets a fixed number proceed at once under each name; the others wait for their turn, in the order in which they came.
 */
export class Turns {
  readonly #atOnce: number
  readonly #active = new Map<string, { count: number; readonly waiting: (() => void)[] }>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Waits for a turn; the returned function gives it back and must be called once. */
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

/** Lets at most `count` pieces of work run at the same time, in the order they came. */
export function concurrencyLimit(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const turns = new Turns(count)
  return async (work) => {
    const endTurn = await turns.take('')
    try {
      return await work()
    } finally {
      endTurn()
    }
  }
}

/**
 * Does `work` for every item, `atOnce` at the same time. Resolves with the results in the items' order once all have ended, so
 * that nothing goes on behind the caller's back; rejects then with the first failure there was.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = concurrencyLimit(atOnce)
  return allEnded(items.map((item) => limit(() => work(item))))
}

/** Like `Promise.all`, once all have ended: the failure it rejects with is the first in their order, not in time. */
export async function allEnded<const Work extends readonly Promise<unknown>[]>(
  work: Work,
): Promise<{ -readonly [Nth in keyof Work]: Awaited<Work[Nth]> }> {
  const settled = await Promise.allSettled(work)
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : null)) as {
    -readonly [Nth in keyof Work]: Awaited<Work[Nth]>
  }
}
