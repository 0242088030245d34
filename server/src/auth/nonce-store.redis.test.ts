import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectRedis, type Redis } from '../db/redis.ts'
import { startWire } from '../db/testing-wire.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { NonceMemoryError, type NonceStore } from './nonce-store.ts'
import { redisNonceStore } from './nonce-store-redis.ts'
import { memoryMark } from './testing-mark.ts'

if (!process.env.REDIS_URL) throw new Error('REDIS_URL must name a Redis server')
/** A database of its own, since one test makes the server forget since when it remembers. */
const DATABASE = 15
const url = new URL(`/${DATABASE}`, process.env.REDIS_URL).href
const log = pino({ level: 'silent' })

/** As a Redis of its own would have one. */
let mark = memoryMark()
let redis: Redis
let store: NonceStore
const key = `test-${randomUUID()}`

/** The mark outlives a memory, and one of an earlier run would refuse what comes after a test's loss. */
beforeEach(async () => {
  mark = memoryMark()
  await redis.del('bourse:nonce:memory')
  store = await redisNonceStore(redis, systemClock, mark)
  await delay(2)
})
beforeAll(async () => {
  redis = await connectRedis(url, log)
})
afterAll(() => redis.close())

describe('redisNonceStore', () => {
  it('takes a nonce once for each key', async () => {
    const nowMs = Date.now() + 1
    expect(await store.consume(key, 'n', nowMs, 'WRITABLE')).toBe(true)
    expect(await store.consume(key, 'n', nowMs, 'WRITABLE')).toBe(false)
    expect(await store.consume(`${key}-other`, 'n', nowMs, 'WRITABLE')).toBe(true)
  })

  it('is shared: of many processes, one gets the nonce', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, () => connectRedis(url, log)))
    const stores = await Promise.all(others.map((connection) => redisNonceStore(connection, systemClock, mark)))
    for (let round = 0; round < 50; round++) {
      const nowMs = Date.now()
      const taken = await Promise.all(stores.map((one) => one.consume(key, `round ${round}`, nowMs, 'WRITABLE')))
      expect(taken.filter(Boolean)).toHaveLength(1)
    }
    for (const connection of others) await connection.close()
  })

  it('holds 10,000 nonces apart', async () => {
    const timestampMs = Date.now() + 40_000
    // A few at once: an answer that has thousands before it looks like a server's silence to the connection.
    const taken = async () => {
      let count = 0
      for (let from = 0; from < 10_000; from += 100) {
        const some = Array.from({ length: 100 }, (_, i) =>
          store.consume(key, `many ${from + i}`, timestampMs, 'WRITABLE'),
        )
        count += (await Promise.all(some)).filter(Boolean).length
      }
      return count
    }
    expect([await taken(), await taken()]).toEqual([10_000, 0])
  })

  it.each([
    ['right', 0],
    ['59 s ahead', 59_000],
    ['59 s behind', -59_000],
  ])('keeps a nonce that a clock which is %s takes for as long as a right clock accepts it', async (_how, aheadMs) => {
    const one = await redisNonceStore(redis, { nowMs: () => Date.now() + aheadMs }, mark)
    for (const fromNowMs of [-45_000, 0, 45_000]) {
      const nonce = `${aheadMs} ${fromNowMs}`
      const timestampMs = Date.now() + aheadMs + fromNowMs
      // Below the clock of the store's beginning, as a request of that age is once the store has been there for long.
      await redis.hSet('bourse:nonce:memory', { readsFrom: '0', writesFrom: '0' })
      expect(await one.consume(key, nonce, timestampMs, 'WRITABLE')).toBe(true)
      const acceptedForMs = timestampMs + 45_000 - Date.now()
      expect(await redis.pTTL(`bourse:nonce:${key}:${nonce}`)).toBeGreaterThanOrEqual(acceptedForMs)
      if (acceptedForMs > 0) expect(await store.consume(key, nonce, timestampMs, 'WRITABLE')).toBe(false)
    }
  })

  it('takes nothing by a probe', async () => {
    await store.probe(key, 'probed')
    expect(await store.consume(key, 'probed', Date.now(), 'WRITABLE')).toBe(true)
  })

  it('cannot judge timestamps from before the server began to remember, as after it came back empty', async () => {
    await delay(2)
    const beforeMs = Date.now()
    await redis.del('bourse:nonce:memory')
    await expect(store.consume(key, 'after a loss', beforeMs - 1000, 'WRITABLE')).rejects.toThrow(NonceMemoryError)
    await delay(2)
    expect(await store.consume(key, 'after a loss', Date.now(), 'WRITABLE')).toBe(true)
  })

  it('asks no clock but that of the processes, which judges timestamps, since when it remembers', async () => {
    // By this clock the one of Redis' own host is five minutes ahead.
    const behind: Clock = { nowMs: () => Date.now() - 300_000 }
    await redis.del('bourse:nonce:memory')
    const one = await redisNonceStore(redis, behind, mark)
    await delay(2)
    expect(await one.consume(key, 'write after a start', behind.nowMs(), 'WRITABLE')).toBe(true)
    expect(await one.consume(key, 'read after a start', behind.nowMs(), 'READ_ONLY')).toBe(true)
  })

  /** As after a crash that lost the last second, or on a replica that took over: all is there but the newest nonce. */
  const losesTheNewest = async (nonce: string) => {
    await redis.del(`bourse:nonce:${key}:${nonce}`)
    await redis.hSet('bourse:nonce:memory', 'run', '0'.repeat(40))
  }

  it('lets no write in twice when the server has come back without its newest nonces', async () => {
    const timestampMs = Date.now() + 20_000
    expect(await store.consume(key, 'newest', timestampMs, 'WRITABLE')).toBe(true)
    await losesTheNewest('newest')
    await expect(store.consume(key, 'newest', timestampMs, 'WRITABLE')).rejects.toThrow(NonceMemoryError)
    // Nor by a process that is started then, nor later.
    const other = await redisNonceStore(redis, systemClock, mark)
    await expect(other.consume(key, 'newest', timestampMs, 'WRITABLE')).rejects.toThrow(NonceMemoryError)
    expect(await store.consume(key, 'next', timestampMs + 5000, 'WRITABLE')).toBe(true)
    expect(await store.consume(key, 'read', Date.now() + 1, 'READ_ONLY')).toBe(true)
  })

  it('lets writes of a right clock in again a second after such a loss', async () => {
    const nowMs = Date.now()
    expect(await store.consume(key, 'last', nowMs, 'WRITABLE')).toBe(true)
    await losesTheNewest('last')
    await expect(store.consume(key, 'last', nowMs, 'WRITABLE')).rejects.toThrow(NonceMemoryError)
    expect(await store.consume(key, 'a second later', nowMs + 1001, 'WRITABLE')).toBe(true)
  })

  it('rejects when the server does not answer', async () => {
    const lost = await connectRedis(url, log)
    const orphan = await redisNonceStore(lost, systemClock, mark)
    lost.destroy()
    await expect(orphan.consume(key, 'lost', Date.now(), 'WRITABLE')).rejects.toThrow()
    await expect(orphan.probe(key, 'lost')).rejects.toThrow()
  })

  it('rejects within seconds when the server hangs, and works again when it returns', async () => {
    const wire = await startWire(url)
    const connection = await connectRedis(wire.url, log)
    const far = await redisNonceStore(connection, systemClock, mark)
    // A future time, so that it is remembered for as long as the rest of this may take.
    expect(await far.consume(key, 'before', Date.now() + 40_000, 'WRITABLE')).toBe(true)
    wire.hang(true)
    // Writing goes on all the while, so that the socket itself never seems idle.
    const writing = setInterval(
      () => void Promise.resolve(far.consume(key, 'more', Date.now(), 'WRITABLE')).catch(() => {}),
      20,
    )
    await expect(far.consume(key, 'during', Date.now(), 'WRITABLE')).rejects.toThrow()
    clearInterval(writing)
    wire.hang(false)
    while (!connection.isReady) await delay(20)
    expect(await far.consume(key, 'before', Date.now(), 'WRITABLE')).toBe(false)
    expect(await far.consume(key, 'after', Date.now(), 'WRITABLE')).toBe(true)
    connection.destroy()
    await wire.close()
  })

  it('does not start without a server', async () => {
    await expect(connectRedis('redis://127.0.0.1:1', log)).rejects.toThrow()
  })
})
