import type { IncomingMessage } from 'node:http'
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import { isTransientDatabaseError } from '../db/transient.ts'
import { TimeLimitError } from '../lib/in-time.ts'
import type { Logger } from '../lib/logger.ts'
import { shared } from '../lib/shared.ts'

const ELSEWHERE = 'served on HEALTH_PORT, and here to this machine alone'

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
 * tools. The last two show what is nobody else's business, and ask the database for it.
 *
 * @param showsFigures whether whoever sends the request may see these two
 */
export function healthRoutes(
  app: FastifyInstance,
  health: Health,
  log: Logger,
  showsFigures: (request: IncomingMessage) => boolean,
): void {
  // Of many that ask at once, each gets what the first is told.
  const collected = shared(() => health.metrics.metrics())
  const onRequest = async ({ raw }: FastifyRequest, reply: FastifyReply) => {
    if (!showsFigures(raw)) return reply.code(404).send({ error: ELSEWHERE })
  }
  app.setErrorHandler((err, request, reply) => {
    const { statusCode = 500, message } = err as Partial<FastifyError>
    // Of the request itself, such as a body of no known type: whoever sends it is told, and fills no log.
    if (statusCode < 500) return reply.code(statusCode).send({ error: message })
    log.error({ err, url: request.url }, 'a health endpoint failed')
    if (err instanceof TimeLimitError || isTransientDatabaseError(err))
      return reply.code(503).send({ error: 'the database does not answer' })
    return reply.code(500).send({ error: 'internal error' })
  })
  for (const alive of ['/livez', '/healthz']) app.get(alive, async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const reasons = await health.notReady()
    return reply.code(reasons.length === 0 ? 200 : 503).send({ ready: reasons.length === 0, reasons })
  })
  app.get('/status', { onRequest }, async () => health.status())
  app.get('/metrics', { onRequest }, async (_request, reply) => {
    return reply.header('content-type', health.metrics.contentType).send(await collected())
  })
}

/** A server of these endpoints alone, for a process that serves no API or keeps its figures away from that port. */
export function createHealthServer(health: Health, log: Logger): FastifyInstance {
  const app = Fastify({ logger: false })
  healthRoutes(app, health, log, () => true)
  return app
}
