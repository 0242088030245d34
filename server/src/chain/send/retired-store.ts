import type { Db, Tx } from '../../db/pool.ts'
import type { Hex } from '../types.ts'
import { isAbsent } from './accounting-store.ts'
import { type Lane, SIGNER_RETIRED } from './store.ts'

/** A signer as whoever retires it has to know it. */
export interface RetirableSigner {
  readonly isRetired: boolean
  readonly seenAgeMs: number
  /** Signed and not yet mined. */
  readonly inFlight: number
}

export async function findRetirable(db: Db, { chainId, signer }: Lane): Promise<RetirableSigner | null> {
  const [row] = await db<RetirableSigner[]>`
    select s.retired_at is not null as "isRetired",
      (extract(epoch from clock_timestamp() - s.seen_at) * 1000)::float8 as "seenAgeMs",
      (select count(*)::int from tx_intents i where i.chain_id = s.chain_id and i.signer = s.address
        and i.state in ('signed', 'broadcast')) as "inFlight"
    from tx_signers s where s.chain_id = ${chainId} and s.address = ${signer}`
  return row ?? null
}

/**
 * Whether another signer works that has compared all of them with the chain (`behindSigners`) and either found the database whole or
 * paused sending. Before, nobody knows what this one has sent, and once it is retired nobody would ask.
 */
export async function isComparedWithChain(db: Db, { chainId, signer }: Lane): Promise<boolean> {
  const [row] = await db`
    select from tx_signers s
    where s.chain_id = ${chainId} and s.address <> ${signer} and s.retired_at is null and s.compared
      and not ${isAbsent(db)} and (coalesce(s.stopped_reason in ('low_balance', 'paused_by_operator'), true) or exists (
        select from tx_pauses p where p.chain_id = s.chain_id and p.reason = 'database_behind_chain'))
    limit 1`
  return row !== undefined
}

/** Retires the signer. What is queued for it alone only fills gaps among its nonces, and ends unsent. */
export async function retireSigner(tx: Tx, { chainId, signer }: Lane): Promise<void> {
  await tx`
    update tx_signers set retired_at = clock_timestamp() where chain_id = ${chainId} and address = ${signer}`
  await tx`
    update tx_intents set state = 'rejected', state_at = clock_timestamp(), problem = ${SIGNER_RETIRED}
    where chain_id = ${chainId} and signer = ${signer} and state = 'queued'`
}

export async function reinstateSigner(tx: Tx, { chainId, signer }: Lane): Promise<void> {
  await tx`update tx_signers set retired_at = null where chain_id = ${chainId} and address = ${signer}`
}

export async function isRetired(db: Db, { chainId, signer }: Lane): Promise<boolean> {
  const [row] = await db`
    select from tx_signers where chain_id = ${chainId} and address = ${signer} and retired_at is not null`
  return row !== undefined
}

/** A transaction of a retired signer that is signed and not yet mined. */
export interface LeftTransaction {
  readonly id: bigint
  readonly purpose: string
  readonly signer: Hex
  readonly nonce: bigint
}

export async function leftTransactions(db: Db, chainId: number): Promise<LeftTransaction[]> {
  return await db<LeftTransaction[]>`
    select i.id, i.purpose, i.signer, i.nonce from tx_signers s
    join tx_intents i on i.chain_id = s.chain_id and i.signer = s.address and i.state in ('signed', 'broadcast')
    where s.chain_id = ${chainId} and s.retired_at is not null order by i.signer, i.nonce`
}
