import { noteUses } from '../../auth/wallet-key-store.ts'
import type { Service } from '../../http/product.ts'
import { type Clock, sleep } from '../../lib/clock.ts'

const WRITE_INTERVAL_MS = 2000

/** When API keys were last let in: noted in memory, written together by `service`. What a killed process noted is lost. */
export interface KeyUses {
  note(apiKey: string): void
  readonly service: Service
}

export function keyUses(clock: Clock): KeyUses {
  let noted = new Map<string, number>()
  return {
    note: (apiKey) => void noted.set(apiKey, clock.nowMs()),
    service: {
      name: 'perp.key-uses',
      async run({ sql }, signal) {
        while (!signal.aborted) {
          await sleep(WRITE_INTERVAL_MS, signal)
          const uses = noted
          noted = new Map()
          if (uses.size > 0) await noteUses(sql, uses)
        }
      },
    },
  }
}
