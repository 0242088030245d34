import { asTable } from '../../db/named-rows.ts'
import type { Db, Tx } from '../../db/pool.ts'
import type { Interval } from './intervals.ts'
import type { Pair } from './pair-reader.ts'

/** What was traded in a stretch of time; WAD. */
export interface Bar {
  readonly openWad: bigint
  readonly highWad: bigint
  readonly lowWad: bigint
  readonly closeWad: bigint
  readonly baseVolumeWad: bigint
  readonly quoteVolumeWad: bigint
}

export interface Candle extends Bar {
  /** Unix second. */
  readonly startSec: number
}

/** What was traded of a pair within one candle. */
export interface NewBar extends Candle {
  readonly pair: Pair
  readonly interval: Interval
  /** Trading fees of it, WAD. */
  readonly tradeFeeWad: bigint
}

/** Adds bars, each newer than what was added before, to the candles that they lie in. At most one bar a candle. */
export async function addBars(tx: Tx, chainId: number, bars: readonly NewBar[]): Promise<void> {
  if (bars.length === 0) return
  const rows = bars.map(({ pair, interval, startSec, ...bar }) => ({
    chain_id: chainId,
    instrument: pair.instrument,
    expiry: pair.expiry,
    interval,
    start_sec: startSec,
    open_wad: bar.openWad,
    high_wad: bar.highWad,
    low_wad: bar.lowWad,
    close_wad: bar.closeWad,
    base_volume_wad: bar.baseVolumeWad,
    quote_volume_wad: bar.quoteVolumeWad,
    trade_fee_wad: bar.tradeFeeWad,
  }))
  const columns = tx(Object.keys(rows[0] as object))
  await tx`
    insert into perp_candles as c (${columns}) select ${columns} from ${asTable(tx, 'perp_candles', rows)}
    on conflict (chain_id, instrument, expiry, interval, start_sec) do update set
      high_wad = greatest(c.high_wad, excluded.high_wad), low_wad = least(c.low_wad, excluded.low_wad),
      close_wad = excluded.close_wad, base_volume_wad = c.base_volume_wad + excluded.base_volume_wad,
      quote_volume_wad = c.quote_volume_wad + excluded.quote_volume_wad,
      trade_fee_wad = c.trade_fee_wad + excluded.trade_fee_wad`
}

/** The newest candles that begin from `fromSec` to `toSec`, oldest first, and the last one that begins before them. */
export async function candlesIn(
  db: Db,
  chainId: number,
  { instrument, expiry }: Pair,
  interval: Interval,
  { fromSec, toSec }: { readonly fromSec: number; readonly toSec: number },
): Promise<{ readonly before: Candle | null; readonly candles: readonly Candle[] }> {
  const rows = await db<Candle[]>`
    (select ${fields(db)} from perp_candles
     where chain_id = ${chainId} and instrument = ${instrument} and expiry = ${expiry} and interval = ${interval}
       and start_sec < ${fromSec}
     order by start_sec desc limit 1)
    union all
    (select ${fields(db)} from perp_candles
     where chain_id = ${chainId} and instrument = ${instrument} and expiry = ${expiry} and interval = ${interval}
       and start_sec between ${fromSec} and ${toSec})
    order by "startSec"`
  const first = rows[0]
  return first && first.startSec < fromSec ? { before: first, candles: rows.slice(1) } : { before: null, candles: rows }
}

const fields = (
  db: Db,
) => db`start_sec::float8 as "startSec", open_wad as "openWad", high_wad as "highWad", low_wad as "lowWad",
  close_wad as "closeWad", base_volume_wad as "baseVolumeWad", quote_volume_wad as "quoteVolumeWad"`

/** What was traded in a pair in a stretch of time; without a trade prices are null and volumes 0. */
export interface Traded {
  /** The last price before it; null when there was none. */
  readonly beforeWad: bigint | null
  readonly openWad: bigint | null
  readonly highWad: bigint | null
  readonly lowWad: bigint | null
  readonly closeWad: bigint | null
  readonly baseVolumeWad: bigint
  readonly quoteVolumeWad: bigint
  readonly tradeFeeWad: bigint
}

/** What was traded in each pair, in their order, in the minutes that begin from `fromSec` to `toSec`. */
export async function tradedIn(
  db: Db,
  chainId: number,
  pairs: readonly Pair[],
  { fromSec, toSec }: { readonly fromSec: number; readonly toSec: number },
): Promise<readonly Traded[]> {
  return await db<Traded[]>`
    select before.close_wad as "beforeWad", t.open_wad as "openWad", t.high_wad as "highWad", t.low_wad as "lowWad",
      t.close_wad as "closeWad", t.base_volume_wad as "baseVolumeWad", t.quote_volume_wad as "quoteVolumeWad",
      t.trade_fee_wad as "tradeFeeWad"
    from unnest(${pairs.map(({ instrument }) => instrument)}::text[], ${pairs.map(({ expiry }) => expiry)}::bigint[])
      with ordinality as pair (instrument, expiry, nth)
    left join lateral (
      select close_wad from perp_candles c
      where c.chain_id = ${chainId} and c.instrument = pair.instrument and c.expiry = pair.expiry and interval = '1m'
        and start_sec < ${fromSec}
      order by start_sec desc limit 1
    ) before on true
    cross join lateral (
      select (array_agg(open_wad order by start_sec))[1] as open_wad, max(high_wad) as high_wad, min(low_wad) as low_wad,
        (array_agg(close_wad order by start_sec desc))[1] as close_wad,
        coalesce(sum(base_volume_wad), 0) as base_volume_wad, coalesce(sum(quote_volume_wad), 0) as quote_volume_wad,
        coalesce(sum(trade_fee_wad), 0) as trade_fee_wad
      from perp_candles c
      where c.chain_id = ${chainId} and c.instrument = pair.instrument and c.expiry = pair.expiry and interval = '1m'
        and start_sec between ${fromSec} and ${toSec}
    ) t
    order by pair.nth`
}
