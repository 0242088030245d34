/** Returns a function that is true for whoever asks first, and for nobody else within `ms` after that. */
export function oneWithin(ms: number): () => boolean {
  let takenAtMs = Number.NEGATIVE_INFINITY
  return () => {
    const nowMs = performance.now()
    if (nowMs - takenAtMs < ms) return false
    takenAtMs = nowMs
    return true
  }
}
