/**
 * Lets a fixed number proceed at once under each name; the others wait for their turn, in the order in which they came.
 */
export class Turns {
  readonly #atOnce: number
  readonly #active = new Map<string, { count: number; readonly waiting: (() => void)[] }>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /**
   * Waits for a turn; the returned function gives it back and must be called once. Whoever waits when the signal aborts leaves, and
   * is told its reason.
   */
  async take(name: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    const own = this.#active.get(name) ?? { count: 0, waiting: [] }
    this.#active.set(name, own)
    if (own.count < this.#atOnce) own.count++
    else await waitAmong(own.waiting, signal)
    return () => {
      const next = own.waiting.shift()
      if (next) next()
      else if (--own.count === 0) this.#active.delete(name)
    }
  }
}

function waitAmong(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = () => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }
    const leave = () => {
      waiting.splice(waiting.indexOf(next), 1)
      reject(signal?.reason)
    }
    waiting.push(next)
    signal?.addEventListener('abort', leave, { once: true })
  })
}

/** Lets at most `count` pieces of work run at the same time, in the order they came; what waits when its signal aborts never begins. */
export function concurrencyLimit(count: number): <T>(work: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  const turns = new Turns(count)
  return async (work, signal) => {
    const endTurn = await turns.take('', signal)
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
