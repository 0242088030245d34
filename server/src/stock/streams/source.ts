import type { StreamSource } from '../../http/stream-source.ts'
import { PushSource } from '../../push/source.ts'
import type { StockContext } from '../context.ts'
import { CandleFeed } from './candles.ts'
import { STOCK_CHANNELS } from './key-channels.ts'
import { QuoteFeed } from './quotes.ts'

/** The channels of the stock API: a key's own from the outbox, quotes and bars conflated from their tables. */
export function stockStreamSource(context: StockContext): StreamSource {
  const quotes = new QuoteFeed(context)
  const candles = new CandleFeed(context, quotes)
  const feeds = new Map<string, QuoteFeed | CandleFeed>([
    ['quotes', quotes],
    ['candles', candles],
  ])
  return new PushSource(context.venue.sql, context.chainId, { keyChannels: STOCK_CHANNELS, feeds })
}
