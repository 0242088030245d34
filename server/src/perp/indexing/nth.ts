import type { PendingQuery, Row } from 'postgres'
import type { Tx } from '../../db/pool.ts'

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
