import type { Route } from '../../../../http/product.ts'
import type { PerpContext } from '../../../context.ts'
import type { Ledger } from '../../../portfolio/records.ts'
import { getPublicFundFlow } from './fund-flow.ts'
import { getPublicFunding } from './funding.ts'
import { getPublicLiquidity } from './liquidity.ts'
import { getPublicOrders } from './order.ts'
import { getPublicTrades } from './trade.ts'
import { getPublicTransfers } from './transfer.ts'

/** What any wallet did, read without a key (perp-api 8). */
export const historyRoutes = (context: PerpContext, ledger: Ledger): readonly Route[] => [
  getPublicTrades(context),
  getPublicOrders(context),
  getPublicLiquidity(context),
  getPublicFundFlow(context, ledger),
  getPublicFunding(context, ledger),
  getPublicTransfers(context, ledger),
]
