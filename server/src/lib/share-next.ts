/**
 * Lets those who ask at the same time share one run of `work` without being told anything old: each gets a run that began after it
 * asked, and at most one runs at a time.
 *
 * @param gather is waited for before a run begins, so that whoever asks meanwhile shares it; it can ask how many have come so far. Without it
 *   a run begins at once
 */
export function shareNext<T>(
  work: () => Promise<T>,
  gather?: (asked: () => number) => Promise<unknown>,
): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | null = null
  let asking = 0
  const afterRunning = async () => {
    await running.catch(() => {})
    await gather?.(() => asking)
    next = null
    asking = 0
    const started = work()
    running = started
    return started
  }
  return () => {
    asking++
    next ??= afterRunning()
    return next
  }
}
