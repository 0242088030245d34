import type { Db } from '../../db/pool.ts'
import type { Hex } from '../types.ts'

/** One signer of the relayer, for /status. */
export interface SignerStatus {
  readonly address: Hex
  readonly purposes: readonly string[]
  /** As last read from the chain; null before the first read. */
  readonly balanceWei: bigint | null
  /** The next nonce the chain takes. */
  readonly chainNonce: bigint | null
  /** Signed and not yet mined. */
  readonly inFlight: number
  /** Age of the oldest transaction in flight, from the intent's insertion; null when there is none. */
  readonly oldestPendingAgeMs: number | null
  /** `first_count`, `low_balance`, `rpc_unavailable`, `paused_by_operator` or `database_behind_chain` while nothing new is sent. */
  readonly stoppedReason: string | null
  /** Time since a worker last reported: long when no process works for this signer. */
  readonly seenAgeMs: number
  /** True once that is longer than a worker at work ever takes, unless the signer is retired. */
  readonly silent: boolean
  /** Retired by an operator: shown for as long as it has something in flight. */
  readonly retired: boolean
}

/** Intents that wait for their turn, by purpose. */
export interface QueueStatus {
  readonly purpose: string
  readonly queued: number
  readonly oldestAgeMs: number
  /** False when no signer that lately reported may send this purpose: the intents wait until one is configured. */
  readonly bound: boolean
}

export interface RelayerStatus {
  readonly signers: readonly SignerStatus[]
  readonly queues: readonly QueueStatus[]
}

/** A worker reports at least every ten seconds: one that has been silent for this long counts as absent. */
export const SILENT_SIGNER_MS = 30_000

/** How the relayer stands, from its tables alone, so that any role can show it. */
export async function relayerStatus(db: Db, chainId: number): Promise<RelayerStatus> {
  const signers = await db<SignerStatus[]>`
    select s.address, s.purposes, s.balance_wei as "balanceWei", s.chain_nonce as "chainNonce",
      case when s.retired_at is null then s.stopped_reason end as "stoppedReason", s.retired_at is not null as retired, count(i.id)::int as "inFlight",
      (extract(epoch from clock_timestamp() - min(i.created_at)) * 1000)::float8 as "oldestPendingAgeMs",
      (extract(epoch from clock_timestamp() - s.seen_at) * 1000)::float8 as "seenAgeMs",
      s.retired_at is null and s.seen_at <= clock_timestamp() - ${SILENT_SIGNER_MS} * interval '1 millisecond' as silent
    from tx_signers s left join tx_intents i
      on i.chain_id = s.chain_id and i.signer = s.address and i.state in ('signed', 'broadcast')
    where s.chain_id = ${chainId}
    group by s.chain_id, s.address having s.retired_at is null or count(i.id) > 0 order by s.address`
  const queues = await db<QueueStatus[]>`
    select i.purpose, count(*)::int as queued,
      (extract(epoch from clock_timestamp() - min(i.created_at)) * 1000)::float8 as "oldestAgeMs",
      exists (select 1 from tx_signers s where s.chain_id = ${chainId} and i.purpose = any(s.purposes) and s.retired_at is null
        and s.seen_at > clock_timestamp() - ${SILENT_SIGNER_MS} * interval '1 millisecond') as bound
    from tx_intents i where i.chain_id = ${chainId} and i.state = 'queued' group by i.purpose order by i.purpose`
  return { signers: [...signers], queues: [...queues] }
}

/** Every address that may send this purpose, the one that reported last first; any will do to simulate a call. */
export async function signersFor(db: Db, chainId: number, purpose: string): Promise<Hex[]> {
  const rows = await db<{ address: Hex }[]>`
    select address from tx_signers where chain_id = ${chainId} and ${purpose} = any(purposes) and retired_at is null
    order by seen_at desc, address`
  return rows.map((row) => row.address)
}

/** Every address that has ever sent this purpose, also those that are retired: what they hold is not a user's. */
export async function signersEver(db: Db, chainId: number, purpose: string): Promise<Hex[]> {
  const rows = await db<{ address: Hex }[]>`
    select address from tx_signers where chain_id = ${chainId} and ${purpose} = any(purposes) order by address`
  return rows.map((row) => row.address)
}
