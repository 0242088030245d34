import postgres from 'postgres'
import { eventually } from './client.ts'

type Digests = Readonly<Record<string, string>>

/**
 * Tables in which the market, the chain and the venue's own workers change rows by themselves, and no request ever does.
 * Every other table is in the digest, a new one too.
 */
const MOVING = [
  ...['blocks', 'chain_checkpoints', 'follower_status', 'undo_log', 'oracle_prices'],
  ...['market_quotes', 'market_minute_bars', 'market_candles', 'market_daily_bars', 'market_weekly_bars'],
  ...['market_symbols', 'simulator_paths', 'broker_cursors', 'keeper_tasks', 'tx_signers', 'tx_attempts'],
  // Oracle prices are transactions of the venue too, and the books are compared all the time.
  ...['stock_transactions', 'reconciliation_readings', 'reconciliation_lines', 'reconciliation_cash'],
  'reconciliation_rounds',
  ...['outbox', 'outbox_channels', 'outbox_records', 'stock_stream_marks', 'perp_stream_marks', 'webhook_cursors'],
  ...['write_mark', 'settlement_marks'],
]
/** Tables that change too while an order rests at the broker. */
const AT_WORK = [
  ...['broker_orders', 'broker_executions', 'execution_settlements', 'hedge_ledger', 'hedges', 'taken_orders'],
  ...['simulated_broker_orders', 'simulated_broker_executions'],
]
/** The keeper inserts prices and chores all the time, and the relayer moves the state of what is queued. */
const PRICES = `('oracle', 'perp-feed', 'perp-keeper')`
const INTENTS = `
  select id, purpose, to_address, data, value_wei, gas_limit from tx_intents where purpose not in ${PRICES}`

/** What is on its way: transactions, orders that do not rest, cash in a queue, executions to be settled. */
const UNDER_WAY = `
  select 'transaction ' || id as what from tx_intents
    where purpose not in ${PRICES} and state in ('queued', 'signed', 'broadcast')
  union all select 'order ' || order_id from stock_orders
    where status = 'open' and (order_type = 'Market' or cancel_requested)
  union all select 'cash ' || operation_id from cash_operations where status = 'queued'
  union all select 'execution ' || execution_id from execution_settlements where intent_id is null`

/** Rounds after which a task has done one from its beginning to its end, whatever it was at before. */
const FULL_ROUND = 2

/**
 * The rows of a venue's database, looked at by hundreds of requests: over one connection, and all tables in one statement, which is
 * planned once.
 */
export class Rows {
  readonly #sql: postgres.Sql
  readonly #statements = new Map<boolean, Promise<string>>()

  constructor(databaseUrl: string) {
    // So many tables are planned for parallel workers: two processes begun anew for each look, at four times the time.
    const connection = { max_parallel_workers_per_gather: '0' }
    this.#sql = postgres(databaseUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {}, connection })
  }

  /**
   * A digest of each table that a request could change; equal digests, equal rows. Where nothing is at work, `atWork`
   * is false and the tables of what is are in it too.
   */
  async digest(atWork = true): Promise<Digests> {
    const statement = this.#statements.get(atWork) ?? this.#digestOfTables(atWork)
    this.#statements.set(atWork, statement)
    const rows = await this.#sql.unsafe<{ name: string; digest: string }[]>(await statement, [], { prepare: true })
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
  }

  async #digestOfTables(atWork: boolean): Promise<string> {
    const tables = await this.#sql<{ name: string }[]>`
      select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> all(${atWork ? [...MOVING, ...AT_WORK] : MOVING}) order by 1`
    const digests = tables.map(({ name }) => {
      const rows = name === 'tx_intents' ? INTENTS : `select * from "${name}"`
      return `
        select '${name}' as name,
          count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as digest from (${rows}) t`
    })
    return digests.join(' union all ')
  }

  /**
   * Waits until the keeper has finished with what was done before, so that what changes afterwards was changed by a request.
   * Where an order rests, `atWork` leaves out what it moves.
   */
  async untilQuiet(atWork = false): Promise<Digests> {
    for (;;) {
      const before = await this.digest(atWork)
      await this.#untilWorked()
      const after = await this.digest(atWork)
      if (JSON.stringify(before) === JSON.stringify(after)) return after
    }
  }

  close(): Promise<void> {
    return this.#sql.end()
  }

  /** Waits until all blocks of before are indexed, nothing is on its way, and every task of the keeper has then had a round. */
  async #untilWorked(): Promise<void> {
    const sql = this.#sql
    const begun = new Date()
    await eventually(
      () => sql`
        select c.block_number from chain_checkpoints c join blocks b on b.chain_id = c.chain_id and b.number = c.block_number
        where b.timestamp_sec > ${Math.ceil(begun.getTime() / 1000)}`,
      (rows) => rows.length > 0,
    )
    await eventually(
      () => sql.unsafe(UNDER_WAY),
      (rows) => rows.length === 0,
    )
    const idle = new Date()
    const noted = await eventually(
      () => this.#roundsSince(idle),
      (tasks) => tasks.size > 0,
    )
    await eventually(
      () => this.#roundsSince(idle),
      (tasks) => [...noted].every(([task, count]) => (tasks.get(task) ?? 0) >= count + FULL_ROUND),
    )
  }

  async #roundsSince(since: Date): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#sql<{ task: string; rounds: number }[]>`
      select task, rounds::int from keeper_tasks where reported_at > ${since}`
    return new Map(rows.map((row) => [row.task, row.rounds]))
  }
}
