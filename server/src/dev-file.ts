import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createKey, listKeys } from './auth/keys.ts'
import type { MasterKeys } from './auth/secrets.ts'
import type { DevelopmentAccount } from './chain/embedded/accounts.ts'
import type { Deployment } from './chain/types.ts'
import type { Sql } from './db/pool.ts'
import type { Access } from './http/product.ts'

/** An API key as a script needs it. */
interface DevKey {
  readonly apiKey: string
  readonly apiSecret: string
  readonly access: Access
  readonly userAddress: string | null
}

/** `DATA_DIR/dev.json` (design 6): all that a script needs to use the embedded venue at once. Development only. */
export interface DevFile {
  readonly chain: { readonly rpcUrl: string; readonly chainId: number }
  readonly contracts: Deployment['contracts']
  readonly accounts: readonly DevelopmentAccount[]
  readonly stock: {
    readonly baseUrl: string
    readonly chainId: number
    readonly productType: string
    readonly keys: readonly DevKey[]
  }
}

export interface DevFileOptions {
  readonly path: string
  readonly sql: Sql
  readonly masterKeys: MasterKeys
  readonly rpcUrl: string
  readonly deployment: Deployment
  readonly accounts: readonly DevelopmentAccount[]
  readonly baseUrl: string
  readonly productType: string
}

const LOOPBACK = ['127.0.0.1', '::1']

/** Writes dev.json, with the keys it had before where they still work, else with new ones. */
export async function writeDevFile(options: DevFileOptions): Promise<DevFile> {
  const { path, rpcUrl, deployment, accounts, baseUrl, productType } = options
  const { chainId, contracts } = deployment
  const keys = (await keptKeys(options)) ?? (await issueKeys(options))
  const content: DevFile = {
    chain: { rpcUrl, chainId },
    contracts,
    accounts,
    stock: { baseUrl, chainId, productType, keys },
  }
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  return content
}

async function keptKeys({ path, sql }: DevFileOptions): Promise<readonly DevKey[] | null> {
  if (!existsSync(path)) return null
  const { stock } = JSON.parse(await readFile(path, 'utf8')) as DevFile
  const active = new Set((await listKeys(sql)).filter(({ state }) => state === 'active').map(({ apiKey }) => apiKey))
  return stock.keys.every(({ apiKey }) => active.has(apiKey)) ? stock.keys : null
}

/** A WRITABLE key bound to the first account, and a READ_ONLY one bound to nobody; both from this machine only. */
async function issueKeys(options: DevFileOptions): Promise<readonly DevKey[]> {
  const first = options.accounts[0]?.address ?? null
  return [await issue(options, 'WRITABLE', first), await issue(options, 'READ_ONLY', null)]
}

async function issue(options: DevFileOptions, access: Access, userAddress: string | null): Promise<DevKey> {
  const { sql, masterKeys, deployment, productType } = options
  const scope = { access, chainId: deployment.chainId, productType }
  const newKey = { label: `development ${access}`, ...scope, ipWhitelist: LOOPBACK, userAddress, expiresAt: null }
  return { ...(await createKey(sql, masterKeys, newKey, 'embedded venue')), access, userAddress }
}
