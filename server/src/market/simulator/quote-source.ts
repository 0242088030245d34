import type { Db } from '../../db/pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { listAppliedSplits } from '../applied-splits.ts'
import type { MarketHours } from '../hours.ts'
import type { QuoteSource } from '../ports.ts'
import type { SimulatedPrices } from './prices.ts'

/**
 * The simulator's quotes at the market clock's present: one path a symbol, a fresh quote a second, in the terms after the
 * splits that have happened. While the market is closed the last quote of its last session stands, with its time.
 */
export function simulatedQuoteSource(
  db: Db,
  prices: SimulatedPrices,
  marketClock: Clock,
  hours: MarketHours,
): QuoteSource {
  return {
    name: 'simulator',
    symbols: () => prices.symbols,
    latestQuotes: async () => {
      const splits = await listAppliedSplits(db)
      const timeMs = hours.lastOpen(marketClock.nowMs())
      return prices.symbols.flatMap((symbol) => {
        const quote = prices.quoteAt(symbol, timeMs, splits)
        return quote ? [{ symbol, ...quote }] : []
      })
    },
  }
}
