import Type, { type TSchema } from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { defineRoute } from '../../http/product.ts'
import { hashSchema, pagedSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { OPERATION_ID } from '../examples.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope, type OperationType } from '../recording/claim-types.ts'
import { mappingExample } from '../recording/mapping.ts'
import { listMappings, type MappingRow, mappingOfOperation } from '../recording/mapping-store.ts'
import { RECORDING_REASONS, recordedMapping, txHashBody, txHashExamples } from '../recording/recording.ts'
import { mappingSchema, pageOf, pageQuerySchema } from '../schemas.ts'

/** What distinguishes the endpoints of one kind of operation; deposits and withdrawals mirror each other. */
export interface OperationKind<Row> {
  readonly path: string
  /** Its name in messages and in the reference. */
  readonly name: string
  readonly type: OperationType
  readonly kind: 'deposit' | 'withdraw'
  readonly summaries: { readonly list: string; readonly detail: string }
  readonly schema: TSchema
  /** A view that `schema` admits, for the reference. */
  example(context: StockContext): unknown
  find(sql: Sql, chainId: number, ids: readonly Hex[]): Promise<readonly Row[]>
  view(operation: Row, mapping: MappingRow | null, productType: string): unknown
  viewEach(context: StockContext, mappings: readonly MappingRow[]): Promise<unknown>
}

/** POST …/tx: records a self-submitted transaction (seed 4A). */
export const postOperationTx = <Row>(context: StockContext, { path, name, type, kind }: OperationKind<Row>) =>
  defineRoute({
    method: 'POST',
    path: `${path}/tx`,
    summary: `Record a self-submitted ${name} transaction for the calling key`,
    access: 'WRITABLE',
    schema: { body: txHashBody, data: mappingSchema },
    reasons: RECORDING_REASONS,
    examples: { bodies: txHashExamples, data: mappingExample(context, kind) },
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
    examples: { query: { page: 1, limit: 10 }, data: { total: 1, rows: [operations.example(context)] } },
    async handler({ query, caller }) {
      const scope = mappingScope(context, caller, operations.type)
      const { total, rows } = await listMappings(context.venue.sql, scope, pageOf(query))
      return { total, rows: await operations.viewEach(context, rows) }
    },
  })

/** GET …/{operationId}: one operation. */
export const getOperation = <Row extends { readonly kind: string; readonly createTxHash: Hex }>(
  context: StockContext,
  { path, name, type, kind, summaries, schema, example, find, view }: OperationKind<Row>,
) =>
  defineRoute({
    method: 'GET',
    path: `${path}/:operationId`,
    summary: summaries.detail,
    access: 'READ_ONLY',
    schema: { params: Type.Object({ operationId: hashSchema('an operation id') }), data: schema },
    description: 'Operations are public on chain: mapping is null when the calling key has not recorded this one.',
    reasons: [stockReasons.operation_not_found],
    examples: { params: { operationId: OPERATION_ID }, data: example(context) },
    async handler({ params, caller }) {
      const { sql } = context.venue
      const id = params.operationId.toLowerCase() as Hex
      const [operation] = await find(sql, context.chainId, [id])
      if (operation?.kind !== kind) throw new AppError(stockReasons.operation_not_found, `no ${name} ${id} is indexed`)
      const mapping = await mappingOfOperation(sql, mappingScope(context, caller, type), operation.createTxHash, id)
      return view(operation, mapping, context.productType)
    },
  })
