import type { Sql } from '../../db/pool.ts'
import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import type { Feed } from '../../push/source.ts'
import type { StockContext } from '../context.ts'
import { type Catalogue, findSymbol, openCatalogue } from '../listing/catalogue.ts'
import { priceView } from '../listing/symbol-view.ts'
import { PAYLOAD_VERSION } from './key-channels.ts'

/** Greatest age of a snapshot: what came since follows as a delta. */
const MAX_AGE_MS = 250

/** The quotes of one moment: each is at least as new as its version says. */
export interface Reading {
  readonly atMs: number
  readonly versions: ReadonlyMap<string, bigint>
  readonly catalogue: Catalogue
}

/**
 * The newest quote of each symbol, conflated: a delta is the whole quote, and its sequence is how often the quote has
 * changed, which every process reads from the same row.
 */
export class QuoteFeed implements Feed {
  readonly form = 'quotes:{symbol}'
  readonly hint = 'market_quotes'
  readonly #context: StockContext
  #reading: Promise<Reading> | null = null
  #readAtMs = Number.NEGATIVE_INFINITY
  #versions: Promise<ReadonlyMap<string, bigint>> | null = null

  constructor(context: StockContext) {
    this.#context = context
  }

  async resolve([symbol, ...more]: readonly string[]): Promise<readonly string[] | null> {
    return symbol && more.length === 0 ? [await tickerOf(this.#context, symbol)] : null
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const versions = await this.versions()
    return channels.map(([symbol = '']) => versions.get(symbol) ?? 0n)
  }

  /** The version of every symbol's quote; whoever asks while they are being read gets the same. */
  versions(): Promise<ReadonlyMap<string, bigint>> {
    this.#versions ??= this.#readVersions().finally(() => {
      this.#versions = null
    })
    return this.#versions
  }

  /** When a version has changed since the last reading, that is replaced. */
  async #readVersions(): Promise<ReadonlyMap<string, bigint>> {
    const versions = await quoteVersions(this.#context.venue.sql)
    const known = this.#reading ? (await this.#reading.catch(() => null))?.versions : undefined
    const isNew = [...versions].some(([symbol, version]) => known?.get(symbol) !== version)
    if (isNew) await this.#read()
    return versions
  }

  async snapshot([symbol = '']: readonly string[]): Promise<StreamSnapshot> {
    const reading = await this.recent()
    return { sequence: sequenceOf(reading, symbol), dataJson: quoteJson(reading.catalogue, symbol) }
  }

  /** The newest quote, when it is newer; null when the sequence is none of this symbol's. */
  async deltas([symbol = '']: readonly string[], after: bigint): Promise<readonly StreamDelta[] | null> {
    const reading = await this.since(symbol, after)
    const sequence = sequenceOf(reading, symbol)
    if (sequence < after) return null
    if (sequence === after) return []
    const dataJson = quoteJson(reading.catalogue, symbol)
    return [
      { previous: after, sequence, event: 'quote.updated', version: PAYLOAD_VERSION, timeMs: reading.atMs, dataJson },
    ]
  }

  release(): void {}

  /** A reading in which the symbol's quote is no older than a sequence, where there is one: a client may give any. */
  async since(symbol: string, sequence: bigint): Promise<Reading> {
    const recent = await this.recent()
    return sequenceOf(recent, symbol) < sequence ? this.#read() : recent
  }

  /** The last reading, or a new one where that is too old. */
  recent(): Promise<Reading> {
    return this.#reading && performance.now() - this.#readAtMs <= MAX_AGE_MS ? this.#reading : this.#read()
  }

  #read(): Promise<Reading> {
    this.#readAtMs = performance.now()
    this.#reading = readQuotes(this.#context)
    // Whoever waits for it hears of a failure; nobody may be waiting.
    this.#reading.catch(() => {})
    return this.#reading
  }
}

async function readQuotes({ venue, chainId, productType }: StockContext): Promise<Reading> {
  const { sql, clock } = venue
  const versions = await quoteVersions(sql)
  // A catalogue of its own, so that it is read after the versions.
  const catalogue = await openCatalogue({ sql, chainId, productType, clock })()
  return { atMs: clock.nowMs(), versions, catalogue }
}

function quoteJson(catalogue: Catalogue, symbol: string): string {
  return JSON.stringify(priceView(findSymbol(catalogue, symbol)))
}

/** The sequence of a symbol's quote; 0 where it has none yet. */
export const sequenceOf = ({ versions }: Pick<Reading, 'versions'>, symbol: string): bigint =>
  versions.get(symbol) ?? 0n

/** The symbol that a client means. Throws `symbol_unknown`. */
export const tickerOf = async (context: StockContext, symbol: string): Promise<string> =>
  findSymbol(await context.catalogue(), symbol).symbol

/** How often the quote of each symbol has changed. */
async function quoteVersions(sql: Sql): Promise<Map<string, bigint>> {
  const rows = await sql<{ symbol: string; version: bigint }[]>`select symbol, version from market_quotes`
  return new Map(rows.map(({ symbol, version }) => [symbol, version]))
}
