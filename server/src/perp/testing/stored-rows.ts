import type { Sql } from '../../db/pool.ts'

/** Written beside requests: by the indexer, the relayer, who pushes messages, and who notes that keys are used and until when. */
const WRITTEN_BESIDE = [
  ...['blocks', 'chain_checkpoints', 'follower_status', 'undo_log'],
  ...['tx_attempts', 'tx_signers', 'tx_pauses', 'tx_unaccounted'],
  ...['outbox', 'outbox_channels', 'outbox_records', 'perp_stream_marks', 'perp_account_signals'],
  ...['api_key_uses', 'write_mark'],
]

/** Keeps refusals too, for whoever sends the same request again. */
const ANSWERS = 'first_answers'

/** The relayer carries these on, so that only what is new in them is a request's. */
const CARRIED_ON = ['tx_intents']

export type StoredRows = Readonly<Record<string, string>>

/** Tells what each table holds that a request may write, in short: a new table of the database is among them. */
export async function rowsOf(sql: Sql): Promise<() => Promise<StoredRows>> {
  const left = [...WRITTEN_BESIDE, ANSWERS]
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
      and relname <> all(${left}::text[])
    order by 1`
  const digests = tables.map(({ name }) => {
    const digest = CARRIED_ON.includes(name) ? 'count(*)::text' : `md5(string_agg(t::text, '' order by t::text))`
    return `select '${name}' as name, coalesce(${digest}, '') as digest from ${name} t`
  })
  const query = digests.join(' union all ')
  return async () => {
    const rows = await sql.unsafe<{ name: string; digest: string }[]>(query, [], { prepare: true })
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
  }
}
