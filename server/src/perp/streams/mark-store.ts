import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'
import type { RecordKind } from './private-channels.ts'

// Marks of what has changed of wallets (migration 175).

/** A record of a wallet. */
export interface RecordName {
  readonly trader: Hex
  readonly kind: RecordKind
  /** Names it among the wallet's of its kind. */
  readonly subject: string
}

/** That a record has changed; or, without a kind, that everything of the wallet is to be told. */
export type Mark = RecordName | { readonly trader: Hex; readonly kind: null }

/** True when something is marked. */
export async function hasMarks(db: Db, chainId: number): Promise<boolean> {
  const [row] = await db<{ found: boolean }[]>`
    select exists (select from perp_stream_marks where chain_id = ${chainId}) as found`
  return row?.found === true
}

/** Takes the oldest marks, `limit` at most, in the order in which they were made. */
export async function takeMarks(tx: Tx, chainId: number, limit: number): Promise<readonly Mark[]> {
  return await tx<Mark[]>`
    with taken as (
      delete from perp_stream_marks where id in (
        select id from perp_stream_marks where chain_id = ${chainId} order by id limit ${limit}
      ) returning id, trader, kind, subject
    )
    select trader, kind, subject from taken order by id`
}

/**
 * Those of these wallets that have an API key of the product, or had one: who makes another later must not meet records that have
 * changed unseen.
 */
export async function walletsWithKeys(
  db: Db,
  chainId: number,
  productType: string,
  wallets: readonly Hex[],
): Promise<ReadonlySet<Hex>> {
  if (wallets.length === 0) return new Set()
  const rows = await db<{ wallet: Hex }[]>`
    select distinct k.user_address as wallet from api_keys k join api_key_scopes s using (api_key)
    where k.user_address = any(${[...new Set(wallets)]}::text[]) and s.chain_id = ${chainId}
      and s.product_type = ${productType}`
  return new Set(rows.map(({ wallet }) => wallet))
}
