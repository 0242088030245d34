import Type, { type TSchema } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { defineRoute } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope } from '../recording/lookups.ts'
import { recordedMapping, txHashBody } from '../recording/recording.ts'
import { hashSchema, mappingSchema, pagedSchema, pageOf, pageQuerySchema } from '../schemas.ts'
import { listMappings, type MappingRow, mappingOfOperation, type OperationType } from '../store.ts'

/** What the endpoints of one kind of operation have of their own; deposits and withdrawals mirror each other. */
export interface OperationKind<Row> {
  readonly path: string
  /** For the words of messages and of the reference. */
  readonly name: string
  readonly type: OperationType
  readonly kind: 'deposit' | 'withdraw'
  readonly summaries: { readonly list: string; readonly detail: string }
  readonly schema: TSchema
  find(sql: Sql, chainId: number, ids: readonly Hex[]): Promise<readonly Row[]>
  view(operation: Row, mapping: MappingRow | null, productType: string): unknown
  viewEach(context: StockContext, mappings: readonly MappingRow[]): Promise<unknown>
}

/** POST …/tx: records a self-submitted transaction (seed 4A). Errors: as `recordTransaction`. */
export const postOperationTx = <Row>(context: StockContext, { path, name, type }: OperationKind<Row>) =>
  defineRoute({
    method: 'POST',
    path: `${path}/tx`,
    summary: `Record a self-submitted ${name} transaction for the calling key`,
    access: 'WRITABLE',
    schema: { body: txHashBody, data: mappingSchema },
    handler: (request) => recordedMapping(context, request, type, request.body.txHash),
  })

/** GET …: the calling key's operations, newest first (stock-api 1.4). */
export const listOperations = <Row>(context: StockContext, operations: OperationKind<Row>) =>
  defineRoute({
    method: 'GET',
    path: operations.path,
    summary: operations.summaries.list,
    access: 'READ_ONLY',
    schema: { query: pageQuerySchema, data: pagedSchema(operations.schema) },
    async handler({ query, caller }) {
      const scope = mappingScope(context, caller, operations.type)
      const { total, rows } = await listMappings(context.venue.sql, scope, pageOf(query))
      return { total, rows: await operations.viewEach(context, rows) }
    },
  })

/** GET …/{operationId}: one operation; `mapping` is null when the calling key has not recorded it. Errors: `operation_not_found`. */
export const getOperation = <Row extends { readonly kind: string; readonly createTxHash: Hex }>(
  context: StockContext,
  { path, name, type, kind, summaries, schema, find, view }: OperationKind<Row>,
) =>
  defineRoute({
    method: 'GET',
    path: `${path}/:operationId`,
    summary: summaries.detail,
    access: 'READ_ONLY',
    schema: { params: Type.Object({ operationId: hashSchema('an operation id') }), data: schema },
    async handler({ params, caller }) {
      const { sql } = context.venue
      const id = params.operationId.toLowerCase() as Hex
      const [operation] = await find(sql, context.chainId, [id])
      if (operation?.kind !== kind) throw new AppError(stockReasons.operation_not_found, `no ${name} ${id} is indexed`)
      const mapping = await mappingOfOperation(sql, mappingScope(context, caller, type), operation.createTxHash, id)
      return view(operation, mapping, context.productType)
    },
  })
