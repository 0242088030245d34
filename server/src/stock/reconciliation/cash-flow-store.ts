import type { BlockRef } from '../../chain/follow/store.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { CashFlow } from './cash-flow.ts'

/** What is known of the Cashier's balance beside deposits and withdrawals. */
export async function cashFlows(db: Db, chainId: number): Promise<CashFlow[]> {
  const rows = await db<(Omit<CashFlow, 'block'> & BlockRef)[]>`
    select token, block_number as number, block_hash as hash, settled_raw as "settledRaw",
      collected_raw as "collectedRaw", operator_raw as "operatorRaw"
    from reconciliation_cash where chain_id = ${chainId} order by token`
  return rows.map(({ number, hash, ...flow }) => ({ ...flow, block: { number, hash } }))
}

/** Goes on from these flows at the next reading. */
export async function writeCashFlows(tx: Tx, chainId: number, flows: readonly CashFlow[]): Promise<void> {
  for (const { token, block, settledRaw, collectedRaw, operatorRaw } of flows) {
    await tx`
      insert into reconciliation_cash
        (chain_id, token, block_number, block_hash, settled_raw, collected_raw, operator_raw)
      values (${chainId}, ${token}, ${block.number.toString()}::bigint, ${block.hash}, ${numeric(settledRaw)},
        ${numeric(collectedRaw)}, ${numeric(operatorRaw)})
      on conflict (chain_id, token) do update set block_number = excluded.block_number, block_hash = excluded.block_hash,
        settled_raw = excluded.settled_raw, collected_raw = excluded.collected_raw, operator_raw = excluded.operator_raw`
  }
}
