// Trades of a market as the stream tells them.
import type { Trade } from '@bourse/sdk/perp'

export type MarketTrade = Pick<Trade, 'id' | 'price' | 'size' | 'side' | 'timestamp'>

/** How many are kept. */
export const SHOWN = 30

/**
 * The newest first, each once, however often the stream tells it, which begins with the oldest; those of a block have one time.
 * What it tells at once is all there is since the first of it, so a known one that is later and not among it was undone: after a
 * reorganisation the newest trades come once more.
 */
export function mergeTrades(known: readonly MarketTrade[], told: readonly MarketTrade[]): readonly MarketTrade[] {
  const ids = new Set(told.map(({ id }) => id))
  const since = told[0]?.timestamp ?? Number.POSITIVE_INFINITY
  return [...told.toReversed(), ...known.filter(({ id, timestamp }) => !ids.has(id) && timestamp <= since)]
    .toSorted((a, b) => b.timestamp - a.timestamp)
    .slice(0, SHOWN)
}
