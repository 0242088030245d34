import type { Hex } from '../chain/types.ts'
import type { Db, Tx } from '../db/pool.ts'
import type { Access } from '../http/caller.ts'

export interface KeyScope {
  readonly chainId: number
  readonly productType: string
  readonly access: Access
}

/** An API key as stored; the secret is sealed. */
export interface KeyRow {
  readonly apiKey: string
  readonly label: string
  readonly state: 'active' | 'disabled'
  readonly secretSealed: Buffer
  readonly masterKeyVersion: number
  readonly expiresAt: Date | null
  readonly ipWhitelist: readonly string[]
  readonly userAddress: Hex | null
  readonly createdAt: Date
  readonly secretMadeAt: Date
  readonly revision: bigint
  /** The key whose records a session shares; null for a key that is no session. */
  readonly historyKey: string | null
  readonly scopes: readonly KeyScope[]
}

/** Channel on which a change of the keys is announced. The announcement may be lost; readers also poll. */
export const KEYS_CHANNEL = 'api_keys'

/** The change of keys up to which somebody has read; its stamp tells it from another one that got its number later. */
export interface KeyPosition {
  readonly revision: bigint
  readonly stamp: string | null
}

/** Where nothing has been read. */
export const BEFORE_ALL_KEYS: KeyPosition = { revision: 0n, stamp: null }

export interface KeyChanges {
  /** False when the database does not have, or no longer has, what was read: `rows` are all its keys then. */
  readonly continues: boolean
  /** Oldest change first. */
  readonly rows: readonly KeyRow[]
  readonly position: KeyPosition
}

const keyColumns = (db: Db) => db`
  k.api_key as "apiKey", k.label, k.state, k.secret_sealed as "secretSealed",
  k.master_key_version as "masterKeyVersion", k.expires_at as "expiresAt", k.ip_whitelist as "ipWhitelist",
  k.user_address as "userAddress", k.created_at as "createdAt",
  k.secret_made_at as "secretMadeAt", k.revision, k.history_key as "historyKey",
  coalesce((select jsonb_agg(jsonb_build_object(
      'chainId', s.chain_id, 'productType', s.product_type, 'access', s.access) order by s.chain_id, s.product_type)
    from api_key_scopes s where s.api_key = k.api_key), '[]') as scopes`

/** All keys, oldest change first. */
export async function allKeys(db: Db): Promise<KeyRow[]> {
  return [...(await db<KeyRow[]>`select ${keyColumns(db)} from api_keys k order by k.revision`)]
}

export async function findKey(db: Db, apiKey: string): Promise<KeyRow | null> {
  const [row] = await db<KeyRow[]>`select ${keyColumns(db)} from api_keys k where k.api_key = ${apiKey}`
  return row ?? null
}

/** Keys changed since, or all where the database is no continuation of what was read: in one statement, as the next may ask another server. */
export async function keysChangedSince(db: Db, since: KeyPosition): Promise<KeyChanges> {
  const answer = await db<((KeyRow | { readonly apiKey: null }) & { continues: boolean; stamp: string | null })[]>`
    with since as (
      select exists (
        select from api_key_revisions where revision = ${since.revision} and stamp = ${since.stamp}::uuid) as continues)
    select since.continues, r.stamp, ${keyColumns(db)}
    from since
    left join api_keys k on k.revision > case when since.continues then ${since.revision} else 0 end
    left join api_key_revisions r on r.revision = k.revision
    order by k.revision`
  const continues = answer[0]?.continues === true
  const rows = answer.filter((row) => row.apiKey !== null)
  const last = rows.at(-1)
  return { continues, rows, position: last ?? (continues ? since : BEFORE_ALL_KEYS) }
}

/** Opens a change of the keys: its number, and the lock that keeps changes in order until the transaction ends. */
export async function nextRevision(tx: Tx): Promise<bigint> {
  const [row] = await tx<{ revision: bigint }[]>`
    with next as (update api_key_revision set revision = revision + 1 returning revision)
    insert into api_key_revisions (revision) select revision from next returning revision`
  if (!row) throw new Error('api_key_revision has no row')
  return row.revision
}

export async function insertKey(
  tx: Tx,
  key: Omit<KeyRow, 'state' | 'createdAt' | 'secretMadeAt' | 'historyKey' | 'scopes'>,
): Promise<void> {
  await tx`
    insert into api_keys (api_key, label, state, secret_sealed, master_key_version, expires_at, ip_whitelist,
      user_address, revision)
    values (${key.apiKey}, ${key.label}, 'active', ${key.secretSealed}, ${key.masterKeyVersion}, ${key.expiresAt},
      ${[...key.ipWhitelist]}, ${key.userAddress}, ${key.revision})`
}

export async function insertScope(tx: Tx, apiKey: string, scope: KeyScope): Promise<void> {
  await tx`
    insert into api_key_scopes (api_key, chain_id, product_type, access)
    values (${apiKey}, ${scope.chainId}, ${scope.productType}, ${scope.access})`
}

/** False when no key has this id. */
export async function markDisabled(tx: Tx, apiKey: string, revision: bigint): Promise<boolean> {
  const result = await tx`
    update api_keys set state = 'disabled', disabled_at = coalesce(disabled_at, now()), revision = ${revision}
    where api_key = ${apiKey}`
  return result.count === 1
}

/** False when no key has this id. */
export async function replaceSecret(
  tx: Tx,
  apiKey: string,
  secret: { readonly sealed: Buffer; readonly masterKeyVersion: number; readonly isNew: boolean },
  revision: bigint,
): Promise<boolean> {
  const result = await tx`
    update api_keys set secret_sealed = ${secret.sealed}, master_key_version = ${secret.masterKeyVersion},
      secret_made_at = case when ${secret.isNew} then now() else secret_made_at end, revision = ${revision}
    where api_key = ${apiKey}`
  return result.count === 1
}

/** Announces a change of the keys when the transaction commits. */
export async function announceKeys(tx: Tx): Promise<void> {
  await tx`select pg_notify(${KEYS_CHANNEL}, '')`
}
