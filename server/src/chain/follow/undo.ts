import type { Sql, Tx } from '../../db/pool.ts'
import { UndoTableError } from './failures.ts'
import { enterBlock } from './store.ts'

/** A table whose changes are logged by the database and can be taken back. */
export interface UndoTable {
  readonly name: string
  readonly keys: readonly string[]
  /** All columns that can be written, the keys included. */
  readonly columns: readonly string[]
}

/**
 * Puts the undo triggers on each table, so that a change outside a block fails and a change inside one is logged. Throws
 * for a table that does not exist, has no primary key or a foreign key that cascades. Safe to repeat; call it as the leader.
 */
export async function installUndo(sql: Sql, tableNames: readonly string[]): Promise<UndoTable[]> {
  const names = [...new Set(tableNames)]
  const described = await describeTables(sql, names)
  const tables = names.map((name) => checked(name, described.get(name)))
  await sql.begin((tx) => tx.unsafe(tables.map(triggersOf).join('\n')).simple())
  return tables
}

interface TableDescription {
  readonly keys: readonly string[]
  readonly columns: readonly string[]
  /** Foreign keys by which the database changes rows of the table on its own. */
  readonly cascades: readonly string[]
}

async function describeTables(sql: Sql, names: readonly string[]): Promise<Map<string, TableDescription>> {
  const rows = await sql<(TableDescription & { name: string })[]>`
    select t.name,
      (select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
       join pg_index i on i.indrelid = a.attrelid and i.indisprimary and a.attnum = any (i.indkey)
       where a.attrelid = t.oid) as keys,
      (select coalesce(json_agg(a.attname order by a.attnum), '[]') from pg_attribute a
       where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select coalesce(json_agg(c.conname), '[]') from pg_constraint c
       where c.conrelid = t.oid and c.contype = 'f'
         and (c.confdeltype in ('c', 'n', 'd') or c.confupdtype in ('c', 'n', 'd'))) as cascades
    from (select name, to_regclass(quote_ident(name))::oid as oid from unnest(${[...names]}::text[]) name) t
    where t.oid is not null`
  return new Map(rows.map((row) => [row.name, row]))
}

function checked(name: string, description: TableDescription | undefined): UndoTable {
  if (!description) throw new UndoTableError(`there is no table ${name}`)
  const { keys, columns, cascades } = description
  if (keys.length === 0) throw new UndoTableError(`table ${name} has no primary key, so its changes cannot be undone`)
  if (cascades.length > 0) {
    const problem = 'by it the database changes rows on its own, out of the order in which changes are undone'
    throw new UndoTableError(`foreign key ${cascades.join(', ')} of table ${name} cascades: ${problem}`)
  }
  return { name, keys, columns }
}

const quote = (identifier: string): string => `"${identifier.replaceAll('"', '""')}"`

function triggersOf({ name, keys, columns }: UndoTable): string {
  const table = quote(name)
  const others = columns.filter((column) => !keys.includes(column))
  const record = `execute function undo_record_rows(${others.map(literal).join(', ')})`
  const keyChanged = keys.map((key) => `old.${quote(key)} is distinct from new.${quote(key)}`).join(' or ')
  return `
    create or replace trigger undo_insert after insert on ${table}
      referencing new table as new_rows for each statement ${record};
    create or replace trigger undo_update after update on ${table}
      referencing old table as old_rows for each statement ${record};
    create or replace trigger undo_delete after delete on ${table}
      referencing old table as old_rows for each statement ${record};
    create or replace trigger undo_key before update of ${keys.map(quote).join(', ')} on ${table}
      for each row when (${keyChanged}) execute function undo_refuse('a change of the primary key');
    create or replace trigger undo_truncate before truncate on ${table}
      for each statement execute function undo_refuse('truncate');`
}

interface LoggedStatement {
  readonly blockNumber: bigint
  readonly statement: bigint
  readonly tableName: string
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE'
}

/**
 * Takes back every logged change of the blocks above `ancestor`, newest statement first, so that every constraint holds
 * at each step. Returns how many statements were taken back.
 */
export async function undoAbove(
  tx: Tx,
  chainId: number,
  tables: readonly UndoTable[],
  ancestor: bigint,
): Promise<number> {
  const logged = await tx<LoggedStatement[]>`
    select distinct block_number as "blockNumber", statement, table_name as "tableName", operation
    from undo_log where chain_id = ${chainId} and block_number > ${ancestor}
    order by statement desc`
  const byName = new Map(tables.map((table) => [table.name, table]))
  await enterBlock(tx, chainId, ancestor, 'undo')
  await Promise.all(
    logged.map(async (entry) => {
      const table = byName.get(entry.tableName)
      if (!table) throw new Error(`the undo log names table ${entry.tableName}, which no module owns any more`)
      const reversal = reversalOf(table, entry.operation)
      const position = [chainId, String(entry.blockNumber), String(entry.statement)]
      if (reversal) await tx.unsafe(reversal, position, { prepare: true })
    }),
  )
  await tx`delete from undo_log where chain_id = ${chainId} and block_number > ${ancestor}`
  return logged.length
}

/** The statement that takes one logged statement back; null where there is nothing to restore. */
function reversalOf(table: UndoTable, operation: LoggedStatement['operation']): string | null {
  const name = quote(table.name)
  const images = `undo_log logged cross join lateral jsonb_populate_record(null::${name}, logged.row_image) image`
  const position = 'logged.chain_id = $1::bigint and logged.block_number = $2::bigint and logged.statement = $3::bigint'
  const sameRow = table.keys.map((key) => `target.${quote(key)} = image.${quote(key)}`).join(' and ')
  if (operation === 'INSERT') return `delete from ${name} target using ${images} where ${position} and ${sameRow}`
  if (operation === 'DELETE') {
    const columns = table.columns.map(quote)
    return `insert into ${name} (${columns.join(', ')}) overriding system value
      select ${columns.map((column) => `image.${column}`).join(', ')}
      from ${images} where ${position} order by logged.ordinal desc`
  }
  const values = table.columns.filter((column) => !table.keys.includes(column))
  if (values.length === 0) return null
  // A column that a migration added after the change was logged keeps its value.
  const kept = (column: string) =>
    `case when logged.row_image ? ${literal(column)} then image.${quote(column)} else target.${quote(column)} end`
  const assignments = values.map((column) => `${quote(column)} = ${kept(column)}`).join(', ')
  return `update ${name} target set ${assignments} from ${images} where ${position} and ${sameRow}`
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
