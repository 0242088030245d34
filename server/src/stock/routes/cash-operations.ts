import { cashOperationExample, cashOperationView, cashOperationViewSchema } from '../portfolio/cash.ts'
import { viewCashOperations } from '../portfolio/operation-lookup.ts'
import { type CashOperationRow, findCashOperations } from '../store.ts'
import type { OperationKind } from './operations.ts'

const cash = {
  schema: cashOperationViewSchema,
  find: findCashOperations,
  view: cashOperationView,
  viewEach: viewCashOperations,
}

const summaries = (name: string) => ({
  list: `Cash ${name}s that the calling key has recorded, newest first`,
  detail: `Cash ${name} detail; poll operationStatus until it is final`,
})

/** `/cash/deposits` (stock-api 2.4). */
export const cashDeposits: OperationKind<CashOperationRow> = {
  ...cash,
  path: '/api/v1/cash/deposits',
  name: 'deposit',
  type: 'deposit',
  kind: 'deposit',
  example: (context) => cashOperationExample(context, 'deposit'),
  summaries: summaries('deposit'),
}

/** `/cash/withdrawals` (stock-api 2.4). */
export const cashWithdrawals: OperationKind<CashOperationRow> = {
  ...cash,
  path: '/api/v1/cash/withdrawals',
  name: 'withdrawal',
  type: 'withdraw',
  kind: 'withdraw',
  example: (context) => cashOperationExample(context, 'withdraw'),
  summaries: summaries('withdrawal'),
}
