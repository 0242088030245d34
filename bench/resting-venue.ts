import { join } from 'node:path'
import { DEVELOPMENT_MNEMONIC } from '../server/src/chain/embedded/accounts.ts'
import { startAnvil } from '../server/src/chain/embedded/anvil.ts'
import type { EventModule } from '../server/src/chain/follow/event-module.ts'
import { runFollower } from '../server/src/chain/follow/follower.ts'
import { chainProfile } from '../server/src/chain/profiles.ts'
import { createRpc, type Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { delegationEvents } from '../server/src/delegation/events.ts'
import { createLogger } from '../server/src/lib/logger.ts'
import { products } from '../server/src/roles/products.ts'
import type { VenueServer } from './http/server-process.ts'
import type { LiveVenue } from './live-venue.ts'
import { untilIndexed } from './until-indexed.ts'

/** As many as the venue opens. */
const CONNECTIONS = 20

/** Node and database of a venue that has ended; the node makes no block unless it is told to. */
export interface RestingVenue {
  readonly rpc: Rpc
  readonly rpcUrl: string
  readonly sql: Sql
  readonly databaseUrl: string
  /** An api process on them. */
  readonly server: VenueServer
  /** The newest block that the venue made. */
  readonly head: bigint
  close(): Promise<void>
}

/** What the indexer writes, by modules, as the role has them. */
export const modules: readonly EventModule[] = [delegationEvents, ...products.map(({ events }) => events)]

/** Ends a venue and starts its node and its database again; what it had left of its chain is indexed. */
export async function restingVenue(venue: LiveVenue): Promise<RestingVenue> {
  await venue.stop()
  const { dataDir, deployment } = venue
  const folder = join(dataDir, 'postgres')
  const database = await startEmbeddedPostgres({ folder, durable: true, maxConnections: 100 })
  const { chainId } = deployment
  const statePath = join(dataDir, 'chain.json')
  const anvil = await startAnvil({ chainId, statePath, mnemonic: DEVELOPMENT_MNEMONIC, noMining: true })
  const sql = createPool({ url: database.url, maxConnections: CONNECTIONS, applicationName: 'bench' })
  const rpc = createRpc({ url: anvil.rpcUrl })
  const close = async () => {
    await sql.end()
    await anvil.stop()
    await database.stop()
  }
  try {
    const head = BigInt(await rpc.call<Hex>('eth_blockNumber'))
    await followUntil({ rpc, sql, deployment }, modules, () => untilIndexed(rpc, sql))
    const { rpcUrl } = anvil
    const server = { ...venue.server, databaseUrl: database.url, rpcUrl }
    return { rpc, rpcUrl, sql, databaseUrl: database.url, server, head, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Runs the indexer of the role until something is so. */
export async function followUntil(
  { rpc, sql, deployment }: Pick<RestingVenue, 'rpc' | 'sql'> & Pick<LiveVenue, 'deployment'>,
  followed: readonly EventModule[],
  isSo: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const following = runFollower({
    sql,
    rpc,
    deployment,
    profile: chainProfile(deployment.chainId),
    modules: followed,
    log: createLogger('error'),
    signal: stop.signal,
  })
  try {
    await Promise.race([following, isSo()])
  } finally {
    stop.abort()
    await following
  }
}
