import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import postgres from 'postgres'
import { migrate, migrationFiles } from './migrate.ts'

const TEMPLATE_LOCK = 4_201_972

const PUBLIC = `'public'::regnamespace`

/**
 * Everything of a schema that a test could have changed, as text, each part with the catalogs that it stands in: a change
 * of it leaves another number of rows there, or one of a younger transaction.
 */
const PARTS = {
  relations: {
    catalogs: ['pg_class', 'pg_inherits'],
    lines: `
      select c.oid::regclass || c.relkind::text || c.relpersistence::text || coalesce(c.relacl::text, '')
        || coalesce(c.reloptions::text, '') || coalesce(pg_get_expr(c.relpartbound, c.oid), '') as line
      from pg_class c where c.relnamespace = ${PUBLIC}`,
  },
  columns: {
    catalogs: ['pg_attribute', 'pg_attrdef'],
    lines: `
      select a.attrelid::regclass || a.attname || format_type(a.atttypid, a.atttypmod) || a.attnotnull
        || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
      where c.relnamespace = ${PUBLIC} and a.attnum > 0 and not a.attisdropped`,
  },
  indexes: {
    catalogs: ['pg_index'],
    lines: `
      select pg_get_indexdef(i.indexrelid) as line
      from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = ${PUBLIC}`,
  },
  constraints: {
    catalogs: ['pg_constraint'],
    lines: `
      select conrelid::regclass || conname || pg_get_constraintdef(oid) as line
      from pg_constraint where connamespace = ${PUBLIC}`,
  },
  triggers: {
    catalogs: ['pg_trigger'],
    lines: `select tgenabled::text || pg_get_triggerdef(oid) as line from pg_trigger where not tgisinternal`,
  },
  functions: {
    catalogs: ['pg_proc'],
    lines: `
      select pg_get_functiondef(oid) as line from pg_proc where pronamespace = ${PUBLIC} and prokind in ('f', 'p')`,
  },
  settings: {
    catalogs: ['pg_db_role_setting'],
    lines: `
      select s.setrole || s.setconfig::text as line
      from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()`,
  },
  schemas: { catalogs: ['pg_namespace'], lines: `select nspname as line from pg_namespace where nspname !~ '^pg_'` },
} as const

type Part = keyof typeof PARTS
const ALL_PARTS = Object.keys(PARTS) as Part[]
type ByPart = Partial<Record<Part, string>>

/** What a database is like after the migrations: its schema, and the rows that they put in. */
export interface Pristine {
  readonly schema: ByPart
  readonly tables: readonly string[]
  readonly triggers: readonly string[]
  /** Tables that are not empty, with their rows as JSON. */
  readonly rows: Readonly<Record<string, string>>
  /** Sequences that are not at their start. */
  readonly sequences: readonly string[]
}

export interface Template {
  readonly name: string
  readonly pristine: Pristine
}

/** The template of the present migrations, made where there is none. */
export async function ensureTemplate(admin: postgres.Sql, serverUrl: string): Promise<Template> {
  const name = `bourse_pristine_${migrationsDigest()}`
  await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`
  const existing = await admin`select 1 from pg_database where datname = ${name}`
  if (existing.length === 0) {
    const draft = `${name}_draft`
    await admin.unsafe(`drop database if exists ${draft} with (force)`)
    await admin.unsafe(`create database ${draft}`)
    await migrate(withDatabase(serverUrl, draft))
    const pristine = await within(withDatabase(serverUrl, draft), pristineOf)
    await admin.unsafe(`comment on database ${draft} is '${JSON.stringify(pristine).replaceAll("'", "''")}'`)
    await admin.unsafe(`alter database ${draft} rename to ${name}`)
  }
  const [row] = await admin<{ text: string }[]>`
    select shobj_description(oid, 'pg_database') as text from pg_database where datname = ${name}`
  await admin`select pg_advisory_unlock(${TEMPLATE_LOCK})`
  return { name, pristine: JSON.parse(row?.text ?? '{}') as Pristine }
}

async function pristineOf(sql: postgres.Sql): Promise<Pristine> {
  const [schema, tables, triggers] = [await schemaOf(sql, ALL_PARTS), await tablesOf(sql), await triggersOf(sql)]
  return { schema, tables, triggers, ...(await contentsOf(sql)) }
}

/** A connection that makes a used database like its template again, time after time. */
export class Emptier {
  readonly #sql: postgres.Sql
  readonly #pristine: Pristine
  /** The state of the catalogs of each part that was found to be like the template's. */
  #seen: ByPart = {}
  #isProved = false

  constructor(url: string, { pristine }: Template, applicationName: string) {
    this.#pristine = pristine
    // Triggers and foreign keys are put aside.
    const connection = { application_name: applicationName, session_replication_role: 'replica' }
    this.#sql = postgres(url, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {}, connection })
  }

  /** False when a new database is needed: a test changed the schema in a way that nobody takes back here. */
  async empty(): Promise<boolean> {
    const sql = this.#sql
    await this.#dropTriggers()
    const used = await tablesOf(sql)
    await sql.unsafe(used.map((table) => `delete from only ${table}`).join(';'))
    const tables = used.filter((name) => this.#pristine.tables.includes(name))
    await this.#dropTables(used.filter((name) => !tables.includes(name)))
    for (const [table, rows] of Object.entries(this.#pristine.rows).filter(([name]) => tables.includes(name))) {
      const insert = `insert into ${table} overriding system value select * from jsonb_populate_recordset(null::${table}, $1::text::jsonb)`
      await sql.unsafe(insert, [rows])
    }
    await sql`
      select setval(format('%I', sequencename)::regclass, start_value, false)
      from pg_sequences where schemaname = 'public' and last_value is not null`
    return (await this.#hasSchema()) && (await this.#hasContents())
  }

  async end(): Promise<void> {
    await this.#sql.end({ timeout: 5 })
  }

  /** Those that a test put on tables, by a follower for instance. */
  async #dropTriggers(): Promise<void> {
    const more = (await triggersOf(this.#sql)).filter((name) => !this.#pristine.triggers.includes(name))
    if (more.length > 0) await this.#sql.unsafe(more.map((name) => `drop trigger ${name}`).join(';'))
  }

  /** Those that a test made. A partition is detached first, or foreign keys to the whole table would go with it. */
  async #dropTables(names: readonly string[]): Promise<void> {
    if (names.length === 0) return
    const partitions = await this.#sql<{ name: string; parent: string }[]>`
      select inhrelid::regclass::text as name, inhparent::regclass::text as parent
      from pg_inherits where inhrelid = any (${[...names]}::regclass[])`
    const detach = partitions.map(({ name, parent }) => `alter table ${parent} detach partition ${name};`)
    await this.#sql.unsafe(`${detach.join('')} drop table ${names.join(', ')} cascade`)
  }

  /** Reads again only what stands in catalogs that were written since it was like the template's. */
  async #hasSchema(): Promise<boolean> {
    const now = await catalogsOf(this.#sql)
    const changed = ALL_PARTS.filter((part) => now[part] !== this.#seen[part])
    const schema = await schemaOf(this.#sql, changed)
    if (changed.some((part) => schema[part] !== this.#pristine.schema[part])) return false
    this.#seen = now
    return true
  }

  /** The same statements on the same schema: what they come to is looked at once. */
  async #hasContents(): Promise<boolean> {
    const { rows, sequences } = this.#pristine
    this.#isProved ||= JSON.stringify(await contentsOf(this.#sql)) === JSON.stringify({ rows, sequences })
    return this.#isProved
  }
}

async function schemaOf(sql: postgres.Sql, parts: readonly Part[]): Promise<ByPart> {
  if (parts.length === 0) return {}
  const digests = parts.map(
    (part) => `(select md5(string_agg(line, e'\\n' order by line)) from (${PARTS[part].lines}) as lines) as ${part}`,
  )
  const [row] = await sql.unsafe<ByPart[]>(`select ${digests.join(', ')}`)
  return { ...row }
}

async function catalogsOf(sql: postgres.Sql): Promise<ByPart> {
  const stateOf = (catalog: string) => `(select count(*) || '/' || max(xmin::text::bigint) from ${catalog})`
  const states = ALL_PARTS.map((part) => `concat(${PARTS[part].catalogs.map(stateOf).join(", ' ', ")}) as ${part}`)
  const [row] = await sql.unsafe<ByPart[]>(`select ${states.join(', ')}`)
  return { ...row }
}

async function contentsOf(sql: postgres.Sql): Promise<Pick<Pristine, 'rows' | 'sequences'>> {
  const tables = await tablesOf(sql)
  const rowsOf = (table: string) =>
    `select '${table}' as name, jsonb_agg(to_jsonb(t) order by t::text)::text as rows from only ${table} t`
  const contents = await sql.unsafe(tables.map(rowsOf).join(' union all '))
  const filled = contents.filter(({ rows }) => rows !== null).map(({ name, rows }) => [name, rows])
  const sequences = await sql<{ name: string }[]>`
    select sequencename as name from pg_sequences where schemaname = 'public' and last_value is not null order by 1`
  return { rows: Object.fromEntries(filled.sort()), sequences: sequences.map(({ name }) => name) }
}

async function tablesOf(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I', relname) as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname`
  return rows.map(({ name }) => name)
}

/** Each as `drop trigger` names it, but those that partitions have by their table. */
async function triggersOf(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I on %s', tgname, tgrelid::regclass) as name from pg_trigger
    where not tgisinternal and tgparentid = 0 order by 1`
  return rows.map(({ name }) => name)
}

/** Works with a database over a connection of its own. */
export async function within<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
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
