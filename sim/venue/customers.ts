import { randomUUID } from 'node:crypto'
import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  keccak256,
  TransactionReceiptNotFoundError,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import type { Answer, Client } from '../../server/e2e/client.ts'
import type { Sent } from '../../server/e2e/one-click-user.ts'
import type { CalldataResult } from '../../server/e2e/wallet.ts'
import { sleep } from '../../server/src/lib/clock.ts'

const FAR_FUTURE = 4_000_000_000
/** Longer than any fault of a run lasts, on a machine however slow: only what hangs takes it. */
const PATIENCE_MS = 300_000
const PAUSE_MS = 300
/** Blocks that no reorganisation of a run reaches back to. */
const SETTLED_DEPTH = 8n

/** What a customer knows of an order that it placed. */
export interface Placed {
  readonly how: 'one click' | 'own wallet'
  /** USD; no two orders of a run have the same. */
  readonly notional: string
  /** The transaction that the venue or the chain told, once it was final; null where the venue says that it failed. */
  txHash: Hex | null
}

interface Terms {
  readonly stockAddress: Hex
  readonly side: 'Buy'
  readonly type: 'Market'
  readonly notional: string
  readonly deadline: number
}

/** A user with a wallet and a key of its own, who repeats whatever a fault left open as the guide says, and writes down what it was told. */
export class Customer {
  readonly orders: Placed[] = []
  readonly account: PrivateKeyAccount
  readonly #client: Client
  readonly #stock: Hex
  readonly #chain
  readonly #wallet

  constructor(client: Client, rpcUrl: string, privateKey: Hex, stock: Hex) {
    this.#client = client
    this.#stock = stock
    this.account = privateKeyToAccount(privateKey)
    this.#chain = createPublicClient({ chain: foundry, transport: http(rpcUrl) })
    this.#wallet = createWalletClient({ chain: foundry, transport: http(rpcUrl), account: this.account })
  }

  /** Places an order by One Click and follows it until the venue names its transaction or its failure. */
  async send(notional: string): Promise<void> {
    const placed: Placed = { how: 'one click', notional, txHash: null }
    this.orders.push(placed)
    const key = randomUUID()
    const body = JSON.stringify(this.#terms(notional))
    const ask = () =>
      this.#insist<Sent>(() =>
        this.#client.send<Sent>('POST', '/api/v1/orders/send', body, (headers) => {
          headers['idempotency-key'] = key
        }),
      )
    const ended = await until(
      `the send of ${notional}`,
      ask,
      async ({ status, txHash }) =>
        status === 'Failed' || (status === 'Confirmed' && txHash !== null && (await this.#isSettled(txHash))),
    )
    placed.txHash = ended.status === 'Failed' ? null : ended.txHash
  }

  /** Places an order by its own wallet and tells the venue its transaction. */
  async submit(notional: string): Promise<void> {
    const placed: Placed = { how: 'own wallet', notional, txHash: null }
    this.orders.push(placed)
    const terms = this.#terms(notional)
    const built = await this.#insist<CalldataResult>(() => this.#client.post('/api/v1/orders/calldata', terms))
    const call = { to: built.toAddress, data: built.callData, value: BigInt(built.value) }
    const signed = await this.#wallet.signTransaction(await this.#wallet.prepareTransactionRequest(call))
    const hash = await this.#mine(signed)
    placed.txHash = hash
    await this.#insist(() => this.#client.post('/api/v1/orders/tx', { txHash: hash }))
  }

  /** What the venue shows this customer of those orders that it does not show as filled. */
  async unfilled(): Promise<string[]> {
    const found: string[] = []
    for (const { txHash, how } of this.orders) {
      if (txHash === null) continue
      const answer = await this.#answer(() => this.#client.get<{ orderStatus: string }>(`/api/v1/orders/tx/${txHash}`))
      if (answer?.body.data?.orderStatus !== 'Filled') found.push(`${how} ${txHash}: ${answer?.text}`)
    }
    return found
  }

  /** Tells the venue once more which transactions are its own: a restored database may have forgotten it. */
  async tellAgain(): Promise<void> {
    for (const { txHash } of this.orders) {
      if (txHash) await this.#insist(() => this.#client.post('/api/v1/orders/tx', { txHash }))
    }
  }

  #terms(notional: string): Terms {
    return { stockAddress: this.#stock, side: 'Buy', type: 'Market', notional, deadline: FAR_FUTURE }
  }

  /** Broadcasts the same bytes until they are deep in the chain: a reorganisation may drop them. */
  async #mine(signed: Hex): Promise<Hex> {
    const hash = keccak256(signed)
    const broadcast = async () => {
      // Known already, or mined already: the receipt tells.
      await this.#chain.sendRawTransaction({ serializedTransaction: signed }).catch(() => {})
      return hash
    }
    return until(`the transaction ${hash}`, broadcast, (sent) => this.#isSettled(sent))
  }

  async #isSettled(hash: Hex): Promise<boolean> {
    const receipt = await this.#chain.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    })
    return (
      receipt !== null && (await this.#chain.getBlockNumber({ cacheTime: 0 })) >= receipt.blockNumber + SETTLED_DEPTH
    )
  }

  /** Asks until the venue answers for itself, not for a fault. */
  async #insist<T>(request: () => Promise<Answer<T>>): Promise<T> {
    const answer = await until(
      'an answer',
      () => this.#answer(request),
      async (one) => one !== null && one.status < 500 && one.status !== 429,
    )
    if (answer?.body.code !== 200) throw new Error(`refused: ${answer?.text}`)
    return answer.body.data
  }

  /** The answer, or null where none came. */
  async #answer<T>(request: () => Promise<Answer<T>>): Promise<Answer<T> | null> {
    try {
      return await request()
    } catch (error) {
      if (error instanceof TypeError || error instanceof SyntaxError) return null
      throw error
    }
  }
}

/** Asks until `accept` says yes; throws with what it was when that takes too long. */
export async function until<T>(
  what: string,
  ask: () => Promise<T>,
  accept: (value: T) => Promise<boolean>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const value = await ask()
    if (await accept(value)) return value
    if (Date.now() > deadline) throw new Error(`${what} is still ${JSON.stringify(value)} after ${PATIENCE_MS} ms`)
    await sleep(PAUSE_MS)
  }
}
