import type { Db } from '../../db/pool.ts'
import { type Candle, candlesIn } from './candle-store.ts'
import { type Interval, startAfter, startOf } from './intervals.ts'
import type { Pair } from './pair-reader.ts'

export interface CandleQuery {
  readonly interval: Interval
  /** First and last instant that a candle may hold, Unix seconds. */
  readonly startSec: number
  readonly endSec: number
  /** At most so many, the newest. */
  readonly limit: number
}

/**
 * Candles of a pair, oldest first, one for each interval since its first trade: where nothing was traded it stands at the close
 * before, without volume. A range that begins within a candle holds that candle.
 */
export async function readCandles(
  db: Db,
  chainId: number,
  pair: Pair,
  { interval, startSec, endSec, limit }: CandleQuery,
): Promise<readonly Candle[]> {
  if (startSec > endSec) return []
  const toSec = startOf(interval, endSec)
  const fromSec = Math.max(startOf(interval, startSec), startAfter(interval, toSec, 1 - limit))
  const { before, candles } = await candlesIn(db, chainId, pair, interval, { fromSec, toSec })
  const first = before ? fromSec : candles[0]?.startSec
  return first === undefined ? [] : filled(before, candles, interval, first, toSec)
}

function filled(
  before: Candle | null,
  candles: readonly Candle[],
  interval: Interval,
  fromSec: number,
  toSec: number,
): readonly Candle[] {
  const traded = new Map(candles.map((candle) => [candle.startSec, candle]))
  const all: Candle[] = []
  let last = before
  for (let startSec = fromSec; startSec <= toSec; startSec = startAfter(interval, startSec, 1)) {
    last = traded.get(startSec) ?? still(last as Candle, startSec)
    all.push(last)
  }
  return all
}

/** A candle in which nothing was traded. */
const still = ({ closeWad }: Candle, startSec: number): Candle => ({
  startSec,
  openWad: closeWad,
  highWad: closeWad,
  lowWad: closeWad,
  closeWad,
  baseVolumeWad: 0n,
  quoteVolumeWad: 0n,
})
