import { readFile } from 'node:fs/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import { chainProfile } from './chain/profiles.ts'
import { createRpc } from './chain/rpc.ts'
import { type Config, ConfigError, loadConfig, type Role } from './config.ts'
import { delegationEvents } from './delegation/events.ts'
import { type DevFile, writeDevFile } from './dev-file.ts'
import type { Venue } from './http/product.ts'
import { sleep, systemClock } from './lib/clock.ts'
import { createLogger, type Logger } from './lib/logger.ts'
import type { RecordedFile } from './market/embedded.ts'
import { marketTasks } from './market/tasks.ts'
import { openMarket, recordedFiles } from './market-setup.ts'
import { openResources, type Resources } from './resources.ts'
import { startApi } from './roles/api.ts'
import { runIndexer } from './roles/indexer.ts'
import { runKeeper } from './roles/keeper.ts'
import { type VenueProduct, venueProducts } from './roles/products.ts'
import { runRelayer } from './roles/relayer.ts'
import type { RoleContext } from './roles/role.ts'
import { notReady } from './roles/status.ts'
import { summary } from './summary.ts'

const READY_TIMEOUT_MS = 120_000

/** A role at work. `done` settles early only when the role fails. */
interface RunningRole {
  readonly done: Promise<void>
  stop(): Promise<void>
}

const progress = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

/** The venue from its first moment to its last: configuration, resources, roles, drain (design 1). */
async function main(): Promise<void> {
  const config = loadConfig(process.env)
  const log = createLogger(config.LOG_LEVEL)
  // Heard from the first moment on: a start under way is finished, then everything stops in order.
  const stopRequested = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
  const recorded = recordedFiles(config.MARKET_RECORDED_FILES)
  const resources = await openResources(config, recorded, log, progress)
  const running: RunningRole[] = []
  try {
    await startRoles(config, resources, recorded, log, running)
    await Promise.race([stopRequested, ...running.map(({ done }) => done)])
    progress('Stopping …')
  } finally {
    for (const role of running.reverse()) await role.stop()
    await resources.close()
  }
}

async function startRoles(
  config: Config,
  resources: Resources,
  recorded: readonly RecordedFile[],
  log: Logger,
  running: RunningRole[],
): Promise<void> {
  const { sql, deployment } = resources
  const products = venueProducts({
    chainId: config.CHAIN_ID,
    stockPrefix: config.STOCK_PREFIX,
    stockProduct: config.STOCK_PRODUCT,
    submitGasPerDay: BigInt(config.SUBMIT_GAS_PER_DAY),
    buffers: config.buffers,
    streams: config.streams,
  })
  const venue: Venue = { sql, deployment, rpc: createRpc({ url: resources.rpcUrl }), clock: systemClock, log }
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })
  const start = (role: Role, run: (context: RoleContext) => Promise<void>) => {
    if (config.roles.has(role)) running.push(launch({ venue, profile: chainProfile(config.CHAIN_ID), metrics }, run))
  }

  start('indexer', (context) =>
    runIndexer(context, [delegationEvents, ...products.map(({ product }) => product.events)]),
  )
  start('relayer', (context) => runRelayer(context, resources.signers))
  start('keeper', async (context) => {
    const market = await openMarket(sql, config, recorded, log)
    const tasks = [...marketTasks(market), ...market.tasks, ...products.flatMap(({ product }) => product.tasks(market))]
    await runKeeper(context, tasks).finally(() => market.close())
  })
  if (config.roles.has('api')) await startApiRole(config, resources, products, { venue, metrics }, running)
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
  products: readonly VenueProduct[],
  { venue, metrics }: Pick<RoleContext, 'venue' | 'metrics'>,
  running: RunningRole[],
): Promise<void> {
  const { masterKeys, redis } = resources
  if (!masterKeys) throw new ConfigError('SECRETS_KEY must be set for the role api')
  const context = { venue, metrics, profile: chainProfile(config.CHAIN_ID), signal: new AbortController().signal }
  const tls = await readTls(config)
  const { HOST: host, PORT: port, trustedProxies, streamLimits } = config
  const api = await startApi(context, { products, masterKeys, redis, host, port, trustedProxies, tls, streamLimits })
  running.push({ done: new Promise(() => {}), stop: () => api.close() })
  const devFile = resources.embedded && (await describe(config, resources, api.url))
  await untilReady(venue, running)
  progress(summary({ url: api.url, roles: [...config.roles], devFile, dataDir: config.DATA_DIR }))
}

async function readTls({ TLS_CERT, TLS_KEY }: Config): Promise<{ cert: string; key: string } | null> {
  if (TLS_CERT === undefined || TLS_KEY === undefined) return null
  return { cert: await readFile(TLS_CERT, 'utf8'), key: await readFile(TLS_KEY, 'utf8') }
}

/** Writes dev.json: the embedded venue's alone, a production venue writes no secrets anywhere (design 6). */
async function describe(config: Config, resources: Resources, url: string): Promise<DevFile | null> {
  const { embedded, masterKeys, sql, rpcUrl, deployment } = resources
  if (!embedded || !masterKeys) return null
  const accounts = embedded.chain.accounts.users
  const path = embedded.dataDir.file('dev.json')
  const baseUrl = `${url.replace('0.0.0.0', '127.0.0.1')}${config.STOCK_PREFIX}`
  const productType = config.STOCK_PRODUCT
  return writeDevFile({ path, sql, masterKeys, rpcUrl, deployment, accounts, baseUrl, productType })
}

/** Waits until this process can serve, when it is the one that makes it so. */
async function untilReady(venue: Venue, running: readonly RunningRole[]): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS
  const failed = Promise.race(running.map(({ done }) => done))
  while ((await notReady(venue)).length > 0 && Date.now() < deadline) {
    await Promise.race([sleep(50), failed])
  }
}

try {
  await main()
} catch (error) {
  const isConfig = error instanceof ConfigError
  process.stderr.write(`${isConfig ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
}
