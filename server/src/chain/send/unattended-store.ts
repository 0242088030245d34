import type { Db } from '../../db/pool.ts'
import type { Hex } from '../types.ts'
import { countsInPause, isAbsent } from './accounting-store.ts'

/** A signer for which no process works and that somebody has to look after. */
export interface Unattended {
  readonly address: Hex
  readonly isRetired: boolean
  /** The database stands behind the chain, and what the signer sent has to be told. */
  readonly isAsked: boolean
}

/**
 * Retired signers with intents that are neither final nor failed; while the database stands behind the chain also every signer that
 * does not tell by itself what it may have sent.
 */
export async function unattendedSigners(db: Db, chainId: number): Promise<Unattended[]> {
  return await db<Unattended[]>`
    select * from (
      select s.address, s.retired_at is not null as "isRetired",
        exists (select from tx_pauses p where p.chain_id = s.chain_id and p.reason = 'database_behind_chain')
          and ${countsInPause(db)} and (s.retired_at is not null or s.pending_nonce is null or ${isAbsent(db)}) as "isAsked",
        s.retired_at is not null and exists (select from tx_intents i
          where i.chain_id = s.chain_id and i.signer = s.address and i.state in ('signed', 'broadcast', 'mined')) as "isAtWork"
      from tx_signers s where s.chain_id = ${chainId}) u
    where "isAsked" or "isAtWork" order by address`
}
