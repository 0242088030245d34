import type { gateAbi } from '../../chain/abi/gate.ts'
import type { instrumentAbi } from '../../chain/abi/instrument.ts'
import { eventGuard, type NamedEvent } from '../../chain/follow/event-handlers.ts'
import type { BlockEvents, ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import type { NamedRow } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import { RowChanges } from '../../db/row-changes.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { AccountSteps } from './account-steps.ts'
import { type ExecutionRow, executionRow, insertExecutions, type NewExecution } from './execution-store.ts'
import { quoteOf } from './instruments.ts'
import { type GateMove, insertMovements, type MovementRow, movementRow, type PairMove } from './ledger-store.ts'
import { insertLiquidityEvents, type LiquidityEvent, type LiquidityRow, liquidityRow } from './liquidity-store.ts'
import { OrderChanges, type OrderPlace } from './order-store.ts'
import type { InstrumentRow, PairRow, PendingRow, PositionRow, RangeRow } from './perp-rows.ts'

const PAIR = ['chain_id', 'instrument', 'expiry'] as const

const isEvent = eventGuard<typeof gateAbi | typeof instrumentAbi>()

/** An event of an account in a pair, logged by the pair's instrument. */
type AccountEvent = Pick<ChainEvent, 'address'> & NamedEvent<typeof instrumentAbi, 'UpdatePosition' | 'Add' | 'Remove'>
/** One that ends an order. */
type OrderEndEvent = Pick<ChainEvent, 'address'> & NamedEvent<typeof instrumentAbi, 'Cancel' | 'Fill'>

/**
 * What the events of blocks change: the rows that they are of, read at once, changed in memory in the order of the events, and
 * written in few statements. A block of many events costs hardly more than one of few.
 */
export class BlockChanges {
  readonly instruments = new RowChanges<InstrumentRow>('perp_instruments', ['chain_id', 'instrument'])
  readonly pairs = new RowChanges<PairRow>('perp_pairs', PAIR)
  readonly positions = new RowChanges<PositionRow>('perp_positions', [...PAIR, 'trader'])
  readonly ranges = new RowChanges<RangeRow>('perp_ranges', [...PAIR, 'trader', 'tick_lower', 'tick_upper'])
  readonly pending = new RowChanges<PendingRow>('perp_pending_withdrawals', ['chain_id', 'token', 'trader'])
  readonly orders = new OrderChanges()
  readonly steps = new AccountSteps()
  readonly #executions: ExecutionRow[] = []
  readonly #movements: MovementRow[] = []
  readonly #liquidity: LiquidityRow[] = []

  #block: ChainBlock

  private constructor(first: ChainBlock) {
    this.#block = first
  }

  /** Nothing changed yet, and every row that the events of these blocks are of. */
  static async of(tx: Tx, blocks: readonly BlockEvents[]): Promise<BlockChanges> {
    const { block } = blocks[0] as BlockEvents
    const { chainId: chain_id } = block
    const changes = new BlockChanges(block)
    const events = blocks.flatMap((one) => one.events)
    const account = ({ address, args: { expiry, trader } }: AccountEvent): NamedRow => ({
      chain_id,
      instrument: address,
      expiry,
      trader,
    })
    const position = events.filter((event) => isEvent(event, 'UpdatePosition'))
    const range = events.filter((event) => isEvent(event, 'Add', 'Remove'))
    const pending = events.filter((event) => isEvent(event, 'UpdatePending'))
    const ending = events.filter((event) => isEvent(event, 'Cancel', 'Fill'))
    await Promise.all([
      changes.instruments.load(tx, events.map(instrumentKey(block))),
      changes.pairs.load(tx, events.map(pairKey(block))),
      changes.positions.load(tx, position.map(account)),
      changes.ranges.load(
        tx,
        range.map((event) => ({
          ...account(event),
          tick_lower: event.args.tickLower,
          tick_upper: event.args.tickUpper,
        })),
      ),
      changes.pending.load(
        tx,
        pending.map(({ args: { quote, trader } }) => ({ chain_id, token: quote, trader })),
      ),
      changes.orders.load(tx, chain_id, ending.map(placeOf)),
    ])
    return changes
  }

  /** The block whose events are changing rows. */
  get block(): ChainBlock {
    return this.#block
  }

  /** What changes from now on is of this block. */
  enter(block: ChainBlock): void {
    this.#block = block
  }

  /** Nothing for a size of 0: nothing was executed. */
  execute(event: ChainEvent, execution: NewExecution): void {
    if (execution.sizeWad !== 0n) this.#executions.push(executionRow(this.#block, event, execution))
  }

  changeLiquidity(event: ChainEvent, made: LiquidityEvent): void {
    this.#liquidity.push(liquidityRow(this.block, event, made))
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
    this.#movements.push(movementRow(this.block, event, moved))
  }

  /** What a pair credited or charged an account, in WAD of its quote; nothing for 0. */
  moveInPair(
    event: ChainEvent,
    kind: PairMove,
    { trader, amountWad, expiry }: { readonly trader: Hex; readonly amountWad: bigint; readonly expiry: number },
  ): void {
    if (amountWad === 0n) return
    const { address: instrument } = event
    const token = quoteOf(this, instrument)
    const moved = { kind, trader, token, amountRaw: null, amountWad, instrument, expiry }
    this.#movements.push(movementRow(this.block, event, moved))
  }

  /** Everything, in two round trips: one for the numbers of lists. */
  async write(tx: Tx): Promise<void> {
    await Promise.all([
      ...[this.instruments, this.pairs, this.orders].map((changes) => changes.write(tx)),
      ...[this.ranges, this.positions, this.pending].map((changes) => changes.write(tx)),
      insertExecutions(tx, this.#executions),
      insertMovements(tx, this.#movements),
      insertLiquidityEvents(tx, this.#liquidity),
    ])
  }
}

/** The instrument that an event is of: named by Gate, or the contract that logged it. */
const instrumentKey =
  ({ chainId }: ChainBlock) =>
  ({ address, args }: ChainEvent): NamedRow => ({
    chain_id: chainId,
    instrument: typeof args.instrument === 'string' ? args.instrument : address,
  })

/** The pair that an event of an instrument is of; funding is of perpetuals alone, and its event names none. */
const pairKey =
  ({ chainId }: ChainBlock) =>
  ({ address, args }: ChainEvent): NamedRow => ({
    chain_id: chainId,
    instrument: address,
    expiry: typeof args.expiry === 'number' ? args.expiry : PERPETUAL_EXPIRY,
  })

const placeOf = ({ address, args: { expiry, trader, tick, nonce } }: OrderEndEvent): OrderPlace => ({
  instrument: address,
  expiry,
  trader,
  tick,
  nonce,
})
