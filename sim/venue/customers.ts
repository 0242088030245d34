import { randomUUID } from 'node:crypto'
import type { Hex } from 'viem'
import type { Answer, Client } from '../../server/e2e/client.ts'
import type { Sent } from '../../server/e2e/one-click-user.ts'
import type { CalldataResult } from '../../server/e2e/wallet.ts'
import type { OwnWallet } from './own-wallet.ts'
import { answerOf, until } from './patience.ts'
import { isOwnAnswer } from './patient-client.ts'
import { followSend, newlyPlaced, type Placed } from './placed.ts'

const FAR_FUTURE = 4_000_000_000

interface Terms {
  readonly stockAddress: Hex
  readonly side: 'Buy'
  readonly type: 'Market'
  readonly notional: string
  readonly deadline: number
}

/** A user with a wallet and a key of its own, who repeats whatever a fault left open as the guide says, and writes down what it was told. */
export class Customer {
  readonly placed: Placed[] = []
  readonly #client: Client
  readonly #stock: Hex
  readonly #wallet: OwnWallet

  constructor(client: Client, wallet: OwnWallet, stock: Hex) {
    this.#client = client
    this.#stock = stock
    this.#wallet = wallet
  }

  get address(): Hex {
    return this.#wallet.account.address
  }

  /** Places an order by One Click and follows it until the venue names its transaction or its failure. */
  async send(notional: string): Promise<void> {
    const placed = newlyPlaced('one click', notional)
    this.placed.push(placed)
    const key = randomUUID()
    const body = JSON.stringify(this.#terms(notional))
    const ask = () =>
      this.#insist<Sent>(() =>
        this.#client.send<Sent>('POST', '/api/v1/orders/send', body, (headers) => {
          headers['idempotency-key'] = key
        }),
      )
    await followSend(placed, this.#wallet, ask)
  }

  /** Places an order by its own wallet and tells the venue its transaction. */
  async submit(notional: string): Promise<void> {
    const placed = newlyPlaced('own wallet', notional)
    this.placed.push(placed)
    const terms = this.#terms(notional)
    const built = await this.#insist<CalldataResult>(() => this.#client.post('/api/v1/orders/calldata', terms))
    const call = { to: built.toAddress, data: built.callData, value: BigInt(built.value) }
    const signed = await this.#wallet.sign(call)
    const { hash } = await this.#wallet.mine(signed, (bytes) => this.#wallet.broadcast(bytes))
    placed.txHash = hash
    await this.#insist(() => this.#client.post('/api/v1/orders/tx', { txHash: hash }))
  }

  /** What the venue shows this customer of those orders that it does not show as filled. */
  async unfilled(): Promise<string[]> {
    const found: string[] = []
    for (const { txHash, how } of this.placed) {
      if (txHash === null) continue
      const answer = await answerOf(() => this.#client.get<{ orderStatus: string }>(`/api/v1/orders/tx/${txHash}`))
      if (answer?.body.data?.orderStatus !== 'Filled') found.push(`${how} ${txHash}: ${answer?.text}`)
    }
    return found
  }

  /** Tells the venue once more which transactions are its own: a restored database may have forgotten it. */
  async tellAgain(): Promise<void> {
    for (const { txHash } of this.placed) {
      if (txHash) await this.#insist(() => this.#client.post('/api/v1/orders/tx', { txHash }))
    }
  }

  #terms(notional: string): Terms {
    return { stockAddress: this.#stock, side: 'Buy', type: 'Market', notional, deadline: FAR_FUTURE }
  }

  /** Asks until the venue answers for itself, not for a fault. */
  async #insist<T>(request: () => Promise<Answer<T>>): Promise<T> {
    const answer = await until(
      'an answer',
      () => answerOf(request),
      async (one) => one !== null && isOwnAnswer(one),
    )
    if (answer?.body.code !== 200) throw new Error(`refused: ${answer?.text}`)
    return answer.body.data
  }
}
