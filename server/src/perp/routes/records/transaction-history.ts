import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { LEDGER_KINDS } from '../../indexing/ledger-store.ts'
import { movementExample, movementSchema } from '../../portfolio/ledger-view.ts'
import { pageQuery, pageSchema } from '../../portfolio/page.ts'
import type { Ledger } from '../../portfolio/records.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { PAGE_REASONS, TRADER } from './shared.ts'

const LARGEST_PAGE = 100

/** GET account/transaction-history (perp-api 2A.0). */
export const getTransactionHistory = (
  context: PerpContext,
  ledger: Ledger,
  path = `${TRADER}/account/transaction-history`,
) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Every movement of the wallet’s money, newest first',
    description:
      '`deposit` and `withdraw` are between wallet and Gate, `request` and `release` a withdrawal that has to wait and the end of its ' +
      'wait, `scatter` and `gather` from Gate’s reserve to a pair and back, `funding`, `fee`, `tip`, `loss` and `liquidation` inside a pair: ' +
      '`loss` is the wallet’s share of what bankrupt accounts owed, `liquidation` what a forced close or a take-over took (negative), what ' +
      'came with a position that the wallet took over, or a debt that it was forgiven (positive).',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({
        type: Type.Optional(Type.Enum(LEDGER_KINDS)),
        ...pageQuery(LARGEST_PAGE),
        ...accountQuery,
      }),
      data: pageSchema(movementSchema),
    },
    reasons: PAGE_REASONS,
    examples: { query: { page: 1, size: 50 }, data: { list: [movementExample], totalCount: 1 } },
    handler: async ({ query, caller }) =>
      ledger.movements({ trader: traderOf(context, caller, query) }, query.type ?? 'all', query),
  })
