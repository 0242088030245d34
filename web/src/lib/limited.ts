// When the venue takes no more requests for now: the client library waits, and the page says so.
import { signal } from '@preact/signals'

const SECOND_MS = 1000

/** Seconds until what waits goes on; null when nothing waits. */
export const limitedForSec = signal<number | null>(null)

let endsAtMs = 0
let timer: ReturnType<typeof setInterval> | undefined

/** By a clock that nobody sets. */
function count(): void {
  const leftMs = endsAtMs - performance.now()
  limitedForSec.value = leftMs > 0 ? Math.ceil(leftMs / SECOND_MS) : null
  if (leftMs > 0) return
  clearInterval(timer)
  timer = undefined
}

/** What waits longest is what is told. */
export function noteLimited(waitMs: number): void {
  endsAtMs = Math.max(endsAtMs, performance.now() + waitMs)
  count()
  timer ??= setInterval(count, SECOND_MS)
}
