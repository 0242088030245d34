import { createHmac, randomBytes } from 'node:crypto'

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
  readonly productType: string
  /** Gives every repetition an Idempotency-Key of its own. */
  readonly idempotent?: boolean
}

/** Requests as bytes, one after the other; the n-th lies between `ends[n - 1]` and `ends[n]`. */
export interface RequestBytes {
  readonly bytes: Buffer
  readonly ends: Uint32Array
}

/** Signs `count` requests of templates that differ in their keys alone, in turn; each has a nonce of its own and the time of now. */
export function signRequests(templates: readonly RequestTemplate[], count: number): RequestBytes {
  const starts = templates.map(startOf)
  const run = randomBytes(12).toString('hex')
  const ends = new Uint32Array(count)
  let bytes = Buffer.alloc(0)
  for (let i = 0, at = 0; i < count; i++) {
    const turn = i % templates.length
    const nonce = `${run}-${i.toString(16).padStart(8, '0')}`
    const text = starts[turn] + signed(templates[turn] as RequestTemplate, nonce)
    // Every request is as long as the first: all that changes has a fixed length.
    if (i === 0) bytes = Buffer.alloc(text.length * count)
    at += bytes.write(text, at, 'latin1')
    ends[i] = at
  }
  return { bytes, ends }
}

function startOf({ method, prefix, uri, body, apiKey, chainId, productType }: RequestTemplate): string {
  return (
    `${method} ${prefix}${uri} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\nx-api-key: ${apiKey}\r\n` +
    `x-api-chain-id: ${chainId}\r\nx-api-p: ${productType}\r\n` +
    (body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`)
  )
}

function signed({ method, uri, body, apiSecret, idempotent }: RequestTemplate, nonce: string): string {
  const timestamp = Date.now()
  const payload = `${method}\n${uri}\n${timestamp}\n${nonce}\n${body}`
  const signature = createHmac('sha256', apiSecret).update(payload).digest('hex')
  const idempotencyKey = idempotent ? `Idempotency-Key: ${nonce}\r\n` : ''
  return `${idempotencyKey}x-api-ts: ${timestamp}\r\nx-api-nonce: ${nonce}\r\nx-api-sign: ${signature}\r\n\r\n${body}`
}
