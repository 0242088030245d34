import Fastify, { type FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { TimeLimitError } from '../lib/in-time.ts'
import type { Logger } from '../lib/logger.ts'

/** What the health endpoints report, supplied by whoever starts the server. */
export interface Health {
  /** Why the process cannot serve yet, or no longer; empty when it is ready. */
  notReady(): Promise<readonly string[]>
  /** Indexed block, lag, relayer and keeper health, for people. */
  status(): Promise<unknown>
  readonly metrics: Registry
}

/**
 * `/livez` (also `/healthz`), `/readyz`, `/status`, `/metrics`: without a key and without a rate limit, for the operator's own
 * tools.
 */
export function healthRoutes(app: FastifyInstance, health: Health, log: Logger): void {
  app.setErrorHandler((err, request, reply) => {
    log.error({ err, url: request.url }, 'a health endpoint failed')
    if (err instanceof TimeLimitError) return reply.code(503).send({ error: 'the database does not answer' })
    return reply.code(500).send({ error: 'internal error' })
  })
  for (const alive of ['/livez', '/healthz']) app.get(alive, async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const reasons = await health.notReady()
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons })
  })
  app.get('/status', async () => health.status())
  app.get('/metrics', async (_request, reply) => {
    return reply.header('content-type', health.metrics.contentType).send(await health.metrics.metrics())
  })
}

/** A server of these endpoints alone, for a process that serves no API or keeps its figures away from that port. */
export function createHealthServer(health: Health, log: Logger): FastifyInstance {
  const app = Fastify({ logger: false })
  healthRoutes(app, health, log)
  return app
}
