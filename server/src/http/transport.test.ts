import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import type { Route } from './product.ts'
import { sampleRoutes, testMount, testServer, WITH_KEY } from './testing.ts'

const PROXY = '10.0.0.9'
const CLIENT = '203.0.113.7'

let app: FastifyInstance | undefined
afterEach(() => app?.close())

async function open(httpsOnly: boolean, trustedProxies: readonly string[] = [PROXY, '127.0.0.9']) {
  const routes: Route[] = sampleRoutes([])
  app = await testServer([], { trustedProxies, mounts: [testMount(routes, { httpsOnly })] })
  return app
}

/** The status of a request that came by plain HTTP from a peer. */
async function plain(remoteAddress: string, headers: Record<string, string> = {}, url = '/svc/api/v1/items') {
  const answer = await app?.inject({ method: 'GET', url, remoteAddress, headers: { ...WITH_KEY, ...headers } })
  return { status: answer?.statusCode, reason: answer?.headers['x-error-reason'], message: answer?.json().message }
}

const to = (proto: string, client = CLIENT) => ({ 'x-forwarded-for': client, 'x-forwarded-proto': proto })

describe('a product by HTTPS only', () => {
  it.each([
    ['loopback', '127.0.0.1', {}],
    ['another loopback address', '127.8.9.1', {}],
    ['loopback by IPv6', '::1', {}],
    ['loopback by mapped IPv6', '::ffff:127.0.0.1', {}],
    ['a trusted proxy that says https', PROXY, to('https')],
    ['a chain of proxies that all say https', PROXY, to('HTTPS, https')],
    ['a trusted proxy on loopback that speaks for loopback', '127.0.0.9', to('http', '127.0.0.1')],
    ['a trusted address on loopback itself', '127.0.0.9', {}],
  ])('serves %s', async (_, peer, headers) => {
    await open(true)
    expect((await plain(peer, headers)).status).toBe(200)
  })

  it.each([
    ['a client elsewhere', CLIENT, {}, /plain HTTP is served on loopback only/],
    ['a client that says https itself', CLIENT, to('https'), /proxy that the venue does not trust/],
    ['a client that claims to be loopback', CLIENT, to('https', '127.0.0.1'), /does not trust/],
    ['a proxy on loopback that nobody trusts', '127.0.0.1', to('https'), /TRUSTED_PROXIES/],
    ['a proxy on loopback that says less', '127.0.0.1', { 'x-real-ip': CLIENT }, /TRUSTED_PROXIES/],
    ['a trusted proxy on loopback that says less', '127.0.0.9', { 'x-real-ip': CLIENT }, /X-Forwarded-Proto/],
    ['a trusted proxy that says http', PROXY, to('http'), /X-Forwarded-Proto/],
    ['a trusted proxy of which one hop was plain', PROXY, to('https, http'), /X-Forwarded-Proto/],
    ['a trusted proxy that says nothing', PROXY, { 'x-forwarded-for': CLIENT }, /X-Forwarded-Proto/],
    ['a trusted proxy that speaks for itself', PROXY, {}, /X-Forwarded-Proto/],
  ])('refuses %s, before anything else of the request is looked at', async (_, peer, headers, message) => {
    await open(true)
    for (const url of ['/svc/api/v1/items', '/svc/api/v1/unknown']) {
      const refused = await plain(peer, { ...headers, 'x-test-key': 'no' }, url)
      expect([refused.status, refused.reason]).toEqual([400, 'https_required'])
      expect(refused.message).toMatch(message)
    }
  })

  it('is not every product', async () => {
    await open(false)
    expect((await plain(CLIENT)).status).toBe(200)
  })
})
