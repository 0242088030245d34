import type { Db, Tx } from '../../db/pool.ts'
import type { ChainBlock, Hex } from '../types.ts'

/** Channel of the hint sent with every change of the checkpoint; the payload is `<chain id>:<block number>`. */
export const BLOCKS_CHANNEL = 'chain_blocks'

/** A block by height and hash. */
export interface BlockRef {
  readonly number: bigint
  readonly hash: Hex
}

export interface Checkpoint {
  readonly genesisHash: Hex
  /** The block before the first one indexed. */
  readonly baseNumber: bigint
  readonly tip: BlockRef
  /** Newest block that can no longer be reorganised away. */
  readonly finalNumber: bigint
}

export async function loadCheckpoint(db: Db, chainId: number): Promise<Checkpoint | null> {
  const [row] = await db<
    { genesisHash: Hex; baseNumber: bigint; blockNumber: bigint; blockHash: Hex; finalNumber: bigint }[]
  >`
    select genesis_hash as "genesisHash", base_number as "baseNumber", block_number as "blockNumber",
           block_hash as "blockHash", final_number as "finalNumber"
    from chain_checkpoints where chain_id = ${chainId}`
  if (!row) return null
  const { genesisHash, baseNumber, finalNumber } = row
  return { genesisHash, baseNumber, finalNumber, tip: { number: row.blockNumber, hash: row.blockHash } }
}

/** Newest indexed block; null before the first: the base block is only what that links to, and a node may not serve its state. */
export async function loadIndexedTip(db: Db, chainId: number): Promise<BlockRef | null> {
  const checkpoint = await loadCheckpoint(db, chainId)
  return checkpoint && checkpoint.tip.number > checkpoint.baseNumber ? checkpoint.tip : null
}

export async function insertCheckpoint(tx: Tx, chainId: number, genesisHash: Hex, base: BlockRef): Promise<void> {
  await tx`
    insert into chain_checkpoints (chain_id, genesis_hash, base_number, block_number, block_hash, final_number)
    values (${chainId}, ${genesisHash}, ${base.number}, ${base.number}, ${base.hash}, ${base.number})`
}

/**
 * Moves the checkpoint if it still stands where the caller read it, and holds its row until the transaction ends: the
 * fence between a leader that lost its lock unknowingly and its successor. False when it stands elsewhere.
 */
export async function moveCheckpoint(
  tx: Tx,
  chainId: number,
  from: BlockRef,
  to: BlockRef,
  finalNumber: bigint,
): Promise<boolean> {
  const moved = await tx`
    update chain_checkpoints
    set block_number = ${to.number}, block_hash = ${to.hash}, final_number = greatest(final_number, ${finalNumber}),
        updated_at = now()
    where chain_id = ${chainId} and block_hash = ${from.hash}`
  return moved.count === 1
}

export async function insertBlocks(tx: Tx, chainId: number, blocks: readonly ChainBlock[]): Promise<void> {
  await tx`
    insert into blocks (chain_id, number, hash, parent_hash, timestamp_sec)
    select ${chainId}, * from unnest(
      ${blocks.map((block) => String(block.number))}::bigint[], ${blocks.map((block) => block.hash)}::text[],
      ${blocks.map((block) => block.parentHash)}::text[], ${blocks.map((block) => block.timestampSec)}::bigint[])`
}

export async function deleteBlocksAbove(tx: Tx, chainId: number, number: bigint): Promise<void> {
  await tx`delete from blocks where chain_id = ${chainId} and number > ${number}`
}

/** Hash of an indexed block; null where none is. */
export async function loadBlockHash(db: Db, chainId: number, number: bigint): Promise<Hex | null> {
  const [row] = await db<{ hash: Hex }[]>`
    select hash from blocks where chain_id = ${chainId} and number = ${number}`
  return row?.hash ?? null
}

/** Hashes of the indexed blocks from `number` up. */
export async function loadBlockHashesFrom(db: Db, chainId: number, number: bigint): Promise<Map<bigint, Hex>> {
  const rows = await db<{ number: bigint; hash: Hex }[]>`
    select number, hash from blocks where chain_id = ${chainId} and number >= ${number}`
  return new Map(rows.map((row) => [row.number, row.hash]))
}

/** What the triggers do with the changes of this transaction: see the migration of the undo log. */
export type BlockMode = 'record' | 'final' | 'undo'

/** Names the block whose changes follow in this transaction; without it the chain-derived tables refuse writes. */
export async function enterBlock(tx: Tx, chainId: number, number: bigint, mode: BlockMode): Promise<void> {
  await tx`select set_config('bourse.block', ${`${chainId}/${number}/${mode}`}, true)`
}

/**
 * Lets the commit of this transaction not wait for the disk. What a crash of the server takes back is in the chain and is indexed again;
 * and since the log is flushed in its order, nothing that builds on a block is kept without it.
 */
export async function flushLater(tx: Tx): Promise<void> {
  await tx`set local synchronous_commit = off`
}

export async function pruneUndoLog(tx: Tx, chainId: number, finalNumber: bigint): Promise<void> {
  await tx`delete from undo_log where chain_id = ${chainId} and block_number <= ${finalNumber}`
}

/** The hint for the other roles, delivered when the transaction commits. */
export async function notifyBlock(tx: Tx, chainId: number, number: bigint): Promise<void> {
  await tx`select pg_notify(${BLOCKS_CHANNEL}, ${`${chainId}:${number}`})`
}
