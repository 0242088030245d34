/** A stock, fund or index of the embedded venue. */
export interface Instrument {
  /** Ticker, upper-case. */
  readonly symbol: string
  /** The company, fund or index. */
  readonly name: string
  readonly tradable: boolean
  readonly fractionable: boolean
  readonly overnightTradable: boolean
  readonly fractionalEhEnabled: boolean
  /** Empty where there is none. */
  readonly logoUrl: string
  /** The token's prospectus; empty where there is none. */
  readonly pdfUrl: string
  /** Where the simulator starts, USD with 8 decimals; null when only a recorded close can say it. */
  readonly startingPrice8: bigint | null
  /** Annual volatility in millionths: 300,000 is 30 %. */
  readonly annualVolatilityPpm: bigint
  /** Simulated daily volume, shares. */
  readonly dailyVolumeShares: bigint
  /** Distance of bid and ask from the price, in millionths of it. */
  readonly halfSpreadPpm: bigint
  /** Prices are multiples of this; USD with 8 decimals. */
  readonly tick8: bigint
}

/** In what steps a broker trades; USD and shares with 18 decimals. */
export interface TradeSteps {
  readonly quantityWad: bigint
  readonly notionalWad: bigint
  /** The least that a market buy may spend; zero when the broker has no least amount of its own. */
  readonly leastNotionalWad: bigint
}

const CENT8 = 1_000_000n
const usd8 = (dollars: bigint): bigint => dollars * 100_000_000n

const stock = {
  tradable: true,
  fractionable: true,
  overnightTradable: true,
  fractionalEhEnabled: true,
  logoUrl: '',
  pdfUrl: '',
  halfSpreadPpm: 50n,
  tick8: CENT8,
} as const

/**
 * What the embedded venue trades. Starting prices are round figures, not quotes of a day. SPX starts from its last
 * recorded close, in the record's own resolution of six decimals; without a record it is not listed.
 */
export const embeddedInstruments: readonly Instrument[] = [
  {
    ...stock,
    symbol: 'AAPL',
    name: 'Apple Inc.',
    startingPrice8: usd8(230n),
    annualVolatilityPpm: 280_000n,
    dailyVolumeShares: 55_000_000n,
  },
  {
    ...stock,
    symbol: 'MSFT',
    name: 'Microsoft Corporation',
    startingPrice8: usd8(430n),
    annualVolatilityPpm: 250_000n,
    dailyVolumeShares: 22_000_000n,
  },
  {
    ...stock,
    symbol: 'NVDA',
    name: 'NVIDIA Corporation',
    startingPrice8: usd8(140n),
    annualVolatilityPpm: 520_000n,
    dailyVolumeShares: 220_000_000n,
  },
  {
    ...stock,
    symbol: 'TSLA',
    name: 'Tesla, Inc.',
    startingPrice8: usd8(300n),
    annualVolatilityPpm: 600_000n,
    dailyVolumeShares: 95_000_000n,
  },
  {
    ...stock,
    symbol: 'AMZN',
    name: 'Amazon.com, Inc.',
    startingPrice8: usd8(210n),
    annualVolatilityPpm: 320_000n,
    dailyVolumeShares: 42_000_000n,
  },
  {
    ...stock,
    symbol: 'GOOGL',
    name: 'Alphabet Inc.',
    startingPrice8: usd8(180n),
    annualVolatilityPpm: 300_000n,
    dailyVolumeShares: 30_000_000n,
  },
  {
    ...stock,
    symbol: 'META',
    name: 'Meta Platforms, Inc.',
    startingPrice8: usd8(600n),
    annualVolatilityPpm: 380_000n,
    dailyVolumeShares: 14_000_000n,
  },
  {
    ...stock,
    symbol: 'SPY',
    name: 'SPDR S&P 500 ETF Trust',
    startingPrice8: usd8(590n),
    annualVolatilityPpm: 170_000n,
    dailyVolumeShares: 60_000_000n,
    halfSpreadPpm: 10n,
  },
  {
    ...stock,
    symbol: 'QQQ',
    name: 'Invesco QQQ Trust',
    startingPrice8: usd8(510n),
    annualVolatilityPpm: 220_000n,
    dailyVolumeShares: 40_000_000n,
    halfSpreadPpm: 10n,
  },
  {
    ...stock,
    symbol: 'SPX',
    name: 'S&P 500 Index',
    startingPrice8: null,
    annualVolatilityPpm: 180_000n,
    dailyVolumeShares: 4_000_000_000n,
    halfSpreadPpm: 20n,
    tick8: 100n,
  },
]
