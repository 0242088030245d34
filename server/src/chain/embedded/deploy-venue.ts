import { Deployer } from '../deploy/deployer.ts'
import type { DevelopmentDeployment } from '../deploy/product-deployment.ts'
import type { Addresses } from '../deploy/roles.ts'
import { chainProfile } from '../profiles.ts'
import { createRpc } from '../rpc.ts'
import type { Deployment } from '../types.ts'
import type { DevelopmentAccounts } from './accounts.ts'

const USDC = 10n ** 6n
const USER_FUNDS = 1_000_000n * USDC
const SETTLER_FUNDS = 100_000_000n * USDC

export interface DeployOptions {
  readonly rpcUrl: string
  readonly chainId: number
  readonly accounts: DevelopmentAccounts
  readonly products: readonly DevelopmentDeployment[]
}

/**
 * Deploys, wires and funds everything on a development chain: its cash, then the products in their order. The operators'
 * accounts must hold native coin.
 */
export async function deployVenue({ rpcUrl, chainId, accounts, products }: DeployOptions): Promise<Deployment> {
  const connect = (privateKey: `0x${string}`) =>
    Deployer.connect({ rpcUrl, profile: chainProfile(chainId), privateKey, pace: 'pipelined' })
  const admin = await connect(accounts.admin.privateKey)
  const usdc = await admin.deploy('TestUSDC', [])
  let addresses: Addresses = {}
  for (const product of products) {
    addresses = { ...addresses, ...(await product.deploy(admin, { accounts, usdc: usdc.address, addresses })) }
  }
  for (const { address } of accounts.users) await admin.call(usdc, 'mint', [address, USER_FUNDS])
  await admin.call(usdc, 'mint', [accounts.settle.address, SETTLER_FUNDS])
  const startBlock = (await admin.finish()) ?? 0n
  const settler = await connect(accounts.settle.privateKey)
  for (const product of products) await product.approve(settler, createRpc({ url: rpcUrl }), addresses)
  return { chainId, startBlock, contracts: addresses }
}
