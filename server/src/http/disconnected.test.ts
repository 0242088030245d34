import { connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { afterEach, expect, it } from 'vitest'
import { AppError } from '../lib/errors.ts'
import type { Route } from './product.ts'
import { httpReasons } from './reasons.ts'
import { listen } from './server.ts'
import { testServer, WITH_KEY } from './testing.ts'

let app: FastifyInstance | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
})

const get = (path: string, handler: Route['handler']): Route => ({
  method: 'GET',
  path,
  summary: 'waits',
  access: 'READ_ONLY',
  schema: { data: Type.Any() },
  handler,
})

it('tells a handler that its client has gone away, and of one that stays nothing', async () => {
  const begun = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const answered: AbortSignal[] = []
  app = await testServer([
    get('/api/v1/slow', async ({ disconnected }) => {
      const signal = disconnected?.()
      signal?.addEventListener('abort', () => gone.resolve())
      begun.resolve()
      await gone.promise
    }),
    get('/api/v1/quick', async ({ disconnected }) => {
      if (disconnected) answered.push(disconnected())
    }),
  ])
  const url = new URL(await listen(app, { host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(url.port), url.hostname)
  socket.write('GET /svc/api/v1/slow HTTP/1.1\r\nhost: venue\r\nx-test-key: yes\r\n\r\n')
  await begun.promise
  socket.destroy()
  await gone.promise
  expect((await fetch(`${url.href}svc/api/v1/quick`, { headers: { ...WITH_KEY, connection: 'close' } })).status).toBe(
    200,
  )
  await app.close()
  expect(answered.map(({ aborted }) => aborted)).toEqual([false])
})

it('tells the client when to come again, where a failure knows', async () => {
  app = await testServer([
    get('/api/v1/later', async () => {
      throw new AppError(httpReasons.stopping, 'later', { retryAfterSec: 3 })
    }),
    get('/api/v1/never', async () => {
      throw new AppError(httpReasons.stopping, 'never')
    }),
  ])
  const of = async (path: string) => (await app?.inject({ url: `/svc/api/v1/${path}`, headers: WITH_KEY }))?.headers
  expect((await of('later'))?.['retry-after']).toBe('3')
  expect(await of('never')).not.toHaveProperty('retry-after')
})
