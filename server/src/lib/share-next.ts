/**
 * Lets those who ask at the same time share one run of `work` without being told anything old: each gets a run that began after it
 * asked, and at most one runs at a time.
 *
 * @param gather is waited for before a run begins, so that whoever asks meanwhile shares it; without it a run begins at once
 */
export function shareNext<T>(work: () => Promise<T>, gather?: () => Promise<unknown>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  const afterRunning = async () => {
    await running.catch(() => {})
    await gather?.()
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
