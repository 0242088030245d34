import { inTransaction, type Sql, type Tx } from '../db/pool.ts'
import type { Clock } from '../lib/clock.ts'
import { AppError } from '../lib/errors.ts'
import { rebuildWeeks, refreshLastClose, upsertDailyBars } from './bar-store.ts'
import { simulatedCoins } from './coins.ts'
import { replaceCorporateActions } from './corporate-action-store.ts'
import { type CorporateAction, readCorporateActions } from './corporate-actions.ts'
import { hoursOf, type KeptHours, saveMarketHours } from './hours-store.ts'
import type { Instrument } from './instruments.ts'
import { DAILY_BARS, ensurePartitions, mondayMs, WEEKLY_BARS } from './partitions.ts'
import { marketReasons } from './reasons.ts'
import { type DailyBar, readDailyBars } from './replay.ts'
import { simulatedBroker } from './simulator/broker.ts'
import { PricePath } from './simulator/price-path.ts'
import { SimulatedPrices } from './simulator/prices.ts'
import { simulatedQuoteSource } from './simulator/quote-source.ts'
import { lockBook, startPath } from './simulator/store.ts'
import { upsertSymbols } from './store.ts'
import type { Market } from './tasks.ts'

/** A CSV file of a symbol's daily bars. */
export interface RecordedFile {
  readonly symbol: string
  readonly path: string
}

export interface EmbeddedMarketOptions {
  /** Decides every simulated price, and when an order fills. */
  readonly seed: string
  readonly marketClock: Clock
  readonly instruments: readonly Instrument[]
  readonly recordedFiles: readonly RecordedFile[]
  /** A CSV of corporate actions; what an earlier start loaded stays when it is not given. */
  readonly corporateActionsFile?: string | undefined
  /** When the market trades; always unless given. */
  readonly marketHours?: KeptHours
  /** The simulated broker rejects larger orders; USD with 18 decimals. */
  readonly maxOrderNotionalWad: bigint
  /** The simulated broker fills within this many seconds. */
  readonly maxFillDelaySteps: number
}

/**
 * Opens the embedded market: lists the instruments, loads the recorded files (again, without harm), and lets the simulator
 * go on from the last close. An instrument with neither a starting price nor a record is not listed. Safe to call in several
 * processes at once. Throws `recorded_file_invalid`, `recorded_symbol_unknown` or `corporate_actions_file_invalid`, with
 * nothing stored.
 */
export async function openEmbeddedMarket(sql: Sql, options: EmbeddedMarketOptions): Promise<Market> {
  const files = { recorded: await readRecordedFiles(options), actions: await readActions(options) }
  const dates = [...files.recorded.values()].flat().map((bar) => Date.parse(bar.date))
  await ensurePartitions(sql, DAILY_BARS, dates)
  await ensurePartitions(sql, WEEKLY_BARS, dates.map(mondayMs))
  const paths = await inTransaction(sql, (tx) => openPaths(tx, options, files))
  const { marketClock, marketHours = 'always' } = options
  const hours = hoursOf(marketHours)
  const prices = new SimulatedPrices(paths)
  return {
    source: simulatedQuoteSource(sql, prices, marketClock, hours),
    coins: simulatedCoins(options.seed, marketClock),
    broker: simulatedBroker({ ...options, sql, prices, hours }),
    clock: marketClock,
    hours,
  }
}

/** What the files say; null actions when no file was given. */
interface Files {
  readonly recorded: ReadonlyMap<string, readonly DailyBar[]>
  readonly actions: readonly CorporateAction[] | null
}

/** Only a listed symbol can have actions. */
async function readActions({ corporateActionsFile, ...options }: EmbeddedMarketOptions): Promise<Files['actions']> {
  if (corporateActionsFile === undefined) return null
  return readCorporateActions(corporateActionsFile, new Set(listed(options).map(({ symbol }) => symbol)))
}

const listed = ({ instruments, recordedFiles }: Pick<EmbeddedMarketOptions, 'instruments' | 'recordedFiles'>) =>
  instruments.filter(
    ({ symbol, startingPrice8 }) => startingPrice8 !== null || recordedFiles.some((file) => file.symbol === symbol),
  )

async function readRecordedFiles(options: EmbeddedMarketOptions): Promise<ReadonlyMap<string, readonly DailyBar[]>> {
  const recorded = new Map<string, readonly DailyBar[]>()
  for (const { symbol, path } of options.recordedFiles) {
    if (!options.instruments.some((instrument) => instrument.symbol === symbol)) {
      throw new AppError(marketReasons.recorded_symbol_unknown, `${path}: there is no instrument ${symbol}`)
    }
    recorded.set(symbol, await readDailyBars(path))
  }
  return recorded
}

async function openPaths(
  tx: Tx,
  options: EmbeddedMarketOptions,
  { recorded, actions }: Files,
): Promise<ReadonlyMap<string, PricePath>> {
  await lockBook(tx)
  const { instruments, marketHours = 'always' } = options
  await saveMarketHours(tx, marketHours)
  await upsertSymbols(tx, listed(options))
  for (const [symbol, bars] of recorded) {
    const changed = await upsertDailyBars(tx, symbol, bars)
    await refreshLastClose(tx, symbol)
    if (changed > 0) await rebuildWeeks(tx, symbol)
  }
  if (actions !== null) await replaceCorporateActions(tx, actions)
  const openMs = hoursOf(marketHours).lastOpen(options.marketClock.nowMs())
  const paths = new Map<string, PricePath>()
  for (const instrument of instruments) {
    const start = await startPath(tx, options.seed, instrument.symbol, openMs)
    if (start) paths.set(instrument.symbol, new PricePath(instrument, start))
  }
  return paths
}
