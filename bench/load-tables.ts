import type { Sql } from '../server/src/db/pool.ts'

/** Tables that get a great many rows. */
export interface LoadedTables {
  readonly tables: readonly string[]
  /** Changes of tables by which nobody is told: their triggers publish what changes, or note how to undo it. */
  readonly untold: readonly string[]
  /** Tables that grow with them. */
  readonly analysed?: readonly string[]
}

/** Runs `insert` for a great many rows: the tables' indexes are made when all are there, and nobody is told of any. */
export async function loadTables(
  sql: Sql,
  { tables, untold, analysed = [] }: LoadedTables,
  insert: () => Promise<void>,
): Promise<void> {
  await sql`set statement_timeout = 0`
  await sql`set maintenance_work_mem = '512MB'`
  await sql`set synchronous_commit = off`
  const indexes = await dropIndexes(sql, tables)
  for (const change of untold) await sql.unsafe(`alter table ${change}`)
  await insert()
  for (const change of untold) await sql.unsafe(`alter table ${change.replace('disable', 'enable')}`)
  for (const statement of indexes) await sql.unsafe(statement)
  await sql.unsafe(`vacuum analyze ${[...analysed, ...tables].join(', ')}`)
}

/** Drops all indexes of the tables, those of constraints too; answers the statements that make them again. */
async function dropIndexes(sql: Sql, tables: readonly string[]): Promise<readonly string[]> {
  const constraints = await sql<{ drop: string; make: string }[]>`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make
    from pg_constraint where conrelid = any(${[...tables]}::regclass[]) and contype in ('p', 'u')`
  for (const { drop } of constraints) await sql.unsafe(drop)
  const indexes = await sql<{ drop: string; make: string }[]>`
    select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as make
    from pg_index where indrelid = any(${[...tables]}::regclass[])`
  for (const { drop } of indexes) await sql.unsafe(drop)
  return [...constraints, ...indexes].map(({ make }) => make)
}
