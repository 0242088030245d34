import type { Sql } from '../../db/pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { Logger } from '../../lib/logger.ts'
import type { MarketHours } from '../hours.ts'
import { requireOrigin } from '../origin.ts'
import type { Execution } from '../ports.ts'
import { marketReasons } from '../reasons.ts'
import {
  adoptOrder,
  type CopiedOrder,
  clientOrderIds,
  differences,
  findCopies,
  journal,
  newestExecutionMs,
  openCopies,
  takeOrder,
} from './order-store.ts'
import { readOrder } from './order-wire.ts'
import type { Fill, TradingApi } from './trading-api.ts'
import { text } from './wire.ts'

/** How much later than newer fills a fill may appear. */
const OVERLAP_MS = 60_000
/** An order leaves the broker's books this long before it ends, where the broker's own day would end it later. */
export const EXPIRY_LEAD_MS = 5_000
/** And where the broker's day ends it, the venue steps in this long after. */
const EXPIRY_GRACE_MS = 60_000

/** How often the broker is asked. Its limit is 200 requests a minute for all that an account does. */
export interface Pace {
  /** Delay of the next look after word of a fill. */
  readonly hintedMs: number
  /** Delay of the next look without any word. */
  readonly pollMs: number
  /** Interval of looks for orders that ended, and for fills that became visible late. */
  readonly reconcileMs: number
}
export const DEFAULT_PACE: Pace = { hintedMs: 1_000, pollMs: 5_000, reconcileMs: 30_000 }

export interface BooksOptions {
  readonly sql: Sql
  readonly api: TradingApi
  readonly clock: Clock
  readonly hours: MarketHours
  readonly log: Logger
  readonly pace: Pace
}

/**
 * Keeps the copy of the broker's books: every order of the venue as it stands, every execution of the account once. The
 * account's activities are the one source of executions; what the stream says only brings the next look forward.
 */
export class AlpacaBooks {
  readonly #options: BooksOptions
  #account: Promise<void> | null = null
  #round: Promise<void> | null = null
  #hinted = true
  #mustReconcile = true
  #pulledMs = Number.NEGATIVE_INFINITY
  #reconciledMs = Number.NEGATIVE_INFINITY
  /** When the broker was last asked to end an order that is past its time, by its own id. */
  readonly #endedMs = new Map<string, number>()

  constructor(options: BooksOptions) {
    this.#options = options
  }

  /** Called when something was, or may have been, filled. */
  hint(): void {
    this.#hinted = true
  }

  /** Called when the stream was away: anything may have happened. */
  missed(): void {
    this.#hinted = true
    this.#mustReconcile = true
  }

  /** Brings the copy up to date where that is due. Rejects when the broker cannot be asked. */
  sync(): Promise<void> {
    this.#round ??= this.#sync().finally(() => {
      this.#round = null
    })
    return this.#round
  }

  /**
   * Refuses an account that is not the one this database belongs to: its orders and executions are not in the other's
   * books. Throws `market_origin_changed`.
   */
  checkAccount(): Promise<void> {
    const check = async () => requireOrigin(this.#options.sql, `alpaca ${await this.#options.api.accountId()}`)
    this.#account ??= check().catch((error) => {
      this.#account = null
      throw error
    })
    return this.#account
  }

  /** Asks to cancel, then how the order stands. */
  async cancel(brokerOrderId: string): Promise<void> {
    await this.#options.api.cancel(brokerOrderId)
    await this.#refresh(brokerOrderId)
  }

  async #sync(): Promise<void> {
    await this.checkAccount()
    const { clock, pace } = this.#options
    const nowMs = clock.nowMs()
    await this.#endExpired(nowMs)
    if (nowMs - this.#pulledMs >= (this.#hinted ? pace.hintedMs : pace.pollMs)) await this.#look(nowMs)
    if (this.#mustReconcile || nowMs - this.#reconciledMs >= pace.reconcileMs) await this.#reconcile(nowMs)
  }

  /** A hint that arrives meanwhile, and one that could not be followed, stays. */
  async #look(nowMs: number): Promise<void> {
    this.#hinted = false
    try {
      const newestMs = await newestExecutionMs(this.#options.sql)
      await this.#pull(newestMs)
      this.#pulledMs = nowMs
    } catch (error) {
      this.#hinted = true
      throw error
    }
  }

  /** Takes over orders that ended unheard, then looks for fills that became visible after newer ones. */
  async #reconcile(nowMs: number): Promise<void> {
    this.#mustReconcile = false
    try {
      await this.#takeOpenOrders()
      const { missingFromMs } = await differences(this.#options.sql)
      if (missingFromMs !== null) await this.#pull(missingFromMs)
      this.#reconciledMs = nowMs
    } catch (error) {
      this.#mustReconcile = true
      throw error
    }
  }

  /** Journals the account's executions from shortly before an instant on. */
  async #pull(fromMs: number | null): Promise<void> {
    const { sql, api } = this.#options
    for await (const page of api.fills(fromMs === null ? null : fromMs - OVERLAP_MS)) {
      if (page.length > 0) await journal(sql, await this.#named(page))
    }
    await this.#refreshBehind()
  }

  /** Fills under the venue's own order ids. */
  async #named(fills: readonly Fill[]): Promise<readonly Execution[]> {
    const known = new Map(await clientOrderIds(this.#options.sql, [...new Set(fills.map((one) => one.brokerOrderId))]))
    const executions: Execution[] = []
    for (const { brokerOrderId, ...fill } of fills) {
      const clientOrderId = known.get(brokerOrderId) ?? (await this.#adopt(brokerOrderId))
      known.set(brokerOrderId, clientOrderId)
      executions.push({ ...fill, clientOrderId })
    }
    return executions
  }

  /**
   * The client order id of an order whose own id the copy does not have: the venue's with a lost answer, or another's. One
   * that is no plain order of shares cannot be the venue's.
   */
  async #adopt(brokerOrderId: string): Promise<string> {
    const { api, sql } = this.#options
    const found = await api.order(brokerOrderId)
    if (!found) {
      throw new AppError(marketReasons.broker_answer_invalid, `the broker does not know its own order ${brokerOrderId}`)
    }
    const clientOrderId = text(found, 'client_order_id')
    try {
      await adoptOrder(sql, readOrder(found))
    } catch (error) {
      if ((await findCopies(sql, [clientOrderId])).length > 0) throw error
    }
    return clientOrderId
  }

  async #refresh(brokerOrderId: string): Promise<void> {
    const found = await this.#options.api.order(brokerOrderId)
    if (found) await takeOrder(this.#options.sql, readOrder(found))
  }

  /** Orders with fewer fills than the journal has: their end may have come with the last of them. */
  async #refreshBehind(): Promise<void> {
    const { sql, log } = this.#options
    for (const { clientOrderId, brokerOrderId, isOpen } of (await differences(sql)).behind) {
      if (isOpen) await this.#refresh(brokerOrderId)
      else log.error({ order: clientOrderId }, 'the broker counts less of an order than it has executed')
    }
  }

  async #takeOpenOrders(): Promise<void> {
    const { sql, api } = this.#options
    const listed = await api.openOrders()
    for (const order of listed) await takeOrder(sql, order)
    const open = new Set(listed.map((order) => order.brokerOrderId))
    for (const { brokerOrderId } of await openCopies(sql)) {
      if (brokerOrderId !== null && !open.has(brokerOrderId)) await this.#refresh(brokerOrderId)
    }
  }

  async #endExpired(nowMs: number): Promise<void> {
    const { sql, pace } = this.#options
    for (const order of await openCopies(sql)) {
      if (order.brokerOrderId === null || !this.#mustEnd(order, nowMs)) continue
      if (nowMs - (this.#endedMs.get(order.brokerOrderId) ?? Number.NEGATIVE_INFINITY) < pace.pollMs) continue
      this.#endedMs.set(order.brokerOrderId, nowMs)
      await this.cancel(order.brokerOrderId)
    }
  }

  #mustEnd({ expiresAtMs, submittedMs, endedUnsent }: CopiedOrder, nowMs: number): boolean {
    if (endedUnsent) return true
    if (expiresAtMs === null || submittedMs === null) return false
    const endsItself = this.#options.hours.dayOrderExpiry(submittedMs) <= expiresAtMs
    return nowMs >= (endsItself ? expiresAtMs + EXPIRY_GRACE_MS : expiresAtMs - EXPIRY_LEAD_MS)
  }
}
