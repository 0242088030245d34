import { type BlockRef, loadIndexedTip } from '../../src/chain/follow/store.ts'
import type { ChainBlock, Hex } from '../../src/chain/types.ts'
import type { Db, Tx } from '../../src/db/pool.ts'

// All SQL of the till.

export interface Receipt {
  readonly txHash: Hex
  readonly logIndex: number
  readonly payer: Hex
  readonly amountRaw: bigint
}

export interface Total {
  readonly amountRaw: bigint
  readonly blockNumber: bigint
  readonly blockTimeSec: bigint
  readonly changes: bigint
}

export async function insertReceipt(tx: Tx, block: ChainBlock, receipt: Receipt): Promise<void> {
  const { txHash, logIndex, payer, amountRaw } = receipt
  await tx`
    insert into till_receipts (chain_id, tx_hash, log_index, payer, amount_raw, block_number, block_time_sec)
    values (${block.chainId}, ${txHash}, ${logIndex}, ${payer}, ${amountRaw}, ${block.number}, ${block.timestampSec})`
}

/** Brings the total to the receipts; tells those who follow it when it has changed. */
export async function countReceipts(db: Db, chainId: number): Promise<void> {
  const rows = await db`
    insert into till_totals as t (chain_id, amount_raw, block_number, block_time_sec, changes)
    select ${chainId}, sum(amount_raw), max(block_number), max(block_time_sec), 1
    from till_receipts where chain_id = ${chainId} having count(*) > 0
    on conflict (chain_id) do update set amount_raw = excluded.amount_raw, block_number = excluded.block_number,
      block_time_sec = excluded.block_time_sec, changes = t.changes + 1
    where t.amount_raw <> excluded.amount_raw
    returning 1`
  if (rows.length > 0) await db`select pg_notify('till_totals', '')`
}

export async function findTotal(db: Db, chainId: number): Promise<Total | null> {
  const rows = await db<Total[]>`
    select amount_raw as "amountRaw", block_number as "blockNumber", block_time_sec as "blockTimeSec", changes
    from till_totals where chain_id = ${chainId}`
  return rows[0] ?? null
}

export interface TillBooks {
  readonly block: BlockRef
  readonly receivedRaw: bigint
}

/** All receipts as of the block that is indexed, in a transaction that sees one snapshot; null before the first block. */
export async function loadBooks(tx: Tx, chainId: number): Promise<TillBooks | null> {
  const block = await loadIndexedTip(tx, chainId)
  if (block === null) return null
  const [row] = await tx<{ receivedRaw: bigint }[]>`
    select coalesce(sum(amount_raw), 0) as "receivedRaw" from till_receipts where chain_id = ${chainId}`
  return { block, receivedRaw: row?.receivedRaw ?? 0n }
}

export async function insertNote(db: Db, apiKeyId: string, note: string): Promise<string> {
  const [row] = await db<{ id: bigint }[]>`
    insert into till_notes (api_key_id, note) values (${apiKeyId}, ${note}) returning id`
  return String(row?.id)
}

export async function insertRefund(db: Db, wallet: Hex, amountRaw: bigint): Promise<string> {
  const [row] = await db<{ id: bigint }[]>`
    insert into till_refunds (wallet, amount_raw) values (${wallet}, ${amountRaw}) returning id`
  return String(row?.id)
}

export async function countNotes(db: Db): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*)::int as count from till_notes`
  return row?.count ?? 0
}
