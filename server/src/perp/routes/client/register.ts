import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { getDepth } from './depth.ts'
import { getGateValue } from './gate-value.ts'
import { getInquire } from './inquire.ts'
import { getInquireByNotional } from './inquire-by-notional.ts'
import { getInquireByTick } from './inquire-by-tick.ts'
import { getInstrument } from './instrument.ts'
import { getClientKline } from './kline.ts'
import { getMarketList } from './market-list.ts'
import { getMarketPairInfo } from './market-pair-info.ts'
import { getOnChainContext } from './on-chain-context.ts'
import { getOnChainQuery } from './on-chain-query.ts'
import { getClientOrderBook } from './order-book.ts'
import { getTokensWithAddress } from './tokens-with-address.ts'
import { getVolumes } from './volumes.ts'

/** What the published client reads without a key of the market, and of wallets beside it (perp-api 8). */
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
  getOnChainQuery(context),
  getGateValue(context),
  getVolumes(context),
  getTokensWithAddress(context),
]
