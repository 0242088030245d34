import { KeyDirectory } from '../auth/key-directory.ts'
import { memoryNonceStore } from '../auth/nonce-store.ts'
import { redisNonceStore } from '../auth/nonce-store-redis.ts'
import type { MasterKeys } from '../auth/secrets.ts'
import { Verifier } from '../auth/verifier.ts'
import type { Redis } from '../db/redis.ts'
import type { Product, Scheme, Service, Venue } from '../http/product.ts'
import { DEFAULT_RATE_LIMIT, memoryRateLimiter } from '../http/rate-limit.ts'
import { redisRateLimiter } from '../http/rate-limit-redis.ts'
import { createServer, drain, listen } from '../http/server.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from '../http/stream-source.ts'
import { sleep } from '../lib/clock.ts'
import { watchVenue } from './gauges.ts'
import { HEALTH_GAUGES } from './health-metrics.ts'
import { reasonTables } from './reasons.ts'
import type { RoleContext } from './role.ts'
import { notReady, venueStatus } from './status.ts'
import { RISK_GAUGES } from './venue-metrics.ts'

const DRAIN_GRACE_MS = 10_000
const SERVICE_RETRY_MS = 1000

/** A product with its place in the server and its way of knowing callers. */
export interface MountedProduct {
  readonly product: Product<never>
  readonly prefix: string
  readonly owns: string
  scheme(verifier: Verifier): Scheme
  /** What this process does for it beside answering. */
  services(masterKeys: MasterKeys): readonly Service[]
}

export interface ApiOptions {
  readonly products: readonly MountedProduct[]
  readonly masterKeys: MasterKeys
  /** Shared by all api processes; null keeps nonces and limits in this process. */
  readonly redis: Redis | null
  readonly host: string
  readonly port: number
  readonly trustedProxies: readonly string[]
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly streamLimits?: StreamLimits
}

export interface RunningApi {
  readonly url: string
  /** Stops accepting, answers what is in flight, then resolves. */
  close(): Promise<void>
}

/** The role api: serves HTTP from the tables. Any number of processes may run it when they share a Redis. */
export async function startApi({ venue, metrics }: RoleContext, options: ApiOptions): Promise<RunningApi> {
  const { sql, clock, log } = venue
  const { redis } = options
  watchVenue(metrics, venue, [...HEALTH_GAUGES, ...RISK_GAUGES])
  const keys = await KeyDirectory.start({ sql, masterKeys: options.masterKeys, log })
  const nonces = redis ? await redisNonceStore(redis, clock) : memoryNonceStore(clock)
  const verifier = new Verifier({ keys, nonces, clock })
  const server = await createServer({
    mounts: options.products.map(({ scheme, services: _, ...mount }) => ({ ...mount, scheme: scheme(verifier) })),
    venue,
    rateLimiter: redis
      ? redisRateLimiter(DEFAULT_RATE_LIMIT, redis, clock, log)
      : memoryRateLimiter(DEFAULT_RATE_LIMIT, clock),
    trustedProxies: options.trustedProxies,
    health: { notReady: () => notReady(venue), status: () => venueStatus(venue), metrics },
    reasonTables: reasonTables(options.products.map(({ product }) => product)),
    streams: {
      limits: options.streamLimits ?? DEFAULT_STREAM_LIMITS,
      isKeyLive: ({ keyId }) => keys.isLive(keyId, clock.nowMs()),
    },
    ...(options.tls ? { tls: options.tls } : {}),
  })
  const stopping = new AbortController()
  const services = options.products
    .flatMap((product) => product.services(options.masterKeys))
    .map((service) => keepRunning(service, venue, stopping.signal))
  const url = await listen(server, { host: options.host, port: options.port })
  return {
    url,
    async close() {
      await drain(server, DRAIN_GRACE_MS)
      stopping.abort()
      // A database that does not answer must not hold up the end.
      await Promise.race([Promise.all(services), sleep(DRAIN_GRACE_MS)])
      await keys.close()
    },
  }
}

/** A service that fails is started again: it must not end the process that answers requests. */
async function keepRunning(service: Service, venue: Venue, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await service.run(venue, signal)
    } catch (err) {
      venue.log.error({ err, service: service.name }, 'a service of the role api failed and is started again')
      await sleep(SERVICE_RETRY_MS, signal)
    }
  }
}
