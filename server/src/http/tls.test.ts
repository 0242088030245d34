import { get } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { drain, listen } from './server.ts'
import { sampleRoutes, testMount, testServer, WITH_KEY } from './testing.ts'
import { selfSigned } from './testing-certificate.ts'

let close = async () => {}
afterEach(() => close())

const certificate = selfSigned()

/** The status of a GET by HTTPS. */
const status = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  new Promise((resolve, reject) => {
    const options = { ca: certificate.cert, servername: 'localhost', agent: false as const, headers }
    const request = get(url, options, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode))
    })
    request.on('error', reject)
  })

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

  it('does not start with a key that is none', async () => {
    await expect(testServer([], { tls: { cert: 'x', key: 'x' } })).rejects.toThrow()
  })
})
