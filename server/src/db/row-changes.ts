import type { PendingQuery, Row as SqlRow } from 'postgres'
import { asTable, insertRows, type NamedRow } from './named-rows.ts'
import type { Tx } from './pool.ts'

interface Held<Row> {
  readonly row: Row
  readonly isNew: boolean
  readonly isChanged: boolean
}

/**
 * Rows of a table that one transaction reads, changes step by step, and writes in one statement for the new and one for the changed.
 * Only what was loaded can be changed, and what is not there is passed over, as by an update that finds no row.
 */
export class RowChanges<Row extends NamedRow> {
  readonly #table: string
  readonly #keys: readonly (keyof Row & string)[]
  readonly #held = new Map<string, Held<Row>>()
  readonly #deleted = new Map<string, NamedRow>()

  constructor(table: string, keys: readonly (keyof Row & string)[]) {
    this.#table = table
    this.#keys = keys
  }

  /** Loads the rows of these keys as far as they are there. */
  async load(tx: Tx, keys: readonly NamedRow[]): Promise<void> {
    const asked = new Map(keys.map((key) => [this.#nameOf(key), key]))
    if (asked.size === 0) return
    const rows = await tx<Row[]>`
      select stored.* from ${tx(this.#table)} stored, ${asTable(tx, this.#table, [...asked.values()])}
      where ${this.#sameRow(tx)}`
    this.loaded(rows)
  }

  /** Holds rows of the table that somebody has read in this transaction. */
  loaded(rows: readonly Row[]): void {
    for (const row of rows) this.#held.set(this.#nameOf(row), { row, isNew: false, isChanged: false })
  }

  get(key: NamedRow): Row | null {
    return this.#held.get(this.#nameOf(key))?.row ?? null
  }

  /** All that was loaded or added, as it stands. */
  rows(): readonly Row[] {
    return [...this.#held.values()].map(({ row }) => row)
  }

  /** Throws when the row is there already. */
  add(row: Row): void {
    const name = this.#nameOf(row)
    if (this.#held.has(name)) throw new Error(`table ${this.#table} has a row ${name} already`)
    this.#held.set(name, { row, isNew: !this.#deleted.delete(name), isChanged: true })
  }

  change(key: NamedRow, change: Partial<Row>): void {
    const name = this.#nameOf(key)
    const held = this.#held.get(name)
    if (held) this.#held.set(name, { ...held, row: { ...held.row, ...change }, isChanged: true })
  }

  /** Changes the row that is there to this one, or adds it. */
  put(row: Row): void {
    if (this.get(row)) this.change(row, row)
    else this.add(row)
  }

  delete(key: NamedRow): void {
    const name = this.#nameOf(key)
    const held = this.#held.get(name)
    this.#held.delete(name)
    if (held && !held.isNew) this.#deleted.set(name, this.#keyOf(held.row))
  }

  async write(tx: Tx): Promise<void> {
    const changed = [...this.#held.values()].filter(({ isChanged }) => isChanged)
    const rowsOf = (isNew: boolean) => changed.filter((held) => held.isNew === isNew).map(({ row }) => row)
    // What has left a unique place comes before what takes it.
    await Promise.all([
      this.#writeDeleted(tx),
      this.#update(tx, rowsOf(false)),
      insertRows(tx, this.#table, rowsOf(true)),
    ])
  }

  async #writeDeleted(tx: Tx): Promise<void> {
    if (this.#deleted.size === 0) return
    await tx`
      delete from ${tx(this.#table)} stored using ${asTable(tx, this.#table, [...this.#deleted.values()])}
      where ${this.#sameRow(tx)}`
  }

  async #update(tx: Tx, rows: readonly Row[]): Promise<void> {
    const [first] = rows
    if (!first) return
    const values = Object.keys(first).filter((column) => !this.#keys.includes(column))
    const assignments = values
      .map((column) => tx`${tx(column)} = new.${tx(column)}`)
      .reduce((all, assignment) => tx`${all}, ${assignment}`)
    await tx`
      update ${tx(this.#table)} stored set ${assignments} from ${asTable(tx, this.#table, rows)}
      where ${this.#sameRow(tx)}`
  }

  #sameRow(tx: Tx): PendingQuery<SqlRow[]> {
    return this.#keys
      .map((key) => tx(String(key)))
      .map((key) => tx`stored.${key} = new.${key}`)
      .reduce((all, condition) => tx`${all} and ${condition}`)
  }

  #keyOf(row: NamedRow): NamedRow {
    return Object.fromEntries(this.#keys.map((key) => [key, row[key] ?? null]))
  }

  #nameOf(row: NamedRow): string {
    return this.#keys.map((key) => String(row[key])).join(' ')
  }
}
