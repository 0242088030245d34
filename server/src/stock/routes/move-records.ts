import Type, { type Static } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import type { Caller } from '../../http/caller.ts'
import { hashSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope, type OperationType } from '../recording/claim-types.ts'
import { listMappings, type MappingRow, mappingOfOperation } from '../recording/mapping-store.ts'
import { pageOf, type pageQuerySchema } from '../schemas.ts'

// How deposits and withdrawals, of cash and of stock, are listed and found.

interface ListRequest {
  readonly query: Static<typeof pageQuerySchema>
  readonly caller: Caller
}

/** A page of what the calling key has recorded of a type, newest first (stock-api 1.4). */
export async function listMoves<View>(
  context: StockContext,
  { query, caller }: ListRequest,
  type: OperationType,
  viewEach: (context: StockContext, mappings: readonly MappingRow[]) => Promise<View[]>,
) {
  const { total, rows } = await listMappings(context.venue.sql, mappingScope(context, caller, type), pageOf(query))
  return { total, rows: await viewEach(context, rows) }
}

export const moveParams = Type.Object({ operationId: hashSchema('an operation id') })

export const MOVE_DESCRIPTION =
  'Operations are public on chain: mapping is null when the calling key has not recorded this one.'

interface DetailRequest {
  readonly params: Static<typeof moveParams>
  readonly caller: Caller
}

interface MoveKind<Row> {
  readonly type: OperationType
  readonly kind: 'deposit' | 'withdraw'
  /** Its name in messages. */
  readonly name: string
  find(sql: Sql, chainId: number, ids: readonly Hex[]): Promise<readonly Row[]>
}

/** One move with the calling key's mapping to it. Throws `operation_not_found`. */
export async function findMove<Row extends { readonly kind: string; readonly createTxHash: Hex }>(
  context: StockContext,
  { params, caller }: DetailRequest,
  { type, kind, name, find }: MoveKind<Row>,
) {
  const { sql } = context.venue
  const id = params.operationId.toLowerCase() as Hex
  const [move] = await find(sql, context.chainId, [id])
  if (move?.kind !== kind) throw new AppError(stockReasons.operation_not_found, `no ${name} ${id} is indexed`)
  const mapping = await mappingOfOperation(sql, mappingScope(context, caller, type), move.createTxHash, id)
  return { move, mapping }
}
