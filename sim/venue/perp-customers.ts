import { randomUUID } from 'node:crypto'
import type { Hex } from 'viem'
import type { PerpAnswer, PerpClient } from '../../server/e2e/perp-client.ts'
import type { OwnWallet } from './own-wallet.ts'
import { answerOf, until } from './patience.ts'
import { followSend, newlyPlaced, type Placed, type Standing } from './placed.ts'

const PAIR = { instrument: 'BTC/USDC', expiry: 4_294_967_295 }
const FAR_FUTURE = 4_000_000_000
const LONG = 2

interface Built {
  readonly transaction: { readonly to: Hex; readonly data: Hex; readonly value: string; readonly gas: string }
}

type Typed = Parameters<OwnWallet['account']['signTypedData']>[0]

/** A trader of perpetuals with a wallet and a key of its own, as patient and as exact as a customer of stocks. */
export class PerpCustomer {
  readonly placed: Placed[] = []
  readonly #client: PerpClient
  readonly #wallet: OwnWallet

  constructor(client: PerpClient, wallet: OwnWallet) {
    this.#client = client
    this.#wallet = wallet
  }

  get address(): Hex {
    return this.#wallet.account.address
  }

  /** Brings margin to the venue, and agrees to One Click. */
  async prepare(margin: string): Promise<void> {
    await this.#submitBuilt('approve/submit', 'approve/prepare', { quote: 'USDC' })
    await this.#submitBuilt('order/submit', 'account/deposit', { quote: 'USDC', amount: margin, build: true })
    const { signPayload } = await this.#insist<{ signPayload: Typed }>('1ct/prepare', { deadline: FAR_FUTURE })
    const signature = await this.#wallet.account.signTypedData(signPayload)
    await this.#insist('1ct/enable', { signature, deadline: FAR_FUTURE })
    const status = () => answerOf(() => this.#client.get<{ status: string }>('1ct/status'))
    await until('One Click', status, async (answer) => answer?.body.data?.status === 'enable')
  }

  /** Buys by One Click and follows it until the venue names its transaction or its failure. */
  async send(size: string): Promise<void> {
    const placed = newlyPlaced('one click', size)
    this.placed.push(placed)
    const headers = { 'idempotency-key': randomUUID() }
    await followSend(placed, this.#wallet, () => this.#standing(terms(size), headers))
  }

  /** Buys by its own wallet, whose signed transaction the venue hands to the chain. */
  async submit(size: string): Promise<void> {
    const placed = newlyPlaced('own wallet', size)
    this.placed.push(placed)
    const params = { ...terms(size), deadline: 0, gasLimit: 0 }
    const settled = await this.#submitBuilt('order/submit', 'order/build', { action: 'market', params })
    if (settled.succeeded) placed.txHash = settled.hash
    else placed.failure = 'reverted on chain'
  }

  /** How a send stands. One that is stored and will never be sent is told by a refusal, which a repeat shows to be final. */
  async #standing(order: ReturnType<typeof terms>, headers: Readonly<Record<string, string>>): Promise<Standing> {
    const isOver = (answer: PerpAnswer<Standing>) =>
      answer.status < 500 && answer.headers.get('idempotent-replayed') === 'true'
    const answer = await this.#ask<Standing>('order/market', order, headers, isOver)
    const { code, msg, data } = answer.body
    return code === 0 ? data : { status: 'Failed', txHash: null, failure: msg }
  }

  async #submitBuilt(submitPath: string, buildPath: string, body: Readonly<Record<string, unknown>>) {
    const { transaction } = await this.#insist<Built>(buildPath, body)
    const { to, data, value, gas } = transaction
    const signedTransaction = await this.#wallet.sign({ to, data, value: BigInt(value), gas: BigInt(gas) })
    return this.#wallet.mine(signedTransaction, () =>
      answerOf(() => this.#client.post(submitPath, { signedTransaction })),
    )
  }

  async #insist<T>(path: string, body: Readonly<Record<string, unknown>>): Promise<T> {
    return (await this.#ask<T>(path, body)).body.data
  }

  /**
   * Asks until the venue does what it is asked for, or the answer is final in another way. A fault may be why it refuses: no price is
   * fresh while the keeper sleeps, and the relayer may not have reported.
   */
  async #ask<T>(
    path: string,
    body: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
    isOver: (answer: PerpAnswer<T>) => boolean = () => false,
  ): Promise<PerpAnswer<T>> {
    const answer = await until(
      path,
      () => answerOf(() => this.#client.post<T>(path, body, headers)),
      async (one) => one !== null && (one.body.code === 0 || isOver(one)),
    )
    return answer as PerpAnswer<T>
  }
}

const terms = (size: string) => ({ ...PAIR, side: LONG, size, leverage: '5', slippageBps: 200 })
