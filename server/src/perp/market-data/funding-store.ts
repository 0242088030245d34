import type { Hex } from '../../chain/types.ts'
import { asTable } from '../../db/named-rows.ts'
import type { Db, Tx } from '../../db/pool.ts'

export interface NewFundingHour extends FundingHour {
  readonly instrument: Hex
}

/** Notes the funding indices of perpetuals as the newest of their hours; each hour of an instrument once. */
export async function keepFundingHours(tx: Tx, chainId: number, hours: readonly NewFundingHour[]): Promise<void> {
  if (hours.length === 0) return
  const rows = hours.map(({ instrument, hourSec, longIndex, shortIndex, markWad }) => ({
    chain_id: chainId,
    instrument,
    hour_sec: hourSec,
    long_index: longIndex,
    short_index: shortIndex,
    mark_wad: markWad,
  }))
  await tx`
    insert into perp_funding_hours (chain_id, instrument, hour_sec, long_index, short_index, mark_wad)
    select chain_id, instrument, hour_sec, long_index, short_index, mark_wad
    from ${asTable(tx, 'perp_funding_hours', rows)}
    on conflict (chain_id, instrument, hour_sec) do update
    set long_index = excluded.long_index, short_index = excluded.short_index, mark_wad = excluded.mark_wad`
}

/** The indices as an hour left them. An index is what a unit has received since the pair began; WAD of quote. */
export interface FundingHour {
  /** Unix second. */
  readonly hourSec: number
  readonly longIndex: bigint
  readonly shortIndex: bigint
  /** Of the pair's last trade until then: no event of funding says it. */
  readonly markWad: bigint
}

/** The hours from `fromSec` to `toSec` in which the indices moved, oldest first, and the last such hour before them. */
export async function fundingHoursIn(
  db: Db,
  chainId: number,
  instrument: Hex,
  { fromSec, toSec }: { readonly fromSec: number; readonly toSec: number },
): Promise<{ readonly before: FundingHour | null; readonly hours: readonly FundingHour[] }> {
  const fields = db`hour_sec::float8 as "hourSec", long_index as "longIndex", short_index as "shortIndex",
    mark_wad as "markWad"`
  const rows = await db<FundingHour[]>`
    (select ${fields} from perp_funding_hours
     where chain_id = ${chainId} and instrument = ${instrument} and hour_sec < ${fromSec}
     order by hour_sec desc limit 1)
    union all
    (select ${fields} from perp_funding_hours
     where chain_id = ${chainId} and instrument = ${instrument} and hour_sec between ${fromSec} and ${toSec})
    order by "hourSec"`
  const first = rows[0]
  return first && first.hourSec < fromSec ? { before: first, hours: rows.slice(1) } : { before: null, hours: rows }
}
