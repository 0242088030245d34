import { type Db, numeric } from '../../db/pool.ts'
import type { Hex } from '../types.ts'
import { SILENT_SIGNER_MS } from './status.ts'

/** Why what only its signer could have sent ends unsent. */
export const SIGNER_RETIRED = 'its signer was retired'

/** A signer on a chain: whose rows a query is about. */
export interface Lane {
  readonly chainId: number
  readonly signer: Hex
}

/** A queued intent as the sender sees it. */
export interface Candidate {
  readonly id: bigint
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint | null
  readonly leastGas: bigint | null
  readonly orderingKey: string | null
  /** Queued intents with the same ordering key that come first. */
  readonly queuedBefore: number
  /** It is an empty transaction that closes a gap among the signer's own nonces. */
  readonly closesGap: boolean
  /** True while an earlier intent with the same ordering key is not yet part of the chain's state at the head. */
  readonly waitsForPending: boolean
}

/** Signed bytes of an intent, ready to be stored. */
export interface SignedIntent {
  readonly id: bigint
  readonly nonce: bigint
  readonly hash: Hex
  readonly rawTx: Hex
  readonly gasLimit: bigint
  readonly maxFeeWei: bigint
  readonly maxPriorityFeeWei: bigint
  readonly headNumber: bigint
}

/** What is broadcast. */
export interface Broadcast {
  readonly id: bigint
  readonly nonce: bigint
  readonly hash: Hex
  readonly rawTx: Hex
}

/** What a signer has to do. */
export interface Work {
  /** `send` while intents are queued or in flight, `watch` while mined ones are not final. */
  readonly kind: 'send' | 'watch' | 'none'
  /** Block of the first mined intent that is not final; null without one. */
  readonly firstMined: bigint | null
}

/** What each of these signers has to do, in one statement. */
export async function workOf(
  db: Db,
  chainId: number,
  signers: readonly { readonly address: Hex; readonly purposes: readonly string[] }[],
): Promise<ReadonlyMap<Hex, Work>> {
  const pairs = signers.flatMap(({ address, purposes }) => purposes.map((purpose) => ({ address, purpose })))
  // Of what is mined by the first nonce, in the words of the index of what is open: the earliest block, without a look at all of them.
  // A list that a plan does not know the length of is planned for once; otherwise each look is planned anew, for five times what it takes.
  const rows = await db<{ signer: Hex; send: boolean; firstMined: bigint | null }[]>`
    select s.signer,
      bool_or(exists (select from tx_intents where chain_id = ${chainId} and purpose = s.purpose and state = 'queued'))
        or exists (select from tx_intents where chain_id = ${chainId} and signer = s.signer
          and state in ('signed', 'broadcast')) as send,
      (select block_number from tx_intents where chain_id = ${chainId} and signer = s.signer
        and state in ('signed', 'broadcast', 'mined') and state = 'mined' order by nonce limit 1) as "firstMined"
    from unnest((select ${pairs.map(({ address }) => address)}::text[]), (select ${pairs.map(({ purpose }) => purpose)}::text[]))
      as s(signer, purpose)
    group by s.signer`
  return new Map(
    rows.map(({ signer, send, firstMined }) => {
      const kind = send ? 'send' : firstMined === null ? 'none' : 'watch'
      return [signer, { kind, firstMined }]
    }),
  )
}

/** Which queued intents are taken. */
interface QueueFilter {
  readonly purposes: readonly string[]
  /** The block the simulation will see: a predecessor mined above it still counts as pending. */
  readonly headNumber: bigint
  readonly limit: number
  /** Only those that close gaps. */
  readonly onlyGaps: boolean
  readonly parkedIds: readonly bigint[]
  readonly parkedKeys: readonly string[]
}

/**
 * Queued intents for the signer in order of insertion, those that close gaps first, locked until the transaction ends, so that workers of one
 * purpose never take the same one. Each ordering key has its home among the purpose's working signers, so that the keys
 * spread and each stays where it is; one that another signer has in flight is left out until it is not. Whether sending is
 * paused was asked before, in the same transaction (`pauseDuring`).
 */
export async function lockQueued(tx: Db, lane: Lane, filter: QueueFilter): Promise<Candidate[]> {
  // One after the other: sorted together, what is asked of an ordering key would be asked of the whole queue before the first few are taken.
  // What is queued has no nonce, and by that its signer's own are found in the index of the nonces.
  const own = await lockSome(tx, lane, filter, tx`i.signer = ${lane.signer} and i.nonce is null`, filter.limit)
  const room = filter.limit - own.length
  if (filter.onlyGaps || room === 0) return own
  return [...own, ...(await lockSome(tx, lane, filter, tx`i.signer is null`, room))]
}

async function lockSome(
  tx: Db,
  lane: Lane,
  filter: QueueFilter,
  isMeant: ReturnType<Db>,
  limit: number,
): Promise<Candidate[]> {
  return await tx<Candidate[]>`
    select i.id, i.to_address as "to", i.data, i.value_wei as "valueWei", i.gas_limit as "gasLimit",
      i.least_gas as "leastGas", i.ordering_key as "orderingKey", i.signer is not null as "closesGap",
      case when i.ordering_key is null then 0 else (
        select count(*)::int from tx_intents e where e.chain_id = i.chain_id and e.ordering_key = i.ordering_key
          and e.state = 'queued' and e.id < i.id) end as "queuedBefore",
      i.ordering_key is not null and exists (
        select 1 from tx_intents e where e.chain_id = i.chain_id and e.ordering_key = i.ordering_key and e.id < i.id
          and (e.state in ('signed', 'broadcast')
            or (e.state = 'mined' and e.block_number > ${numeric(filter.headNumber)}::bigint))) as "waitsForPending"
    from tx_intents i
    where i.chain_id = ${lane.chainId} and i.purpose = any(${[...filter.purposes]}::text[]) and i.state = 'queued'
      and ${isMeant}
      and i.id <> all(${filter.parkedIds.map(String)}::bigint[])
      and (i.ordering_key is null or (i.ordering_key <> all(${[...filter.parkedKeys]}::text[])
        and not exists (
          select 1 from tx_intents e where e.chain_id = i.chain_id and e.ordering_key = i.ordering_key
            and e.state in ('signed', 'broadcast') and e.signer <> ${lane.signer})
        and coalesce((
          select s.address from tx_signers s
          where s.chain_id = i.chain_id and i.purpose = any(s.purposes) and s.stopped_reason is null and s.retired_at is null
            and s.seen_at > clock_timestamp() - ${SILENT_SIGNER_MS} * interval '1 millisecond'
          order by hashtextextended(i.ordering_key || s.address, 0) limit 1), ${lane.signer}) = ${lane.signer}))
    order by i.id limit ${limit}
    for update of i skip locked`
}

/** Nonces at or above `from` that intents of the signer hold, whatever became of them. */
export async function heldNonces(db: Db, lane: Lane, from: bigint): Promise<Set<bigint>> {
  // Each kind has its index.
  const rows = await db<{ nonce: bigint }[]>`
    select nonce from tx_intents where chain_id = ${lane.chainId} and signer = ${lane.signer}
      and nonce >= ${numeric(from)}::bigint and state <> 'failed'
    union
    select nonce from tx_intents where chain_id = ${lane.chainId} and signer = ${lane.signer}
      and nonce >= ${numeric(from)}::bigint and state = 'failed'`
  return new Set(rows.map((row) => row.nonce))
}

/** The wei that signed, unmined transactions may still cost, at the newest attempt's fee. */
export async function committedCostWei(db: Db, lane: Lane): Promise<bigint> {
  const [row] = await db<{ cost: bigint }[]>`
    select coalesce(sum(i.value_wei + a.cost), 0)::numeric(78, 0) as cost
    from tx_intents i cross join lateral (
      select max(gas_limit * max_fee_wei) as cost from tx_attempts a
      where a.chain_id = i.chain_id and a.intent_id = i.id and not a.released) a
    where i.chain_id = ${lane.chainId} and i.signer = ${lane.signer} and i.state in ('signed', 'broadcast')`
  return row?.cost ?? 0n
}

/** A queued intent that cannot succeed and was never signed. */
export async function rejectQueued(
  tx: Db,
  chainId: number,
  id: bigint,
  why: { readonly problem: string; readonly revertData: Hex | null },
): Promise<void> {
  await tx`
    update tx_intents set state = 'rejected', state_at = clock_timestamp(), problem = ${why.problem},
      revert_data = ${why.revertData}
    where chain_id = ${chainId} and id = ${numeric(id)}::bigint and state = 'queued'`
}

/** Gives queued intents their nonces and stores the signed bytes, counting the broadcast that follows. */
export async function storeSigned(tx: Db, lane: Lane, signed: readonly SignedIntent[]): Promise<void> {
  await tx`
    update tx_intents i set state = 'signed', state_at = clock_timestamp(), signer = ${lane.signer}, nonce = s.nonce,
      broadcasts = i.broadcasts + 1, next_broadcast_at = clock_timestamp()
    from unnest(${signed.map((row) => numeric(row.id))}::bigint[], ${signed.map((row) => numeric(row.nonce))}::bigint[]) s(id, nonce)
    where i.chain_id = ${lane.chainId} and i.id = s.id and i.state = 'queued'`
  await insertAttempts(tx, lane, signed)
}

/**
 * Stores a replacement of an intent in flight, counting the broadcast that follows. False when the intent is no longer
 * in flight at this nonce: the bytes must not be broadcast then.
 */
export async function storeReplacement(tx: Db, lane: Lane, signed: SignedIntent): Promise<boolean> {
  const rows = await tx`
    update tx_intents set broadcasts = broadcasts + 1, next_broadcast_at = clock_timestamp()
    where chain_id = ${lane.chainId} and id = ${numeric(signed.id)}::bigint and signer = ${lane.signer}
      and nonce = ${numeric(signed.nonce)}::bigint and state in ('signed', 'broadcast')
    returning id`
  if (rows.length === 0) return false
  await insertAttempts(tx, lane, [signed])
  return true
}

async function insertAttempts(tx: Db, lane: Lane, signed: readonly SignedIntent[]): Promise<void> {
  const column = (pick: (row: SignedIntent) => bigint | string) => signed.map((row) => pick(row).toString())
  // The same fields sign to the same bytes: an intent that left a nonce may come back to it with an old hash.
  await tx`
    insert into tx_attempts (chain_id, signer, intent_id, nonce, hash, raw_tx, gas_limit, max_fee_wei,
      max_priority_fee_wei, head_number)
    select ${lane.chainId}, ${lane.signer}, s.* from unnest(
      ${column((row) => row.id)}::bigint[], ${column((row) => row.nonce)}::bigint[], ${column((row) => row.hash)}::text[],
      ${column((row) => row.rawTx)}::text[], ${column((row) => row.gasLimit)}::bigint[],
      ${column((row) => row.maxFeeWei)}::numeric[], ${column((row) => row.maxPriorityFeeWei)}::numeric[],
      ${column((row) => row.headNumber)}::bigint[]) s
    on conflict (chain_id, intent_id, hash) do update set released = false, signed_at = clock_timestamp(),
      head_number = excluded.head_number, last_answer = null, last_message = null`
}

/**
 * Counts one more broadcast of each intent that still is at a nonce, and returns its newest bytes, rather ones that were
 * not refused, in nonce order. Of what was found on chain the bytes are not known, and those of a
 * call that reverted are not sent again (docs/decisions/told-failures.md).
 *
 * @param againInMs when the next repeat is due
 */
export async function countBroadcasts(
  db: Db,
  lane: Lane,
  ids: readonly bigint[],
  againInMs: number,
): Promise<Broadcast[]> {
  return await db<Broadcast[]>`
    with counted as (
      update tx_intents set broadcasts = broadcasts + 1,
        next_broadcast_at = clock_timestamp() + ${againInMs} * interval '1 millisecond'
      where chain_id = ${lane.chainId} and signer = ${lane.signer} and id = any(${ids.map(String)}::bigint[])
        and state in ('signed', 'broadcast', 'mined') and outcome is distinct from 'reverted'
      returning chain_id, id, nonce, withdrawn_at)
    select c.id, c.nonce, a.hash, a.raw_tx as "rawTx" from counted c cross join lateral (
      select hash, raw_tx from tx_attempts a
      where a.chain_id = c.chain_id and a.intent_id = c.id and not a.released and a.raw_tx <> '0x'
        and (c.withdrawn_at is null or a.signed_at > c.withdrawn_at)
      order by last_answer is not distinct from 'refused', signed_at desc, max_fee_wei desc limit 1) a
    order by c.nonce`
}

export interface RecordedAnswer {
  readonly id: bigint
  readonly nonce: bigint
  readonly hash: Hex
  readonly answer: 'accepted' | 'nonce_too_low' | 'refused' | 'unknown'
  readonly message: string
  /** When the bytes are to be broadcast again if nothing else is heard. */
  readonly againInMs: number
}

/** Writes down what the node said to each broadcast; a refusal is counted, anything else makes a signed intent `broadcast`. */
export async function recordAnswers(db: Db, lane: Lane, answers: readonly RecordedAnswer[]): Promise<void> {
  await db`
    with answers as (
      select * from unnest(${answers.map((row) => numeric(row.id))}::bigint[], ${answers.map((row) => numeric(row.nonce))}::bigint[],
        ${answers.map((row) => row.hash)}::text[], ${answers.map((row) => row.answer)}::text[],
        ${answers.map((row) => row.message)}::text[], ${answers.map((row) => row.againInMs)}::int[])
        as a(id, nonce, hash, answer, message, again_ms)),
    noted as (
      update tx_attempts t set last_answer = a.answer, last_message = a.message from answers a
      where t.chain_id = ${lane.chainId} and t.intent_id = a.id and t.hash = a.hash)
    update tx_intents i set
      refusals = i.refusals + (a.answer = 'refused')::int,
      state_at = case when i.state = 'signed' and a.answer <> 'refused' then clock_timestamp() else i.state_at end,
      state = case when i.state = 'signed' and a.answer <> 'refused' then 'broadcast' else i.state end,
      next_broadcast_at = clock_timestamp() + a.again_ms * interval '1 millisecond'
    from answers a
    where i.chain_id = ${lane.chainId} and i.id = a.id and i.signer = ${lane.signer} and i.nonce = a.nonce`
}

/**
 * Takes an intent off its nonce and queues it again, when no node can hold any of its bytes: every broadcast was
 * answered by a refusal. False when that is not certain, or when an intent that must come after it would overtake it;
 * the intent then keeps its nonce.
 */
export async function releaseNonce(db: Db, lane: Lane, id: bigint, nonce: bigint): Promise<boolean> {
  return await leaveNonce(db, lane, { id, nonce, state: 'queued', problem: null })
}

/**
 * Gives up an intent whose bytes no node will ever take; its nonce is free again. False when a broadcast was not answered
 * by a refusal: a node may hold the bytes then, and the intent keeps its nonce.
 */
export async function rejectSigned(db: Db, lane: Lane, id: bigint, nonce: bigint, problem: string): Promise<boolean> {
  return await leaveNonce(db, lane, { id, nonce, state: 'rejected', problem })
}

/**
 * What closes a gap stays its signer's own, so that it counts as closing one while it waits; of a signer that is retired nobody would
 * take it, and it ends.
 */
async function leaveNonce(
  db: Db,
  lane: Lane,
  leave: { id: bigint; nonce: bigint; state: 'queued' | 'rejected'; problem: string | null },
): Promise<boolean> {
  const closesGap = db`(i.to_address = i.signer and i.data = '0x')`
  const isStranded = db`(${closesGap} and exists (
    select from tx_signers s where s.chain_id = i.chain_id and s.address = i.signer and s.retired_at is not null))`
  const rows = await db`
    with freed as (
      update tx_intents i set state = case when ${isStranded} then 'rejected' else ${leave.state} end,
        problem = case when ${isStranded} then coalesce(${leave.problem}, ${SIGNER_RETIRED}) else ${leave.problem} end,
        state_at = clock_timestamp(), signer = case when ${closesGap} then i.signer end, nonce = null,
        next_broadcast_at = null, nonce_passed_block = null
      where chain_id = ${lane.chainId} and id = ${numeric(leave.id)}::bigint and signer = ${lane.signer}
        and nonce = ${numeric(leave.nonce)}::bigint and state in ('signed', 'broadcast')
        and broadcasts = refusals and (${leave.state} = 'rejected' or not exists (
          select 1 from tx_intents o where o.chain_id = i.chain_id and o.ordering_key = i.ordering_key
            and o.signer = i.signer and o.nonce > i.nonce and o.state in ('signed', 'broadcast')))
      returning chain_id, id),
    released as (
      update tx_attempts a set released = true from freed f where a.chain_id = f.chain_id and a.intent_id = f.id)
    select id from freed`
  return rows.length > 0
}

/** Queues an empty transaction from the signer to itself, for this signer only, to close a gap among its nonces. */
export async function insertNoop(db: Db, lane: Lane, purpose: string, dedupeKey: string): Promise<void> {
  await db`
    insert into tx_intents (chain_id, purpose, dedupe_key, to_address, data, value_wei, signer)
    values (${lane.chainId}, ${purpose}, ${dedupeKey}, ${lane.signer}, '0x', 0, ${lane.signer})
    on conflict (chain_id, dedupe_key) do nothing`
}

/** How many empty transactions that close gaps of the signer wait to be signed. */
export async function queuedNoops(db: Db, lane: Lane, purposes: readonly string[]): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::int as count from tx_intents
    where chain_id = ${lane.chainId} and purpose = any(${[...purposes]}::text[]) and state = 'queued'
      and signer = ${lane.signer}`
  return row?.count ?? 0
}

/** What /status shows of a signer; written by its worker. */
export async function saveSigner(
  db: Db,
  lane: Lane,
  seen: {
    readonly purposes: readonly string[]
    readonly balanceWei: bigint | null
    readonly chainNonce: bigint | null
    /** With all that the node has under way; null unless the database stands behind the chain. */
    readonly pendingNonce?: bigint | null
    /** All signers were compared with the chain. */
    readonly compared?: boolean
    readonly stoppedReason: string | null
  },
): Promise<void> {
  await db`
    insert into tx_signers (chain_id, address, purposes, balance_wei, chain_nonce, pending_nonce, compared,
      stopped_reason)
    values (${lane.chainId}, ${lane.signer}, ${[...seen.purposes]}::text[], ${numeric(seen.balanceWei)}::numeric,
      ${numeric(seen.chainNonce)}::bigint, ${numeric(seen.pendingNonce)}::bigint, ${seen.compared ?? false}, ${seen.stoppedReason})
    on conflict (chain_id, address) do update set purposes = excluded.purposes,
      balance_wei = coalesce(excluded.balance_wei, tx_signers.balance_wei),
      chain_nonce = coalesce(excluded.chain_nonce, tx_signers.chain_nonce),
      pending_nonce = excluded.pending_nonce, compared = excluded.compared,
      stopped_reason = excluded.stopped_reason, seen_at = clock_timestamp()`
}
