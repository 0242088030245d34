import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import { candlesJson, INTERVALS, type Interval } from '../../market/candles.ts'
import type { Feed } from '../../push/source.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { PAYLOAD_VERSION } from './key-channels.ts'
import { type QuoteFeed, type Reading, sequenceOf, tickerOf } from './quotes.ts'

/** Bars in a snapshot, as GET gives without a limit. */
const SNAPSHOT_BARS = 100
const MAX_BARS = 5000
/** Positions remembered per channel; followers are at one of the newest. */
const POSITIONS = 16

/** What followers at a sequence have: bars before the last two cannot change by a quote. */
interface Position {
  readonly sequence: bigint
  /** The bar before the last, and its start; the last one alone where there is no other. */
  readonly anchorSec: number
  readonly anchorJson: string | null
}

/**
 * Bars of a symbol, conflated: a delta holds every bar that is new or may have changed, and replaces those that begin at the
 * same second. The sequence is that of the symbol's quote, from which bars are made.
 */
export class CandleFeed implements Feed {
  readonly form = `candles:{symbol}:{interval}, with an interval of ${INTERVALS.join(', ')}`
  readonly hint = 'market_quotes'
  readonly #context: StockContext
  readonly #quotes: QuoteFeed
  readonly #positions = new Map<string, Position[]>()

  constructor(context: StockContext, quotes: QuoteFeed) {
    this.#context = context
    this.#quotes = quotes
  }

  async resolve([symbol, interval, ...more]: readonly string[]): Promise<readonly string[] | null> {
    if (!symbol || !isInterval(interval) || more.length > 0) return null
    return [await tickerOf(this.#context, symbol), interval]
  }

  /** Sequences are those of the quotes. */
  heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    return this.#quotes.heads(channels)
  }

  async snapshot(parameters: readonly string[]): Promise<StreamSnapshot> {
    const [symbol, interval] = barsOf(parameters)
    const reading = await this.#quotes.recent()
    const sequence = sequenceOf(reading, symbol)
    const bars = await this.#read(reading, symbol, interval, null, SNAPSHOT_BARS)
    this.#remember(symbol, interval, sequence, bars)
    return { sequence, dataJson: `[${bars.join(',')}]` }
  }

  /**
   * The bars since a sequence. Null when what the follower has of earlier bars is no longer so (a corporate action adjusts
   * them all), or is not known.
   */
  async deltas(parameters: readonly string[], after: bigint): Promise<readonly StreamDelta[] | null> {
    const [symbol, interval] = barsOf(parameters)
    const reading = await this.#quotes.since(symbol, after)
    const sequence = sequenceOf(reading, symbol)
    if (sequence === after) return []
    const position = this.#positions.get(nameOf(symbol, interval))?.find((one) => one.sequence === after)
    if (!position || sequence < after) return null
    const bars = await this.#read(reading, symbol, interval, position.anchorSec, MAX_BARS)
    if (position.anchorJson !== null && bars[0] !== position.anchorJson) return null
    this.#remember(symbol, interval, sequence, bars)
    const changed = position.anchorJson === null ? bars : bars.slice(1)
    const timeMs = this.#context.venue.clock.nowMs()
    const dataJson = `[${changed.join(',')}]`
    return [{ previous: after, sequence, event: 'candles.updated', version: PAYLOAD_VERSION, timeMs, dataJson }]
  }

  release(parameters: readonly string[]): void {
    this.#positions.delete(nameOf(...barsOf(parameters)))
  }

  /** Bars are read after the quotes and what tokens stood for then, so that they are at least as new. */
  async #read(
    { catalogue }: Reading,
    symbol: string,
    interval: Interval,
    startSec: number | null,
    limit: number,
  ): Promise<string[]> {
    const { venue } = this.#context
    const unit = findSymbol(catalogue, symbol).stock?.shareSteps ?? []
    const nowMs = catalogue.asOfMs
    const endSec = Math.ceil(nowMs / 1000) + 60
    const query = { symbol, interval, adjustment: 'all', startSec, endSec, limit, unit } as const
    return (await candlesJson(venue.sql, catalogue.hours, nowMs, query)).match(/\{[^}]*\}/g) ?? []
  }

  #remember(symbol: string, interval: Interval, sequence: bigint, bars: readonly string[]): void {
    const [before, last] = [bars.at(-2), bars.at(-1)]
    if (last === undefined) return
    const anchorJson = before ?? null
    const position = { sequence, anchorSec: beginOf(before ?? last), anchorJson }
    const name = nameOf(symbol, interval)
    const others = (this.#positions.get(name) ?? []).filter((one) => one.sequence !== sequence)
    this.#positions.set(name, [position, ...others].slice(0, POSITIONS))
  }
}

const isInterval = (text: string | undefined): text is Interval =>
  (INTERVALS as readonly (string | undefined)[]).includes(text)
/** The parameters as `resolve` gave them. */
const barsOf = (parameters: readonly string[]) => parameters as readonly [symbol: string, interval: Interval]
const nameOf = (symbol: string, interval: Interval): string => `${symbol}:${interval}`
const beginOf = (bar: string): number => (JSON.parse(bar) as { timestamp: number }).timestamp
