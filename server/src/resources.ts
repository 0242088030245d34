import { rm, writeFile } from 'node:fs/promises'
import { type MasterKeys, parseMasterKeys } from './auth/secrets.ts'
import { deploymentFileOf, readDeployment } from './chain/deployment.ts'
import { embeddedSigners } from './chain/embedded/accounts.ts'
import { type EmbeddedChain, startEmbeddedChain } from './chain/embedded/embedded-chain.ts'
import type { SignerKey } from './chain/send/signer.ts'
import { configuredSigners } from './chain/send/signer-variables.ts'
import type { Deployment } from './chain/types.ts'
import { type Config, signersOf } from './config.ts'
import { startEmbeddedPostgres } from './db/embedded.ts'
import { migrate } from './db/migrate.ts'
import { createPool, type Sql } from './db/pool.ts'
import { connectRedis, type Redis } from './db/redis.ts'
import { isTransientDatabaseError } from './db/transient.ts'
import { type DataDir, openDataDir } from './embedded/data-dir.ts'
import type { Logger } from './lib/logger.ts'
import type { RecordedFile } from './market/embedded.ts'
import { marketListings } from './market/open.ts'
import { migrationFolders, type VenueProduct } from './roles/products.ts'

/** The roles have ended before the pool does: what is still on its way is nobody's, such as a connection that hangs. */
const POOL_END_SEC = 0.5

/** The resources of the roles, each embedded or by URL. */
export interface Resources {
  readonly sql: Sql
  /** Of a process with the role api; null for the others, and without REDIS_URL. */
  readonly redis: Redis | null
  readonly rpcUrl: string
  readonly deployment: Deployment
  readonly masterKeys: MasterKeys | null
  readonly signers: readonly SignerKey[]
  /** The embedded chain and its folder; null when the chain is given by URL. */
  readonly embedded: { readonly chain: EmbeddedChain; readonly dataDir: DataDir } | null
  /** Releases everything, the database last. */
  close(): Promise<void>
}

type Undo = () => Promise<unknown>

/** Names the server that cannot be had, whose own error names an address at most, and never the password in its URL. */
const withPlace =
  (variable: string, url: string) =>
  (cause: unknown): never => {
    if (!isTransientDatabaseError(cause)) throw cause
    throw new Error(
      `${variable}: no connection to ${new URL(url).host} (${cause instanceof Error ? cause.message : cause})`,
      { cause },
    )
  }

/** To whom a start tells what it does, and what ends its wait for others. */
export interface StartContext {
  readonly log: Logger
  readonly progress: (text: string) => void
  readonly stopRequested: AbortSignal
}

/** Starts or connects everything, in order, for these products. What was started is stopped again when a later part fails. */
export async function openResources(
  config: Config,
  products: readonly VenueProduct[],
  recorded: readonly RecordedFile[],
  context: StartContext,
): Promise<Resources> {
  const undo: Undo[] = []
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return { ...(await open(config, products, recorded, context, undo)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function open(
  config: Config,
  products: readonly VenueProduct[],
  recorded: readonly RecordedFile[],
  { log, progress, stopRequested }: StartContext,
  undo: Undo[],
): Promise<Omit<Resources, 'close'>> {
  const usesFolder = config.CHAIN_RPC_URL === undefined || config.DATABASE_URL === undefined
  const dataDir = usesFolder ? await openDataDir(config.DATA_DIR) : null
  if (dataDir) undo.push(dataDir.release)

  const databaseUrl = config.DATABASE_URL ?? (await embeddedDatabase(required(dataDir), progress, undo))
  await migrate(databaseUrl, { folders: migrationFolders(products), progress, signal: stopRequested }).catch(
    withPlace('DATABASE_URL', databaseUrl),
  )
  const maxConnections = config.DATABASE_CONNECTIONS
  const sql = createPool({ url: databaseUrl, maxConnections, applicationName: 'bourse' })
  undo.push(() => sql.end({ timeout: POOL_END_SEC }))
  // What is in it is the api's alone: the other roles start, and are ready, without one.
  const redisUrl = config.roles.has('api') ? config.REDIS_URL : undefined
  const redis =
    redisUrl === undefined ? null : await connectRedis(redisUrl, log).catch(withPlace('REDIS_URL', redisUrl))
  if (redis) undo.push(async () => redis.destroy())

  const secretsKey = config.SECRETS_KEY ?? (config.DATABASE_URL ? undefined : await dataDir?.secret('secrets.key'))
  const masterKeys = secretsKey === undefined ? null : parseMasterKeys(secretsKey)
  const common = { sql, redis, masterKeys }
  if (config.CHAIN_RPC_URL !== undefined) {
    const deployment = await readDeployment(deploymentFile(config), config.CHAIN_ID)
    return {
      ...common,
      rpcUrl: config.CHAIN_RPC_URL,
      deployment,
      signers: configuredSigners(signersOf(products), config.values),
      embedded: null,
    }
  }
  const folder = required(dataDir)
  const listings = await marketListings(config, recorded)
  const development = products.flatMap((product) => product.development(listings) ?? [])
  progress('Starting the chain …')
  const chain = await startEmbeddedChain({
    folder: folder.path,
    chainId: config.CHAIN_ID,
    products: development,
    progress,
  })
  undo.push(chain.stop)
  const signers = embeddedSigners(signersOf(products))
  const { rpcUrl, deployment } = chain
  return { ...common, rpcUrl, deployment, signers, embedded: { chain, dataDir: folder } }
}

async function embeddedDatabase(dataDir: DataDir, progress: (text: string) => void, undo: Undo[]): Promise<string> {
  progress('Starting the database …')
  const folder = dataDir.file('postgres')
  const server = await startEmbeddedPostgres({ folder, durable: true, maxConnections: 100 })
  undo.push(server.stop)
  // The command-line key tool finds the database of a running venue here.
  await writeFile(dataDir.file('database.url'), server.url, { mode: 0o600 })
  undo.push(() => rm(dataDir.file('database.url'), { force: true }))
  return server.url
}

function required(dataDir: DataDir | null): DataDir {
  if (dataDir) return dataDir
  throw new Error('an embedded part needs a data folder')
}

const deploymentFile = (config: Config): string => config.DEPLOYMENT_FILE ?? deploymentFileOf(config.CHAIN_ID)
