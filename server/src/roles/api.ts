import type { Auth } from '../auth/auth.ts'
import { KeyDirectory } from '../auth/key-directory.ts'
import { startMemoryNonceStore } from '../auth/nonce-store.ts'
import { redisNonceStore } from '../auth/nonce-store-redis.ts'
import type { MasterKeys } from '../auth/secrets.ts'
import { Verifier } from '../auth/verifier.ts'
import { storedWriteMark } from '../auth/write-mark.ts'
import type { Redis } from '../db/redis.ts'
import { openSendDesk } from '../delegation/send-desk.ts'
import type { JsonRpc } from '../http/dev-rpc.ts'
import type { Health } from '../http/health.ts'
import type { ServedProduct, Service, Venue } from '../http/product.ts'
import { DEFAULT_RATE_LIMIT, memoryRateLimiter } from '../http/rate-limit.ts'
import { redisRateLimiter } from '../http/rate-limit-redis.ts'
import { createServer, drain, listen } from '../http/server.ts'
import type { StreamLimits } from '../http/stream-source.ts'
import { sleep } from '../lib/clock.ts'
import { inTime } from '../lib/in-time.ts'
import { webhookServices } from '../push/services.ts'
import type { PushSettings } from '../push/variables.ts'
import { appConfig } from './app-config.ts'
import type { RunningProduct } from './products.ts'
import { reasonTables } from './reasons.ts'
import type { RoleContext } from './role.ts'

const DRAIN_GRACE_MS = 10_000
const SERVICE_RETRY_MS = 1000

export interface ApiOptions {
  readonly products: readonly RunningProduct[]
  readonly masterKeys: MasterKeys
  /** Shared by all api processes; null keeps nonces and limits in this process. */
  readonly redis: Redis | null
  readonly host: string
  readonly port: number
  readonly trustedProxies: readonly string[]
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Origins of pages that are the venue's own beside those of its host. */
  readonly origins: readonly string[]
  /** The folder of the app's files, and the development wallet of an embedded venue. */
  readonly app: { readonly folder: string | null; readonly devRpc: JsonRpc | null }
  readonly sessionMs: number
  readonly streamLimits: StreamLimits
  readonly push: PushSettings
  readonly health: Health
}

export interface RunningApi {
  readonly url: string
  readonly auth: Auth
  /** Stops accepting, answers what is in flight, then resolves. */
  close(): Promise<void>
}

/** The role api: serves HTTP from the tables. Any number of processes may run it when they share a Redis. */
export async function startApi({ venue }: Pick<RoleContext, 'venue'>, options: ApiOptions): Promise<RunningApi> {
  const { sql, clock, log } = venue
  const { redis } = options
  const keys = await KeyDirectory.start({ sql, masterKeys: options.masterKeys, log })
  const mark = storedWriteMark(sql)
  const nonces = await (redis ? redisNonceStore(redis, clock, mark) : startMemoryNonceStore(clock, mark))
  const verifier = new Verifier({ keys, nonces, clock })
  const desk = openSendDesk(venue)
  const auth = { verifier, keys, nonces, masterKeys: options.masterKeys }
  const served = options.products.map((product) => product.serve({ auth, desk }))
  const server = await createServer({
    mounts: served,
    venue,
    rateLimiter: redis
      ? redisRateLimiter(DEFAULT_RATE_LIMIT, redis, clock, log)
      : memoryRateLimiter(DEFAULT_RATE_LIMIT, clock),
    keyLimiter: (product, rule) =>
      redis ? redisRateLimiter(rule, redis, clock, log, `${product}:`) : memoryRateLimiter(rule, clock),
    trustedProxies: options.trustedProxies,
    origins: options.origins,
    app: { folder: options.app.folder, devRpc: options.app.devRpc, config: configOf(venue, served, options) },
    health: options.health,
    reasonTables: reasonTables(options.products),
    streams: {
      limits: options.streamLimits,
      isKeyLive: (caller) => keys.isLive(caller, clock.nowMs()),
    },
    ...(options.tls ? { tls: options.tls } : {}),
  })
  const stopping = new AbortController()
  const services = [
    ...served.flatMap((product) => product.services),
    ...webhookServices(options.masterKeys, options.push),
  ].map((service) => keepRunning(service, venue, stopping.signal))
  const url = await listen(server, { host: options.host, port: options.port })
  return {
    url,
    auth,
    async close() {
      await drain(server, DRAIN_GRACE_MS)
      stopping.abort()
      // A database that does not answer must not hold up the end.
      await inTime(Promise.all(services), DRAIN_GRACE_MS, 'ending the services').catch(() => {})
      await keys.close()
    },
  }
}

function configOf(venue: Venue, products: readonly ServedProduct[], { app, sessionMs }: ApiOptions): unknown {
  const isEmbedded = app.devRpc !== null
  return appConfig({ venue, products, isEmbedded, sessionMs })
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
