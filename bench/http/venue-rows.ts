import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDeployment } from '../../server/src/chain/deployment.ts'
import { startEmbeddedPostgres } from '../../server/src/db/embedded.ts'
import { startVenue } from '../venue.ts'
import type { VenueServer } from './server-process.ts'

const ROOT = join(import.meta.dirname, '..', '..')
/** Long enough for quotes of every symbol. */
const TRADING_MS = 5000

export interface VenueRows {
  readonly server: VenueServer
  /** The state of the venue's chain, for a node that goes on with it. */
  readonly chainStatePath: string
  /** The venue's own WRITABLE key. */
  readonly key: { readonly apiKey: string; readonly apiSecret: string; readonly userAddress: string }
  readonly stockAddress: string
  close(): Promise<void>
}

/**
 * Lets an embedded venue index its own chain, stops it, and serves its database alone: what is measured then works on
 * real rows, and no indexer or keeper competes for the processor.
 */
export async function indexedVenue(): Promise<VenueRows> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const dataDir = join(folder, 'data')
    const venue = await startVenue(process.execPath, ['server/src/main.ts'], { cwd: ROOT, dataDir })
    await new Promise((resolve) => setTimeout(resolve, TRADING_MS))
    await venue.stop()
    const dev = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8'))
    const secretsKey = (await readFile(join(dataDir, 'secrets.key'), 'utf8')).trim()
    const deployment = await readDeployment(join(dataDir, 'deployment.json'), dev.chain.chainId)
    const database = await startEmbeddedPostgres({
      folder: join(dataDir, 'postgres'),
      durable: true,
      maxConnections: 100,
    })
    return {
      server: {
        kind: 'bourse',
        databaseUrl: database.url,
        secretsKey,
        deployment: { chainId: deployment.chainId, contracts: deployment.contracts },
        productType: dev.stock.productType,
        prefix: new URL(dev.stock.baseUrl).pathname,
      },
      chainStatePath: join(dataDir, 'chain.json'),
      key: dev.stock.keys[0],
      stockAddress: dev.contracts.aAAPL,
      async close() {
        await database.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
