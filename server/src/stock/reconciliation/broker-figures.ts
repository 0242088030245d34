import type { Db } from '../../db/pool.ts'
import type { Broker, BrokerOrder, BrokerPosition, Execution } from '../../market/ports.ts'
import type { DatabaseFigures } from './database-figures.ts'
import { knownOrders, recordedExecutions } from './order-books-store.ts'

const PAGE = 500
/** Attempts to read the account when something was executed meanwhile. */
const ATTEMPTS = 5
const LOOK_UP = 100

/** The broker's account, with what it executed after the database's snapshot. Shares with 18 decimals, signed. */
export interface BrokerFigures {
  readonly positions: ReadonlyMap<string, bigint>
  /** Symbols of which the position changed each time it was read. */
  readonly moving: ReadonlySet<string>
  /** Executions that the database's snapshot has not got. */
  readonly newExecutions: readonly Execution[]
  readonly openOrders: readonly BrokerOrder[]
  /** Orders that the database has open and the broker does not name among its open ones, as it answers for them. */
  readonly notOpen: ReadonlyMap<string, BrokerOrder>
  /** Orders among `openOrders` and of `newExecutions` that the database knows, now. */
  readonly known: ReadonlySet<string>
}

type Snapshot = Pick<DatabaseFigures, 'cursor' | 'bookedOrders' | 'newestExecution'>

/**
 * Reads the account so that its parts fit together: the position is asked for before and after the executions, and again
 * when it has changed in between. Ours among the open orders are looked up last: an order is stored before it is sent.
 */
export async function readBroker(
  db: Db,
  broker: Broker,
  { cursor, bookedOrders, newestExecution }: Snapshot,
): Promise<BrokerFigures> {
  let [before, after] = [await positionsOf(broker), new Map<string, bigint>()]
  let newExecutions: readonly Execution[] = []
  for (let attempt = 1; ; attempt++) {
    newExecutions = await executionsAfter(broker, cursor)
    after = await positionsOf(broker)
    if (attempt === ATTEMPTS || changed(before, after).size === 0) break
    before = after
  }
  const openOrders = await broker.openOrders()
  const open = new Set(openOrders.map(({ clientOrderId }) => clientOrderId))
  const notOpen = await findOrders(
    broker,
    bookedOrders.flatMap(({ clientOrderId }) => (open.has(clientOrderId) ? [] : [clientOrderId])),
  )
  const named = [...open, ...newExecutions.map(({ clientOrderId }) => clientOrderId)]
  const known = await knownOrders(db, [...new Set(named)])
  const ids = newExecutions.map(({ executionId }) => executionId)
  const recorded = await recordedExecutions(db, ids, newestExecution)
  return {
    positions: after,
    moving: changed(before, after),
    openOrders,
    notOpen,
    known,
    newExecutions: newExecutions.filter(({ executionId }) => !recorded.has(executionId)),
  }
}

async function positionsOf(broker: Broker): Promise<Map<string, bigint>> {
  const positions: readonly BrokerPosition[] = await broker.positions()
  return new Map(positions.map(({ symbol, quantityWad }) => [symbol, quantityWad]))
}

function changed(before: ReadonlyMap<string, bigint>, after: ReadonlyMap<string, bigint>): ReadonlySet<string> {
  const symbols = new Set([...before.keys(), ...after.keys()])
  return new Set([...symbols].filter((symbol) => (before.get(symbol) ?? 0n) !== (after.get(symbol) ?? 0n)))
}

async function executionsAfter(broker: Broker, cursor: string | null): Promise<readonly Execution[]> {
  const executions = new Map<string, Execution>()
  for (let from = cursor; ; ) {
    const page = await broker.executionsSince(from, PAGE)
    for (const execution of page.executions) executions.set(execution.executionId, execution)
    if (page.executions.length < PAGE) return [...executions.values()]
    from = page.cursor
  }
}

async function findOrders(broker: Broker, ids: readonly string[]): Promise<ReadonlyMap<string, BrokerOrder>> {
  const found = new Map<string, BrokerOrder>()
  for (let start = 0; start < ids.length; start += LOOK_UP) {
    for (const order of await broker.findOrders(ids.slice(start, start + LOOK_UP)))
      found.set(order.clientOrderId, order)
  }
  return found
}
