import { type Db, numeric } from '../../db/pool.ts'
import type { Hex } from '../types.ts'

/**
 * Where an intent stands. `mined` may go back to `broadcast` when its block vanishes; `final`, `rejected` and `failed`
 * are for good.
 *
 * - `queued`: stored, no nonce.
 * - `signed`: holds a nonce, its signed bytes are stored.
 * - `broadcast`: handed to a node, which took it or left the answer open.
 * - `mined`: in a block, `outcome` says how it ended.
 * - `final`: its block is final by the chain's profile.
 * - `rejected`: never sent; the simulation reverted (`revertData`) or no node can take it (`problem`).
 * - `failed`: a transaction that is none of ours has its nonce and is final, so that it can never be mined.
 */
export type IntentState = 'queued' | 'signed' | 'broadcast' | 'mined' | 'final' | 'rejected' | 'failed'

/** Notified when intents are stored (migration 244). */
export const INTENTS_CHANNEL = 'tx_intents'

/**
 * States that the relayer still works on, as text: the index of unfinished intents is used by a plan that is kept, for whichever
 * parameters, only where the statement names them so.
 */
export const unfinishedStates = (db: Db) => db`('queued', 'signed', 'broadcast', 'mined')`

export interface NewIntent {
  /** One that `reserveIntentIds` gave; without it the next one. */
  readonly id?: bigint
  readonly chainId: number
  /** What the transaction is for, e.g. `settle`; only signers bound to this purpose send it. */
  readonly purpose: string
  readonly to: Hex
  readonly data: Hex
  /** The last bytes of `data`, where two calls that end so are for the same wish and only one may be made (`tags.ts`). */
  readonly tag?: Hex
  readonly valueWei?: bigint
  /** Gas limit to use instead of an estimate; honoured up to the chain profile's cap. */
  readonly gasLimit?: bigint
  /** Gas that the call is known to need; an estimate below it does not count. */
  readonly leastGas?: bigint
  /** Unique on the chain: a second insert with this key is the first intent. */
  readonly dedupeKey: string
  /** Intents with one ordering key are sent by one signer in order of insertion, each simulated after the ones before. */
  readonly orderingKey?: string
}

export interface Intent {
  readonly chainId: number
  readonly id: bigint
  readonly purpose: string
  readonly to: Hex
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint | null
  readonly dedupeKey: string
  readonly orderingKey: string | null
  readonly createdAt: Date
  readonly state: IntentState
  readonly stateAt: Date
  /** The sending address, lower-case, and the nonce it gave; null while queued. */
  readonly signer: Hex | null
  readonly nonce: bigint | null
  readonly outcome: 'succeeded' | 'reverted' | null
  /** The attempt that was mined. */
  readonly txHash: Hex | null
  readonly blockNumber: bigint | null
  readonly blockHash: Hex | null
  readonly gasUsed: bigint | null
  /** What the contract reverted with, undecoded; in the simulation when rejected, on chain when reverted. */
  readonly revertData: Hex | null
  /** Why it was rejected or failed, or reverted without a word, for people. */
  readonly problem: string | null
}

/** One signed form of an intent. */
export interface AttemptSummary {
  readonly hash: Hex
  readonly nonce: bigint
  readonly maxFeeWei: bigint
  readonly signedAt: Date
}

/** The columns of `Intent` by its field names. */
export const intentColumns = (db: Db) => db`
  chain_id::int as "chainId", id, purpose, to_address as "to", data, value_wei as "valueWei", gas_limit as "gasLimit",
  dedupe_key as "dedupeKey", ordering_key as "orderingKey", created_at as "createdAt", state, state_at as "stateAt",
  signer, nonce, outcome, tx_hash as "txHash", block_number as "blockNumber", block_hash as "blockHash",
  gas_used as "gasUsed", revert_data as "revertData", problem`

/**
 * Stores an intent in the caller's transaction and returns it; when the dedupe key is taken, the first intent is
 * returned as it stands now and nothing is stored. The relayer sends it once the transaction commits.
 */
export async function insertIntent(tx: Db, intent: NewIntent): Promise<Intent> {
  const [inserted] = await insertIntents(tx, [intent])
  const row = inserted ?? (await getIntentByDedupeKey(tx, intent.chainId, intent.dedupeKey))
  if (!row) throw new Error(`the intent ${intent.dedupeKey} is held by a transaction that this one cannot see`)
  return row
}

/** Ids for intents that are stored next, so that what is kept of them can be stored without waiting for them. */
export async function reserveIntentIds(tx: Db, count: number): Promise<bigint[]> {
  const rows = await tx<{ id: bigint }[]>`
    select nextval(pg_get_serial_sequence('tx_intents', 'id')) as id from generate_series(1, ${count}::int) order by id`
  return rows.map(({ id }) => id)
}

/** Stores intents in their order, in one statement; resolves to those whose dedupe key was free. */
export async function insertIntents(tx: Db, intents: readonly NewIntent[]): Promise<Intent[]> {
  const column = (of: (intent: NewIntent) => string | null) => intents.map(of)
  return await tx<Intent[]>`
    insert into tx_intents (id, chain_id, purpose, dedupe_key, ordering_key, to_address, data, tag, value_wei, gas_limit,
      least_gas)
    overriding system value
    select coalesce(id, nextval(pg_get_serial_sequence('tx_intents', 'id'))), chain_id, purpose, dedupe_key,
      ordering_key, to_address, data, tag, value_wei, gas_limit, least_gas
    from unnest(${column(({ id }) => numeric(id))}::bigint[], ${column(({ chainId }) => String(chainId))}::bigint[],
      ${column(({ purpose }) => purpose)}::text[],
      ${column(({ dedupeKey }) => dedupeKey)}::text[], ${column((intent) => intent.orderingKey ?? null)}::text[],
      ${column(({ to }) => to.toLowerCase())}::text[], ${column(({ data }) => data.toLowerCase())}::text[],
      ${column(({ tag }) => tag ?? null)}::text[], ${column(({ valueWei = 0n }) => numeric(valueWei))}::numeric[],
      ${column(({ gasLimit }) => numeric(gasLimit))}::bigint[],
      ${column(({ leastGas }) => numeric(leastGas))}::bigint[]) with ordinality
      as new (id, chain_id, purpose, dedupe_key, ordering_key, to_address, data, tag, value_wei, gas_limit, least_gas,
        nth)
    order by nth
    on conflict (chain_id, dedupe_key) do nothing
    returning ${intentColumns(tx)}`
}

/** The intent, or null. */
export async function getIntent(db: Db, chainId: number, id: bigint): Promise<Intent | null> {
  const rows = await db<Intent[]>`
    select ${intentColumns(db)} from tx_intents where chain_id = ${chainId} and id = ${id.toString()}::bigint`
  return rows[0] ?? null
}

/** The intent stored under this dedupe key, or null. */
export async function getIntentByDedupeKey(db: Db, chainId: number, dedupeKey: string): Promise<Intent | null> {
  const rows = await db<Intent[]>`
    select ${intentColumns(db)} from tx_intents where chain_id = ${chainId} and dedupe_key = ${dedupeKey}`
  return rows[0] ?? null
}

/** Every signed form of the intent, oldest first; empty while it is queued. */
export async function listAttempts(db: Db, chainId: number, intentId: bigint): Promise<AttemptSummary[]> {
  return await db<AttemptSummary[]>`
    select hash, nonce, max_fee_wei as "maxFeeWei", signed_at as "signedAt" from tx_attempts
    where chain_id = ${chainId} and intent_id = ${intentId.toString()}::bigint order by signed_at, hash`
}

/** The newest intent of the ordering key with exactly this call that is not mined yet, or null. */
export async function findPendingIntent(
  db: Db,
  chainId: number,
  orderingKey: string,
  call: { readonly to: Hex; readonly data: Hex },
): Promise<Intent | null> {
  const rows = await db<Intent[]>`
    select ${intentColumns(db)} from tx_intents
    where chain_id = ${chainId} and ordering_key = ${orderingKey} and state in ('queued', 'signed', 'broadcast')
      and to_address = ${call.to.toLowerCase()} and data = ${call.data.toLowerCase()}
    order by id desc limit 1`
  return rows[0] ?? null
}

/** How many intents of the ordering key are not mined yet. */
export async function countPendingIntents(db: Db, chainId: number, orderingKey: string): Promise<number> {
  const [row] = await db<{ pending: number }[]>`
    select count(*)::int as pending from tx_intents
    where chain_id = ${chainId} and ordering_key = ${orderingKey} and state in ('queued', 'signed', 'broadcast')`
  return row?.pending ?? 0
}
