import { inTransaction, type Sql, type Tx } from '../../../db/pool.ts'

// What a venue has after years: transactions that ended long ago, among which a statement is to find its own.

const SENDER = `0x${'5e'.repeat(20)}`

/** Intents that ended well in block 1, an hour ago; `keyOf` is SQL of `nth`, from 1 on, and begins what nobody else has. */
export async function insertHistory(sql: Sql, chainId: number, count: number, keyOf: string): Promise<void> {
  await sql`
    insert into tx_intents (chain_id, purpose, dedupe_key, ordering_key, to_address, data, value_wei, created_at, state, state_at,
      signer, nonce, outcome, tx_hash, block_number, block_hash)
    select ${chainId}, 'history', ${sql.unsafe(keyOf)} || ':state:' || nth, ${sql.unsafe(keyOf)}, ${SENDER}, '0x', 0,
      now() - interval '1 hour', 'final', now() - interval '1 hour', ${SENDER} || ${keyOf}, nth, 'succeeded', '0x01', 1, '0x01'
    from generate_series(1, ${count}::int) nth`
  await sql`analyze tx_intents`
}

/** What `work` resolves to, and how many intents its statements have read for it. */
export const readingIntents = <T>(sql: Sql, work: (tx: Tx) => Promise<T>): Promise<{ result: T; read: number }> =>
  inTransaction(sql, async (tx) => {
    const before = await readSoFar(tx)
    const result = await work(tx)
    return { result, read: (await readSoFar(tx)) - before }
  })

async function readSoFar(tx: Tx): Promise<number> {
  const [row] = await tx<{ read: number }[]>`
    select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
    where relname = 'tx_intents'`
  return row?.read ?? 0
}
