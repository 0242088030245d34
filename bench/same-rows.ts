import type { Sql } from '../server/src/db/pool.ts'

const SHOWN = 3

/** Rows of each table; throws naming some rows that only one of the databases has. */
export async function compareRows(
  one: Sql,
  other: Sql,
  tables: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const rows: Record<string, number> = {}
  for (const table of [...new Set(tables)]) {
    const left = await digestOf(one, table)
    const right = await digestOf(other, table)
    if (left.digest !== right.digest) throw new Error(`${table} differs:\n${await differences(one, other, table)}`)
    rows[table] = left.rows
  }
  return rows
}

interface Digest {
  readonly rows: number
  readonly digest: string
}

async function digestOf(sql: Sql, table: string): Promise<Digest> {
  const [found] = await sql<Digest[]>`
    select count(*)::integer as rows, md5(coalesce(string_agg(row, '' order by row), '')) as digest
    from (${rowsOf(sql, table, await ownColumns(sql, table))}) t`
  if (!found) throw new Error(`${table} cannot be read`)
  return found
}

const rowsOf = (sql: Sql, table: string, own: readonly string[]) =>
  sql`select (to_jsonb(r) - ${own}::text[])::text as row from ${sql(table)} r`

/** Columns that the database itself fills: when a row was written, and its number where it is no part of the chain's. */
async function ownColumns(sql: Sql, table: string): Promise<readonly string[]> {
  const columns = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table}
      and (column_default ~ 'now|timestamp|nextval|gen_random_uuid' or is_identity = 'YES')`
  return columns.map(({ name }) => name)
}

async function differences(one: Sql, other: Sql, table: string): Promise<string> {
  const own = await ownColumns(one, table)
  const read = async (sql: Sql) => {
    const rows = await sql<{ row: string }[]>`${rowsOf(sql, table, own)}`
    return new Set(rows.map(({ row }) => row))
  }
  const [left, right] = [await read(one), await read(other)]
  const only = (name: string, rows: ReadonlySet<string>) => [...rows].slice(0, SHOWN).map((row) => `${name} ${row}`)
  return [...only('live only: ', left.difference(right)), ...only('anew only: ', right.difference(left))].join('\n')
}
