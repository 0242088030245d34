import type { Clock } from '../lib/clock.ts'
import type { Instrument } from './instruments.ts'
import type { QuoteSource } from './ports.ts'
import { PricePath } from './simulator/price-path.ts'
import { SimulatedPrices } from './simulator/prices.ts'

// Coins that perpetuals of an embedded venue are on. They are priced and never traded themselves, so that they are in no list
// of stocks and have no quotes in the tables.

/** Where every path of a coin begins, whatever the venue's age: each start goes on along the same path. */
const PATHS_BEGIN_MS = Date.UTC(2026, 0, 1)
const usd8 = (dollars: bigint): bigint => dollars * 100_000_000n

const coin = {
  tradable: true,
  fractionable: true,
  overnightTradable: true,
  fractionalEhEnabled: true,
  logoUrl: '',
  pdfUrl: '',
  halfSpreadPpm: 20n,
  tick8: 1_000_000n,
} as const

/** Starting prices are round figures, not quotes of a day. */
const embeddedCoins: readonly (Instrument & { readonly startingPrice8: bigint })[] = [
  {
    ...coin,
    symbol: 'BTC',
    name: 'Bitcoin',
    startingPrice8: usd8(100_000n),
    annualVolatilityPpm: 450_000n,
    dailyVolumeShares: 25_000n,
  },
  {
    ...coin,
    symbol: 'ETH',
    name: 'Ether',
    startingPrice8: usd8(3500n),
    annualVolatilityPpm: 600_000n,
    dailyVolumeShares: 400_000n,
  },
]

/** The simulated prices of coins at the market clock's present, at all hours: a fresh quote a second. */
export function simulatedCoins(seed: string, marketClock: Clock): QuoteSource {
  const paths = embeddedCoins.map((instrument): [string, PricePath] => [
    instrument.symbol,
    new PricePath(instrument, { seed, price8: instrument.startingPrice8, timeMs: PATHS_BEGIN_MS }),
  ])
  const prices = new SimulatedPrices(new Map(paths))
  return {
    name: 'simulator',
    symbols: () => prices.symbols,
    latestQuotes: async () =>
      prices.symbols.flatMap((symbol) => {
        const quote = prices.quoteAt(symbol, marketClock.nowMs(), [])
        return quote ? [{ symbol, ...quote }] : []
      }),
  }
}
