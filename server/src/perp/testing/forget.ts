import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'

const OF_INTENT = ['perp_sends', 'submissions', 'tx_attempts']

/**
 * Makes the tables forget a mined send as a restored copy has, once an operator has let sending go on (docs/runbooks/restore.md): the
 * chain has its transaction, and no intent accounts for it. A kept order that it was of is open again, and so is the one that it is linked
 * with.
 */
export async function forgetSend(sql: Sql, txHash: Hex): Promise<void> {
  await sql.begin(async (tx) => {
    const [intent] = await tx<{ id: bigint }[]>`select id from tx_intents where tx_hash = ${txHash}`
    const id = String(intent?.id)
    await tx`
      update tx_signers s set accounted_nonce = i.nonce + 1 from tx_intents i
      where i.id = ${id}::bigint and s.address = i.signer`
    await tx`
      insert into tx_unaccounted (chain_id, hash, signer, nonce, to_address, data, value_wei, block_number)
      select chain_id, tx_hash, signer, nonce, to_address, data, value_wei, block_number from tx_intents
      where id = ${id}::bigint
      on conflict (chain_id, hash) do update set intent_id = null`
    await tx`
      update perp_kept_orders o set state = 'open', reason = null, message = null, ended_at = null from perp_kept_orders k
      where k.intent_id = ${id}::bigint and o.link_id = k.link_id and o.reason = 'linked_order_sent'`
    await tx`
      update perp_kept_orders set state = 'open', ended_at = null, intent_id = null, mark_wad = null, trades_wad = null
      where intent_id = ${id}::bigint`
    for (const table of OF_INTENT) await tx`delete from ${tx(table)} where intent_id = ${id}::bigint`
    await tx`delete from tx_intents where id = ${id}::bigint`
    await tx`delete from idempotency_records`
  })
}
