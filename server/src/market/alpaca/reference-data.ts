import { inTransaction, type Sql } from '../../db/pool.ts'
import type { Logger } from '../../lib/logger.ts'
import { WAD } from '../../lib/wad.ts'
import { listAppliedSplits } from '../applied-splits.ts'
import { lastRecordedDates, rebuildWeeks, refreshLastClose, upsertDailyBars } from '../bar-store.ts'
import { addDays, newYorkTime } from '../calendar/new-york.ts'
import { replaceCorporateActions } from '../corporate-action-store.ts'
import { correctedSplits } from '../corrected-splits.ts'
import type { MarketHours } from '../hours.ts'
import type { Instrument } from '../instruments.ts'
import { DAILY_BARS, ensurePartitions, mondayMs, WEEKLY_BARS } from '../partitions.ts'
import type { DailyBar } from '../replay.ts'
import { listSymbols, upsertSymbols } from '../store.ts'
import { readActions, type UnreadSplit } from './corporate-actions.ts'
import { AlpacaRefusal, type AlpacaRest, type Query } from './rest.ts'
import { asList, asObject, decimal, optionalText, text, time, type WireObject } from './wire.ts'

/** Where the history of the data begins: https://docs.alpaca.markets/docs/about-market-data-api */
const HISTORY_START = '2016-01-01'
/** Days whose bars are fetched again: the record is corrected after the fact. */
const CORRECTED_DAYS = 7
const ANNOUNCED_DAYS = 365
/** A split that cannot be read, or was corrected, is an alarm so long after its ex-date; later it is history. */
const ALARMED_DAYS = 30
const PAGE = 10_000
/** https://docs.alpaca.markets/docs/fractional-trading: nine decimals of a share, and notionals of a dollar at least, in cents. */
const STEPS = { quantityWad: 10n ** 9n, notionalWad: WAD / 100n, leastNotionalWad: WAD }
const ACTION_PAGE = 1_000

export interface ReferenceOptions {
  readonly sql: Sql
  readonly rest: AlpacaRest
  readonly tradingUrl: string
  readonly dataUrl: string
  readonly feed: string
  readonly symbols: readonly string[]
  readonly hours: MarketHours
  readonly log: Logger
}

/**
 * Loads what changes daily: the flags of the configured symbols, and their daily bars up to the last trade date that has ended.
 * Resolves to the symbols that the broker does not know.
 */
export async function loadReferenceData(options: ReferenceOptions, nowMs: number): Promise<readonly string[]> {
  const instruments = await readInstruments(options)
  await inTransaction(options.sql, (tx) => upsertSymbols(tx, instruments, STEPS))
  const listed = instruments.map(({ symbol }) => symbol)
  if (listed.length > 0) await loadBars(options, listed, nowMs)
  return options.symbols.filter((symbol) => !listed.includes(symbol))
}

/** https://docs.alpaca.markets/reference/get-v2-assets-symbol_or_asset_id; a symbol that is not known is left out. */
export async function readInstruments(
  options: Pick<ReferenceOptions, 'rest' | 'tradingUrl' | 'symbols'>,
): Promise<readonly Instrument[]> {
  const instruments: Instrument[] = []
  for (const symbol of options.symbols) {
    try {
      const asset = await options.rest.get(`${options.tradingUrl}/v2/assets/${encodeURIComponent(symbol)}`)
      instruments.push(toInstrument(symbol, asObject(asset, 'the asset')))
    } catch (error) {
      if (!(error instanceof AlpacaRefusal && error.status === 404)) throw error
    }
  }
  return instruments
}

function toInstrument(symbol: string, asset: WireObject): Instrument {
  const attributes = Array.isArray(asset.attributes) ? asset.attributes : []
  return {
    symbol,
    name: optionalText(asset, 'name') ?? symbol,
    tradable: asset.status === 'active' && asset.tradable === true,
    fractionable: asset.fractionable === true,
    overnightTradable: attributes.includes('overnight_tradable'),
    fractionalEhEnabled: attributes.includes('fractional_eh_enabled'),
    logoUrl: '',
    pdfUrl: '',
    // The rest is the simulator's.
    startingPrice8: null,
    annualVolatilityPpm: 0n,
    dailyVolumeShares: 0n,
    halfSpreadPpm: 0n,
    tick8: 1_000_000n,
  }
}

/** https://docs.alpaca.markets/reference/stockbars: daily bars as they were traded; a day that is under way has none yet. */
async function loadBars(options: ReferenceOptions, symbols: readonly string[], nowMs: number): Promise<void> {
  const { sql, dataUrl, feed, hours } = options
  const recorded = await lastRecordedDates(sql, symbols)
  const runningDate = hours.tradeDate(nowMs)
  for (const symbol of symbols) {
    const last = recorded.get(symbol)
    const start = last === undefined ? HISTORY_START : addDays(last, -CORRECTED_DAYS)
    const query = { symbols: symbol, timeframe: '1Day', start, adjustment: 'raw', feed, limit: PAGE }
    const bars: DailyBar[] = []
    for await (const page of pages(options.rest, `${dataUrl}/v2/stocks/bars`, query)) {
      const bySymbol = page.bars ? asObject(page.bars, 'the bars') : {}
      bars.push(...asList(bySymbol[symbol], 'the bars').map(toBar))
    }
    await storeBars(
      sql,
      symbol,
      bars.filter(({ date }) => date < runningDate),
    )
  }
}

const toBar = (bar: WireObject): DailyBar => ({
  date: newYorkTime(time(bar, 't')).date,
  open8: decimal(bar, 'o', 8),
  high8: decimal(bar, 'h', 8),
  low8: decimal(bar, 'l', 8),
  close8: decimal(bar, 'c', 8),
  volumeWad: decimal(bar, 'v', 18),
})

async function storeBars(sql: Sql, symbol: string, bars: readonly DailyBar[]): Promise<void> {
  if (bars.length === 0) return
  const dates = bars.map(({ date }) => Date.parse(date))
  await ensurePartitions(sql, DAILY_BARS, dates)
  await ensurePartitions(sql, WEEKLY_BARS, dates.map(mondayMs))
  await inTransaction(sql, async (tx) => {
    const changed = await upsertDailyBars(tx, symbol, bars)
    await refreshLastClose(tx, symbol)
    if (changed > 0) await rebuildWeeks(tx, symbol)
  })
}

export interface LoadedActions {
  /** What the venue has no place for. */
  readonly unknown: readonly string[]
  /** Splits that cannot be read, and that somebody has to apply by hand; and applied ones that the source has corrected since. */
  readonly problems: readonly string[]
}

/**
 * Loads the corporate actions of the configured symbols that are listed (https://docs.alpaca.markets/reference/corporateactions-1).
 * Nothing is guessed.
 */
export async function loadCorporateActions(options: ReferenceOptions, nowMs: number): Promise<LoadedActions> {
  const { sql } = options
  const listed = (await listSymbols(sql)).map(({ symbol }) => symbol)
  const symbols = options.symbols.filter((symbol) => listed.includes(symbol))
  if (symbols.length === 0) return { unknown: [], problems: [] }
  const today = newYorkTime(nowMs).date
  const byType = await actionsByType(options, symbols, addDays(today, ANNOUNCED_DAYS))
  const { actions, unknown, unreadSplits } = readActions(byType, new Set(symbols))
  await inTransaction(sql, (tx) => replaceCorporateActions(tx, actions))
  const alarmedSince = addDays(today, -ALARMED_DAYS)
  const corrected = await correctedSplits(sql, actions, alarmedSince)
  const applied = await listAppliedSplits(sql)
  const isOpen = ({ symbol, exDate }: UnreadSplit) =>
    (exDate === null || exDate >= alarmedSince) &&
    !applied.some((split) => split.symbol === symbol && split.exDate === exDate)
  return {
    unknown: [...unknown, ...unreadSplits.filter((split) => !isOpen(split)).map(({ problem }) => problem)],
    problems: [...unreadSplits.filter(isOpen).map(({ problem }) => `a split cannot be read: ${problem}`), ...corrected],
  }
}

async function actionsByType(
  { rest, dataUrl }: ReferenceOptions,
  symbols: readonly string[],
  end: string,
): Promise<ReadonlyMap<string, readonly WireObject[]>> {
  const query = { symbols: symbols.join(), start: HISTORY_START, end, limit: ACTION_PAGE, sort: 'asc' }
  const byType = new Map<string, WireObject[]>()
  for await (const page of pages(rest, `${dataUrl}/v1/corporate-actions`, query)) {
    for (const [type, list] of Object.entries(asObject(page.corporate_actions ?? {}, 'the corporate actions'))) {
      byType.set(type, [...(byType.get(type) ?? []), ...asList(list, 'the corporate actions')])
    }
  }
  return byType
}

/** Every page of a list of market data, by its `next_page_token`. */
async function* pages(rest: AlpacaRest, url: string, query: Query): AsyncGenerator<WireObject> {
  for (let token: string | null = null; ; ) {
    const page: WireObject = asObject(await rest.get(url, { ...query, page_token: token }), 'the page')
    yield page
    token = page.next_page_token ? text(page, 'next_page_token') : null
    if (token === null) return
  }
}
