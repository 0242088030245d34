import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'
import type { RecordKind } from './private-channels.ts'

// Marks of what has changed of wallets (migration 175). One that was put back waits until it is due again (migration 275).

/** A record of a wallet. */
export interface RecordName {
  readonly trader: Hex
  readonly kind: RecordKind
  /** Names it among the wallet's of its kind. */
  readonly subject: string
}

/** A record that is marked. */
export interface MarkedRecord extends RecordName {
  /** For how long it has waited since it was first put back, in seconds; 0 where it was not. */
  readonly waitedSec: number
}

/** That a record has changed; or, without a kind, that everything of the wallet is to be told. */
export type Mark = MarkedRecord | { readonly trader: Hex; readonly kind: null; readonly waitedSec: number }

/** For how long a mark that was put back waits: so often a node is asked again what it could not tell. */
const WAIT_SEC = 10

/** True when something is marked that is due. */
export async function hasMarks(db: Db, chainId: number): Promise<boolean> {
  const [row] = await db<{ found: boolean }[]>`
    select exists (select from perp_stream_marks where chain_id = ${chainId} and not_before <= now()) as found`
  return row?.found === true
}

/**
 * For how long the oldest mark has waited that nobody has taken yet, in seconds; 0 where there is none. One that was put back waits for
 * what anybody's token says, and says nothing of the venue.
 */
export async function oldestMarkSec(db: Db, chainId: number): Promise<number> {
  const [row] = await db<{ sec: number | null }[]>`
    select extract(epoch from clock_timestamp() - min(marked_at))::float8 as sec from perp_stream_marks
    where chain_id = ${chainId} and not_before = '-infinity'`
  return row?.sec ?? 0
}

/**
 * Marks records again that were taken and cannot be told yet, in their order, behind all that is marked. In the transaction that took them:
 * they have waited since they were first put back.
 */
export async function putBack(tx: Tx, chainId: number, records: readonly MarkedRecord[]): Promise<void> {
  if (records.length === 0) return
  const column = (of: (record: MarkedRecord) => string) => tx`${records.map(of)}::text[]`
  await tx`
    insert into perp_stream_marks (chain_id, trader, kind, subject, marked_at, not_before)
    select ${chainId}, trader, kind, subject, now() - make_interval(secs => waited_sec),
      now() + make_interval(secs => ${WAIT_SEC})
    from unnest(${column(({ trader }) => trader)}, ${column(({ kind }) => kind)}, ${column(({ subject }) => subject)},
      ${records.map(({ waitedSec }) => waitedSec)}::float8[]) with ordinality
      records (trader, kind, subject, waited_sec, nth)
    order by nth`
}

/**
 * Takes the oldest marks that are due, `limit` at most, and gives those of wallets that have an API key of the product, or had one, in the order
 * in which they were made: who makes another key later must not meet records that have changed unseen.
 *
 * @param first of this kind alone, where there are any; not while all of a wallet is to be told, which then comes in order
 */
export async function takeMarks(
  tx: Tx,
  chainId: number,
  productType: string,
  { limit, first = null }: { readonly limit: number; readonly first?: RecordKind | null },
): Promise<readonly Mark[]> {
  return await tx<Mark[]>`
    with due as not materialized (
      select id, kind from perp_stream_marks where chain_id = ${chainId} and not_before <= now()
    ), taken as (
      delete from perp_stream_marks where id in (
        select id from due where (kind = ${first}
            or not exists (select from due where kind = ${first})
            or exists (select from due where kind is null))
          order by id limit ${limit}
      ) returning id, trader, kind, subject, marked_at, not_before
    ), followed as (
      select trader from (select distinct trader from taken) wallet where exists (
        select from api_keys k join api_key_scopes s using (api_key)
        where k.user_address = trader and s.chain_id = ${chainId} and s.product_type = ${productType})
    )
    select trader, kind, subject,
      case when not_before = '-infinity' then 0 else extract(epoch from now() - marked_at)::float8 end as "waitedSec"
    from taken join followed using (trader) order by id`
}
