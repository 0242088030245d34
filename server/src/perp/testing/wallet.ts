import { createPublicClient, createWalletClient, defineChain, erc20Abi, http, type PublicClient, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import type { Hex } from '../../chain/types.ts'
import { CHAIN_ID, type PerpChain } from './chain.ts'

/** What `order/build` answers. */
export interface BuiltTransaction {
  readonly chainId: number
  readonly from: Hex
  readonly to: Hex
  readonly value: string
  readonly data: Hex
  readonly gas: string
  readonly nonce: number
}

/** A plain wallet: it signs what the API built, and knows nothing of the protocol. */
export class Wallet {
  readonly address: Hex
  readonly node: PublicClient
  readonly #client

  constructor(chain: PerpChain, { address, privateKey }: DevelopmentAccount) {
    const transport = http(chain.anvil.rpcUrl)
    const network = defineChain({
      id: CHAIN_ID,
      name: 'local',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [chain.anvil.rpcUrl] } },
    })
    this.address = address.toLowerCase() as Hex
    this.node = createPublicClient({ chain: network, transport, pollingInterval: 20 }) as PublicClient
    this.#client = createWalletClient({ chain: network, transport, account: privateKeyToAccount(privateKey) })
  }

  /** Signs a transaction as it was built, with fees of its own. */
  sign({ to, data, nonce, value, gas, chainId }: BuiltTransaction): Promise<Hex> {
    const fees = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('1') }
    const transaction = { to, data, nonce, value: BigInt(value), gas: BigInt(gas), type: 'eip1559', ...fees } as const
    return this.#client.account.signTransaction({ ...transaction, chainId })
  }

  async approve(token: Hex, spender: Hex, amount: bigint): Promise<void> {
    const contract = { address: token, abi: erc20Abi, functionName: 'approve', args: [spender, amount] } as const
    await this.mined(await this.#client.writeContract(contract))
  }

  /** Waits until a transaction is mined; throws unless it succeeded. */
  async mined(hash: Hex): Promise<void> {
    const { status } = await this.node.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`${hash} reverted`)
  }
}
