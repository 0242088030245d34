import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { getFundingHistory } from './funding-history.ts'
import { getKline } from './kline.ts'
import { getOrderBook } from './order-book.ts'
import { getTickers } from './tickers.ts'

/** What is read of the market (perp-api 2A.0). */
export const marketRoutes = (context: PerpContext): readonly Route[] => [
  getKline(context),
  getOrderBook(context),
  getTickers(context),
  getFundingHistory(context),
]
