import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction, type Sql, type Tx } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { WAD } from '../lib/wad.ts'
import { sendCancels } from './broker-cancels.ts'
import { collectExecutions, markSettled, requestOrder, submitRequested } from './broker-orders.ts'
import { hedgePositions } from './broker-store.ts'
import { requestCancels } from './cancel-store.ts'
import type { Broker, BrokerOrderRequest } from './ports.ts'
import { buy, openTestBroker, placeWithBroker, START_MS, sell } from './testing-broker.ts'
import { unsettledExecutions } from './testing-executions.ts'

const CHAIN = 31_337

let database: TestDatabase
let sql: Sql
let broker: Broker
beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
  broker = await openTestBroker(sql)
})
afterEach(() => database.drop())

/** A limit order whose price is never met. */
const resting = (clientOrderId: string): BrokerOrderRequest => ({
  clientOrderId,
  symbol: 'AAPL',
  type: 'limit',
  side: 'buy',
  quantityWad: WAD,
  limitPrice8: 1n,
  expiresAtMs: START_MS + 3_600_000,
})
const settle = (executionIds: readonly string[], intentId: bigint) =>
  inTransaction(sql, (tx) => markSettled(tx, CHAIN, executionIds, intentId))

/** Stands for a process that dies: at the n-th step and for ever after, every step throws. */
class Mortality {
  #left: number
  dead = false
  constructor(steps: number) {
    this.#left = steps
  }
  step(): void {
    if (this.#left === 0) this.dead = true
    if (this.dead) throw new Error('killed')
    this.#left -= 1
  }
}

/** The database as a mortal process has it: it may die before and after each statement and each commit. */
function mortalSql<T extends Sql>(target: T, life: Mortality): T {
  return new Proxy(target, {
    apply: (statement, _, call) => mortalQuery(Reflect.apply(statement as never, undefined, call), life),
    get: (from, key) => {
      if (key === 'savepoint') return mortalSavepoint(from as unknown as Tx, life)
      if (key !== 'begin') return Reflect.get(from, key)
      return async (work: (tx: Sql) => Promise<unknown>) => {
        life.step()
        const result = await from.begin((tx) => work(mortalSql(tx as unknown as Sql, life)))
        life.step()
        return result
      }
    },
  })
}

const mortalSavepoint = (tx: Tx, life: Mortality) => (work: (inner: Sql) => Promise<unknown>) =>
  tx.savepoint((inner) => work(mortalSql(inner as unknown as Sql, life)))

/** A statement runs when it is awaited; what is a part of another statement never is. */
function mortalQuery<T extends PromiseLike<unknown>>(query: T, life: Mortality): T {
  if (typeof query?.then !== 'function') return query
  const run = query.then.bind(query)
  const mortal = async () => {
    life.step()
    const result = await run((rows) => rows)
    life.step()
    return result
  }
  return Object.defineProperty(query, 'then', {
    value: (ok: (rows: unknown) => unknown, bad: (error: unknown) => unknown) => mortal().then(ok, bad),
  })
}

/** The broker lives on; its caller may die before it hears the request and before the caller hears the answer. */
function mortalBroker(target: Broker, life: Mortality): Broker {
  const mortal =
    <A extends unknown[], R>(call: (...input: A) => Promise<R>) =>
    async (...input: A): Promise<R> => {
      life.step()
      const result = await call(...input)
      life.step()
      return result
    }
  return {
    ...target,
    submit: mortal(target.submit),
    cancel: mortal(target.cancel),
    findOrders: mortal(target.findOrders),
    executionsSince: mortal(target.executionsSince),
  }
}

async function trade(db: Sql, at: Broker, prefix: string, intentId: bigint): Promise<void> {
  await inTransaction(db, (tx) => requestOrder(tx, at, CHAIN, buy(`${prefix}-queued`, 300n * WAD)))
  await placeWithBroker(db, at, CHAIN, sell(`${prefix}-sell`, WAD))
  await placeWithBroker(db, at, CHAIN, buy(`${prefix}-big`, 2_000_000n * WAD))
  await placeWithBroker(db, at, CHAIN, resting(`${prefix}-rest`))
  await inTransaction(db, (tx) => requestOrder(tx, at, CHAIN, resting(`${prefix}-unsent`)))
  await requestCancels(db, CHAIN, [`${prefix}-rest`, `${prefix}-unsent`])
  await submitRequested(db, at, CHAIN)
  await sendCancels(db, at, CHAIN)
  await collectExecutions(db, at, CHAIN)
  const open = (await unsettledExecutions(db, CHAIN)).map((execution) => execution.executionId)
  if (open.length > 0) await inTransaction(db, (tx) => markSettled(tx, CHAIN, open, intentId))
}

describe('a keeper that is killed', () => {
  it('at any step, and started again, has each order once at the broker and each execution once everywhere', async () => {
    let kills = 0
    for (let steps = 0; ; steps += 1) {
      const life = new Mortality(steps)
      const prefix = `run-${steps}`
      // A broker error is an answer like any other to the keeper: only `life` says whether it died.
      await trade(mortalSql(sql, life), mortalBroker(broker, life), prefix, BigInt(steps)).catch((error: Error) => {
        expect(error.message).toBe('killed')
      })
      if (!life.dead) break
      kills += 1
      await sql`update broker_orders set next_submit_at = now(), next_cancel_at = now()`
      await trade(sql, await openTestBroker(sql), prefix, 10_000n + BigInt(steps))
      await expectOnce(prefix)
    }
    expect(kills).toBeGreaterThan(50)
    const [totals] = await sql`select (select count(*) from simulated_broker_orders) as orders,
      (select count(*) from simulated_broker_executions) as fills, (select count(*) from broker_executions) as executions`
    const runs = BigInt(kills + 1)
    const [unsent] = await sql<{ count: bigint }[]>`
      select count(*) from simulated_broker_orders where client_order_id like '%-unsent'`
    expect(totals).toEqual({ orders: 4n * runs + (unsent?.count ?? 0n), fills: 2n * runs, executions: 2n * runs })
    expect(await hedgePositions(sql, CHAIN)).toEqual([])
  })

  async function expectOnce(prefix: string): Promise<void> {
    const orders = await sql`
      select substr(client_order_id, length(${prefix}) + 2) as id, o.status, b.status as book, count(e.*) as executions,
        count(s.intent_id) as settled, (select count(*) from hedge_ledger l where l.execution_id = any(array_agg(e.execution_id))) as entries
      from broker_orders o join simulated_broker_orders b using (client_order_id)
      left join broker_executions e using (chain_id, client_order_id)
      left join execution_settlements s using (chain_id, execution_id)
      where client_order_id like ${`${prefix}-%`} and client_order_id not like '%-unsent' group by 1, 2, 3 order by 1`
    expect([...orders]).toEqual([
      { id: 'big', status: 'rejected', book: 'rejected', executions: 0n, settled: 0n, entries: 0n },
      { id: 'queued', status: 'filled', book: 'filled', executions: 1n, settled: 1n, entries: 2n },
      { id: 'rest', status: 'canceled', book: 'canceled', executions: 0n, settled: 0n, entries: 0n },
      { id: 'sell', status: 'filled', book: 'filled', executions: 1n, settled: 1n, entries: 2n },
    ])
    // Whether it was sent before the cancel was noted is left to the moment of the kill; it ends either way.
    const [last] = await sql`select status from broker_orders where client_order_id = ${`${prefix}-unsent`}`
    expect(last?.status).toBe('canceled')
  }

  it('and two that run at once still trade once', async () => {
    const other = await openTestBroker(sql)
    await Promise.all([
      placeWithBroker(sql, broker, CHAIN, buy('a', WAD)),
      placeWithBroker(sql, other, CHAIN, buy('a', WAD)),
    ])
    const collected = await Promise.all([
      collectExecutions(sql, broker, CHAIN),
      collectExecutions(sql, other, CHAIN),
      collectExecutions(sql, broker, CHAIN),
    ])
    expect(collected.flatMap(({ executionIds }) => executionIds)).toHaveLength(1)
    const [open] = await unsettledExecutions(sql, CHAIN)
    const attempts = [1n, 2n, 3n].map((intentId) => settle([open?.executionId ?? ''], intentId))
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await hedgePositions(sql, CHAIN)).toEqual([])
  })
})
