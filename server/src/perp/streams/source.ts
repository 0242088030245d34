import type { StreamSource } from '../../http/stream-source.ts'
import { type Feed, PushSource } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import { PortfolioFeed } from './portfolio-feed.ts'
import {
  commonChannels,
  instrumentBasicInfoChannels,
  instrumentChannels,
  klineChannels,
  orderBookChannels,
} from './state-channels.ts'
import { type StateChannels, StateFeed } from './state-feed.ts'
import type { SubscriptionType } from './subscription.ts'
import { TradeFeed } from './trade-feed.ts'

/** The channels of the perpetual API's public stream, which belong to nobody's key (perp-api 7.3). */
export function perpStreamSource(context: PerpContext): StreamSource<null> {
  const { sql } = context.venue
  const state = (channels: StateChannels) => new StateFeed(sql, context.chainId, channels)
  const feeds: Readonly<Record<SubscriptionType, Feed>> = {
    kline: state(klineChannels(context)),
    orderBook: state(orderBookChannels(context)),
    instrument: state(instrumentChannels(context)),
    instrumentBasicInfo: state(instrumentBasicInfoChannels(context)),
    portfolio: new PortfolioFeed(context),
    common: state(commonChannels(context)),
    trades: new TradeFeed(context),
  }
  return new PushSource(sql, context.chainId, {
    keyChannels: { product: 'perp', names: [] },
    feeds: new Map(Object.entries(feeds)),
  })
}
