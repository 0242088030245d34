import type { Route } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { deleteOrdersCalldata, deleteOrdersSend } from './cancel-all.ts'
import { deleteOrderCalldata } from './cancel-calldata.ts'
import { deleteOrderSend } from './cancel-send.ts'
import { postDepositCalldata, postWithdrawalCalldata } from './cash-calldata.ts'
import { cashDeposits, cashWithdrawals } from './cash-operations.ts'
import { postDepositSend, postWithdrawalSend } from './cash-send.ts'
import { getConfig } from './config.ts'
import { getCorporateActions } from './corporate-actions.ts'
import { getMarketCalendar } from './market-calendar.ts'
import { getMarketClock } from './market-clock.ts'
import { stockOneClickRoutes } from './one-click.ts'
import { getOperation, listOperations, postOperationTx } from './operations.ts'
import { getOrder } from './order.ts'
import { getOrderByTx } from './order-by-tx.ts'
import { postOrderCalldata } from './order-calldata.ts'
import { postOrderPreview } from './order-preview.ts'
import { postOrderSend } from './order-send.ts'
import { postOrderTx } from './order-tx.ts'
import { postOrderWithDepositCalldata } from './order-with-deposit-calldata.ts'
import { postOrderWithDepositSend } from './order-with-deposit-send.ts'
import { getOrders } from './orders.ts'
import { getPrice } from './price.ts'
import { getPriceHistory } from './price-history.ts'
import { getSend } from './send.ts'
import { postStockCalldata } from './stock-calldata.ts'
import { stockDeposits, stockWithdrawals } from './stock-operations.ts'
import { postStockDepositSend, postStockWithdrawalSend } from './stock-send.ts'
import { getSymbols } from './symbols.ts'
import { getUnderlyingPrice } from './underlying-price.ts'
import { getUser } from './user.ts'
import { getUserActivities } from './user-activities.ts'
import { getUserBalance } from './user-balance.ts'
import { getUserPositions } from './user-positions.ts'

/** Every operation of the stock API, in the order of the seed's tables (seed 4A). */
export const stockRoutes = (context: StockContext): readonly Route[] => [
  getConfig(context),
  getSymbols(context),
  getPrice(context),
  getPriceHistory(context),
  getUnderlyingPrice(context),
  getCorporateActions(context),
  getMarketClock(context),
  getMarketCalendar(context),

  getUser(),
  getUserBalance(context),
  getUserPositions(context),
  getUserActivities(context),

  getOrders(context),
  postOrderCalldata(context),
  deleteOrdersCalldata(context),
  postOrderSend(context),
  deleteOrdersSend(context),
  postOrderWithDepositCalldata(context),
  postOrderWithDepositSend(context),
  postOrderPreview(context),
  postOrderTx(context),
  getOrderByTx(context),
  getOrder(context),
  deleteOrderCalldata(context),
  deleteOrderSend(context),
  getSend(context),

  postDepositCalldata(context),
  postDepositSend(context),
  postOperationTx(context, cashDeposits),
  listOperations(context, cashDeposits),
  getOperation(context, cashDeposits),
  postWithdrawalCalldata(context),
  postWithdrawalSend(context),
  postOperationTx(context, cashWithdrawals),
  listOperations(context, cashWithdrawals),
  getOperation(context, cashWithdrawals),

  postStockCalldata(context, 'deposits'),
  postStockDepositSend(context),
  postOperationTx(context, stockDeposits),
  listOperations(context, stockDeposits),
  getOperation(context, stockDeposits),
  postStockCalldata(context, 'withdrawals'),
  postStockWithdrawalSend(context),
  postOperationTx(context, stockWithdrawals),
  listOperations(context, stockWithdrawals),
  getOperation(context, stockWithdrawals),

  ...stockOneClickRoutes(context),
]
