import type { Hex } from '../chain/types.ts'
import type { Db, Tx } from '../db/pool.ts'
import type { Access } from '../http/caller.ts'

/** Whose keys are meant: those of a wallet in a product on a chain. */
export interface WalletScope {
  readonly chainId: number
  readonly productType: string
  /** Lower-case. */
  readonly wallet: Hex
}

/** A key as its wallet sees it. */
export interface WalletKey {
  readonly apiKey: string
  readonly label: string
  readonly access: Access
  readonly createdAt: Date
  /** Null before the first use; some seconds late. */
  readonly lastUsedAt: Date | null
}

/** Spends a nonce of the wallet on a key; false when it was spent before, which another transaction's rollback undoes. */
export async function spendNonce(tx: Tx, scope: WalletScope, nonce: string, apiKey: string): Promise<boolean> {
  const { chainId, productType, wallet } = scope
  const rows = await tx`
    insert into wallet_nonces (chain_id, product_type, wallet, nonce, api_key)
    values (${chainId}, ${productType}, ${wallet}, ${nonce}, ${apiKey})
    on conflict do nothing returning 1`
  return rows.length > 0
}

/** The active keys of a wallet, oldest first; the one of `apiKey` alone, where it is given. */
export async function findWalletKeys(
  db: Db,
  { chainId, productType, wallet }: WalletScope,
  apiKey: string | null = null,
): Promise<readonly WalletKey[]> {
  return await db<WalletKey[]>`
    select k.api_key as "apiKey", k.label, s.access, k.created_at as "createdAt", u.last_used_at as "lastUsedAt"
    from api_keys k
    join api_key_scopes s on s.api_key = k.api_key and s.chain_id = ${chainId} and s.product_type = ${productType}
    left join api_key_uses u on u.api_key = k.api_key
    where k.user_address = ${wallet} and k.state = 'active'
      and (k.expires_at is null or k.expires_at > now()) and (${apiKey}::text is null or k.api_key = ${apiKey})
    order by k.created_at, k.api_key`
}

/** Changes what is given; null when the wallet has no such key. */
export async function replaceWalletKey(
  tx: Tx,
  scope: WalletScope,
  apiKey: string,
  change: { readonly label?: string; readonly access?: Access },
  revision: bigint,
): Promise<WalletKey | null> {
  const [key] = await findWalletKeys(tx, scope, apiKey)
  if (!key) return null
  const { label = key.label, access = key.access } = change
  await tx`update api_keys set label = ${label}, revision = ${revision} where api_key = ${apiKey}`
  await tx`
    update api_key_scopes set access = ${access}
    where api_key = ${apiKey} and chain_id = ${scope.chainId} and product_type = ${scope.productType}`
  return { ...key, label, access }
}

/** Notes when keys were last let in; an earlier time than the one that is there changes nothing. */
export async function noteUses(db: Db, uses: ReadonlyMap<string, number>): Promise<void> {
  const times = [...uses.values()].map((ms) => new Date(ms).toISOString())
  await db`
    insert into api_key_uses as u (api_key, last_used_at)
    select k.api_key, given.at from unnest(${[...uses.keys()]}::text[], ${times}::timestamptz[]) as given (api_key, at)
    join api_keys k on k.api_key = given.api_key
    on conflict (api_key) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)`
}
