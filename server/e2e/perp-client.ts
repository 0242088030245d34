import { createHmac } from 'node:crypto'

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

/** A client of the perpetual API, written from its documentation (perp-api 1.3, 1.4): X-Api headers, base64 over the message. */
export class PerpClient {
  readonly #baseUrl: string
  readonly #chainId: number
  readonly #key: PerpKey

  constructor(baseUrl: string, chainId: number, key: PerpKey) {
    this.#baseUrl = baseUrl
    this.#chainId = chainId
    this.#key = key
  }

  get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<PerpAnswer<T>> {
    const pairs = new URLSearchParams(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))).toString()
    return this.send('GET', `/v4/public/trader/${path}${pairs === '' ? '' : `?${pairs}`}`)
  }

  /** The body goes as it is given and is signed with its keys sorted, as a client of this API does. */
  post<T>(path: string, body: Readonly<Record<string, unknown>> = {}): Promise<PerpAnswer<T>> {
    const sorted = JSON.stringify(Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))))
    return this.send('POST', `/v4/public/trader/${path}`, JSON.stringify(body), sorted)
  }

  async send<T>(method: string, target: string, body = '', signed = body): Promise<PerpAnswer<T>> {
    const timestamp = String(Date.now())
    const message = `${timestamp}${method}${target}${signed}`
    const response = await fetch(`${this.#baseUrl}${target}`, {
      method,
      headers: {
        'X-Api-Key': this.#key.apiKey,
        'X-Api-Sign': createHmac('sha256', this.#key.apiSecret).update(message).digest('base64'),
        'X-Api-Ts': timestamp,
        'X-Chain-Id': String(this.#chainId),
        'Content-Type': 'application/json',
      },
      ...(body === '' ? {} : { body }),
    })
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as PerpAnswer<T>['body'],
    }
  }
}
