import { loadBlockHash } from '../../chain/follow/store.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { WAD } from '../../lib/wad.ts'
import type { Line } from '../../reconciliation/lines.ts'
import {
  BOB,
  CHAIN_ID,
  closed,
  deposited,
  depositQueued,
  filled,
  LONG_AGO_SEC,
  randomHash,
  stockWithdrawn,
  TestChain,
  withdrawalQueued,
} from '../testing/chain.ts'
import { KeeperWorld, START_MS, usd } from '../testing/keeper.ts'
import { FIRST_WINDOW } from './database-figures.ts'
import { takeReading } from './reconcile.ts'
import { TestContracts, writeScene } from './testing-contracts.ts'

export const PRICE8 = 200_00000000n

/**
 * A venue at which all is well. ALICE has deposited 5,000, bought 5 AAPL of which she took one to her wallet, has a limit
 * order for one more in the books and 100 on their way out; a deposit of BOB's waits in the queue; the operator has put in a
 * million.
 */
export class Scene {
  readonly world: KeeperWorld
  readonly contracts: TestContracts
  readonly venue: Venue
  readonly restingId: Hex

  private constructor(world: KeeperWorld, contracts: TestContracts, restingId: Hex) {
    this.world = world
    this.contracts = contracts
    this.venue = { ...world.venue, rpc: contracts.rpc }
    this.restingId = restingId
  }

  static async open(): Promise<Scene> {
    // On the day of the world's clock: the resting order would have expired else.
    TestChain.startSec = START_MS / 1000
    const world = await KeeperWorld.open()
    const contracts = new TestContracts((number) => loadBlockHash(world.sql, CHAIN_ID, number))
    await world.chain.emit(deposited(randomHash(), 5000n), depositQueued(randomHash(), 300n, BOB))
    await world.chain.emit(withdrawalQueued(randomHash(), 100n))
    const { orderId, quantityWad } = await world.filledOrder(usd(1000), PRICE8)
    const fill = { orderId, quantity: quantityWad, price: 200n * WAD, fees: [WAD, WAD / 10n] as const }
    await world.chain.emit(filled(fill), closed(orderId, 'filled'), stockWithdrawn(WAD))
    const restingId = await world.placeLimit(WAD, 100n * WAD)
    await world.trade()
    writeScene(contracts, restingId)
    return new Scene(world, contracts, restingId)
  }

  drop(): Promise<void> {
    TestChain.startSec = LONG_AGO_SEC
    return this.world.drop()
  }

  async lines(): Promise<readonly Line[]> {
    const reading = await takeReading(this.venue, this.world.market, FIRST_WINDOW)
    if (!reading) throw new Error('there is no reading')
    return reading.lines
  }

  /** What does not agree, as `subject comparison cause difference`. */
  async differences(): Promise<string[]> {
    return (await this.lines()).flatMap(({ subject, comparison, cause, difference }) =>
      difference === 0n ? [] : [`${subject} ${comparison} ${cause} ${difference}`],
    )
  }

  /** What is on its way, as `subject comparison name amount`. */
  async inFlight(): Promise<string[]> {
    return (await this.lines()).flatMap(({ subject, comparison, inFlight }) =>
      inFlight.map(({ name, amount }) => `${subject} ${comparison} ${name} ${amount}`),
    )
  }

  /** Deletes rows, past the triggers that watch over the table: what only an accident or an intruder could do. */
  async lose(table: string, condition = 'true'): Promise<void> {
    await this.world.sql.begin(async (tx) => {
      await tx.unsafe(`alter table ${table} disable trigger user`)
      await tx.unsafe(`delete from ${table} where ${condition}`)
      await tx.unsafe(`alter table ${table} enable trigger user`)
    })
  }
}
