import { createClient } from '@bourse/sdk/perp'

export interface PerpKey {
  readonly apiKey: string
  readonly apiSecret: string
}

/** An answer of the perpetual API with its HTTP status. */
export interface PerpAnswer<T> {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly code: number
    readonly msg: string
    readonly data: T
    readonly requestId: string
    readonly blockInfo?: { readonly height: number; readonly timestamp: number }
  }
}

/** A client of the perpetual API that shows each answer as it came, signed as the client library signs. */
export class PerpClient {
  readonly #library: ReturnType<typeof createClient>

  constructor(baseUrl: string, chainId: number, { apiKey, apiSecret }: PerpKey) {
    this.#library = createClient({ baseUrl, chainId, signer: { apiKey, secret: apiSecret } })
  }

  /** The headers that sign a request, or the opening of the stream. */
  sign(method: string, uri: string, body = ''): Promise<Record<string, string>> {
    return this.#library.product.sign(this.#library, { method, uri, body })
  }

  get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<PerpAnswer<T>> {
    const pairs = new URLSearchParams(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))).toString()
    return this.send('GET', `/v4/public/trader/${path}${pairs === '' ? '' : `?${pairs}`}`)
  }

  /** The body goes as it is given and is signed with its keys sorted, as a client of this API does. */
  post<T>(
    path: string,
    body: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, string>> = {},
  ): Promise<PerpAnswer<T>> {
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))))
    return this.send('POST', `/v4/public/trader/${path}`, JSON.stringify(body), sorted, more)
  }

  async send<T>(
    method: string,
    target: string,
    body = '',
    signed = body,
    more: Readonly<Record<string, string>> = {},
  ): Promise<PerpAnswer<T>> {
    const response = await fetch(`${this.#library.options.baseUrl}${target}`, {
      method,
      headers: { ...(await this.sign(method, target, signed)), 'content-type': 'application/json', ...more },
      ...(body === '' ? {} : { body }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as PerpAnswer<T>['body'],
    }
  }
}
