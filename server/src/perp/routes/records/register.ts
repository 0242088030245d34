import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { type Ledger, ledgerOf } from '../../portfolio/records.ts'
import { getDepositWithdraw } from './deposit-withdraw.ts'
import { getExecutions } from './execution-list.ts'
import { historyRoutes } from './history/register.ts'
import { getLiquidityHistory } from './liquidity-history.ts'
import { getRanges } from './liquidity-list.ts'
import { getOrderById } from './order-by-id.ts'
import { getOrderHistory } from './order-history.ts'
import { getOpenOrders } from './order-realtime.ts'
import { getPublicPortfolio } from './portfolio.ts'
import { getPositions } from './position-list.ts'
import { MM } from './shared.ts'
import { getTransactionHistory } from './transaction-history.ts'

/** What accounts hold and did (perp-api 2A.0). */
export function recordRoutes(context: PerpContext): readonly Route[] {
  // One for all of them: it remembers what it has been told of tokens.
  const ledger = ledgerOf(context)
  return [
    getDepositWithdraw(context, ledger),
    getTransactionHistory(context, ledger),
    getPositions(context),
    getOpenOrders(context),
    getOrderById(context),
    getOrderHistory(context),
    getExecutions(context),
    getRanges(context),
    getLiquidityHistory(context),
    ...olderNames(context, ledger),
    getPublicPortfolio(context),
    ...historyRoutes(context, ledger),
  ]
}

/** The same operations under the older API's names (perp-api 2B); its transaction history has deposits and withdrawals alone. */
const olderNames = (context: PerpContext, ledger: Ledger): readonly Route[] => [
  getDepositWithdraw(context, ledger, `${MM}/account/transaction-history`),
  getPositions(context, `${MM}/position/list`),
  getOpenOrders(context, `${MM}/order/realtime`),
  getOrderById(context, `${MM}/orderById`),
  getOrderHistory(context, `${MM}/order/history`),
  getExecutions(context, `${MM}/execution/list`),
  getRanges(context, `${MM}/liquidity/list`),
  getLiquidityHistory(context, `${MM}/liquidity/history`),
]
