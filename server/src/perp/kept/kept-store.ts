import type { IntentState } from '../../chain/send/intents.ts'
import { ranOutOfGas } from '../../chain/send/out-of-gas.ts'
import type { Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { KeptOrder, KeptState, KeptTerms } from './kept-order.ts'

// Kept orders: written by the role api until they are sent, by the keeper from then on.

const termColumns = (db: Db) => db`
  k.kept_id as "keptId", k.link_id as "linkId", k.user_address as user, k.api_key_id as "apiKeyId", k.symbol,
  k.expiry::float8 as expiry, k.kind, k.side, k.trigger_wad as "triggerWad", k.size_wad as "sizeWad",
  k.slippage_bps as "slippageBps", k.expires_at_sec::float8 as "expiresAtSec", k.tries,
  k.judged_block as "judgedBlock"`

export interface NewKeptOrder extends KeptTerms {
  readonly keptId: string
  readonly linkId: string
  readonly user: Hex
  readonly apiKeyId: string
  readonly judgedBlock: bigint
}

export async function insertKept(tx: Tx, chainId: number, order: NewKeptOrder): Promise<void> {
  await tx`
    insert into perp_kept_orders (chain_id, kept_id, user_address, api_key_id, link_id, symbol, expiry, kind, side,
      trigger_wad, size_wad, slippage_bps, expires_at_sec, judged_block)
    values (${chainId}, ${order.keptId}, ${order.user}, ${order.apiKeyId}, ${order.linkId}, ${order.symbol}, ${order.expiry},
      ${order.kind}, ${order.side}, ${numeric(order.triggerWad)}, ${numeric(order.sizeWad)}, ${order.slippageBps},
      ${order.expiresAtSec}, ${order.judgedBlock.toString()}::bigint)`
}

/** How many orders of the wallet are open or sent; holds its number for the rest of the caller's transaction. */
export async function lockLiveCount(tx: Tx, chainId: number, user: Hex): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`perp.kept:${chainId}:${user}`}, 0))`
  const [row] = await tx<{ live: number }[]>`
    select count(*)::int as live from perp_kept_orders
    where chain_id = ${chainId} and user_address = ${user} and state in ('open', 'sent')`
  return row?.live ?? 0
}

/** A kept order with what became of it. */
export interface KeptRow extends KeptOrder {
  readonly state: KeptState
  readonly reason: string | null
  readonly message: string | null
  readonly markWad: bigint | null
  readonly tradesWad: bigint | null
  readonly createdAt: Date
  readonly endedAt: Date | null
  /** Other orders of its link. */
  readonly linked: readonly string[]
  /** Hash of its last send, if any: the mined one, until then the newest attempt's. */
  readonly txHash: Hex | null
  readonly outcome: 'succeeded' | 'reverted' | null
  readonly revertData: Hex | null
  readonly problem: string | null
}

/** What a mined transaction was to its order; null for one that ran out of gas: it had no effect, and the order is tried again. */
const outcome = (db: Db) => db`(case when not ${ranOutOfGas(db, db`i`)} then i.outcome end)`

/** The state as the chain has it: what is mined is told before it is final. */
const stateNow = (db: Db) => db`
  (case when k.state <> 'sent' then k.state
    else case ${outcome(db)} when 'succeeded' then 'done' when 'reverted' then 'failed' else 'sent' end end)`

const joined = (db: Db) => db`
  perp_kept_orders k left join tx_intents i on i.chain_id = k.chain_id and i.id = k.intent_id`

export interface KeptFilter {
  readonly status?: KeptState | undefined
  readonly symbol?: string | undefined
  readonly expiry?: number | undefined
  /** Unix seconds of when it was made, both included. */
  readonly startTime?: number | undefined
  readonly endTime?: number | undefined
}

const wanted = (db: Db, chainId: number, user: Hex, { status, symbol, expiry, startTime, endTime }: KeptFilter) => db`
  k.chain_id = ${chainId} and k.user_address = ${user}
  ${status === undefined ? db`` : db`and ${stateNow(db)} = ${status}`}
  ${symbol === undefined ? db`` : db`and k.symbol = ${symbol}`}
  ${expiry === undefined ? db`` : db`and k.expiry = ${expiry}`}
  ${startTime === undefined ? db`` : db`and floor(extract(epoch from k.created_at))::bigint >= ${startTime}`}
  ${endTime === undefined ? db`` : db`and floor(extract(epoch from k.created_at))::bigint <= ${endTime}`}`

export async function countKept(db: Db, chainId: number, user: Hex, filter: KeptFilter): Promise<number> {
  const [row] = await db<{ kept: number }[]>`
    select count(*)::int as kept from ${joined(db)} where ${wanted(db, chainId, user, filter)}`
  return row?.kept ?? 0
}

/** Kept orders of a wallet, newest first. */
export async function listKept(
  db: Db,
  chainId: number,
  user: Hex,
  filter: KeptFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<KeptRow[]> {
  return await rows(db, db`${wanted(db, chainId, user, filter)}`, db`limit ${limit} offset ${offset}`)
}

/** The wallet's kept orders of these ids. */
export async function findKept(db: Db, chainId: number, user: Hex, ids: readonly string[]): Promise<KeptRow[]> {
  const own = db`k.chain_id = ${chainId} and k.user_address = ${user} and k.kept_id = any(${ids as string[]}::uuid[])`
  return await rows(db, own, db``)
}

/** Kept orders of these ids, whoever's they are. */
export async function keptOfIds(db: Db, chainId: number, ids: readonly string[]): Promise<KeptRow[]> {
  return await rows(db, db`k.chain_id = ${chainId} and k.kept_id = any(${ids as string[]}::uuid[])`, db``)
}

async function rows(db: Db, condition: ReturnType<typeof stateNow>, page: ReturnType<typeof stateNow>) {
  return await db<KeptRow[]>`
    select ${termColumns(db)}, ${stateNow(db)} as state, k.reason, k.message, k.mark_wad as "markWad",
      k.trades_wad as "tradesWad", k.created_at as "createdAt",
      coalesce(k.ended_at, case when ${outcome(db)} is not null then i.mined_at end) as "endedAt",
      array(select o.kept_id::text from perp_kept_orders o
        where o.chain_id = k.chain_id and o.link_id = k.link_id and o.kept_id <> k.kept_id) as linked,
      coalesce(i.tx_hash, newest.hash) as "txHash", ${outcome(db)} as outcome, i.revert_data as "revertData", i.problem
    from ${joined(db)}
    left join lateral (
      select a.hash from tx_attempts a
      where a.chain_id = k.chain_id and a.intent_id = k.intent_id and not a.released
      order by a.signed_at desc, a.max_fee_wei desc limit 1
    ) newest on i.tx_hash is null
    where ${condition}
    order by k.created_at desc, k.kept_id ${page}`
}

/** Why an order ends without a trade. */
export interface Ending {
  readonly state: 'failed' | 'cancelled' | 'expired'
  readonly reason: string
  readonly message: string
}

/** Ends an order that is open; false where it is not. */
export async function endOpen(
  db: Db,
  chainId: number,
  keptId: string,
  { state, reason, message }: Ending,
): Promise<boolean> {
  const ended = await db`
    update perp_kept_orders set state = ${state}, reason = ${reason}, message = ${message}, ended_at = clock_timestamp()
    where chain_id = ${chainId} and kept_id = ${keptId} and state = 'open'`
  return ended.count === 1
}

/**
 * Cancels for good an order that the send of its linked one has cancelled, while that one may still come to nothing and open it again; false
 * where it is none. The caller holds its link.
 */
export async function cancelLinked(
  tx: Tx,
  chainId: number,
  { keptId, linkId }: Pick<KeptOrder, 'keptId' | 'linkId'>,
  ofLinked: Ending,
  { state, reason, message }: Ending,
): Promise<boolean> {
  const cancelled = await tx`
    update perp_kept_orders set state = ${state}, reason = ${reason}, message = ${message}
    where chain_id = ${chainId} and kept_id = ${keptId} and state = ${ofLinked.state} and reason = ${ofLinked.reason}
      and exists (select from perp_kept_orders k where k.chain_id = ${chainId} and k.link_id = ${linkId} and k.state = 'sent')`
  return cancelled.count === 1
}

/** Ends every open order whose time has passed. */
export async function expireKept(db: Db, chainId: number, nowSec: number, ending: Ending): Promise<void> {
  await db`
    update perp_kept_orders
    set state = ${ending.state}, reason = ${ending.reason}, message = ${ending.message}, ended_at = clock_timestamp()
    where chain_id = ${chainId} and state = 'open' and expires_at_sec <= ${nowSec}`
}

/** An open order that may be tried now. */
export interface DueOrder extends KeptOrder {
  /** Seconds since it was made. */
  readonly ageSec: number
}

/** Open orders that may be tried now, oldest first. */
export async function dueKept(db: Db, chainId: number): Promise<DueOrder[]> {
  return await db<DueOrder[]>`
    select ${termColumns(db)}, extract(epoch from clock_timestamp() - k.created_at)::float8 as "ageSec" from perp_kept_orders k
    where k.chain_id = ${chainId} and k.state = 'open' and (k.next_try_at is null or k.next_try_at <= clock_timestamp())
    order by k.created_at, k.kept_id`
}

/** Every open order, oldest first. */
export async function openKept(db: Db, chainId: number): Promise<KeptOrder[]> {
  return await db<KeptOrder[]>`
    select ${termColumns(db)} from perp_kept_orders k
    where k.chain_id = ${chainId} and k.state = 'open' order by k.created_at, k.kept_id`
}

/** Locks every order of a link, always in one order; true while this one is in that state and was tried no more often than known. */
export async function lockLink(
  tx: Tx,
  chainId: number,
  { linkId, keptId, tries }: Pick<KeptOrder, 'linkId' | 'keptId' | 'tries'>,
  state: 'open' | 'sent',
): Promise<boolean> {
  const locked = await tx<{ keptId: string; state: KeptState; tries: number }[]>`
    select kept_id as "keptId", state, tries from perp_kept_orders
    where chain_id = ${chainId} and link_id = ${linkId} order by kept_id for update`
  return locked.some((one) => one.keptId === keptId && one.state === state && one.tries === tries)
}

/** The trade of an order, and what it was judged by. */
interface KeptSend {
  readonly intentId: bigint
  /** Null where nobody knows it any more. */
  readonly markWad: bigint | null
  readonly tradesWad: bigint
  readonly judgedBlock: bigint
}

/** Notes the send of an order, and ends those that it is linked with; should they be open again, they count from its block. */
export async function markSent(
  tx: Tx,
  chainId: number,
  { keptId, linkId }: KeptOrder,
  sent: KeptSend,
  ofLinked: Ending,
): Promise<void> {
  const judgedBlock = sent.judgedBlock.toString()
  await tx`
    update perp_kept_orders
    set state = 'sent', intent_id = ${sent.intentId.toString()}::bigint, mark_wad = ${numeric(sent.markWad)},
      trades_wad = ${numeric(sent.tradesWad)}, judged_block = greatest(judged_block, ${judgedBlock}::bigint)
    where chain_id = ${chainId} and kept_id = ${keptId}`
  await tx`
    update perp_kept_orders
    set state = ${ofLinked.state}, reason = ${ofLinked.reason}, message = ${ofLinked.message}, ended_at = clock_timestamp(),
      judged_block = greatest(judged_block, ${judgedBlock}::bigint)
    where chain_id = ${chainId} and link_id = ${linkId} and state = 'open'`
}

/**
 * Opens the orders again that the send of one of their link cancelled. These are all that ended as `ofLinked`: of a link only one that
 * has not reverted is sent at a time, and what the wallet cancelled or what expired says so. The wallet may have more than its most orders by it: they
 * were counted when they were made, and a stop-loss must not be lost because others have taken its place.
 */
export async function reopenLinked(
  tx: Tx,
  chainId: number,
  { linkId }: Pick<KeptOrder, 'linkId'>,
  ofLinked: Ending,
): Promise<void> {
  await tx`
    update perp_kept_orders set state = 'open', reason = null, message = null, ended_at = null
    where chain_id = ${chainId} and link_id = ${linkId} and state = ${ofLinked.state} and reason = ${ofLinked.reason}`
}

/** A sent order whose trade stands as reverted in a block that is not final, and cancelled another. */
export interface RevertedSend extends Pick<KeptOrder, 'keptId' | 'linkId' | 'tries'> {
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

export async function revertedSends(db: Db, chainId: number, ofLinked: Ending): Promise<RevertedSend[]> {
  return await db<RevertedSend[]>`
    select k.kept_id as "keptId", k.link_id as "linkId", k.tries, i.block_number as "blockNumber",
      i.block_hash as "blockHash"
    from perp_kept_orders k join tx_intents i on i.chain_id = k.chain_id and i.id = k.intent_id
    where k.chain_id = ${chainId} and k.state = 'sent' and i.state = 'mined' and ${outcome(db)} = 'reverted' and exists (
      select from perp_kept_orders o where o.chain_id = k.chain_id and o.link_id = k.link_id
        and o.state = ${ofLinked.state} and o.reason = ${ofLinked.reason})`
}

/**
 * Cancels the open orders of which the linked one is sent and not reverted: they were opened again when it stood as reverted, and a
 * reorganisation has made another thing of it.
 */
export async function endBesides(db: Db, chainId: number, { state, reason, message }: Ending): Promise<void> {
  await db`
    update perp_kept_orders o
    set state = ${state}, reason = ${reason}, message = ${message}, ended_at = clock_timestamp()
    from perp_kept_orders k join tx_intents i on i.chain_id = k.chain_id and i.id = k.intent_id
    where o.chain_id = ${chainId} and o.state = 'open' and k.chain_id = o.chain_id and k.link_id = o.link_id
      and k.state = 'sent' and i.state not in ('rejected', 'failed') and i.outcome is distinct from 'reverted'`
}

/** A try of an order that came to nothing on chain, counted: it is open again and waits, from two seconds on doubling up to a minute. */
export async function countTry(
  db: Db,
  chainId: number,
  { keptId, tries }: Pick<KeptOrder, 'keptId' | 'tries'>,
  from: 'open' | 'sent',
  { reason, message }: Pick<Ending, 'reason' | 'message'>,
): Promise<void> {
  await db`
    update perp_kept_orders
    set state = 'open', tries = tries + 1, next_try_at = clock_timestamp() + interval '1 second' * least(60, power(2, tries + 1)),
      reason = ${reason}, message = ${message}
    where chain_id = ${chainId} and kept_id = ${keptId} and state = ${from} and tries = ${tries}`
}

/** A send that has its end. */
export interface EndedSend {
  readonly keptId: string
  readonly linkId: string
  readonly tries: number
  readonly intentState: IntentState
  readonly outcome: 'succeeded' | 'reverted' | null
  readonly ranOutOfGas: boolean
  readonly revertData: Hex | null
  readonly problem: string | null
}

/** Sent orders whose transaction has its end for good. One that reverted and was withdrawn then may have been told as failed. */
export async function endedSends(db: Db, chainId: number): Promise<EndedSend[]> {
  return await db<EndedSend[]>`
    select k.kept_id as "keptId", k.link_id as "linkId", k.tries, i.state as "intentState",
      case when i.state = 'failed' and i.withdrawn_at is not null and not ${ranOutOfGas(db, db`i`)} then 'reverted'
        else ${outcome(db)} end as outcome,
      ${ranOutOfGas(db, db`i`)} as "ranOutOfGas", i.revert_data as "revertData", i.problem
    from perp_kept_orders k join tx_intents i on i.chain_id = k.chain_id and i.id = k.intent_id
    where k.chain_id = ${chainId} and k.state = 'sent' and i.state in ('final', 'rejected', 'failed')`
}

/** Ends a sent order: what was mined then, what never was now. */
export async function endSent(
  db: Db,
  chainId: number,
  keptId: string,
  end: Ending | { readonly state: 'done'; readonly reason: null; readonly message: null },
): Promise<void> {
  await db`
    update perp_kept_orders k set state = ${end.state}, reason = ${end.reason}, message = ${end.message},
      ended_at = coalesce(i.mined_at, clock_timestamp())
    from tx_intents i
    where k.chain_id = ${chainId} and k.kept_id = ${keptId} and k.state = 'sent'
      and i.chain_id = k.chain_id and i.id = k.intent_id`
}
