import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { getDepth } from './depth.ts'
import { getInquire } from './inquire.ts'
import { getInquireByNotional } from './inquire-by-notional.ts'
import { getInquireByTick } from './inquire-by-tick.ts'
import { getInstrument } from './instrument.ts'
import { getClientKline } from './kline.ts'
import { getMarketList } from './market-list.ts'
import { getMarketPairInfo } from './market-pair-info.ts'
import { getOnChainContext } from './on-chain-context.ts'
import { getClientOrderBook } from './order-book.ts'

/** What the published client reads of the market without a key (perp-api 8). */
export const clientMarketRoutes = (context: PerpContext): readonly Route[] => [
  getMarketPairInfo(context),
  getMarketList(context),
  getInstrument(context),
  getInquire(context),
  getInquireByTick(context),
  getInquireByNotional(context),
  getClientOrderBook(context),
  getClientKline(context),
  getDepth(context),
  getOnChainContext(context),
]
