import type { PendingQuery, Row } from 'postgres'
import type { Tx } from '../../db/pool.ts'

/** The next number of a list that is numbered without gaps (migration 131); `list` is the condition for its rows. */
export const nextNth = (tx: Tx, table: string, column: string, list: PendingQuery<Row[]>) =>
  tx`(select coalesce(max(${tx(column)}), 0) + 1 from ${tx(table)} where ${list})`
