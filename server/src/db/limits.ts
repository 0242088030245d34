import type postgres from 'postgres'

/** Limits of a session. Older servers do not have all of them. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout']

/**
 * Lifts what the pool, or an operator for the sake of the venue's pools, has set as limits of a session: for its transaction, or until it
 * ends. By a statement, as a pooler passes on what it likes of the settings that a connection begins with.
 */
export async function liftLimits(sql: postgres.ISql, until: 'transaction' | 'session'): Promise<void> {
  await sql`
    select set_config(name, '0', ${until === 'transaction'}) from pg_settings where name = any(${LIMITS})`
}
