import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { Hex } from '../types.ts'
import type { IntentState } from './intents.ts'
import { SILENT_SIGNER_MS } from './status.ts'
import type { Lane } from './store.ts'

/** A signer that the database has met, and the first nonce of which it knows nothing. */
export interface AccountedSigner {
  readonly address: Hex
  readonly accountedNonce: bigint
}

export type PauseReason = 'operator' | 'database_behind_chain'

/** Why nothing new is sent on a chain. */
export interface Pause {
  readonly reason: PauseReason
  readonly detail: string
  readonly pausedAt: Date
}

/** A transaction of one of our signers that no intent accounts for. */
export interface Unaccounted {
  readonly hash: Hex
  readonly signer: Hex
  readonly nonce: bigint
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
  readonly blockNumber: bigint
}

/** A transaction of one of our signers on the chain; `to` is null where it creates a contract. */
export type FoundTransaction = Omit<Unaccounted, 'to'> & { readonly to: Hex | null }

/** The first nonce of the signer `s` of which the database knows nothing, 0 before it is met. Each kind of intents has its index. */
const accountedOf = (db: Db) => db`
  greatest(coalesce(s.accounted_nonce, 0),
    (select max(i.nonce) + 1 from tx_intents i
      where i.chain_id = s.chain_id and i.signer = s.address and i.state <> 'failed'),
    (select max(i.nonce) + 1 from tx_intents i
      where i.chain_id = s.chain_id and i.signer = s.address and i.state = 'failed'))`

/** The first that is also of no transaction that is written down as unaccounted. */
const unknownOf = (db: Db) => db`
  greatest(${accountedOf(db)},
    (select max(u.nonce) + 1 from tx_unaccounted u where u.chain_id = s.chain_id and u.signer = s.address))`

/** Every signer that the database has met on the chain, without those that are retired: a row alone may be of a look that failed. */
export async function accountedSigners(db: Db, chainId: number): Promise<AccountedSigner[]> {
  return await db<AccountedSigner[]>`
    select s.address, ${accountedOf(db)} as "accountedNonce"
    from tx_signers s where s.chain_id = ${chainId} and s.retired_at is null and s.accounted_nonce is not null
    order by s.address`
}

/** The first nonce of the signer of which the database knows nothing; null when it has not met it. */
export async function accountedNonce(db: Db, { chainId, signer }: Lane): Promise<bigint | null> {
  const signers = await accountedSigners(db, chainId)
  return signers.find(({ address }) => address === signer)?.accountedNonce ?? null
}

/**
 * Below this nonce the signer's are accounted for without an intent: it used them before the database met it, or an operator has judged what
 * did. 0 when the database has not met it.
 */
export async function nonceWithoutIntents(db: Db, { chainId, signer }: Lane): Promise<bigint> {
  const [row] = await db<{ nonce: bigint | null }[]>`
    select accounted_nonce as nonce from tx_signers where chain_id = ${chainId} and address = ${signer}`
  return row?.nonce ?? 0n
}

/** When the oldest intent that the signer may send was queued, in Unix seconds; null when none is. */
export async function oldestQueuedSec(db: Db, chainId: number, purposes: readonly string[]): Promise<bigint | null> {
  const [row] = await db<{ atSec: bigint | null }[]>`
    select floor(extract(epoch from min(created_at)))::bigint as "atSec" from tx_intents
    where chain_id = ${chainId} and purpose = any(${[...purposes]}::text[]) and state = 'queued'`
  return row?.atSec ?? null
}

/** Writes down a signer that the database meets for the first time. */
export async function meetSigner(
  db: Db,
  lane: Lane,
  purposes: readonly string[],
  accountedNonce: bigint,
): Promise<void> {
  await db`
    insert into tx_signers (chain_id, address, purposes, accounted_nonce)
    values (${lane.chainId}, ${lane.signer}, ${[...purposes]}::text[], ${numeric(accountedNonce)}::bigint)
    on conflict (chain_id, address) do update set accounted_nonce = excluded.accounted_nonce
      where tx_signers.accounted_nonce is null`
}

export async function findPause(db: Db, chainId: number): Promise<Pause | null> {
  const [row] = await db<Pause[]>`
    select reason, detail, paused_at as "pausedAt" from tx_pauses where chain_id = ${chainId}`
  return row ?? null
}

/** Keeps a pause from being declared until the transaction ends, and tells the one that is. */
export async function pauseDuring(tx: Tx, chainId: number): Promise<Pause | null> {
  await tx`lock table tx_pauses in row share mode`
  return await findPause(tx, chainId)
}

/** Declares a pause: once the transaction has committed, no intent gets a nonce. The graver reason stays. */
export async function declarePause(tx: Tx, chainId: number, reason: PauseReason, detail: string): Promise<void> {
  await tx`lock table tx_pauses in exclusive mode`
  await tx`
    insert into tx_pauses (chain_id, reason, detail) values (${chainId}, ${reason}, ${detail})
    on conflict (chain_id) do update set reason = excluded.reason, detail = excluded.detail
    where tx_pauses.reason = 'operator'`
}

export async function endPause(tx: Tx, chainId: number): Promise<void> {
  await tx`delete from tx_pauses where chain_id = ${chainId}`
}

/**
 * The first nonce of the signer that is neither accounted for nor of a transaction that is written down as unaccounted; 0 when the
 * database has not met it.
 */
export async function unknownNonce(db: Db, { chainId, signer }: Lane): Promise<bigint> {
  const [row] = await db<{ nonce: bigint }[]>`
    select ${unknownOf(db)} as nonce from tx_signers s where s.chain_id = ${chainId} and s.address = ${signer}`
  return row?.nonce ?? 0n
}

/**
 * That what the signer `s` may have sent counts while the database stands behind. Whoever was retired before had been compared with the
 * chain then, by a database that was whole: nothing of it is forgotten, and what its key has done since is not the venue's.
 */
export const countsInPause = (db: Db) => db`
  coalesce(s.retired_at >= (select p.paused_at from tx_pauses p where p.chain_id = s.chain_id), true)`

/** A signer of which it is not known what it may have done. */
export interface UnderWay {
  readonly address: Hex
  /** All that is left to know is what becomes of bytes that no node has taken, and no process sends them again. */
  readonly isStranded: boolean
}

/**
 * Signers, also silent ones, with something under way that the database does not know, or of which nobody has told yet whether they have;
 * also those with a nonce that something else than its intent has, in the node or on chain and not final, until it is known what.
 */
export async function signersUnderWay(db: Db, chainId: number): Promise<UnderWay[]> {
  return await db<UnderWay[]>`
    select address, is_silent and not is_under_way as "isStranded" from (
      select s.address, ${isAbsent(db)} and s.retired_at is null as is_silent,
        coalesce(s.pending_nonce > ${unknownOf(db)}, true) or ${hasOpen(db, db`i.nonce_passed_block is not null`)} as is_under_way,
        ${hasOpen(db, db`i.broadcasts = i.refusals`)} as has_refused
      from tx_signers s where s.chain_id = ${chainId} and ${countsInPause(db)}) u
    where is_under_way or has_refused order by address`
}

/** That no process has worked for the signer `s` lately. */
export const isAbsent = (db: Db) => db`s.seen_at <= clock_timestamp() - ${SILENT_SIGNER_MS} * interval '1 millisecond'`

/** That an intent `i` of the signer `s` that is signed and not mined is so. */
const hasOpen = (db: Db, condition: ReturnType<Db>) => db`
  exists (select from tx_intents i where i.chain_id = s.chain_id and i.signer = s.address
    and i.state in ('signed', 'broadcast') and ${condition})`

/**
 * Tells of a signer that does not do it itself the next nonce with all that a node has under way. For one that is retired only ever less: its
 * process is gone, so what comes later is not the venue's.
 */
export async function tellUnderWay(db: Db, { chainId, signer }: Lane, pendingNonce: bigint): Promise<void> {
  const told = db`${numeric(pendingNonce)}::bigint`
  await db`
    update tx_signers set pending_nonce = case when retired_at is null then ${told} else least(pending_nonce, ${told}) end
    where chain_id = ${chainId} and address = ${signer}`
}

/** What the signers told of an earlier pause says nothing of this one. */
export async function forgetUnderWay(tx: Tx, chainId: number): Promise<void> {
  await tx`update tx_signers set pending_nonce = null where chain_id = ${chainId}`
}

/**
 * Writes down transactions that no intent accounts for: none that is an attempt of one, and none whose nonce one in flight has, which
 * may yet turn out to be its own.
 *
 * @param graceMs for how long a new intent with the same call counts as a repetition; null until sending is resumed
 */
export async function insertUnaccounted(
  tx: Tx,
  chainId: number,
  transactions: readonly FoundTransaction[],
  graceMs: number | null,
): Promise<void> {
  const found = transactions.filter(({ to }) => to !== null)
  await tx`
    insert into tx_unaccounted (chain_id, hash, signer, nonce, to_address, data, value_wei, block_number, match_until)
    select ${chainId}, f.*, clock_timestamp() + ${graceMs}::float8 * interval '1 millisecond' from unnest(${found.map((row) => row.hash)}::text[], ${found.map((row) => row.signer)}::text[],
      ${found.map((row) => numeric(row.nonce))}::bigint[], ${found.map((row) => row.to)}::text[],
      ${found.map((row) => row.data)}::text[], ${found.map((row) => numeric(row.valueWei))}::numeric[],
      ${found.map((row) => numeric(row.blockNumber))}::bigint[])
      f(hash, signer, nonce, to_address, data, value_wei, block_number)
    where not exists (select from tx_attempts a where a.chain_id = ${chainId} and a.hash = f.hash and not a.released)
      and not exists (select from tx_intents i where i.chain_id = ${chainId} and i.signer = f.signer and i.nonce = f.nonce
        and i.state in ('signed', 'broadcast'))
    on conflict (chain_id, hash) do nothing`
}

/** The lowest nonce of each signer that an intent in flight holds. */
export async function openNonces(db: Db, chainId: number): Promise<Map<Hex, bigint>> {
  const rows = await db<{ signer: Hex; nonce: bigint }[]>`
    select signer, min(nonce) as nonce from tx_intents
    where chain_id = ${chainId} and state in ('signed', 'broadcast') group by signer`
  return new Map(rows.map(({ signer, nonce }) => [signer, nonce]))
}

/**
 * Notes transactions found on chain as attempts of the intents in flight that hold their nonces and are for the same: that make the same
 * call, or one for the same wish, whose bytes the intent takes over. Answers which intents have one.
 */
export async function insertFoundAttempts(
  tx: Tx,
  chainId: number,
  found: readonly FoundTransaction[],
): Promise<bigint[]> {
  const rows = await tx<{ id: bigint }[]>`
    with theirs as (
      update tx_intents i set data = f.data
      from unnest(${found.map((row) => row.hash)}::text[], ${found.map((row) => row.signer)}::text[],
        ${found.map((row) => numeric(row.nonce))}::bigint[], ${found.map((row) => row.to)}::text[],
        ${found.map((row) => row.data)}::text[], ${found.map((row) => numeric(row.valueWei))}::numeric[],
        ${found.map((row) => numeric(row.blockNumber))}::bigint[])
        f(hash, signer, nonce, to_address, data, value_wei, block_number)
      where i.chain_id = ${chainId} and i.signer = f.signer and i.nonce = f.nonce and i.state in ('signed', 'broadcast')
        and i.to_address = f.to_address and i.value_wei = f.value_wei
        and (i.data = f.data or right(f.data, 32) = right(i.tag, 32))
      returning i.id, f.hash, f.signer, f.nonce, f.block_number),
    noted as (
      insert into tx_attempts (chain_id, intent_id, hash, signer, nonce, raw_tx, gas_limit, max_fee_wei,
        max_priority_fee_wei, head_number, last_answer)
      select ${chainId}, id, hash, signer, nonce, '0x', 0, 0, 0, block_number, 'accepted' from theirs
      on conflict (chain_id, intent_id, hash) do update set released = false)
    select id from theirs`
  return rows.map(({ id }) => id)
}

/** The transactions that no intent accounts for, oldest first. */
export async function listUnaccounted(db: Db, chainId: number): Promise<Unaccounted[]> {
  return await db<Unaccounted[]>`
    select hash, signer, nonce, to_address as "to", data, value_wei as "valueWei", block_number as "blockNumber"
    from tx_unaccounted where chain_id = ${chainId} and intent_id is null order by block_number, signer, nonce`
}

/** That an intent in one of these states has the nonce of the transaction `u`. */
const nonceHeld = (db: Db, states: readonly IntentState[]) => db`
  exists (select from tx_intents h where h.chain_id = u.chain_id and h.signer = u.signer and h.nonce = u.nonce
    and h.state <> 'failed' and h.state in ${db(states)})`

/**
 * That the transaction `u` has done what the intent `i` is for: it was made for the same wish, or, of calls that do not say what for,
 * is the same call, for as long as that is taken for a repetition. One whose nonce another transaction has used for good has not.
 */
const does = (db: Db) => db`
  u.chain_id = i.chain_id and u.intent_id is null and u.to_address = i.to_address and u.value_wei = i.value_wei
    and not ${nonceHeld(db, ['final'])}
    and (right(u.data, 32) = right(i.tag, 32)
      or md5(u.data) = md5(i.data) and u.data = i.data and coalesce(u.match_until > clock_timestamp(), true))`

/** Which of these intents a transaction has carried out already that no intent accounts for. */
export async function carriedOut(db: Db, chainId: number, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const rows = await db<{ id: bigint }[]>`
    select i.id from tx_intents i
    where i.chain_id = ${chainId} and i.id = any(${ids.map(String)}::bigint[])
      and exists (select from tx_unaccounted u where ${does(db)})`
  return new Set(rows.map(({ id }) => id))
}

/** The call of a transaction that was made for this wish and that no intent accounts for; null when there is none. */
export async function findCallFor(db: Db, chainId: number, to: Hex, tag: Hex): Promise<Hex | null> {
  const [row] = await db<{ data: Hex }[]>`
    select data from tx_unaccounted
    where chain_id = ${chainId} and intent_id is null and to_address = ${to} and right(data, 32) = right(${tag}, 32)
    order by block_number, nonce limit 1`
  return row?.data ?? null
}

/** The ends of the calls of a contract that no intent accounts for, each as long as a tag: without `0x`, empty but after a restore. */
export async function unaccountedTags(db: Db, chainId: number, to: Hex): Promise<ReadonlySet<string>> {
  const rows = await db<{ tag: string }[]>`
    select distinct right(data, 32) as tag from tx_unaccounted
    where chain_id = ${chainId} and intent_id is null and to_address = ${to}`
  return new Set(rows.map(({ tag }) => tag))
}

/**
 * Gives a queued intent the transaction that has carried it out already, if there is one: it takes that one's call, nonce and hash,
 * and goes on as broadcast, so that the receipt decides it. True when there was one. None is taken over whose nonce an intent in flight has,
 * which the chain gave it after a reorganisation: which of the two is mined decides.
 */
export async function adoptUnaccounted(tx: Tx, chainId: number, id: bigint): Promise<boolean> {
  const [found] = await tx<Unaccounted[]>`
    with made as (
      select u.hash from tx_unaccounted u join tx_intents i on ${does(tx)}
      where i.chain_id = ${chainId} and i.id = ${numeric(id)}::bigint
        and not ${nonceHeld(tx, ['signed', 'broadcast', 'mined'])}
      order by u.block_number, u.nonce limit 1 for update of u skip locked)
    update tx_unaccounted u set intent_id = ${numeric(id)}::bigint from made
    where u.chain_id = ${chainId} and u.hash = made.hash
    returning u.hash, u.signer, u.nonce, u.data, u.block_number as "blockNumber"`
  if (!found) return false
  await tx`
    update tx_intents set state = 'broadcast', state_at = clock_timestamp(), signer = ${found.signer}, data = ${found.data},
      nonce = ${numeric(found.nonce)}::bigint, broadcasts = broadcasts + 1
    where chain_id = ${chainId} and id = ${numeric(id)}::bigint and state = 'queued'`
  // Its bytes are not known, and need not be: it is mined.
  await tx`
    insert into tx_attempts (chain_id, intent_id, hash, signer, nonce, raw_tx, gas_limit, max_fee_wei,
      max_priority_fee_wei, head_number, last_answer)
    values (${chainId}, ${numeric(id)}::bigint, ${found.hash}, ${found.signer},
      ${numeric(found.nonce)}::bigint, '0x', 0, 0, 0, ${numeric(found.blockNumber)}::bigint, 'accepted')
    on conflict (chain_id, intent_id, hash) do update set released = false`
  return true
}

/** A queued intent that an operator has to judge while the database stands behind the chain. */
export interface QueuedIntent {
  readonly id: bigint
  readonly purpose: string
  readonly dedupeKey: string
  readonly orderingKey: string | null
  readonly to: Hex
  readonly data: Hex
  readonly createdAt: Date
  readonly released: boolean
  /** The transaction that made this call already, as far as it is known. */
  readonly minedAs: Hex | null
}

export async function listQueued(db: Db, chainId: number): Promise<QueuedIntent[]> {
  return await db<QueuedIntent[]>`
    select i.id, i.purpose, i.dedupe_key as "dedupeKey", i.ordering_key as "orderingKey", i.to_address as "to", i.data,
      i.created_at as "createdAt", i.released_at is not null as released, (
        select u.hash from tx_unaccounted u where ${does(db)} order by u.block_number, u.nonce limit 1) as "minedAs"
    from tx_intents i where i.chain_id = ${chainId} and i.state = 'queued' order by i.id`
}

/** Lets queued intents go on; all of them when `ids` is null. Answers which. */
export async function releaseIntents(tx: Tx, chainId: number, ids: readonly bigint[] | null): Promise<bigint[]> {
  const rows = await tx<{ id: bigint }[]>`
    update tx_intents set released_at = clock_timestamp()
    where chain_id = ${chainId} and state = 'queued' and released_at is null
      and (${ids === null} or id = any(${(ids ?? []).map(String)}::bigint[])) returning id`
  return rows.map(({ id }) => id)
}

/**
 * Ends queued intents unsent; all that are not released when `ids` is null. None that a transaction has carried out already: whoever
 * asked for it would be told that it failed. Answers which.
 */
export async function discardIntents(tx: Tx, chainId: number, ids: readonly bigint[] | null): Promise<bigint[]> {
  const rows = await tx<{ id: bigint }[]>`
    update tx_intents i set state = 'rejected', state_at = clock_timestamp(), problem = 'discarded by an operator'
    where i.chain_id = ${chainId} and i.state = 'queued'
      and (${ids === null} and i.released_at is null or i.id = any(${(ids ?? []).map(String)}::bigint[]))
      and not exists (select from tx_unaccounted u where ${does(tx)})
    returning i.id`
  return rows.map(({ id }) => id)
}

/** Accounts for every nonce that the chain has used. */
export async function accountFor(tx: Tx, chainId: number, signer: Hex, nonce: bigint): Promise<void> {
  await tx`
    update tx_signers set accounted_nonce = greatest(accounted_nonce, ${numeric(nonce)}::bigint)
    where chain_id = ${chainId} and address = ${signer}`
}

/** From now on, for `graceMs`, a repeated call still leads to the transaction that made it. */
export async function limitMatching(tx: Tx, chainId: number, graceMs: number): Promise<void> {
  await tx`
    update tx_unaccounted set match_until = clock_timestamp() + ${graceMs} * interval '1 millisecond'
    where chain_id = ${chainId} and intent_id is null and match_until is null`
}
