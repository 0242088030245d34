import type { BlockRef } from '../../chain/follow/store.ts'
import type { Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { CashFlow } from './cash-flow.ts'
import type { Cause, Line, Section } from './lines.ts'

// The readings in the database: written by the keeper, read by whoever shows them.

/** Readings that are kept. */
const KEPT = 500

/** Lets all reads of a transaction see the database as it is at the first of them. Comes before any read. */
export async function readSnapshot(tx: Tx): Promise<void> {
  await tx`set transaction isolation level repeatable read read only`
}

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
  readonly lines: readonly StoredLine[]
}

interface LineRow {
  readonly section: Section
  readonly subject: string
  readonly comparison: string
  readonly unit: string
  readonly decimals: number
  readonly broker: bigint | null
  readonly database: bigint | null
  readonly chain: bigint | null
  readonly inFlight: readonly { readonly name: string; readonly amount: string }[]
  readonly difference: bigint
  readonly cause: Cause | null
  readonly details: readonly string[]
  readonly readingsInARow: number
  readonly since: Date | null
}

/** The newest reading; null before the first. */
export async function latestReading(db: Db, chainId: number): Promise<Reading | null> {
  const [head] = await db<
    { id: bigint; number: bigint; hash: Hex; readAt: Date; ageSec: number; durationMs: number }[]
  >`
    select reading_id as id, block_number as number, block_hash as hash, read_at as "readAt", duration_ms as "durationMs",
      greatest(0, extract(epoch from clock_timestamp() - read_at))::float8 as "ageSec"
    from reconciliation_readings where chain_id = ${chainId} order by reading_id desc limit 1`
  if (!head) return null
  const rows = await db<LineRow[]>`
    select section, subject, comparison, unit, decimals, broker_amount as broker, database_amount as database,
      chain_amount as chain, in_flight as "inFlight", difference, cause, details,
      readings_in_a_row as "readingsInARow", since
    from reconciliation_lines where chain_id = ${chainId} and reading_id = ${head.id.toString()}::bigint order by ordinal`
  const { number, hash, readAt, ageSec, durationMs } = head
  return { block: { number, hash }, readAt, ageSec, durationMs, lines: rows.map(toLine) }
}

const toLine = ({ inFlight, ...row }: LineRow): StoredLine => ({
  ...row,
  inFlight: inFlight.map(({ name, amount }) => ({ name, amount: BigInt(amount) })),
})

/** Stores a reading and what becomes of each difference, and lets the oldest readings go. */
export async function insertReading(
  tx: Tx,
  chainId: number,
  reading: { readonly block: BlockRef; readonly durationMs: number; readonly lines: readonly StoredLine[] },
): Promise<void> {
  const { block, durationMs, lines } = reading
  const [row] = await tx<{ id: bigint }[]>`
    insert into reconciliation_readings (chain_id, block_number, block_hash, duration_ms)
    values (${chainId}, ${block.number.toString()}::bigint, ${block.hash}, ${Math.round(durationMs)})
    returning reading_id as id`
  const id = (row?.id ?? 0n).toString()
  const rows = lines.map((line, ordinal) => ({
    ...{ chain_id: chainId, reading_id: id, ordinal, section: line.section, subject: line.subject },
    ...{ comparison: line.comparison, unit: line.unit, decimals: line.decimals },
    ...{ broker_amount: numeric(line.broker), database_amount: numeric(line.database) },
    ...{ chain_amount: numeric(line.chain), difference: numeric(line.difference), cause: line.cause },
    in_flight: tx.json(line.inFlight.map(({ name, amount }) => ({ name, amount: amount.toString() }))),
    ...{ details: [...line.details], readings_in_a_row: line.readingsInARow, since: line.since },
  }))
  if (rows.length > 0) await tx`insert into reconciliation_lines ${tx(rows as never)}`
  await tx`
    delete from reconciliation_readings where chain_id = ${chainId} and reading_id <= ${id}::bigint - ${KEPT}::bigint`
}

/** What is known of the Cashier's balance beside deposits and withdrawals. */
export async function cashFlows(db: Db, chainId: number): Promise<CashFlow[]> {
  const rows = await db<(Omit<CashFlow, 'block'> & BlockRef)[]>`
    select token, block_number as number, block_hash as hash, settled_raw as "settledRaw",
      collected_raw as "collectedRaw", operator_raw as "operatorRaw"
    from reconciliation_cash where chain_id = ${chainId} order by token`
  return rows.map(({ number, hash, ...flow }) => ({ ...flow, block: { number, hash } }))
}

/** Goes on from these flows at the next reading. */
export async function writeCashFlows(tx: Tx, chainId: number, flows: readonly CashFlow[]): Promise<void> {
  for (const { token, block, settledRaw, collectedRaw, operatorRaw } of flows) {
    await tx`
      insert into reconciliation_cash
        (chain_id, token, block_number, block_hash, settled_raw, collected_raw, operator_raw)
      values (${chainId}, ${token}, ${block.number.toString()}::bigint, ${block.hash}, ${numeric(settledRaw)},
        ${numeric(collectedRaw)}, ${numeric(operatorRaw)})
      on conflict (chain_id, token) do update set block_number = excluded.block_number, block_hash = excluded.block_hash,
        settled_raw = excluded.settled_raw, collected_raw = excluded.collected_raw, operator_raw = excluded.operator_raw`
  }
}
