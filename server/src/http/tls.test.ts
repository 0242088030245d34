import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { drain, listen } from './server.ts'
import { sampleRoutes, testMount, testServer, WITH_KEY } from './testing.ts'
import { selfSigned } from './testing-certificate.ts'

let close = async () => {}
afterEach(() => close())

const certificate = selfSigned()

/** The answer to a GET by HTTPS, without its body. */
const answer = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const options = { ca: certificate.cert, servername: 'localhost', agent: false as const, headers }
    const request = get(url, options, (got) => {
      got.resume()
      got.on('end', () => resolve(got))
    })
    request.on('error', reject)
  })

const status = async (...of: Parameters<typeof answer>) => (await answer(...of)).statusCode

describe('TLS', () => {
  it('serves HTTPS with the certificate it is given', async () => {
    const app = await testServer([], { tls: certificate })
    close = () => drain(app, 1000)
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await status(`${url}/healthz`)).toBe(200)
  })

  it('is what a product by HTTPS only asks for, whatever headers claim', async () => {
    const mounts = [testMount(sampleRoutes([]), { httpsOnly: true })]
    const app = await testServer([], { tls: certificate, mounts })
    close = () => drain(app, 1000)
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    const claims = { ...WITH_KEY, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' }
    expect(await status(`${url}/svc/api/v1/items`, claims)).toBe(200)
  })

  it('is what browsers are told to come by from then on, by each answer', async () => {
    const app = await testServer(sampleRoutes([]), { tls: certificate })
    close = () => drain(app, 1000)
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    const paths = ['/healthz', '/svc/api/v1/items', '/svc/api/v1/none', '/none']
    const answers = await Promise.all(paths.map((path) => answer(`${url}${path}`, WITH_KEY)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 400, 404])
    expect(answers.map(({ headers }) => headers['strict-transport-security'])).toEqual(
      paths.map(() => 'max-age=31536000'),
    )
  })

  it('is asked of no browser where the venue speaks plain HTTP, as behind a proxy or on one’s own machine', async () => {
    const app = await testServer([])
    close = () => drain(app, 1000)
    const { headers } = await app.inject('/healthz')
    expect(headers['strict-transport-security']).toBeUndefined()
  })

  it('does not start with a key that is none', async () => {
    await expect(testServer([], { tls: { cert: 'x', key: 'x' } })).rejects.toThrow()
  })
})
