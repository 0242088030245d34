import { inSnapshot } from '../../db/pool.ts'
import { AtBlock } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import type { Candle } from './candle-store.ts'
import { type CandleQuery, readCandles } from './candles.ts'
import { indexedBlock } from './indexed-block.ts'
import { startOf } from './intervals.ts'
import type { Pair } from './pair-reader.ts'

/** What a client asks for. */
export interface AskedCandles extends Omit<CandleQuery, 'endSec'> {
  /** Now unless given. */
  readonly endSec: number | undefined
}

/** What is made of candles: `form` names what `view` makes of each. */
interface CandleForm {
  readonly form: string
  view(candle: Candle): unknown
  /** Called where there is none, and may refuse that. */
  ifNone?(): Promise<unknown>
}

/** Candles of a pair as of the newest indexed block. Throws `perp_not_indexed`. */
export function newestCandles(
  { venue: { sql, clock }, chainId, atNewest }: Pick<PerpContext, 'venue' | 'chainId' | 'atNewest'>,
  pair: Pair,
  { endSec = Number.POSITIVE_INFINITY, ...asked }: AskedCandles,
  { form, view, ifNone }: CandleForm,
): Promise<AtBlock> {
  const nowMs = clock.nowMs()
  const { interval, startSec, limit } = asked
  const key = `${form} ${pair.instrument} ${pair.expiry} ${interval} ${startSec} ${endSec} ${limit} ${moment(asked, nowMs)}`
  return atNewest(key, async () => {
    const { block, candles } = await inSnapshot(sql, async (tx) => {
      const block = await indexedBlock(tx, chainId)
      const range = { ...asked, endSec: Math.min(endSec, latestSec(nowMs, block)) }
      return { block, candles: await readCandles(tx, chainId, pair, range) }
    })
    if (candles.length === 0) await ifNone?.()
    return new AtBlock(block, candles.map(view))
  })
}

/** Cache key for the present time: the start of its candle, or the exact time while the range has not begun. */
function moment({ interval, startSec }: Pick<AskedCandles, 'interval' | 'startSec'>, nowMs: number): number {
  const nowSec = Math.floor(nowMs / 1000)
  return startSec > nowSec ? nowSec : startOf(interval, nowSec)
}

/** Now, by the wall or by the newest block, whichever is later: nothing is shown of what has not begun. */
export const latestSec = (nowMs: number, { timestampSec }: { readonly timestampSec: bigint }): number =>
  Math.max(Math.floor(nowMs / 1000), Number(timestampSec))
