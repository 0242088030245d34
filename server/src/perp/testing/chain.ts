import type { Abi, ContractFunctionName } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { type ArgumentsOf, encodeCall } from '../../chain/calls.ts'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import { Deployer } from '../../chain/deploy/deployer.ts'
import type { DevelopmentDeployment } from '../../chain/deploy/product-deployment.ts'
import { roleHash } from '../../chain/deploy/roles.ts'
import { DEVELOPMENT_MNEMONIC, type DevelopmentAccount, developmentAccounts } from '../../chain/embedded/accounts.ts'
import { type Anvil, startAnvil } from '../../chain/embedded/anvil.ts'
import { deployVenue } from '../../chain/embedded/deploy-venue.ts'
import { chainProfile } from '../../chain/profiles.ts'
import { type ContractRead, contractRead, type ReturnOf, readContract } from '../../chain/read.ts'
import { createRpc, type Rpc } from '../../chain/rpc.ts'
import type { Deployment, Hex } from '../../chain/types.ts'
import type { StartingPrice } from '../../market/open.ts'
import { perpDevelopment } from '../deploy/perp-development.ts'
import { readInstruments } from '../listing/catalogue.ts'

// The perpetual product alone on a chain of its own, for tests: with the pool of operators that the venue has beside it.

export const CHAIN_ID = 31_337
const BLOCK_TIME_SEC = 0.1

export const PRICES: readonly StartingPrice[] = [
  { symbol: 'BTC', price8: 60_000n * 10n ** 8n },
  { symbol: 'ETH', price8: 3_000n * 10n ** 8n },
]

/** What a transaction came to. */
export type Outcome = 'success' | 'reverted'

export class PerpChain {
  readonly anvil: Anvil
  readonly rpc: Rpc
  readonly deployment: Deployment
  readonly accounts = developmentAccounts()

  private constructor(anvil: Anvil, rpc: Rpc, deployment: Deployment) {
    this.anvil = anvil
    this.rpc = rpc
    this.deployment = deployment
  }

  static async start(prices: readonly StartingPrice[] = PRICES, chainId = CHAIN_ID): Promise<PerpChain> {
    const anvil = await startAnvil({
      chainId,
      blockTimeSec: BLOCK_TIME_SEC,
      mnemonic: DEVELOPMENT_MNEMONIC,
    })
    const { rpcUrl } = anvil
    const products = [operatorPool, ...(prices.some(isStock) ? [stockOracle] : []), perpDevelopment(prices)]
    const deployment = await deployVenue({ rpcUrl, chainId, accounts: developmentAccounts(), products })
    return new PerpChain(anvil, createRpc({ url: rpcUrl }), deployment)
  }

  /** The address of a contract by its name in the deployment file. */
  contract(name: string): Hex {
    const address = this.deployment.contracts[name]
    if (!address) throw new Error(`the deployment names no ${name}`)
    return address
  }

  /** The address of an instrument by its symbol. */
  async instrument(symbol: string): Promise<Hex> {
    const { list } = await readInstruments(this.rpc, this.contract('Gate'))
    const found = list.find((instrument) => instrument.symbol === symbol)
    if (!found) throw new Error(`there is no instrument ${symbol}`)
    return found.address
  }

  read<Result>(read: ContractRead<Result>): Promise<Result> {
    return readContract(this.rpc, read)
  }

  readInstrument<Name extends ContractFunctionName<typeof instrumentAbi>>(
    address: Hex,
    functionName: Name,
    args: ArgumentsOf<typeof instrumentAbi, Name>,
  ): Promise<ReturnOf<typeof instrumentAbi, Name>> {
    return this.read(contractRead<typeof instrumentAbi, Name>({ address, abi: instrumentAbi }, functionName, ...args))
  }

  /**
   * Sends as an account and waits until it is mined; a fixed gas limit, so that a revert is mined as well. The price follows the
   * base fee: what the node suggests follows the tips of the blocks before, and would double with every transaction.
   */
  async send<const A extends Abi, Name extends ContractFunctionName<A>>(
    from: DevelopmentAccount,
    to: Hex,
    abi: A,
    functionName: Name,
    args: ArgumentsOf<A, Name>,
  ): Promise<Outcome> {
    const account = privateKeyToAccount(from.privateKey)
    const count = await this.rpc.call<Hex>('eth_getTransactionCount', [from.address, 'pending'])
    const { baseFeePerGas } = await this.rpc.call<{ baseFeePerGas: Hex }>('eth_getBlockByNumber', ['latest', false])
    const signed = await account.signTransaction({
      type: 'legacy',
      chainId: this.deployment.chainId,
      nonce: Number(count),
      gasPrice: 2n * BigInt(baseFeePerGas),
      to,
      data: encodeCall<A, Name>(abi, functionName, args),
      gas: 5_000_000n,
    })
    const hash = await this.rpc.call<Hex>('eth_sendRawTransaction', [signed])
    for (;;) {
      const receipt = await this.rpc.call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
      if (receipt) return receipt.status === '0x1' ? 'success' : 'reverted'
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Who deploys as the administrator of everything. */
  admin(): Promise<Deployer> {
    const { privateKey } = this.accounts.admin
    const { rpcUrl } = this.anvil
    const profile = chainProfile(this.deployment.chainId)
    return Deployer.connect({ rpcUrl, profile, privateKey, pace: 'pipelined' })
  }

  stop(): Promise<void> {
    return this.anvil.stop()
  }
}

const isStock = ({ symbol }: StartingPrice): boolean => !PRICES.some((price) => price.symbol === symbol)

/** The oracle of the stock product, without a price; the administrator publishes and guards. */
const stockOracle: DevelopmentDeployment = {
  async deploy(admin) {
    const oracle = await admin.deployProxy('StockOracle', [], [admin.address])
    await admin.call(oracle, 'grantRole', [roleHash('PUBLISHER_ROLE'), admin.address])
    return { StockOracle: oracle.address }
  },
  approve: async () => [],
}

/** The delegatee that users sign for, which belongs to no product. */
const operatorPool: DevelopmentDeployment = {
  async deploy(admin, { accounts }) {
    const { abi } = await readArtifact('OperatorPool')
    const { address } = await admin.deployProxy('OperatorPool', [], [admin.address])
    for (const operator of accounts.submit) {
      await admin.call({ address, abi }, 'grantRole', [roleHash('OPERATOR_ROLE'), operator.address])
    }
    return { OperatorPool: address }
  },
  approve: async () => [],
}
