import type { Caller } from '../../http/caller.ts'
import type { StreamSource } from '../../http/stream-source.ts'
import { type Feed, PushSource } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import { commonFeed } from './common-feed.ts'
import { IndexedTip } from './indexed-tip.ts'
import { PortfolioFeed } from './portfolio-feed.ts'
import { walletChannels } from './private-channels.ts'
import { instrumentBasicInfoChannels, instrumentChannels, klineChannels, orderBookChannels } from './state-channels.ts'
import { type StateChannels, StateFeed } from './state-feed.ts'
import type { PublicChannel } from './subscription.ts'
import { TradeFeed } from './trade-feed.ts'

/** The channels of the perpetual API's stream: the public ones (perp-api 7.3), and those of a signed connection's wallet. */
export function perpStreamSource(context: PerpContext): StreamSource<Caller | null> {
  const { sql } = context.venue
  const tip = new IndexedTip(sql, context.chainId)
  const state = (channels: StateChannels) => new StateFeed(tip, channels)
  const feeds: Readonly<Record<PublicChannel, Feed>> = {
    kline: state(klineChannels(context)),
    orderBook: state(orderBookChannels(context)),
    instrument: state(instrumentChannels(context)),
    instrumentBasicInfo: state(instrumentBasicInfoChannels(context)),
    portfolio: new PortfolioFeed(context, tip),
    common: commonFeed(context, tip),
    trades: new TradeFeed(context, tip),
  }
  return new PushSource(sql, context.chainId, {
    keyChannels: walletChannels(context.productType),
    feeds: new Map(Object.entries(feeds)),
  })
}
