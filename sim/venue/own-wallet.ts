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
import { until } from './patience.ts'

/** Blocks that no reorganisation of a run reaches back to. */
const SETTLED_DEPTH = 8n

/** A call as an API builds it. */
export interface BuiltCall {
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
  /** Where the API says it; otherwise twice the node's estimate, as the integrator guide advises. */
  readonly gas?: bigint
}

/** What became of a transaction, for good. */
export interface Settled {
  readonly hash: Hex
  readonly succeeded: boolean
}

/** A customer's own wallet: signs, and follows what it signed until no reorganisation reaches it. */
export class OwnWallet {
  readonly account: PrivateKeyAccount
  readonly #chain
  readonly #wallet

  constructor(rpcUrl: string, privateKey: Hex) {
    this.account = privateKeyToAccount(privateKey)
    this.#chain = createPublicClient({ chain: foundry, transport: http(rpcUrl) })
    this.#wallet = createWalletClient({ chain: foundry, transport: http(rpcUrl), account: this.account })
  }

  async sign({ to, data, value, gas }: BuiltCall): Promise<Hex> {
    const call = { account: this.account, to, data, value }
    const limit = gas ?? 2n * (await this.#chain.estimateGas(call))
    return this.#wallet.signTransaction(await this.#wallet.prepareTransactionRequest({ to, data, value, gas: limit }))
  }

  /** Hands the same bytes to a node. Known already, or mined already, is nothing else than taken: the receipt tells. */
  async broadcast(signed: Hex): Promise<void> {
    await this.#chain.sendRawTransaction({ serializedTransaction: signed }).catch(() => {})
  }

  /** Repeats `broadcast` until the transaction is deep in the chain: a reorganisation may drop it. */
  async mine(signed: Hex, broadcast: (signed: Hex) => Promise<unknown>): Promise<Settled> {
    const hash = keccak256(signed)
    const look = async () => {
      await broadcast(signed)
      return this.settled(hash)
    }
    const settled = await until(`the transaction ${hash}`, look, async (found) => found !== null)
    return settled as Settled
  }

  /** What became of a transaction; null until it is deep in the chain. */
  async settled(hash: Hex): Promise<Settled | null> {
    const receipt = await this.#chain.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    })
    if (receipt === null) return null
    const head = await this.#chain.getBlockNumber({ cacheTime: 0 })
    return head >= receipt.blockNumber + SETTLED_DEPTH ? { hash, succeeded: receipt.status === 'success' } : null
  }
}
