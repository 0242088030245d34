import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VENUE_OPTIONS } from '../scripts/venue-options.mjs'
import { readDeployment } from '../server/src/chain/deployment.ts'
import { createRpc, type Rpc } from '../server/src/chain/rpc.ts'
import type { Deployment, Hex } from '../server/src/chain/types.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import type { VenueServer } from './http/server-process.ts'
import { startVenue } from './venue.ts'

const ROOT = join(import.meta.dirname, '..')
const CONNECTIONS = 4

/** What an embedded venue writes down for scripts, as far as a bench needs it. */
export interface Dev {
  readonly chain: { readonly rpcUrl: string; readonly chainId: number }
  readonly contracts: Readonly<Record<string, Hex>>
  readonly accounts: readonly { readonly address: Hex }[]
  readonly stock: {
    readonly baseUrl: string
    readonly productType: string
    readonly keys: readonly { readonly apiKey: string; readonly apiSecret: string; readonly userAddress: string }[]
  }
  readonly perp: {
    readonly instruments: readonly { readonly symbol: string; readonly address: Hex; readonly expiry: number }[]
  }
}

/** An embedded venue at work: all its roles, its chain and its database. */
export interface LiveVenue {
  readonly dev: Dev
  readonly dataDir: string
  readonly deployment: Deployment
  readonly rpc: Rpc
  readonly sql: Sql
  /** A further api process on the venue's tables and chain. */
  readonly server: VenueServer
  /** Ends the venue; its data stay. */
  stop(): Promise<void>
  /** Ends the venue where it still runs, and removes its data. */
  close(): Promise<void>
}

/** Starts an embedded venue, as `npm start` does, in a folder of its own. */
export async function liveVenue(): Promise<LiveVenue> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const dataDir = join(folder, 'data')
    const venue = await startVenue(process.execPath, [...VENUE_OPTIONS, 'server/src/main.ts'], { cwd: ROOT, dataDir })
    const read = async (file: string) => (await readFile(join(dataDir, file), 'utf8')).trim()
    const dev = JSON.parse(await read('dev.json')) as Dev
    const databaseUrl = await read('database.url')
    const deployment = await readDeployment(join(dataDir, 'deployment.json'), dev.chain.chainId)
    const sql = createPool({ url: databaseUrl, maxConnections: CONNECTIONS, applicationName: 'bench' })
    let stopping: Promise<void> | null = null
    const stop = () => {
      stopping ??= sql.end().then(() => venue.stop())
      return stopping
    }
    return {
      dev,
      dataDir,
      deployment,
      sql,
      rpc: createRpc({ url: dev.chain.rpcUrl }),
      server: {
        kind: 'bourse',
        databaseUrl,
        secretsKey: await read('secrets.key'),
        deployment: { chainId: deployment.chainId, contracts: deployment.contracts },
        productType: dev.stock.productType,
        prefix: new URL(dev.stock.baseUrl).pathname,
        rpcUrl: dev.chain.rpcUrl,
      },
      stop,
      close: () => stop().finally(remove),
    }
  } catch (error) {
    await remove()
    throw error
  }
}
