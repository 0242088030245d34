import type { PendingQuery, Row } from 'postgres'
import { asTable, type NamedRow } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'

/** The columns in which rows of one list agree. */
export const OF_TRADER = ['chain_id', 'trader'] as const
export const OF_PAIR = [...OF_TRADER, 'instrument', 'expiry'] as const

/** Column by column that numbers a list without gaps (migration 131): the columns in which the rows of the list agree. */
export type Lists = Readonly<Record<string, readonly string[]>>

/**
 * New rows of a table with their numbers, in their order: each list goes on where its last row in the table ends. Where a row has
 * null for a column of a list, it is in none of that kind.
 */
export async function numbered(
  tx: Tx,
  table: string,
  rows: readonly NamedRow[],
  lists: Lists,
): Promise<readonly NamedRow[]> {
  const numbers = await Promise.all(Object.entries(lists).map(([column, of]) => numbersOf(tx, table, column, of, rows)))
  return rows.map((row) => Object.assign({ ...row }, ...numbers.map((next) => next(row))))
}

/** Gives each row that is asked for the next number in the list of this column. */
async function numbersOf(tx: Tx, table: string, column: string, of: readonly string[], rows: readonly NamedRow[]) {
  const lists = new Map<string, NamedRow>()
  const nameOf = (row: NamedRow) => of.map((part) => row[part]).join(' ')
  const isListed = (row: NamedRow) => of.every((part) => row[part] !== null)
  for (const row of rows)
    if (isListed(row)) lists.set(nameOf(row), Object.fromEntries(of.map((part) => [part, row[part] ?? null])))
  const last = await lastOf(tx, table, column, of, [...lists])
  return (row: NamedRow): NamedRow => {
    if (!isListed(row)) return { [column]: null }
    const name = nameOf(row)
    const next = (last.get(name) ?? 0n) + 1n
    last.set(name, next)
    return { [column]: next }
  }
}

/** The last number of each list; nothing for a list that is empty. */
async function lastOf(
  tx: Tx,
  table: string,
  column: string,
  of: readonly string[],
  lists: readonly (readonly [name: string, list: NamedRow])[],
): Promise<Map<string, bigint>> {
  if (lists.length === 0) return new Map()
  const rows = await tx<{ ordinality: bigint; last: bigint | null }[]>`
    select ordinality, (select max(listed.${tx(column)}) from ${tx(table)} listed where ${sameList(tx, of)}) as last
    from ${asTable(
      tx,
      table,
      lists.map(([, list]) => list),
    )}`
  const named = rows.map(({ ordinality, last }) => [lists[Number(ordinality) - 1]?.[0] ?? '', last ?? 0n] as const)
  return new Map(named)
}

const sameList = (tx: Tx, of: readonly string[]): PendingQuery<Row[]> =>
  of.map((part) => tx`listed.${tx(part)} = new.${tx(part)}`).reduce((all, condition) => tx`${all} and ${condition}`)
