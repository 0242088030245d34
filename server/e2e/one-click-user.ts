import { randomUUID } from 'node:crypto'
import { type Answer, type Client, eventually } from './client.ts'
import { type OrderDetail, Trader } from './trader.ts'
import type { Venue } from './venue.ts'

type Hex = `0x${string}`

/** What a send endpoint answers. */
export interface Sent {
  readonly id: string
  readonly operationType: string
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly txHash: Hex | null
  readonly orderId: Hex | null
  readonly operationId: Hex | null
  readonly failure: string | null
}

/** A send under way. */
export interface Sending extends Sent {
  /** The answer to the same request with the same Idempotency-Key, as it is now. */
  again(): Promise<Sent>
}

interface Mapping {
  readonly id: string
  readonly status: string
  readonly txHash: Hex | null
}

interface CashRow {
  readonly operationStatus: string | null
  readonly txHash: Hex
  readonly mapping: Mapping
}

interface SignPayload {
  readonly domain: object
  readonly types: Record<string, { name: string; type: string }[]>
  readonly primaryType: string
  readonly message: Record<string, unknown>
}

interface Status {
  readonly status: string
  readonly delegatedTo: Hex | null
  readonly nonce: number
  readonly txHash: Hex | null
}

const FAR_FUTURE = 4_000_000_000

/** An integrator with a key that is bound to its user's wallet. */
export class OneClickUser {
  readonly trader: Trader
  readonly client: Client
  /** What it enabled One Click with, the last time. */
  enabledBy: { readonly signature: Hex; readonly deadline: number } = { signature: '0x', deadline: 0 }

  constructor(trader: Trader) {
    this.trader = trader
    this.client = trader.client
  }

  static async create(venue: Venue, account: number): Promise<OneClickUser> {
    const user = venue.accounts[account]?.address ?? ''
    const key = await venue.createKey({ access: 'WRITABLE', user })
    return new OneClickUser(new Trader(venue, venue.client.as(key), account))
  }

  get<T = unknown>(path: string): Promise<Answer<T>> {
    return this.client.get<T>(`/api/v1/${path}`)
  }

  post<T = unknown>(path: string, body: unknown): Promise<Answer<T>> {
    return this.client.post<T>(`/api/v1/${path}`, body)
  }

  data<T>(answer: Promise<Answer<T>>): Promise<T> {
    return this.client.data(answer)
  }

  status(): Promise<Status> {
    return this.data(this.get<Status>('1ct/status'))
  }

  prepare(deadline: number): Promise<{ signPayload: SignPayload }> {
    return this.data(this.post<{ signPayload: SignPayload }>('1ct/prepare', { deadline }))
  }

  async sign(payload: SignPayload): Promise<Hex> {
    return (await this.trader.wallet.account.signTypedData?.(payload as never)) as Hex
  }

  /** Prepares and signs. */
  async consent(): Promise<{ readonly signature: Hex; readonly deadline: number }> {
    const { signPayload } = await this.prepare(FAR_FUTURE)
    return { signature: await this.sign(signPayload), deadline: FAR_FUTURE }
  }

  /** Prepares, signs and enables; waits until the status says so. */
  async enable(): Promise<void> {
    this.enabledBy = await this.consent()
    const { status } = await this.data(this.post<{ status: string }>('1ct/enable', this.enabledBy))
    if (status !== 'enable' && status !== 'pending') throw new Error(`enable answers ${status}`)
    await this.#untilStatus('enable')
  }

  disable(): Promise<{ status: string; txHash: Hex | null }> {
    return this.data(this.post<{ status: string; txHash: Hex | null }>('1ct/disable', {}))
  }

  async disableAndWait(): Promise<void> {
    await this.disable()
    await this.#untilStatus('disabled')
  }

  async #untilStatus(wanted: string): Promise<void> {
    await eventually(
      () => this.status(),
      ({ status }) => status === wanted,
    )
  }

  /** Sends with an Idempotency-Key, by which the answer can be asked for again. */
  async send(path: string, body: object): Promise<Sending> {
    return this.#sending('POST', `/api/v1/${path}`, JSON.stringify(body))
  }

  cancel(orderId: Hex | null, query: string): Promise<Sending> {
    return this.#sending('DELETE', `/api/v1/orders/${orderId}/send${query}`, '')
  }

  async #sending(method: string, path: string, body: string): Promise<Sending> {
    const key = randomUUID()
    const ask = async () => {
      for (;;) {
        const answer = await this.client.send<Sent>(method, path, body, (headers) => {
          headers['idempotency-key'] = key
        })
        // Where too many come at once the venue says to send it again; what a fault left open is asked by the same key.
        if (answer.status < 500) return this.data(Promise.resolve(answer))
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    return { ...(await ask()), again: ask }
  }

  /** The send once its transaction is indexed. */
  async untilMined(sending: Sending): Promise<Sent> {
    return eventually(sending.again, ({ status, failure }) => {
      if (status === 'Failed') throw new Error(`the send failed: ${failure}`)
      return status === 'Confirmed'
    })
  }

  async untilCash(kind: 'deposits' | 'withdrawals', sending: Sending): Promise<CashRow> {
    const { operationId } = await this.untilMined(sending)
    return eventually(
      () => this.data(this.get<CashRow>(`cash/${kind}/${operationId}`)),
      ({ operationStatus }) => operationStatus === 'success',
    )
  }

  /** The key's deposits, once so many are there and none is under way. */
  async untilDeposits(total: number): Promise<readonly CashRow[]> {
    const list = await eventually(
      () => this.data(this.get<{ total: number; rows: CashRow[] }>('cash/deposits?limit=100')),
      (page) => page.total === total && page.rows.every(({ operationStatus }) => operationStatus === 'success'),
    )
    return list.rows
  }

  async untilOrder(sending: Sending, accept: (order: OrderDetail) => boolean): Promise<OrderDetail> {
    const { orderId } = await this.untilMined(sending)
    return eventually(() => this.data(this.get<OrderDetail>(`orders/${orderId}`)), accept)
  }
}
