import { createClient } from '@bourse/sdk/stock'

// A client of the stock API that shows each answer as it came, signed as the client library signs. It shares no code with the server.

export interface ApiKey {
  readonly apiKey: string
  readonly apiSecret: string
}

export interface Answer<T = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly body: { code: number; errMsg: string; data: T; uuid: string; t: number }
  /** The body as it came over the wire. */
  readonly text: string
}

export interface ClientOptions {
  /** One address, or several that are asked in turn. */
  readonly baseUrls: readonly string[]
  readonly chainId: number
  readonly productType: string
  readonly key: ApiKey
}

export class Client {
  readonly #options: ClientOptions
  readonly #library: ReturnType<typeof createClient>
  #turn = 0

  constructor(options: ClientOptions) {
    this.#options = options
    const { chainId, productType, key } = options
    const signer = { apiKey: key.apiKey, secret: key.apiSecret }
    this.#library = createClient({ baseUrl: '', chainId, productType, signer })
  }

  /** The same client with another key. */
  as(key: ApiKey): Client {
    return new Client({ ...this.#options, key })
  }

  get<T = unknown>(path: string): Promise<Answer<T>> {
    return this.send('GET', path)
  }

  post<T = unknown>(path: string, body: unknown): Promise<Answer<T>> {
    return this.send('POST', path, JSON.stringify(body))
  }

  /** Sends a signed request; throws unless the answer has code 200. */
  async data<T>(answer: Promise<Answer<T>>): Promise<T> {
    const { body, status } = await answer
    if (body.code !== 200) throw new Error(`HTTP ${status}, code ${body.code}: ${body.errMsg}`)
    return body.data
  }

  async send<T = unknown>(
    method: string,
    path: string,
    rawBody = '',
    change: (headers: Record<string, string>) => void = () => {},
  ): Promise<Answer<T>> {
    const { baseUrls } = this.#options
    const headers: Record<string, string> = {
      ...(await this.#library.product.sign(this.#library, { method, uri: path, body: rawBody })),
      ...(rawBody === '' ? {} : { 'content-type': 'application/json' }),
    }
    change(headers)
    const url = `${baseUrls[this.#turn++ % baseUrls.length]}${path}`
    const response = await fetch(url, { method, headers, ...(rawBody === '' ? {} : { body: rawBody }) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: JSON.parse(text), text }
  }
}

/** Longer than a slow machine needs: only what hangs takes it, and then the last answer is shown. */
const PATIENCE_MS = 300_000
const LONGEST_PAUSE_MS = 1000

/**
 * Asks again until `accept` says yes; throws with the last answer when that takes too long. Less and less often, so that
 * several who wait long do not use up the 1,200 requests a minute of their address.
 */
export async function eventually<T>(
  ask: () => Promise<T>,
  accept: (value: T) => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const startedAtMs = Date.now()
  for (;;) {
    const value = await ask()
    if (accept(value)) return value
    const waitedMs = Date.now() - startedAtMs
    if (waitedMs > timeoutMs) throw new Error(`still ${JSON.stringify(value)} after ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST_PAUSE_MS, 100 + waitedMs / 10)))
  }
}
