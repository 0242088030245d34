import type { BlockRef } from '../chain/follow/store.ts'
import type { Hex } from '../chain/types.ts'
import { type Db, numeric, type Tx } from '../db/pool.ts'
import type { Line } from './lines.ts'

// The readings of each product in the database: written by the keeper, read by whoever shows them.

/** Readings of a product that are kept. */
const KEPT = 500

/** A line as it was stored: how long its difference has been there. */
export interface StoredLine extends Line {
  /** Readings in a row with a difference of this sign, this one too; 0 when there is none. */
  readonly readingsInARow: number
  /** When the first of them was; null when there is none. */
  readonly since: Date | null
}

export interface Reading {
  readonly block: BlockRef
  readonly readAt: Date
  /** Seconds since then, by the database's clock. */
  readonly ageSec: number
  readonly durationMs: number
  /** Since when all of what is looked at in parts was looked at; null while not all has been. */
  readonly allReadSince: Date | null
  readonly lines: readonly StoredLine[]
}

interface LineRow {
  readonly section: string
  readonly subject: string
  readonly comparison: string
  readonly unit: string
  readonly decimals: number
  readonly broker: bigint | null
  readonly database: bigint | null
  readonly chain: bigint | null
  readonly inFlight: readonly { readonly name: string; readonly amount: string; readonly atRest?: boolean }[]
  readonly difference: bigint
  readonly cause: string | null
  readonly details: readonly string[]
  readonly readingsInARow: number
  readonly since: Date | null
}

/** The task of the keeper that takes a product's readings. */
export const reconcileTaskName = (product: string): string => `${product}.reconcile`

/** Whether the keeper has a task to read the product, which it has of those on the chain. */
export async function isRead(db: Db, chainId: number, product: string): Promise<boolean> {
  const tasks = await db`
    select from keeper_tasks where chain_id = ${chainId} and task = ${reconcileTaskName(product)}`
  return tasks.count > 0
}

/** A product's newest reading; null before the first. */
export async function latestReading(db: Db, chainId: number, product: string): Promise<Reading | null> {
  const [head] = await db<
    (Omit<Reading, 'block' | 'lines'> & { readonly id: bigint; readonly number: bigint; readonly hash: Hex })[]
  >`
    select reading_id as id, block_number as number, block_hash as hash, read_at as "readAt", duration_ms as "durationMs",
      greatest(0, extract(epoch from clock_timestamp() - read_at))::float8 as "ageSec",
      all_read_since as "allReadSince"
    from reconciliation_readings left join reconciliation_rounds using (chain_id, product)
    where chain_id = ${chainId} and product = ${product}
    order by reading_id desc limit 1`
  if (!head) return null
  const rows = await db<LineRow[]>`
    select section, subject, comparison, unit, decimals, broker_amount as broker, database_amount as database,
      chain_amount as chain, in_flight as "inFlight", difference, cause, details,
      readings_in_a_row as "readingsInARow", since
    from reconciliation_lines where chain_id = ${chainId} and reading_id = ${head.id.toString()}::bigint order by ordinal`
  const { number, hash, readAt, ageSec, durationMs, allReadSince } = head
  return { block: { number, hash }, readAt, ageSec, durationMs, allReadSince, lines: rows.map(toLine) }
}

const toLine = ({ inFlight, ...row }: LineRow): StoredLine => ({
  ...row,
  inFlight: inFlight.map(({ name, amount, atRest = false }) => ({ name, amount: BigInt(amount), isAtRest: atRest })),
})

/** Stores a product's reading and what becomes of each difference, and lets its oldest readings go. */
export async function insertReading(
  tx: Tx,
  chainId: number,
  product: string,
  reading: { readonly block: BlockRef; readonly durationMs: number; readonly lines: readonly StoredLine[] },
): Promise<void> {
  const { block, durationMs, lines } = reading
  const [row] = await tx<{ id: bigint }[]>`
    insert into reconciliation_readings (chain_id, product, block_number, block_hash, duration_ms)
    values (${chainId}, ${product}, ${block.number.toString()}::bigint, ${block.hash}, ${Math.round(durationMs)})
    returning reading_id as id`
  const id = (row?.id ?? 0n).toString()
  const rows = lines.map((line, ordinal) => ({
    chain_id: chainId,
    reading_id: id,
    ordinal,
    section: line.section,
    subject: line.subject,
    comparison: line.comparison,
    unit: line.unit,
    decimals: line.decimals,
    broker_amount: numeric(line.broker),
    database_amount: numeric(line.database),
    chain_amount: numeric(line.chain),
    difference: numeric(line.difference),
    cause: line.cause,
    in_flight: tx.json(
      line.inFlight.map(({ name, amount, isAtRest }) => ({ name, amount: amount.toString(), atRest: isAtRest })),
    ),
    details: [...line.details],
    readings_in_a_row: line.readingsInARow,
    since: line.since,
  }))
  if (rows.length > 0) await tx`insert into reconciliation_lines ${tx(rows as never)}`
  await tx`
    delete from reconciliation_readings where chain_id = ${chainId} and product = ${product} and reading_id <= (
      select reading_id from reconciliation_readings where chain_id = ${chainId} and product = ${product}
      order by reading_id desc offset ${KEPT} limit 1)`
}
