import type { Hex } from '../../chain/types.ts'

/** What an instrument of the plan is, and the feed that prices it. */
export interface InstrumentPlan {
  /** The base's symbol, such as BTC. */
  readonly base: string
  /** Where its price begins, with 8 decimals. */
  readonly price8: bigint
  /** The stock oracle that prices it under its base; null for a feed of its own. */
  readonly stockOracle: Hex | null
}

/** A quote's parameters as Config takes them (perp-protocol 1.4); amounts are WAD, ratios basis points. */
export interface QuoteParams {
  readonly minMarginAmount: bigint
  readonly tradingFeeRatio: number
  readonly protocolFeeRatio: number
  /** 1 STABLE, 2 NONSTABLE. */
  readonly qtype: number
  readonly tip: bigint
}

/** How the perpetual product of a development chain looks. */
export interface PerpPlan {
  readonly quote: Hex
  readonly params: QuoteParams
  readonly instruments: readonly InstrumentPlan[]
  /** When their prices were made, Unix seconds. */
  readonly priceTimeSec: number
  /** A price older than this is refused, seconds. */
  readonly heartBeatSec: number
  /** The same of a price of the stock oracle, which is published more seldom. */
  readonly stockHeartBeatSec: number
  /** Margin of the first range of each instrument, which the deployer provides; WAD. */
  readonly liquidityWad: bigint
  /** How far that range reaches to either side of the price, in ticks. */
  readonly liquidityTicks: number
}

/** What the names of the venue's own feeds begin with in the deployment file; the base follows. */
export const FEED_PREFIX = 'PerpFeed'
