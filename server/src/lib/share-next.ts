import { sleep } from './clock.ts'

/**
 * Lets those who ask at the same time share one run of `work` without being told anything old: each gets a run that began after it
 * asked, and at most one runs at a time.
 *
 * @param apartMs about how long it is from the start of a run to that of the next: those who come in between wait for each other.
 * Whoever comes after a pause waits for nothing.
 */
export function shareNext<T>(work: () => Promise<T>, apartMs = 0): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let startedMs = Number.NEGATIVE_INFINITY
  let next: Promise<T> | null = null
  const afterRunning = async () => {
    await running.catch(() => {})
    const restMs = startedMs + apartMs - performance.now()
    if (restMs > 0) await sleep(restMs)
    next = null
    startedMs = performance.now()
    const started = work()
    running = started
    return started
  }
  return () => {
    next ??= afterRunning()
    return next
  }
}
