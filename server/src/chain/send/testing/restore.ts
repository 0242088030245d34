import { findPause, type Pause } from '../accounting-store.ts'
import { CHAIN_ID, eventually, type World } from './harness.ts'

const TABLES = ['tx_intents', 'tx_attempts', 'tx_signers']

/** Keeps the relayer's tables as a dump has them at this moment. */
export async function dump({ sql }: World): Promise<void> {
  for (const table of TABLES) await sql.unsafe(`create table dump_${table} as table ${table}`)
}

/** What a restore of the dump leaves: what came after it is gone, ids are given out anew. */
export async function restore({ sql }: World): Promise<void> {
  await sql.unsafe(`truncate ${TABLES.join(', ')}, tx_unaccounted, tx_pauses cascade`)
  for (const table of TABLES) {
    await sql.unsafe(`insert into ${table} overriding system value select * from dump_${table}`)
  }
  await sql`select setval(pg_get_serial_sequence('tx_intents', 'id'), (select coalesce(max(id), 1) from tx_intents))`
}

/** Waits until sending is paused and it is told of every signer what the node has under way. */
export const untilPaused = ({ sql }: World): Promise<Pause> =>
  eventually('sending is paused', async () => {
    const pause = await findPause(sql, CHAIN_ID)
    const untold = await sql`select from tx_signers where retired_at is null and pending_nonce is null`
    return untold.length === 0 ? pause : null
  })
