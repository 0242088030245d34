import type { Hex } from '../types.ts'

/** A stock to list. */
export interface StockListing {
  /** Upper-case ticker of the underlying. */
  readonly ticker: string
  /** Name of the company or fund. */
  readonly company: string
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
  /** Settles orders and cash; mints and burns stock tokens; holds the venue's inventory. */
  readonly settle: Hex
  /** Publishes oracle prices. */
  readonly oracle: Hex
  /** Operators of the OperatorPool: they submit what users have delegated. */
  readonly submit: readonly Hex[]
  /** Applies splits to stock tokens. */
  readonly configure: Hex
  /** Approves wallets and removes them. */
  readonly compliance: Hex
  /** Pauses contracts and tokens; null: nobody, and the administrator may name one. */
  readonly guardian: Hex | null
}

/** All that decides how the stock product stands on a chain. Rates are parts per million. */
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
  /** After so long users alone take back what the venue has not settled. */
  readonly exitDelaySec: number
  /** A market fill lies within this of an oracle price that is at most `maxPriceAgeSec` old. */
  readonly maxDeviationPpm: number
  readonly maxPriceAgeSec: number
}
