import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { messageOf } from '../../sim/perp-chain/actions.ts'
import { Chain } from '../../sim/perp-chain/chain.ts'
import { deployPerp, type Deployment as PerpContracts } from '../../sim/perp-chain/deploy.ts'
import { actionsOf } from '../../sim/perp-chain/recorded.ts'
import { arbitrage } from '../../sim/perp-model/crash-day.ts'
import type { Cast } from '../../sim/perp-model/markets.ts'
import type { SceneMove, SceneWriter } from '../../sim/perp-model/scene.ts'
import { apply } from '../../sim/perp-model/world.ts'
import { developmentAccount } from '../src/chain/embedded/accounts.ts'
import { chainProfile } from '../src/chain/profiles.ts'
import { createRpc, type Rpc } from '../src/chain/rpc.ts'
import type { SignerNeed } from '../src/chain/send/signer.ts'
import { loadValues } from '../src/config.ts'
import type { Sql } from '../src/db/pool.ts'
import { type TestDatabase, testDatabase } from '../src/db/testing.ts'
import type { Task, Venue } from '../src/http/product.ts'
import { createLogger } from '../src/lib/logger.ts'
import type { Market } from '../src/market/tasks.ts'
import { perp } from '../src/perp/index.ts'
import { runIndexer } from '../src/roles/indexer.ts'
import { runRelayer } from '../src/roles/relayer.ts'
import type { RoleContext } from '../src/roles/role.ts'

type Hex = `0x${string}`

// The keeper of perpetuals over the real contracts, with the reference model beside them: what traders do is written as a scene, what
// keepers send is read off the chain and played on the model too. Every block and its time is the test's.

const CHAIN_ID = 31_337
const TRADERS = 9
/** The account that keeps the venue of a scene, by its place among the traders. */
export const KEEPER_INDEX = 3
const PATIENCE_MS = 60_000
/** Its tasks that send something for the pairs of a scene, whose prices the scene says. */
const CHORES = new Set(['perp.liquidate', 'perp.fill', 'perp.remove', 'perp.update', 'perp.settle'])
/** The keeper waits no longer than this after a failure. */
const LONGEST_WAIT_MS = 60_000
/** More rounds than the keeper needs for anything of a scene. */
const MOST_ROUNDS = 40

/** A keeper with a database, a relayer and an indexer of its own. */
export class Keeper {
  readonly venue: Venue
  readonly #database: TestDatabase
  readonly #abort = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #environment: Readonly<Record<string, string>>
  readonly #rpc: Rpc
  #relayer: AbortController | null = null
  #rounds = 0
  #tasks: readonly Task[]

  private constructor(database: TestDatabase, rpc: Rpc, venue: Venue, environment: Readonly<Record<string, string>>) {
    this.#database = database
    this.#environment = environment
    this.#rpc = rpc
    this.venue = venue
    this.#tasks = this.#freshTasks()
  }

  /** `account` is an index of the development phrase. */
  static async start(
    chain: Chain,
    { gate }: PerpContracts,
    account: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Keeper> {
    const database = await testDatabase()
    const rpc = createRpc({ url: chain.rpcUrl })
    const deployment = { chainId: CHAIN_ID, startBlock: 0n, contracts: { Gate: gate.address } }
    // Waits of the keeper pass as its rounds do.
    const clock = { nowMs: () => keeper.#rounds * LONGEST_WAIT_MS }
    const venue = { sql: database.sql, deployment, rpc, clock, log: createLogger('silent') }
    const keeper: Keeper = new Keeper(database, rpc, venue, environment)
    keeper.#run((context) => runIndexer(context, []), keeper.#abort)
    keeper.startRelayer(account)
    await keeper.#until(async () => (await database.sql`select from tx_signers`).length > 0, 'the relayer reports')
    return keeper
  }

  get sql(): Sql {
    return this.venue.sql
  }

  startRelayer(account: number): void {
    const { privateKey } = developmentAccount(account)
    const { purpose } = perp.signers.find(({ variable }) => variable === 'SIGNER_PERP_KEEPER_KEY') as SignerNeed
    this.#relayer = new AbortController()
    this.#run((context) => runRelayer(context, [{ purpose, privateKey }]), this.#relayer)
  }

  stopRelayer(): void {
    this.#relayer?.abort()
  }

  /** Everything that it remembers is gone, as after a kill. */
  forget(): void {
    this.#tasks = this.#freshTasks()
  }

  /** Runs each of its tasks once, or the named one. */
  async run(name?: string): Promise<void> {
    this.#rounds++
    for (const task of this.#tasks) {
      if (name === undefined || task.name === name) await task.run(this.venue)
    }
  }

  /** Waits until the node has everything that was to be sent. Resolves to how many wait for a block. */
  async handedOver(): Promise<number> {
    const waiting = () => this.#count(['queued', 'signed'])
    await this.#until(async () => (await waiting()) === 0, 'everything is broadcast')
    return this.#count(['broadcast'])
  }

  /** How many transactions the relayer has refused to send. */
  rejected(): Promise<number> {
    return this.#count(['rejected'])
  }

  /** Waits until its tables know the chain's head and everything on its way has ended. */
  async caughtUp(): Promise<void> {
    const head = BigInt(await this.#rpc.call<Hex>('eth_blockNumber'))
    await this.#until(async () => (await this.#count(['queued', 'signed', 'broadcast'])) === 0, 'everything is mined')
    const indexed = async () =>
      (await this.sql<{ block: bigint }[]>`select block_number as block from chain_checkpoints`)[0]?.block ?? -1n
    await this.#until(async () => (await indexed()) >= head, 'the head is indexed')
  }

  /** What it stored, oldest first, as `<subject> <state> <outcome>`. */
  async intents(): Promise<string[]> {
    const rows = await this.sql<{ key: string; state: string; outcome: string | null }[]>`
      select ordering_key as key, state, outcome from tx_intents order by id`
    return rows.map(({ key, state, outcome }) => `${key.split(':')[1]} ${outcome ?? state}`)
  }

  async stop(): Promise<void> {
    this.stopRelayer()
    this.#abort.abort()
    await Promise.all(this.#running)
    await this.#database.drop()
  }

  #freshTasks(): readonly Task[] {
    const tasks = perp.open(this.venue, loadValues(this.#environment)).tasks({ coins: null } as unknown as Market)
    return tasks.filter(({ name }) => CHORES.has(name))
  }

  async #count(states: readonly string[]): Promise<number> {
    const [row] = await this.sql<{ count: number }[]>`
      select count(*)::int as count from tx_intents where state = any(${[...states]})`
    return row?.count ?? 0
  }

  async #until(accept: () => Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS
    while (!(await accept())) {
      if (Date.now() > deadline) throw new Error(`did not happen: ${what}`)
      await delay(10)
    }
  }

  #run(role: (context: RoleContext) => Promise<void>, { signal }: AbortController): void {
    const context = { venue: this.venue, profile: chainProfile(CHAIN_ID), metrics: new Registry(), signal }
    this.#running.push(role(context).catch(() => {}))
  }
}

interface BlockTransaction {
  readonly from: Hex
  readonly to: Hex | null
  readonly input: Hex
  readonly hash: Hex
}

/** A chain with the protocol on it and the scene that is played there. */
export class PerpKeeperWorld {
  readonly chain: Chain
  readonly contracts: PerpContracts
  readonly scene: SceneWriter
  readonly keepers: Keeper[] = []
  readonly rpc: Rpc
  #played = 0
  #nowSec: number

  private constructor(chain: Chain, contracts: PerpContracts, scene: SceneWriter) {
    this.chain = chain
    this.contracts = contracts
    this.scene = scene
    this.#nowSec = scene.world.nowSec
    this.rpc = createRpc({ url: chain.rpcUrl })
  }

  static async start(createScene: (cast: Cast) => SceneWriter): Promise<PerpKeeperWorld> {
    const chain = await Chain.start()
    const scene = createScene(chain.cast(TRADERS))
    await chain.setClock(scene.setup.startSec)
    const contracts = await deployPerp(chain, scene.setup)
    await chain.setClock(scene.setup.startSec)
    return new PerpKeeperWorld(chain, contracts, scene)
  }

  /** A trader of the scene, as it stands in the cast. */
  trader(index: number): string {
    const trader = this.scene.cast.traders[index]
    if (!trader) throw new Error(`there is no trader ${index}`)
    return trader
  }

  async startKeeper(trader = KEEPER_INDEX, environment: Readonly<Record<string, string>> = {}): Promise<Keeper> {
    // The node's first account administers; the traders come after it.
    const keeper = await Keeper.start(this.chain, this.contracts, trader + 1, environment)
    this.keepers.push(keeper)
    return keeper
  }

  /** Plays on the chain what the scene has got since, a block for each. */
  async play(): Promise<void> {
    const { actions } = this.scene.scenario()
    for (const action of actions.slice(this.#played)) {
      await this.chain.execute(action.timeSec, messageOf(this.contracts, action))
      this.#nowSec = action.timeSec
    }
    this.#played = actions.length
  }

  /** Time of the last block. */
  get nowSec(): number {
    return this.#nowSec
  }

  /** Lets time pass without anything happening. */
  async pass(seconds: number): Promise<void> {
    await this.mine(this.#nowSec + seconds)
  }

  async act(move: SceneMove, delaySec = 1): Promise<unknown> {
    const result = this.scene.act(move, this.#nowSec - this.scene.world.nowSec + delaySec)
    await this.play()
    return result
  }

  /** An arbitrageur brings the fair price to the oracle's. */
  async level(trader: number): Promise<void> {
    arbitrage(this.scene, this.trader(trader))
    await this.play()
  }

  /** Every keeper does its rounds until nothing is left to do. Resolves to what was mined of it. */
  async keep(): Promise<number> {
    let [mined, idle] = [0, 0]
    let before = await this.#rejected()
    for (let round = 0; round < MOST_ROUNDS; round++) {
      for (const keeper of this.keepers) await keeper.run()
      const waiting = await this.mineSent()
      mined += waiting
      const rejected = await this.#rejected()
      idle = waiting === 0 && rejected === before ? idle + 1 : 0
      // The relayer may have looked at the block before; it looks at a new one a moment later.
      if (rejected > before) await delay(300)
      before = rejected
      // What failed is seen in the round after, and tried again in the next.
      if (idle === 3) return mined
    }
    throw new Error(`the keepers are not done after ${MOST_ROUNDS} rounds`)
  }

  async #rejected(): Promise<number> {
    const counts = await Promise.all(this.keepers.map((keeper) => keeper.rejected()))
    return counts.reduce((sum, count) => sum + count, 0)
  }

  /** Mines what keepers have sent, and plays it on the model. Resolves to how many there were. */
  async mineSent(): Promise<number> {
    let waiting = 0
    for (const keeper of this.keepers) waiting += await keeper.handedOver()
    if (waiting > 0) await this.mine(this.#nowSec + 1)
    return waiting
  }

  /** Mines a block at a time with whatever waits for one. */
  async mine(timeSec: number): Promise<void> {
    await this.chain.mine(timeSec, [])
    this.#nowSec = timeSec
    await this.#record()
    for (const keeper of this.keepers) await keeper.caughtUp()
  }

  async #record(): Promise<void> {
    const block = await this.rpc.call<{ timestamp: Hex; transactions: readonly BlockTransaction[] }>(
      ...(['eth_getBlockByNumber', ['latest', true]] as const),
    )
    for (const { from, to, input, hash } of block.transactions) {
      const receipt = await this.rpc.call<{ status: Hex }>('eth_getTransactionReceipt', [hash])
      const actions = actionsOf(this.contracts, { from, to: to as string, data: input }, Number(block.timestamp))
      if (receipt.status === '0x1') for (const action of actions) this.scene.act(action)
      else this.#refused(actions)
    }
    this.#played = this.scene.scenario().actions.length
  }

  /** What reverts on the chain, the model must refuse as well. */
  #refused(actions: ReturnType<typeof actionsOf>): void {
    let { world } = this.scene
    for (const action of actions) {
      const outcome = apply(world, action)
      if (!outcome.ok) return
      world = outcome.world
    }
    throw new Error(`the chain refused what the model performs: ${JSON.stringify(actions)}`)
  }

  async stop(): Promise<void> {
    for (const keeper of this.keepers) await keeper.stop()
    await this.chain.stop()
  }
}
