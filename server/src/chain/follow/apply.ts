import { inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import { isTransientDatabaseError } from '../../db/transient.ts'
import { allEnded } from '../../lib/turns.ts'
import type { ChainBlock, ChainTransaction, Hex } from '../types.ts'
import { type CompiledModule, decodeLog } from './decode.ts'
import type { BlockEvents, ChainEvent } from './event-module.ts'
import { ModuleError, StaleCheckpointError } from './failures.ts'
import type { FetchedBlock } from './fetch.ts'
import {
  type BlockRef,
  deleteBlocksAbove,
  enterBlock,
  flushLater,
  insertBlocks,
  moveCheckpoint,
  notifyBlock,
  pruneUndoLog,
} from './store.ts'
import { type UndoTable, undoAbove } from './undo.ts'

export interface ApplyContext {
  readonly sql: Sql
  readonly chainId: number
  readonly modules: readonly CompiledModule[]
  readonly tables: readonly UndoTable[]
}

/**
 * Applies linked blocks on top of `tip` in one transaction: checkpoint, block rows, every module, undo rows, hint. A
 * module is called only for blocks that hold one of its events or transactions. Throws `StaleCheckpointError` when the
 * checkpoint does not stand at `tip`, and `ModuleError`; in every case nothing has changed.
 */
export async function applyBlocks(
  context: ApplyContext,
  tip: BlockRef,
  blocks: readonly FetchedBlock[],
  finalNumber: bigint,
): Promise<BlockRef> {
  const last = blocks.at(-1)?.block
  if (!last) return tip
  const finalOfThese = finalNumber < last.number ? finalNumber : last.number
  const next = { number: last.number, hash: last.hash }
  await inTransaction(context.sql, async (tx) => {
    // Sent together, and with what the first module reads.
    const begun = [
      flushLater(tx),
      advance(tx, context.chainId, tip, next, finalOfThese),
      insertBlocks(
        tx,
        context.chainId,
        blocks.map(({ block }) => block),
      ),
      pruneUndoLog(tx, context.chainId, finalOfThese),
      notifyBlock(tx, context.chainId, next.number),
    ]
    const applied = applyAll(tx, context, blocks, finalNumber)
    // Where the checkpoint stands elsewhere, that is what is wrong, and not that a block is there already or what follows from it.
    await allEnded([...begun, applied])
  })
  return next
}

async function applyAll(
  tx: Tx,
  context: ApplyContext,
  blocks: readonly FetchedBlock[],
  finalNumber: bigint,
): Promise<void> {
  for (const together of appliedTogether(blocks, finalNumber)) await applyTogether(tx, context, together, finalNumber)
}

async function advance(tx: Tx, chainId: number, from: BlockRef, to: BlockRef, finalNumber: bigint): Promise<void> {
  if (await moveCheckpoint(tx, chainId, from, to, finalNumber)) return
  throw new StaleCheckpointError(`the checkpoint of chain ${chainId} no longer stands at block ${from.number}`)
}

/**
 * Blocks that are final are applied together, since nothing takes them back; the undo log names the block of each change of the others.
 */
function appliedTogether(blocks: readonly FetchedBlock[], finalNumber: bigint): readonly (readonly FetchedBlock[])[] {
  const busy = blocks.filter(({ transactions }) => transactions.length > 0)
  const final = busy.filter(({ block }) => block.number <= finalNumber)
  return [...(final.length > 0 ? [final] : []), ...busy.slice(final.length).map((fetched) => [fetched])]
}

async function applyTogether(
  tx: Tx,
  context: ApplyContext,
  blocks: readonly FetchedBlock[],
  finalNumber: bigint,
): Promise<void> {
  const { block: first } = blocks[0] as FetchedBlock
  const entered = enterBlock(tx, context.chainId, first.number, first.number <= finalNumber ? 'final' : 'record')
  await allEnded([entered, applyModules(tx, context, blocks, first)])
}

async function applyModules(
  tx: Tx,
  context: ApplyContext,
  blocks: readonly FetchedBlock[],
  first: ChainBlock,
): Promise<void> {
  for (const compiled of context.modules) {
    try {
      const own = blocks.map((fetched) => contentOf(compiled, fetched)).filter(isNotEmpty)
      if (own.length > 0) await compiled.module.apply(tx, own)
    } catch (error) {
      if (isTransientDatabaseError(error)) throw error
      throw new ModuleError(compiled.module.name, first.number, first.hash, error)
    }
  }
}

const isNotEmpty = ({ transactions }: BlockEvents): boolean => transactions.length > 0

/** The part of a block that concerns one module: its events, and the transactions sent to or logged by its sources. */
function contentOf(compiled: CompiledModule, { block, logs, transactions }: FetchedBlock): BlockEvents {
  const isSource = (address: Hex) =>
    compiled.sources.has(address) && (compiled.since.get(address) ?? 0n) <= block.number
  const own = logs.filter((log) => isSource(log.address))
  const logged = new Set(own.map((log) => log.transactionHash))
  const events: ChainEvent[] = []
  for (const log of own) {
    const decoded = decodeLog(compiled, log)
    if (!decoded) continue
    const { address, logIndex, indexInTransaction, transactionHash } = log
    events.push({ ...decoded, address, logIndex, indexInTransaction, transactionHash })
  }
  const touches = (tx: ChainTransaction) => logged.has(tx.hash) || (tx.to !== null && isSource(tx.to))
  return { block, events, transactions: transactions.filter(touches) }
}

/** Below every block: the newest final block stays what it is. */
const NO_BLOCK = -1n

/** Takes back every block above `ancestor` in one transaction. Throws `StaleCheckpointError` like `applyBlocks`. */
export async function undoBlocks(context: ApplyContext, tip: BlockRef, ancestor: BlockRef): Promise<void> {
  const { sql, chainId, tables } = context
  await inTransaction(sql, async (tx) => {
    await advance(tx, chainId, tip, ancestor, NO_BLOCK)
    await undoAbove(tx, chainId, tables, ancestor.number)
    await deleteBlocksAbove(tx, chainId, ancestor.number)
    await notifyBlock(tx, chainId, ancestor.number)
  })
}

/** Records that the tip's chain is final up to `finalNumber`, where no new block says so. */
export async function finalise(context: ApplyContext, tip: BlockRef, finalNumber: bigint): Promise<void> {
  await inTransaction(context.sql, async (tx) => {
    await advance(tx, context.chainId, tip, tip, finalNumber)
    await pruneUndoLog(tx, context.chainId, finalNumber)
  })
}
