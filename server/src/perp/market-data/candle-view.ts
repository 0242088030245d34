import Type from 'typebox'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import { isDollarQuoted } from '../listing/quote.ts'
import type { Candle } from './candle-store.ts'
import { type Interval, startAfter } from './intervals.ts'

const seconds = (description: string) => Type.Integer({ description: `${description}, Unix seconds.` })
const price = Type.Number({ description: 'In the quote.' })

/** Row 3 of perp-api 2B. */
export const candleSchema = Type.Object({
  symbol: Type.String(),
  openTime: seconds('First second'),
  open: price,
  high: price,
  low: price,
  close: price,
  closeTime: seconds('Last second'),
  baseVolume: Type.Number({ description: 'Base traded.' }),
  quoteVolume: Type.Number({ description: 'Quote traded.' }),
})

export const candleExample: Type.Static<typeof candleSchema> = {
  symbol: 'BTC/USDC',
  openTime: 1_764_000_000,
  open: 60_000,
  high: 60_120.5,
  low: 59_980.25,
  close: 60_110,
  closeTime: 1_764_003_599,
  baseVolume: 1.25,
  quoteVolume: 75_090.625,
}

const number = (wad: bigint) => jsonNumber(wad, WAD_DECIMALS)

/** Prices and volumes of a candle as exact number literals. */
export const barView = (candle: Candle) => ({
  open: number(candle.openWad),
  high: number(candle.highWad),
  low: number(candle.lowWad),
  close: number(candle.closeWad),
  baseVolume: number(candle.baseVolumeWad),
  quoteVolume: number(candle.quoteVolumeWad),
})

/** The same with its volume in USD, which is null where the quote is not stable. */
export function barInUsd(instrument: ListedInstrument, candle: Candle) {
  const { quoteVolume, ...bar } = barView(candle)
  return { ...bar, quoteVolume, volumeUSD: isDollarQuoted(instrument) ? quoteVolume : null }
}

/** The last second of a candle. */
export const endOf = (interval: Interval, { startSec }: Candle): number => startAfter(interval, startSec, 1) - 1

/** A candle on the wire. */
export function candleView(symbol: string, interval: Interval, candle: Candle) {
  return { symbol, openTime: candle.startSec, ...barView(candle), closeTime: endOf(interval, candle) }
}
