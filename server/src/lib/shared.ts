/** Whoever asks while the work is under way gets its answer. */
export function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= work().finally(() => {
      running = null
    })
    return running
  }
}
