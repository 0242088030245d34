import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { getInstruments } from '../instruments.ts'
import { getFundingHistory } from '../market/funding-history.ts'
import { getKline } from '../market/kline.ts'
import { getOrderBook } from '../market/order-book.ts'
import { getTickers } from '../market/tickers.ts'
import { getServerTime } from '../server-time.ts'
import { getCoinsWithSymbol } from './coins-with-symbol.ts'

/** The market's part of the older read API (perp-api 2B): the same operations at its paths. */
export const mmMarketRoutes = (context: PerpContext): readonly Route[] => [
  at('serverTime', getServerTime(context)),
  at('instruments-info', getInstruments(context)),
  at('kline', getKline(context)),
  at('orderBook', getOrderBook(context)),
  at('tickers', getTickers(context)),
  at('funding/history', getFundingHistory(context)),
  getCoinsWithSymbol(context),
]

const at = (name: string, route: Route): Route => ({ ...route, path: `/v4/public/mm/${name}` })
