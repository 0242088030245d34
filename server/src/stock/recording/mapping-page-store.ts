import type { Db } from '../../db/pool.ts'
import type { ClaimType, MappingScope, Page } from './claim-types.ts'

// Where a page of a key's list begins and ends. Nearly every claim is one row of its list, so a page is found by counting
// claims, of which the days before it are counted already (migration 095); the few that are not one row are weighed one by
// one. Only the claims of the page itself are then joined to their operations.

/** The claims that a page shows. */
export interface PageClaims {
  /** Rows of the whole list. */
  readonly total: number
  readonly claimIds: readonly string[]
  /** Rows of the first claim that the page before has shown. */
  readonly skip: number
}

/**
 * Finds a page of the claims of a kind, newest first. Of the kind `inStep` those count that have an operation.
 *
 * A claim's weight is its rows less those that counting claims gives it: of one of the kind itself its rows less one, of
 * one of `inStep` all its rows. The page is looked for from the claim that it cannot begin before.
 */
export async function findPage(
  db: Db,
  scope: MappingScope,
  inStep: ClaimType | undefined,
  { limit, offset }: Page,
): Promise<PageClaims> {
  const { chainId, apiKeyId, operationType } = scope
  const own = db`chain_id = ${chainId} and api_key_id = ${apiKeyId} and operation_type = ${operationType}`
  const rows = await db<{ total: number; claimId: string | null; skip: number | null }[]>`
    with several as (${claimsOfSeveral(db, scope)}), weighed as (
      select claim_id, created_at, count(*) as rows, count(*) - 1 as weight from stock_mappings
      where claim_id in (select claim_id from several) group by claim_id, created_at
      ${inStep ? db`union all (${inStepClaims(db, scope, inStep)})` : db``}
    ), days as (
      select day, claims, sum(claims) over (order by day desc) - claims as before from stock_claim_counts where ${own}
    ), sums as (
      select (select coalesce(sum(claims), 0) from days) + weight as total, greatest(${offset}::bigint - weight, 0) as nth
      from (select coalesce(sum(weight), 0) as weight from weighed) w
    ), near as (
      select claim_id, created_at from stock_claims
      where ${own} and created_at < (
        select (day + 1)::timestamp at time zone 'UTC' from days, sums where nth >= before and nth < before + claims)
      order by created_at desc, claim_id
      offset (select nth - before from days, sums where nth >= before and nth < before + claims)
      limit (select ${limit}::bigint + ${offset}::bigint - nth from sums)
    ), first as (
      select near.* from near, sums where nth > 0 order by near.created_at desc, near.claim_id limit 1
    ), ahead as (
      select w.* from weighed w, first
      where w.created_at > first.created_at or w.created_at = first.created_at and w.claim_id < first.claim_id
    ), listed as (
      select claim_id, created_at, coalesce(w.rows, 1) as rows from near left join weighed w using (claim_id, created_at)
      union all
      select claim_id, created_at, rows from weighed w
      where weight = rows and not exists (select from ahead where ahead.claim_id = w.claim_id)
    ), placed as (
      select claim_id, created_at, rows, (select nth from sums) + (select coalesce(sum(weight), 0) from ahead)
        + sum(rows) over (order by created_at desc, claim_id) - rows as at
      from listed
    )
    select sums.total::int as total, p.claim_id as "claimId", (${offset}::bigint - p.at)::int as skip
    from sums left join placed p on p.at < ${limit}::bigint + ${offset}::bigint and p.at + p.rows > ${offset}::bigint
    order by p.created_at desc, p.claim_id`
  const claimIds = rows.flatMap(({ claimId }) => claimId ?? [])
  return { total: rows[0]?.total ?? 0, claimIds, skip: Math.max(rows[0]?.skip ?? 0, 0) }
}

/** The key's claims of the kind to transactions that made several operations: each may be several rows. */
const claimsOfSeveral = (db: Db, { chainId, apiKeyId, operationType }: MappingScope) => db`
  select claim_id from stock_claims c
  where c.chain_id = ${chainId} and c.api_key_id = ${apiKeyId} and c.operation_type = ${operationType} and c.tx_hash in (
    select create_tx_hash from stock_orders o
    where o.chain_id = ${chainId} and o.nth_in_tx > 0 and ${operationType} = 'trade'
    union all
    select create_tx_hash from cash_operations o
    where o.chain_id = ${chainId} and o.nth_in_tx > 0 and o.kind = ${operationType}
    union all
    select create_tx_hash from stock_operations o
    where o.chain_id = ${chainId} and o.nth_in_tx > 0 and 'stock_' || o.kind = ${operationType})`

/**
 * The key's claims of the kind that have an operation, with their rows. They are found from the operations: a claim of such
 * a kind comes with every order of which nothing was known, and hardly one of them makes a deposit. Of an unbound key the
 * user is not known, so its claims are gone through.
 */
function inStepClaims(db: Db, { chainId, apiKeyId }: MappingScope, inStep: ClaimType) {
  const own = db`c.chain_id = ${chainId} and c.api_key_id = ${apiKeyId} and c.operation_type = ${inStep}`
  const operations = inStep === 'trade_deposit' ? db`cash_operations` : db`stock_operations`
  return db`
    select claim_id, created_at, count(*), count(*) from stock_mappings
    where operation_id is not null and claim_id in (
      select c.claim_id from ${operations} o
        join stock_claims c on c.chain_id = o.chain_id and c.tx_hash = o.create_tx_hash
      where o.chain_id = ${chainId} and o.order_id is not null and ${own} and c.user_address is not null
        and o.user_address in (select c.user_address from stock_claims c where ${own} limit 1)
      union all
      select c.claim_id from ${operations} o
        join tx_attempts a on a.chain_id = o.chain_id and a.hash = o.create_tx_hash
        join stock_claims c on c.chain_id = a.chain_id and c.intent_id = a.intent_id
      where o.chain_id = ${chainId} and o.order_id is not null and ${own}
        and o.user_address in (select c.user_address from stock_claims c where ${own} limit 1)
      union all
      select c.claim_id from stock_claims c
      where ${own} and c.user_address is null and exists (
        select from ${operations} o
        where o.chain_id = c.chain_id and o.create_tx_hash = c.tx_hash and o.order_id is not null)
    )
    group by claim_id, created_at`
}
