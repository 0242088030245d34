import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { ApiKey } from './client.ts'
import { signedHeaders } from './signed-headers.ts'

// Requests as bytes: from an address of choice, with headers and bodies that a well-behaved client would not send.

export interface RawRequest {
  readonly method: string
  /** Path and query below the base URL, as they are sent. */
  readonly path: string
  readonly body?: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly body: any
}

export interface RawClientOptions {
  readonly baseUrl: string
  readonly chainId: number
  readonly productType: string
  readonly key: ApiKey
  /** The address it sends from: 127.0.0.x, so that tests do not share a rate limit. */
  readonly localAddress: string
  /** Told of every answer. */
  readonly onAnswer?: (request: RawRequest, answer: RawAnswer) => void
}

export class RawClient {
  readonly #options: RawClientOptions
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })

  constructor(options: RawClientOptions) {
    this.#options = options
  }

  /** The headers that sign a request. */
  sign({ method, path, body = '' }: RawRequest): Record<string, string> {
    return signedHeaders({ method, uri: path, body, ...this.#options })
  }

  /** Signs and sends; a body goes as JSON unless the headers say otherwise. */
  signed(raw: RawRequest): Promise<RawAnswer> {
    const content = raw.body === undefined ? {} : { 'content-type': 'application/json' }
    return this.send({ ...raw, headers: { ...content, ...this.sign(raw), ...raw.headers } })
  }

  send(raw: RawRequest): Promise<RawAnswer> {
    const { method, path, body, headers = {} } = raw
    const { baseUrl, localAddress, onAnswer } = this.#options
    const { hostname, port, pathname } = new URL(baseUrl)
    // Of a DELETE, Node would send the body without its length, and the server would read it as another request.
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const target = { hostname, port, method, path: `${pathname}${path}`, localAddress }
    const options = { ...target, headers: { ...length, ...headers }, agent: this.#agent }
    return new Promise((resolve, reject) => {
      const sent = request(options, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const seen = { status: answer.statusCode ?? 0, headers: answer.headers, text, body: parsed(text) }
          onAnswer?.(raw, seen)
          resolve(seen)
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
