import { headTimestampSec } from '../../chain/head.ts'
import type { Sql } from '../../db/pool.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { UnitStep } from '../../market/adjustment.ts'
import type { MarketHours } from '../../market/hours.ts'
import { readMarketHours } from '../../market/hours-store.ts'
import { type LatestQuote, type ListedSymbol, listSymbols } from '../../market/store.ts'
import { stockReasons } from '../reasons.ts'
import { type CashTokenRow, getSettings, listCashTokens, listStockTokens, type StockTokenRow } from '../store.ts'
import { configView } from './config-view.ts'
import { presentQuote, readShareRatios, tokenQuote } from './shares.ts'
import { symbolView } from './symbol-view.ts'

/** Why the look-up of a token fails, for moving or trading it. */
export const TOKEN_REASONS = [
  stockReasons.token_unknown,
  stockReasons.token_paused,
  stockReasons.not_indexed_yet,
  stockReasons.token_of_other_kind,
] as const

/** Age beyond which a request waits for a new snapshot. */
const MAX_AGE_MS = 250

/** A stock token with what the market says of it: prices are those of a token, whatever shares it stands for. */
export interface ListedStock {
  readonly token: StockTokenRow
  readonly market: ListedSymbol
  /** The same of a share, as shares are now. */
  readonly underlying: ListedSymbol
  /** Shares that one token stands for now, 18 decimals. */
  readonly sharesPerTokenWad: bigint
  /** Since when it has stood for how many. */
  readonly shareSteps: readonly UnitStep[]
}

/** A symbol with its token, if it has one on this chain. */
export interface NamedSymbol {
  readonly symbol: string
  readonly underlying: ListedSymbol
  readonly stock: ListedStock | null
}

/** What many requests need of the chain and the market, read at most four times a second (seed 4A: values are cached). */
export interface Catalogue {
  /**
   * The instant of which it says what tokens stand for, Unix ms: now, by this process's clock, and no earlier than the last split that the
   * keeper has told of, so that a quote that was renewed for a split is never shown as of before it.
   */
  readonly asOfMs: number
  /** Timestamp of the indexed head, the chain's clock. */
  readonly headTimestampSec: number
  /** By lower-case token address. */
  readonly stocks: ReadonlyMap<string, ListedStock>
  readonly cashTokens: ReadonlyMap<string, CashTokenRow>
  /** By upper-case ticker, whether or not it has a token; prices are those of a share. */
  readonly symbols: ReadonlyMap<string, ListedSymbol>
  /** Upper-case ticker, token symbol and token address to ticker. */
  readonly tickers: ReadonlyMap<string, string>
  /** When the market trades. */
  readonly hours: MarketHours
  readonly symbolsJson: PreparedJson
  readonly configJson: PreparedJson
}

export interface CatalogueSource {
  readonly sql: Sql
  readonly chainId: number
  readonly productType: string
  readonly clock: Clock
}

/** Gives the current catalogue, at once where it is known. */
export type CatalogueReader = () => Catalogue | Promise<Catalogue>

/** Returns the function that gives the current catalogue; concurrent callers share one reading. */
export function openCatalogue(source: CatalogueSource): CatalogueReader {
  let current: Catalogue | null = null
  let readAtMs = 0
  let reading: Promise<Catalogue> | null = null

  async function refresh(): Promise<Catalogue> {
    const startedAtMs = source.clock.nowMs()
    try {
      current = await readCatalogue(source)
      readAtMs = startedAtMs
      return current
    } finally {
      reading = null
    }
  }
  return () => {
    const ageMs = source.clock.nowMs() - readAtMs
    if (current && ageMs >= 0 && ageMs <= MAX_AGE_MS) return current
    reading ??= refresh()
    return reading
  }
}

async function readCatalogue({ sql, chainId, productType, clock }: CatalogueSource): Promise<Catalogue> {
  const [head, settings, cashTokens, stockTokens, listed, hours, ratios] = await Promise.all([
    headTimestampSec(sql, chainId),
    getSettings(sql, chainId),
    listCashTokens(sql, chainId),
    listStockTokens(sql, chainId),
    listSymbols(sql),
    readMarketHours(sql),
    readShareRatios(sql, chainId),
  ])
  if (head === null || settings === null) {
    throw new AppError(
      stockReasons.not_indexed_yet,
      'the venue has not indexed its contracts yet; try again in a moment',
    )
  }
  const symbols = new Map(listed.map((symbol) => [symbol.symbol, symbol]))
  const asOfMs = Math.max(clock.nowMs(), ratios.reachedMs)
  const stocks = stockTokens.flatMap((token) => {
    const market = symbols.get(token.ticker)
    if (!market) return []
    const [sharesPerTokenWad, shareSteps] = [ratios.at(token.token, asOfMs), ratios.steps(token.token, asOfMs)]
    const quotedWad = market.quote ? ratios.ofQuote(token.token, market.quote.sourceTimeMs) : sharesPerTokenWad
    const ofToken = requoted(market, (quote) => tokenQuote(quote, quotedWad))
    const ofShare = requoted(market, (quote) => presentQuote(quote, quotedWad, sharesPerTokenWad))
    return [{ token, market: ofToken, underlying: ofShare, sharesPerTokenWad, shareSteps }]
  })
  return {
    asOfMs,
    headTimestampSec: Number(head),
    stocks: new Map(stocks.map((stock) => [stock.token.token, stock])),
    cashTokens: new Map(cashTokens.map((token) => [token.token, token])),
    symbols,
    tickers: tickerNames(stocks, symbols),
    hours,
    symbolsJson: new PreparedJson(stocks.map(symbolView)),
    configJson: new PreparedJson(configView({ chainId, productType, settings, cashTokens })),
  }
}

const requoted = (market: ListedSymbol, change: (quote: LatestQuote) => LatestQuote): ListedSymbol =>
  market.quote === null ? market : { ...market, quote: change(market.quote) }

function tickerNames(stocks: readonly ListedStock[], symbols: ReadonlyMap<string, ListedSymbol>): Map<string, string> {
  const names = new Map([...symbols.keys()].map((ticker) => [ticker, ticker]))
  for (const { token } of stocks) {
    names.set(token.symbol.toUpperCase(), token.ticker)
    names.set(token.token.toUpperCase(), token.ticker)
  }
  return names
}

/** The stock of an address. Throws `token_unknown`, and `token_of_other_kind` with the advice for a cash token. */
export function stockToken(catalogue: Catalogue, field: string, address: string, advice: string): ListedStock {
  const stock = catalogue.stocks.get(address.toLowerCase())
  if (stock) return stock
  if (catalogue.cashTokens.has(address.toLowerCase())) throw otherKind(field, address, 'cash token', advice)
  throw unknownToken(field, address, 'stock token')
}

/** The stock of an order. Throws `token_unknown`, `token_of_other_kind`, `token_paused`. */
export function tradableStock(catalogue: Catalogue, field: string, address: string): ListedStock {
  const stock = stockToken(catalogue, field, address, 'orders are for the stock tokens of GET /api/v1/symbols')
  if (stock.token.tradable && stock.market.tradable) return stock
  throw new AppError(stockReasons.token_paused, `${stock.token.ticker} cannot be traded at the moment`)
}

/** The cash token of an address. Throws `token_unknown`, and `token_of_other_kind` with the advice for a stock token. */
export function cashToken(catalogue: Catalogue, field: string, address: string, advice: string): CashTokenRow {
  const token = catalogue.cashTokens.get(address.toLowerCase())
  if (token) return token
  if (catalogue.stocks.has(address.toLowerCase())) throw otherKind(field, address, 'stock token', advice)
  throw unknownToken(field, address, 'cash token')
}

function unknownToken(field: string, address: string, kind: string): AppError {
  const message = `${field} ${address} is no ${kind} of this venue`
  return new AppError(stockReasons.token_unknown, message, { detail: { field } })
}

function otherKind(field: string, address: string, kind: string, advice: string): AppError {
  const message = `${field} ${address} is a ${kind}: ${advice}`
  return new AppError(stockReasons.token_of_other_kind, message, { detail: { field } })
}

/** The symbol that a ticker, token symbol or token address names. Throws `symbol_unknown`. */
export function findSymbol(catalogue: Catalogue, name: string): NamedSymbol {
  const ticker = catalogue.tickers.get(name.trim().toUpperCase())
  const underlying = ticker === undefined ? undefined : catalogue.symbols.get(ticker)
  if (!underlying) throw new AppError(stockReasons.symbol_unknown, `there is no symbol ${name}`)
  const stock = [...catalogue.stocks.values()].find(({ token }) => token.ticker === ticker) ?? null
  return { symbol: underlying.symbol, underlying, stock }
}
