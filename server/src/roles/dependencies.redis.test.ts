import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Probe } from '../db/probe.ts'
import { connectRedis, type Redis } from '../db/redis.ts'
import { startWire, type Wire } from '../db/testing-wire.ts'
import type { Venue } from '../http/product.ts'
import { testVenue } from '../http/testing.ts'
import { checkDependencies, type Dependency, dependenciesOf } from './dependencies.ts'

if (!process.env.REDIS_URL) throw new Error('REDIS_URL must name a Redis server')

let wire: Wire
let redis: Redis
let dependencies: readonly Dependency[]
beforeAll(async () => {
  wire = await startWire(process.env.REDIS_URL as string)
  redis = await connectRedis(wire.url, pino({ level: 'silent' }))
  const venue = testVenue({ rpc: { call: async () => '0x1' } as unknown as Venue['rpc'] })
  const probe: Probe = { ask: async () => [] as never, close: async () => {} }
  dependencies = dependenciesOf(venue, probe, redis)
})
afterAll(async () => {
  redis.destroy()
  await wire.close()
})

it('a Redis that answers and takes no write, being full or a replica, is down', async () => {
  const answering = {
    ping: async () => 'PONG',
    set: async () => {
      throw new Error('OOM command not allowed')
    },
  }
  const probe: Probe = { ask: async () => [] as never, close: async () => {} }
  const venue = testVenue({ rpc: { call: async () => '0x1' } as unknown as Venue['rpc'] })
  const states = await checkDependencies(dependenciesOf(venue, probe, answering))
  expect(states.map(({ name, up }) => [name, up])).toContainEqual(['redis', false])
})

const redisIsUp = async () => (await checkDependencies(dependencies)).find(({ name }) => name === 'redis')?.up

it.each([
  ['hangs', async () => wire.hang(true), async () => wire.hang(false)],
  ['is cut off', () => wire.cut(true), () => wire.cut(false)],
] as const)('a Redis that %s is down, and up again after it', async (_how, begin, end) => {
  expect(await redisIsUp()).toBe(true)
  await begin()
  await expect.poll(redisIsUp, { timeout: 10_000 }).toBe(false)
  await end()
  await expect.poll(redisIsUp, { timeout: 20_000 }).toBe(true)
})
