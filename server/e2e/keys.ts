import { keyCommand } from '../src/auth/key-commands.ts'
import { MAX_AGE_MS } from '../src/auth/key-directory.ts'
import { parseMasterKeys } from '../src/auth/secrets.ts'
import { createPool } from '../src/db/pool.ts'
import { sleep } from '../src/lib/clock.ts'
import type { ApiKey } from './client.ts'

const CHAIN_ID = 31_337
const PRODUCT = 'Bourse'

/** Where a venue's keys are, and what their secrets are encrypted under. */
export interface KeyStore {
  readonly databaseUrl: string
  readonly secretsKey: string
}

export interface KeyOptions {
  readonly access: 'READ_ONLY' | 'WRITABLE'
  readonly user?: string
  readonly ips?: readonly string[]
  /** Of stocks unless it says otherwise. */
  readonly product?: 'perp'
}

/**
 * Runs the operator's command `keys` in this process, and answers what it prints. As a process, of which a test would
 * start one for each key, it costs a second of processor time. Resolves when every api process knows of the change.
 */
export async function keys({ databaseUrl, secretsKey }: KeyStore, ...args: string[]): Promise<string> {
  const sql = createPool({ url: databaseUrl, maxConnections: 1, applicationName: 'test keys' })
  try {
    const told = await keyCommand(args, {
      sql,
      actor: 'cli:test',
      masterKeys: async () => parseMasterKeys(secretsKey),
      defaults: { chainId: CHAIN_ID, productType: PRODUCT },
      fromAnywhere: ['perp'],
    })
    await sleep(MAX_AGE_MS)
    return told
  } finally {
    await sql.end({ timeout: 5 })
  }
}

/** The arguments of `keys` that issue a key. */
function argumentsFor({ access, user, product, ips = product ? [] : ['127.0.0.1', '::1'] }: KeyOptions): string[] {
  const whitelist = ips.flatMap((ip) => ['--ip', ip])
  const scope = [...(product ? ['--product', product] : []), ...(user ? ['--user', user] : [])]
  return ['create', '--label', 'test', '--access', access, ...whitelist, ...scope]
}

export const createKeyIn =
  (store: KeyStore) =>
  async (options: KeyOptions): Promise<ApiKey> =>
    issuedKey(await keys(store, ...argumentsFor(options)))

/** The same by the operator's command-line tool itself. */
export const createKeyWith =
  (cli: (...args: string[]) => string) =>
  async (options: KeyOptions): Promise<ApiKey> =>
    issuedKey(cli('keys', ...argumentsFor(options)))

/** The key that the command says it has made. */
export function issuedKey(text: string): ApiKey {
  const field = (name: string) => new RegExp(`${name} *(\\S+)`).exec(text)?.[1] ?? ''
  return { apiKey: field('API key:'), apiSecret: field('API secret:') }
}
