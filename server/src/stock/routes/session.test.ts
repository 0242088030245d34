import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { SiweMessage } from 'viem/siwe'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKey } from '../../auth/keys.ts'
import { SESSIONS_OF_WALLET } from '../../auth/sessions.ts'
import type { Rpc, RpcOutcome } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import {
  type Coming,
  PAGE,
  type SessionAnswer,
  type SessionApi,
  serveSessions,
  sessionRequest,
} from '../testing/session-api.ts'

const HOUR_MS = 3_600_000
const ACCEPTED = `0x${'1626ba7e'.padEnd(64, '0')}` as Hex
const wallet = () => privateKeyToAccount(generatePrivateKey())
const failure = ({ status, code, reason }: SessionAnswer) => [status, code, reason]

let database: TestDatabase
let api: SessionApi
/** What the contract at every address answers to ERC-1271. */
let word: Hex
beforeAll(async () => {
  database = await testDatabase()
  const outcomes = async (): Promise<RpcOutcome<unknown>[]> => [{ ok: true, value: word }]
  api = await serveSessions(database.sql, { outcomes } as unknown as Rpc)
})
afterAll(async () => {
  await api?.close()
  await database?.drop()
})
beforeEach(() => {
  word = '0x'
  api.ahead(0)
})

const opened = async (account = wallet(), over: Partial<SiweMessage> = {}, coming = {}) => {
  const answer = await api.signIn(await sessionRequest(account, over), coming)
  expect([answer.status, answer.errMsg]).toEqual([200, ''])
  return answer.data
}
const sessions = (key: { apiKey: string; apiSecret: string }, coming = {}) =>
  api.signed(key, 'GET', '/api/v1/sessions', coming)
const namesOf = (list: readonly { apiKey: string }[]) => list.map(({ apiKey }) => apiKey).toSorted()

describe('a session', () => {
  it('is opened by a wallet’s signature, works at once and ends when the message says', async () => {
    const account = wallet()
    const expirationTime = new Date(Date.now() + HOUR_MS)
    const data = await opened(account, { expirationTime })
    expect(data).toEqual({
      apiKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      apiSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
      userAddress: account.address.toLowerCase(),
      access: 'WRITABLE',
      createdAt: expect.any(Number),
      expiresAt: Math.floor(expirationTime.getTime() / 1000),
    })
    expect((await sessions(data)).data).toEqual([
      {
        apiKey: data.apiKey,
        createdAt: data.createdAt,
        expiresAt: data.expiresAt,
        addresses: ['203.0.113.7'],
        current: true,
      },
    ])
    api.ahead(HOUR_MS + 1000)
    expect(failure(await sessions(data))).toEqual([400, 401, undefined])
  })

  it('lasts a day at most', async () => {
    const data = await opened(wallet(), { expirationTime: new Date(Date.now() + 1000 * HOUR_MS) })
    const hours = (data.expiresAt * 1000 - Date.now()) / HOUR_MS
    expect(hours).toBeLessThanOrEqual(24)
    expect(hours).toBeGreaterThan(23)
  })

  it('works from the address that opened it alone, of this machine from both', async () => {
    const data = await opened()
    expect(failure(await sessions(data, { ip: '203.0.113.8' }))).toEqual([400, 401, undefined])
    expect((await sessions(data)).status).toBe(200)
    const local = await opened(wallet(), {}, { ip: '::1' })
    expect((await sessions(local, { ip: '127.0.0.1' })).status).toBe(200)
  })

  it('is opened once by each message', async () => {
    const account = wallet()
    const request = await sessionRequest(account)
    const answers = await Promise.all([1, 2, 3].map(() => api.signIn(request)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    const again = await api.signIn(request)
    expect(failure(again)).toEqual([400, 10002, 'wallet_nonce_used'])
    const rows = await database.sql`select from api_keys where user_address = ${account.address.toLowerCase()}`
    expect(rows).toHaveLength(1)
  })

  it('is opened for a contract wallet that accepts the signature', async () => {
    const request = await sessionRequest(wallet())
    const contract = '0x000000000000000000000000000000000000dEaD'
    const message = request.message.replace(/0x[0-9a-fA-F]{40}/, contract)
    expect(failure(await api.signIn({ message, signature: '0x01' }))).toEqual([400, 10000, 'session_signature_invalid'])
    word = ACCEPTED
    const { status, data } = await api.signIn({ message, signature: '0x01' })
    expect([status, data.userAddress]).toEqual([200, contract.toLowerCase()])
  })

  it('of a program needs no origin, and a message of the host', async () => {
    const answer = await api.signIn(await sessionRequest(wallet()), { headers: {} })
    expect(answer.status).toBe(200)
  })

  describe('on a chain of value', () => {
    const CHAIN = 8453
    const EVIL = 'https://evil.example'
    const program = (host: string) => ({ headers: { host } })
    const page = (origin: string) => ({ headers: { host: new URL(origin).host, origin } })
    let listed: SessionApi
    beforeAll(async () => {
      listed = await serveSessions(database.sql, {} as Rpc, { chainId: CHAIN, origins: 'https://trade.example' })
    })
    afterAll(() => listed?.close())
    /** What a wallet signed on the page of an origin, sent as `coming` says. */
    const sent = async (origin: string, coming: Coming, at = listed) => {
      const fields = { chainId: CHAIN, domain: new URL(origin).host, uri: origin }
      return at.signIn(await sessionRequest(wallet(), fields), coming)
    }

    it('is not opened by what a wallet signed for another site, whatever host and origin the request names', async () => {
      const refused = [400, 10000, 'session_message_invalid']
      expect(failure(await sent(EVIL, program('evil.example')))).toEqual(refused)
      expect(failure(await sent(EVIL, page(EVIL)))).toEqual(refused)
      expect(failure(await sent(EVIL, program('trade.example')))).toEqual(refused)
      const of = await sent('https://trade.example', page(EVIL))
      expect(failure(of)).toEqual(refused)
      expect(of.errMsg).toContain('APP_ORIGINS')
    })

    it('is opened on the pages that the operator lists, and on this machine', async () => {
      for (const coming of [page('https://trade.example'), program('trade.example'), program('10.0.0.5:8080')]) {
        expect((await sent('https://trade.example', coming)).errMsg).toBe('')
      }
      const here = { ip: '127.0.0.1', ...page('http://127.0.0.1:8080') }
      expect((await sent('http://127.0.0.1:8080', here)).errMsg).toBe('')
    })

    it('is not opened from elsewhere by what a wallet signed for a page of its own machine', async () => {
      const origin = 'http://localhost:8080'
      for (const { headers } of [page(origin), program('localhost:8080')]) {
        const refused = [400, 10000, 'session_message_invalid']
        expect(failure(await sent(origin, { headers }))).toEqual(refused)
        // Whom a proxy on the machine speaks for is unknown.
        const passedOn = { ip: '127.0.0.1', headers: { ...headers, 'x-forwarded-for': '127.0.0.1' } }
        expect(failure(await sent(origin, passedOn))).toEqual(refused)
        expect((await sent(origin, { ip: '127.0.0.1', headers })).errMsg).toBe('')
      }
    })

    it('is opened on no page where none is listed, and the answer says what is missing', async () => {
      const bare = await serveSessions(database.sql, {} as Rpc, { chainId: CHAIN, origins: '' })
      const answer = await sent('https://trade.example', page('https://trade.example'), bare)
      await bare.close()
      expect([answer.reason, answer.errMsg]).toEqual([
        'session_message_invalid',
        expect.stringContaining('the operator lists the origins of pages that open sessions in APP_ORIGINS'),
      ])
    })
  })

  it('is ended by itself, and by another one of its wallet, and by nobody else', async () => {
    const account = wallet()
    const [first, second, third] = [await opened(account), await opened(account), await opened(account)]
    const stranger = await opened()
    expect(failure(await api.signed(stranger, 'DELETE', `/api/v1/sessions/${second.apiKey}`))).toEqual([
      400,
      10001,
      'session_unknown',
    ])
    expect((await api.signed(first, 'DELETE', `/api/v1/sessions/${second.apiKey}`)).data).toEqual({
      apiKey: second.apiKey,
    })
    expect(failure(await sessions(second))).toEqual([400, 401, undefined])
    expect((await api.signed(first, 'DELETE', '/api/v1/session')).data).toEqual({ apiKey: first.apiKey })
    expect(failure(await sessions(first))).toEqual([400, 401, undefined])
    expect((await sessions(third)).data.map(({ apiKey }: { apiKey: string }) => apiKey)).toEqual([third.apiKey])
  })

  it('is not what an operator’s key is: that one ends nothing of itself', async () => {
    const account = wallet()
    const key = await operatorKey(account.address)
    expect(failure(await api.signed(key, 'DELETE', '/api/v1/session'))).toEqual([400, 10001, 'session_unknown'])
    expect(failure(await api.signed(key, 'DELETE', `/api/v1/sessions/${key.apiKey}`))).toEqual([
      400,
      10001,
      'session_unknown',
    ])
    expect((await sessions(key)).status).toBe(200)
  })

  it('is one of a bounded number of the wallet: one more ends the oldest, and those that ended do not count', async () => {
    const account = wallet()
    const all = []
    for (let nth = 0; nth < SESSIONS_OF_WALLET + 1; nth++) all.push(await opened(account))
    await api.signed(all[1], 'DELETE', '/api/v1/session')
    all.push(await opened(account))
    const stranger = await opened()
    const [newest] = all.slice(-1)
    expect(namesOf((await sessions(newest)).data)).toEqual(namesOf(all.slice(2)))
    all.push(await opened(account))
    expect(namesOf((await sessions(newest)).data)).toEqual(namesOf(all.slice(3)))
    expect([failure(await sessions(all[2])), (await sessions(stranger)).status]).toEqual([[400, 401, undefined], 200])
    const ended = await database.sql`
      select 1 from operator_audit_log where action = 'api_key.disable' and subject = ${all[2].apiKey}`
    expect(ended).toHaveLength(1)
  })

  it('leaves nothing of its secret in the database', async () => {
    const { apiKey, apiSecret } = await opened()
    const [row] = await database.sql`
      select k::text || l::text as everything from api_keys k
      join operator_audit_log l on l.subject = k.api_key where k.api_key = ${apiKey}`
    expect(row?.everything).toContain(apiKey)
    expect(row?.everything).not.toContain(apiSecret)
  })
})

async function operatorKey(userAddress: string) {
  const key = { label: 'bot', access: 'WRITABLE', chainId: 31_337, productType: 'Bourse', userAddress } as const
  const more = { ipWhitelist: ['203.0.113.7'], expiresAt: null }
  const issued = await createKey(database.sql, api.auth.masterKeys, { ...key, ...more }, 'test')
  await api.auth.keys.refresh()
  return issued
}

describe('the history of a session', () => {
  const historyOf = async ({ apiKey }: { apiKey: string }) => {
    const [row] = await database.sql<{ history: string | null }[]>`
      select history_key as history from api_keys where api_key = ${apiKey}`
    return row?.history
  }

  it('is that of all sessions of the wallet, those that ended too, and of no other wallet’s', async () => {
    const account = wallet()
    const first = await opened(account)
    await api.signed(first, 'DELETE', '/api/v1/session')
    const second = await opened(account, {}, { ip: '198.51.100.1' })
    expect([await historyOf(first), await historyOf(second)]).toEqual([first.apiKey, first.apiKey])
    const other = await opened()
    expect(await historyOf(other)).toBe(other.apiKey)
  })

  it('is that of the wallet’s oldest key, and stays so', async () => {
    const account = wallet()
    const key = await operatorKey(account.address)
    await operatorKey(account.address)
    const [first, second] = [await opened(account), await opened(account)]
    expect([await historyOf(first), await historyOf(second), await historyOf(key)]).toEqual([
      key.apiKey,
      key.apiKey,
      null,
    ])
    const found = api.auth.keys.find(second.apiKey)
    expect([found?.historyKey, found?.userAddress]).toEqual([key.apiKey, account.address.toLowerCase()])
  })
})

describe('a session is refused, with nothing stored,', () => {
  const account = wallet()
  const other = wallet()
  const later = (ms: number) => new Date(Date.now() + ms)
  const message = 'session_message_invalid'

  it.each<[string, Partial<SiweMessage>, RegExp]>([
    ['for another page', { domain: 'evil.example' }, /domain must be venue\.example, got evil\.example/],
    ['for another address of a page', { uri: 'https://venue.example/x' }, /URI must be/],
    ['on another chain', { chainId: 1 }, /Chain ID must be 31337/],
    ['for another purpose', { statement: 'I accept the terms.' }, /the statement must be "Open a session/],
    ['without an end', { expirationTime: undefined as never }, /EIP-4361/],
    ['after its end', { expirationTime: later(-1000) }, /Expiration Time must lie in the future/],
    ['long after it was made', { issuedAt: later(-6 * 60_000) }, /Issued At must be within 5 minutes/],
    ['before it was made', { issuedAt: later(6 * 60_000) }, /Issued At must be within 5 minutes/],
    ['with a list of resources', { resources: ['https://venue.example/a'] }, /must not have resources/],
    ['with a start', { notBefore: later(0) }, /must not have notBefore/],
    ['with a long nonce', { nonce: 'a'.repeat(97) }, /8 to 96/],
  ])('%s', async (_, over, says) => {
    const refused = await api.signIn(await sessionRequest(account, over))
    expect(failure(refused)).toEqual([400, 10000, message])
    expect(refused.errMsg).toMatch(says)
  })

  it.each<[string, (text: string) => string]>([
    ['with more at its end', (text) => `${text}\n`],
    ['with a second statement', (text) => text.replace('\n\nURI', '\nand more\n\nURI')],
    ['with an address in lower case', (text) => text.replace(/0x[0-9a-fA-F]{40}/, (one) => one.toLowerCase())],
    ['with another line', (text) => text.replace('Version: 1\n', 'Version: 1\nColour: red\n')],
    ['with a second message before it', (text) => `${text}\n${text}`],
    ['that is none', () => 'hello'],
  ])('by a text %s', async (_, change) => {
    const changed = change((await sessionRequest(account)).message)
    const refused = await api.signIn({ message: changed, signature: await account.signMessage({ message: changed }) })
    expect(failure(refused)).toEqual([400, 10000, message])
  })

  it('by another wallet’s signature, or one over another text', async () => {
    const { message: text } = await sessionRequest(account)
    const signatures = [
      await other.signMessage({ message: text }),
      await account.signMessage({ message: `${text} ` }),
      `0x${'00'.repeat(65)}`,
      '0x00',
    ]
    for (const signature of signatures) {
      const refused = await api.signIn({ message: text, signature })
      expect(failure(refused)).toEqual([400, 10000, 'session_signature_invalid'])
    }
    expect((await api.signIn({ message: text, signature: 'x' })).reason).toBe('request_invalid')
  })

  it.each([
    ['of another site', 'https://evil.example'],
    ['of another port', `${PAGE}:8081`],
    ['in a sandbox', 'null'],
  ])('to a page %s', async (_, origin) => {
    const request = await sessionRequest(account, { domain: 'evil.example', uri: 'https://evil.example' })
    const refused = await api.signIn(request, { headers: { origin } })
    expect(failure(refused)).toEqual([400, 10002, 'origin_refused'])
  })

  it('and nothing was', async () => {
    expect(await database.sql`select from api_keys where user_address = ${account.address.toLowerCase()}`).toHaveLength(
      0,
    )
    expect(await database.sql`select from wallet_nonces where wallet = ${account.address.toLowerCase()}`).toHaveLength(
      0,
    )
  })
})
