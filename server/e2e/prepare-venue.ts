// Makes, as a process of its own, what a venue begins with: `node prepare-venue.ts data|node FOLDER` (prepared.ts).
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startEmbeddedChain } from '../src/chain/embedded/embedded-chain.ts'
import { loadConfig } from '../src/config.ts'
import { createLogger } from '../src/lib/logger.ts'
import { embeddedListings, recordedFiles } from '../src/market/open.ts'
import { openResources } from '../src/resources.ts'
import { products } from '../src/roles/products.ts'
import { stockDevelopment } from '../src/stock/deploy/stock-development.ts'
import type { Prepared } from './prepared.ts'

const recorded = recordedFiles(undefined)
const quiet = () => {}

const KINDS: Readonly<Record<Prepared, (folder: string) => Promise<void>>> = {
  async data(folder) {
    const config = loadConfig({ DATA_DIR: folder }, products)
    const { close } = await openResources(config, products, recorded, createLogger('silent'), quiet)
    await close()
    // Each venue makes its own.
    await rm(join(folder, 'secrets.key'))
  },
  async node(folder) {
    const development = [stockDevelopment(embeddedListings(recorded))]
    const { stop } = await startEmbeddedChain({ folder, chainId: 31_337, products: development, progress: quiet })
    await stop()
  },
}

const [kind, folder] = process.argv.slice(2)
if (!folder || (kind !== 'data' && kind !== 'node')) throw new Error('usage: prepare-venue.ts data|node FOLDER')
await KINDS[kind](folder)
process.exit()
