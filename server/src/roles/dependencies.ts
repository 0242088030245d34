import type { Probe } from '../db/probe.ts'
import { tryWrite, type WritableRedis } from '../db/redis.ts'
import type { Venue } from '../http/product.ts'
import { inTime } from '../lib/in-time.ts'

/** What a process cannot work without. A dependency that has not answered by then counts as down. */
export const DEPENDENCY_LIMIT_MS = 1000

export interface Dependency {
  /** As the metric and /readyz name it. */
  readonly name: string
  /** Rejects, or does not end, while it is down. */
  check(): Promise<unknown>
}

export interface DependencyState {
  readonly name: string
  readonly up: boolean
}

/** What this process stands on: PostgreSQL, the chain node and, where there is one, Redis. */
export const dependenciesOf = (venue: Venue, probe: Probe, redis: WritableRedis | null): Dependency[] => [
  { name: 'postgresql', check: () => probe.ask((sql) => sql`select 1`) },
  ...(redis ? [{ name: 'redis', check: () => tryWrite(redis) }] : []),
  { name: 'chain', check: () => venue.rpc.call('eth_chainId', [], { timeoutMs: DEPENDENCY_LIMIT_MS }) },
]

/** Asks all of them at once. */
export const checkDependencies = (dependencies: readonly Dependency[]): Promise<DependencyState[]> =>
  Promise.all(
    dependencies.map(async ({ name, check }) => ({
      name,
      up: await inTime(check(), DEPENDENCY_LIMIT_MS, name).then(
        () => true,
        () => false,
      ),
    })),
  )
