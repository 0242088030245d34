import type { VenueGauge } from '../http/product.ts'

/** Whether PostgreSQL keeps its log for restores. Where it archives nothing at all, as the embedded one, there is no figure. */
export const ARCHIVE_GAUGE: VenueGauge = {
  name: 'bourse_wal_archive_age_seconds',
  help: 'Since PostgreSQL last archived a segment of its write-ahead log; absent where it archives none.',
  async read({ sql }) {
    // After a crash PostgreSQL has forgotten when it last did, and knows since when it counts.
    const [archive] = await sql<{ mode: string; ageSec: number | null }[]>`
      select current_setting('archive_mode') as mode,
        extract(epoch from now() - coalesce(last_archived_time, stats_reset))::float8 as "ageSec"
      from pg_stat_archiver`
    if (!archive || archive.mode === 'off' || archive.ageSec === null) return []
    return [[{}, archive.ageSec]]
  },
}
