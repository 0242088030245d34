import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { checkEviction, keepWritable } from './redis.ts'

const log = pino({ level: 'silent' })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it.each(['allkeys-lru', 'volatile-lru', 'volatile-ttl'])(
  'refuses a server that may evict nonces: %s',
  async (policy) => {
    const server = { info: async () => `# Memory\r\nmaxmemory:100\r\nmaxmemory_policy:${policy}\r\nother:1\r\n` }
    await expect(checkEviction(server)).rejects.toThrow(`maxmemory-policy is ${policy}: set it to noeviction`)
  },
)

it('takes a server that evicts nothing', async () => {
  await expect(checkEviction({ info: async () => 'maxmemory_policy:noeviction\r\n' })).resolves.toBeUndefined()
})

it('takes no server that does not tell', async () => {
  await expect(checkEviction({ info: async () => '# Memory\r\n' })).rejects.toThrow('maxmemory-policy is not told')
})

it.each([
  ['READONLY You can’t write against a read only replica.', 1],
  ['OOM command not allowed when used memory > ‘maxmemory’.', 0],
])('connects anew where the server has become a replica: %s', async (answer, times) => {
  let [isOpen, connects] = [true, 0]
  const client = {
    get isOpen() {
      return isOpen
    },
    isReady: true,
    set: async () => {
      if (connects === 0) throw new Error(answer)
    },
    destroy: () => {},
    connect: async () => {
      connects++
    },
  }
  keepWritable(client, log)
  await vi.advanceTimersByTimeAsync(2000)
  expect(connects).toBe(times)
  isOpen = false
  await vi.advanceTimersByTimeAsync(1000)
})
