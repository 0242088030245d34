import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Abi,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  http,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Hex } from '../types.ts'
import type { DevelopmentAccount } from './accounts.ts'

/** Where `forge build` leaves the compiled contracts. */
const ARTIFACTS = join(import.meta.dirname, '..', '..', '..', '..', 'contracts', 'out')
const GAS_LIMIT = 8_000_000n

export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
}

/** A compiled contract. Throws with the command that makes it when it is missing. */
export async function readArtifact(name: string): Promise<Artifact> {
  const file = join(ARTIFACTS, `${name}.sol`, `${name}.json`)
  const text = await readFile(file, 'utf8').catch((cause) => {
    throw new Error(`${file} is missing: build the contracts with "npx forge build"`, { cause })
  })
  const { abi, bytecode } = JSON.parse(text) as { abi: Abi; bytecode: { object: Hex } }
  return { abi, bytecode: bytecode.object }
}

/** A contract at an address that is known before its deployment is mined. */
export interface Deployed {
  readonly address: Hex
  readonly abi: Abi
}

interface SentTransaction {
  readonly hash: Hex
  readonly what: string
}

/**
 * Sends the transactions of one account without waiting for blocks in between: nonces are counted here and contract
 * addresses follow from them. `finish` waits for all of them.
 */
export class Deployer {
  readonly #publicClient
  readonly #walletClient
  readonly #address: Hex
  readonly #sent: SentTransaction[] = []
  #nonce: number

  private constructor(rpcUrl: string, chainId: number, account: DevelopmentAccount, nonce: number) {
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const chain = defineChain({ id: chainId, name: 'local', nativeCurrency, rpcUrls: { default: { http: [rpcUrl] } } })
    const transport = http(rpcUrl)
    this.#publicClient = createPublicClient({ chain, transport, pollingInterval: 50 })
    this.#walletClient = createWalletClient({ chain, transport, account: privateKeyToAccount(account.privateKey) })
    this.#address = account.address
    this.#nonce = nonce
  }

  static async connect(rpcUrl: string, chainId: number, account: DevelopmentAccount): Promise<Deployer> {
    const client = createPublicClient({ transport: http(rpcUrl) })
    const nonce = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
    return new Deployer(rpcUrl, chainId, account, nonce)
  }

  /** Deploys `name` with its constructor's arguments. */
  async deploy(name: string, constructorArguments: readonly unknown[] = []): Promise<Deployed> {
    const { abi, bytecode } = await readArtifact(name)
    const address = getContractAddress({ from: this.#address, nonce: BigInt(this.#nonce) }).toLowerCase() as Hex
    const data = encodeDeployData({ abi, bytecode, args: constructorArguments })
    await this.#send(`deployment of ${name}`, null, data)
    return { address, abi }
  }

  /** Deploys `name` behind an upgradeable proxy and initialises it in the same transaction. */
  async deployProxy(
    name: string,
    constructorArguments: readonly unknown[],
    initializeArguments: readonly unknown[],
  ): Promise<Deployed> {
    const implementation = await this.deploy(name, constructorArguments)
    const { abi } = implementation
    const initialize = encodeFunctionData({ abi, functionName: 'initialize', args: initializeArguments })
    const proxy = await this.deploy('ERC1967Proxy', [implementation.address, initialize])
    return { address: proxy.address, abi }
  }

  /** Calls a function of a contract. */
  async call(contract: Deployed, functionName: string, callArguments: readonly unknown[]): Promise<void> {
    const data = encodeFunctionData({ abi: contract.abi, functionName, args: callArguments })
    await this.#send(functionName, contract.address, data)
  }

  /** Waits for every transaction sent; throws naming the ones that reverted. Returns the block of the first. */
  async finish(): Promise<bigint> {
    const receipts = await Promise.all(
      this.#sent.map(({ hash }) => this.#publicClient.waitForTransactionReceipt({ hash, timeout: 60_000 })),
    )
    const reverted = this.#sent.filter((_, index) => receipts[index]?.status !== 'success')
    if (reverted.length > 0) throw new Error(`reverted on chain: ${reverted.map(({ what }) => what).join(', ')}`)
    return receipts[0]?.blockNumber ?? 0n
  }

  async #send(what: string, to: Hex | null, data: Hex): Promise<void> {
    // The gas limit is fixed: what a transaction needs cannot be estimated before the ones it builds on are mined.
    const hash = await this.#walletClient.sendTransaction({ to, data, nonce: this.#nonce++, gas: GAS_LIMIT })
    this.#sent.push({ hash, what })
  }
}
