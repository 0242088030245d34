import { setImmediate } from 'node:timers/promises'
import { sleep } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'

/** A server that leaves a write unanswered for longer counts as gone, and what waits for it fails. */
const SILENCE_LIMIT_MS = 1000
const SILENCE_STEPS = 5
const CHECK_INTERVAL_MS = 400
const CONNECT_TIMEOUT_MS = 1000
const MAX_RECONNECT_DELAY_MS = 1000

const TRIED_KEY = 'bourse:tried'
const TRIED_MS = 1000

export type Redis = Awaited<ReturnType<typeof connectRedis>>

/**
 * A connection to Redis or Valkey (REDIS_URL). Rejects when the server does not answer at the start, or may evict what it
 * holds. A connection lost later is made again in the background; meanwhile commands fail at once instead of waiting in a queue. Close it with
 * `close()`, or `destroy()` to drop what is under way.
 */
export async function connectRedis(url: string, log: Logger) {
  // Seven hundred modules, for whoever has a Redis: a venue without one starts a sixth of a second sooner.
  const { createClient } = await import('redis')
  let connected = false
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries, cause) => (connected ? Math.min(50 * 2 ** retries, MAX_RECONNECT_DELAY_MS) : cause),
    },
  })
  client.on('error', (err) => log.warn({ err }, 'Redis does not answer'))
  await client.connect().catch((error: { readonly originalError?: unknown }) => {
    // The socket's own, without what the client makes of it.
    throw error.originalError ?? error
  })
  try {
    await checkEviction(client)
  } catch (error) {
    client.destroy()
    throw error
  }
  connected = true
  // Another server may have the name by now.
  client.on('ready', () => {
    checkEviction(client).catch((err) => log.error({ err }, 'Redis may evict nonces, and requests be replayed'))
  })
  keepWritable(client, log)
  return client
}

/** Rejects unless the server evicts nothing: a nonce that made room could be taken again. */
export async function checkEviction(redis: { info(section: string): Promise<string> }): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy === 'noeviction') return
  throw new Error(
    `REDIS_URL: maxmemory-policy is ${policy ?? 'not told'}: set it to noeviction, nonces must not be evicted`,
  )
}

export interface WritableRedis {
  set(key: string, value: string, options: { readonly PX: number }): Promise<unknown>
}

/** Rejects when the server takes no write: it is away, full, or a replica. */
export const tryWrite = (redis: WritableRedis): Promise<unknown> => redis.set(TRIED_KEY, '', { PX: TRIED_MS })

interface Connection extends WritableRedis {
  readonly isOpen: boolean
  readonly isReady: boolean
  destroy(): void
  connect(): Promise<unknown>
}

/**
 * A hung server keeps its connection open, and a socket timeout never comes while commands are still being written. One
 * write at a time finds out; a time limit on each command would cost several times the command itself. One that was made a replica keeps it
 * open too, and the name leads to another one by now.
 */
export function keepWritable(client: Connection, log: Logger): void {
  let checking = false
  const timer = setInterval(async () => {
    if (!client.isOpen) return clearInterval(timer)
    if (checking || !client.isReady) return
    checking = true
    const fault = await Promise.race([faultOf(tryWrite(client)), silence().then(() => 'silent' as const)])
    if (fault !== null && client.isOpen) {
      log.warn(`Redis is ${fault}: connecting anew`)
      client.destroy()
      client.connect().catch((err) => log.warn({ err }, 'Redis does not answer'))
    }
    checking = false
  }, CHECK_INTERVAL_MS)
  timer.unref()
}

/** Ends after the limit, in steps: a process that was itself held up reads what has come meanwhile before it judges. */
async function silence(): Promise<void> {
  for (let step = 0; step < SILENCE_STEPS; step++) await sleep(SILENCE_LIMIT_MS / SILENCE_STEPS)
  await setImmediate()
}

/** Any other failure is an answer: the client has noticed by itself, or the server is full. */
async function faultOf(write: Promise<unknown>): Promise<'a replica' | null> {
  try {
    await write
    return null
  } catch (error) {
    return error instanceof Error && error.message.startsWith('READONLY') ? 'a replica' : null
  }
}
