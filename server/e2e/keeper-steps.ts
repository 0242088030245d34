import { type Abi, toFunctionSelector } from 'viem'
import { stockAbi } from '../src/chain/abi/stock.ts'
import type { Sql } from '../src/db/pool.ts'
import type { Broker } from '../src/market/ports.ts'

/**
 * The named points of the keeper's work at which its process may die:
 *
 * - `order_taken`: an order is stored for the broker, and not sent.
 * - `submission_counted`: a submission is counted, the broker has not seen it yet.
 * - `broker_has_order`: the broker has the order, its answer is not recorded.
 * - `executions_read`: executions have been read from the broker and not recorded.
 * - `executions_inside`: they are recorded in an open transaction.
 * - `executions_recorded`: they are committed and not settled.
 * - `settlement_inside`: the settlement too, its executions are not marked.
 * - `settlement_written`: all of it is committed.
 * - `cancel_noted`: a user's cancel is stored for the broker.
 * - `cancel_counted`: it is counted, the broker has not seen it yet.
 * - `broker_has_cancel`: the broker has it, its answer is not recorded.
 * - `end_inside`: the end of an order is stored in an open transaction.
 * - `end_written`: it is committed.
 */
export const KEEPER_STEPS = [
  'order_taken',
  'submission_counted',
  'broker_has_order',
  'executions_read',
  'executions_inside',
  'executions_recorded',
  'settlement_inside',
  'settlement_written',
  'cancel_noted',
  'cancel_counted',
  'broker_has_cancel',
  'end_inside',
  'end_written',
] as const
export type KeeperStep = (typeof KEEPER_STEPS)[number]

const selectorsOf = (abi: Abi, names: readonly string[]): readonly string[] =>
  abi.flatMap((item) => (item.type === 'function' && names.includes(item.name) ? [toFunctionSelector(item)] : []))
const SETTLEMENTS = selectorsOf(stockAbi, ['settleMarketOrders', 'settleLimitOrders'])
const ENDS = selectorsOf(stockAbi, ['settleCancels', 'rejectMarketOrders'])

interface StatementStep {
  readonly step: KeeperStep
  /** Whether the step has passed when the statement has run, or when its transaction is committed. */
  readonly when: 'run' | 'committed'
  matches(text: string, values: readonly unknown[]): boolean
}

const holds = (part: string) => (text: string) => text.includes(part)
const intent = (selectors: readonly string[]) => (text: string, values: readonly unknown[]) =>
  text.includes('insert into tx_intents') &&
  values.flat().some((value) => typeof value === 'string' && selectors.some((selector) => value.startsWith(selector)))

const STATEMENTS: readonly StatementStep[] = [
  { step: 'order_taken', when: 'committed', matches: holds('insert into taken_orders') },
  { step: 'submission_counted', when: 'run', matches: holds('submit_attempts = submit_attempts + 1') },
  { step: 'executions_inside', when: 'run', matches: holds('insert into execution_settlements') },
  { step: 'executions_recorded', when: 'committed', matches: holds('insert into execution_settlements') },
  { step: 'settlement_inside', when: 'run', matches: intent(SETTLEMENTS) },
  { step: 'settlement_written', when: 'committed', matches: intent(SETTLEMENTS) },
  { step: 'cancel_noted', when: 'run', matches: holds('set cancel_requested_at = now()') },
  { step: 'cancel_counted', when: 'run', matches: holds('cancel_attempts = cancel_attempts + 1') },
  { step: 'end_inside', when: 'run', matches: intent(ENDS) },
  { step: 'end_written', when: 'committed', matches: intent(ENDS) },
]

/** The database, telling `passed` each named step as it passes. */
export function watchedSql(sql: Sql, passed: (step: KeeperStep) => void): Sql {
  return watched(sql, (steps) => {
    for (const { step, when } of steps) if (when === 'run') passed(step)
  }) as Sql

  function watched(target: Sql, ran: (steps: readonly StatementStep[]) => void): Sql {
    return new Proxy(target, {
      apply: (statement, _, call) => watchedQuery(Reflect.apply(statement as never, undefined, call), call, ran),
      get: (from, key) => {
        if (key !== 'begin') return Reflect.get(from, key)
        return async (...args: [...options: string[], work: (tx: Sql) => Promise<unknown>]) => {
          const work = args.at(-1) as (tx: Sql) => Promise<unknown>
          const inside: StatementStep[] = []
          const within = (tx: unknown) =>
            work(
              watched(tx as Sql, (steps) => {
                inside.push(...steps)
                ran(steps)
              }),
            )
          const result = await (args.length > 1 ? from.begin(args[0] as string, within) : from.begin(within))
          for (const { step, when } of inside) if (when === 'committed') passed(step)
          return result
        }
      },
    })
  }
}

/** A statement runs when it is awaited; what is a part of another statement never is. */
function watchedQuery<T>(query: T, call: unknown[], ran: (steps: readonly StatementStep[]) => void): T {
  const [strings, ...values] = call
  const then = (query as { then?: unknown } | null)?.then
  if (typeof then !== 'function' || !Array.isArray(strings)) return query
  const steps = STATEMENTS.filter(({ matches }) => matches(strings.join('?'), values))
  if (steps.length === 0) return query
  const run = then.bind(query) as (ok: (rows: unknown) => unknown) => Promise<unknown>
  const watched = async () => {
    const rows = await run((result) => result)
    ran(steps)
    return rows
  }
  return Object.defineProperty(query as object, 'then', {
    value: (ok: (rows: unknown) => unknown, bad: (error: unknown) => unknown) => watched().then(ok, bad),
  }) as T
}

/** The broker, telling `passed` what its caller has not heard yet. */
export function watchedBroker(broker: Broker, passed: (step: KeeperStep) => void): Broker {
  return {
    ...broker,
    async submit(order) {
      const answer = await broker.submit(order)
      passed('broker_has_order')
      return answer
    },
    async cancel(clientOrderId) {
      const answer = await broker.cancel(clientOrderId)
      passed('broker_has_cancel')
      return answer
    },
    async executionsSince(cursor, limit) {
      const page = await broker.executionsSince(cursor, limit)
      if (page.executions.length > 0) passed('executions_read')
      return page
    },
  }
}
