import { randomBytes } from 'node:crypto'
import { createClient as createPerp, importKey } from '@bourse/sdk/perp'
import { createClient as createStock } from '@bourse/sdk/stock'

/** A request that is signed anew for every repetition. */
export interface RequestTemplate {
  readonly method: 'GET' | 'POST'
  /** Service prefix; it is not signed. */
  readonly prefix: string
  readonly uri: string
  readonly body: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly chainId: number
  /** Product type of the stock API; null for the perpetual API, which is signed in its own way. */
  readonly productType: string | null
  /** Gives every repetition an Idempotency-Key of its own. */
  readonly idempotent?: boolean
}

/** Requests as bytes, one after the other; the n-th lies between `ends[n - 1]` and `ends[n]`. */
export interface RequestBytes {
  readonly bytes: Buffer
  readonly ends: Uint32Array
}

/** Signs `count` requests of templates that differ in their keys alone, in turn; each has a nonce of its own and the time of now. */
export async function signRequests(templates: readonly RequestTemplate[], count: number): Promise<RequestBytes> {
  const sign = await requestSigner(templates)
  const ends = new Uint32Array(count)
  let bytes = Buffer.alloc(0)
  for (let i = 0, at = 0; i < count; i++) {
    const text = await sign(i)
    // Every request is as long as the first: all that changes has a fixed length.
    if (i === 0) bytes = Buffer.alloc(text.length * count)
    at += bytes.write(text, at, 'latin1')
    ends[i] = at
  }
  return { bytes, ends }
}

/** Signs the n-th request of templates that come in turn: resolves to its text, with a nonce of its own and the time of now. */
async function requestSigner(templates: readonly RequestTemplate[]): Promise<(nth: number) => Promise<string>> {
  const signers = await Promise.all(templates.map(signerOf))
  const starts = templates.map(startOf)
  const run = randomBytes(12).toString('hex')
  return async (nth) => {
    const turn = nth % templates.length
    const { body, idempotent } = templates[turn] as RequestTemplate
    const headers = await (signers[turn] as Sign)()
    if (idempotent) headers['idempotency-key'] = `${run}-${nth.toString(16).padStart(8, '0')}`
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return `${starts[turn]}${lines.join('')}\r\n${body}`
  }
}

function startOf({ method, prefix, uri, body }: RequestTemplate): string {
  return (
    `${method} ${prefix}${uri} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n` +
    (body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`)
  )
}

type Sign = () => Promise<Record<string, string>>

/** Signs a template as the client library does. */
async function signerOf({
  method,
  uri,
  body,
  apiKey,
  apiSecret,
  chainId,
  productType,
}: RequestTemplate): Promise<Sign> {
  const options = { baseUrl: '', chainId, signer: { apiKey, key: await importKey(apiSecret) } }
  const clientOf = () => (productType === null ? createPerp(options) : createStock({ ...options, productType }))
  // A new client each time: one alone signs no two requests in a millisecond, and these are signed ahead.
  return () => {
    const client = clientOf()
    return client.product.sign(client, { method, uri, body })
  }
}
