/**
 * The two doors to the market outside: where quotes come from and where orders go. The simulator stands behind both by
 * default; an adapter of a real feed or broker implements the same.
 *
 * Units: `…8` is a price in USD with 8 decimals, `…Wad` a quantity or an amount of USD with 18 decimals.
 */

/** One quote of a symbol as the source gives it. */
export interface SourceQuote {
  readonly symbol: string
  /** Last trade. */
  readonly price8: bigint
  readonly bid8: bigint
  readonly ask8: bigint
  /**
   * Shares traded so far, by the source's running counter: it grows, and starts again lower when the source begins a new
   * trade date. Only differences between consecutive quotes are used.
   */
  readonly volumeWad: bigint
  /** When the source says the quote was made, market clock, Unix ms. Never re-stamped. */
  readonly timeMs: number
}

export interface QuoteSource {
  readonly name: string
  /** Tickers the source knows, upper-case. */
  symbols(): readonly string[]
  /**
   * The newest quote of every known symbol that has one. A streaming adapter answers from what its stream last said.
   * Rejects when the source cannot be asked; the next poll asks again.
   */
  latestQuotes(): Promise<readonly SourceQuote[]>
}

export type Side = 'buy' | 'sell'

/** What an order trades: a market buy spends USD, everything else is a quantity of shares. */
export type OrderTerms =
  | { readonly type: 'market'; readonly side: 'buy'; readonly notionalWad: bigint }
  | { readonly type: 'market'; readonly side: 'sell'; readonly quantityWad: bigint }
  | {
      readonly type: 'limit'
      readonly side: Side
      readonly quantityWad: bigint
      /** A buy fills at or below it, a sell at or above it; USD a share. */
      readonly limitPrice8: bigint
    }

/** An order for a broker. */
export type BrokerOrderRequest = OrderTerms & {
  /** At most 128 characters; names the order for ever, in the broker's books as in ours. */
  readonly clientOrderId: string
  readonly symbol: string
  /**
   * The broker ends the order at this instant (market clock, Unix ms), and answers `expired` when it gets it later. Null:
   * it stands until it is filled.
   */
  readonly expiresAtMs: number | null
}

/** `accepted` and `partially_filled` are open; the rest is final. */
export type BrokerOrderStatus = 'accepted' | 'partially_filled' | 'filled' | 'canceled' | 'expired' | 'rejected'

/** An order as the broker's books have it. */
export interface BrokerOrder {
  readonly clientOrderId: string
  readonly brokerOrderId: string
  readonly symbol: string
  readonly side: Side
  readonly status: BrokerOrderStatus
  readonly filledQuantityWad: bigint
  /** Why, when `status` is `rejected`; the broker's own words. */
  readonly rejectReason: string | null
}

/** One fill of an order. */
export interface Execution {
  /** Unique in the broker's books. */
  readonly executionId: string
  readonly clientOrderId: string
  readonly symbol: string
  readonly side: Side
  readonly quantityWad: bigint
  readonly price8: bigint
  /** When the broker says it happened, market clock, Unix ms. */
  readonly timeMs: number
}

/** What the broker's account holds of a symbol. */
export interface BrokerPosition {
  readonly symbol: string
  /** Shares; negative when sold short. */
  readonly quantityWad: bigint
}

export interface ExecutionPage {
  readonly executions: readonly Execution[]
  /** Ask for what came after by passing it back; unchanged when the page is empty. */
  readonly cursor: string | null
}

export interface Broker {
  readonly name: string
  /** Decimals the broker reads; what is finer must be cut off before an order is sent. */
  readonly precision: { readonly quantityDecimals: number; readonly notionalDecimals: number }
  /**
   * Places the order, once for each `clientOrderId`: sent again, it answers the order that stands. A refusal is an answer
   * with status `rejected`. Limit orders fill, in parts or whole, in every session in which the asset may trade, market
   * orders in the regular one. Rejects only when the outcome is unknown: send again.
   */
  submit(order: BrokerOrderRequest): Promise<BrokerOrder>
  /**
   * Asks to cancel; the answer is the order as it stands then, which may still be open: a part may be filled before the
   * cancel takes effect. Null when the broker does not know it.
   */
  cancel(clientOrderId: string): Promise<BrokerOrder | null>
  /** The named orders as they stand; an unknown one is left out. */
  findOrders(clientOrderIds: readonly string[]): Promise<readonly BrokerOrder[]>
  /** Every open order, ours or not, for reconciliation. */
  openOrders(): Promise<readonly BrokerOrder[]>
  /** Executions after `cursor` (null: from the beginning), in the order of the broker's books, at most `limit`. */
  executionsSince(cursor: string | null, limit: number): Promise<ExecutionPage>
  /** Every position of the account that is not zero, ours or not, for reconciliation. */
  positions(): Promise<readonly BrokerPosition[]>
}
