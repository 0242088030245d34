import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { sleep } from '../../lib/clock.ts'
import type { DevelopmentDeployment } from '../deploy/product-deployment.ts'
import { readDeployment, writeDeployment } from '../deployment.ts'
import { createRpc } from '../rpc.ts'
import type { Deployment, Hex } from '../types.ts'
import { DEVELOPMENT_MNEMONIC, type DevelopmentAccounts, developmentAccounts } from './accounts.ts'
import { startAnvil } from './anvil.ts'
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

/** Starts the venue's own chain and deploys the contracts the first time (design 2). */
export async function startEmbeddedChain(options: EmbeddedChainOptions): Promise<EmbeddedChain> {
  const { folder, chainId } = options
  const statePath = join(folder, 'chain.json')
  const anvil = await startAnvil({ chainId, statePath, mnemonic: DEVELOPMENT_MNEMONIC })
  const accounts = developmentAccounts()
  try {
    const deployment = await ensureDeployment(options, anvil.rpcUrl, statePath, accounts)
    return { rpcUrl: anvil.rpcUrl, deployment, accounts, stop: anvil.stop }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

async function ensureDeployment(
  { folder, chainId, products, progress }: EmbeddedChainOptions,
  rpcUrl: string,
  statePath: string,
  accounts: DevelopmentAccounts,
): Promise<Deployment> {
  const file = join(folder, 'deployment.json')
  if (existsSync(file)) return existingDeployment(file, chainId, rpcUrl)
  progress('Deploying contracts …')
  const deployment = await deployVenue({ rpcUrl, chainId, accounts, products })
  await stateWritten(statePath)
  await writeDeployment(file, deployment)
  return deployment
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

/** Waits until the node has written its state after now, so that a kill from here on cannot lose the deployment. */
async function stateWritten(statePath: string): Promise<void> {
  const since = Date.now()
  const writtenAt = async () => (await stat(statePath).catch(() => null))?.mtimeMs ?? 0
  for (let waitedMs = 0; (await writtenAt()) <= since; waitedMs += 50) {
    if (waitedMs > 30_000) throw new Error(`the embedded chain does not write its state to ${statePath}`)
    await sleep(50)
  }
}
