/**
 * Lets those who ask at the same time share one run of `work` without being told anything old: each gets a run that began after it
 * asked, and at most one runs at a time.
 */
export function shareNext<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  const afterRunning = async () => {
    await running.catch(() => {})
    next = null
    const started = work()
    running = started
    return started
  }
  return () => {
    next ??= afterRunning()
    return next
  }
}
