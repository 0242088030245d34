import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import type { StockContext } from '../context.ts'
import { found, operationIds } from '../recording/mapping.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import { findCashOperations } from '../store.ts'
import { cashOperationView } from './cash.ts'
import { findStockOperations } from './stock-operation-store.ts'
import { stockOperationView } from './stock-operations.ts'

/** One view for each mapping, in order, with the cash operation it leads to when that is indexed. */
export const viewCashOperations = (context: StockContext, mappings: readonly MappingRow[]) =>
  viewOperations(context, mappings, findCashOperations, cashOperationView)

/** One view for each mapping, in order, with the stock operation it leads to when that is indexed. */
export const viewStockOperations = (context: StockContext, mappings: readonly MappingRow[]) =>
  viewOperations(context, mappings, findStockOperations, stockOperationView)

async function viewOperations<Row extends { readonly operationId: Hex }, View>(
  { venue, chainId, productType }: StockContext,
  mappings: readonly MappingRow[],
  find: (sql: Sql, chainId: number, ids: readonly Hex[]) => Promise<readonly Row[]>,
  view: (operation: Row | null, mapping: MappingRow, productType: string) => View,
): Promise<View[]> {
  const ids = operationIds(mappings)
  const operations = ids.length === 0 ? [] : await find(venue.sql, chainId, ids)
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
  return mappings.map((mapping) => view(found(byId, mapping), mapping, productType))
}
