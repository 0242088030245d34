import type { IntentState } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'

// Sends for wallets: written by the role api alone, what became of them by the relayer.

export interface NewSend {
  readonly sendId: string
  readonly chainId: number
  readonly intentId: bigint
  readonly apiKeyId: string
  readonly userAddress: Hex
  readonly action: string
  readonly sentOids: readonly string[]
  readonly missingOids: readonly string[]
}

export async function insertSend(tx: Tx, send: NewSend): Promise<void> {
  await tx`
    insert into perp_sends (send_id, chain_id, intent_id, api_key_id, user_address, action, sent_oids, missing_oids)
    values (${send.sendId}, ${send.chainId}, ${send.intentId.toString()}::bigint, ${send.apiKeyId}, ${send.userAddress},
      ${send.action}, ${send.sentOids as string[]}, ${send.missingOids as string[]})`
}

/** A send with what became of it. */
export interface SendRow {
  readonly sendId: string
  readonly state: IntentState
  readonly outcome: 'succeeded' | 'reverted' | null
  /** The mined hash, until then the newest attempt's; null until there is one. */
  readonly txHash: Hex | null
  readonly revertData: Hex | null
  readonly problem: string | null
  readonly sentOids: readonly string[]
  readonly missingOids: readonly string[]
}

/** The sends of these ids. */
export async function findSends(db: Db, sendIds: readonly string[]): Promise<SendRow[]> {
  return await db<SendRow[]>`
    select s.send_id as "sendId", i.state, i.outcome, coalesce(i.tx_hash, newest.hash) as "txHash",
      i.revert_data as "revertData", i.problem, s.sent_oids as "sentOids", s.missing_oids as "missingOids"
    from perp_sends s
    join tx_intents i on i.chain_id = s.chain_id and i.id = s.intent_id
    left join lateral (
      select a.hash from tx_attempts a
      where a.chain_id = s.chain_id and a.intent_id = s.intent_id and not a.released
      order by a.signed_at desc, a.max_fee_wei desc limit 1
    ) newest on i.tx_hash is null
    where s.send_id = any(${sendIds as string[]}::uuid[])`
}
