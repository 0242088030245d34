import { randomUUID } from 'node:crypto'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '../../auth/keys.ts'
import { KEYS_OF_WALLET } from '../../auth/wallet-keys.ts'
import { type Anvil, startAnvil } from '../../chain/embedded/anvil.ts'
import { createRpc, type Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import {
  CHAIN_ID,
  createKeyWith,
  keyOf,
  keyRequest,
  keyText,
  type PerpAnswer,
  type PerpApi,
  servePerp,
  signed,
  signedMm,
  testMasterKeys,
  twinOf,
} from '../testing/key-api.ts'

const masterKeys = testMasterKeys()
const wallet = () => privateKeyToAccount(generatePrivateKey())

let anvil: Anvil
let rpc: Rpc
let database: TestDatabase
let api: PerpApi
/** Another api process of the same venue. */
let other: PerpApi
beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID })
  rpc = createRpc({ url: anvil.rpcUrl })
  database = await testDatabase()
  const world = { sql: database.sql, rpc, environment: { PERP_BRANDS: 'Bourse, Elsewhere Exchange' } }
  api = await servePerp(world, masterKeys)
  other = await servePerp(world, masterKeys)
})
afterAll(async () => {
  await api?.close()
  await other?.close()
  await database?.drop()
  await anvil?.stop()
})

const create = (body: unknown, at = api) => createKeyWith(at, body)
const failure = ({ status, code, reason }: PerpAnswer) => [status, code, reason]
const stored = async () => {
  const [row] = await database.sql<{ keys: bigint; nonces: bigint }[]>`
    select (select count(*) from api_keys) as keys, (select count(*) from wallet_nonces) as nonces`
  return row
}
/** Asks again until the other process has learnt of a change. */
async function until(ask: () => Promise<PerpAnswer>, status: number): Promise<void> {
  let answer = await ask()
  for (let tries = 0; answer.status !== status && tries < 100; tries++) answer = await ask()
  expect(answer.status).toBe(status)
}

describe('a key by a wallet’s signature', () => {
  it('is made without any other key, and works at once, in other processes too', async () => {
    const account = wallet()
    const before = Date.now()
    const { status, code, msg, data } = await create(await keyRequest(account))
    expect([status, code, msg]).toEqual([200, 0, ''])
    expect(data).toEqual({
      apiKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      apiSecret: expect.stringMatching(/^[0-9a-f]{64}$/),
      passphrase: expect.stringMatching(/^[0-9a-f]{32}$/),
      label: 'API key',
      permissions: ['read', 'trade'],
      createdAt: expect.any(Number),
    })
    // The database's clock, in milliseconds.
    expect(Math.abs(data.createdAt - before)).toBeLessThan(600_000)
    expect((await signed(api, data, 'GET', 'market/serverTime')).status).toBe(200)
    await until(() => signed(other, data, 'GET', 'market/serverTime'), 200)
  })

  it('has a passphrase for the older headers', async () => {
    const account = wallet()
    const { data } = await create(await keyRequest(account))
    // Whoever is let in learns whether the path is there.
    expect((await signedMm(api, data, 'no/such/path')).status).toBe(400)
    const wrong = { ...data, passphrase: '0'.repeat(32) }
    expect((await signedMm(api, wrong, 'no/such/path')).status).toBe(401)
  })

  it('takes label and permissions, numbers as text and as numbers, and an address in any case', async () => {
    const account = wallet()
    const request = await keyRequest(account, {
      address: account.address,
      nonce: 7,
      timestamp: String(Date.now()),
      label: 'reader',
      permissions: ['read'],
    })
    const { status, data } = await create(request)
    expect([status, data.label, data.permissions]).toEqual([200, 'reader', ['read']])
    expect((await signed(api, data, 'GET', 'api-key/list')).data).toHaveLength(1)
    // The number and its text are the same nonce: they make the same text.
    expect(failure(await create(await keyRequest(account, { nonce: '7' })))).toEqual([400, 40004, 'wallet_nonce_used'])
  })

  it('takes the text of another listed brand, and of no other', async () => {
    const account = wallet()
    expect((await create(await keyRequest(account, {}, 'Elsewhere Exchange'))).status).toBe(200)
    const refused = await create(await keyRequest(account, {}, 'Unlisted'))
    expect(failure(refused)).toEqual([401, 40102, 'wallet_signature_invalid'])
  })

  it('ends in a day when a page made it, which must be the venue’s own', async () => {
    const post = async (origin: string) => {
      const sent = { method: 'POST', headers: { 'content-type': 'application/json', origin } }
      const body = JSON.stringify(await keyRequest(wallet()))
      return await fetch(`${api.url}/v4/public/trader/api-key/create`, { ...sent, body })
    }
    const { data } = (await (await post(api.url)).json()) as PerpAnswer
    // The key's time is the database's, its end the venue's clock.
    expect(Math.abs(data.expiresAt - data.createdAt - 86_400_000)).toBeLessThan(600_000)
    const hostile = await post('https://evil.example')
    expect([hostile.status, hostile.headers.get('x-error-reason')]).toEqual([403, 'origin_refused'])
  })

  it('takes a contract wallet’s word by ERC-1271, the whole of it', async () => {
    const contract = `0x${'c0de'.repeat(10)}` as const
    const becomes = (word: string) => rpc.call('anvil_setCode', [contract, `0x7f${word}5f5260205ff3`])
    const request = async () => ({ ...(await keyRequest(wallet())), address: contract, signature: '0x01' as Hex })
    await becomes('1626ba7e'.padEnd(64, '0'))
    const { status, data } = await create(await request())
    expect(status).toBe(200)
    expect((await signed(api, data, 'GET', 'api-key/list')).data[0].apiKey).toBe(data.apiKey)
    await becomes(`1626ba7e${'1'.repeat(56)}`)
    expect(failure(await create(await request()))).toEqual([401, 40102, 'wallet_signature_invalid'])
  })

  it('leaves nothing of the secret in the open, and says who made it', async () => {
    const account = wallet()
    const { apiKey, apiSecret } = await keyOf(api, account)
    const rows = await database.sql`
      select l.actor, l.action, k::text || l::text as everything
      from api_keys k join operator_audit_log l on l.subject = k.api_key where k.api_key = ${apiKey}`
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ actor: `wallet ${account.address.toLowerCase()}`, action: 'api_key.create' })
    expect(rows[0]?.everything).not.toContain(apiSecret)
  })
})

describe('a key by a wallet’s signature is refused, with nothing stored,', () => {
  const account = wallet()
  const old = () => Date.now() - 5 * 60_000 - 5000
  const request = (over: Readonly<Record<string, unknown>> = {}) => keyRequest(account, over)
  const changed = async (over: Readonly<Record<string, unknown>>) => ({ ...(await request()), ...over })

  it.each([
    ['by another wallet’s signature', () => changed({ address: wallet().address }), 401, 40102, /the text "Chain ID/],
    ['for another nonce than the signed one', () => changed({ nonce: randomUUID() }), 401, 40102, /signature/],
    ['for another time than the signed one', () => changed({ timestamp: Date.now() - 1 }), 401, 40102, /signature/],
    ['over the text with a newline at its end', trailing, 401, 40102, /no newline at its end/],
    ['by the twin of a signature', twin, 401, 40102, /upper half/],
    [
      'by a signature without its last byte',
      () => changed({ signature: `0x${'5a'.repeat(64)}` }),
      401,
      40102,
      /got 64/,
    ],
    [
      'by a signature that no account can make',
      () => changed({ signature: `0x${'00'.repeat(64)}1b` }),
      401,
      40102,
      /nobody/,
    ],
    ['for another chain', () => request({ chainID: 1 }), 400, 40001, /chainID must be 31337/],
    ['when it has expired', () => request({ timestamp: old() }), 400, 40001, /within 5 minutes/],
    ['when it is of the future', () => request({ timestamp: Date.now() + 305_000 }), 400, 40001, /within 5 minutes/],
    [
      'with a time in seconds',
      () => request({ timestamp: 1_764_000_000 }),
      400,
      40001,
      /timestamp must be a Unix time/,
    ],
    ['with a nonce that ends its line', () => request({ nonce: 'a\nTimestamp: 1' }), 400, 40001, /nonce must be/],
    ['with an empty nonce', () => request({ nonce: '' }), 400, 40001, /nonce must be/],
    ['with no address', () => request({ address: '0x12' }), 400, 40001, /address must be an address/],
    ['with an empty label', () => request({ label: ' ' }), 400, 40001, /label must be/],
    [
      'with a permission that there is not',
      () => request({ permissions: ['read', 'withdraw'] }),
      400,
      40001,
      /permissions/,
    ],
    ['for trading without reading', () => request({ permissions: ['trade'] }), 400, 40001, /permissions must be/],
    ['with no permission', () => request({ permissions: [] }), 400, 40001, /permissions/],
    ['with an unknown field', () => request({ ip: '127.0.0.1' }), 400, 40001, /unknown field ip/],
    [
      'without a signature',
      async () => ({ ...(await request()), signature: undefined }),
      400,
      40001,
      /signature is required/,
    ],
    ['with no JSON', async () => '{', 400, 40001, /not valid JSON/],
  ])('%s', async (_, body, status, code, message) => {
    const before = await stored()
    const answer = await create(await body())
    expect([answer.status, answer.code, answer.data]).toEqual([status, code, {}])
    expect(answer.msg).toMatch(message)
    expect(await stored()).toEqual(before)
  })

  async function trailing() {
    const fields = await request()
    return { ...fields, signature: await account.signMessage({ message: `${keyText(fields)}\n` }) }
  }

  async function twin() {
    const fields = await request()
    return { ...fields, signature: twinOf(fields.signature as Hex) }
  }

  it('shows the text that would be right', async () => {
    const fields = await changed({ signature: `0x${'5a'.repeat(64)}1b` })
    expect((await create(fields)).msg).toContain(JSON.stringify(keyText(fields)))
  })

  it('when it is sent again, to whichever process, and the first key stays', async () => {
    const body = await request()
    const { data } = await create(body)
    for (const at of [api, other]) {
      const again = await create(body, at)
      expect(failure(again)).toEqual([400, 40004, 'wallet_nonce_used'])
      expect(again.msg).toContain('has used the nonce')
    }
    // A new time does not make the nonce new.
    const renewed = await request({ nonce: body.nonce, timestamp: Date.now() + 1 })
    expect(failure(await create(renewed))).toEqual([400, 40004, 'wallet_nonce_used'])
    expect((await signed(api, data, 'GET', 'market/serverTime')).status).toBe(200)
  })

  it('all but once of 20 at the same time to two processes', async () => {
    const before = await stored()
    const body = await request()
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create(body, index % 2 ? api : other)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 200)
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['wallet_nonce_used']))
    const after = await stored()
    expect([Number(after?.keys) - Number(before?.keys), Number(after?.nonces) - Number(before?.nonces)]).toEqual([1, 1])
  })

  it('beyond so many keys, without spending the nonce', async () => {
    const many = wallet()
    for (let made = 0; made < KEYS_OF_WALLET; made++) await keyOf(api, many)
    const body = await keyRequest(many)
    expect(failure(await create(body))).toEqual([400, 40004, 'wallet_keys_exhausted'])
    const [row] = await database.sql<{ apiKey: string }[]>`
      select api_key as "apiKey" from wallet_nonces where wallet = ${many.address.toLowerCase()} limit 1`
    const key = await database.sql`select 1 from wallet_nonces where nonce = ${body.nonce as string}`
    expect(key).toHaveLength(0)
    await database.sql`update api_keys set state = 'disabled' where api_key = ${row?.apiKey ?? ''}`
    expect((await create(body)).status).toBe(200)
  })

  it('when a contract wallet cannot be asked', async () => {
    const away = await servePerp({ sql: database.sql, rpc: createRpc({ url: 'http://127.0.0.1:9' }) }, masterKeys)
    try {
      const answer = await createKeyWith(away, await changed({ address: wallet().address }))
      expect(failure(answer)).toEqual([500, 50001, 'chain_not_answering'])
      // An account needs no node.
      expect((await createKeyWith(away, await request())).status).toBe(200)
    } finally {
      await away.close()
    }
  })
})

describe('the keys of a wallet', () => {
  it('are listed without secrets, its own alone, with their last use', async () => {
    const [account, stranger] = [wallet(), wallet()]
    const first = await keyOf(api, account, { label: 'first' })
    const second = await keyOf(api, account, { label: 'second', permissions: ['read'] })
    await keyOf(api, stranger)
    const list = () => signed(api, first, 'GET', 'api-key/list')
    const row = { createdAt: expect.any(Number), lastUsedAt: null }
    expect((await list()).data).toEqual([
      { ...row, apiKey: first.apiKey, label: 'first', permissions: ['read', 'trade'] },
      { ...row, apiKey: second.apiKey, label: 'second', permissions: ['read'] },
    ])
    await expect
      .poll(async () => (await list()).data[0].lastUsedAt, { timeout: 20_000 })
      .toBeGreaterThan(1_700_000_000_000)
    expect((await list()).data[1].lastUsedAt).toBeNull()
  })

  it('are those of the wallet that a query names, on the chain that it names', async () => {
    const account = wallet()
    const key = await keyOf(api, account)
    const list = (query: string) => signed(api, key, 'GET', `api-key/list?${query}`)
    expect((await list(`address=${account.address}&chainId=31337`)).data).toHaveLength(1)
    const other = await list(`address=${wallet().address}`)
    expect(failure(other)).toEqual([403, 40301, 'user_not_bound'])
    expect(other.msg).toContain(`address must be ${account.address.toLowerCase()}`)
    expect(failure(await list('chainId=1'))).toEqual([400, 40001, 'chain_id_differs'])
  })

  it('change label and permissions, at once and in every process', async () => {
    const account = wallet()
    const [signer, changed] = [await keyOf(api, account), await keyOf(api, account)]
    const update = (body: Record<string, unknown>) =>
      signed(api, signer, 'POST', 'api-key/update', { apiKey: changed.apiKey, ...body })
    const trade = (at: PerpApi) => signed(at, changed, 'POST', 'market/unknown', { at: Math.random() })
    await until(() => trade(other), 400)
    const renamed = await update({ label: 'renamed' })
    expect(renamed.data).toMatchObject({ label: 'renamed', permissions: ['read', 'trade'] })
    const bounded = await update({ permissions: ['read'] })
    expect(bounded.data).toMatchObject({ label: 'renamed', permissions: ['read'] })
    expect(failure(await trade(api))).toEqual([403, 40301, 'permission_missing'])
    await until(() => trade(other), 403)
    expect((await signed(api, changed, 'GET', 'api-key/list')).status).toBe(200)
    expect((await update({ permissions: ['read', 'trade'] })).status).toBe(200)
    expect((await trade(api)).status).toBe(400)
    const nothing = await update({})
    expect([nothing.status, nothing.msg]).toEqual([400, expect.stringContaining('label or permissions is required')])
  })

  it('end for good, the signing one too', async () => {
    const account = wallet()
    const [signer, ended] = [await keyOf(api, account), await keyOf(api, account)]
    await until(() => signed(other, ended, 'GET', 'market/serverTime'), 200)
    const remove = (apiKey: string) => signed(api, signer, 'POST', 'api-key/delete', { apiKey })
    expect((await remove(ended.apiKey)).data).toEqual({ apiKey: ended.apiKey })
    expect((await signed(api, ended, 'GET', 'market/serverTime')).status).toBe(401)
    await until(() => signed(other, ended, 'GET', 'market/serverTime'), 401)
    expect((await signed(api, signer, 'GET', 'api-key/list')).data).toHaveLength(1)
    expect(failure(await remove(ended.apiKey))).toEqual([400, 40401, 'key_unknown'])
    expect((await remove(signer.apiKey)).data).toEqual({ apiKey: signer.apiKey })
    expect((await signed(api, signer, 'GET', 'api-key/list')).status).toBe(401)
  })

  it('are neither seen, changed nor ended by another wallet, whatever it asks', async () => {
    const [owner, stranger] = [wallet(), wallet()]
    const key = await keyOf(api, owner, { label: 'mine' })
    const foreign = await keyOf(api, stranger)
    const bodies = [
      ['api-key/update', { apiKey: key.apiKey, label: 'yours' }],
      ['api-key/update', { apiKey: key.apiKey, permissions: ['read'] }],
      ['api-key/delete', { apiKey: key.apiKey }],
      ['api-key/delete', { apiKey: 'no-such-key' }],
    ] as const
    for (const [path, body] of bodies) {
      const answer = await signed(api, foreign, 'POST', path, body)
      expect(failure(answer)).toEqual([400, 40401, 'key_unknown'])
      expect(answer.msg).toContain(stranger.address.toLowerCase())
    }
    expect((await signed(api, key, 'GET', 'api-key/list')).data).toMatchObject([
      { apiKey: key.apiKey, label: 'mine', permissions: ['read', 'trade'] },
    ])
  })

  it('do not reach keys of the wallet in another product', async () => {
    const account = wallet()
    const key = await keyOf(api, account)
    const { apiKey } = await createKey(
      database.sql,
      masterKeys,
      {
        label: 'stocks',
        access: 'WRITABLE',
        chainId: CHAIN_ID,
        productType: 'Bourse',
        ipWhitelist: ['127.0.0.1'],
        userAddress: account.address,
        expiresAt: null,
      },
      'operator',
    )
    expect((await signed(api, key, 'GET', 'api-key/list')).data).toHaveLength(1)
    expect(failure(await signed(api, key, 'POST', 'api-key/delete', { apiKey }))).toEqual([400, 40401, 'key_unknown'])
  })

  it('change nothing by one that may only read', async () => {
    const account = wallet()
    const [reader, key] = [await keyOf(api, account, { permissions: ['read'] }), await keyOf(api, account)]
    const before = (await signed(api, key, 'GET', 'api-key/list')).data
    for (const [path, body] of [
      ['api-key/update', { apiKey: reader.apiKey, permissions: ['read', 'trade'] }],
      ['api-key/delete', { apiKey: key.apiKey }],
    ] as const) {
      expect(failure(await signed(api, reader, 'POST', path, body))).toEqual([403, 40301, 'permission_missing'])
    }
    // It is counted for the key, like what the key may do.
    const refused = await signed(api, reader, 'POST', 'api-key/delete', { apiKey: key.apiKey })
    const read = await signed(api, reader, 'GET', 'api-key/list')
    const left = ({ headers }: PerpAnswer) => ['limit', 'remaining'].map((name) => headers.get(`ratelimit-${name}`))
    expect([left(refused), left(read)]).toEqual([
      ['120', '117'],
      ['120', '116'],
    ])
    const after = (await signed(api, key, 'GET', 'api-key/list')).data
    const still = (rows: { lastUsedAt: unknown }[]) => rows.map(({ lastUsedAt: _, ...row }) => row)
    expect(still(after)).toEqual(still(before))
  })

  it('are of no use to a key that belongs to no wallet', async () => {
    const key = await createKey(
      database.sql,
      masterKeys,
      {
        label: 'reader',
        access: 'WRITABLE',
        chainId: CHAIN_ID,
        productType: 'perp',
        ipWhitelist: [],
        userAddress: null,
        expiresAt: null,
      },
      'operator',
    )
    await api.auth.keys.refresh()
    expect(failure(await signed(api, key, 'GET', 'api-key/list'))).toEqual([403, 40301, 'key_not_bound'])
  })
})
