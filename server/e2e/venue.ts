import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readDeployment } from '../src/chain/deployment.ts'
import { DEVELOPMENT_MNEMONIC, developmentAccounts } from '../src/chain/embedded/accounts.ts'
import { type Anvil, startAnvil } from '../src/chain/embedded/anvil.ts'
import { ensureTemplate, withDatabase, within } from '../src/db/testing-template.ts'
import { freePort } from '../src/lib/free-port.ts'
import { programFile } from '../src/lib/testing-programs.ts'
import { type ApiKey, Client, eventually } from './client.ts'
import { createKeyIn, type KeyOptions, type KeyStore } from './keys.ts'
import { copyPreparedData, preparedFolder } from './prepared.ts'

const root = join(import.meta.dirname, '..', '..')
const MAIN = join(root, 'server', 'src', 'main.ts')
const CLI = join(root, 'server', 'src', 'cli.ts')
const PRODUCT = 'Bourse'
const CHAIN_ID = 31_337

/** A running venue as a client sees it. */
export interface Venue {
  readonly client: Client
  readonly rpcUrl: string
  readonly contracts: Readonly<Record<string, `0x${string}`>>
  readonly accounts: readonly { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }[]
  readonly baseUrls: readonly string[]
  /** The venue's database, to see that nothing was changed. */
  readonly databaseUrl: string
  createKey(options: KeyOptions): Promise<ApiKey>
  /** Runs the operator's command-line tool. */
  cli(...args: string[]): string
  stop(): Promise<void>
}

/** A venue of a test file's own. */
export interface RunningVenue extends Venue {
  readonly keyStore: KeyStore
  /** Runs the operator's command-line tool, and lets this process go on meanwhile. */
  command(...args: string[]): Promise<string>
}

/**
 * A venue of its own for a test file: everything in one process, embedded; or, when the tests run against servers
 * (DATABASE_URL and REDIS_URL), each role in a process of its own, two of them api.
 */
export function startVenue(): Promise<RunningVenue> {
  const { DATABASE_URL, REDIS_URL } = process.env
  return DATABASE_URL && REDIS_URL ? startRoles(DATABASE_URL, REDIS_URL) : startEmbedded()
}

/** A venue is ready before its keeper has the first quotes, and nothing can be traded until then. */
async function untilQuoted(databaseUrl: string): Promise<void> {
  await within(databaseUrl, (sql) => {
    const unquoted = async () =>
      (
        await sql`select symbol from market_symbols where symbol not in (select symbol from market_quotes)
        union all select 'none' where not exists (select from market_quotes)`
      ).map((row) => row.symbol)
    return eventually(unquoted, (symbols) => symbols.length === 0)
  })
}

async function startEmbedded(): Promise<RunningVenue> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-e2e-'))
  const dataDir = join(folder, 'data')
  const embedded = await runEmbedded(dataDir)
  const keyStore = await keyStoreOf(dataDir)
  return {
    ...(await venueOf(embedded.dev)),
    databaseUrl: keyStore.databaseUrl,
    cli: runCli({ DATA_DIR: dataDir }),
    command: runCommand({ DATA_DIR: dataDir }),
    keyStore,
    createKey: createKeyIn(keyStore),
    async stop() {
      await embedded.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The keys of the embedded venue that runs on a data folder. */
export async function keyStoreOf(dataDir: string): Promise<KeyStore> {
  const [databaseUrl, secretsKey] = await Promise.all(
    ['database.url', 'secrets.key'].map(async (name) => (await readFile(join(dataDir, name), 'utf8')).trim()),
  )
  return { databaseUrl: databaseUrl as string, secretsKey: secretsKey as string }
}

interface DevFile {
  readonly chain: { readonly rpcUrl: string }
  readonly contracts: Venue['contracts']
  readonly accounts: Venue['accounts']
  readonly stock: { readonly baseUrl: string; readonly keys: readonly [ApiKey, ApiKey] }
}

export interface EmbeddedProcess {
  readonly dev: DevFile
  readonly process: ChildProcess
  /** What it printed so far. */
  output(): string
  /** SIGTERM; throws unless it ends with exit code 0. */
  stop(): Promise<void>
  /** SIGKILL of the venue and of every process it started, at once, as when a machine loses power. */
  killEverything(): void
}

/**
 * Starts `main.ts` on a data folder, as `npm start` does, and waits for its summary and the first quotes. A folder that is
 * not there yet gets what is prepared for the venues of the run, unless its `first` start is what the test is about.
 */
export async function runEmbedded(
  dataDir: string,
  more: Readonly<Record<string, string>> = {},
  first = false,
): Promise<EmbeddedProcess> {
  if (!first && !existsSync(dataDir)) await copyPreparedData(dataDir)
  const child = spawnVenue({ DATA_DIR: dataDir, PORT: '0', ...more }, first ? MAIN : programFile(MAIN))
  await child.ready
  await untilQuoted((await readFile(join(dataDir, 'database.url'), 'utf8')).trim())
  const dev = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8')) as DevFile
  return {
    dev,
    process: child.process,
    output: child.output,
    stop: child.stop,
    killEverything: () => treeOf(child.process.pid as number).forEach(killIfAlive),
  }
}

/** Waits until a block is in the chain's state that a start after a hard kill falls back to. */
export async function untilSaved(dataDir: string, block: bigint): Promise<void> {
  const saved = async () => {
    const text = await readFile(join(dataDir, 'chain.json.copy'), 'utf8').catch(() => '{}')
    return Number(JSON.parse(text).best_block_number ?? 0)
  }
  await eventually(saved, (number) => number >= block)
}

/** A process and every process below it. */
function treeOf(pid: number): number[] {
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
    .stdout.toString()
    .split(/\s+/)
    .filter(Boolean)
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))]
}

/** A process may end by itself when the one above it is killed. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function venueOf(dev: DevFile): Promise<Omit<Venue, 'stop' | 'cli' | 'createKey' | 'databaseUrl'>> {
  const baseUrls = [dev.stock.baseUrl]
  const client = new Client({ baseUrls, chainId: CHAIN_ID, productType: PRODUCT, key: dev.stock.keys[0] })
  return { client, rpcUrl: dev.chain.rpcUrl, contracts: dev.contracts, accounts: dev.accounts, baseUrls }
}

/**
 * A node of its own with contracts, and what every process of a venue on it is told but its database. Its chain goes on from the
 * state in `chainState` where that is given.
 */
export async function startNode(contracts: 'stocks' | 'both' = 'stocks', chainState?: string) {
  const prepared = await preparedFolder(contracts)
  if (!prepared) throw new Error('run the tests through vitest from the repository root')
  const initialState = chainState ?? join(prepared, 'chain.json')
  const chain = await startAnvil({ chainId: CHAIN_ID, mnemonic: DEVELOPMENT_MNEMONIC, initialState })
  const accounts = developmentAccounts()
  const deploymentFile = join(prepared, 'deployment.json')
  const deployment = await readDeployment(deploymentFile, CHAIN_ID)
  const environment = {
    CHAIN_RPC_URL: chain.rpcUrl,
    DEPLOYMENT_FILE: deploymentFile,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    SIGNER_SETTLE_KEY: accounts.settle.privateKey,
    SIGNER_ORACLE_KEY: accounts.oracle.privateKey,
    SIGNER_SUBMIT_KEYS: accounts.submit.map(({ privateKey }) => privateKey).join(','),
  }
  return { chain, accounts, deployment, environment }
}

/** Production's shape: a node by URL, PostgreSQL, Redis, and five processes. */
async function startRoles(databaseUrl: string, redisUrl: string): Promise<RunningVenue> {
  const { chain, accounts, deployment, environment: node } = await startNode()
  const database = await createDatabase(databaseUrl)
  const environment = { ...node, DATABASE_URL: database.url, REDIS_URL: redisUrl }
  const ports = [await freePort(), await freePort()]
  const processes = [
    ...['indexer', 'keeper', 'relayer'].map((role) => spawnVenue({ ...environment, ROLES: role })),
    ...ports.map((port) => spawnVenue({ ...environment, ROLES: 'api', PORT: String(port) })),
  ]
  await Promise.all(processes.slice(3).map(({ ready }) => ready))
  await untilQuoted(database.url)
  const keyStore = { databaseUrl: database.url, secretsKey: environment.SECRETS_KEY }
  const createKey = createKeyIn(keyStore)
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}/stock`)
  const key = await createKey({ access: 'WRITABLE', user: accounts.users[0]?.address ?? '' })
  return {
    client: new Client({ baseUrls, chainId: CHAIN_ID, productType: PRODUCT, key }),
    rpcUrl: chain.rpcUrl,
    contracts: deployment.contracts,
    accounts: accounts.users,
    baseUrls,
    databaseUrl: database.url,
    cli: runCli(environment),
    command: runCommand(environment),
    keyStore,
    createKey,
    stop: () => stopAll(processes, chain, database.drop),
  }
}

async function stopAll(processes: readonly VenueProcess[], chain: Anvil, drop: () => Promise<unknown>) {
  await Promise.all(processes.map((one) => one.stop()))
  await chain.stop()
  await drop()
}

interface VenueProcess {
  readonly process: ChildProcess
  /** Resolves with the summary of the role api; rejects when the process ends before. */
  readonly ready: Promise<void>
  output(): string
  stop(): Promise<void>
}

/** The servers that the tests run against are a venue's only where it is told so. */
function withThese(environment: Record<string, string>): NodeJS.ProcessEnv {
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env
  return { ...inherited, ...environment }
}

/** Starts `main.ts`, or another start of a venue, with these variables. */
export function spawnVenue(environment: Record<string, string>, program = programFile(MAIN)): VenueProcess {
  const child = spawn(process.execPath, [program], { cwd: root, env: withThese(environment) })
  let output = ''
  const exited = once(child, 'exit')
  const ready = new Promise<void>((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('Bourse is ready')) resolve()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    exited.then(() => reject(new Error(`the venue ended before it was ready:\n${output}`)))
  })
  // A role without api never says that it is ready, and ends with the test.
  ready.catch(() => {})
  return {
    process: child,
    ready,
    output: () => output,
    async stop() {
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      if (code !== 0) throw new Error(`the venue ended with exit code ${code}:\n${output}`)
    },
  }
}

/** Runs `cli.ts`, or another operator's command-line tool, with these variables; throws unless it ends with exit code 0. */
export const runCli =
  (environment: Record<string, string>, source = CLI) =>
  (...args: string[]): string =>
    execFileSync(process.execPath, [programFile(source), ...args], {
      cwd: root,
      env: withThese(environment),
    }).toString()

/** The same beside this process, for one that has to go on meanwhile. */
export const runCommand =
  (environment: Record<string, string>) =>
  async (...args: string[]): Promise<string> => {
    const options = { cwd: root, env: withThese(environment) }
    return (await promisify(execFile)(process.execPath, [programFile(CLI), ...args], options)).stdout
  }

/** A migrated database on a server. */
async function createDatabase(serverUrl: string): Promise<{ url: string; drop: () => Promise<unknown> }> {
  const name = `bourse_e2e_${randomBytes(6).toString('hex')}`
  await within(serverUrl, async (sql) => {
    const template = await ensureTemplate(sql, serverUrl)
    await sql.unsafe(`create database ${name} template ${template.name}`)
  })
  const drop = () => within(serverUrl, (sql) => sql.unsafe(`drop database ${name} with (force)`))
  return { url: withDatabase(serverUrl, name), drop }
}
