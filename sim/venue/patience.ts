import { sleep } from '../../server/src/lib/clock.ts'

/** Longer than any fault of a run lasts, on a machine however slow: only what hangs takes it. */
const PATIENCE_MS = 300_000
const PAUSE_MS = 300

/** Asks until `accept` says yes; throws with what it was when that takes too long. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  accept: (value: T) => Promise<boolean>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await ask()
    if (await accept(value)) return value
    if (Date.now() > deadline) throw new Error(`${what} is still ${JSON.stringify(value)} after ${PATIENCE_MS} ms`)
    await sleep(PAUSE_MS)
  }
}

/** What a request resolves to, or null where no answer came. */
export async function answerOf<Answer>(request: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await request()
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) return null
    throw error
  }
}
