import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownConnection } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createKey, disableKey, listKeys, type NewKey, reencryptKeys, rotateKey } from './keys.ts'
import { openSecret, parseMasterKeys } from './secrets.ts'
import { allKeys } from './store.ts'

const bytes = randomBytes(32).toString('hex')
const masterKeys = parseMasterKeys(bytes)

const newKey: NewKey = {
  label: 'a broker',
  access: 'WRITABLE',
  chainId: 31337,
  productType: 'Bourse',
  ipWhitelist: ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0:0::1', '10.0.0.0/8', '2001:0DB8::/32'],
  userAddress: '0x00000000000000000000000000000000000000AB',
  expiresAt: new Date('2999-01-01T00:00:00Z'),
}

let db: TestDatabase

beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

async function row(apiKey: string) {
  const found = (await allKeys(db.sql)).find((key) => key.apiKey === apiKey)
  if (!found) throw new Error('no such key')
  return found
}

async function storedSecret(apiKey: string, keys = masterKeys): Promise<string> {
  const { masterKeyVersion, secretSealed } = await row(apiKey)
  return openSecret(keys, apiKey, { masterKeyVersion, sealed: secretSealed })
}

async function audit(subject: string) {
  return db.sql`select actor, action, detail from operator_audit_log where subject = ${subject} order by id`
}

describe('createKey', () => {
  it('stores the key with its secret sealed, and audits it', async () => {
    const { apiKey, apiSecret } = await createKey(db.sql, masterKeys, newKey, 'test')
    expect(apiKey).toMatch(/^[0-9a-f]{32}$/)
    expect(apiSecret).toMatch(/^[0-9a-f]{64}$/)
    expect(await row(apiKey)).toMatchObject({
      label: 'a broker',
      state: 'active',
      ipWhitelist: ['127.0.0.1', '::1', '10.0.0.0/8', '2001:db8::/32'],
      userAddress: '0x00000000000000000000000000000000000000ab',
      expiresAt: new Date('2999-01-01T00:00:00Z'),
      scopes: [{ chainId: 31337, productType: 'Bourse', access: 'WRITABLE' }],
    })
    expect(await storedSecret(apiKey)).toBe(apiSecret)
    const entries = await audit(apiKey)
    expect(entries).toMatchObject([{ actor: 'test', action: 'api_key.create', detail: { label: 'a broker' } }])
    const everything = await db.sql`
      select to_jsonb(k)::text || coalesce((select string_agg(to_jsonb(a)::text, '') from operator_audit_log a), '') as text
      from api_keys k`
    expect(JSON.stringify(everything)).not.toContain(apiSecret)
  })

  it.each([
    [{ label: ' ' }, 'label must have 1 to 200 characters'],
    [{ label: 'x'.repeat(201) }, 'label must have 1 to 200 characters'],
    [{ access: 'ADMIN' as never }, 'access must be READ_ONLY or WRITABLE'],
    [{ chainId: 0 }, 'chain id must be a positive integer'],
    [{ chainId: 1.5 }, 'chain id must be a positive integer'],
    [{ productType: 'a b' }, 'product must be 1 to 64 letters'],
    [{ ipWhitelist: ['10.0.0.1/8'] }, '"10.0.0.1/8" is neither an IP address nor a range'],
    [{ ipWhitelist: ['localhost'] }, '"localhost" is neither an IP address nor a range'],
    [{ ipWhitelist: Array.from({ length: 101 }, (_, i) => `10.0.0.${i}`) }, 'at most 100 addresses and ranges'],
    [{ userAddress: '0x12' }, 'user address must be 0x and 40 hex digits'],
    [{ expiresAt: new Date('2001-01-01') }, 'expiry must be a time in the future'],
    [{ expiresAt: new Date('nonsense') }, 'expiry must be a time in the future'],
  ])('refuses %j', async (over, problem) => {
    const before = await listKeys(db.sql)
    await expect(createKey(db.sql, masterKeys, { ...newKey, ...over }, 'test')).rejects.toThrow(problem)
    expect(await listKeys(db.sql)).toEqual(before)
  })

  it('takes an empty whitelist, no user and no expiry', async () => {
    const plain = { ...newKey, ipWhitelist: [], userAddress: null, expiresAt: null }
    const { apiKey } = await createKey(db.sql, masterKeys, plain, 'test')
    expect(await row(apiKey)).toMatchObject({ ipWhitelist: [], userAddress: null, expiresAt: null })
  })
})

describe('later changes', () => {
  it('disable, rotate and list; each is audited and none tells a secret', async () => {
    const issued = await createKey(db.sql, masterKeys, newKey, 'test')
    const rotated = await rotateKey(db.sql, masterKeys, issued.apiKey, 'test')
    expect(rotated.apiKey).toBe(issued.apiKey)
    expect(rotated.apiSecret).not.toBe(issued.apiSecret)
    expect(await storedSecret(issued.apiKey)).toBe(rotated.apiSecret)

    await disableKey(db.sql, issued.apiKey, 'test')
    const before = await row(issued.apiKey)
    await disableKey(db.sql, issued.apiKey, 'test')
    expect(before.state).toBe('disabled')

    const listed = (await listKeys(db.sql)).find((key) => key.apiKey === issued.apiKey)
    expect(listed).toMatchObject({ state: 'disabled', label: 'a broker' })
    expect(listed).not.toHaveProperty('secretSealed')
    const actions = (await audit(issued.apiKey)).map((entry) => entry.action)
    expect(actions).toEqual(['api_key.create', 'api_key.rotate', 'api_key.disable', 'api_key.disable'])
  })

  it('refuse an unknown key and leave no trace', async () => {
    await expect(disableKey(db.sql, 'none', 'test')).rejects.toThrow('no API key has the id none')
    await expect(rotateKey(db.sql, masterKeys, 'none', 'test')).rejects.toThrow('no API key has the id none')
    expect(await audit('none')).toEqual([])
  })

  it('give no new secret to a key that has ended', async () => {
    const { apiKey, apiSecret } = await createKey(db.sql, masterKeys, newKey, 'test')
    await db.sql`update api_keys set expires_at = now() where api_key = ${apiKey}`
    await expect(rotateKey(db.sql, masterKeys, apiKey, 'test')).rejects.toThrow(/has expired at .*: .* make a new key/)
    await disableKey(db.sql, apiKey, 'test')
    await expect(rotateKey(db.sql, masterKeys, apiKey, 'test')).rejects.toThrow(/is disabled, .* make a new key/)
    expect(await storedSecret(apiKey)).toBe(apiSecret)
    expect((await audit(apiKey)).map(({ action }) => action)).toEqual(['api_key.create', 'api_key.disable'])
  })

  it('get revisions in the order in which they become visible', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => createKey(db.sql, masterKeys, newKey, 'test')))
    const revisions = (await allKeys(db.sql)).map((key) => key.revision)
    expect(new Set(revisions).size).toBe(revisions.length)
    expect(many).toHaveLength(20)
  })

  it('re-encrypt under a new master key, so that the old one can go', async () => {
    const issued = await createKey(db.sql, masterKeys, newKey, 'test')
    const next = randomBytes(32).toString('hex')
    const both = parseMasterKeys(`2:${next},1:${bytes}`)
    const total = (await listKeys(db.sql)).length
    let read = 0
    const count = (_connection: number, query: string) => {
      if (/select\s+k\.api_key/.test(query) && !/where k\.api_key =/.test(query)) read++
    }
    const counting = ownConnection(db.sql, { debug: count })
    expect(await reencryptKeys(counting, both, 'test')).toBe(total)
    // All of them once, to find those that are to be encrypted, not again for each.
    expect(read).toBe(1)
    await counting.end()
    expect(await reencryptKeys(db.sql, both, 'test')).toBe(0)
    expect(await storedSecret(issued.apiKey, parseMasterKeys(`2:${next}`))).toBe(issued.apiSecret)
  })
})

describe('the audit log', () => {
  it.each([
    'delete from operator_audit_log',
    "update operator_audit_log set actor = 'somebody else'",
    'truncate operator_audit_log',
  ])('refuses: %s', async (statement) => {
    await expect(db.sql.unsafe(statement)).rejects.toThrow('operator_audit_log only takes new rows')
  })
})
