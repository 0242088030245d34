import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'

/** The app of traders and operators, as this server serves it. */
export interface AppFiles {
  /** The folder that its build wrote; where there is none, only its configuration is served. */
  readonly folder: string | null
  /** What a page has to know of the venue; no secrets. */
  readonly config: unknown
}

const HOST = /^[A-Za-z0-9.:[\]-]+$/
const HASHED = '/assets/'
/** Addresses of the app's own screens beside `/`; it finds its way by the fragment. */
const SCREENS = ['/operator']
const REFERENCE = { path: '/docs', file: 'docs.html' }

/**
 * What a page of the app may do: its own scripts, styles and pictures, and nothing that comes from elsewhere. `connect-src` names
 * the WebSockets of the host too, which older browsers do not count as their own.
 */
export function pagePolicy(host: string | undefined): string {
  const sockets = host !== undefined && HOST.test(host) ? ` ws://${host} wss://${host}` : ''
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${sockets}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/**
 * What the page of the reference may do: less than the app, since it opens no WebSocket, but for styles. The library that shows the
 * reference writes its style sheet into the page, and styles of elements into their attributes, so that neither has a name or a hash
 * to list. It knows no Trusted Types. Scripts are the venue's own files alone, as in the app.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The files of the app at `/`, outside of the API's rate limit, the page of the reference at `/docs`, and `/app-config.json`. Each
 * file has a route of its own, made at the start, so a path outside of the folder is none. It is read from disk when it is asked for,
 * compressed already where the build left a `.br` beside it.
 */
export function appFiles(app: FastifyInstance, { folder, config }: AppFiles): void {
  const configJson = JSON.stringify(config)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'content-security-policy': pagePolicy(request.headers.host),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-cache',
    })
  })
  app.get('/app-config.json', async (_request, reply) =>
    reply.header('content-type', 'application/json; charset=utf-8').send(configJson),
  )
  if (folder === null || !existsSync(join(folder, 'index.html'))) return
  app.register(fastifyStatic, {
    root: folder,
    wildcard: false,
    cacheControl: false,
    preCompressed: true,
    setHeaders(reply, path) {
      // Their names change with their content.
      if (path.slice(folder.length).startsWith(HASHED))
        reply.header('cache-control', 'public, max-age=31536000, immutable')
    },
  })
  app.get(REFERENCE.path, async (_request, reply) =>
    reply.header('content-security-policy', REFERENCE_POLICY).sendFile(REFERENCE.file),
  )
  for (const screen of SCREENS) app.get(screen, async (_request, reply) => reply.sendFile('index.html'))
}
