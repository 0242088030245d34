// Trades of a market as the stream tells them.
export interface MarketTrade {
  readonly id: string
  readonly price: string
  readonly size: string
  readonly side: 'long' | 'short'
  readonly timestamp: number
}

/** How many are kept. */
export const SHOWN = 30

/** The newest first, each once, however often the stream tells it, which begins with the oldest; those of a block have one time. */
export function mergeTrades(known: readonly MarketTrade[], told: readonly MarketTrade[]): readonly MarketTrade[] {
  const ids = new Set(told.map(({ id }) => id))
  return [...told.toReversed(), ...known.filter(({ id }) => !ids.has(id))]
    .toSorted((a, b) => b.timestamp - a.timestamp)
    .slice(0, SHOWN)
}
