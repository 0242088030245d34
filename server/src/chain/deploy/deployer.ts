import {
  type Abi,
  type ContractConstructorArgs,
  type ContractFunctionName,
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeDeployData,
  getContractAddress,
  http,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { max } from '../../lib/bigints.ts'
import type { ContractAbis } from '../abi/contract-abis.ts'
import { type ArgumentsOf, type Contract, encodeCall } from '../calls.ts'
import { bufferedGas, type ChainProfile } from '../profiles.ts'
import { createRpc, type Rpc } from '../rpc.ts'
import { classifySimulation } from '../send/classify.ts'
import type { Hex } from '../types.ts'
import { link, readLinkable } from './artifacts.ts'
import { patienceOf, patientRpc } from './patient-reads.ts'

/** More than any of the contracts needs; nothing is charged for it on a development chain. */
const PIPELINED_GAS_LIMIT = 8_000_000n

/** A contract at an address that is known before its deployment is mined; typed where the server has types of it. */
export type Deployed<Name extends string = string> = Contract<AbiOf<Name>>

/** The ABI of a contract by its name; of one without types, whatever its artifact says. */
type AbiOf<Name extends string> = Name extends keyof ContractAbis ? ContractAbis[Name] : Abi
type ConstructorArguments<Name extends string> = Extract<ContractConstructorArgs<AbiOf<Name>>, readonly unknown[]>

interface SentTransaction {
  readonly hash: Hex
  readonly what: string
}

/**
 * `pipelined` sends one transaction after the other without waiting, with a fixed gas limit: what one needs cannot be
 * estimated before those it builds on are mined. `confirmed` estimates each and waits until it is mined, as a chain wants
 * it that charges for limits or where a failure must stop the rest.
 */
export type Pace = 'pipelined' | 'confirmed'

export interface DeployerOptions {
  readonly rpcUrl: string
  readonly profile: ChainProfile
  readonly privateKey: Hex
  readonly pace: Pace
  /** Called for each mined transaction, at the pace `confirmed`. */
  readonly progress?: (what: string) => void
}

/** How long is waited between two looks for a block that is to come. */
export const pollingMs = ({ blockTimeMs }: ChainProfile): number => blockTimeMs / 8

/** Sends the transactions of one account. Nonces are counted here, and contract addresses follow from them. */
export class Deployer {
  /** Lower-case. */
  readonly address: Hex
  readonly #options: DeployerOptions
  readonly #publicClient
  readonly #walletClient
  readonly #rpc: Rpc
  readonly #sent: SentTransaction[] = []
  #nonce = 0
  #firstBlock: bigint | null = null
  #lastBlock: bigint | null = null

  private constructor(options: DeployerOptions) {
    const { rpcUrl, profile, privateKey, pace } = options
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 }
    const rpcUrls = { default: { http: [rpcUrl] } }
    const chain = defineChain({ id: profile.chainId, name: profile.name, nativeCurrency, rpcUrls })
    const transport = http(rpcUrl)
    const pollingInterval = pace === 'pipelined' ? 50 : pollingMs(profile)
    const account = privateKeyToAccount(privateKey)
    this.#options = options
    this.address = account.address.toLowerCase() as Hex
    this.#publicClient = createPublicClient({ chain, transport, pollingInterval })
    this.#walletClient = createWalletClient({ chain, transport, account })
    this.#rpc = patientRpc(createRpc({ url: rpcUrl }), patienceOf(pollingInterval))
  }

  /** Throws when the node is of another chain than the profile. */
  static async connect(options: DeployerOptions): Promise<Deployer> {
    const deployer = new Deployer(options)
    const chainId = await deployer.#publicClient.getChainId()
    if (chainId !== options.profile.chainId) {
      throw new Error(`the node is of chain ${chainId}, expected CHAIN_ID ${options.profile.chainId}`)
    }
    deployer.#nonce = await deployer.#publicClient.getTransactionCount({
      address: deployer.address,
      blockTag: 'pending',
    })
    return deployer
  }

  /** Deploys `name` with its constructor's arguments, after the libraries that it is linked with. */
  async deploy<Name extends string>(
    name: Name,
    constructorArguments: ConstructorArguments<Name>,
  ): Promise<Deployed<Name>> {
    const artifact = await readLinkable(name)
    const libraries = new Map<string, Hex>()
    for (const library of Object.keys(artifact.libraries))
      libraries.set(library, (await this.deploy(library, [])).address)
    const { abi } = artifact
    const bytecode = link(artifact, libraries)
    const address = getContractAddress({ from: this.address, nonce: BigInt(this.#nonce) }).toLowerCase() as Hex
    const data = encodeDeployData({ abi, bytecode, args: constructorArguments })
    await this.#send(`deployment of ${name}`, null, data)
    // The types of an ABI and the artifact are generated from one source, and compared by the check.
    return { address, abi } as Deployed<Name>
  }

  /** Deploys `name` behind an upgradeable proxy and initialises it in the same transaction. */
  async deployProxy<Name extends string>(
    name: Name,
    constructorArguments: ConstructorArguments<Name>,
    initializeArguments: ArgumentsOf<AbiOf<Name>, ContractFunctionName<AbiOf<Name>> & 'initialize'>,
  ): Promise<Deployed<Name>> {
    const implementation = await this.deploy(name, constructorArguments)
    const { abi } = implementation
    const initialize = encodeCall<Abi, 'initialize'>(abi, 'initialize', initializeArguments)
    const proxy = await this.deploy('ERC1967Proxy', [implementation.address, initialize])
    return { address: proxy.address, abi }
  }

  /** Calls a function of a contract. */
  async call<const A extends Abi, Name extends ContractFunctionName<A>>(
    contract: Contract<A>,
    functionName: Name,
    callArguments: ArgumentsOf<A, Name>,
  ): Promise<void> {
    const data = encodeCall<A, Name>(contract.abi, functionName, callArguments)
    await this.#send(`${functionName} at ${contract.address}`, contract.address, data)
  }

  /**
   * Waits for every transaction sent; throws naming the ones that reverted. Returns the block of the first, or null when
   * nothing was sent.
   */
  async finish(): Promise<bigint | null> {
    const open = this.#sent.splice(0)
    const receipts = await Promise.all(
      open.map(({ hash }) => this.#publicClient.waitForTransactionReceipt({ hash, timeout: 60_000 })),
    )
    const reverted = open.filter((_, index) => receipts[index]?.status !== 'success')
    if (reverted.length > 0) throw new Error(`reverted on chain: ${reverted.map(({ what }) => what).join(', ')}`)
    this.#firstBlock ??= receipts[0]?.blockNumber ?? null
    for (const { blockNumber } of receipts) this.#lastBlock = max(this.#lastBlock ?? 0n, blockNumber)
    return this.#firstBlock
  }

  /** The block that has everything waited for; null when nothing was sent. */
  get lastBlock(): bigint | null {
    return this.#lastBlock
  }

  async #send(what: string, to: Hex | null, data: Hex): Promise<void> {
    const isPipelined = this.#options.pace === 'pipelined'
    const gas = isPipelined ? PIPELINED_GAS_LIMIT : await this.#gasLimit(what, to, data)
    const hash = await this.#walletClient.sendTransaction({ to, data, nonce: this.#nonce++, gas })
    this.#sent.push({ hash, what })
    if (isPipelined) return
    await this.finish()
    this.#options.progress?.(what)
  }

  /**
   * Estimated at the block of the last receipt, which a node that stands behind does not have: on an older state a call of a contract that is not
   * there yet would need next to nothing.
   */
  async #gasLimit(what: string, to: Hex | null, data: Hex): Promise<bigint> {
    const block = this.#lastBlock === null ? 'latest' : toHex(this.#lastBlock)
    const call = to === null ? { from: this.address, data } : { from: this.address, to, data }
    const estimate = await this.#rpc.call<Hex>('eth_estimateGas', [call, block]).catch((cause) => {
      throw new Error(`${what} would fail: ${classifySimulation(cause).message}`, { cause })
    })
    return bufferedGas(this.#options.profile.gas, BigInt(estimate))
  }
}
