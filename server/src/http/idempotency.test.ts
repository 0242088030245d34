import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { type Idempotency, idempotent, readIdempotency } from './idempotency.ts'

const CHAIN_ID = 31_337
const request = (body = '{}', uri = '/api/v1/orders/send') => ({ method: 'POST', uri, rawBody: Buffer.from(body) })

describe('readIdempotency', () => {
  const hashOf = (...args: Parameters<typeof request>) => readIdempotency('k', request(...args))?.requestHash

  it('takes 1 to 255 visible ASCII characters, once', () => {
    expect(readIdempotency(undefined, request())).toBeNull()
    expect(readIdempotency('x'.repeat(255), request())).toMatchObject({ replayed: false })
    for (const bad of ['', 'x'.repeat(256), 'a b', 'a, b', 'é', ['a', 'b']]) {
      expect(() => readIdempotency(bad, request())).toThrow(/1 to 255 visible ASCII/)
    }
  })

  it('tells requests apart by method, path, query and every byte of the body', () => {
    const forms = [
      hashOf(),
      hashOf('{ }'),
      hashOf('{}', '/api/v1/orders/tx'),
      hashOf('{}', '/api/v1/orders/send?gasLimit=1'),
      hashOf('{}', '/api/v1/orders/send?gasLimit=2'),
      readIdempotency('k', { ...request(), method: 'DELETE' })?.requestHash,
    ]
    expect(new Set(forms).size).toBe(forms.length)
    expect(hashOf('', '/p?a=1&b=2')).toBe(hashOf('', '/p?b=2&a=1'))
  })
})

describe('idempotent', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await testDatabase()
    await database.sql`create table things (id bigint generated always as identity, name text unique)`
  })
  afterEach(() => database.drop())

  const caller = (keyId = 'key') => ({ keyId, access: 'WRITABLE', userAddress: null }) as const
  const keyed = (key: string, requestHash = 'h'): Idempotency => ({ key, requestHash, replayed: false })
  const things = async () => (await database.sql`select name from things order by id`).map(({ name }) => name)

  /** Stores a thing for a request; `prepare` may refuse. */
  const make = (
    name: string,
    idempotency?: Idempotency,
    keyId?: string,
    prepare: () => Promise<void> = async () => {},
  ) =>
    idempotent(
      database.sql,
      CHAIN_ID,
      { caller: caller(keyId), ...(idempotency ? { idempotency } : {}) },
      {
        prepare,
        async store(tx) {
          const [row] = await tx<{ id: bigint }[]>`insert into things (name) values (${name}) returning id`
          return { id: String(row?.id) }
        },
      },
    )

  it('stores anew for every request without a key', async () => {
    expect(await make('a')).not.toEqual(await make('b'))
    expect(await things()).toEqual(['a', 'b'])
  })

  it('gives a repeat what the first request stored, without checking or storing again', async () => {
    const first = keyed('k')
    const stored = await make('a', first)
    const repeat = keyed('k')
    const refuse = async () => {
      throw new Error('not checked again')
    }
    expect(await make('b', repeat, 'key', refuse)).toEqual(stored)
    expect([first.replayed, repeat.replayed]).toEqual([false, true])
    expect(await things()).toEqual(['a'])
  })

  it('refuses another request under the same key, and changes nothing', async () => {
    await make('a', keyed('k'))
    await expect(make('b', keyed('k', 'other'))).rejects.toMatchObject({ reason: { name: 'idempotency_key_reused' } })
    expect(await things()).toEqual(['a'])
  })

  it('keeps the keys of different API keys apart', async () => {
    await make('a', keyed('k'), 'key 1')
    await make('b', keyed('k'), 'key 2')
    expect(await things()).toEqual(['a', 'b'])
  })

  it('keeps nothing of a request that is refused, by its checks or while it stores', async () => {
    const refuse = async () => {
      throw new Error('refused')
    }
    await expect(make('a', keyed('k'), 'key', refuse)).rejects.toThrow('refused')
    await make('a')
    await expect(make('a', keyed('k'))).rejects.toThrow(/unique/)
    expect(await database.sql`select 1 from idempotency_records`).toHaveLength(0)
    await make('b', keyed('k', 'another request now'))
    expect(await things()).toEqual(['a', 'b'])
  })

  it('stores once for 50 requests at once', async () => {
    const keys = Array.from({ length: 50 }, () => keyed('k'))
    const results = await Promise.all(keys.map((key, index) => make(`thing ${index}`, key)))
    expect(new Set(results.map(({ id }) => id)).size).toBe(1)
    expect(keys.filter(({ replayed }) => replayed)).toHaveLength(49)
    expect(await things()).toHaveLength(1)
  })

  it('lets one of two different requests at once win', async () => {
    const outcomes = await Promise.allSettled([make('a', keyed('k', '1')), make('b', keyed('k', '2'))])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await things()).toHaveLength(1)
  })

  it('answers a repeat whose checks fail because of what the first request has done meanwhile', async () => {
    const repeat = keyed('k')
    const outdone = make('b', repeat, 'key', async () => {
      await make('a', keyed('k'))
      throw new Error('already done')
    })
    expect(await outdone).toEqual({ id: '1' })
    expect(repeat.replayed).toBe(true)
    expect(await things()).toEqual(['a'])
  })
})
