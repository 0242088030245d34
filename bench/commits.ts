import { privateKeyToAccount } from 'viem/accounts'
import { saveSigner } from '../server/src/chain/send/store.ts'
import type { Hex } from '../server/src/chain/types.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { SUBMIT_PURPOSE } from '../server/src/delegation/submission.ts'

/** About what a send stores in one of its rows, in bytes. */
const ROW_TEXT = 'x'.repeat(200)

/** Rows per second that this many connections insert and commit one by one. */
export async function bareCommits(sql: Sql, connections: number, commits: number): Promise<number> {
  await sql`create table if not exists bench_commits (id bigint generated always as identity primary key, text text not null)`
  let left = commits
  const startedMs = performance.now()
  const insert = async () => {
    while (left-- > 0) await sql`insert into bench_commits (text) values (${ROW_TEXT})`
  }
  await Promise.all(Array.from({ length: connections }, insert))
  return (commits / (performance.now() - startedMs)) * 1000
}

/** What sends have left behind so far. */
interface AcceptedSends {
  readonly claims: number
  /** Records of Idempotency-Keys. */
  readonly keys: number
  /** When the last claim was inserted, Unix milliseconds; its commit follows. */
  readonly lastAtMs: number | null
}

export async function acceptedSends(sql: Sql): Promise<AcceptedSends> {
  const [row] = await sql<AcceptedSends[]>`
    select count(*)::int as claims, (select count(*)::int from idempotency_records) as keys,
      (extract(epoch from max(created_at)) * 1000)::float8 as "lastAtMs"
    from stock_claims where intent_id is not null`
  return row ?? { claims: 0, keys: 0, lastAtMs: null }
}

/** Tells the role api of signers that submit for users, as a relayer does when it starts. */
export async function reportSigners(sql: Sql, chainId: number, keys: readonly Hex[]): Promise<void> {
  await sql`delete from tx_signers where ${SUBMIT_PURPOSE} = any(purposes)`
  const seen = { purposes: [SUBMIT_PURPOSE], balanceWei: null, chainNonce: null, stoppedReason: null }
  for (const key of keys) {
    const signer = privateKeyToAccount(key).address.toLowerCase() as Hex
    await saveSigner(sql, { chainId, signer }, seen)
  }
}
