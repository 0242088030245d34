import { sleep } from '../lib/clock.ts'

/** A send answers within two seconds of its arrival, whatever the relayer does (design 7, "Recording and sending"). */
export const ANSWER_WITHIN_MS = 1800
const FIRST_PAUSE_MS = 25
const MAX_PAUSE_MS = 200

/** Looks, less and less often, until `accept` is satisfied or it is time to answer; the last look either way. */
export async function untilAnswer<T>(
  startedAtMs: number,
  look: () => Promise<T>,
  accept: (value: T) => boolean,
): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
    const value = await look()
    const leftMs = startedAtMs + ANSWER_WITHIN_MS - Date.now()
    if (accept(value) || leftMs <= 0) return value
    await sleep(Math.min(pauseMs, leftMs))
  }
}
