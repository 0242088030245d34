import type { Sql } from '../../src/db/pool.ts'
import type { StreamDelta } from '../../src/http/stream-source.ts'
import type { Feed } from '../../src/push/source.ts'
import { findTotal } from './store.ts'

/** The channel `total:usdc`, conflated: its sequence is how often the total has changed. */
export function totalFeed(sql: Sql, chainId: number): Feed {
  const read = async () => {
    const total = await findTotal(sql, chainId)
    return { sequence: total?.changes ?? 0n, dataJson: JSON.stringify({ amount: String(total?.amountRaw ?? 0n) }) }
  }
  return {
    form: 'total:usdc',
    hint: 'till_totals',
    resolve: async (parameters) => (parameters.join() === 'usdc' ? parameters : null),
    async heads(channels) {
      const { sequence } = await read()
      return channels.map(() => sequence)
    },
    snapshot: read,
    async deltas(_parameters, after): Promise<StreamDelta[]> {
      const { sequence, dataJson } = await read()
      if (sequence === after) return []
      return [{ previous: after, sequence, event: 'total.changed', version: 1, timeMs: Date.now(), dataJson }]
    },
    release() {},
  }
}
