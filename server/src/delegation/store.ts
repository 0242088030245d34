import type { ChainEvent } from '../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../chain/types.ts'
import { type Db, numeric } from '../db/pool.ts'

/** The newest state of a user's delegation that the indexer has seen. */
export interface DelegationRow {
  /** Null when nobody may act as the user. */
  readonly delegatee: Hex | null
  readonly nextNonce: bigint
  readonly changedTxHash: Hex
  readonly changedAtSec: bigint
}

/** Writes what an event of a OneClickRouter says of a user. */
export async function upsertDelegation(
  tx: Db,
  block: ChainBlock,
  event: ChainEvent,
  row: { readonly userAddress: Hex; readonly delegatee: Hex | null; readonly nextNonce: bigint },
): Promise<void> {
  await tx`
    insert into delegations (chain_id, router, user_address, delegatee, next_nonce, changed_tx_hash, changed_at_sec)
    values (${block.chainId}, ${event.address}, ${row.userAddress}, ${row.delegatee}, ${numeric(row.nextNonce)}::numeric,
      ${event.transactionHash}, ${block.timestampSec})
    on conflict (chain_id, router, user_address) do update set delegatee = excluded.delegatee,
      next_nonce = excluded.next_nonce, changed_tx_hash = excluded.changed_tx_hash,
      changed_at_sec = excluded.changed_at_sec`
}

/** The newest change of the user's delegation that is indexed; null before the first one. */
export async function findDelegation(db: Db, chainId: number, router: Hex, user: Hex): Promise<DelegationRow | null> {
  const rows = await db<DelegationRow[]>`
    select delegatee, next_nonce as "nextNonce", changed_tx_hash as "changedTxHash", changed_at_sec as "changedAtSec"
    from delegations where chain_id = ${chainId} and router = ${router} and user_address = ${user}`
  return rows[0] ?? null
}
