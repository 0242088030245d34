import { type Db, numeric } from '../../db/pool.ts'
import type { Hex } from '../types.ts'
import type { Broadcast, Lane } from './store.ts'

export interface Attempt {
  readonly hash: Hex
  readonly gasLimit: bigint
  readonly maxFeeWei: bigint
  readonly maxPriorityFeeWei: bigint
  readonly headNumber: bigint
  readonly ageMs: number
  readonly lastAnswer: string | null
  /** What the node said with it. */
  readonly lastMessage: string | null
  /** It takes the nonce of an intent that is withdrawn, and does nothing else. */
  readonly isEmpty: boolean
}

/** An intent that holds a nonce, with the attempts under it, oldest first. */
export interface OpenIntent {
  readonly id: bigint
  readonly state: 'signed' | 'broadcast' | 'mined'
  readonly nonce: bigint
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint | null
  readonly leastGas: bigint | null
  readonly blockNumber: bigint | null
  readonly blockHash: Hex | null
  readonly revertData: Hex | null
  readonly problem: string | null
  readonly noncePassedBlock: bigint | null
  readonly broadcastDue: boolean
  /** Every broadcast was answered by a refusal. */
  readonly neverTaken: boolean
  /** It reverted in a block that vanished: its call must not be made any more. */
  readonly isWithdrawn: boolean
  readonly attempts: readonly Attempt[]
}

/** The signer's intents that are signed and not mined, in nonce order. */
export async function inFlight(db: Db, lane: Lane): Promise<OpenIntent[]> {
  const intents = await db<OpenRow[]>`
    select ${openColumns(db)} from tx_intents
    where chain_id = ${lane.chainId} and signer = ${lane.signer} and state in ('signed', 'broadcast') order by nonce`
  return await withAttempts(db, lane, intents)
}

/**
 * Mined intents to look at again, from a nonce up: those that the chain's count no longer covers, those whose block is final, and those
 * in a block above the given one.
 */
export async function minedToCheck(
  db: Db,
  lane: Lane,
  look: {
    readonly chainNonce: bigint
    readonly finalNumber: bigint
    readonly above: bigint
    readonly fromNonce: bigint
    readonly limit: number
  },
): Promise<OpenIntent[]> {
  const intents = await db<OpenRow[]>`
    select ${openColumns(db)} from tx_intents
    where chain_id = ${lane.chainId} and signer = ${lane.signer} and state = 'mined'
      and nonce >= ${numeric(look.fromNonce)}::bigint
      and (block_number > ${numeric(look.above)}::bigint or nonce >= ${numeric(look.chainNonce)}::bigint
        or block_number <= ${numeric(look.finalNumber)}::bigint)
    order by nonce limit ${look.limit}`
  return await withAttempts(db, lane, intents)
}

type OpenRow = Omit<OpenIntent, 'attempts'>

const openColumns = (db: Db) => db`
  id, state, nonce, to_address as "to", data, value_wei as "valueWei", gas_limit as "gasLimit",
  least_gas as "leastGas", block_number as "blockNumber", block_hash as "blockHash", revert_data as "revertData",
  problem, nonce_passed_block as "noncePassedBlock",
  coalesce(next_broadcast_at <= clock_timestamp(), false) as "broadcastDue", broadcasts = refusals as "neverTaken",
  withdrawn_at is not null as "isWithdrawn"`

async function withAttempts(db: Db, lane: Lane, intents: readonly OpenRow[]): Promise<OpenIntent[]> {
  if (intents.length === 0) return []
  const attempts = await db<(Attempt & { intentId: bigint })[]>`
    select intent_id as "intentId", hash, gas_limit as "gasLimit", max_fee_wei as "maxFeeWei",
      max_priority_fee_wei as "maxPriorityFeeWei", head_number as "headNumber", last_answer as "lastAnswer", last_message as "lastMessage",
      (extract(epoch from clock_timestamp() - signed_at) * 1000)::float8 as "ageMs",
      coalesce(signed_at > (select i.withdrawn_at from tx_intents i where i.chain_id = a.chain_id and i.id = a.intent_id), false)
        as "isEmpty"
    from tx_attempts a
    where chain_id = ${lane.chainId} and intent_id = any(${intents.map((row) => numeric(row.id))}::bigint[]) and not released
    order by signed_at, max_fee_wei`
  const byIntent = Map.groupBy(attempts, (attempt) => attempt.intentId)
  return intents.map((row) => ({ ...row, attempts: byIntent.get(row.id) ?? [] }))
}

/** The mined bytes of final intents with a nonce from `fromNonce` up: what a chain lacks that stands before it. */
export async function finalFrom(db: Db, lane: Lane, fromNonce: bigint, limit: number): Promise<Broadcast[]> {
  return await db<Broadcast[]>`
    select i.id, i.nonce, a.hash, a.raw_tx as "rawTx" from tx_intents i
    join tx_attempts a on a.chain_id = i.chain_id and a.intent_id = i.id and a.hash = i.tx_hash
    where i.chain_id = ${lane.chainId} and i.signer = ${lane.signer} and i.nonce >= ${numeric(fromNonce)}::bigint
      and i.state = 'final' and a.raw_tx <> '0x' order by i.nonce limit ${limit}`
}

export interface MinedRow {
  readonly id: bigint
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly gasUsed: bigint
  readonly outcome: 'succeeded' | 'reverted'
  readonly revertData: Hex | null
  readonly problem: string | null
  readonly final: boolean
}

/** Writes down receipts. */
export async function recordMined(db: Db, lane: Lane, mined: readonly MinedRow[]): Promise<void> {
  await db`
    update tx_intents i set state = m.state, outcome = m.outcome, tx_hash = m.tx_hash, block_number = m.block_number,
      block_hash = m.block_hash, gas_used = m.gas_used, revert_data = m.revert_data, problem = m.problem,
      nonce_passed_block = null, next_broadcast_at = null,
      state_at = case when i.state = m.state then i.state_at else clock_timestamp() end,
      mined_at = case when i.block_hash = m.block_hash then i.mined_at else clock_timestamp() end
    from unnest(${mined.map((row) => numeric(row.id))}::bigint[], ${mined.map((row) => (row.final ? 'final' : 'mined'))}::text[],
      ${mined.map((row) => row.outcome)}::text[], ${mined.map((row) => row.txHash)}::text[],
      ${mined.map((row) => numeric(row.blockNumber))}::bigint[], ${mined.map((row) => row.blockHash)}::text[],
      ${mined.map((row) => numeric(row.gasUsed))}::bigint[], ${mined.map((row) => row.revertData)}::text[],
      ${mined.map((row) => row.problem)}::text[])
      as m(id, state, outcome, tx_hash, block_number, block_hash, gas_used, revert_data, problem)
    where i.chain_id = ${lane.chainId} and i.id = m.id and i.signer = ${lane.signer}
      and i.state in ('signed', 'broadcast', 'mined')`
}

/**
 * Takes mined intents whose block vanished back to be broadcast again; those that had reverted, to have their nonces used by nothing, as
 * their failure may have been told. What they reverted with stays, as what is told again at their end.
 */
export async function recordVanished(db: Db, lane: Lane, ids: readonly bigint[]): Promise<void> {
  await db`
    update tx_intents set state = 'broadcast', state_at = clock_timestamp(),
      withdrawn_at = coalesce(withdrawn_at, case when outcome = 'reverted' then clock_timestamp() end), outcome = null, tx_hash = null,
      block_number = null, block_hash = null, gas_used = null, mined_at = null, next_broadcast_at = clock_timestamp()
    where chain_id = ${lane.chainId} and signer = ${lane.signer} and id = any(${ids.map(String)}::bigint[])
      and state = 'mined'`
}

/** Notes the head at which the nonces of these intents were seen used by something else; null when it was a mistake. */
export async function recordNoncePassed(
  db: Db,
  lane: Lane,
  ids: readonly bigint[],
  headNumber: bigint | null,
): Promise<void> {
  await db`
    update tx_intents set nonce_passed_block = ${numeric(headNumber)}::bigint
    where chain_id = ${lane.chainId} and signer = ${lane.signer} and id = any(${ids.map(String)}::bigint[])
      and state in ('signed', 'broadcast')`
}

/**
 * Ends intents whose nonces a transaction that is none of their own calls has used, once that is final. One that was withdrawn when it had
 * run out of gas keeps that as its problem: it may have been told.
 */
export async function recordFailed(db: Db, lane: Lane, ids: readonly bigint[], problem: string): Promise<void> {
  await db`
    update tx_intents set state = 'failed', state_at = clock_timestamp(), next_broadcast_at = null,
      problem = case when withdrawn_at is null then ${problem} else coalesce(problem, ${problem}) end
    where chain_id = ${lane.chainId} and signer = ${lane.signer} and id = any(${ids.map(String)}::bigint[])
      and state in ('signed', 'broadcast')`
}
