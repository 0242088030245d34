import type { Hex } from '../chain/types.ts'
import { type Db, numeric, type Tx } from '../db/pool.ts'

// Submissions: written by the role api alone.

/** Holds the users' budgets for the rest of the caller's transaction: of two sends at once the second sees the first. */
export async function lockBudgets(tx: Tx, chainId: number, users: readonly Hex[]): Promise<void> {
  // Taken in one order by all, so that no two transactions wait for each other.
  const names = [...users].sort().map((user) => `submissions:${chainId}:${user}`)
  await tx`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) name`
}

/** Holds the user's changes of a delegation for the rest of the caller's transaction. */
export async function lockUser(tx: Tx, chainId: number, user: Hex): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`delegation:${chainId}:${user}`}, 0))`
}

/**
 * Gas that the submissions for each user of the last 24 hours, and of up to an hour before, may use at most; never too little.
 * Users without any are left out.
 */
export async function gasOfDayAtMost(
  db: Db,
  chainId: number,
  users: readonly Hex[],
): Promise<ReadonlyMap<Hex, bigint>> {
  const rows = await db<{ user: Hex; gas: bigint }[]>`
    select user_address as "user", sum(gas_reserved)::numeric(78, 0) as gas from submission_hours
    where chain_id = ${chainId} and user_address = any(${[...users]}::text[])
      and hour >= date_trunc('hour', clock_timestamp() - interval '24 hours', 'UTC')
    group by user_address`
  return new Map(rows.map(({ user, gas }) => [user, gas]))
}

/** Gas that the submissions for the user of the last 24 hours have used; of those that are under way, what they may use. */
export async function gasOfDay(db: Db, chainId: number, user: Hex): Promise<bigint> {
  const [row] = await db<{ gas: bigint }[]>`
    select coalesce(sum(case
      when i.state in ('rejected', 'failed') then 0
      else coalesce(i.gas_used, s.gas_reserved) end), 0)::numeric(78, 0) as gas
    from submissions s join tx_intents i on i.chain_id = s.chain_id and i.id = s.intent_id
    where s.chain_id = ${chainId} and s.user_address = ${user} and s.created_at > clock_timestamp() - interval '24 hours'`
  return row?.gas ?? 0n
}

export interface NewSubmission {
  readonly intentId: bigint
  readonly apiKeyId: string
  readonly userAddress: Hex
  readonly gasReserved: bigint
}

export async function insertSubmissions(tx: Db, chainId: number, submissions: readonly NewSubmission[]): Promise<void> {
  await tx`
    with stored as (
      insert into submissions (chain_id, intent_id, api_key_id, user_address, gas_reserved)
      select ${chainId}, new.* from unnest(${submissions.map(({ intentId }) => numeric(intentId))}::bigint[],
        ${submissions.map(({ apiKeyId }) => apiKeyId)}::text[],
        ${submissions.map(({ userAddress }) => userAddress)}::text[],
        ${submissions.map(({ gasReserved }) => numeric(gasReserved))}::bigint[]) new
      returning chain_id, user_address, created_at, gas_reserved)
    insert into submission_hours as h (chain_id, user_address, hour, gas_reserved)
    select chain_id, user_address, date_trunc('hour', created_at, 'UTC'), sum(gas_reserved) from stored
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (chain_id, user_address, hour) do update set gas_reserved = h.gas_reserved + excluded.gas_reserved`
}
