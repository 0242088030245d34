import type { Redis } from '../db/redis.ts'
import type { Access } from '../http/caller.ts'
import type { Clock } from '../lib/clock.ts'
import { NONCE_LIFE_MS, NonceMemoryError, type NonceStore } from './nonce-store.ts'
import type { WriteMark } from './write-mark.ts'

const PREFIX = 'bourse:nonce:'
/** Which run of a server the nonces were taken in, and from which timestamps on they are known. */
const MEMORY_KEY = `${PREFIX}memory`
const FROM_FIELDS: Readonly<Record<Access, string>> = { READ_ONLY: 'readsFrom', WRITABLE: 'writesFrom' }

/**
 * A server that was started anew, and a replica that takes over, may lack the nonces of the last moment and have kept the rest.
 * Either has another run id than the one under which the nonces were taken.
 */
const RUN = `local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')`

/** Takes KEYS[2] if it is new: 1, else 0. -1 for a timestamp that is too early. The run id, and nothing is taken, in a run without memory. */
const CONSUME = `
${RUN}
local memory = redis.call('HMGET', KEYS[1], 'run', ARGV[1])
if memory[1] ~= run then return run end
if not KEYS[2] then return 0 end
if tonumber(ARGV[2]) < tonumber(memory[2]) then return -1 end
return redis.call('SET', KEYS[2], '', 'NX', 'PX', ARGV[3]) and 1 or 0`

/**
 * Begins to remember in the run ARGV[1], reads from ARGV[2] and writes from ARGV[3] on, unless another process has or the server is in the
 * next run already.
 */
const BEGIN = `
${RUN}
if run ~= ARGV[1] or redis.call('HGET', KEYS[1], 'run') == run then return end
redis.call('HSET', KEYS[1], 'run', run, 'readsFrom', ARGV[2], 'writesFrom', ARGV[3])`

/**
 * Nonces shared by all processes that use the same Redis. Its eviction policy must be `noeviction` (the default). When it
 * does not answer, `consume` rejects and no request is let in: replay protection never lapses silently.
 */
export async function redisNonceStore(redis: Redis, clock: Clock, mark: WriteMark): Promise<NonceStore> {
  /** What the script says, in a run that has a memory. */
  async function consumed(keys: string[], values: string[]): Promise<unknown> {
    const answer = await redis.eval(CONSUME, { keys, arguments: values })
    if (typeof answer !== 'string') return answer
    // Read once the run is known: whatever was let in before it began is below the mark.
    const lostBelowMs = await mark.read()
    // By the clock that judges timestamps; the one of Redis' host says nothing about them.
    const nowMs = clock.nowMs()
    const writesFromMs = Math.max(nowMs, lostBelowMs)
    await redis.eval(BEGIN, { keys: [MEMORY_KEY], arguments: [answer, String(nowMs), String(writesFromMs)] })
    const again = await redis.eval(CONSUME, { keys, arguments: values })
    if (typeof again === 'string') throw new Error('Redis was started anew while the nonces were begun anew')
    return again
  }

  await consumed([MEMORY_KEY], [FROM_FIELDS.READ_ONLY])
  return {
    async consume(apiKey, nonce, timestampMs, access) {
      if (access === 'WRITABLE') await mark.cover(timestampMs)
      const keys = [MEMORY_KEY, `${PREFIX}${apiKey}:${nonce}`]
      const taken = await consumed(keys, [FROM_FIELDS[access], String(timestampMs), String(NONCE_LIFE_MS)])
      if (taken === -1) throw new NonceMemoryError()
      return taken === 1
    },
    probe: (apiKey, nonce) => redis.exists(`${PREFIX}${apiKey}:${nonce}`),
  }
}
