import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import type { Tx } from '../../db/pool.ts'
import { type ExecutionRow, executionRow, insertExecutions, type NewExecution } from './execution-store.ts'
import { InstrumentChanges } from './instrument-store.ts'
import { type GateMove, insertMovements, type MovementRow, movementRow, type PairMove } from './ledger-store.ts'
import { insertLiquidityEvents, type LiquidityEvent, type LiquidityRow, liquidityRow } from './liquidity-store.ts'
import { OrderChanges } from './order-store.ts'
import { PairChanges } from './pair-store.ts'
import { PendingChanges } from './pending-store.ts'
import { type PairAccount, PositionChanges, type PositionState } from './position-store.ts'
import { RangeChanges } from './range-store.ts'

/**
 * What the events of one block change, gathered in their order and written in few statements: a block of many events costs hardly
 * more than one of few. What an event needs to know of the state before it is here too, as the events before it have left it.
 */
export class BlockChanges {
  readonly instruments: InstrumentChanges
  readonly pairs: PairChanges
  readonly orders: OrderChanges
  readonly ranges: RangeChanges
  readonly #block: ChainBlock
  readonly #positions: PositionChanges
  readonly #pending: PendingChanges
  readonly #executions: ExecutionRow[] = []
  readonly #movements: MovementRow[] = []
  readonly #liquidity: LiquidityRow[] = []

  private constructor(block: ChainBlock, instruments: InstrumentChanges, pairs: PairChanges, pending: PendingChanges) {
    this.#block = block
    this.instruments = instruments
    this.pairs = pairs
    this.#pending = pending
    this.orders = new OrderChanges(block)
    this.ranges = new RangeChanges(block)
    this.#positions = new PositionChanges(block)
  }

  /** Nothing changed yet, and what is recorded of that which the events are of. */
  static async of(tx: Tx, block: ChainBlock, events: readonly ChainEvent[]): Promise<BlockChanges> {
    const contracts = [...new Set(events.map(({ address }) => address))]
    const [instruments, pairs, pending] = await Promise.all([
      InstrumentChanges.load(tx, block, contracts),
      PairChanges.load(tx, block, contracts),
      PendingChanges.load(tx, block, events),
    ])
    return new BlockChanges(block, instruments, pairs, pending)
  }

  /** Nothing for a size of 0: nothing was executed. */
  execute(event: ChainEvent, execution: NewExecution): void {
    if (execution.sizeWad !== 0n) this.#executions.push(executionRow(this.#block, event, execution))
  }

  place(account: PairAccount, event: ChainEvent, state: PositionState): void {
    this.#positions.set(account, event, state)
  }

  changeLiquidity(event: ChainEvent, made: LiquidityEvent): void {
    this.#liquidity.push(liquidityRow(this.#block, event, made))
  }

  /** What Gate moved, in token units. */
  moveAtGate(
    event: ChainEvent,
    kind: GateMove,
    { trader, token, amountRaw }: { readonly trader: Hex; readonly token: Hex; readonly amountRaw: bigint },
    pair: { readonly instrument: Hex; readonly expiry: number } | null = null,
  ): void {
    const { instrument, expiry } = pair ?? { instrument: null, expiry: null }
    const moved = { kind, trader, token, amountRaw, amountWad: null, instrument, expiry }
    this.#movements.push(movementRow(this.#block, event, moved))
  }

  /** What a pair credited or charged an account, in WAD of its quote; nothing for 0. */
  moveInPair(
    event: ChainEvent,
    kind: PairMove,
    { trader, amountWad, expiry }: { readonly trader: Hex; readonly amountWad: bigint; readonly expiry: number },
  ): void {
    if (amountWad === 0n) return
    const { address: instrument } = event
    const token = this.instruments.quoteOf(instrument)
    this.#movements.push(
      movementRow(this.#block, event, { kind, trader, token, amountRaw: null, amountWad, instrument, expiry }),
    )
  }

  /** The sum that waits from now on; returns by how much it grew, negative where it was released. */
  setPending(token: Hex, trader: Hex, amountRaw: bigint, sinceSec: number): bigint {
    return this.#pending.set({ token, trader, amountRaw, sinceSec })
  }

  /** Everything, in one round trip. Throws when an order or range that ended was not recorded. */
  async write(tx: Tx): Promise<void> {
    await Promise.all([
      this.instruments.write(tx),
      this.pairs.write(tx),
      this.orders.write(tx),
      this.ranges.write(tx),
      this.#positions.write(tx),
      this.#pending.write(tx),
      insertExecutions(tx, this.#executions),
      insertMovements(tx, this.#movements),
      insertLiquidityEvents(tx, this.#liquidity),
    ])
  }
}
