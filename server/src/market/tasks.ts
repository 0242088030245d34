import type { Sql } from '../db/pool.ts'
import type { Task, Venue } from '../http/product.ts'
import type { Clock } from '../lib/clock.ts'
import { sendCancels } from './broker-cancels.ts'
import { collectExecutions, submitRequested } from './broker-orders.ts'
import { type MarketHours, SESSION } from './hours.ts'
import { CANDLES, DAILY_BARS, ensurePartitions, MINUTE_BARS, mondayMs, WEEKLY_BARS } from './partitions.ts'
import type { Broker, QuoteSource, SourceQuote } from './ports.ts'
import { closeSession, type DatedQuote, recordQuotes, takeInSplits } from './quote-store.ts'

const DAY_MS = 86_400_000
/** How far a source's clock may run ahead of ours. */
const CLOCK_SKEW_MS = 5_000
/** What waits for a block, or for what another task does, looks this often without either: times pass, and hints may be lost. */
export const QUIET_MS = 1000

/** The market the keeper works with: its two doors, its clock and its calendar. */
export interface Market {
  readonly source: QuoteSource
  /** Prices of coins, which are in no list of stocks; null where nothing quotes them. */
  readonly coins: QuoteSource | null
  readonly broker: Broker
  readonly clock: Clock
  readonly hours: MarketHours
}

/** What the keeper does for the market: take quotes, and move orders and executions between the venue and the broker. */
export function marketTasks(market: Market): readonly Task[] {
  const knownPartitions = new Set<string>()
  return [
    {
      name: 'market.quotes',
      intervalMs: 1000,
      run: async (venue) => void (await pollQuotes(venue, market, knownPartitions)),
    },
    { name: 'market.submit', intervalMs: 250, quietMs: QUIET_MS, run: (venue) => sendToBroker(venue, market.broker) },
    { name: 'market.broker', intervalMs: 500, run: (venue) => collectFromBroker(venue, market.broker) },
  ]
}

/**
 * One round of quotes from the source into the tables. Quotes that cannot be true are logged and left out; one of a time
 * when the market was closed belongs to no trade date and changes nothing. That the market has closed is recorded whether
 * the source answers or not.
 */
export async function pollQuotes(
  venue: Pick<Venue, 'sql' | 'log'>,
  market: Pick<Market, 'source' | 'clock' | 'hours'>,
  knownPartitions: Set<string> = new Set(),
): Promise<readonly string[]> {
  const isClosed = (timeMs: number) => market.hours.session(timeMs) === SESSION.closed
  if (isClosed(market.clock.nowMs())) await closeSession(venue.sql)
  const quotes = await market.source.latestQuotes()
  const nowMs = market.clock.nowMs()
  const newest = new Map<string, DatedQuote>()
  for (const quote of quotes) {
    const fault = faultOf(quote, nowMs + CLOCK_SKEW_MS)
    if (fault === null) keepNewest(newest, dateQuote(quote, market.hours))
    else venue.log.warn({ source: market.source.name, symbol: quote.symbol, fault }, 'a quote was refused')
  }
  const dated = [...newest.values()].filter(({ session }) => session !== SESSION.closed)
  await ensureBarPartitions(venue.sql, dated, knownPartitions)
  await takeInSplits(venue.sql, dated, market.hours.tradeDate)
  return dated.length === 0 ? [] : await recordQuotes(venue.sql, dated, !isClosed(nowMs))
}

async function ensureBarPartitions(sql: Sql, quotes: readonly DatedQuote[], known: Set<string>): Promise<void> {
  const times = quotes.map((quote) => quote.timeMs)
  const days = quotes.map((quote) => Date.parse(quote.tradeDate))
  await ensurePartitions(sql, MINUTE_BARS, times, known)
  await ensurePartitions(sql, CANDLES, times, known)
  await ensurePartitions(sql, DAILY_BARS, days, known)
  await ensurePartitions(sql, WEEKLY_BARS, days.map(mondayMs), known)
}

/** Apart from what comes back: many orders must not keep executions waiting, nor the other way about. */
async function sendToBroker(venue: Venue, broker: Broker): Promise<void> {
  const { chainId } = venue.deployment
  for (const order of await submitRequested(venue.sql, broker, chainId)) {
    venue.log.warn(
      { clientOrderId: order.clientOrderId, attempts: order.submitAttempts, problem: order.lastSubmitError },
      'the broker has not answered an order; it is sent again',
    )
  }
  for (const { clientOrderId, err } of await sendCancels(venue.sql, broker, chainId)) {
    venue.log.warn({ clientOrderId, err }, 'the broker has not answered a cancel; it is sent again')
  }
}

async function collectFromBroker(venue: Venue, broker: Broker): Promise<'changed' | undefined> {
  const { chainId } = venue.deployment
  const { executionIds, foreign } = await collectExecutions(venue.sql, broker, chainId)
  for (const execution of foreign) {
    venue.log.warn(
      {
        execution: execution.executionId,
        order: execution.clientOrderId,
        symbol: execution.symbol,
        side: execution.side,
      },
      'an execution that fits no order of ours by id, symbol and side',
    )
  }
  return executionIds.length > 0 ? 'changed' : undefined
}

function faultOf(quote: SourceQuote, latestMs: number): string | null {
  if (quote.price8 <= 0n || quote.bid8 <= 0n) return 'a price is not positive'
  if (quote.bid8 > quote.ask8) return 'the bid is above the ask'
  if (quote.volumeWad < 0n) return 'the volume is negative'
  return quote.timeMs > latestMs ? 'it is from the future' : null
}

function keepNewest(newest: Map<string, DatedQuote>, quote: DatedQuote): void {
  const other = newest.get(quote.symbol)
  if (!other || other.timeMs < quote.timeMs) newest.set(quote.symbol, quote)
}

function dateQuote(quote: SourceQuote, hours: MarketHours): DatedQuote {
  const tradeDate = hours.tradeDate(quote.timeMs)
  return {
    ...quote,
    session: hours.session(quote.timeMs),
    tradeDate,
    tradeDateStartMs: hours.tradeDateStart(tradeDate),
    referenceDate: hours.tradeDate(quote.timeMs - DAY_MS),
  }
}
