import { loadHeads, OUTBOX_HINT, readMessages, readSnapshot } from '../../db/outbox.ts'
import type { Caller } from '../../http/product.ts'
import type { StreamDelta, StreamSnapshot, StreamSource } from '../../http/stream-source.ts'
import { AppError } from '../../lib/errors.ts'
import { INTERVALS, type Interval } from '../../market/candles.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'
import { CandleFeed } from './candles.ts'
import { isKeyChannel, outboxChannel } from './key-channels.ts'
import { QuoteFeed } from './quotes.ts'

/** Records in a snapshot, the newest; the lists of GET have the others. */
const SNAPSHOT_RECORDS = 200
const PAGE_MESSAGES = 100

const QUOTES = 'quotes:'
const CANDLES = 'candles:'

/** The channels of the stock API: a key's own from the outbox, quotes and bars conflated from their tables. */
export function stockStreamSource(context: StockContext): StreamSource {
  const { sql } = context.venue
  const quotes = new QuoteFeed(context)
  const candles = new CandleFeed(context)

  return {
    hints: [OUTBOX_HINT, 'market_quotes'],
    resolve: (name, caller) => resolve(context, name, caller),
    async heads(channels) {
      const kept = channels.filter((channel) => !isMarket(channel))
      const market = channels.filter(isMarket)
      const [heads, versions] = await Promise.all([
        kept.length === 0 ? new Map<string, bigint>() : loadHeads(sql, kept),
        market.length === 0 ? new Map<string, bigint>() : quotes.versions(),
      ])
      return new Map([...heads, ...market.map((channel) => [channel, versions.get(symbolOf(channel)) ?? 0n] as const)])
    },
    async snapshot(channel) {
      if (channel.startsWith(QUOTES)) return quotes.snapshot(symbolOf(channel))
      if (channel.startsWith(CANDLES)) return candles.snapshot(symbolOf(channel), intervalOf(channel))
      return recordsSnapshot(context, channel)
    },
    async deltas(channel, after) {
      if (channel.startsWith(QUOTES)) return quotes.deltas(symbolOf(channel), after)
      if (channel.startsWith(CANDLES)) return candles.deltas(symbolOf(channel), intervalOf(channel), after)
      return outboxDeltas(context, channel, after)
    },
    release(channel) {
      if (channel.startsWith(CANDLES)) candles.release(symbolOf(channel), intervalOf(channel))
    },
  }
}

const isMarket = (channel: string): boolean => channel.startsWith(QUOTES) || channel.startsWith(CANDLES)
const symbolOf = (channel: string): string => channel.split(':')[1] as string
const intervalOf = (channel: string): Interval => channel.split(':')[2] as Interval

async function resolve(context: StockContext, name: string, caller: Caller): Promise<string> {
  if (isKeyChannel(name)) return outboxChannel(context.chainId, caller.keyId, name)
  const [kind, symbol, interval, ...more] = name.split(':')
  if (kind === 'quotes' && symbol && interval === undefined) return `${QUOTES}${await ticker(context, symbol)}`
  if (kind === 'candles' && symbol && isInterval(interval) && more.length === 0) {
    return `${CANDLES}${await ticker(context, symbol)}:${interval}`
  }
  const message = `there is no channel ${name}: channels are orders, cash, stock, quotes:{symbol} and candles:{symbol}:{interval}, with an interval of ${INTERVALS.join(', ')}`
  throw new AppError(stockReasons.channel_unknown, message)
}

const isInterval = (text: string | undefined): text is Interval =>
  (INTERVALS as readonly (string | undefined)[]).includes(text)

const ticker = async (context: StockContext, symbol: string): Promise<string> =>
  findSymbol(await context.catalogue(), symbol).market.symbol

async function recordsSnapshot({ venue }: StockContext, channel: string): Promise<StreamSnapshot> {
  const { sequence, total, records } = await readSnapshot(venue.sql, channel, SNAPSHOT_RECORDS)
  const items = records.map(({ subject, payload }) => `{"key":${JSON.stringify(subject)},"data":${payload}}`)
  return { sequence, total, dataJson: `[${items.join(',')}]` }
}

async function outboxDeltas({ venue }: StockContext, channel: string, after: bigint): Promise<StreamDelta[] | null> {
  const messages = await readMessages(venue.sql, channel, after, PAGE_MESSAGES)
  return (
    messages?.map(({ sequence, eventId, type, version, subject, payload, createdAt }) => ({
      ...{ previous: sequence - 1n, sequence, event: type, version, id: eventId, key: subject },
      ...{ timeMs: createdAt.getTime(), dataJson: payload ?? 'null' },
    })) ?? null
  )
}
