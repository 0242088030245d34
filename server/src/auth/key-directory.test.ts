import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPool, type Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { startWire } from '../db/testing-wire.ts'
import type { Caller } from '../http/caller.ts'
import { KeyDirectory, type KeyDirectoryOptions } from './key-directory.ts'
import { createKey, disableKey, type NewKey, reencryptKeys, rotateKey } from './keys.ts'
import { parseMasterKeys } from './secrets.ts'

const MASTER_KEY = randomBytes(32).toString('hex')
const masterKeys = parseMasterKeys(MASTER_KEY)
const log = pino({ level: 'silent' })
const newKey: NewKey = {
  label: 'test',
  access: 'READ_ONLY',
  chainId: 31337,
  productType: 'Bourse',
  ipWhitelist: ['127.0.0.1'],
  userAddress: null,
  expiresAt: null,
}

let db: TestDatabase
let open: KeyDirectory[]
let pools: Sql[]

beforeEach(async () => {
  db = await testDatabase()
  open = []
  pools = []
})
afterEach(async () => {
  vi.useRealTimers()
  for (const directory of open) await directory.close()
  for (const pool of pools) await pool.end()
  await db.drop()
})

/** A directory as another process would have it, with a pool of its own. */
async function start(over: Partial<KeyDirectoryOptions> = {}): Promise<KeyDirectory> {
  const sql = createPool({ url: db.url, maxConnections: 2, applicationName: 'directory' })
  pools.push(sql)
  const directory = await KeyDirectory.start({ sql, masterKeys, log, ...over })
  open.push(directory)
  return directory
}

/** A pool that never hears an announcement. */
function deafPool(url = db.url): Sql {
  const pool = createPool({ url, maxConnections: 1, applicationName: 'deaf' })
  pools.push(pool)
  const listen = async () => ({ state: {} as never, unlisten: async () => {} })
  return new Proxy(pool, { get: (target, key) => (key === 'listen' ? listen : Reflect.get(target, key)) })
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5)
}

describe('KeyDirectory', () => {
  it('holds every key at its start, with its secret ready', async () => {
    const { apiKey, apiSecret } = await createKey(db.sql, masterKeys, newKey, 'test')
    const directory = await start()
    const key = directory.find(apiKey)
    expect(key).toMatchObject({ apiKey, active: true, expiresAtMs: null, userAddress: null })
    expect(['127.0.0.1', '127.0.0.2'].filter((ip) => key?.ipWhitelist.has(ip))).toEqual(['127.0.0.1'])
    expect(key?.scopes).toEqual([{ chainId: 31337, productType: 'Bourse', access: 'READ_ONLY' }])
    expect(JSON.stringify(key)).not.toContain(apiSecret)
    expect(directory.find('unknown')).toBeUndefined()
    expect(directory.fresh()).toBeUndefined()
  })

  it('sees a change at once where it was made, and soon everywhere', async () => {
    const here = await start()
    const there = await start()
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    await here.refresh()
    expect(here.find(apiKey)?.active).toBe(true)
    await until(() => there.find(apiKey)?.active === true)
    await disableKey(db.sql, apiKey, 'test')
    await here.refresh()
    expect(here.find(apiKey)?.active).toBe(false)
    await until(() => there.find(apiKey)?.active === false)
    expect(there.fresh()).toBeUndefined()
  })

  it('sees a change made while it was reading', async () => {
    const directory = await start()
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    const reading = directory.refresh()
    const disabling = disableKey(db.sql, apiKey, 'test').then(() => directory.refresh())
    await Promise.all([reading, disabling, directory.refresh()])
    expect(directory.find(apiKey)?.active).toBe(false)
  })

  it('polls when no announcement arrives', async () => {
    const directory = await start({ sql: deafPool() })
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    await until(() => directory.find(apiKey) !== undefined)
    expect(directory.find(apiKey)?.active).toBe(true)
  })

  it('reads again before it answers from old keys, and rejects when it cannot', async () => {
    let nowMs = 0
    const wire = await startWire(db.url)
    const sql = deafPool(wire.url)
    // Neither polled nor announced: what is read is read because of its age.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const directory = await start({ sql, monotonicMs: () => nowMs })
    nowMs += 900
    expect(directory.fresh()).toBeUndefined()
    nowMs += 1
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    await directory.fresh()
    expect(directory.find(apiKey)?.active).toBe(true)
    await wire.cut(true)
    nowMs += 901
    await expect(directory.fresh()).rejects.toThrow()
  })

  it('reads over a new connection when the database has vanished without a word', async () => {
    const wire = await startWire(db.url)
    const directory = await start({ sql: deafPool(wire.url), readLimitMs: 300 })
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    await until(() => directory.find(apiKey) !== undefined)
    wire.abandon()
    const later = await createKey(db.sql, masterKeys, newKey, 'test')
    await until(() => directory.find(later.apiKey) !== undefined)
    expect(directory.find(later.apiKey)?.active).toBe(true)
    await wire.close()
  })

  describe('after a failover to a database that lost the newest commits', () => {
    /** As a replica that had got no change later than the one of this number. */
    const losesAllAfter = (revision: number) =>
      db.sql.begin(async (tx) => {
        await tx`delete from api_key_scopes where api_key in (select api_key from api_keys where revision > ${revision})`
        await tx`delete from api_keys where revision > ${revision}`
        await tx`delete from api_key_revisions where revision > ${revision}`
        await tx`update api_key_revision set revision = ${revision}`
      })

    it('knows of a change that got the number of one that was lost', async () => {
      const stolen = await createKey(db.sql, masterKeys, newKey, 'test')
      const lost = await createKey(db.sql, masterKeys, newKey, 'test')
      const directory = await start()
      expect(directory.find(lost.apiKey)?.active).toBe(true)
      await losesAllAfter(1)
      await disableKey(db.sql, stolen.apiKey, 'test')
      await directory.refresh()
      expect(directory.find(stolen.apiKey)?.active).toBe(false)
      expect(directory.find(lost.apiKey)).toBeUndefined()
    })

    it('knows of a key that got such a number, and of later changes', async () => {
      await createKey(db.sql, masterKeys, newKey, 'test')
      const directory = await start()
      await losesAllAfter(0)
      const issued = [await createKey(db.sql, masterKeys, newKey, 'test')]
      issued.push(await createKey(db.sql, masterKeys, newKey, 'test'))
      await directory.refresh()
      expect(issued.map(({ apiKey }) => directory.find(apiKey)?.active)).toEqual([true, true])
      await disableKey(db.sql, issued[0]?.apiKey ?? '', 'test')
      await directory.refresh()
      expect(issued.map(({ apiKey }) => directory.find(apiKey)?.active)).toEqual([false, true])
    })

    it('forgets the keys of lost commits though nothing was changed since, and none is left', async () => {
      const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
      const directory = await start()
      await losesAllAfter(0)
      await directory.refresh()
      expect(directory.find(apiKey)).toBeUndefined()
    })

    it('reads nothing anew while nothing was lost', async () => {
      await createKey(db.sql, masterKeys, newKey, 'test')
      const directory = await start()
      const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
      await directory.refresh()
      const known = directory.find(apiKey)
      await createKey(db.sql, masterKeys, newKey, 'test')
      await directory.refresh()
      expect(directory.find(apiKey)).toBe(known)
    })
  })

  it('learns a new secret', async () => {
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    const directory = await start()
    const code = () => directory.find(apiKey)?.hmac.hex('x', Buffer.alloc(0))
    const before = code()
    await rotateKey(db.sql, masterKeys, apiKey, 'test')
    await directory.refresh()
    expect(code()).not.toBe(before)
  })

  it('tells who signed by a secret that the key has no more, and no encryption of the secret from it', async () => {
    const { apiKey } = await createKey(db.sql, masterKeys, newKey, 'test')
    const directory = await start()
    const caller: Caller = {
      keyId: apiKey,
      access: 'WRITABLE',
      userAddress: null,
      secretMadeAtMs: directory.find(apiKey)?.secretMadeAtMs ?? 0,
    }
    expect(directory.isLive(caller, Date.now())).toBe(true)
    const newer = parseMasterKeys(`2:${randomBytes(32).toString('hex')},1:${MASTER_KEY}`)
    expect(await reencryptKeys(db.sql, newer, 'test')).toBeGreaterThan(0)
    const reopened = await start({ masterKeys: newer })
    expect(reopened.isLive(caller, Date.now())).toBe(true)
    await rotateKey(db.sql, newer, apiKey, 'test')
    await reopened.refresh()
    expect(reopened.isLive(caller, Date.now())).toBe(false)
    expect(reopened.isLive({ ...caller, keyId: 'another', sessionKey: apiKey }, Date.now())).toBe(false)
  })

  it('does not start when SECRETS_KEY opens nothing, and skips what it does not open', async () => {
    const other = parseMasterKeys(randomBytes(32).toString('hex'))
    const foreign = await createKey(db.sql, other, newKey, 'test')
    await expect(start()).rejects.toThrow('SECRETS_KEY opens none of the 1 stored API keys')
    const own = await createKey(db.sql, masterKeys, newKey, 'test')
    const directory = await start()
    expect(directory.find(foreign.apiKey)).toBeUndefined()
    expect(directory.find(own.apiKey)?.active).toBe(true)
  })
})
