import { sleep } from '../lib/clock.ts'
import { inTime } from '../lib/in-time.ts'
import type { Logger } from '../lib/logger.ts'
import { Pulse } from '../lib/pulse.ts'
import type { Sql } from './pool.ts'

/** Wakes whoever waits when one of some notifications arrives. Hints may be lost without harm: a wait has its own end. */
export interface Hints {
  /**
   * Resolves at the next hint (at once when one came since the last wait), after `ms`, or when the signal aborts: true where it was a hint.
   */
  wait(ms: number, signal: AbortSignal): Promise<boolean>
  /** As if a hint had arrived. */
  wake(): void
  close(): Promise<void>
}

const HINT_WAIT_MS = 60_000
const LISTEN_AGAIN_MS = 1000
const CLOSE_WITHIN_MS = 1000

/**
 * Lets the pulse beat at the hints of a channel until the signal aborts. While it cannot listen it does not beat, so every wait for it
 * needs an end of its own.
 *
 * @param delayMs from the hint to its beat
 * @param apartMs between two beats at least
 */
export async function beatAtHints(
  { sql, log }: { readonly sql: Sql; readonly log: Logger },
  channel: string,
  pulse: Pulse,
  signal: AbortSignal,
  { delayMs = 0, apartMs = 0 }: { readonly delayMs?: number; readonly apartMs?: number },
): Promise<void> {
  const listen = () =>
    openHints(sql, [channel]).catch((err: unknown) => {
      log.warn({ err, channel }, 'no hints are received for now: what they tell is looked for now and then')
      return null
    })
  let hints: Hints | null = null
  while (!signal.aborted) {
    hints ??= await listen()
    if (!hints) await sleep(LISTEN_AGAIN_MS, signal)
    else if (await hints.wait(HINT_WAIT_MS, signal)) {
      await sleep(delayMs, signal)
      pulse.beat()
      await sleep(apartMs, signal)
    }
  }
  await hints?.close()
}

/** Listens to these notification channels. */
export async function openHints(sql: Sql, channels: readonly string[]): Promise<Hints> {
  const pulse = new Pulse()
  let seen = pulse.beats
  const wake = () => pulse.beat()
  const listening = await Promise.all(channels.map((channel) => sql.listen(channel, wake, wake)))
  return {
    wake,
    async wait(ms, signal) {
      await pulse.after(seen, ms, signal)
      const wasHinted = pulse.beats > seen
      seen = pulse.beats
      return wasHinted
    },
    async close() {
      // A connection that is gone no longer listens, and one that hangs must not hold up the end.
      const ended = Promise.all(listening.map(({ unlisten }) => unlisten().catch(() => {})))
      await inTime(ended, CLOSE_WITHIN_MS, 'ending to listen').catch(() => {})
    },
  }
}
