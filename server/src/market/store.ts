import { type Db, numeric, type Tx } from '../db/pool.ts'
import type { Session } from './hours.ts'
import type { Instrument, TradeSteps } from './instruments.ts'

/** What the venue knows of a symbol (stock-api 2.1). Prices have 8 decimals, volumes are shares with 18. */
export interface ListedSymbol {
  readonly symbol: string
  readonly name: string
  readonly tradable: boolean
  readonly fractionable: boolean
  readonly overnightTradable: boolean
  readonly fractionalEhEnabled: boolean
  readonly logoUrl: string
  readonly pdfUrl: string
  readonly steps: SymbolSteps
  /** Null until the symbol's first quote has arrived. */
  readonly quote: LatestQuote | null
}

/** In what steps a symbol's shares trade. */
export interface SymbolSteps extends TradeSteps {
  /** Prices of a share are multiples of this, 8 decimals. */
  readonly price8: bigint
}

export interface LatestQuote {
  readonly price8: bigint
  readonly bid8: bigint
  readonly ask8: bigint
  /** First, highest and lowest price of the running trade date, as watched by the venue. */
  readonly open8: bigint
  readonly high8: bigint
  readonly low8: bigint
  /** Last price of the trade date before; null when none is known. */
  readonly previousClose8: bigint | null
  /** Against the last price known 24 hours ago; null when none is known. */
  readonly change24h8: bigint | null
  /** The same in millionths of that price: percent with 4 decimals, rounded half away from zero. */
  readonly change24hPpm: bigint | null
  readonly volume24hWad: bigint
  readonly session: Session
  /** When the source made the quote, market clock, Unix ms. */
  readonly sourceTimeMs: number
}

export interface QuoteToPublish {
  readonly symbol: string
  readonly price8: bigint
  readonly bid8: bigint
  readonly ask8: bigint
  readonly sourceTimeMs: number
  readonly session: Session
}

interface SymbolRow {
  readonly symbol: string
  readonly name: string
  readonly tradable: boolean
  readonly fractionable: boolean
  readonly overnight_tradable: boolean
  readonly fractional_eh_enabled: boolean
  readonly logo_url: string
  readonly pdf_url: string
  readonly price_step8: bigint
  readonly quantity_step_wad: bigint
  readonly notional_step_wad: bigint
  readonly least_notional_wad: bigint
  readonly price8: bigint | null
  readonly bid8: bigint
  readonly ask8: bigint
  readonly open_price8: bigint
  readonly high_price8: bigint
  readonly low_price8: bigint
  readonly adjusted_close8: bigint | null
  readonly adjusted_reference8: bigint | null
  readonly volume_24h_wad: bigint
  readonly session: Session
  readonly source_time: Date
}

/** What the quote `q` is compared with, in today's shares where splits have made them others in between. */
const adjustedCloses = (db: Db) => db`
  market_price_after_splits(q.symbol, q.previous_close_price8,
    coalesce(q.previous_close_time, q.trade_date_start - interval '1 microsecond'), q.source_time) as adjusted_close8,
  market_price_after_splits(q.symbol, q.reference_price8,
    coalesce(q.reference_time, q.source_time - interval '24 hours'), q.source_time) as adjusted_reference8`

/** Every listed symbol with its latest quote, by ticker. */
export async function listSymbols(db: Db): Promise<readonly ListedSymbol[]> {
  const rows = await db<SymbolRow[]>`
    select *, ${adjustedCloses(db)} from market_symbols left join market_quotes q using (symbol) order by symbol`
  return rows.map(toListedSymbol)
}

/** One listed symbol, by its exact upper-case ticker, with its latest quote; null when the venue does not list it. */
export async function findSymbol(db: Db, symbol: string): Promise<ListedSymbol | null> {
  const [row] = await db<SymbolRow[]>`
    select *, ${adjustedCloses(db)} from market_symbols left join market_quotes q using (symbol) where symbol = ${symbol}`
  return row ? toListedSymbol(row) : null
}

/** The latest quote of a symbol; null when it is not listed or was never quoted. */
export async function latestQuote(db: Db, symbol: string): Promise<LatestQuote | null> {
  return (await findSymbol(db, symbol))?.quote ?? null
}

/** The latest quote of every symbol, as the oracle takes it: source times as the source gave them. */
export async function quotesToPublish(db: Db): Promise<readonly QuoteToPublish[]> {
  const rows = await db<
    (Pick<SymbolRow, 'symbol' | 'bid8' | 'ask8' | 'session' | 'source_time'> & { price8: bigint })[]
  >`
    select symbol, price8, bid8, ask8, source_time, session from market_quotes order by symbol`
  return rows.map(({ source_time, ...quote }) => ({ ...quote, sourceTimeMs: source_time.getTime() }))
}

/** Those of the simulated broker. */
const FRACTIONAL: TradeSteps = { quantityWad: 10n ** 9n, notionalWad: 10n ** 9n, leastNotionalWad: 0n }

/** Lists instruments, or brings what is listed up to date. */
export async function upsertSymbols(
  tx: Tx,
  instruments: readonly Instrument[],
  steps: TradeSteps = FRACTIONAL,
): Promise<void> {
  for (const instrument of instruments) {
    await tx`
      insert into market_symbols (symbol, name, tradable, fractionable, overnight_tradable, fractional_eh_enabled,
        logo_url, pdf_url, last_close_price8, price_step8, quantity_step_wad, notional_step_wad, least_notional_wad)
      values (${instrument.symbol}, ${instrument.name}, ${instrument.tradable}, ${instrument.fractionable},
        ${instrument.overnightTradable}, ${instrument.fractionalEhEnabled}, ${instrument.logoUrl},
        ${instrument.pdfUrl}, ${numeric(instrument.startingPrice8)}, ${numeric(instrument.tick8)},
        ${numeric(steps.quantityWad)}, ${numeric(steps.notionalWad)}, ${numeric(steps.leastNotionalWad)})
      on conflict (symbol) do update set name = excluded.name, tradable = excluded.tradable,
        fractionable = excluded.fractionable, overnight_tradable = excluded.overnight_tradable,
        fractional_eh_enabled = excluded.fractional_eh_enabled, logo_url = excluded.logo_url,
        pdf_url = excluded.pdf_url, price_step8 = excluded.price_step8,
        quantity_step_wad = excluded.quantity_step_wad, notional_step_wad = excluded.notional_step_wad,
        least_notional_wad = excluded.least_notional_wad`
  }
}

function toListedSymbol(row: SymbolRow): ListedSymbol {
  return {
    symbol: row.symbol,
    name: row.name,
    tradable: row.tradable,
    fractionable: row.fractionable,
    overnightTradable: row.overnight_tradable,
    fractionalEhEnabled: row.fractional_eh_enabled,
    logoUrl: row.logo_url,
    pdfUrl: row.pdf_url,
    steps: {
      price8: row.price_step8,
      quantityWad: row.quantity_step_wad,
      notionalWad: row.notional_step_wad,
      leastNotionalWad: row.least_notional_wad,
    },
    quote: row.price8 === null ? null : toQuote(row, row.price8),
  }
}

function toQuote(row: SymbolRow, price8: bigint): LatestQuote {
  const reference8 = row.adjusted_reference8
  return {
    price8,
    bid8: row.bid8,
    ask8: row.ask8,
    open8: row.open_price8,
    high8: row.high_price8,
    low8: row.low_price8,
    previousClose8: row.adjusted_close8,
    change24h8: reference8 === null ? null : price8 - reference8,
    change24hPpm: reference8 === null ? null : ratioPpm(price8 - reference8, reference8),
    volume24hWad: row.volume_24h_wad,
    session: row.session,
    sourceTimeMs: row.source_time.getTime(),
  }
}

/** `part / whole` in millionths, rounded half away from zero. */
function ratioPpm(part: bigint, whole: bigint): bigint {
  const halves = (2n * 1_000_000n * part) / whole
  return (halves + (part < 0n ? -1n : 1n)) / 2n
}
