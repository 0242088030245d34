import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type postgres from 'postgres'
import { type ApiKey, Client, type ClientOptions } from '../../server/e2e/client.ts'
import { createKeyIn } from '../../server/e2e/keys.ts'
import { PerpClient } from '../../server/e2e/perp-client.ts'
import { runCommand, spawnVenue, startNode, type Venue } from '../../server/e2e/venue.ts'
import { developmentAccount } from '../../server/src/chain/embedded/accounts.ts'
import { whilePaused } from '../../server/src/chain/embedded/testing-pause.ts'
import { createRpc } from '../../server/src/chain/rpc.ts'
import { type TestDatabase, testDatabase } from '../../server/src/db/testing.ts'
import { withDatabase, within } from '../../server/src/db/testing-template.ts'
import { startWire, type Wire } from '../../server/src/db/testing-wire.ts'
import { sleep } from '../../server/src/lib/clock.ts'
import { freePort } from '../../server/src/lib/free-port.ts'
import { perp } from '../../server/src/perp/index.ts'
import { PatientClient } from './patient-client.ts'

/** Every role in a process of its own, a second one beside each that waits for the lock of the first. */
export const PROCESSES = ['api', 'indexer', 'indexer-2', 'keeper', 'keeper-2', 'relayer', 'relayer-2'] as const
export type ProcessName = (typeof PROCESSES)[number]

/** What a process has of the network: both can be cut and can hang. */
export type Link = 'database' | 'chain'

const PRODUCT = 'Bourse'
const CHAIN_ID = 31_337

interface Placed {
  readonly wires: Readonly<Record<Link, Wire>>
  readonly environment: Record<string, string>
  running: ReturnType<typeof spawnVenue>
}

/** The keys of those that sign for perpetuals on a development chain. */
const perpSigners = () =>
  Object.fromEntries(
    perp.signers.flatMap(({ variable, embeddedAccounts }) =>
      embeddedAccounts.map((index) => [variable, developmentAccount(index).privateKey]),
    ),
  )

/** A venue at rest, which others can begin as. */
export interface RestingVenue {
  /** File of the chain's state. */
  readonly chainState: string
  /** A database on the tests' server that nobody is connected to. */
  readonly databaseName: string
  readonly secretsKey: string
  forget(): Promise<void>
}

/** A venue of separate processes over a chain and a database that outlive them, and what can befall it. */
export class RoleVenue {
  readonly rpcUrl: string
  readonly contracts: Venue['contracts']
  readonly accounts: Venue['accounts']
  readonly baseUrl: string
  readonly databaseUrl: string
  readonly #processes: Map<ProcessName, Placed>
  readonly #environment: Record<string, string>
  readonly #undo: (() => Promise<unknown>)[]

  private constructor(parts: {
    node: Awaited<ReturnType<typeof startNode>>
    database: TestDatabase
    processes: Map<ProcessName, Placed>
    environment: Record<string, string>
    port: number
    undo: (() => Promise<unknown>)[]
  }) {
    this.rpcUrl = parts.node.chain.rpcUrl
    this.contracts = parts.node.deployment.contracts
    this.accounts = parts.node.accounts.users
    this.baseUrl = `http://127.0.0.1:${parts.port}/stock`
    this.databaseUrl = parts.database.url
    this.#processes = parts.processes
    this.#environment = parts.environment
    this.#undo = parts.undo
  }

  /** A new venue, or one that goes on where `resting` is. */
  static async start(resting?: RestingVenue): Promise<RoleVenue> {
    const node = await startNode('both', resting?.chainState)
    const undo: (() => Promise<unknown>)[] = [() => node.chain.stop()]
    const database = await testDatabase()
    undo.push(() => database.drop())
    if (resting) {
      await asAdministrator(database.url, (admin, name) => replaceDatabase(admin, name, resting.databaseName))
    }
    const port = await freePort()
    const environment = { ...node.environment, ...perpSigners(), DATABASE_URL: database.url }
    if (resting) environment.SECRETS_KEY = resting.secretsKey
    const processes = new Map<ProcessName, Placed>()
    for (const name of PROCESSES) {
      const wires = { database: await startWire(database.url), chain: await startWire(node.chain.rpcUrl) }
      const own = {
        ...environment,
        ROLES: name.split('-')[0] ?? '',
        PORT: String(port),
        DATABASE_URL: wires.database.url,
        CHAIN_RPC_URL: wires.chain.url,
      }
      processes.set(name, { wires, environment: own, running: spawnVenue(own) })
    }
    const venue = new RoleVenue({ node, database, processes, environment, port, undo })
    await venue.#of('api').running.ready
    return venue
  }

  /** A WRITABLE key of this wallet. */
  createKey(user: string, product?: 'perp'): Promise<ApiKey> {
    const secretsKey = this.#environment.SECRETS_KEY ?? ''
    const options = { access: 'WRITABLE', user, ...(product && { product }) } as const
    return createKeyIn({ databaseUrl: this.databaseUrl, secretsKey })(options)
  }

  client(key: ApiKey): Client {
    return new Client(this.#addressed(key))
  }

  /** One that asks again where a fault kept the venue from answering. */
  patientClient(key: ApiKey): PatientClient {
    return new PatientClient(this.#addressed(key))
  }

  #addressed(key: ApiKey): ClientOptions {
    return { baseUrls: [this.baseUrl], chainId: CHAIN_ID, productType: PRODUCT, key }
  }

  perpClient(key: ApiKey): PerpClient {
    return new PerpClient(new URL(this.baseUrl).origin, CHAIN_ID, key)
  }

  /** Runs the operator's command-line tool beside this process, which carries the venue's wires meanwhile. */
  command(...args: string[]): Promise<string> {
    return runCommand(this.#environment)(...args)
  }

  /** SIGKILL, and a new process in its place. */
  async restart(name: ProcessName): Promise<void> {
    await this.#kill(name)
    this.#spawn(name)
  }

  /** Stops a process in the middle of what it does; what it holds stays open. */
  async freeze(name: ProcessName, ms: number): Promise<void> {
    const { process } = this.#of(name).running
    process.kill('SIGSTOP')
    await sleep(ms)
    process.kill('SIGCONT')
  }

  async cut(name: ProcessName, link: Link, ms: number): Promise<void> {
    const wire = this.#of(name).wires[link]
    await wire.cut(true)
    await sleep(ms)
    await wire.cut(false)
  }

  async hang(name: ProcessName, link: Link, ms: number): Promise<void> {
    const wire = this.#of(name).wires[link]
    wire.hang(true)
    await sleep(ms)
    wire.hang(false)
  }

  /** The newest blocks become others; what they held has to be sent again. */
  async reorganise(depth: number): Promise<void> {
    const rpc = createRpc({ url: this.rpcUrl })
    // Anvil loses a block for good where it makes one while it reorganises: none is named by its number any more.
    await whilePaused(rpc, () => rpc.call('anvil_reorg', [depth, []]))
  }

  /** The power fails; what the database held at that moment is kept as a copy. */
  async copyDatabase(): Promise<void> {
    await this.#allDown((admin, name) => replaceDatabase(admin, `${name}_copy`, name))
  }

  /** The database is lost, and the copy takes its place. */
  async restoreDatabase(): Promise<void> {
    await this.#allDown((admin, name) => replaceDatabase(admin, name, `${name}_copy`))
  }

  /** What every process printed since it was last started, for a run that failed. */
  output(): string {
    return [...this.#processes].map(([name, { running }]) => `--- ${name}\n${running.output()}`).join('\n')
  }

  async stop(): Promise<void> {
    await Promise.all(PROCESSES.map((name) => this.#kill(name)))
    await Promise.all(
      [...this.#processes.values()].flatMap(({ wires }) => [wires.database.close(), wires.chain.close()]),
    )
    await asAdministrator(this.databaseUrl, (admin, name) => admin.unsafe(`drop database if exists ${name}_copy`))
    for (const step of this.#undo.reverse()) await step()
  }

  /** Ends every process, and keeps what chain and database hold then. */
  async rest(): Promise<RestingVenue> {
    await Promise.all([...this.#processes.values()].map(({ running }) => running.stop()))
    const folder = await mkdtemp(join(tmpdir(), 'bourse-resting-'))
    const chainState = join(folder, 'chain.json')
    const state = await createRpc({ url: this.rpcUrl }).call<string>('anvil_dumpState')
    await writeFile(chainState, gunzipSync(Buffer.from(state.slice(2), 'hex')))
    const databaseName = `${nameOf(this.databaseUrl)}_resting`
    await this.#atRest((admin, name) => replaceDatabase(admin, databaseName, name))
    const forget = async () => {
      await asAdministrator(this.databaseUrl, (admin) => admin.unsafe(`drop database ${databaseName}`))
      await rm(folder, { recursive: true })
    }
    return { chainState, databaseName, secretsKey: this.#environment.SECRETS_KEY ?? '', forget }
  }

  async #allDown(act: Administration): Promise<void> {
    await Promise.all(PROCESSES.map((name) => this.#kill(name)))
    await this.#atRest(act)
    for (const name of PROCESSES) this.#spawn(name)
    await this.#of('api').running.ready
  }

  /** Acts on a database that nobody is connected to. */
  #atRest(act: Administration): Promise<unknown> {
    return asAdministrator(this.databaseUrl, async (admin, name) => {
      await admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`
      await act(admin, name)
    })
  }

  #of(name: ProcessName): Placed {
    return this.#processes.get(name) as Placed
  }

  #spawn(name: ProcessName): void {
    const placed = this.#of(name)
    placed.running = spawnVenue(placed.environment)
  }

  async #kill(name: ProcessName): Promise<void> {
    const { process } = this.#of(name).running
    if (process.exitCode !== null || process.signalCode !== null) return
    const gone = once(process, 'exit')
    process.kill('SIGKILL')
    await gone
  }
}

/** What is done to a database from beside it. */
type Administration = (admin: postgres.Sql, name: string) => Promise<unknown>

const asAdministrator = (databaseUrl: string, act: Administration): Promise<unknown> =>
  within(withDatabase(databaseUrl, 'postgres'), (admin) => act(admin, nameOf(databaseUrl)))

const nameOf = (databaseUrl: string): string => new URL(databaseUrl).pathname.slice(1)

/** A database becomes what another one is. */
async function replaceDatabase(admin: postgres.Sql, name: string, source: string): Promise<void> {
  await admin.unsafe(`drop database if exists ${name} with (force)`)
  await admin.unsafe(`create database ${name} template ${source}`)
}
