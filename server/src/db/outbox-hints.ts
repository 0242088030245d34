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
      // A connection that is gone no longer listens.
      await Promise.all(listening.map(({ unlisten }) => unlisten().catch(() => {})))
    },
  }
}
