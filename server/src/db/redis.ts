import { setImmediate } from 'node:timers/promises'
import { sleep } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'

/** A server that leaves a ping unanswered for longer counts as gone, and what waits for it fails. */
const SILENCE_LIMIT_MS = 1000
const SILENCE_STEPS = 5
const CHECK_INTERVAL_MS = 400
const CONNECT_TIMEOUT_MS = 1000
const MAX_RECONNECT_DELAY_MS = 1000

export type Redis = Awaited<ReturnType<typeof connectRedis>>

/**
 * A connection to Redis or Valkey (REDIS_URL). Rejects when the server does not answer at the start. A connection lost later
 * is made again in the background; meanwhile commands fail at once instead of waiting in a queue. Close it with
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
  await client.connect()
  connected = true
  dropWhenSilent(client, log)
  return client
}

interface Connection {
  readonly isOpen: boolean
  readonly isReady: boolean
  ping(): Promise<unknown>
  destroy(): void
  connect(): Promise<unknown>
}

/**
 * A hung server keeps its connection open, and a socket timeout never comes while commands are still being written. One
 * ping at a time finds out; a time limit on each command would cost several times the command itself.
 */
function dropWhenSilent(client: Connection, log: Logger): void {
  let checking = false
  const timer = setInterval(async () => {
    if (!client.isOpen) return clearInterval(timer)
    if (checking || !client.isReady) return
    checking = true
    const answered = await Promise.race([isAnswered(client.ping()), silence().then(() => false)])
    if (!answered && client.isOpen) {
      log.warn('Redis is silent: connecting anew')
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

/** A failed ping is an answer: the client has noticed by itself. */
async function isAnswered(ping: Promise<unknown>): Promise<boolean> {
  await ping.catch(() => {})
  return true
}
