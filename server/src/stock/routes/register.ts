import type { Route } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { deleteOrdersCalldata } from './cancel-all-calldata.ts'
import { deleteOrdersSend } from './cancel-all-send.ts'
import { deleteOrderCalldata } from './cancel-calldata.ts'
import { deleteOrderSend } from './cancel-send.ts'
import { cashMoveRoutes } from './cash-moves/register.ts'
import { getConfig } from './config.ts'
import { getCorporateActions } from './corporate-actions.ts'
import { getMarketCalendar } from './market-calendar.ts'
import { getMarketClock } from './market-clock.ts'
import { stockOneClickRoutes } from './one-click.ts'
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
import { getSendByIdempotencyKey } from './send-by-idempotency-key.ts'
import { stockMoveRoutes } from './stock-moves/register.ts'
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
  getSendByIdempotencyKey(context),

  ...cashMoveRoutes(context),
  ...stockMoveRoutes(context),
  ...stockOneClickRoutes(context),
]
