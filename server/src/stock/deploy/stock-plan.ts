import type { Hex } from '../../chain/types.ts'

/** A stock to list. */
export interface StockListing {
  /** Upper-case ticker of the underlying. */
  readonly ticker: string
  /** Name of the company or fund. */
  readonly company: string
  /** Tokens (18 decimals) that settlements may mint within a period, and again as they grow back. */
  readonly mintCapacityWad: bigint
}

/** A token that the Cashier takes for cash. Amounts are in the token's own units. */
export interface CashTokenPlan {
  /** The key of its address in the deployment file, `USDC` say. */
  readonly name: string
  readonly address: Hex
  readonly decimals: number
  readonly minAmount: bigint
  /** mUSD for one token, parts per million. */
  readonly usdRatePpm: number
  readonly withdrawBuffer: bigint
  readonly withdrawBufferCapacity: bigint
}

/** Who may do what once the venue stands; lower-case addresses. The administrator is not here: it comes by hand-over. */
export interface StockRoles {
  /** Settles orders and cash. */
  readonly settle: Hex
  /** Publishes oracle prices. */
  readonly oracle: Hex
  /** Operators of the OperatorPool: they submit what users have delegated. */
  readonly submit: readonly Hex[]
  /** Applies splits to stock tokens. */
  readonly configure: Hex
  /** Approves wallets and removes them. */
  readonly compliance: Hex
  /** Says what cash tokens are worth, within bounds; null: nobody. */
  readonly rates: Hex | null
  /** Pauses contracts, tokens and feeds; null: nobody, and the administrator may name one. */
  readonly guardian: Hex | null
}

/** Parameters of the stock product on a chain. Rates are parts per million. */
export interface StockPlan {
  readonly roles: StockRoles
  /** Administrates the stock tokens, which are born with their administrator. */
  readonly tokenAdmin: Hex
  readonly cashTokens: readonly CashTokenPlan[]
  readonly stocks: readonly StockListing[]
  readonly creditBufferWad: bigint
  readonly instantThresholdDivisor: number
  readonly depositFeePpm: number
  readonly withdrawFeePpm: number
  readonly orderFees: {
    readonly buyThirdPartyPpm: number
    readonly buyProtocolPpm: number
    readonly sellThirdPartyPpm: number
    readonly sellProtocolPpm: number
  }
  /** After so long users alone take back an order that the venue has not settled. */
  readonly exitDelaySec: number
  /** The same of queued cash and queued stock. */
  readonly withdrawExitDelaySec: number
  /** So long after the end of an order's trade date its fills may still be settled. */
  readonly lateSettlementSec: number
  /** A market fill lies within this of the oracle's price, which its source gave at most `maxPriceAgeSec` ago. */
  readonly maxDeviationPpm: number
  /** No limit fill is worse than that price by more than this. */
  readonly maxLimitDeviationPpm: number
  readonly maxPriceAgeSec: number
  readonly mintPeriodSec: number
  readonly delegation: {
    /** How long one lasts. */
    readonly durationSec: number
    /** What the relayer may put at risk for a user within a day, USD with 18 decimals, unless the user says otherwise. */
    readonly dailyAmountWad: bigint
  }
}
