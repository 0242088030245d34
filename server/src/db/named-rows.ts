import type { PendingQuery, Row } from 'postgres'
import { numeric, type Tx } from './pool.ts'

/** A row by the names of its table's columns. */
export type NamedRow = Readonly<Record<string, string | number | bigint | boolean | null>>

/**
 * Rows as a table to select from: the columns of `table` by name (null where a row names none), and `ordinality` from 1. One
 * parameter, whatever the number of rows and columns.
 */
export function asTable(tx: Tx, table: string, rows: readonly NamedRow[]): PendingQuery<Row[]> {
  const exact = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? numeric(value) : value]),
    ),
  )
  return tx`jsonb_populate_recordset(null::${tx(table)}, ${tx.json(exact)}) with ordinality as new`
}

/** Inserts rows that all name the same columns. */
export async function insertRows(tx: Tx, table: string, rows: readonly NamedRow[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = tx(Object.keys(first))
  await tx`insert into ${tx(table)} (${columns}) select ${columns} from ${asTable(tx, table, rows)}`
}
