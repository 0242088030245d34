import type { Redis } from '../db/redis.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { decide, memoryRateLimiter, type RateLimiter, type RateLimitRule } from './rate-limit.ts'

const PREFIX = 'bourse:rate:'

/** Counts one request and answers the count and the milliseconds left, in one atomic step by the server's own clock. */
const TAKE = `
local count = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {count, left}`

/**
 * The limiter of many processes that share a Redis. While it does not answer, each process counts for itself: requests
 * stay limited, though N processes admit up to N times as many. `name` keeps one limiter's counts apart from another's.
 */
export function redisRateLimiter(rule: RateLimitRule, redis: Redis, clock: Clock, log: Logger, name = ''): RateLimiter {
  const alone = memoryRateLimiter(rule, clock)
  return {
    limit: rule.limit,
    async take(clientIp) {
      try {
        const options = { keys: [PREFIX + name + clientIp], arguments: [String(rule.windowMs)] }
        const [count, leftMs] = (await redis.eval(TAKE, options)) as [number, number]
        return decide(rule.limit, count, leftMs)
      } catch (err) {
        log.debug({ err }, 'rate limit counted in process')
        return alone.take(clientIp)
      }
    },
  }
}
