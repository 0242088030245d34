import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'

/** Notes the funding indices of perpetuals, which have just moved, as those of an hour. */
export async function keepFundingHours(
  tx: Tx,
  chainId: number,
  instruments: readonly Hex[],
  hourSec: number,
): Promise<void> {
  if (instruments.length === 0) return
  await tx`
    insert into perp_funding_hours (chain_id, instrument, hour_sec, long_index, short_index, mark_wad)
    select chain_id, instrument, ${hourSec}, long_funding_index, short_funding_index, mark_wad from perp_pairs
    where chain_id = ${chainId} and instrument = any(${instruments as string[]}) and expiry = ${PERPETUAL_EXPIRY}
    on conflict (chain_id, instrument, hour_sec) do update
    set long_index = excluded.long_index, short_index = excluded.short_index, mark_wad = excluded.mark_wad`
}

/** The indices as an hour left them. An index is what a unit has received since the pair began; WAD of quote. */
export interface FundingHour {
  /** Unix second. */
  readonly hourSec: number
  readonly longIndex: bigint
  readonly shortIndex: bigint
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
