import { createKey } from '../server/src/auth/keys.ts'
import { parseMasterKeys } from '../server/src/auth/secrets.ts'
import type { Sql } from '../server/src/db/pool.ts'
import type { VenueServer } from './http/server-process.ts'

export interface BenchKey {
  readonly apiKey: string
  readonly apiSecret: string
  /** The wallet it is bound to; null for none. */
  readonly userAddress: string | null
}

/** Issues one WRITABLE key for each wallet, for requests from this machine. The server reads keys when it starts. */
export async function issueKeys(
  sql: Sql,
  { secretsKey, deployment, productType }: Pick<VenueServer, 'secretsKey' | 'deployment' | 'productType'>,
  users: readonly (string | null)[],
): Promise<BenchKey[]> {
  const masterKeys = parseMasterKeys(secretsKey)
  const scope = { access: 'WRITABLE' as const, chainId: deployment.chainId, productType }
  const keys: BenchKey[] = []
  for (const userAddress of users) {
    const key = { label: 'bench', ...scope, ipWhitelist: ['127.0.0.1'], userAddress, expiresAt: null }
    keys.push({ ...(await createKey(sql, masterKeys, key, 'bench')), userAddress })
  }
  return keys
}
