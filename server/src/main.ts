import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { chainProfile } from './chain/profiles.ts'
import { createRpc } from './chain/rpc.ts'
import { type Config, ConfigError, loadConfig, type Role } from './config.ts'
import { MigrationStopped } from './db/migrate.ts'
import { delegationEvents } from './delegation/events.ts'
import { APP_FOLDER, untilAppIsBuilt } from './embedded/app-build.ts'
import { type DevFile, readDevFile, writeDevFile } from './embedded/dev-file.ts'
import { devJsonRpc } from './embedded/dev-rpc.ts'
import { type SummaryOptions, summary } from './embedded/summary.ts'
import type { JsonRpc } from './http/dev-rpc.ts'
import { createHealthServer } from './http/health.ts'
import type { Venue } from './http/product.ts'
import { drain, listen } from './http/server.ts'
import { aborted, sleep, systemClock } from './lib/clock.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import type { RecordedFile } from './market/embedded.ts'
import { openMarket, recordedFiles } from './market/open.ts'
import { marketTasks } from './market/tasks.ts'
import { openResources, type Resources } from './resources.ts'
import { type RunningApi, startApi } from './roles/api.ts'
import { openHealth, type ProcessHealth, type StartingHealth, startingHealth } from './roles/health.ts'
import { runIndexer } from './roles/indexer.ts'
import { runKeeper } from './roles/keeper.ts'
import { openProducts, products, type RunningProduct, type VenueProduct } from './roles/products.ts'
import { runRelayer } from './roles/relayer.ts'
import type { RoleContext } from './roles/role.ts'

const READY_TIMEOUT_MS = 120_000

/** A role at work. `done` settles early only when the role fails. */
interface RunningRole {
  readonly done: Promise<void>
  stop(): Promise<void>
}

const progress = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** The life of a process: configuration, resources, roles, drain. */
async function main(products: readonly VenueProduct[]): Promise<void> {
  const config = loadConfig(process.env, products)
  const log = createLogger(config.LOG_LEVEL)
  // Heard from the first moment on: a start under way is finished, but for its wait for others, then everything stops in order.
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  const recorded = recordedFiles(config.MARKET_RECORDED_FILES)
  const early = await startHealth(config, log)
  const resources = await openResources(config, products, recorded, { log, progress, stopRequested: stop.signal })
  const running: RunningRole[] = []
  try {
    const beginning = { recorded, log, early, stopRequested: stop.signal }
    const health = await startRoles(config, products, resources, beginning, running)
    await Promise.race([aborted(stop.signal), ...running.map(({ done }) => done)])
    progress('Stopping …')
    health.stopping()
    // Whoever spreads requests over the processes looks at /readyz and sends no more, before the port closes.
    if (config.roles.has('api')) await sleep(config.DRAIN_NOTICE_MS)
  } finally {
    for (const role of running.reverse()) await role.stop()
    await resources.close()
  }
}

/** What a process has before its roles. */
interface Beginning {
  readonly recorded: readonly RecordedFile[]
  readonly log: Logger
  readonly early: EarlyHealth
  readonly stopRequested: AbortSignal
}

async function startRoles(
  config: Config,
  products: readonly VenueProduct[],
  resources: Resources,
  { recorded, log, early, stopRequested }: Beginning,
  running: RunningRole[],
): Promise<ProcessHealth> {
  const { sql, deployment } = resources
  const venue: Venue = { sql, deployment, rpc: createRpc({ url: resources.rpcUrl }), clock: systemClock, log }
  const opened = openProducts(products, venue, config.values)
  const { metrics } = early.health
  const health = openHealth({ venue, metrics }, resources.redis, opened)
  running.push({ done: new Promise(() => {}), stop: () => health.close() })
  if (early.server) running.push(early.server)
  early.health.follow(health)
  const start = (role: Role, run: (context: RoleContext) => Promise<void>) => {
    if (config.roles.has(role)) running.push(launch({ venue, profile: chainProfile(config.CHAIN_ID), metrics }, run))
  }

  start('indexer', (context) => runIndexer(context, [delegationEvents, ...opened.map(({ events }) => events)]))
  start('relayer', (context) => runRelayer(context, resources.signers))
  start('keeper', async (context) => {
    const market = await openMarket(sql, config, recorded, log)
    const tasksOf = () => [
      ...marketTasks(market),
      ...market.tasks(),
      ...opened.flatMap((product) => product.tasks(market)),
    ]
    await runKeeper(context, tasksOf).finally(() => market.close())
  })
  if (config.roles.has('api')) await startApiRole(config, resources, opened, { venue, health, stopRequested }, running)
  return health
}

interface EarlyHealth {
  readonly health: StartingHealth
  /** Null without HEALTH_PORT. */
  readonly server: RunningRole | null
}

/**
 * The health endpoints on a port of their own, from before the database is migrated, which may take minutes in which nobody shall take
 * the process for a dead one, until after the roles have stopped.
 */
async function startHealth({ HEALTH_HOST: host, HEALTH_PORT: port }: Config, log: Logger): Promise<EarlyHealth> {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  const health = startingHealth(metrics)
  if (port === undefined) return { health, server: null }
  const server = createHealthServer(health, log)
  const url = await listen(server, { host, port })
  progress(`Health and metrics: ${url}`)
  return { health, server: { done: new Promise(() => {}), stop: () => drain(server, 0) } }
}

function launch(context: Omit<RoleContext, 'signal'>, run: (context: RoleContext) => Promise<void>): RunningRole {
  const controller = new AbortController()
  const done = run({ ...context, signal: controller.signal })
  // A failure is reported through `done` to whoever waits for it; it must not end the process before that.
  done.catch(() => {})
  return {
    done,
    async stop() {
      controller.abort()
      await done.catch(() => {})
    },
  }
}

async function startApiRole(
  config: Config,
  resources: Resources,
  products: readonly RunningProduct[],
  {
    venue,
    health,
    stopRequested,
  }: { readonly venue: Venue; readonly health: ProcessHealth; readonly stopRequested: AbortSignal },
  running: RunningRole[],
): Promise<void> {
  const { masterKeys, redis } = resources
  if (!masterKeys) throw new ConfigError('SECRETS_KEY must be set for the role api')
  const tls = await readTls(config)
  const { HOST: host, PORT: port, trustedProxies, origins, sessionMs, streamLimits, push } = config
  await untilAppIsBuilt()
  const app = { folder: APP_FOLDER, devRpc: developmentWallet(resources, venue) }
  const options = {
    products,
    masterKeys,
    redis,
    host,
    port,
    trustedProxies,
    origins,
    sessionMs,
    tls,
    streamLimits,
    push,
    health,
    app,
  }
  const api = await startApi({ venue }, options)
  running.push({ done: new Promise(() => {}), stop: () => api.close() })
  const embedded = await describeEmbedded(resources, products, venue, api)
  await untilReady(health, running, stopRequested)
  if (stopRequested.aborted) return
  const hasApp = existsSync(join(APP_FOLDER, 'index.html'))
  progress(summary({ url: api.url, hasApp, roles: [...config.roles], embedded, dataDir: config.DATA_DIR }))
}

/** Signs for pages with the accounts that an embedded chain hands to everybody; null on every other chain. */
function developmentWallet({ embedded, rpcUrl }: Resources, { rpc, log }: Venue): JsonRpc | null {
  return embedded && devJsonRpc({ rpc, rpcUrl, accounts: embedded.chain.accounts.users, log })
}

async function readTls({ TLS_CERT, TLS_KEY }: Config): Promise<{ cert: string; key: string } | null> {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return null
  return { cert: await readFile(TLS_CERT, 'utf8'), key: await readFile(TLS_KEY, 'utf8') }
}

/** Writes dev.json: the embedded venue's alone, a production venue writes no secrets anywhere. */
async function describeEmbedded(
  { embedded, rpcUrl, deployment }: Resources,
  products: readonly RunningProduct[],
  venue: Venue,
  { auth, url }: RunningApi,
): Promise<SummaryOptions['embedded']> {
  if (!embedded) return null
  const { chainId, contracts } = deployment
  const accounts = embedded.chain.accounts.users
  const path = embedded.dataDir.file('dev.json')
  const earlier = await readDevFile(path)
  const local = { venue, auth, url: url.replace('0.0.0.0', '127.0.0.1'), accounts }
  const described = await Promise.all(
    products.map(async (product) => {
      return [product.name, await product.describe({ ...local, earlier: earlier[product.name] ?? null })] as const
    }),
  )
  const parts = Object.fromEntries(described.map(([name, { dev }]) => [name, dev]))
  const devFile: DevFile = { chain: { rpcUrl, chainId }, contracts, accounts, ...parts }
  await writeDevFile(path, devFile)
  return { devFile, descriptions: described.map(([, description]) => description) }
}

/** Waits until this process can serve, or is to stop: what it waits for may be away for longer than a stop may take. */
async function untilReady(
  health: ProcessHealth,
  running: readonly RunningRole[],
  stopRequested: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  const failed = Promise.race(running.map(({ done }) => done))
  // Whoever runs the roles hears of it too; here it counts only while something is waited for.
  failed.catch(() => {})
  while (!stopRequested.aborted && (await health.notReady()).length > 0 && Date.now() < deadline) {
    await Promise.race([sleep(50, stopRequested), failed])
  }
}

/** A line for whatever collects the log, and a sentence for whoever has started the venue by hand. */
function report(error: unknown): void {
  if (error instanceof MigrationStopped) {
    progress(`Stopped: ${error.message}`)
    return
  }
  const message = (error instanceof Error && error.message) || String(error)
  // The configuration may be what is wrong, so the level is not taken from it.
  const log = createLogger(process.env.LOG_LEVEL === 'silent' ? 'silent' : 'fatal')
  // Where a variable is wrong, no line of the program says more about it.
  log.fatal(error instanceof ConfigError ? {} : { err: error }, `the venue ends: ${message}`)
  progress(`The venue ends: ${message}`)
  process.exitCode = 1
}

/** Runs the venue to its end; what stops it goes to the log and into the exit code. */
export async function runVenue(products: readonly VenueProduct[]): Promise<void> {
  process.on('uncaughtException', (error) => {
    report(error)
    process.exit()
  })
  try {
    await main(products)
  } catch (error) {
    report(error)
  }
  // Everything has been given back; a timer or a socket that nobody waits for must not hold up the end.
  process.exit()
}

if (import.meta.main) await runVenue(products)
