import type { ReadonlySignal } from '@preact/signals'

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Bounds how often changes that follow each other closely end a pause. */
const SHORTEST_MS = 1000

/** A pause that ends sooner, after a second, when `changes` is no more what was `seen` of it. */
export async function pauseUnlessChanged(ms: number, changes: ReadonlySignal<number>, seen: number): Promise<void> {
  await pause(Math.min(ms, SHORTEST_MS))
  if (ms <= SHORTEST_MS) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => end(), ms - SHORTEST_MS)
    const stop = changes.subscribe((now) => {
      // It is told at once of what is so already.
      if (now !== seen) queueMicrotask(end)
    })
    function end(): void {
      clearTimeout(timer)
      stop()
      resolve()
    }
  })
}
