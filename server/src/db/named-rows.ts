import type { PendingQuery, Row } from 'postgres'
import type { Tx } from './pool.ts'

/** A row by the names of its table's columns. */
export type NamedRow = Readonly<Record<string, string | number | bigint | boolean | null>>

/**
 * Rows as a table to select from: the columns of `table` by name (null where a row names none), and `ordinality` from 1. One
 * parameter, whatever the number of rows and columns.
 */
export function asTable(tx: Tx, table: string, rows: readonly NamedRow[]): PendingQuery<Row[]> {
  return tx`json_populate_recordset(null::${tx(table)}, ${toJson(rows)}::text::json) with ordinality as new`
}

/** Exact numbers as their digits, which `JSON.stringify` has no form for. */
function toJson(rows: readonly NamedRow[]): string {
  return `[${rows.map((row) => `{${Object.keys(row).map((name) => `"${name}":${valueJson(row[name] ?? null)}`)}}`).join()}]`
}

const valueJson = (value: NamedRow[string]): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value)

/** Inserts rows that all name the same columns. */
export async function insertRows(tx: Tx, table: string, rows: readonly NamedRow[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = tx(Object.keys(first))
  await tx`insert into ${tx(table)} (${columns}) select ${columns} from ${asTable(tx, table, rows)}`
}
