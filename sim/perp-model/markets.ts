/** The setting of generated scenarios: three quotes of different decimals, three instruments of different parameters. */
import type { InstrumentSetup, QuoteSetup, Setup } from './replay.ts'

/** A Friday, 08:00 UTC. */
const START_SEC = 1_800_000_000
const ACCOUNT_COUNT = 9
const PENDING_SEC = 86_400
/** The Friday on which the dated pairs of scenarios expire, a week after their start. */
export const DATED_EXPIRY = START_SEC + 604_800

const QUOTES: readonly QuoteSetup[] = [
  { symbol: 'USDC', decimals: 6, threshold: '2000000000000' },
  { symbol: 'USDE', decimals: 18, threshold: '0' },
  { symbol: 'USDX', decimals: 8, threshold: (2n ** 256n - 1n).toString() },
]

const SPACING = { pearl: 1, order: 1, range: 50 }

const INSTRUMENTS: readonly InstrumentSetup[] = [
  {
    quote: 'USDC',
    spotWad: '68286170000000000000000',
    spacing: SPACING,
    setting: {
      symbol: 'BTC-USDC-LINK',
      decimals: 6,
      initialMarginRatio: 300,
      maintenanceMarginRatio: 200,
      placePaused: false,
      fundingHour: 24,
      disableOrderRebate: false,
      param: {
        minMarginAmount: '2000000000000000000',
        tradingFeeRatio: 1,
        protocolFeeRatio: 1,
        qtype: 1,
        tip: '20000000000000000',
      },
    },
  },
  {
    quote: 'USDE',
    spotWad: '3012340000000000000000',
    spacing: SPACING,
    setting: {
      symbol: 'ETH-USDE-LINK',
      decimals: 18,
      initialMarginRatio: 1000,
      maintenanceMarginRatio: 500,
      placePaused: false,
      fundingHour: 8,
      disableOrderRebate: false,
      param: {
        minMarginAmount: '10000000000000000000',
        tradingFeeRatio: 30,
        protocolFeeRatio: 10,
        qtype: 1,
        tip: '10000000000000000',
      },
    },
  },
  {
    quote: 'USDX',
    spotWad: '123450000000000',
    spacing: SPACING,
    setting: {
      symbol: 'MEME-USDX-LINK',
      decimals: 8,
      initialMarginRatio: 700,
      maintenanceMarginRatio: 350,
      placePaused: false,
      fundingHour: 1,
      disableOrderRebate: true,
      param: {
        minMarginAmount: '5000000000000000000',
        tradingFeeRatio: 5,
        protocolFeeRatio: 2,
        qtype: 1,
        tip: '12345678901234567',
      },
    },
  },
]

/** Who takes part: traders, the owner of Config, and the contract that may act for users. */
export type Cast = { readonly traders: readonly string[]; readonly admin: string; readonly handler: string }

/** Addresses used where a harness brings none of its own. */
export const DEFAULT_CAST: Cast = {
  traders: Array.from({ length: ACCOUNT_COUNT }, (_, i) => `0x${(0xb0 + i).toString(16).repeat(20)}`),
  admin: `0x${'ad'.repeat(20)}`,
  handler: `0x${'ac'.repeat(20)}`,
}

/** A setup in which every trader owns ten million of each quote. */
export function createSetup({ traders, admin, handler }: Cast = DEFAULT_CAST): Setup {
  const balances = Object.fromEntries(QUOTES.map(({ symbol, decimals }) => [symbol, `1${'0'.repeat(7 + decimals)}`]))
  const wallets = Object.fromEntries(traders.map((trader) => [trader, balances]))
  const pendingDurationSec = PENDING_SEC
  return { startSec: START_SEC, admin, handler, pendingDurationSec, quotes: QUOTES, instruments: INSTRUMENTS, wallets }
}
