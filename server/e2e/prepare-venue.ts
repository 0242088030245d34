// Makes, as a process of its own, what a venue begins with: `node prepare-venue.ts data|stocks|both FOLDER` (prepared.ts).
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DevelopmentDeployment } from '../src/chain/deploy/product-deployment.ts'
import { startEmbeddedChain } from '../src/chain/embedded/embedded-chain.ts'
import { loadConfig } from '../src/config.ts'
import { createLogger } from '../src/lib/logger.ts'
import { embeddedListings, marketListings, recordedFiles } from '../src/market/open.ts'
import { openResources } from '../src/resources.ts'
import { products } from '../src/roles/products.ts'
import { stock } from '../src/stock/index.ts'
import type { Prepared } from './prepared.ts'

const recorded = recordedFiles(undefined)
const quiet = () => {}
const context = {
  log: createLogger('silent'),
  progress: quiet,
  stopRequested: new AbortController().signal,
}

const KINDS: Readonly<Record<Prepared, (folder: string) => Promise<void>>> = {
  async data(folder) {
    const { close } = await openResources(configOf(folder), products, recorded, context)
    await close()
    // Each venue makes its own.
    await rm(join(folder, 'secrets.key'))
  },
  async stocks(folder) {
    const development = stock.development({ stocks: embeddedListings(recorded), prices: [] })
    await deployedChain(folder, development ? [development] : [])
  },
  async both(folder) {
    const listings = await marketListings(configOf(folder), recorded)
    const development = products.flatMap((product) => product.development(listings) ?? [])
    await deployedChain(folder, development)
  },
}

const configOf = (folder: string) => loadConfig({ DATA_DIR: folder }, products)

async function deployedChain(folder: string, development: readonly DevelopmentDeployment[]): Promise<void> {
  const { stop } = await startEmbeddedChain({ folder, chainId: 31_337, products: development, progress: quiet })
  await stop()
}

const [kind, folder] = process.argv.slice(2)
if (!folder || !kind || !(kind in KINDS)) throw new Error('usage: prepare-venue.ts data|stocks|both FOLDER')
await KINDS[kind as Prepared](folder)
process.exit()
