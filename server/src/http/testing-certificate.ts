import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** One DER element: tag, length, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...content: Buffer[]) => der(0x30, ...content)
const utcTime = (text: string) => der(0x17, Buffer.from(text))

/** A self-signed certificate for `localhost` with its key, as PEM (RFC 5280, version 1, ECDSA with SHA-256). */
export function selfSigned(): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    cert: certificate(privateKey, publicKey),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function certificate(privateKey: KeyObject, publicKey: KeyObject): string {
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
