/** The setting of generated scenarios: three quotes of different decimals, three instruments of different parameters. */
import type { InstrumentSetup, QuoteSetup, Setup } from './replay.ts'

const START_SEC = 1_800_000_000
const ACCOUNT_COUNT = 9

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

/** Addresses used where a harness brings none of its own. */
export const DEFAULT_ACCOUNTS: readonly string[] = Array.from(
  { length: ACCOUNT_COUNT },
  (_, i) => `0x${(0xb0 + i).toString(16).repeat(20)}`,
)

/** A setup in which every account owns ten million of each quote. */
export function createSetup(accounts: readonly string[]): Setup {
  const balances = Object.fromEntries(QUOTES.map(({ symbol, decimals }) => [symbol, `1${'0'.repeat(7 + decimals)}`]))
  const wallets = Object.fromEntries(accounts.map((account) => [account, balances]))
  return { startSec: START_SEC, quotes: QUOTES, instruments: INSTRUMENTS, wallets }
}
