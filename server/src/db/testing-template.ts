import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import postgres from 'postgres'
import { migrate, migrationFiles } from './migrate.ts'

const TEMPLATE_LOCK = 4_201_972
const INSUFFICIENT_PRIVILEGE = '42501'

/** Everything of a schema that a test could have changed, as text. */
const SCHEMA = `
  select 'relation ' || c.oid::regclass || c.relkind::text || c.relpersistence::text || coalesce(c.relacl::text, '')
    || coalesce(c.reloptions::text, '') || coalesce(pg_get_expr(c.relpartbound, c.oid), '') as line
  from pg_class c where c.relnamespace = 'public'::regnamespace
  union all select 'column ' || a.attrelid::regclass || a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull
    || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
  from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
  where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
  union all select 'index ' || pg_get_indexdef(i.indexrelid)
  from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace
  union all select 'constraint ' || conrelid::regclass || conname || pg_get_constraintdef(oid)
  from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'trigger ' || t.tgenabled::text || pg_get_triggerdef(t.oid)
  from pg_trigger t where not t.tgisinternal
  union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace and prokind in ('f', 'p')
  union all select 'setting ' || s.setrole || s.setconfig::text
  from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
  union all select 'schema ' || nspname from pg_namespace where nspname !~ '^pg_'`

/** What a database is like after the migrations: its schema, and the rows that they put in. */
interface Pristine {
  readonly schema: string
  /** Tables that are not empty, with their rows as JSON. */
  readonly rows: Readonly<Record<string, string>>
  /** Sequences that are not at their start. */
  readonly sequences: readonly string[]
}

/** The template of the present migrations, made where there is none. */
export async function ensureTemplate(admin: postgres.Sql, serverUrl: string): Promise<string> {
  const template = `bourse_pristine_${migrationsDigest()}`
  await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`
  const existing = await admin`select 1 from pg_database where datname = ${template}`
  if (existing.length === 0) {
    const draft = `${template}_draft`
    await admin.unsafe(`drop database if exists ${draft} with (force)`)
    await admin.unsafe(`create database ${draft}`)
    await migrate(withDatabase(serverUrl, draft))
    const pristine = await within(withDatabase(serverUrl, draft), stateOf)
    await admin.unsafe(`comment on database ${draft} is '${JSON.stringify(pristine).replaceAll("'", "''")}'`)
    await admin.unsafe(`alter database ${draft} rename to ${template}`)
  }
  await admin`select pg_advisory_unlock(${TEMPLATE_LOCK})`
  return template
}

/**
 * Makes a used database like its template again. False when that takes a new one: a test changed the schema, or the role
 * may not put triggers and foreign keys aside.
 */
export async function emptied(admin: postgres.Sql, template: string, url: string): Promise<boolean> {
  const [row] = await admin<{ text: string }[]>`
    select shobj_description(oid, 'pg_database') as text from pg_database where datname = ${template}`
  const pristine = JSON.parse(row?.text ?? '{}') as Pristine
  return within(url, async (sql) => {
    try {
      await sql.unsafe('set session_replication_role = replica')
    } catch (error) {
      if ((error as { code?: string }).code === INSUFFICIENT_PRIVILEGE) return false
      throw error
    }
    const tables = await tablesOf(sql)
    await sql.unsafe(tables.map((table) => `delete from only ${table}`).join(';'))
    for (const [table, rows] of Object.entries(pristine.rows).filter(([name]) => tables.includes(name))) {
      const insert = `insert into ${table} overriding system value select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`
      await sql.unsafe(insert, [rows])
    }
    const sequences = await sql<{ name: string }[]>`
      select format('%I', sequencename) as name from pg_sequences where schemaname = 'public' and last_value is not null`
    await sql.unsafe(sequences.map(({ name }) => `alter sequence ${name} restart`).join(';'))
    return JSON.stringify(await stateOf(sql)) === JSON.stringify(pristine)
  })
}

async function stateOf(sql: postgres.Sql): Promise<Pristine> {
  const [schema] = await sql.unsafe(
    `select md5(string_agg(line, e'\\n' order by line)) as digest from (${SCHEMA}) as lines`,
  )
  const tables = await tablesOf(sql)
  const contents = await sql.unsafe(
    tables
      .map(
        (name) => `select '${name}' as name, jsonb_agg(to_jsonb(t) order by t::text)::text as rows from only ${name} t`,
      )
      .join(' union all '),
  )
  const filled = contents.filter(({ rows }) => rows !== null).map(({ name, rows }) => [name, rows])
  const sequences = await sql<{ name: string }[]>`
    select sequencename as name from pg_sequences where schemaname = 'public' and last_value is not null order by 1`
  return {
    schema: schema?.digest,
    rows: Object.fromEntries(filled.sort()),
    sequences: sequences.map(({ name }) => name),
  }
}

async function tablesOf(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I', relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`
  return rows.map(({ name }) => name)
}

async function within<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}

function migrationsDigest(): string {
  const hash = createHash('sha256')
  for (const file of migrationFiles()) hash.update(basename(file)).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
