import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DevelopmentDeployment } from '../deploy/product-deployment.ts'
import { readDeployment, writeDeployment } from '../deployment.ts'
import { createRpc } from '../rpc.ts'
import type { Deployment, Hex } from '../types.ts'
import { DEVELOPMENT_MNEMONIC, type DevelopmentAccounts, developmentAccounts } from './accounts.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { deployVenue } from './deploy-venue.ts'

export interface EmbeddedChain {
  readonly rpcUrl: string
  readonly deployment: Deployment
  readonly accounts: DevelopmentAccounts
  stop(): Promise<void>
}

export interface EmbeddedChainOptions {
  /** Folder that holds the chain's state and its deployment file. */
  readonly folder: string
  readonly chainId: number
  readonly products: readonly DevelopmentDeployment[]
  /** Called with what takes a while. */
  readonly progress: (text: string) => void
}

/** Starts the venue's own chain and deploys the contracts the first time. */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const { folder, chainId } = options
  const file = join(folder, 'deployment.json')
  const start = () => startAnvil({ chainId, statePath: join(folder, 'chain.json'), mnemonic: DEVELOPMENT_MNEMONIC })
  const accounts = developmentAccounts()
  if (!existsSync(file)) await deploy(options, await start(), file, accounts)
  const anvil = await start()
  try {
    const deployment = await existingDeployment(file, chainId, anvil.rpcUrl)
    return { rpcUrl: anvil.rpcUrl, deployment, accounts, stop: anvil.stop }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** Deploys, and ends the node: it writes its state then, so that no kill from here on can lose the deployment. */
async function deploy(
  { chainId, products, progress }: EmbeddedChainOptions,
  anvil: Anvil,
  file: string,
  accounts: DevelopmentAccounts,
): Promise<void> {
  progress('Deploying contracts …')
  const deployed = deployVenue({ rpcUrl: anvil.rpcUrl, chainId, accounts, products })
  const deployment = await deployed.finally(anvil.stop)
  await writeDeployment(file, deployment)
}

async function existingDeployment(file: string, chainId: number, rpcUrl: string): Promise<Deployment> {
  const deployment = await readDeployment(file, chainId)
  const [name, address] = Object.entries(deployment.contracts)[0] ?? []
  const code = await createRpc({ url: rpcUrl }).call<Hex>('eth_getCode', [address, 'latest'])
  if (code !== '0x') return deployment
  throw new Error(
    `the chain state beside ${file} lacks ${name}: it was lost or replaced. Remove the whole data folder to start anew.`,
  )
}
