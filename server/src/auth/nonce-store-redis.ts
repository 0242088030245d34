import type { Redis } from '../db/redis.ts'
import type { Clock } from '../lib/clock.ts'
import { NonceMemoryError, type NonceStore, TIMESTAMP_WINDOW_MS } from './nonce-store.ts'

/** Processes' clocks may differ by this much without a nonce being forgotten too early. */
const CLOCK_SLACK_MS = 5000
const PREFIX = 'bourse:nonce:'
/** The time since which the server remembers nonces. It is lost with them when the server loses its memory. */
const SINCE_KEY = `${PREFIX}since`

/** Takes KEYS[2] if it is new: 1, else 0. -1 for a timestamp from before the server's memory began. */
const CONSUME = `
local since = redis.call('GET', KEYS[1])
if not since then
  local time = redis.call('TIME')
  since = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('SET', KEYS[1], string.format('%.0f', since))
end
if not KEYS[2] then return 0 end
if tonumber(ARGV[1]) < tonumber(since) then return -1 end
return redis.call('SET', KEYS[2], '', 'NX', 'PX', ARGV[2]) and 1 or 0`

/**
 * Nonces shared by all processes that use the same Redis. Its eviction policy must be `noeviction` (the default). When it
 * does not answer, `consume` rejects and no request is let in: replay protection never lapses silently.
 */
export async function redisNonceStore(redis: Redis, clock: Clock): Promise<NonceStore> {
  await redis.eval(CONSUME, { keys: [SINCE_KEY], arguments: [] })
  return {
    async consume(apiKey, nonce, timestampMs) {
      const lifeMs = Math.max(1, timestampMs + TIMESTAMP_WINDOW_MS - clock.nowMs()) + CLOCK_SLACK_MS
      const keys = [SINCE_KEY, `${PREFIX}${apiKey}:${nonce}`]
      const taken = await redis.eval(CONSUME, { keys, arguments: [String(timestampMs), String(lifeMs)] })
      if (taken === -1) throw new NonceMemoryError()
      return taken === 1
    },
    probe: (apiKey, nonce) => redis.exists(`${PREFIX}${apiKey}:${nonce}`),
  }
}
