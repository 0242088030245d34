import { inTime } from '../lib/in-time.ts'
import { ownConnection, type Sql } from './pool.ts'

/** Asks the database something with a time limit; rejects when it does not answer. */
export interface Probe {
  ask<T>(question: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * A connection of its own beside the pool: a pool that is busy, or whose connections hang, must not be taken for a database that
 * is away. A connection that fails once is given up, so that the next question finds out anew.
 */
export function openProbe(sql: Sql, limitMs: number): Probe {
  let connection: Sql | null = null
  const drop = async () => {
    const dropped = connection
    connection = null
    await dropped?.end({ timeout: 0 }).catch(() => {})
  }
  return {
    async ask(question) {
      connection ??= ownConnection(sql)
      try {
        return await inTime(question(connection), limitMs, 'a question to the database')
      } catch (error) {
        void drop()
        throw error
      }
    },
    close: drop,
  }
}
