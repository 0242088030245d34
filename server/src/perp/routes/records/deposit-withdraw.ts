import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { movementExample, movementSchema } from '../../portfolio/ledger-view.ts'
import { pageQuery, pageSchema } from '../../portfolio/page.ts'
import type { Ledger } from '../../portfolio/records.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { PAGE_REASONS, TRADER } from './shared.ts'

const LARGEST_PAGE = 100

/** GET account/deposit-withdraw (perp-api 2B, row 8). */
export const getDepositWithdraw = (context: PerpContext, ledger: Ledger, path = `${TRADER}/account/deposit-withdraw`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Money that the wallet brought to Gate and took from it, newest first',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({
        type: Type.Optional(Type.Enum(['deposit', 'withdraw'])),
        ...pageQuery(LARGEST_PAGE),
        ...accountQuery,
      }),
      data: pageSchema(movementSchema),
    },
    reasons: PAGE_REASONS,
    examples: { query: { page: 1, size: 50 }, data: { list: [movementExample], totalCount: 1 } },
    handler: async ({ query, caller }) =>
      ledger.movements({ trader: traderOf(context, caller, query) }, query.type ?? 'wallet', query),
  })
