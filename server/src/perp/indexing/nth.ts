import type { PendingQuery, Row } from 'postgres'
import { asTable, type NamedRow } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'

/** The columns in which rows of one list agree. */
export const OF_TRADER = ['chain_id', 'trader'] as const
export const OF_PAIR = [...OF_TRADER, 'instrument', 'expiry'] as const

/**
 * The numbers of new rows in a list that is numbered without gaps (migration 131), in the order of `new.ordinality`. The list is that of
 * the rows which agree in these columns of the table and of `new`.
 */
export function nextNth(tx: Tx, table: string, column: string, list: readonly string[]): PendingQuery<Row[]> {
  const same = list
    .map((of) => tx`listed.${tx(of)} = new.${tx(of)}`)
    .reduce((all, condition) => tx`${all} and ${condition}`)
  return tx`
    (select coalesce(max(listed.${tx(column)}), 0) from ${tx(table)} listed where ${same})
      + row_number() over (partition by ${tx(list.map((of) => `new.${of}`))} order by new.ordinality)`
}

/** Inserts rows that all name the same columns, each with its numbers: column by column, the list that it numbers. */
export async function insertNumbered(
  tx: Tx,
  table: string,
  rows: readonly NamedRow[],
  lists: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const numbers = Object.entries(lists)
    .map(([column, list]) => nextNth(tx, table, column, list))
    .reduce((all, number) => tx`${all}, ${number}`)
  await tx`
    insert into ${tx(table)} (${tx([...columns, ...Object.keys(lists)])})
    select ${tx(columns)}, ${numbers} from ${asTable(tx, table, rows)}`
}
