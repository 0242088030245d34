import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { get } from 'node:https'
import { afterEach, describe, expect, it } from 'vitest'
import { drain, listen } from './server.ts'
import { testServer } from './testing.ts'

/** One DER element: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...content: Buffer[]) => der(0x30, ...content)
const utcTime = (text: string) => der(0x17, Buffer.from(text))

/** A self-signed certificate for `localhost` (RFC 5280, version 1, ECDSA with SHA-256). */
function selfSigned(privateKey: KeyObject, publicKey: KeyObject): string {
  const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'))
  const commonName = sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('localhost')))
  const name = sequence(der(0x31, commonName))
  const validity = sequence(utcTime('200101000000Z'), utcTime('491231235959Z'))
  const keyInfo = publicKey.export({ type: 'spki', format: 'der' })
  const content = sequence(Buffer.from('020101', 'hex'), ecdsaWithSha256, name, validity, name, keyInfo)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const lines =
    sequence(content, ecdsaWithSha256, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

let close = async () => {}
afterEach(() => close())

describe('TLS', () => {
  it('serves HTTPS with the certificate it is given', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const cert = selfSigned(privateKey, publicKey)
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const app = await testServer([], { tls: { cert, key } })
    close = () => drain(app, 1000)
    const url = await listen(app, { host: '127.0.0.1', port: 0 })
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const status = await new Promise((resolve, reject) => {
      const request = get(`${url}/healthz`, { ca: cert, servername: 'localhost', agent: false }, (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode))
      })
      request.on('error', reject)
    })
    expect(status).toBe(200)
  })

  it('does not start with a key that is none', async () => {
    await expect(testServer([], { tls: { cert: 'x', key: 'x' } })).rejects.toThrow()
  })
})
