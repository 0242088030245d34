import type { Auth } from '../auth/auth.ts'
import { createKey, listKeys } from '../auth/keys.ts'
import type { Access } from '../http/caller.ts'
import type { EmbeddedVenue } from '../http/product.ts'

/** An API key as a script needs it. */
export interface DevelopmentKey {
  readonly apiKey: string
  readonly apiSecret: string
  readonly access: Access
  readonly userAddress: string | null
}

const LOOPBACK = ['127.0.0.1', '::1']

/**
 * The keys of an embedded venue: those of an earlier start where all of them still work, else new ones. One is WRITABLE and
 * bound to the first account, one READ_ONLY and bound to nobody; both work from this machine only.
 */
export async function developmentKeys(
  embedded: EmbeddedVenue<Auth>,
  earlier: readonly DevelopmentKey[] | null,
  productType: string,
): Promise<readonly DevelopmentKey[]> {
  if (earlier && (await allActive(embedded, earlier))) return earlier
  const { venue, auth, accounts } = embedded
  const issue = async (access: Access, userAddress: string | null): Promise<DevelopmentKey> => {
    const scope = { access, chainId: venue.deployment.chainId, productType }
    const newKey = { label: `development ${access}`, ...scope, ipWhitelist: LOOPBACK, userAddress, expiresAt: null }
    return { ...(await createKey(venue.sql, auth.masterKeys, newKey, 'embedded venue')), access, userAddress }
  }
  return [await issue('WRITABLE', accounts[0]?.address ?? null), await issue('READ_ONLY', null)]
}

async function allActive({ venue }: EmbeddedVenue<Auth>, keys: readonly DevelopmentKey[]): Promise<boolean> {
  const listed = await listKeys(venue.sql)
  const active = new Set(listed.filter(({ state }) => state === 'active').map(({ apiKey }) => apiKey))
  return keys.every(({ apiKey }) => active.has(apiKey))
}
