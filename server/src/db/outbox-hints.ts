import { sleep } from '../lib/clock.ts'
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
  let isAwake = false
  let wakeUp: AbortController | null = null
  const wake = () => {
    isAwake = true
    wakeUp?.abort()
  }
  const listening = await Promise.all(channels.map((channel) => sql.listen(channel, wake, wake)))
  return {
    wake,
    async wait(ms, signal) {
      wakeUp = new AbortController()
      if (!isAwake) await sleep(ms, AbortSignal.any([signal, wakeUp.signal]))
      wakeUp = null
      const wasHinted = isAwake
      isAwake = false
      return wasHinted
    },
    async close() {
      // A connection that is gone no longer listens.
      await Promise.all(listening.map(({ unlisten }) => unlisten().catch(() => {})))
    },
  }
}
