import type { Db, Tx } from '../db/pool.ts'
import type { WalletScope } from './wallet-key-store.ts'

/** A session as its wallet sees it. */
export interface Session {
  readonly apiKey: string
  readonly createdAt: Date
  readonly expiresAt: Date
  /** The addresses that it works from. */
  readonly addresses: readonly string[]
}

/** The sessions of a wallet that have not ended, oldest first; the one of `apiKey` alone, where it is given. */
export async function findSessions(
  db: Db,
  { chainId, productType, wallet }: WalletScope,
  apiKey: string | null = null,
): Promise<readonly Session[]> {
  return await db<Session[]>`
    select k.api_key as "apiKey", k.created_at as "createdAt", k.expires_at as "expiresAt", k.ip_whitelist as "addresses"
    from api_keys k
    join api_key_scopes s on s.api_key = k.api_key and s.chain_id = ${chainId} and s.product_type = ${productType}
    where k.user_address = ${wallet} and k.history_key is not null and k.state = 'active' and k.expires_at > now()
      and (${apiKey}::text is null or k.api_key = ${apiKey})
    order by k.created_at, k.api_key`
}

/**
 * Makes a key that was just inserted a session. It shares the records of the wallet's earlier sessions, else those of its
 * oldest key, ended or not.
 */
export async function joinHistory(
  tx: Tx,
  { chainId, productType, wallet }: WalletScope,
  apiKey: string,
): Promise<void> {
  await tx`
    update api_keys set history_key = coalesce((
      select coalesce(k.history_key, k.api_key) from api_keys k
      join api_key_scopes s on s.api_key = k.api_key and s.chain_id = ${chainId} and s.product_type = ${productType}
      where k.user_address = ${wallet} and k.api_key <> ${apiKey}
      order by k.history_key is null, k.created_at, k.api_key limit 1), api_key)
    where api_key = ${apiKey}`
}
