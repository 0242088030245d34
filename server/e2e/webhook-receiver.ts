import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An event as it was posted. */
export interface Received {
  readonly id: string
  readonly event: string
  readonly version: number
  readonly apiKey: string
  readonly chainId: number
  readonly channel: string
  readonly sequence: number
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
}

/** What a receiver does with one delivery. */
export type Behaviour = 'take' | 'hang' | 'drop' | number

/** A receiver as an integrator would write it from docs/streams.md: it checks every signature. */
export class WebhookReceiver {
  /** What was taken, in order. */
  readonly taken: Received[] = []
  /** Every attempt's event id and what became of it. */
  readonly attempts: [id: string, behaviour: Behaviour][] = []
  readonly problems: string[] = []
  readonly elsewhere: string[] = []
  /** Of the next attempts; `take` when there is none left. */
  script: Behaviour[] = []
  always: Behaviour = 'take'
  secret = ''
  readonly #server = createServer((request, response) => void this.#receive(request, response))

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve))
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url !== '/hook') {
      this.elsewhere.push(request.url ?? '')
      response.end()
      return
    }
    const problem = this.#problem(request, body)
    if (problem !== null) this.problems.push(problem)
    const event = JSON.parse(body) as Received
    const behaviour = this.script.shift() ?? this.always
    this.attempts.push([event.id, behaviour])
    if (behaviour === 'hang') return
    if (behaviour === 'drop') {
      request.socket.destroy()
      return
    }
    if (behaviour === 'take') this.taken.push(event)
    const status = behaviour === 'take' ? 204 : behaviour
    response.writeHead(status, status >= 300 && status < 400 ? { location: '/elsewhere' } : {}).end()
  }

  #problem({ headers, method }: IncomingMessage, body: string): string | null {
    const timestamp = String(headers['x-webhook-timestamp'])
    if (method !== 'POST' || headers['content-type'] !== 'application/json') return 'no POST of JSON'
    if (!(Math.abs(Date.now() - Number(timestamp)) < 60_000)) return `timestamp ${timestamp}`
    const wanted = createHmac('sha256', this.secret).update(`${timestamp}.${body}`).digest()
    const given = Buffer.from(String(headers['x-webhook-signature']), 'hex')
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return 'the signature does not match'
    return headers['x-webhook-id'] === JSON.parse(body).id ? null : 'another id in the header'
  }
}
