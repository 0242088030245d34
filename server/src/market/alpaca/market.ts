import { inTransaction, type Sql } from '../../db/pool.ts'
import type { Task } from '../../http/product.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { saveMarketHours } from '../hours-store.ts'
import type { Instrument } from '../instruments.ts'
import { requireOriginOf } from '../origin.ts'
import { marketReasons } from '../reasons.ts'
import type { Market } from '../tasks.ts'
import { DEFAULT_PACE, type Pace } from './books.ts'
import { alpacaBroker } from './broker.ts'
import { calendarDifferences } from './calendar-check.ts'
import { alpacaQuotes } from './quotes.ts'
import { loadCorporateActions, loadReferenceData, type ReferenceOptions, readInstruments } from './reference-data.ts'
import { alpacaRest } from './rest.ts'
import { type TradeUpdates, tradeUpdates } from './trade-updates.ts'
import { tradingApi } from './trading-api.ts'

export interface AlpacaSettings {
  readonly keyId: string
  readonly secretKey: string
  readonly tradingUrl: string
  readonly dataUrl: string
  readonly streamUrl: string
  readonly feed: string
  /** Tickers that the venue lists. */
  readonly symbols: readonly string[]
}

export interface AlpacaMarketOptions {
  readonly settings: AlpacaSettings
  readonly clock: Clock
  readonly log: Logger
  readonly pace?: Pace
  /** First pause after a lost connection or a failed read. */
  readonly firstRetryMs?: number
  readonly timeoutMs?: number
}

/** A market with what it needs done beside the market's own tasks. */
export interface OpenMarket extends Market {
  /** With nothing remembered. */
  tasks(): readonly Task[]
  close(): void
}

/**
 * The market at Alpaca. Nothing is asked of it here: connections and requests begin with the first round of a task, so that
 * a venue starts, and a standby waits, without it. Throws `market_origin_changed` when the database belongs to another.
 */
export async function openAlpacaMarket(sql: Sql, options: AlpacaMarketOptions): Promise<OpenMarket> {
  const { settings, clock, log, pace = DEFAULT_PACE, firstRetryMs, timeoutMs } = options
  const hours = usCalendar
  await requireOriginOf(sql, 'alpaca')
  await inTransaction(sql, (tx) => saveMarketHours(tx, 'calendar'))
  const retry = firstRetryMs === undefined ? {} : { firstRetryMs }
  const rest = alpacaRest({ ...settings, ...retry, ...(timeoutMs === undefined ? {} : { timeoutMs }) })
  const parts = { ...settings, sql, rest, hours, log, ...retry }
  const source = alpacaQuotes(parts)
  let updates: TradeUpdates | undefined
  const broker = alpacaBroker({
    sql,
    hours,
    log,
    clock,
    pace,
    api: tradingApi(rest, settings.tradingUrl, log),
    followUpdates: (books) => {
      updates = tradeUpdates({ ...parts, books })
      return updates
    },
  })
  return {
    source,
    coins: null,
    broker,
    clock,
    hours,
    tasks: () => [referenceTask(parts, clock), actionsTask(parts, clock), calendarTask(parts, clock)],
    close() {
      source.close()
      updates?.close()
    },
  }
}

/** The configured symbols as the broker describes them. Throws `broker_reference_differs` when it does not know one. */
export async function instrumentsAtAlpaca(settings: AlpacaSettings): Promise<readonly Instrument[]> {
  const instruments = await readInstruments({ ...settings, rest: alpacaRest(settings) })
  const missing = settings.symbols.filter((symbol) => !instruments.some((known) => known.symbol === symbol))
  if (missing.length > 0) throw differs(`the broker does not know ${missing.join(', ')}`)
  return instruments
}

const TASK_INTERVAL_MS = 60_000
/** How long a split may be announced, or taken back, before it holds a token or lets it go. */
const ACTIONS_INTERVAL_MS = 120_000

/** At the start and with each new trade date; a failed round is tried again a minute later. */
function referenceTask(options: ReferenceOptions, clock: Clock): Task {
  let loadedFor: string | null = null
  let missing: readonly string[] = []
  return {
    name: 'market.reference',
    intervalMs: TASK_INTERVAL_MS,
    async run() {
      const nowMs = clock.nowMs()
      const tradeDate = options.hours.tradeDate(nowMs)
      if (loadedFor !== tradeDate) missing = await loadReferenceData(options, nowMs)
      loadedFor = tradeDate
      if (missing.length > 0) throw differs(`the broker does not know ${missing.join(', ')}`)
    },
  }
}

/**
 * In every round, on closed days too: the source may tell of a split on the very day that it happens. Fails in every round while one
 * that somebody has to apply cannot be read, or is another than the one that was applied.
 */
function actionsTask(options: ReferenceOptions, clock: Clock): Task {
  let logged = ''
  return {
    name: 'market.corporate-actions',
    intervalMs: ACTIONS_INTERVAL_MS,
    async run() {
      const { unknown, problems } = await loadCorporateActions(options, clock.nowMs())
      if (unknown.length > 0 && unknown.join() !== logged) {
        options.log.warn({ actions: unknown }, 'corporate actions that the venue has no place for')
      }
      logged = unknown.join()
      if (problems.length > 0) throw differs(problems.join('; '))
    },
  }
}

/** Fails in every round while the calendars differ, so that the keeper's state and its alarm show it. */
function calendarTask(options: ReferenceOptions, clock: Clock): Task {
  let comparedFor: string | null = null
  let differing: readonly string[] = []
  return {
    name: 'market.calendar',
    intervalMs: TASK_INTERVAL_MS,
    async run() {
      const tradeDate = options.hours.tradeDate(clock.nowMs())
      if (comparedFor !== tradeDate) differing = await calendarDifferences(options, tradeDate)
      comparedFor = tradeDate
      if (differing.length > 0) throw differs(`the broker's calendar differs: ${differing.slice(0, 10).join('; ')}`)
    },
  }
}

const differs = (message: string): AppError => new AppError(marketReasons.broker_reference_differs, message)
