import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import type { LocalAccount } from 'viem'
import { createSiweMessage, type SiweMessage } from 'viem/siwe'
import type { Auth } from '../../auth/auth.ts'
import { KeyDirectory } from '../../auth/key-directory.ts'
import type { IssuedKey } from '../../auth/keys.ts'
import { memoryNonceStore } from '../../auth/nonce-store.ts'
import { parseMasterKeys } from '../../auth/secrets.ts'
import { SESSION_STATEMENT } from '../../auth/sessions.ts'
import { Verifier } from '../../auth/verifier.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Sql } from '../../db/pool.ts'
import { openSendDesk } from '../../delegation/send-desk.ts'
import { configuredWith } from '../../delegation/testing-values.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import { stock } from '../index.ts'
import { signRequest } from '../signing.ts'

// The stock API as an api process serves it, for pages that open sessions: real keys, signatures and clocks that a test sets.

/** The development chain. */
const CHAIN_ID = 31_337
const PRODUCT = 'Bourse'
/** One for all venues of a test, which share a database. */
const masterKeys = parseMasterKeys(randomBytes(32).toString('hex'))
export const PAGE = 'http://venue.example'

export interface SessionAnswer {
  readonly status: number
  readonly code: number
  readonly errMsg: string
  readonly reason: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
}

export type SessionApi = Awaited<ReturnType<typeof serveSessions>>

/** How a request comes: from which address, and with which headers beside the host's. */
export interface Coming {
  readonly ip?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** @param elsewhere another chain, and the value of APP_ORIGINS there */
export async function serveSessions(
  sql: Sql,
  rpc: Rpc,
  { chainId, origins }: { readonly chainId: number; readonly origins: string } = { chainId: CHAIN_ID, origins: '' },
) {
  let aheadMs = 0
  const clock = { nowMs: () => Date.now() + aheadMs }
  const log = pino({ level: 'silent' })
  const contracts = { StockRouter: `0x${'5'.repeat(40)}` } as const
  const venue = testVenue({ sql, rpc, clock, log, deployment: { chainId, startBlock: 0n, contracts } })
  const keys = await KeyDirectory.start({ sql, masterKeys, log })
  const nonces = memoryNonceStore({ nowMs: () => 0 })
  const auth: Auth = { verifier: new Verifier({ keys, nonces, clock }), keys, nonces, masterKeys }
  const values = configuredWith([stock.variables], { APP_ORIGINS: origins })
  const served = stock.open(venue, values).serve({ auth, desk: openSendDesk(venue) })
  const app = await testServer([], { mounts: [served], venue })

  async function ask(
    method: 'GET' | 'POST' | 'DELETE',
    uri: string,
    headers: Readonly<Record<string, string>>,
    { ip = '203.0.113.7', body }: Coming & { body?: string },
  ): Promise<SessionAnswer> {
    const request = { method, url: `/stock${uri}`, remoteAddress: ip, headers: { host: 'venue.example', ...headers } }
    const answer = await app.inject(body === undefined ? request : { ...request, payload: body })
    const reason = answer.headers['x-error-reason'] as string | undefined
    return { status: answer.statusCode, reason, ...answer.json() }
  }

  return {
    app,
    auth,
    venue,
    /** Sets the venue's clock ahead of the world's. */
    ahead(ms: number) {
      aheadMs = ms
    },
    signIn: (body: unknown, coming: Coming = {}) =>
      ask(
        'POST',
        '/api/v1/session',
        { 'content-type': 'application/json', ...(coming.headers ?? { origin: PAGE }) },
        { ...coming, body: JSON.stringify(body) },
      ),
    signed(key: IssuedKey, method: 'GET' | 'DELETE', uri: string, coming: Coming = {}) {
      const parts = { method, uri, body: '', ...key, chainId, productType: PRODUCT }
      const headers = signRequest({ ...parts, timestampMs: clock.nowMs(), nonce: randomUUID() })
      return ask(method, uri, { ...headers, ...coming.headers }, coming)
    },
    unsigned: (uri: string, headers: Readonly<Record<string, string>> = {}) => ask('GET', uri, headers, {}),
    async close() {
      await app.close()
      await keys.close()
    },
  }
}

/** A message that opens a session, with other values where given. */
export function sessionFields(account: Pick<LocalAccount, 'address'>, over: Partial<SiweMessage> = {}): SiweMessage {
  return {
    domain: new URL(PAGE).host,
    address: account.address,
    statement: SESSION_STATEMENT,
    uri: PAGE,
    version: '1',
    chainId: CHAIN_ID,
    nonce: randomBytes(16).toString('hex'),
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 8 * 3_600_000),
    ...over,
  } as SiweMessage
}

/** What a wallet sends to open a session. */
export async function sessionRequest(account: LocalAccount, over: Partial<SiweMessage> = {}) {
  const message = createSiweMessage(sessionFields(account, over))
  return { message, signature: await account.signMessage({ message }) }
}
