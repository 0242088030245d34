import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { memoryRateLimiter } from './rate-limit.ts'
import { testServer, testVenue } from './testing.ts'

const home = mkdtempSync(join(tmpdir(), 'bourse-app-'))
const folder = join(home, 'dist')
const config = { chainId: 31_337, embedded: true }

let app: FastifyInstance | undefined
beforeAll(() => {
  mkdirSync(join(folder, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Bourse</title>')
  writeFileSync(join(folder, 'assets', 'app-3f1c9a5e.js'), 'export {}')
  writeFileSync(join(folder, 'assets', 'app-3f1c9a5e.js.br'), brotliCompressSync('export {}'))
  writeFileSync(join(folder, 'docs.html'), '<!doctype html><title>Reference</title>')
  writeFileSync(join(folder, 'icon.svg'), '<svg/>')
  writeFileSync(join(home, 'secret.txt'), 'nothing for a page')
})
afterAll(() => rmSync(home, { recursive: true }))
afterEach(async () => {
  await app?.close()
  app = undefined
})

async function serve(from: string | null = folder): Promise<FastifyInstance> {
  const none = memoryRateLimiter({ limit: 0, windowMs: 60_000 }, testVenue().clock)
  app = await testServer([], { app: { folder: from, config, devRpc: null }, rateLimiter: none })
  return app
}

describe('the app', () => {
  it('is served at its addresses, outside of the rate limit, and never from a cache', async () => {
    const server = await serve()
    for (const url of ['/', '/index.html', '/operator', '/?x=1']) {
      const { statusCode, headers, payload } = await server.inject({ url })
      expect([url, statusCode, payload]).toEqual([url, 200, '<!doctype html><title>Bourse</title>'])
      expect(headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'text/html; charset=utf-8' })
      expect(headers['ratelimit-limit']).toBeUndefined()
    }
  })

  it('has files that browsers keep for good where their names are hashed', async () => {
    const server = await serve()
    const script = await server.inject({ url: '/assets/app-3f1c9a5e.js' })
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/^(text|application)\/javascript; charset=utf-8$/),
    })
    expect((await server.inject({ url: '/icon.svg' })).headers['cache-control']).toBe('no-cache')
  })

  it('comes compressed, where the build has done that, to browsers that take it', async () => {
    const server = await serve()
    const ask = (url: string) => server.inject({ url, headers: { 'accept-encoding': 'gzip, br' } })
    const script = await ask('/assets/app-3f1c9a5e.js')
    expect(script.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/^(text|application)\/javascript; charset=utf-8$/),
      vary: 'accept-encoding',
    })
    expect(script.rawPayload).toEqual(brotliCompressSync('export {}'))
    const plain = await ask('/icon.svg')
    expect([plain.headers['content-encoding'], plain.payload]).toEqual([undefined, '<svg/>'])
    expect((await ask('/')).payload).toBe('<!doctype html><title>Bourse</title>')
  })

  it('has the page of the reference, whose own policy lets it style itself and open no socket', async () => {
    const server = await serve()
    const { payload, headers } = await server.inject({ url: '/docs' })
    expect(payload).toBe('<!doctype html><title>Reference</title>')
    expect(headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    })
  })

  it('may do what its policy allows, and nothing else', async () => {
    const server = await serve()
    const { headers } = await server.inject({ url: '/', headers: { host: 'venue.example:8080' } })
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ws://venue.example:8080 wss://venue.example:8080; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    })
    const odd = await server.inject({ url: '/', headers: { host: "x; script-src 'unsafe-inline'" } })
    expect(odd.headers['content-security-policy']).not.toContain('unsafe-inline')
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/..%5csecret.txt',
    '/operator/more',
    '/assets/',
    '/unknown',
  ])('has no file at %s', async (url) => {
    const server = await serve()
    const { statusCode, payload } = await server.inject({ url, headers: { accept: 'text/html' } })
    expect([404, 429]).toContain(statusCode)
    expect(payload).not.toContain('nothing for a page')
    expect(payload).not.toContain('doctype')
  })

  it('tells its pages of the venue, also where it was not built', async () => {
    const server = await serve(join(home, 'nowhere'))
    const { headers, payload } = await server.inject({ url: '/app-config.json' })
    expect(JSON.parse(payload)).toEqual(config)
    expect(headers['cache-control']).toBe('no-cache')
    expect((await server.inject({ url: '/operator' })).statusCode).not.toBe(200)
  })
})
