import type { cashierAbi } from '../../chain/abi/cashier.ts'
import type { stockAbi } from '../../chain/abi/stock.ts'
import type { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import type { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { type ArgumentName, eventGuard } from '../../chain/follow/event-handlers.ts'
import type { BlockEvents, ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, ChainTransaction, Hex } from '../../chain/types.ts'
import { insertRows, type NamedRow } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import { RowChanges } from '../../db/row-changes.ts'
import { calldataHash } from '../calldata-hash.ts'
import { priceIdOf } from '../listing/price-id.ts'
import type {
  CashOperationRow,
  CashTokenRow,
  OraclePriceRow,
  OrderRow,
  PositionRow,
  SettingsRow,
  StockOperationRow,
  StockTokenRow,
} from './stock-rows.ts'

type StockAbi = typeof stockRouterAbi | typeof cashierAbi | typeof stockAbi | typeof stockOracleAbi

const isEvent = eventGuard<StockAbi>()

/** What a contract creation has no recipient for; no calldata answer ever names it. */
const NO_RECIPIENT: Hex = '0x0000000000000000000000000000000000000000'

/**
 * What the events of blocks change: the rows that they are of, read at once, changed in memory in the order of the events, and
 * written in few statements.
 */
export class StockChanges {
  readonly orders = new RowChanges<OrderRow>('stock_orders', ['chain_id', 'order_id'])
  readonly cashOperations = new RowChanges<CashOperationRow>('cash_operations', ['chain_id', 'operation_id'])
  readonly stockOperations = new RowChanges<StockOperationRow>('stock_operations', ['chain_id', 'operation_id'])
  readonly positions = new RowChanges<PositionRow>('stock_positions', ['chain_id', 'user_address', 'token'])
  readonly settings = new RowChanges<SettingsRow>('stock_settings', ['chain_id'])
  readonly cashTokens = new RowChanges<CashTokenRow>('cash_tokens', ['chain_id', 'token'])
  readonly stockTokens = new RowChanges<StockTokenRow>('stock_tokens', ['chain_id', 'token'])
  readonly prices = new RowChanges<OraclePriceRow>('oracle_prices', ['chain_id', 'price_id'])
  readonly #inserted = new Map<string, NamedRow[]>()
  readonly #made = new Map<string, number>()
  readonly #stockDeposits = new Map<string, Hex>()

  #block: ChainBlock

  private constructor(first: ChainBlock) {
    this.#block = first
  }

  /** Nothing changed yet, and every row that the events of these blocks are of. */
  static async of(tx: Tx, blocks: readonly BlockEvents[]): Promise<StockChanges> {
    const changes = new StockChanges((blocks[0] as BlockEvents).block)
    const { chainId: chain_id } = changes.block
    const events = blocks.flatMap((block) => block.events)
    const named = (...names: readonly ArgumentName<StockAbi>[]) =>
      events.flatMap((event) => names.flatMap((name) => wordIn(event, name) ?? []))
    const operations = named('opId', 'depositOpId').map((operation_id) => ({ chain_id, operation_id }))
    const tokens = named('token', 'stockToken').map((token) => ({ chain_id, token }))
    await Promise.all([
      changes.orders.load(
        tx,
        named('orderId').map((order_id) => ({ chain_id, order_id })),
      ),
      changes.cashOperations.load(tx, operations),
      changes.stockOperations.load(tx, operations),
      changes.positions.load(tx, heldBy(chain_id, events)),
      changes.settings.load(tx, [{ chain_id }]),
      changes.cashTokens.load(tx, tokens),
      changes.stockTokens.load(tx, tokens),
    ])
    await changes.prices.load(
      tx,
      [...named('priceId'), ...changes.#pricesOfDeposits(events)].map((price_id) => ({ chain_id, price_id })),
    )
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

  /** What stock costs that is brought in is its published price. */
  #pricesOfDeposits(events: readonly ChainEvent[]): readonly Hex[] {
    if (!events.some(({ name }) => name === 'StockDeposited')) return []
    const listed = events.flatMap((event) => (isEvent(event, 'StockListed') ? [event.args.ticker] : []))
    return [...listed, ...this.stockTokens.rows().map(({ ticker }) => ticker)].map(priceIdOf)
  }

  /** How many things of a kind this transaction has made so far, the one being made not counted: all of a transaction are in one block. */
  madeBefore(txHash: Hex, kind: string): number {
    const key = `${txHash} ${kind}`
    const before = this.#made.get(key) ?? 0
    this.#made.set(key, before + 1)
    return before
  }

  addStockOperation(row: StockOperationRow): void {
    this.stockOperations.add(row)
    if (row.kind === 'deposit') this.#stockDeposits.set(stepOf(row), row.operation_id)
  }

  /** The last deposit of its stock that the user has made so far in the transaction that placed an order. */
  stockDepositFor(order: OrderRow): Hex | null {
    return this.#stockDeposits.get(stepOf(order)) ?? null
  }

  addTransaction({ hash, from, to, valueWei, input, succeeded }: ChainTransaction): void {
    const { chainId, number, timestampSec } = this.#block
    this.#insert('stock_transactions', {
      chain_id: chainId,
      tx_hash: hash,
      block_number: number,
      from_address: from,
      to_address: to,
      succeeded,
      calldata_hash: calldataHash(to ?? NO_RECIPIENT, valueWei, input),
      mined_at_sec: timestampSec,
    })
  }

  addFill(row: NamedRow): void {
    this.#insert('stock_fills', row)
  }

  #insert(table: string, row: NamedRow): void {
    const rows = this.#inserted.get(table)
    if (rows) rows.push(row)
    else this.#inserted.set(table, [row])
  }

  /** Everything, in one round trip. */
  async write(tx: Tx): Promise<void> {
    await Promise.all([
      ...[...this.#inserted].map(([table, rows]) => insertRows(tx, table, rows)),
      ...[this.orders, this.cashOperations, this.stockOperations, this.positions].map((rows) => rows.write(tx)),
      ...[this.settings, this.cashTokens, this.stockTokens, this.prices].map((rows) => rows.write(tx)),
    ])
  }
}

const stepOf = (row: { readonly create_tx_hash: Hex; readonly user_address: Hex; readonly token: Hex }): string =>
  `${row.create_tx_hash} ${row.user_address} ${row.token}`

/** The stock of users that events bring in or take out. */
const heldBy = (chain_id: number, events: readonly ChainEvent[]): readonly NamedRow[] =>
  events.flatMap((event) => {
    const [user, token] = [wordIn(event, 'user'), wordIn(event, 'stockToken') ?? wordIn(event, 'token')]
    return user && token ? [{ chain_id, user_address: user, token }] : []
  })

/** An address or a hash, of whichever event has an argument of this name. */
const wordIn = ({ args }: ChainEvent, name: ArgumentName<StockAbi>): Hex | null => {
  const word = args[name]
  return typeof word === 'string' ? (word as Hex) : null
}
