import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectRedis, type Redis } from '../db/redis.ts'
import { systemClock } from '../lib/clock.ts'
import { redisRateLimiter } from './rate-limit-redis.ts'

const url = process.env.REDIS_URL
if (!url) throw new Error('REDIS_URL must name a Redis server')
const log = pino({ level: 'silent' })
const run = promisify(execFile)

let redis: Redis

beforeAll(async () => {
  redis = await connectRedis(url, log)
})
afterAll(() => redis.close())

/** Another process that takes `count` requests of a client and prints how many were admitted. */
const OTHER_PROCESS = `
  import { pino } from 'pino'
  import { connectRedis } from ${JSON.stringify(join(import.meta.dirname, '../db/redis.ts'))}
  import { redisRateLimiter } from ${JSON.stringify(join(import.meta.dirname, 'rate-limit-redis.ts'))}
  const [url, client, limit, count] = process.argv.slice(1)
  const log = pino({ level: 'silent' })
  const redis = await connectRedis(url, log)
  const clock = { nowMs: () => Date.now() }
  const limiter = redisRateLimiter({ limit: Number(limit), windowMs: 60_000 }, redis, clock, log)
  const decisions = await Promise.all(Array.from({ length: Number(count) }, () => limiter.take(client)))
  console.log(decisions.filter((decision) => decision.allowed).length)
  await redis.close()`

describe('redisRateLimiter', () => {
  it('is one count for many processes', async () => {
    const client = randomUUID()
    const args = ['--input-type=module-typescript', '-e', OTHER_PROCESS, url, client, '500', '300']
    const outputs = await Promise.all(Array.from({ length: 3 }, () => run(process.execPath, args)))
    const admitted = outputs.map(({ stdout }) => Number(stdout))
    expect(admitted.reduce((sum, count) => sum + count, 0)).toBe(500)
  })

  it('counts what has another name apart: a key of a product is no address, and no key of another', async () => {
    const rule = { limit: 1, windowMs: 60_000 }
    const client = randomUUID()
    for (const name of ['', 'one:', 'other:']) {
      const [first, second] = [0, 1].map(() => redisRateLimiter(rule, redis, systemClock, log, name))
      expect(await first?.take(client)).toMatchObject({ allowed: true, remaining: 0 })
      expect(await second?.take(client)).toMatchObject({ allowed: false })
    }
  })

  it('says what is left and when the window ends, by the server', async () => {
    const limiter = redisRateLimiter({ limit: 2, windowMs: 60_000 }, redis, systemClock, log)
    const client = randomUUID()
    const key = `bourse:rate:${client}`
    expect(await limiter.take(client)).toEqual({ allowed: true, remaining: 1, resetSec: 60 })
    expect(await limiter.take(client)).toMatchObject({ allowed: true, remaining: 0 })
    await redis.pExpire(key, 30_500)
    // Refused requests do not prolong the window: what is left only shrinks, however long the asking takes.
    const beforeMs = await redis.pTTL(key)
    const refused = await limiter.take(client)
    const afterMs = await redis.pTTL(key)
    expect(refused).toMatchObject({ allowed: false, remaining: 0 })
    expect(refused.resetSec).toBeLessThanOrEqual(Math.ceil(beforeMs / 1000))
    expect(refused.resetSec).toBeGreaterThanOrEqual(Math.ceil(afterMs / 1000))
    expect(afterMs).toBeLessThanOrEqual(30_500)
    await redis.pExpire(key, 1)
    while (await redis.exists(key)) await delay(2)
    expect(await limiter.take(client)).toEqual({ allowed: true, remaining: 1, resetSec: 60 })
  })

  it('gives a count that has lost its end a new one', async () => {
    const limiter = redisRateLimiter({ limit: 2, windowMs: 60_000 }, redis, systemClock, log)
    const client = randomUUID()
    await limiter.take(client)
    await redis.persist(`bourse:rate:${client}`)
    expect(await limiter.take(client)).toEqual({ allowed: true, remaining: 0, resetSec: 60 })
    expect(await redis.pTTL(`bourse:rate:${client}`)).toBeGreaterThan(0)
  })

  it('counts in process while the server does not answer', async () => {
    const lost = await connectRedis(url, log)
    const limiter = redisRateLimiter({ limit: 2, windowMs: 60_000 }, lost, systemClock, log)
    lost.destroy()
    const client = randomUUID()
    const allowed = [await limiter.take(client), await limiter.take(client), await limiter.take(client)]
    expect(allowed.map((decision) => decision.allowed)).toEqual([true, true, false])
  })
})
