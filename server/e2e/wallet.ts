import {
  type Abi,
  type Account,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  erc20Abi,
  http,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { type ArgumentsOf, encodeCall } from '../src/chain/calls.ts'

type Hex = `0x${string}`

/** What a calldata endpoint answers. */
export interface CalldataResult {
  readonly chainId: number
  readonly productType: string
  readonly toAddress: Hex
  readonly value: string
  readonly callData: Hex
  readonly method: string
}

/** A user's wallet: signs and sends what the API built. */
export class Wallet {
  readonly chain: PublicClient
  readonly account: Account
  readonly #client

  constructor(rpcUrl: string, privateKey: Hex) {
    const transport = http(rpcUrl)
    this.account = privateKeyToAccount(privateKey)
    this.chain = createPublicClient({ chain: foundry, transport, pollingInterval: 50 }) as PublicClient
    this.#client = createWalletClient({ chain: foundry, transport, account: this.account })
  }

  /**
   * Sends a transaction without waiting for it, with twice the gas that the node estimates unless told otherwise: what is instant
   * when it is estimated may be queued when it is mined, which takes more.
   */
  async send({ toAddress, callData, value }: CalldataResult, gas?: bigint): Promise<Hex> {
    const transaction = { to: toAddress, data: callData, value: BigInt(value), account: this.account }
    const limit = gas ?? 2n * (await this.chain.estimateGas(transaction))
    return this.#client.sendTransaction({ ...transaction, gas: limit })
  }

  /** Sends a transaction and waits until it is mined with success. */
  async submit(result: CalldataResult): Promise<Hex> {
    const hash = await this.send(result)
    const { status } = await this.chain.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${result.method} reverted in ${hash}`)
    return hash
  }

  /** Lets `spender` take `amount` of a token. */
  approve(token: Hex, spender: Hex, amount: bigint): Promise<void> {
    return this.call(token, erc20Abi, 'approve', [spender, amount])
  }

  /** Calls a contract and waits until that is mined with success. */
  async call<const A extends Abi, Name extends ContractFunctionName<A>>(
    address: Hex,
    abi: A,
    functionName: Name,
    args: ArgumentsOf<A, Name>,
  ): Promise<void> {
    const data = encodeCall<A, Name>(abi, functionName, args)
    const hash = await this.#client.sendTransaction({ to: address, data, chain: foundry, account: this.account })
    const { status } = await this.chain.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${functionName} reverted in ${hash}`)
  }

  balanceOf(token: Hex): Promise<bigint> {
    const args = [this.account.address] as const
    return this.chain.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args })
  }
}
