import postgres from 'postgres'

const NUMERIC_OID = 1700
const INT8_OID = 20

/**
 * Every exact number is a bigint: `numeric(78,0)` raw amounts and `bigint` counters. Columns with fractions do not
 * exist in this schema.
 */
const types = {
  numeric: {
    to: NUMERIC_OID,
    from: [NUMERIC_OID, INT8_OID],
    serialize: (value: bigint) => value.toString(),
    parse: (text: string) => BigInt(text),
  },
}

export type Sql = postgres.Sql<{ numeric: bigint }>
export type Tx = postgres.TransactionSql<{ numeric: bigint }>
/** What a query function of a `store.ts` takes: the pool, or a transaction of it. */
export type Db = Sql | Tx

export interface PoolOptions {
  readonly url: string
  readonly maxConnections: number
  readonly applicationName: string
}

/** How long a transaction may stand idle. */
export const IDLE_IN_TRANSACTION_MS = 20_000

/**
 * A connection pool. A statement ends after 30 s and an idle transaction after 20 s, so that neither a deep page nor a
 * forgotten transaction (or a process frozen in one) holds the database back.
 */
export function createPool(options: PoolOptions): Sql {
  return postgres(options.url, {
    max: options.maxConnections,
    types,
    onnotice: () => {},
    connection: {
      application_name: options.applicationName,
      statement_timeout: 30_000,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    },
  })
}

/**
 * A connection of its own with the pool's options, and some others, to be ended by whoever opens it. What PostgreSQL has planned and
 * looked up is a connection's, and is lost to it whenever a table is analysed: of a pool's connections each plans anew what one would
 * plan once.
 */
export const ownConnection = (sql: Sql, others: object = {}): Sql =>
  postgres({ ...sql.options, ...others, max: 1 } as unknown as postgres.Options<never>) as unknown as Sql

/**
 * A bigint as a query parameter for a `numeric` column. (A bare bigint is sent as an int8, which most amounts overflow.)
 */
export function numeric(value: bigint): string
export function numeric(value: bigint | null | undefined): string | null
export function numeric(value: bigint | null | undefined): string | null {
  return value?.toString() ?? null
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
export async function inTransaction<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return (await sql.begin(work)) as T
}

/**
 * Runs `work` in one transaction that sees the database as it is at its beginning, and cannot write. The level is set with
 * `begin`: a leader's pool asks something of its own before `work` does.
 */
export async function inSnapshot<T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<T> {
  return (await sql.begin('isolation level repeatable read', async (tx) => {
    const [, result] = await Promise.all([tx`set transaction read only`.execute(), work(tx)])
    return result
  })) as T
}
