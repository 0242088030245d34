import { viewStockOperations } from '../portfolio/operation-lookup.ts'
import { findStockOperations, type StockOperationRow } from '../portfolio/stock-operation-store.ts'
import { stockOperationExample, stockOperationView, stockOperationViewSchema } from '../portfolio/stock-operations.ts'
import type { OperationKind } from './operations.ts'

const stock = {
  schema: stockOperationViewSchema,
  find: findStockOperations,
  view: stockOperationView,
  viewEach: viewStockOperations,
}

const summaries = (name: string) => ({
  list: `Stock ${name}s that the calling key has recorded, newest first`,
  detail: `Stock ${name} detail`,
})

/** `/stock/deposits` (stock-api 2.5). */
export const stockDeposits: OperationKind<StockOperationRow> = {
  ...stock,
  path: '/api/v1/stock/deposits',
  name: 'stock deposit',
  type: 'stock_deposit',
  kind: 'deposit',
  example: (context) => stockOperationExample(context, 'deposit'),
  summaries: summaries('deposit'),
}

/** `/stock/withdrawals` (stock-api 2.5). */
export const stockWithdrawals: OperationKind<StockOperationRow> = {
  ...stock,
  path: '/api/v1/stock/withdrawals',
  name: 'stock withdrawal',
  type: 'stock_withdraw',
  kind: 'withdraw',
  example: (context) => stockOperationExample(context, 'withdraw'),
  summaries: summaries('withdrawal'),
}
