import type { Db, Tx } from '../db/pool.ts'

// Where each product's readings go on, in the database: another keeper goes on there too.

/** What readings look at in parts. `Position` is a product's own; it goes through JSON. */
export interface Round<Position> {
  readonly next: Position
  /** When the round began that is under way; null between two. */
  readonly beganAt: Date | null
  /** When the last round began that came to its end: all of it was looked at since. Null before the first has. */
  readonly allReadSince: Date | null
}

/** A product's round; null before its first reading. */
export async function loadRound<Position>(db: Db, chainId: number, product: string): Promise<Round<Position> | null> {
  const [row] = await db<Round<Position>[]>`
    select next, began_at as "beganAt", all_read_since as "allReadSince"
    from reconciliation_rounds where chain_id = ${chainId} and product = ${product}`
  return row ?? null
}

export async function saveRound<Position>(
  tx: Tx,
  chainId: number,
  product: string,
  { next, beganAt, allReadSince }: Round<Position>,
): Promise<void> {
  const row = {
    chain_id: chainId,
    product,
    next: tx.json(next as never),
    began_at: beganAt,
    all_read_since: allReadSince,
  }
  await tx`
    insert into reconciliation_rounds ${tx(row as never)}
    on conflict (chain_id, product) do update
    set next = excluded.next, began_at = excluded.began_at, all_read_since = excluded.all_read_since`
}
