// Made of the OpenAPI document by scripts/generate-sdk.ts; a change belongs there.
import type { CallOptions, Client } from '../core/client.ts'

/** Amounts that the wire has as JSON numbers; a client gets their exact text. */
export const DECIMALS: readonly string[] = [
  'baseVolume',
  'close',
  'currentPrice',
  'high',
  'high24h',
  'highPrice24h',
  'low',
  'low24h',
  'lowPrice24h',
  'maxLeverage',
  'open',
  'openPrice24h',
  'price',
  'priceChangePercentage24H',
  'quoteVolume',
  'volumeUSD',
]

export interface AddLiquidityAction {
  readonly action: 'add-liquidity'
  readonly params: Params9
}

export interface AdjustAction {
  readonly action: 'adjust'
  readonly params: Params7
}

export interface After {
  /** Base; negative for a short, 18 decimals. */
  readonly size: string
  /** Margin, funding and social loss up to now included, 18 decimals. */
  readonly margin: string
  /** Average price of the entry; 0 when flat, 18 decimals. */
  readonly entryPrice: string
  /** Profit of the price at the mark, 18 decimals. */
  readonly unrealizedPnl: string
  /** Margin and profit, 18 decimals. */
  readonly equity: string
  /** Value at the mark over equity; 0 when flat or without equity, 18 decimals. */
  readonly leverage: string
  /** Mark at which the position is liquidated; 0 where none is, 18 decimals. */
  readonly liquidationPrice: string
}

export interface Ask {
  readonly tick: number
  /** Price of the tick, the worst in the level, 18 decimals. */
  readonly price: string
  /** Base between the level before and this one, 18 decimals. */
  readonly baseSize: string
  /** The same at the price of the tick, 18 decimals. */
  readonly quoteSize: string
  /** Base up to this level, 18 decimals. */
  readonly baseSum: string
  /** Quote up to this level, 18 decimals. */
  readonly quoteSum: string
  /** The same as baseSize, 18 decimals. */
  readonly baseQuantity: string
}

export interface Ask2 {
  readonly tick: number
  /** Price of the tick, the worst in the level, 18 decimals. */
  readonly price: string
  /** Base between the level before and this one, 18 decimals. */
  readonly baseSize: string
  /** The same at the price of the tick, 18 decimals. */
  readonly quoteSize: string
  /** Base up to this level, 18 decimals. */
  readonly baseSum: string
  /** Quote up to this level, 18 decimals. */
  readonly quoteSum: string
}

export interface BatchCancelAction {
  readonly action: 'batch-cancel'
  readonly params: Params4
}

export type Books = Readonly<
  Record<
    string,
    {
      readonly blockInfo: {
        readonly height: number
        /** Unix seconds. */
        readonly timestamp: number
      }
      /** From high to low. */
      readonly bids: readonly Ask2[]
      /** From low to high. */
      readonly asks: readonly Ask2[]
    }
  >
>

export interface CancelAction {
  readonly action: 'cancel'
  readonly params: FillOrderFields
}

export interface CloseAction {
  readonly action: 'close'
  readonly params: Params6
}

export interface DepositAction {
  readonly action: 'deposit'
  readonly params: Params5
}

export interface Execution {
  readonly id: string
  readonly instrumentAddress: string
  readonly expiry: number
  /** Base, without sign, 18 decimals. */
  readonly size: string
  /** Notional: what the size cost or brought, 18 decimals. */
  readonly balance: string
  /** Notional over size, 18 decimals. */
  readonly price: string
  /** Trading fee paid; negative where a maker received it, 18 decimals. */
  readonly tradeFee: string
  /** Protocol’s fee paid, 18 decimals. */
  readonly protocolFee: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly txHash: string
  /** Limit for an order that was taken. */
  readonly type: 'Market' | 'Limit'
  readonly typeString: 'market' | 'fill' | 'range' | 'liquidation' | 'take_over' | 'settlement'
  readonly side: 'long' | 'short'
  /** The contract’s event. */
  readonly event: string
  readonly symbol: string
  readonly baseToken: Quote
  readonly quoteToken: Quote
}

export interface FillAction {
  readonly action: 'fill'
  readonly params: FillOrderFields
}

export interface FillOrderFields {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** The order’s id, as GET order/realtime gives it. */
  readonly orderId?: string
  /** The order’s oid: tick and generation as the contract packs them. */
  readonly oid?: number | string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface FullInstrument {
  readonly instrumentAddr: string
  /** As the contract has it, such as BTC-USDC-LINK. */
  readonly symbol: string
  /** What prices it. */
  readonly market: {
    readonly info: {
      /** The market’s address. */
      readonly addr: string
      /** The market’s type, such as LINK. */
      readonly type: string
      readonly beacon: string
    }
    readonly config: {
      /** Carry of a dated pair in a day, basis points. */
      readonly dailyInterestRate: number
      readonly feederSource: readonly {
        readonly baseSymbol: string
        readonly quoteSymbol: string
        /** Kind of the price source, as its market numbers them. */
        readonly ftype: number
        /** The first feed; zero where there is none. */
        readonly aggregator0: string
        /** Age at which an answer of the first feed is too old, seconds; 0 where there is none. */
        readonly heartBeat0: number
        /** The second feed; zero where there is none. */
        readonly aggregator1: string
        /** Age at which an answer of the second feed is too old, seconds; 0 where there is none. */
        readonly heartBeat1: number
      }[]
    }
    readonly feeder: {
      /** Kind of the price source, as its market numbers them. */
      readonly ftype: number
      /** The first feed; zero where there is none. */
      readonly aggregator0: string
      /** Age at which an answer of the first feed is too old, seconds; 0 where there is none. */
      readonly heartBeat0: number
      /** The second feed; zero where there is none. */
      readonly aggregator1: string
      /** Age at which an answer of the second feed is too old, seconds; 0 where there is none. */
      readonly heartBeat1: number
      /** What an answer of the first feed is multiplied by, for 18 decimals. */
      readonly scaler0: string
      /** What an answer of the second feed is multiplied by, for 18 decimals. */
      readonly scaler1: string
    }
  }
  /** 0 normal, 1 frozen, 2 resolved. */
  readonly condition: number
  readonly setting: {
    /** Margin of a new position, basis points. */
    readonly initialMarginRatio: number
    /** Margin below which a position is liquidated, basis points. */
    readonly maintenanceMarginRatio: number
    readonly quoteParam: {
      /** Least margin, 18 decimals. */
      readonly minMarginAmount: string
      /** Fee of a taker for liquidity, basis points. */
      readonly tradingFeeRatio: number
      /** Fee of a taker for the protocol, basis points. */
      readonly protocolFeeRatio: number
      /** 0 invalid, 1 stable, 2 not stable. */
      readonly qtype: number
      /** Paid to whoever fills or removes for another, 18 decimals. */
      readonly tip: string
    }
  }
  /** Price of the source; 0 while it gives none, 18 decimals. */
  readonly spotPrice: string
  /** Its open pairs, or the one that is followed. */
  readonly amms: readonly {
    readonly instrumentAddr: string
    /** Unix seconds; 4294967295 is the perpetual. */
    readonly expiry: number
    /** When it was last brought to a time, Unix seconds. */
    readonly timestamp: number
    /** 0 dormant, 1 trading, 2 settling, 3 settled. */
    readonly status: number
    /** Tick of the curve’s price. */
    readonly tick: number
    /** Square root of the curve’s price, 96 fractional bits. */
    readonly sqrtPX96: string
    /** Liquidity at the price, 18 decimals. */
    readonly liquidity: string
    /** Liquidity of all ranges, 18 decimals. */
    readonly totalLiquidity: string
    /** Base that traders hold short, 18 decimals. */
    readonly totalShort: string
    /** Base held long, by traders and within ranges, 18 decimals. */
    readonly openInterests: string
    /** Base that traders hold long, 18 decimals. */
    readonly totalLong: string
    /** Quote that the pair holds, 18 decimals. */
    readonly involvedFund: string
    /** Fees that a unit of liquidity has earned, 18 decimals. */
    readonly feeIndex: string
    /** Fees of the protocol that were not taken out, 18 decimals. */
    readonly protocolFee: string
    /** What bankrupt accounts have cost a unit held long, 18 decimals. */
    readonly longSocialLossIndex: string
    /** The same held short, 18 decimals. */
    readonly shortSocialLossIndex: string
    /** Funding that a unit held long has received; negative where it has paid, 18 decimals. */
    readonly longFundingIndex: string
    /** The same held short, 18 decimals. */
    readonly shortFundingIndex: string
    /** Insurance fund, 18 decimals. */
    readonly insuranceFund: string
    /** Price at which a dated pair settled, 0 before, 18 decimals. */
    readonly settlementPrice: string
    /** What positions are judged by; 0 while the price source gives none, 18 decimals. */
    readonly markPrice: string
    /** The curve’s price, 18 decimals. */
    readonly fairPrice: string
    readonly blockInfo: {
      readonly height: number
      /** Unix seconds. */
      readonly timestamp: number
    }
  }[]
  readonly base: Quote
  readonly quote: Quote
  readonly displayBase: Quote
  readonly displayQuote: Quote
  readonly blockInfo: {
    readonly height: number
    /** Unix seconds. */
    readonly timestamp: number
  }
  /** No limit order can be placed. */
  readonly placePaused: boolean
  /** Hours over which funding pays the whole gap; 0 stands for 24. */
  readonly fundingHour: number
  /** Makers get no rebate. */
  readonly disableOrderRebate: boolean
  /** Kind of the price source, as its market numbers them. */
  readonly instrumentType: number
  /** Always perp, a dated pair’s too; what prices it is market.info.type of the instrument. */
  readonly marketType: string
  /** Least notional of a trade, 18 decimals. */
  readonly minTradeValue: string
  /** Least notional of a limit order, 18 decimals. */
  readonly minOrderValue: string
  /** Least notional of a range, 18 decimals. */
  readonly minRangeValue: string
  /** Least distance of a range’s edge from the price, ticks. */
  readonly minTickDelta: number
}

export interface GetExecutionsFields {
  /** From 1, which is the default. */
  readonly page?: number
  /** Rows a page; 50 by default. */
  readonly size?: number
  /** Rows of this time or later, Unix seconds. */
  readonly startTime?: number
  /** Rows of this time or earlier, Unix seconds. */
  readonly endTime?: number
  /** The instrument, BASE/QUOTE. */
  readonly symbol?: string
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetMarketOrderBookFields {
  /** Address of an instrument. */
  readonly address: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetOneClickFields {
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetOpenOrdersFields {
  /** The instrument, BASE/QUOTE. */
  readonly symbol?: string
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetPublicOrdersFields {
  /** A wallet. */
  readonly userAddress: string
  /** The chain’s id. */
  readonly chainId?: number
  /** From 1, which is the default. */
  readonly page?: number
  /** Rows a page; 50 by default. */
  readonly size?: number
  /** Rows of this time or later, Unix seconds. */
  readonly startTime?: number
  /** Rows of this time or earlier, Unix seconds. */
  readonly endTime?: number
  /** true: the newest 1000 rows at once, in the place of page and size. */
  readonly download?: 'true' | 'false'
  /** An instrument; without it, what is told is of all. */
  readonly instrumentAddress?: string
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
}

export interface GetPublicVolumesFields {
  /** Address of an account. */
  readonly userAddress: string
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetTickersFields {
  /** The instrument, BASE/QUOTE. */
  readonly symbol?: string
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The chain’s id. */
  readonly chainId?: number
}

export interface InquireByTick {
  /** Signed base, 18 decimals. */
  readonly size?: string
  /** Benchmark price, 18 decimals. */
  readonly benchmark: string
  /** Square-root price before, 96 fractional bits. */
  readonly sqrtFairPX96: string
  /** Tick before. */
  readonly tick: number
  /** Mark price, 18 decimals. */
  readonly mark: string
  /** What the size costs or brings, 18 decimals. */
  readonly entryNotional: string
  /** Fee of the trade, 18 decimals. */
  readonly fee: string
  /** Least margin, 18 decimals. */
  readonly minAmount: string
  /** Square-root price afterwards, 96 fractional bits. */
  readonly sqrtPostFairPX96: string
  /** Tick afterwards. */
  readonly postTick: number
}

export interface Instrument {
  readonly instrumentAddress: string
  readonly symbol: string
  readonly base: {
    readonly symbol: string
  }
  readonly quote: {
    readonly symbol: string
    readonly address: string
    readonly decimals: number
  }
  readonly market: {
    readonly address: string
    readonly type: string
  }
  /** Margin of a new position, basis points. */
  readonly initialMarginRatio: number
  /** Margin below which a position is liquidated, basis points. */
  readonly maintenanceMarginRatio: number
  /** Least margin, 18 decimals. */
  readonly minMarginAmount: string
  /** Fee of a taker for liquidity, basis points. */
  readonly tradingFeeRatio: number
  /** Fee of a taker for the protocol, basis points. */
  readonly protocolFeeRatio: number
  /** Paid to whoever fills or removes for another, 18 decimals. */
  readonly tip: string
  readonly quoteType: 'INVALID' | 'STABLE' | 'NONSTABLE'
  /** Least notional of a trade, 18 decimals. */
  readonly minTradeValue: string
  /** Least notional of a limit order, 18 decimals. */
  readonly minOrderValue: string
  /** Least notional of a range, 18 decimals. */
  readonly minRangeValue: string
  /** Hours over which funding pays the whole gap; 0 stands for 24. */
  readonly fundingIntervalHour: number
  /** Least distance of a range’s edge from the price, ticks. */
  readonly minRangeTickDelta: number
  readonly instrumentCondition: 'NORMAL' | 'FROZEN' | 'RESOLVED'
  readonly placeLimitOrderPaused: boolean
  readonly disableMakerOrderRebate: boolean
}

export interface KeptOrder {
  readonly keptOrderId: string
  /** Cancelled when this one is sent, and open again when that comes to nothing. */
  readonly linkedOrderIds: readonly string[]
  readonly symbol: string
  readonly expiry: number
  readonly kind: 'takeProfit' | 'stopLoss'
  /** Side of the trade: 1 sells and reduces a long, 2 buys and reduces a short. */
  readonly side: 1 | 2
  /** Mark price that it waits for, 18 decimals. */
  readonly triggerPrice: string
  readonly size: string | null
  readonly slippageBps: number
  readonly expiresAt: number | null
  /**
   * open: waits for the mark; sent: its trade is on its way; done: it traded; failed: its trade reverted, or none
   * could be sent; cancelled; expired.
   */
  readonly status: 'open' | 'sent' | 'done' | 'failed' | 'cancelled' | 'expired'
  /** When it was made, Unix seconds. */
  readonly createdAt: number
  readonly endedAt: number | null
  readonly triggeredPrice: string | null
  readonly tradedSize: string | null
  readonly txHash: string | null
  readonly reason: string | null
  readonly message: string | null
}

export interface LimitAction {
  readonly action: 'limit'
  readonly params: Params2
}

export interface List {
  /** The order’s orderId. */
  readonly id: string
  readonly instrumentAddress: string
  readonly expiry: number
  /** When it was placed, Unix seconds. */
  readonly placeTimestamp: number
  readonly placeTxHash: string
  /** Size, without sign, 18 decimals. */
  readonly size: string
  /** Margin, 18 decimals. */
  readonly balance: string
  /** The part of the size that became position, without sign, 18 decimals. */
  readonly takenSize: string
  /** The part of the margin that went with it, 18 decimals. */
  readonly takenBalance: string
  /** Price, 18 decimals. */
  readonly orderPrice: string
  /** The maker’s rebate, 18 decimals. */
  readonly feeRebate: string
  /** 1 filled: taken whole, whatever ended it; 0 cancelled. */
  readonly type: 0 | 1
  /** When it was cancelled, 0 if it was not, Unix seconds. */
  readonly cancelTimestamp: number
  /** Empty if it was not cancelled. */
  readonly cancelTxHash: string
  /** When it was filled, 0 if it was not, Unix seconds. */
  readonly fillTimestamp: number
  /** Empty if it was not filled. */
  readonly fillTxHash: string
  /** Notional of the taken size, 18 decimals. */
  readonly tradeValue: string
  readonly typeString: 'filled' | 'cancelled' | 'partial_filled'
  readonly side: 'long' | 'short'
  readonly symbol: string
  readonly baseToken: Quote
  readonly quoteToken: Quote
}

export interface List2 {
  readonly id: string
  readonly instrumentAddress: string
  readonly expiry: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly txHash: string
  /** 0 add, 1 remove. */
  readonly type: 0 | 1
  readonly typeString: 'add' | 'remove'
  readonly lowerTick: number
  readonly upperTick: number
  /** Price of the lower tick, 18 decimals. */
  readonly lowerPrice: string
  /** Price of the upper tick, 18 decimals. */
  readonly upperPrice: string
  /** The curve’s price then, 18 decimals. */
  readonly fairPrice: string
  /** Margin put in; of a removal what the range left as balance, its fee included, 18 decimals. */
  readonly amount: string
  /** Fee the range had earned, 18 decimals. */
  readonly feeEarned: string
  readonly symbol: string
  readonly baseToken: Quote
  readonly quoteToken: Quote
}

export interface List3 {
  readonly id: string
  readonly instrumentAddress: string
  readonly expiry: number
  /** Unix seconds. */
  readonly timestamp: number
  readonly txHash: string
  readonly typeString: 'receive' | 'pay' | 'scatter' | 'gather'
  /** In whole tokens, without sign. */
  readonly value: string
  /** Null where the venue has no price of the token. */
  readonly valueUsd: string | null
  readonly symbol: string
  readonly baseToken: Quote
  readonly quoteToken: Quote
}

export interface MarginAction {
  readonly action: 'margin'
  readonly params: Params8
}

export interface MarketAction {
  readonly action: 'market'
  readonly params: Params
}

export interface Movement {
  readonly id: string
  readonly tokenAddress: string
  /** Unix seconds. */
  readonly timestamp: number
  /**
   * In whole tokens; of what moves inside a pair (funding, fee, tip, loss, liquidation) negative where it was
   * paid, else without sign.
   */
  readonly value: string
  /** Null where the venue has no price of the token. */
  readonly valueUsd: string | null
  readonly txHash: string
  /**
   * Place of typeString in: deposit, withdraw, request, release, scatter, gather, funding, fee, tip, loss,
   * liquidation; from 0.
   */
  readonly type: number
  readonly typeString:
    | 'deposit'
    | 'withdraw'
    | 'request'
    | 'release'
    | 'scatter'
    | 'gather'
    | 'funding'
    | 'fee'
    | 'tip'
    | 'loss'
    | 'liquidation'
  /** Empty between wallet and Gate. */
  readonly instrumentAddress: string
  readonly tokenInfo: Quote
}

export interface Order {
  /** How much of the size was taken, signed like it, 18 decimals. */
  readonly taken: string
  readonly tick: number
  /** The generation of orders at the tick. */
  readonly nonce: number
  /** Margin, 18 decimals. */
  readonly balance: string
  /** Positive buys, 18 decimals. */
  readonly size: string
  /** Tick and nonce in one: tick · 2^24 + nonce, the tick as 24 bits. */
  readonly oid: number
  readonly orderId: string
  /** 1 SHORT, 2 LONG. */
  readonly side: 1 | 2
  /** Price, 18 decimals. */
  readonly limitPrice: string
  /** When it was placed, or ended, Unix seconds. */
  readonly lastUpdateTime: number
  readonly lastUpdateTxHash: string
  readonly instrumentAddr: string
  readonly expiry: number
  readonly symbol: string
  readonly status: 'open' | 'partial_filled' | 'filled' | 'canceled'
}

export interface Order2 {
  readonly oid: string | null
  readonly orderId: string | null
  /** sent: the transaction is about it; not_open: it is filled or cancelled already, or of another pair. */
  readonly status: 'sent' | 'not_open'
}

export interface Order3 {
  readonly oid: string | null
  readonly tick: number
  /** Price of the order, that of its tick, 18 decimals. */
  readonly price: string
  /** Base; negative for a sell, 18 decimals. */
  readonly size: string
  readonly margin: string | null
}

export interface OrdersSend {
  readonly txHash: string | null
  /** The venue’s own id of the send. */
  readonly sendId: string
  /**
   * Pending until the transaction is mined; it has failed only when it reverted or can never be mined. It is
   * Pending again should the block vanish in which it reverted.
   */
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
  readonly failureMessage: string | null
  readonly orders: readonly Order2[]
}

export interface Pair {
  readonly instrumentAddr: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly symbol: string
  /** With the price source’s type and the expiry. */
  readonly fullSymbol: string
  readonly baseToken: Quote
  readonly quoteToken: Quote
  /** The curve’s price, 18 decimals. */
  readonly fairPrice: string
  /** What positions are judged by; 0 while the price source gives none, 18 decimals. */
  readonly markPrice: string
  /** Price of the source; 0 while it gives none, 18 decimals. */
  readonly spotPrice: string
  /**
   * LIVE: the source gives a price. STALE: it is too old, or its market is closed. NONE: it has given none yet.
   * FROZEN: a guardian has frozen its feed. The instrument takes actions while it is LIVE.
   */
  readonly priceStatus: 'LIVE' | 'STALE' | 'NONE' | 'FROZEN'
  /** How far the curve’s price is from the price a day ago, as a part of that, 18 decimals. */
  readonly fairPriceChange24h: string
  /** Base traded in the day, 18 decimals. */
  readonly baseVolume24h: string
  /** Quote traded in the day, 18 decimals. */
  readonly quoteVolume24h: string
  readonly volume24hUsd: string | null
  /** Base held long, by traders and within ranges, 18 decimals. */
  readonly openInterests: string
  readonly openInterestsUsd: string | null
  /** Base that traders hold long, 18 decimals. */
  readonly longOi: string
  /** Base that traders hold short, 18 decimals. */
  readonly shortOi: string
  /** Quote that the pair holds, 18 decimals. */
  readonly tvl: string
  readonly tvlUsd: string | null
  /**
   * Funding of an hour at present prices for a unit of each side, which share it by size, as a part of the mark
   * price, positive where a side pays; 18 decimals.
   */
  readonly periods1hFunding: {
    readonly long: string
    readonly short: string
  }
  /**
   * Funding of the last complete hour, as market/funding/history has it, as a part of the mark price, positive
   * where a side pays; 18 decimals.
   */
  readonly last1hFunding: {
    readonly long: string
    readonly short: string
  }
  /**
   * What the paying side pays in an hour at present prices, as a part of the mark price: longs where it is
   * positive, else shorts, 18 decimals.
   */
  readonly fundingRatePerHour: string
  /** Time of the block, Unix seconds. */
  readonly updateTime: number
  /** Always perp, a dated pair’s too; what prices it is market.info.type of the instrument. */
  readonly marketType: string
  /** Trading fees that the day’s trades paid to ranges and resting orders, in the quote, 18 decimals. */
  readonly poolFee24h: string
  readonly maxLeverage: string
  /** 0 normal, 1 frozen, 2 resolved. */
  readonly condition: number
  /** 1 trading, 2 settling, 3 settled. */
  readonly ammStatus: number
}

export interface Params {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** Base, in human units. */
  readonly size: string
  /** 1 short, 2 long. */
  readonly side: 1 | 2
  /** Such as "5"; at most 10000 over initialMarginRatio. */
  readonly leverage: string
  /** How much worse than now the price may be, basis points. */
  readonly slippageBps: number
  /**
   * Refused unless it makes the position smaller or closes it, as it is at the block that the order is worked out
   * from. The contract itself knows no reduce-only; false unless given. The venue’s own field.
   */
  readonly reduceOnly?: boolean
  /** Accepted and ignored. */
  readonly referralCode?: string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params10 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** The range’s whole balance, if it is sent at all: a range is removed whole. */
  readonly amount?: string
  /** Lower edge, a multiple of 50. */
  readonly tickLower?: number
  /** Upper edge, a multiple of 50. */
  readonly tickUpper?: number
  /** Fair price over the lower edge, such as "1.2"; instead of ticks. */
  readonly alphaLower?: string
  /** Upper edge over the fair price, such as "1.2"; instead of ticks. */
  readonly alphaUpper?: string
  /** How much worse than now the price may be, basis points. */
  readonly slippageBps: number
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params2 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** Base, in human units. */
  readonly size: string
  /** Quote for one base, in human units; the order takes the nearest tick that is not worse. */
  readonly price: string
  /** 1 short, 2 long. */
  readonly side: 1 | 2
  /** Such as "5"; at most 10000 over initialMarginRatio. */
  readonly leverage: string
  /** Refuses an order that would trade at once; false unless given. */
  readonly postOnly?: boolean
  /**
   * So much more margin, for moves of the mark before inclusion, basis points. Unless given, 0 but near the
   * greatest leverage, where the margin suffices for a mark that is half a percent higher.
   */
  readonly markPriceBufferInBps?: number
  /** Accepted and ignored. */
  readonly referralCode?: string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params3 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** Base, in human units. */
  readonly size: string
  readonly prices: readonly string[]
  /** Equal shares, or growing towards the last price, or towards the first; FLAT unless given. */
  readonly distribution?: 'FLAT' | 'UPPER' | 'LOWER'
  /** Shares of the orders, basis points that come to 10000; instead of a distribution. */
  readonly ratios?: readonly number[]
  /** 1 short, 2 long. */
  readonly side: 1 | 2
  /** Such as "5"; at most 10000 over initialMarginRatio. */
  readonly leverage: string
  /** Accepted and ignored. */
  readonly referralCode?: string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params4 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  readonly orderIds?: readonly string[]
  readonly oids?: readonly (number | string)[]
  /** Every open order of the wallet in the pair; false is as if it were not there. */
  readonly all?: boolean
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params5 {
  /** The token, by its symbol or its address. */
  readonly quote: string
  /** Amount of the quote token, in human units, no finer than the token itself. */
  readonly amount: string
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params6 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** How much worse than now the price may be, basis points. */
  readonly slippageBps: number
  /** Base, in human units; all of it when left out. */
  readonly size?: string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params7 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** Such as "5"; at most 10000 over initialMarginRatio. */
  readonly leverage: string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params8 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** Quote, in human units, no finer than the token itself. */
  readonly amount: string
  readonly type: 'add' | 'remove'
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

export interface Params9 {
  /** The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** Margin of the range: quote, in human units, no finer than the token itself. */
  readonly amount: string
  /** Lower edge, a multiple of 50. */
  readonly tickLower?: number
  /** Upper edge, a multiple of 50. */
  readonly tickUpper?: number
  /** Fair price over the lower edge, such as "1.2"; instead of ticks. */
  readonly alphaLower?: string
  /** Upper edge over the fair price, such as "1.2"; instead of ticks. */
  readonly alphaUpper?: string
  /** How much worse than now the price may be, basis points. */
  readonly slippageBps: number
  /** Accepted and ignored. */
  readonly referralCode?: string
  /** Unix seconds that bound the inclusion on chain; 0 or none: ten minutes from now. */
  readonly deadline?: number
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
}

/** Withdrawals above the threshold, paid pendingDuration after the newest of them. */
export interface PendingBalance {
  /** Unix seconds of the newest withdrawal that waits; 0 for none. */
  readonly timestamp: number
  readonly native: boolean
  /** What waits, 18 decimals. */
  readonly amount: string
  /** What was paid after waiting, and does not count against the threshold, 18 decimals. */
  readonly exemption: string
}

export interface Portfolio {
  /** The token’s address. */
  readonly quote: string
  readonly symbol: string
  /** Decimals of the token; amounts here have 18. */
  readonly decimals: number
  /** The reserve at Gate: free for margin and withdrawals, 18 decimals. */
  readonly balance: string
  /** Withdrawals above the threshold, paid pendingDuration after the newest of them. */
  readonly pendingBalance: PendingBalance
  /** All that came in, 18 decimals. */
  readonly totalInBalance: string
  /** All that went out, 18 decimals. */
  readonly totalOutBalance: string
  /** Margin in positions, orders and ranges of perpetual pairs, 18 decimals. */
  readonly reservedBalance: string
  /** Net outflow up to which withdrawals are paid at once; 2^256 − 1 for no limit, 18 decimals. */
  readonly thresholdBalance: string
  /** What a withdrawal pays at once, 18 decimals. */
  readonly maxWithdrawable: string
  /** What the wallet holds itself, 18 decimals. */
  readonly walletBalance: string
  /** What Gate may take of that; 2^256 − 1 for no limit, 18 decimals. */
  readonly allowance: string
  /** Empty: the venue keeps no images. */
  readonly imageUrl: string
  readonly currentPrice: string | null
}

export interface Position {
  /** Margin, with what was realised since, 18 decimals. */
  readonly balance: string
  /** Positive is long, 18 decimals. */
  readonly size: string
  /** What the size cost or brought, 18 decimals. */
  readonly entryNotional: string
  /** Index of social loss from which it counts, 18 decimals. */
  readonly entrySocialLossIndex: string
  /** Index of funding from which it counts, 18 decimals. */
  readonly entryFundingIndex: string
  /** 1 SHORT, 2 LONG. */
  readonly side: 1 | 2
  /** Entry notional over size, 18 decimals. */
  readonly entryPrice: string
  /** The oracle’s price, 18 decimals; null while the oracle’s price is refused. */
  readonly markPrice: string | null
  /** Profit of the price alone, 18 decimals; null while the oracle’s price is refused. */
  readonly unrealizedPnl: string | null
  /** Funding received since the entry, up to the block; negative where it is paid, 18 decimals. */
  readonly unrealizedFunding: string
  /** What bankrupt accounts have cost it since the entry, 18 decimals. */
  readonly unrealizedSocialLoss: string
  /** Balance, profit and funding, less unrealizedSocialLoss, 18 decimals; null while the oracle’s price is refused. */
  readonly equity: string | null
  /** Value at the mark over equity; 0 without equity, 18 decimals; null while the oracle’s price is refused. */
  readonly leverage: string | null
  /** Equity below which it is liquidated, 18 decimals; null while the oracle’s price is refused. */
  readonly maintenanceMargin: string | null
  /** Mark at which equity meets the maintenance margin; 0 where none does, 18 decimals. */
  readonly liquidationPrice: string
  /** Unix seconds. */
  readonly lastUpdateTime: number
  readonly lastUpdateTxHash: string
  readonly instrumentAddr: string
  readonly expiry: number
  readonly symbol: string
}

export interface PreviewAction {
  readonly instrument: string | null
  readonly expiry: number | null
  readonly markPrice: string | null
  readonly size: string | null
  readonly price: string | null
  readonly notional: string | null
  readonly fee: string | null
  readonly priceImpact: string | null
  readonly amount: string | null
  /** Orders that are placed, cancelled or filled. */
  readonly orders: readonly Order3[]
  readonly range: Range2 | null
  readonly before: After | null
  readonly after: After | null
  /** The wallet has to approve Gate for the quote first (POST approve/prepare); the figures are as if it had. */
  readonly needsApproval: boolean
}

export interface PublicLiquidity {
  readonly list: readonly List2[]
  /** Rows of all pages together. */
  readonly totalCount: number
}

export interface PublicOrders {
  readonly list: readonly List[]
  /** Rows of all pages together. */
  readonly totalCount: number
}

export interface PublicTrades {
  readonly list: readonly Execution[]
  /** Rows of all pages together. */
  readonly totalCount: number
}

export interface PublicTransfers {
  readonly list: readonly List3[]
  /** Rows of all pages together. */
  readonly totalCount: number
}

export interface QueryOnChainContextFields {
  /** Address of an instrument. */
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** Address of an account. */
  readonly userAddress?: string
  /** Base with 18 decimals, positive buys; without it there is no quotation. */
  readonly signedSize?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export interface Quote {
  /** Zero where it is no token. */
  readonly address: string
  /** Empty where the contract of a token that is no quote of the venue says none of up to 32 printable characters. */
  readonly symbol: string
  /** 0 where the contract of such a token says none up to 255: its amounts are in its smallest unit then. */
  readonly decimals: number
  /** Empty: the venue has no images. */
  readonly image: string
  /** In USD; 0 where it is not known. */
  readonly price: string
}

export interface Range {
  readonly instrumentAddr: string
  readonly expiry: number
  readonly tickLower: number
  readonly tickUpper: number
  /** Liquidity, 18 decimals. */
  readonly liquidity: string
  /** The pair’s fee index when it was added, 18 decimals. */
  readonly entryFeeIndex: string
  /** Margin, 18 decimals. */
  readonly balance: string
  /** Square root of the price when it was added, times 2^96. */
  readonly sqrtEntryPX96: string
  /** Both ticks in one: lower · 2^24 + upper, each as 24 bits. */
  readonly rid: number
  /** Price of the lower tick, 18 decimals. */
  readonly lowerPrice: string
  /** Price of the upper tick, 18 decimals. */
  readonly upperPrice: string
  /** Price when it was added, 18 decimals. */
  readonly entryPrice: string
  readonly traderAddr: string
  /** When it was added, Unix seconds. */
  readonly lastUpdateTime: number
  readonly lastUpdateTxHash: string
  readonly symbol: string
}

export interface Range2 {
  readonly tickLower: number
  readonly tickUpper: number
  /** Price of the lower edge, 18 decimals. */
  readonly lowerPrice: string
  /** Price of the upper edge, 18 decimals. */
  readonly upperPrice: string
  /** Liquidity that the range adds, or that is taken out. */
  readonly liquidity: string
}

export interface RemoveLiquidityAction {
  readonly action: 'remove-liquidity'
  readonly params: Params10
}

export interface ScaledAction {
  readonly action: 'scaled'
  readonly params: Params3
}

export interface Send {
  readonly txHash: string | null
  /** The venue’s own id of the send. */
  readonly sendId: string
  /**
   * Pending until the transaction is mined; it has failed only when it reverted or can never be mined. It is
   * Pending again should the block vanish in which it reverted.
   */
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
  readonly failureMessage: string | null
}

export interface StoredSend {
  readonly txHash: string | null
  /** The venue’s own id of the send. */
  readonly sendId: string
  /**
   * Pending until the transaction is mined; it has failed only when it reverted or can never be mined. It is
   * Pending again should the block vanish in which it reverted.
   */
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
  readonly failureMessage: string | null
  readonly orders: readonly Order2[]
  /** What was asked for, such as market. */
  readonly action: string
  /** When it was stored, Unix seconds. */
  readonly createdAt: number
}

export interface SubmitApprovalFields {
  /** The signed transaction, as eth_sendRawTransaction takes it. */
  readonly signedTransaction: string
}

export interface Tick2Pearl {
  /** Liquidity that begins (upwards) at the tick. */
  readonly liquidityNet: string
  /** Base that rests at the tick, negative where it is for sale; 18 decimals. */
  readonly left: string
}

export interface Ticker {
  readonly instrumentAddress: string
  readonly symbol: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** Price of the last trade; before the first one the curve’s, 18 decimals. */
  readonly lastPrice: string
  /** How far it is from openPrice24h, 18 decimals. */
  readonly priceChange24H: string
  /** The same as a part of openPrice24h, where 10000000000000000 is one percent, 18 decimals. */
  readonly priceChangePercent24h: string
  /** The last price before the day, or its first, in the quote. */
  readonly openPrice24h: string
  /** Highest price of the day, in the quote. */
  readonly highPrice24h: string
  /** Lowest price of the day, in the quote. */
  readonly lowPrice24h: string
  /** Base traded in the day, 18 decimals. */
  readonly volume24h: string
  /** Quote traded in the day, 18 decimals. */
  readonly quoteVolume24h: string
  /** Where the day begins, at a whole minute, Unix seconds. */
  readonly openTime24h: number
  /** Where it ends, Unix seconds. */
  readonly closeTime24h: number
  /** What positions are judged by; 0 while the price source gives none, 18 decimals. */
  readonly markPrice: string
  /** Price of the source; 0 while it gives none, 18 decimals. */
  readonly spotPrice: string
  /**
   * LIVE: the source gives a price. STALE: it is too old, or its market is closed. NONE: it has given none yet.
   * FROZEN: a guardian has frozen its feed. The instrument takes actions while it is LIVE.
   */
  readonly priceStatus: 'LIVE' | 'STALE' | 'NONE' | 'FROZEN'
  /** Base held long, by traders and within ranges, 18 decimals. */
  readonly openInterest: string
  /**
   * What the paying side pays in an hour at present prices, as a part of the mark price: longs where it is
   * positive, shorts where it is negative; 0 of a dated pair, 18 decimals.
   */
  readonly fundingRate: string
  /** Time of the block, Unix seconds. */
  readonly timestamp: number
}

export interface Transaction {
  readonly chainId: number
  /** The wallet of the API key. */
  readonly from: string
  readonly to: string
  /** Wei. */
  readonly value: string
  readonly data: string
  /** Gas limit, as decimal text. */
  readonly gas: string
  /** The wallet’s next one, pending transactions counted. */
  readonly nonce: number
}

export interface TransactionHistory {
  readonly list: readonly Movement[]
  /** Rows of all pages together. */
  readonly totalCount: number
}

export interface UpdateApiKey {
  readonly apiKey: string
  readonly label: string
  readonly permissions: readonly ('read' | 'trade')[]
  /** Unix milliseconds. */
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

export interface WalletBalance {
  readonly address: string
  readonly portfolios: readonly Portfolio[]
  /** It may bring no money in; withdrawing and closing stay possible. */
  readonly isBlacklisted: boolean
  /** Seconds for which a withdrawal above the threshold waits. */
  readonly pendingDuration: string
}

export interface Withdraw {
  readonly transaction: Transaction
}

export interface WithdrawAction {
  readonly action: 'withdraw'
  readonly params: Params5
}

export interface WithdrawFields {
  /** The token, by its symbol or its address. */
  readonly quote: string
  /** Amount of the quote token, in human units, no finer than the token itself. */
  readonly amount: string
  /** Gas of the transaction; 0 or none: estimated. */
  readonly gasLimit?: number
  /** True for an unsigned transaction instead, which needs no One Click; nothing is sent. */
  readonly build?: boolean
}

export interface GetServerTimeParams {
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetServerTimeResult = number

/** The venue’s wall clock, Unix milliseconds. May fail with chain_id_differs. */
export function getServerTime(
  client: Client<'perp'>,
  params: GetServerTimeParams = {},
  options: CallOptions = {},
): Promise<GetServerTimeResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/market/serverTime', ['chainId'], false, 'open'],
    params,
    options,
  )
}

export type GetInstrumentsParams = GetTickersFields

export type GetInstrumentsResult = readonly Instrument[]

/**
 * Instruments with their parameters, or the one of a symbol. `expiry` is accepted and has no effect: an
 * instrument’s parameters are those of all its pairs. May fail with instrument_unknown, chain_id_differs,
 * perp_chain_unreachable.
 */
export function getInstruments(
  client: Client<'perp'>,
  params: GetInstrumentsParams = {},
  options: CallOptions = {},
): Promise<GetInstrumentsResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/market/instruments', ['symbol', 'expiry', 'chainId'], false, 'open'],
    params,
    options,
  )
}

export interface GetKlineParams {
  /** The instrument, BASE/QUOTE. */
  readonly symbol: string
  readonly interval: '1m' | '5m' | '15m' | '30m' | '1h' | '4h' | '8h' | '12h' | '1d' | '1w' | '1M'
  /** Candles that end earlier are left out, Unix seconds. */
  readonly start?: number
  /** Candles that begin later are left out; now unless given, Unix seconds. */
  readonly end?: number
  /** 1000 unless given. */
  readonly limit?: number
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetKlineResult = readonly {
  readonly symbol: string
  /** First second, Unix seconds. */
  readonly openTime: number
  /** In the quote. */
  readonly open: string
  /** In the quote. */
  readonly high: string
  /** In the quote. */
  readonly low: string
  /** In the quote. */
  readonly close: string
  /** Last second, Unix seconds. */
  readonly closeTime: number
  /** Base traded. */
  readonly baseVolume: string
  /** Quote traded. */
  readonly quoteVolume: string
}[]

/**
 * Candles of a pair’s trades. Oldest first, the newest of the range, without gaps from the first trade on: where
 * nothing was traded a candle stands at the close before. Everything begins in UTC, weeks on Monday, `1M` is a
 * calendar month. May fail with instrument_unknown, pair_unknown, perp_range_invalid, chain_id_differs,
 * perp_not_indexed, perp_chain_unreachable.
 */
export function getKline(
  client: Client<'perp'>,
  params: GetKlineParams,
  options: CallOptions = {},
): Promise<GetKlineResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/market/kline',
      ['symbol', 'interval', 'start', 'end', 'limit', 'expiry', 'chainId'],
      false,
      'open',
    ],
    params,
    options,
  )
}

export interface GetOrderBookParams {
  /** The instrument, BASE/QUOTE. */
  readonly symbol: string
  readonly depth?: number
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetOrderBookResult = Books

/**
 * The order book of a pair at one block: the curve’s liquidity and the resting orders together. A book for each
 * ratio: its levels are that many basis points apart, ten on each side. What a level holds can be had at its price
 * or better. `depth` is accepted and has no effect. May fail with instrument_unknown, pair_unknown,
 * chain_id_differs, perp_chain_unreachable.
 */
export function getOrderBook(
  client: Client<'perp'>,
  params: GetOrderBookParams,
  options: CallOptions = {},
): Promise<GetOrderBookResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/market/orderBook', ['symbol', 'depth', 'expiry', 'chainId'], false, 'open'],
    params,
    options,
  )
}

export type GetTickersParams = GetTickersFields

export type GetTickersResult = Ticker | readonly Ticker[]

/**
 * The last day, prices and open interest: of a symbol one ticker, without a symbol a list of all. May fail with
 * instrument_unknown, pair_unknown, chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getTickers(
  client: Client<'perp'>,
  params: GetTickersParams = {},
  options: CallOptions = {},
): Promise<GetTickersResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/market/tickers', ['symbol', 'expiry', 'chainId'], false, 'open'],
    params,
    options,
  )
}

export interface GetFundingHistoryParams {
  /** The instrument, BASE/QUOTE. */
  readonly symbol: string
  /** Hours that end earlier are left out, Unix seconds. */
  readonly startTime?: number
  /** Hours that begin later are left out; now unless given, Unix seconds. */
  readonly endTime?: number
  /** 200 unless given. */
  readonly limit?: number
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetFundingHistoryResult = readonly {
  /** Where the hour begins, Unix seconds. */
  readonly timestamp: number
  /**
   * What longs paid in it as a part of the mark at the pair’s last trade until then, negative where they received;
   * 18 decimals.
   */
  readonly long: string
  /** The same of shorts. */
  readonly short: string
}[]

/**
 * Funding of a perpetual by the hour. Oldest first, the newest hours of the range, without gaps from the first
 * funding on. The sides need not mirror each other: they differ in size, and what nobody receives goes to the
 * insurance fund. Funding is charged when something happens on the pair and belongs to that hour. Perpetuals alone
 * have funding: of a dated pair there is none. May fail with instrument_unknown, pair_unknown, perp_range_invalid,
 * chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getFundingHistory(
  client: Client<'perp'>,
  params: GetFundingHistoryParams,
  options: CallOptions = {},
): Promise<GetFundingHistoryResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/market/funding/history',
      ['symbol', 'startTime', 'endTime', 'limit', 'expiry', 'chainId'],
      false,
      'open',
    ],
    params,
    options,
  )
}

export type PlaceMarketOrderParams = Params

export type PlaceMarketOrderResult = Send

/**
 * Market order, sent by One Click. May fail with key_not_bound, chain_not_answering, one_click_unavailable,
 * would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled, gas_limit_too_low,
 * sends_overloaded, amount_invalid, instrument_unknown, deadline_passed, value_out_of_range,
 * perp_chain_unreachable, leverage_too_high, position_missing, reduce_only_would_increase, size_above_position,
 * reduction_under_way.
 */
export function placeMarketOrder(
  client: Client<'perp'>,
  params: PlaceMarketOrderParams,
  options: CallOptions = {},
): Promise<PlaceMarketOrderResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/market', [], true, 'key'], params, options)
}

export type PlaceLimitOrderParams = Params2

export type PlaceLimitOrderResult = Send

/**
 * Limit order, sent by One Click. An order whose price is reached trades up to that price first, through what
 * rests at it too, unless it is postOnly; the rest rests ten ticks from where that leaves the price. May fail with
 * key_not_bound, chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted,
 * idempotency_key_reused, delegation_not_enabled, gas_limit_too_low, sends_overloaded, amount_invalid,
 * instrument_unknown, deadline_passed, value_out_of_range, perp_chain_unreachable, leverage_too_high,
 * price_out_of_range.
 */
export function placeLimitOrder(
  client: Client<'perp'>,
  params: PlaceLimitOrderParams,
  options: CallOptions = {},
): Promise<PlaceLimitOrderResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/limit', [], true, 'key'], params, options)
}

export type PlaceScaledOrdersParams = Params3

export type PlaceScaledOrdersResult = Send

/**
 * Two to nine limit orders that share a size, sent by One Click. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown, deadline_passed, value_out_of_range,
 * perp_chain_unreachable, leverage_too_high, price_out_of_range, fields_not_together.
 */
export function placeScaledOrders(
  client: Client<'perp'>,
  params: PlaceScaledOrdersParams,
  options: CallOptions = {},
): Promise<PlaceScaledOrdersResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/scaled', [], true, 'key'], params, options)
}

export type CancelOrderParams = FillOrderFields

export type CancelOrderResult = Send

/**
 * Cancels an order; what of it was taken becomes a position, sent by One Click. May fail with key_not_bound,
 * chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused,
 * delegation_not_enabled, gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown,
 * deadline_passed, value_out_of_range, perp_chain_unreachable, perp_order_not_open, fields_not_together,
 * perp_not_indexed.
 */
export function cancelOrder(
  client: Client<'perp'>,
  params: CancelOrderParams,
  options: CallOptions = {},
): Promise<CancelOrderResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/cancel', [], true, 'key'], params, options)
}

export type CancelOrdersParams = Params4

export type CancelOrdersResult = OrdersSend

/**
 * Cancels several orders of a pair, or all, in one transaction, sent by One Click. All of them in one transaction,
 * however many. Orders that are not open are told and left out. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown, deadline_passed, value_out_of_range,
 * perp_chain_unreachable, perp_order_not_open, fields_not_together, perp_not_indexed.
 */
export function cancelOrders(
  client: Client<'perp'>,
  params: CancelOrdersParams,
  options: CallOptions = {},
): Promise<CancelOrdersResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/batch-cancel', [], true, 'key'], params, options)
}

export type FillOrderParams = FillOrderFields

export type FillOrderResult = Send

/**
 * Turns an order of which everything was taken into a position, sent by One Click. Sent as a cancel of the order,
 * which comes to the same once everything of it is taken and costs no tip. May fail with key_not_bound,
 * chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused,
 * delegation_not_enabled, gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown,
 * deadline_passed, value_out_of_range, perp_chain_unreachable, perp_order_not_open, order_not_taken,
 * fields_not_together, perp_not_indexed.
 */
export function fillOrder(
  client: Client<'perp'>,
  params: FillOrderParams,
  options: CallOptions = {},
): Promise<FillOrderResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/fill', [], true, 'key'], params, options)
}

export type BuildActionParams =
  | MarketAction
  | LimitAction
  | ScaledAction
  | CancelAction
  | BatchCancelAction
  | FillAction
  | CloseAction
  | AdjustAction
  | MarginAction
  | AddLiquidityAction
  | RemoveLiquidityAction
  | DepositAction
  | WithdrawAction

export interface BuildActionResult {
  readonly transaction: {
    readonly chainId: number
    /** The wallet of the API key, which has to sign. */
    readonly from: string
    /** An instrument, or Gate. */
    readonly to: string
    /** Native coin to send along, wei. */
    readonly value: string
    readonly data: string
    /** Gas limit. */
    readonly gas: string
    /** The wallet’s next nonce, waiting transactions counted. */
    readonly nonce: number
  }
  readonly simulation: PreviewAction
}

/**
 * An action as an unsigned transaction of the wallet, with what it would do. params is the body of the action’s
 * own operation. Sign the transaction with fees of your choice, and send it by order/submit or by any node.
 * Nothing is stored. May fail with key_not_bound, amount_invalid, instrument_unknown, deadline_passed,
 * value_out_of_range, perp_chain_unreachable, would_revert, leverage_too_high, position_missing,
 * reduce_only_would_increase, size_above_position, reduction_under_way, price_out_of_range, fields_not_together,
 * perp_order_not_open, perp_not_indexed, order_not_taken, range_not_found, quote_unknown, gas_limit_too_low.
 */
export function buildAction(
  client: Client<'perp'>,
  params: BuildActionParams,
  options: CallOptions = {},
): Promise<BuildActionResult> {
  return client.call(['read', 'POST', '/v4/public/trader/order/build', [], true, 'key'], params, options)
}

export type SubmitTransactionParams = SubmitApprovalFields

export interface SubmitTransactionResult {
  readonly txHash: string
}

/**
 * Sends a transaction that the wallet of the API key has signed. Its signer, chain, target and function are
 * checked, then it goes to the chain node as it is. The same bytes again have the same answer. May fail with
 * key_not_bound, signed_transaction_invalid, transaction_refused, transaction_unknown, perp_chain_unreachable.
 */
export function submitTransaction(
  client: Client<'perp'>,
  params: SubmitTransactionParams,
  options: CallOptions = {},
): Promise<SubmitTransactionResult> {
  return client.call(['once', 'POST', '/v4/public/trader/order/submit', [], true, 'key'], params, options)
}

export type PreviewActionParams =
  | MarketAction
  | LimitAction
  | ScaledAction
  | CancelAction
  | BatchCancelAction
  | FillAction
  | CloseAction
  | AdjustAction
  | MarginAction
  | AddLiquidityAction
  | RemoveLiquidityAction
  | DepositAction
  | WithdrawAction

export type PreviewActionResult = PreviewAction

/**
 * What an action would do, run on the real contracts at the block of the answer; nothing is sent. The body is that
 * of order/build. A wallet that has not approved Gate yet sees what would happen once it has. What would revert is
 * refused with the revert’s name and meaning. May fail with key_not_bound, amount_invalid, instrument_unknown,
 * deadline_passed, value_out_of_range, perp_chain_unreachable, would_revert, leverage_too_high, position_missing,
 * reduce_only_would_increase, size_above_position, reduction_under_way, price_out_of_range, fields_not_together,
 * perp_order_not_open, perp_not_indexed, order_not_taken, range_not_found, quote_unknown.
 */
export function previewAction(
  client: Client<'perp'>,
  params: PreviewActionParams,
  options: CallOptions = {},
): Promise<PreviewActionResult> {
  return client.call(['read', 'POST', '/v4/public/trader/order/preview', [], true, 'key'], params, options)
}

export type ClosePositionParams = Params6

export type ClosePositionResult = Send

/**
 * Closes a position, or a part of it, sent by One Click. When a part is closed, the margin stays with the rest of
 * the position. May fail with key_not_bound, chain_not_answering, one_click_unavailable, would_revert,
 * gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled, gas_limit_too_low, sends_overloaded,
 * amount_invalid, instrument_unknown, deadline_passed, value_out_of_range, perp_chain_unreachable,
 * position_missing, size_above_position, reduction_under_way.
 */
export function closePosition(
  client: Client<'perp'>,
  params: ClosePositionParams,
  options: CallOptions = {},
): Promise<ClosePositionResult> {
  return client.call(['send', 'POST', '/v4/public/trader/position/close', [], true, 'key'], params, options)
}

export type AdjustLeverageParams = Params7

export type AdjustLeverageResult = Send

/**
 * Brings a position to a leverage by moving margin in or out, sent by One Click. May fail with key_not_bound,
 * chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused,
 * delegation_not_enabled, gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown,
 * deadline_passed, value_out_of_range, perp_chain_unreachable, leverage_too_high, position_missing.
 */
export function adjustLeverage(
  client: Client<'perp'>,
  params: AdjustLeverageParams,
  options: CallOptions = {},
): Promise<AdjustLeverageResult> {
  return client.call(['send', 'POST', '/v4/public/trader/position/adjust', [], true, 'key'], params, options)
}

export type MoveMarginParams = Params8

export type MoveMarginResult = Send

/**
 * Adds margin to a position, or takes some out, sent by One Click. May fail with key_not_bound,
 * chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused,
 * delegation_not_enabled, gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown,
 * deadline_passed, value_out_of_range, perp_chain_unreachable, position_missing.
 */
export function moveMargin(
  client: Client<'perp'>,
  params: MoveMarginParams,
  options: CallOptions = {},
): Promise<MoveMarginResult> {
  return client.call(['send', 'POST', '/v4/public/trader/position/margin', [], true, 'key'], params, options)
}

export type AddLiquidityParams = Params9

export type AddLiquidityResult = Send

/**
 * Adds liquidity between two prices, sent by One Click. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown, deadline_passed, value_out_of_range,
 * perp_chain_unreachable, fields_not_together.
 */
export function addLiquidity(
  client: Client<'perp'>,
  params: AddLiquidityParams,
  options: CallOptions = {},
): Promise<AddLiquidityResult> {
  return client.call(['send', 'POST', '/v4/public/trader/liquidity/add', [], true, 'key'], params, options)
}

export type RemoveLiquidityParams = Params10

export type RemoveLiquidityResult = Send

/**
 * Removes a range of liquidity; what it held becomes a position, sent by One Click. May fail with key_not_bound,
 * chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused,
 * delegation_not_enabled, gas_limit_too_low, sends_overloaded, amount_invalid, instrument_unknown,
 * deadline_passed, value_out_of_range, perp_chain_unreachable, fields_not_together, range_not_found.
 */
export function removeLiquidity(
  client: Client<'perp'>,
  params: RemoveLiquidityParams,
  options: CallOptions = {},
): Promise<RemoveLiquidityResult> {
  return client.call(['send', 'POST', '/v4/public/trader/liquidity/remove', [], true, 'key'], params, options)
}

export interface KeepOrdersParams {
  /** The instrument, BASE/QUOTE. */
  readonly instrument: string
  /** Unix seconds of a dated pair; 4294967295 for the perpetual. */
  readonly expiry: number
  /** 1 short, 2 long. */
  readonly side: 1 | 2
  /** Base that it takes off the position at most, in human units; all when left out. */
  readonly size?: string
  /** Mark price at which the position is closed with a profit: of a long above, of a short below. */
  readonly takeProfitPrice?: string
  /** Mark price at which the position is closed with a loss: of a long below, of a short above. */
  readonly stopLossPrice?: string
  /** How much worse than now the price may be, basis points. */
  readonly slippageBps: number
  /** When it ends unsent, by the chain’s time; never when 0 or left out, Unix seconds. */
  readonly expiresAt?: number
}

export interface KeepOrdersResult {
  readonly orders: readonly KeptOrder[]
}

/**
 * Keeps a take-profit or a stop-loss, or both linked, and sends it by One Click when the mark reaches its price.
 * The venue’s own operation. `side` is that of the trade, as with `reduceOnly`: 1 reduces a long, 2 a short. The
 * order only ever reduces or closes the position, as it is when the mark price of the pair at the newest block has
 * reached the price; the slippage counts from what the trade is quoted at then. It is kept by the venue and not by
 * the contract, needs One Click enabled until then, and its gas counts for the wallet, whichever key made it. Of
 * two in one request the first that is sent cancels the other. A wallet may have 100 open. May fail with
 * key_not_bound, amount_invalid, instrument_unknown, deadline_passed, value_out_of_range, perp_chain_unreachable,
 * would_revert, delegation_not_enabled, one_click_unavailable, chain_not_answering, idempotency_key_reused,
 * fields_not_together, position_missing, reduce_only_would_increase, size_above_position, kept_price_reached,
 * kept_orders_exhausted.
 */
export function keepOrders(
  client: Client<'perp'>,
  params: KeepOrdersParams,
  options: CallOptions = {},
): Promise<KeepOrdersResult> {
  return client.call(['send', 'POST', '/v4/public/trader/order/kept', [], true, 'key'], params, options)
}

export interface GetKeptOrdersParams {
  /** From 1, which is the default. */
  readonly page?: number
  /** Rows a page; 50 by default. */
  readonly size?: number
  /** Rows of this time or later, Unix seconds. */
  readonly startTime?: number
  /** Rows of this time or earlier, Unix seconds. */
  readonly endTime?: number
  /** Only those that stand so. */
  readonly status?: 'open' | 'sent' | 'done' | 'failed' | 'cancelled' | 'expired'
  /** The instrument, BASE/QUOTE. */
  readonly symbol?: string
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetKeptOrdersResult {
  readonly list: readonly KeptOrder[]
  /** Rows of all pages together. */
  readonly totalCount: number
}

/**
 * The wallet’s kept orders, newest first, whichever of its API keys made them. The venue’s own operation.
 * `startTime` and `endTime` are about when an order was made. May fail with key_not_bound, user_not_bound,
 * chain_id_differs, instrument_unknown, perp_range_invalid, perp_chain_unreachable.
 */
export function getKeptOrders(
  client: Client<'perp'>,
  params: GetKeptOrdersParams = {},
  options: CallOptions = {},
): Promise<GetKeptOrdersResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/order/kept',
      ['page', 'size', 'startTime', 'endTime', 'status', 'symbol', 'expiry', 'address', 'chainId'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export interface CancelKeptOrderParams {
  readonly keptOrderId: string
}

export type CancelKeptOrderResult = KeptOrder

/**
 * Cancels a kept order that is open; the one that it is linked with stays. The venue’s own operation. Every API
 * key of the wallet may cancel. One that the send of its linked order has cancelled is not opened again when it is
 * cancelled while that send may still come to nothing. May fail with key_not_bound, kept_order_unknown,
 * kept_order_not_open.
 */
export function cancelKeptOrder(
  client: Client<'perp'>,
  params: CancelKeptOrderParams,
  options: CallOptions = {},
): Promise<CancelKeptOrderResult> {
  return client.call(['once', 'POST', '/v4/public/trader/order/kept/cancel', [], true, 'key'], params, options)
}

export interface GetSendParams {
  readonly sendId: string
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetSendResult = StoredSend

/**
 * A send of the wallet by its sendId, whichever of its API keys asked for it. The venue’s own operation. Kept
 * orders that were sent are sends too. May fail with key_not_bound, user_not_bound, chain_id_differs,
 * send_unknown.
 */
export function getSend(
  client: Client<'perp'>,
  params: GetSendParams,
  options: CallOptions = {},
): Promise<GetSendResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/send/byId', ['sendId', 'address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export interface GetSendByIdempotencyKeyParams {
  /** The Idempotency-Key of the request that sent it, by the same API key. */
  readonly idempotencyKey: string
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetSendByIdempotencyKeyResult = StoredSend

/**
 * A send of the calling key by the Idempotency-Key of its request. The venue’s own operation. Asks without
 * sending, unlike the same request again. A request that was lost on its way may still arrive while its signature
 * is fresh: only after that does “nothing” mean that nothing was sent. What a venue has forgotten that was put
 * back to an older copy of its database is known by the same request alone, which is then not sent twice. May fail
 * with key_not_bound, user_not_bound, chain_id_differs, send_unknown.
 */
export function getSendByIdempotencyKey(
  client: Client<'perp'>,
  params: GetSendByIdempotencyKeyParams,
  options: CallOptions = {},
): Promise<GetSendByIdempotencyKeyResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/send/byIdempotencyKey', ['idempotencyKey', 'address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export interface GetDepositsAndWithdrawalsParams {
  readonly type?: 'deposit' | 'withdraw'
  /** From 1, which is the default. */
  readonly page?: number
  /** Rows a page; 50 by default. */
  readonly size?: number
  /** Rows of this time or later, Unix seconds. */
  readonly startTime?: number
  /** Rows of this time or earlier, Unix seconds. */
  readonly endTime?: number
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetDepositsAndWithdrawalsResult = TransactionHistory

/**
 * Money that the wallet brought to Gate and took from it, newest first. May fail with key_not_bound,
 * user_not_bound, chain_id_differs, perp_not_indexed, perp_chain_unreachable, perp_range_invalid.
 */
export function getDepositsAndWithdrawals(
  client: Client<'perp'>,
  params: GetDepositsAndWithdrawalsParams = {},
  options: CallOptions = {},
): Promise<GetDepositsAndWithdrawalsResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/account/deposit-withdraw',
      ['type', 'page', 'size', 'startTime', 'endTime', 'address', 'chainId'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export interface GetTransactionHistoryParams {
  readonly type?:
    | 'deposit'
    | 'withdraw'
    | 'request'
    | 'release'
    | 'scatter'
    | 'gather'
    | 'funding'
    | 'fee'
    | 'tip'
    | 'loss'
    | 'liquidation'
  /** From 1, which is the default. */
  readonly page?: number
  /** Rows a page; 50 by default. */
  readonly size?: number
  /** Rows of this time or later, Unix seconds. */
  readonly startTime?: number
  /** Rows of this time or earlier, Unix seconds. */
  readonly endTime?: number
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetTransactionHistoryResult = TransactionHistory

/**
 * Every movement of the wallet’s money, newest first. `deposit` and `withdraw` are between wallet and Gate,
 * `request` and `release` a withdrawal that has to wait and the end of its wait, `scatter` and `gather` from
 * Gate’s reserve to a pair and back, `funding`, `fee`, `tip`, `loss` and `liquidation` inside a pair: `loss` is
 * the wallet’s share of what bankrupt accounts owed, `liquidation` what a forced close or a take-over took
 * (negative), what came with a position that the wallet took over, or a debt that it was forgiven (positive). May
 * fail with key_not_bound, user_not_bound, chain_id_differs, perp_not_indexed, perp_chain_unreachable,
 * perp_range_invalid.
 */
export function getTransactionHistory(
  client: Client<'perp'>,
  params: GetTransactionHistoryParams = {},
  options: CallOptions = {},
): Promise<GetTransactionHistoryResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/account/transaction-history',
      ['type', 'page', 'size', 'startTime', 'endTime', 'address', 'chainId'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export type GetPositionsParams = GetOpenOrdersFields

export type GetPositionsResult = readonly Position[]

/**
 * The wallet’s positions, with what they are worth at the block. May fail with key_not_bound, user_not_bound,
 * chain_id_differs, perp_not_indexed, perp_chain_unreachable, instrument_unknown.
 */
export function getPositions(
  client: Client<'perp'>,
  params: GetPositionsParams = {},
  options: CallOptions = {},
): Promise<GetPositionsResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/position/list', ['symbol', 'expiry', 'address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export type GetOpenOrdersParams = GetOpenOrdersFields

export type GetOpenOrdersResult = readonly Order[]

/**
 * The wallet’s orders that are open, newest first. How much of each was taken is the contract’s word at the block.
 * An order that was taken whole is `filled` and stays here until somebody fills it: only then is it a position.
 * May fail with key_not_bound, user_not_bound, chain_id_differs, perp_not_indexed, perp_chain_unreachable,
 * instrument_unknown.
 */
export function getOpenOrders(
  client: Client<'perp'>,
  params: GetOpenOrdersParams = {},
  options: CallOptions = {},
): Promise<GetOpenOrdersResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/order/realtime', ['symbol', 'expiry', 'address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export interface GetOrderParams {
  readonly orderId: string
  /** The wallet of the API key; no other is shown. */
  readonly address?: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetOrderResult = Order

/**
 * One order of the wallet, open or not. May fail with key_not_bound, user_not_bound, chain_id_differs,
 * perp_not_indexed, perp_chain_unreachable, order_unknown.
 */
export function getOrder(
  client: Client<'perp'>,
  params: GetOrderParams,
  options: CallOptions = {},
): Promise<GetOrderResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/order/byId', ['orderId', 'address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export type GetOrderHistoryParams = GetExecutionsFields

export type GetOrderHistoryResult = PublicOrders

/**
 * The wallet’s orders that have ended, newest end first. An order ends when it is filled or cancelled. One that
 * was taken whole is `filled`, also where a cancel made it a position, as One Click does. One that was cancelled
 * after a part of it was taken is `partial_filled`. Times of the query are those of the end. May fail with
 * key_not_bound, user_not_bound, chain_id_differs, perp_not_indexed, perp_chain_unreachable, instrument_unknown,
 * perp_range_invalid.
 */
export function getOrderHistory(
  client: Client<'perp'>,
  params: GetOrderHistoryParams = {},
  options: CallOptions = {},
): Promise<GetOrderHistoryResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/order/history',
      ['page', 'size', 'startTime', 'endTime', 'symbol', 'expiry', 'address', 'chainId'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export type GetExecutionsParams = GetExecutionsFields

export type GetExecutionsResult = PublicTrades

/**
 * What changed the wallet’s sizes, newest first. `market` is a trade, `fill` an order of which something was
 * taken, when it is filled or cancelled, `range` what a removed range leaves, `liquidation` what was closed or
 * taken over by force, `take_over` what the wallet took over, `settlement` what it held in a pair that has ended,
 * closed at the settlement price. The sizes in a pair, bought less sold, add up to the position. May fail with
 * key_not_bound, user_not_bound, chain_id_differs, perp_not_indexed, perp_chain_unreachable, instrument_unknown,
 * perp_range_invalid.
 */
export function getExecutions(
  client: Client<'perp'>,
  params: GetExecutionsParams = {},
  options: CallOptions = {},
): Promise<GetExecutionsResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/execution/list',
      ['page', 'size', 'startTime', 'endTime', 'symbol', 'expiry', 'address', 'chainId'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export type GetLiquidityParams = GetOpenOrdersFields

export type GetLiquidityResult = readonly Range[]

/**
 * The wallet’s ranges of liquidity. May fail with key_not_bound, user_not_bound, chain_id_differs,
 * perp_not_indexed, perp_chain_unreachable, instrument_unknown.
 */
export function getLiquidity(
  client: Client<'perp'>,
  params: GetLiquidityParams = {},
  options: CallOptions = {},
): Promise<GetLiquidityResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/liquidity/list', ['symbol', 'expiry', 'address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export type GetLiquidityHistoryParams = GetExecutionsFields

export type GetLiquidityHistoryResult = PublicLiquidity

/**
 * Liquidity that the wallet added and removed, newest first. May fail with key_not_bound, user_not_bound,
 * chain_id_differs, perp_not_indexed, perp_chain_unreachable, instrument_unknown, perp_range_invalid.
 */
export function getLiquidityHistory(
  client: Client<'perp'>,
  params: GetLiquidityHistoryParams = {},
  options: CallOptions = {},
): Promise<GetLiquidityHistoryResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/trader/liquidity/history',
      ['page', 'size', 'startTime', 'endTime', 'symbol', 'expiry', 'address', 'chainId'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export interface GetPublicPortfolioParams {
  /** A wallet. */
  readonly userAddress: string
  /** The chain’s id. */
  readonly chainId?: number
  /** An instrument; without it, what is told is of all. */
  readonly instrumentAddress?: string
  /** Unix seconds; 4294967295, the default, is the perpetual. */
  readonly expiry?: number
}

export interface GetPublicPortfolioResult {
  readonly address: string
  /** The instruments of its pairs, as the stream `instrument` has them. */
  readonly instruments: readonly FullInstrument[]
  readonly portfolios: readonly {
    readonly blockInfo: {
      readonly height: number
      /** Unix seconds. */
      readonly timestamp: number
    }
    readonly instrumentAddr: string
    readonly traderAddr: string
    readonly expiry: number
    /** The position, if there is one. */
    readonly position: readonly Position[]
    readonly orders: readonly Order[]
    readonly ranges: readonly Range[]
  }[]
}

/**
 * What a wallet holds in each pair, with the instruments. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable, instrument_unknown.
 */
export function getPublicPortfolio(
  client: Client<'perp'>,
  params: GetPublicPortfolioParams,
  options: CallOptions = {},
): Promise<GetPublicPortfolioResult> {
  return client.call(
    ['read', 'GET', '/v4/public/portfolio', ['userAddress', 'chainId', 'instrumentAddress', 'expiry'], false, 'none'],
    params,
    options,
  )
}

export type GetPublicTradesParams = GetPublicOrdersFields

export type GetPublicTradesResult = PublicTrades

/**
 * What changed a wallet’s sizes, newest first. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable, instrument_unknown, perp_range_invalid.
 */
export function getPublicTrades(
  client: Client<'perp'>,
  params: GetPublicTradesParams,
  options: CallOptions = {},
): Promise<GetPublicTradesResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/history/trade',
      ['userAddress', 'chainId', 'page', 'size', 'startTime', 'endTime', 'download', 'instrumentAddress', 'expiry'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetPublicOrdersParams = GetPublicOrdersFields

export type GetPublicOrdersResult = PublicOrders

/**
 * A wallet’s orders that have ended, newest end first. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable, instrument_unknown, perp_range_invalid.
 */
export function getPublicOrders(
  client: Client<'perp'>,
  params: GetPublicOrdersParams,
  options: CallOptions = {},
): Promise<GetPublicOrdersResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/history/order',
      ['userAddress', 'chainId', 'page', 'size', 'startTime', 'endTime', 'download', 'instrumentAddress', 'expiry'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetPublicLiquidityParams = GetPublicOrdersFields

export type GetPublicLiquidityResult = PublicLiquidity

/**
 * Liquidity that a wallet added and removed, newest first. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable, instrument_unknown, perp_range_invalid.
 */
export function getPublicLiquidity(
  client: Client<'perp'>,
  params: GetPublicLiquidityParams,
  options: CallOptions = {},
): Promise<GetPublicLiquidityResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/history/liquidity',
      ['userAddress', 'chainId', 'page', 'size', 'startTime', 'endTime', 'download', 'instrumentAddress', 'expiry'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetPublicFundFlowParams = GetPublicOrdersFields

export type GetPublicFundFlowResult = TransactionHistory

/**
 * Money that a wallet brought to Gate and took from it. `instrumentAddress` and `expiry` are accepted and have no
 * effect: this money is of no pair. May fail with chain_id_differs, perp_not_indexed, perp_chain_unreachable,
 * instrument_unknown, perp_range_invalid.
 */
export function getPublicFundFlow(
  client: Client<'perp'>,
  params: GetPublicFundFlowParams,
  options: CallOptions = {},
): Promise<GetPublicFundFlowResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/history/fundFlow',
      ['userAddress', 'chainId', 'page', 'size', 'startTime', 'endTime', 'download', 'instrumentAddress', 'expiry'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetPublicFundingParams = GetPublicOrdersFields

export type GetPublicFundingResult = PublicTransfers

/**
 * Funding that a wallet received and paid. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable, instrument_unknown, perp_range_invalid.
 */
export function getPublicFunding(
  client: Client<'perp'>,
  params: GetPublicFundingParams,
  options: CallOptions = {},
): Promise<GetPublicFundingResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/history/funding',
      ['userAddress', 'chainId', 'page', 'size', 'startTime', 'endTime', 'download', 'instrumentAddress', 'expiry'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetPublicTransfersParams = GetPublicOrdersFields

export type GetPublicTransfersResult = PublicTransfers

/**
 * Margin between a wallet’s reserve and pairs. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable, instrument_unknown, perp_range_invalid.
 */
export function getPublicTransfers(
  client: Client<'perp'>,
  params: GetPublicTransfersParams,
  options: CallOptions = {},
): Promise<GetPublicTransfersResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/history/transfer',
      ['userAddress', 'chainId', 'page', 'size', 'startTime', 'endTime', 'download', 'instrumentAddress', 'expiry'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetMarketPairParams = GetMarketOrderBookFields

export type GetMarketPairResult = Pair

/**
 * A pair of the market list, for the published client. May fail with instrument_unknown, pair_unknown,
 * chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getMarketPair(
  client: Client<'perp'>,
  params: GetMarketPairParams,
  options: CallOptions = {},
): Promise<GetMarketPairResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/marketPairInfo', ['address', 'expiry', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export interface GetMarketListParams {
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetMarketListResult = readonly Pair[]

/**
 * Every open pair, for the published client. May fail with chain_id_differs, perp_not_indexed,
 * perp_chain_unreachable.
 */
export function getMarketList(
  client: Client<'perp'>,
  params: GetMarketListParams = {},
  options: CallOptions = {},
): Promise<GetMarketListResult> {
  return client.call(['read', 'GET', '/v4/public/market/marketList', ['chainId'], false, 'none'], params, options)
}

export interface GetMarketInstrumentParams {
  /** Address of an instrument. */
  readonly address: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetMarketInstrumentResult = FullInstrument

/**
 * An instrument with its open pairs at one block, for the published client. May fail with instrument_unknown,
 * chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getMarketInstrument(
  client: Client<'perp'>,
  params: GetMarketInstrumentParams,
  options: CallOptions = {},
): Promise<GetMarketInstrumentResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/instrument', ['address', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export interface InquireParams {
  /** Address of an instrument. */
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** Base with 18 decimals, positive buys. */
  readonly size: string
  /** The chain’s id. */
  readonly chainId?: number
}

export type InquireResult = InquireByTick

/**
 * What a trade of a size would do, for the published client. May fail with instrument_unknown, pair_unknown,
 * chain_id_differs, would_revert, perp_not_indexed, perp_chain_unreachable.
 */
export function inquire(
  client: Client<'perp'>,
  params: InquireParams,
  options: CallOptions = {},
): Promise<InquireResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/inquire', ['instrument', 'expiry', 'size', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export interface InquireByTickParams {
  /** Address of an instrument. */
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** Tick of the price to reach. */
  readonly tick: number
  /** The chain’s id. */
  readonly chainId?: number
}

export type InquireByTickResult = InquireByTick

/**
 * What a trade to a tick would do, and its size, for the published client. May fail with instrument_unknown,
 * pair_unknown, chain_id_differs, would_revert, perp_not_indexed, perp_chain_unreachable.
 */
export function inquireByTick(
  client: Client<'perp'>,
  params: InquireByTickParams,
  options: CallOptions = {},
): Promise<InquireByTickResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/inquireByTick', ['instrument', 'expiry', 'tick', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export interface InquireByNotionalParams {
  /** Address of an instrument. */
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** Quote with 18 decimals. */
  readonly notional: string
  /** Whether it buys. */
  readonly long: 'true' | 'false'
  /** The chain’s id. */
  readonly chainId?: number
}

export type InquireByNotionalResult = InquireByTick

/**
 * What a trade of a notional would do, and its size, for the published client. May fail with instrument_unknown,
 * pair_unknown, chain_id_differs, would_revert, perp_not_indexed, perp_chain_unreachable.
 */
export function inquireByNotional(
  client: Client<'perp'>,
  params: InquireByNotionalParams,
  options: CallOptions = {},
): Promise<InquireByNotionalResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/market/inquireByNotional',
      ['instrument', 'expiry', 'notional', 'long', 'chainId'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetMarketOrderBookParams = GetMarketOrderBookFields

export type GetMarketOrderBookResult = Readonly<
  Record<
    string,
    {
      readonly blockInfo: {
        readonly height: number
        /** Unix seconds. */
        readonly timestamp: number
      }
      readonly bids: readonly Ask[]
      readonly asks: readonly Ask[]
    }
  >
>

/**
 * The order book of a pair at one block, for the published client, which names its sizes otherwise. May fail with
 * instrument_unknown, pair_unknown, chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getMarketOrderBook(
  client: Client<'perp'>,
  params: GetMarketOrderBookParams,
  options: CallOptions = {},
): Promise<GetMarketOrderBookResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/orderBook', ['address', 'expiry', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export interface GetMarketKlineParams {
  /** Address of an instrument. */
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly interval: '1m' | '5m' | '15m' | '30m' | '1h' | '4h' | '8h' | '12h' | '1d' | '1w' | '1M'
  /** Candles that begin later are left out; now unless given, Unix seconds. */
  readonly endTime?: number
  /** 1000 unless given. */
  readonly limit?: number
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetMarketKlineResult = readonly {
  readonly symbol: string
  /** In the quote. */
  readonly open: string
  /** In the quote. */
  readonly high: string
  /** In the quote. */
  readonly low: string
  /** In the quote. */
  readonly close: string
  /** Base traded. */
  readonly baseVolume: string
  /** Quote traded. */
  readonly quoteVolume: string
  /** First second, Unix seconds. */
  readonly openTimestamp: number
  /** Last second, Unix seconds. */
  readonly closeTimestamp: number
}[]

/**
 * Candles of a pair’s trades, for the published client, which names their times otherwise. May fail with
 * instrument_unknown, pair_unknown, chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getMarketKline(
  client: Client<'perp'>,
  params: GetMarketKlineParams,
  options: CallOptions = {},
): Promise<GetMarketKlineResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/market/kline',
      ['instrument', 'expiry', 'interval', 'endTime', 'limit', 'chainId'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export interface GetMarketDepthParams {
  /** Address of an instrument. */
  readonly address: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  /** Basis points of a step; 10 unless given. */
  readonly stepRatio?: number
  /** The chain’s id. */
  readonly chainId?: number
}

export interface GetMarketDepthResult {
  readonly amm: {
    /** Square-root price, 96 fractional bits. */
    readonly sqrtPX96: string
    readonly tick: number
    readonly liquidity: string
  }
  /** Initialised ticks, ascending. */
  readonly tids: readonly number[]
  readonly pearls: readonly Tick2Pearl[]
  /** The same by tick. */
  readonly tick2Pearl: Readonly<Record<string, Tick2Pearl>>
  /** Ticks of a step. */
  readonly size: number
  readonly stepRatio: number
  /** Ticks shown to either side. */
  readonly tickDelta: number
  /** Steps to either side. */
  readonly length: number
  readonly isInverse: boolean
  readonly blockInfo: {
    readonly height: number
    /** Unix seconds. */
    readonly timestamp: number
  }
}

/**
 * A pair’s liquidity around its price at one block, for the published client, which draws it. May fail with
 * instrument_unknown, pair_unknown, chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getMarketDepth(
  client: Client<'perp'>,
  params: GetMarketDepthParams,
  options: CallOptions = {},
): Promise<GetMarketDepthResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/depth', ['address', 'expiry', 'stepRatio', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export type GetOnChainContextParams = QueryOnChainContextFields

export interface GetOnChainContextResult {
  readonly instrument: FullInstrument
  readonly inquireRes: InquireByTick | null
  /** What the account has in the pair; of nobody, nothing. */
  readonly portfolioRes: {
    readonly address: string
    readonly portfolios: readonly {
      readonly instrumentAddr: string
      readonly traderAddr: string
      /** Unix seconds; 4294967295 is the perpetual. */
      readonly expiry: number
      readonly blockInfo: {
        readonly height: number
        /** Unix seconds. */
        readonly timestamp: number
      }
      /** The position, if there is one. */
      readonly position: readonly {
        /** Margin, with what was realised since, 18 decimals. */
        readonly balance: string
        /** Positive is long, 18 decimals. */
        readonly size: string
        /** What the size cost or brought, 18 decimals. */
        readonly entryNotional: string
        /** Index of social loss from which it counts, 18 decimals. */
        readonly entrySocialLossIndex: string
        /** Index of funding from which it counts, 18 decimals. */
        readonly entryFundingIndex: string
        /** Entry notional over size, 18 decimals. */
        readonly entryPrice: string
        /** 0 flat, 1 SHORT, 2 LONG. */
        readonly side: number
      }[]
      readonly orders: readonly {
        /** Margin, 18 decimals. */
        readonly balance: string
        /** Positive buys, 18 decimals. */
        readonly size: string
        /** Price, 18 decimals. */
        readonly limitPrice: string
        /** How much of the size was taken, signed like it, 18 decimals. */
        readonly taken: string
        /** The generation of orders at the tick. */
        readonly nonce: number
        /** tick · 2^24 + nonce, the tick as 24 bits. */
        readonly oid: number
        /** 0 flat, 1 SHORT, 2 LONG. */
        readonly side: number
        /** Tick of the price. */
        readonly tick: number
      }[]
      readonly ranges: readonly {
        readonly instrumentAddr: string
        readonly traderAddr: string
        /** Unix seconds; 4294967295 is the perpetual. */
        readonly expiry: number
        /** Liquidity, 18 decimals. */
        readonly liquidity: string
        /** Index of fees from which it counts, 18 decimals. */
        readonly entryFeeIndex: string
        /** Margin, 18 decimals. */
        readonly balance: string
        /** Square root of the price at which it was added, 96 fractional bits. */
        readonly sqrtEntryPX96: string
        /** Price at which it was added, 18 decimals. */
        readonly entryPrice: string
        /** Its lower edge, 18 decimals. */
        readonly lowerPrice: string
        /** Its upper edge, 18 decimals. */
        readonly upperPrice: string
        /** Lower tick · 2^24 + upper tick, each as 24 bits. */
        readonly rid: number
        /** Tick of the lower edge. */
        readonly tickLower: number
        /** Tick of the upper edge. */
        readonly tickUpper: number
      }[]
    }[]
  }
  /** Mark, spot and benchmark price, and the feeds they come from. */
  readonly priceData: {
    /** Address of the instrument. */
    readonly instrumentAddr: string
    /** Unix seconds; 4294967295 is the perpetual. */
    readonly expiry: number
    /** What positions are judged by; 0 while the price source gives none, 18 decimals. */
    readonly markPrice: string
    /** Price of the source; 0 while it gives none, 18 decimals. */
    readonly spotPrice: string
    /** Spot price with the carry of a dated pair, 18 decimals. */
    readonly benchmarkPrice: string
    /** Address of the feed of the base. */
    readonly feeder0: string
    /** Address of the feed of the quote; zero where there is none. */
    readonly feeder1: string
    /** When it was last updated, Unix seconds; 0 of none. */
    readonly feeder0UpdatedAt: string
    /** When it was last updated, Unix seconds; 0 of none. */
    readonly feeder1UpdatedAt: string
    readonly blockInfo: {
      readonly height: number
      /** Unix seconds. */
      readonly timestamp: number
    }
  }
  /** The account’s reserve, wallet and allowance. */
  readonly quoteState: {
    /** Address of the quote token. */
    readonly address: string
    /** Decimals of the token. */
    readonly decimals: number
    readonly symbol: string
    /** Net outflow up to which withdrawals are paid at once, in the token’s smallest unit. */
    readonly threshold: string
    /** What it has at Gate, free for margin and withdrawals, in the token’s smallest unit. */
    readonly reserve: string
    /** What the wallet holds itself, in the token’s smallest unit. */
    readonly balance: string
    /** What Gate may take of that, in the token’s smallest unit. */
    readonly allowance: string
    readonly fundFlow: {
      /** All that came in, in the token’s smallest unit. */
      readonly totalIn: string
      /** All that went out, in the token’s smallest unit. */
      readonly totalOut: string
    }
    /** Withdrawals above the threshold. */
    readonly pending: {
      /** Unix seconds of the newest withdrawal that waits; 0 for none. */
      readonly timestamp: number
      readonly native: boolean
      /** What waits, in the token’s smallest unit. */
      readonly amount: string
      /** What was paid after waiting, and does not count against the threshold, in the token’s smallest unit. */
      readonly exemption: string
    }
  }
}

/**
 * A pair, an account in it and a quotation, all at one block, for the published client. May fail with
 * instrument_unknown, pair_unknown, chain_id_differs, would_revert, perp_not_indexed, perp_chain_unreachable.
 */
export function getOnChainContext(
  client: Client<'perp'>,
  params: GetOnChainContextParams,
  options: CallOptions = {},
): Promise<GetOnChainContextResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/market/getOnChainContext',
      ['instrument', 'expiry', 'userAddress', 'signedSize', 'chainId'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type QueryOnChainContextParams = QueryOnChainContextFields

export interface QueryOnChainContextResult {
  /** Parameters of the instrument. */
  readonly Setting: {
    /** As the contract has it, such as BTC-USDC-LINK. */
    readonly Symbol: string
    /** Address of Config. */
    readonly Config: string
    /** Address of Gate. */
    readonly Gate: string
    /** Address of the market that prices it. */
    readonly Market: string
    /** Address of the quote token. */
    readonly Quote: string
    /** Decimals of the quote token. */
    readonly Decimals: number
    /** Margin of a new position, basis points. */
    readonly InitialMarginRatio: number
    /** Margin below which a position is liquidated, basis points. */
    readonly MaintenanceMarginRatio: number
    /** No limit order can be placed. */
    readonly PlacePaused: boolean
    /** Hours over which funding pays the whole gap; 0 stands for 24. */
    readonly FundingHour: number
    /** Makers get no rebate. */
    readonly DisableOrderRebate: boolean
    readonly Param: {
      /** Least margin, 18 decimals. */
      readonly MinMarginAmount: string
      /** Fee of a taker for liquidity, basis points. */
      readonly TradingFeeRatio: number
      /** Fee of a taker for the protocol, basis points. */
      readonly ProtocolFeeRatio: number
      /** 0 invalid, 1 stable, 2 not stable. */
      readonly Qtype: number
      /** Paid to whoever fills or removes for another, 18 decimals. */
      readonly Tip: string
    }
  }
  /** 0 normal, 1 frozen, 2 resolved. */
  readonly Condition: number
  /** The pair’s pool. */
  readonly Amm: {
    /** Unix seconds; 4294967295 is the perpetual. */
    readonly Expiry: number
    /** When it was last brought to a time, Unix seconds. */
    readonly Timestamp: number
    /** 0 dormant, 1 trading, 2 settling, 3 settled. */
    readonly Status: number
    /** Tick of the curve’s price. */
    readonly Tick: number
    /** Square root of the curve’s price, 96 fractional bits. */
    readonly SqrtPX96: string
    /** Liquidity at the price, 18 decimals. */
    readonly Liquidity: string
    /** Liquidity of all ranges, 18 decimals. */
    readonly TotalLiquidity: string
    /** Base that traders hold short, 18 decimals. */
    readonly TotalShort: string
    /** Base held long, by traders and within ranges, 18 decimals. */
    readonly OpenInterests: string
    /** Base that traders hold long, 18 decimals. */
    readonly TotalLong: string
    /** Quote that the pair holds, 18 decimals. */
    readonly InvolvedFund: string
    /** Fees that a unit of liquidity has earned, 18 decimals. */
    readonly FeeIndex: string
    /** Fees of the protocol that were not taken out, 18 decimals. */
    readonly ProtocolFee: string
    /** What bankrupt accounts have cost a unit held long, 18 decimals. */
    readonly LongSocialLossIndex: string
    /** The same held short, 18 decimals. */
    readonly ShortSocialLossIndex: string
    /** Funding that a unit held long has received; negative where it has paid, 18 decimals. */
    readonly LongFundingIndex: string
    /** The same held short, 18 decimals. */
    readonly ShortFundingIndex: string
    /** Insurance fund, 18 decimals. */
    readonly InsuranceFund: string
    /** Price at which a dated pair settled, 0 before, 18 decimals. */
    readonly SettlementPrice: string
  }
  /** Mark, spot and benchmark price, and the feeds they come from. */
  readonly PriceData: {
    /** Address of the instrument. */
    readonly Instrument: string
    /** Unix seconds; 4294967295 is the perpetual. */
    readonly Expiry: number
    /** What positions are judged by; 0 while the price source gives none, 18 decimals. */
    readonly MarkPrice: string
    /** Price of the source; 0 while it gives none, 18 decimals. */
    readonly SpotPrice: string
    /** Spot price with the carry of a dated pair, 18 decimals. */
    readonly BenchmarkPrice: string
    /** Address of the feed of the base. */
    readonly Feeder0: string
    /** Address of the feed of the quote; zero where there is none. */
    readonly Feeder1: string
    /** When it was last updated, Unix seconds; 0 of none. */
    readonly Feeder0UpdatedAt: string
    /** When it was last updated, Unix seconds; 0 of none. */
    readonly Feeder1UpdatedAt: string
  }
  /** What the account has in the pair. */
  readonly Portfolio: {
    /** Of its orders: tick · 2^24 + nonce, the tick as 24 bits. */
    readonly Oids: readonly number[]
    /** Of its ranges: lower tick · 2^24 + upper tick, each as 24 bits. */
    readonly Rids: readonly number[]
    readonly Position: {
      /** Margin, with what was realised since, 18 decimals. */
      readonly Balance: string
      /** Positive is long, 18 decimals. */
      readonly Size: string
      /** What the size cost or brought, 18 decimals. */
      readonly EntryNotional: string
      /** Index of social loss from which it counts, 18 decimals. */
      readonly EntrySocialLossIndex: string
      /** Index of funding from which it counts, 18 decimals. */
      readonly EntryFundingIndex: string
    }
    /** In the order of oids. */
    readonly Orders: readonly {
      /** Margin, 18 decimals. */
      readonly Balance: string
      /** Positive buys, 18 decimals. */
      readonly Size: string
    }[]
    /** In the order of rids. */
    readonly Ranges: readonly {
      /** Liquidity, 18 decimals. */
      readonly Liquidity: string
      /** Index of fees from which it counts, 18 decimals. */
      readonly EntryFeeIndex: string
      /** Margin, 18 decimals. */
      readonly Balance: string
      /** Square root of the price at which it was added, 96 fractional bits. */
      readonly SqrtEntryPX96: string
    }[]
    /** How much of each order’s size was taken, signed like it, 18 decimals; in the order of oids. */
    readonly OrdersTaken: readonly string[]
  }
  readonly Quotation: {
    /** Benchmark price, 18 decimals. */
    readonly Benchmark: string
    /** Square-root price before, 96 fractional bits. */
    readonly SqrtFairPX96: string
    /** Tick before. */
    readonly Tick: number
    /** Mark price, 18 decimals. */
    readonly Mark: string
    /** What the size costs or brings, 18 decimals. */
    readonly EntryNotional: string
    /** Fee of the trade, 18 decimals. */
    readonly Fee: string
    /** Least margin, 18 decimals. */
    readonly MinAmount: string
    /** Square-root price afterwards, 96 fractional bits. */
    readonly SqrtPostFairPX96: string
    /** Tick afterwards. */
    readonly PostTick: number
  } | null
  /** The account’s reserve, wallet and allowance. */
  readonly QuoteState: {
    /** Address of the quote token. */
    readonly Quote: string
    /** Decimals of the token. */
    readonly Decimals: number
    readonly Symbol: string
    /** Net outflow up to which withdrawals are paid at once, in the token’s smallest unit. */
    readonly Threshold: string
    /** What it has at Gate, free for margin and withdrawals, in the token’s smallest unit. */
    readonly Reserve: string
    /** What the wallet holds itself, in the token’s smallest unit. */
    readonly Balance: string
    /** What Gate may take of that, in the token’s smallest unit. */
    readonly Allowance: string
    readonly FundFlow: {
      /** All that came in, in the token’s smallest unit. */
      readonly TotalIn: string
      /** All that went out, in the token’s smallest unit. */
      readonly TotalOut: string
    }
    /** Withdrawals above the threshold. */
    readonly Pending: {
      /** Unix seconds of the newest withdrawal that waits; 0 for none. */
      readonly Timestamp: number
      readonly Native: boolean
      /** What waits, in the token’s smallest unit. */
      readonly Amount: string
      /** What was paid after waiting, and does not count against the threshold, in the token’s smallest unit. */
      readonly Exemption: string
    }
  }
  /** Steps of ticks. */
  readonly Spacing: {
    /** Between the ticks that can hold anything. */
    readonly Pearl: number
    /** Between the ticks of limit orders. */
    readonly Order: number
    /** Between the edges of ranges. */
    readonly Range: number
  }
  readonly BlockInfo: {
    readonly Height: number
    /** Unix seconds. */
    readonly Timestamp: number
  }
}

/**
 * The same as the contracts’ reader answers it, for the published client. The fields of
 * Observer.fetchOnChainContext, their names capitalised; amounts are whole numbers as text, in the contracts’ own
 * units. May fail with instrument_unknown, pair_unknown, chain_id_differs, would_revert, perp_not_indexed,
 * perp_chain_unreachable.
 */
export function queryOnChainContext(
  client: Client<'perp'>,
  params: QueryOnChainContextParams,
  options: CallOptions = {},
): Promise<QueryOnChainContextResult> {
  return client.call(
    [
      'read',
      'GET',
      '/v4/public/market/getOnChainContext/onChainQuery',
      ['instrument', 'expiry', 'userAddress', 'signedSize', 'chainId'],
      false,
      'none',
    ],
    params,
    options,
  )
}

export type GetPublicBalanceParams = GetPublicVolumesFields

export type GetPublicBalanceResult = WalletBalance

/**
 * A wallet’s money at Gate and in itself, by quote token, for the published client. May fail with
 * chain_id_differs, perp_chain_unreachable.
 */
export function getPublicBalance(
  client: Client<'perp'>,
  params: GetPublicBalanceParams,
  options: CallOptions = {},
): Promise<GetPublicBalanceResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/user/gateValue', ['userAddress', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export type GetPublicVolumesParams = GetPublicVolumesFields

export interface GetPublicVolumesResult {
  readonly totalVolumeUsd: string | null
  readonly details: readonly {
    readonly instrumentAddress: string
    /** Unix seconds; 4294967295 is the perpetual. */
    readonly expiry: number
    readonly quoteAddress: string
    /** What was traded, in the quote, 18 decimals. */
    readonly quoteVolume: string
    readonly volumeUsd: string | null
    readonly symbol: string
    readonly baseToken: Quote
    readonly quoteToken: Quote
  }[]
}

/**
 * What a wallet has traded, by pair, for the published client. As a taker, by orders that were taken, and by
 * forced closes, since the venue began. May fail with chain_id_differs, perp_not_indexed, perp_chain_unreachable.
 */
export function getPublicVolumes(
  client: Client<'perp'>,
  params: GetPublicVolumesParams,
  options: CallOptions = {},
): Promise<GetPublicVolumesResult> {
  return client.call(
    ['read', 'GET', '/v4/public/market/user/volumes', ['userAddress', 'chainId'], false, 'none'],
    params,
    options,
  )
}

export interface GetTokensParams {
  /** The chain’s id. */
  readonly chainId?: number
}

export type GetTokensResult = readonly {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
  /** Empty: the venue has no images. */
  readonly imageUrl: string
  readonly currentPrice: string | null
  readonly priceChangePercentage24H: string | null
  readonly high24h: string | null
  readonly low24h: string | null
  readonly chainId: number
}[]

/**
 * The tokens that instruments are quoted in, for the published client. May fail with chain_id_differs,
 * perp_chain_unreachable.
 */
export function getTokens(
  client: Client<'perp'>,
  params: GetTokensParams = {},
  options: CallOptions = {},
): Promise<GetTokensResult> {
  return client.call(['read', 'GET', '/v4/public/token/tokensWithAddress', ['chainId'], false, 'none'], params, options)
}

export interface CreateApiKeyParams {
  /** The chain’s id. */
  readonly chainID: number
  /** The wallet; it stands in the signed text in lower case. */
  readonly address: string
  /** Chosen by the client, each only once for a wallet; as it stands in the signed text. */
  readonly nonce: string | number
  /** Unix milliseconds, at most 5 minutes from the venue’s clock; as it stands in the signed text. */
  readonly timestamp: string | number
  /** Over the text, 65 bytes; of a contract wallet what it accepts by ERC-1271. */
  readonly signature: string
  /** A name for people. */
  readonly label?: string
  /** read, and trade for everything that is not a GET. */
  readonly permissions?: readonly ('read' | 'trade')[]
}

export interface CreateApiKeyResult {
  readonly apiKey: string
  readonly label: string
  readonly permissions: readonly ('read' | 'trade')[]
  /** Unix milliseconds. */
  readonly createdAt: number
  /** Shown here and nowhere else. */
  readonly apiSecret: string
  /** When a key that a page in a browser made ends, Unix milliseconds; absent for every other. */
  readonly expiresAt?: number
  /** For the header X-ACCESS-PASSPHRASE below /v4/public/mm/. */
  readonly passphrase: string
}

/**
 * An API key for the wallet that signs for it. No API key is needed. The wallet signs this text as a personal
 * message (EIP-191), its lines separated by one newline and none at its end: Chain ID: {chainID} Wallet Address:
 * {address, lower-case} Nonce: {nonce} Timestamp: {timestamp} Sign this message to authenticate with {brand} API.
 * The brand is the venue's own, or another one that its operator has listed. The secret is shown once. A key works
 * at once in the process that made it, and within a moment in all others. A key that a page in a browser makes
 * ends after the venue’s time for sessions; a page of another site is refused. May fail with
 * wallet_signature_invalid, wallet_timestamp_outside_window, chain_id_differs, wallet_nonce_used,
 * wallet_keys_exhausted, origin_refused, chain_not_answering.
 */
export function createApiKey(
  client: Client<'perp'>,
  params: CreateApiKeyParams,
  options: CallOptions = {},
): Promise<CreateApiKeyResult> {
  return client.call(['once', 'POST', '/v4/public/trader/api-key/create', [], true, 'none'], params, options)
}

export type GetApiKeysParams = GetOneClickFields

export type GetApiKeysResult = readonly UpdateApiKey[]

/** The API keys of the wallet, without secrets. May fail with key_not_bound, user_not_bound, chain_id_differs. */
export function getApiKeys(
  client: Client<'perp'>,
  params: GetApiKeysParams = {},
  options: CallOptions = {},
): Promise<GetApiKeysResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/api-key/list', ['address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export interface UpdateApiKeyParams {
  /** The API key. */
  readonly apiKey: string
  /** A name for people. */
  readonly label?: string
  /** read, and trade for everything that is not a GET. */
  readonly permissions?: readonly ('read' | 'trade')[]
}

export type UpdateApiKeyResult = UpdateApiKey

/**
 * Change label and permissions of an API key of the wallet. What is left out stays. The key that signs may take
 * its own permission to trade away. May fail with key_not_bound, key_unknown.
 */
export function updateApiKey(
  client: Client<'perp'>,
  params: UpdateApiKeyParams,
  options: CallOptions = {},
): Promise<UpdateApiKeyResult> {
  return client.call(['once', 'POST', '/v4/public/trader/api-key/update', [], true, 'key'], params, options)
}

export interface DeleteApiKeyParams {
  /** The API key. */
  readonly apiKey: string
}

export interface DeleteApiKeyResult {
  readonly apiKey: string
}

/**
 * End an API key of the wallet for good. The key that signs may be the one that ends: this answer is then its
 * last. May fail with key_not_bound, key_unknown.
 */
export function deleteApiKey(
  client: Client<'perp'>,
  params: DeleteApiKeyParams,
  options: CallOptions = {},
): Promise<DeleteApiKeyResult> {
  return client.call(['once', 'POST', '/v4/public/trader/api-key/delete', [], true, 'key'], params, options)
}

export type GetOneClickParams = GetOneClickFields

export interface GetOneClickResult {
  /** enable is what trading calls without a wallet need. */
  readonly status: 'enable' | 'disabled'
  /** The contract that acts for wallets that have enabled One Click. */
  readonly delegatee: string
  /** Unix seconds from which on it holds no longer; there while it is enabled. */
  readonly deadline?: number
}

/**
 * Whether One Click is enabled for the wallet. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, user_not_bound, chain_id_differs.
 */
export function getOneClick(
  client: Client<'perp'>,
  params: GetOneClickParams = {},
  options: CallOptions = {},
): Promise<GetOneClickResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/1ct/status', ['address', 'chainId'], false, 'key'],
    params,
    options,
  )
}

export interface PrepareOneClickParams {
  /** Unix seconds, in the future, at most 4294967295: until then the signature can be used. */
  readonly deadline: number
}

export interface PrepareOneClickResult {
  readonly delegatee: string
  /** EIP-712, for signTypedData of any wallet. */
  readonly signPayload: {
    readonly domain: {
      readonly name: string
      readonly version: string
      readonly chainId: number
      /** The OneClickRouter. */
      readonly verifyingContract: string
    }
    readonly types: {
      readonly Delegate: readonly {
        readonly name: string
        readonly type: string
      }[]
    }
    readonly primaryType: string
    readonly message: {
      /** The wallet that must sign: the bound one. */
      readonly user: string
      readonly delegatee: string
      readonly nonce: number
      readonly deadline: number
    }
  }
  readonly nonce: number
  readonly deadline: number
}

/**
 * What the wallet signs to enable One Click. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, delegation_deadline_expired.
 */
export function prepareOneClick(
  client: Client<'perp'>,
  params: PrepareOneClickParams,
  options: CallOptions = {},
): Promise<PrepareOneClickResult> {
  return client.call(['read', 'POST', '/v4/public/trader/1ct/prepare', [], true, 'key'], params, options)
}

export interface EnableOneClickParams {
  /**
   * Over the payload of POST /v4/public/trader/1ct/prepare, 65 bytes; of a contract wallet what it accepts by
   * ERC-1271.
   */
  readonly signature: string
  /** Unix seconds, in the future, at most 4294967295: until then the signature can be used. */
  readonly deadline: number
}

export interface EnableOneClickResult {
  /** pending: sent and not mined within two seconds; GET /v4/public/trader/1ct/status tells when it is. */
  readonly status: 'enable' | 'pending'
  readonly txHash: string | null
}

/**
 * Enable One Click with the signature of the wallet. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_deadline_expired,
 * delegation_signature_invalid, out_of_gas.
 */
export function enableOneClick(
  client: Client<'perp'>,
  params: EnableOneClickParams,
  options: CallOptions = {},
): Promise<EnableOneClickResult> {
  return client.call(['send', 'POST', '/v4/public/trader/1ct/enable', [], true, 'key'], params, options)
}

export interface DisableOneClickResult {
  /** pending: sent and not mined within two seconds; GET /v4/public/trader/1ct/status tells when it is. */
  readonly status: 'disabled' | 'pending'
  readonly txHash: string | null
}

/**
 * Disable One Click of the wallet. May fail with key_not_bound, chain_not_answering, one_click_unavailable,
 * would_revert, gas_budget_exhausted, idempotency_key_reused, out_of_gas.
 */
export function disableOneClick(client: Client<'perp'>, options: CallOptions = {}): Promise<DisableOneClickResult> {
  return client.call(['send', 'POST', '/v4/public/trader/1ct/disable', [], false, 'key'], {}, options)
}

export interface PrepareApprovalParams {
  /** The token, by its symbol or its address. */
  readonly quote: string
  /** Token units to allow; unlimited unless given, and 0 takes it back. */
  readonly amount?: string
}

export interface PrepareApprovalResult {
  readonly transaction: Transaction
  /** Gate. */
  readonly spender: string
  /** What it may take now, 18 decimals; 2^256 − 1 for no limit. */
  readonly allowance: string
}

/**
 * An approval of a quote token for Gate, as an unsigned transaction of the wallet. Sign the transaction with fees
 * of your choice, and send it by approve/submit or by any node. May fail with key_not_bound, quote_unknown,
 * amount_invalid, would_revert, perp_chain_unreachable.
 */
export function prepareApproval(
  client: Client<'perp'>,
  params: PrepareApprovalParams,
  options: CallOptions = {},
): Promise<PrepareApprovalResult> {
  return client.call(['read', 'POST', '/v4/public/trader/approve/prepare', [], true, 'key'], params, options)
}

export type SubmitApprovalParams = SubmitApprovalFields

export interface SubmitApprovalResult {
  readonly txHash: string
}

/**
 * Sends an approval that the wallet of the API key has signed. Its signer must be the wallet of the API key, its
 * chain this venue’s, its target a quote token of an instrument, its function approve and its spender Gate;
 * nothing else is sent. The same bytes again have the same answer. May fail with key_not_bound,
 * signed_transaction_invalid, transaction_refused, transaction_unknown, perp_chain_unreachable.
 */
export function submitApproval(
  client: Client<'perp'>,
  params: SubmitApprovalParams,
  options: CallOptions = {},
): Promise<SubmitApprovalResult> {
  return client.call(['once', 'POST', '/v4/public/trader/approve/submit', [], true, 'key'], params, options)
}

export type DepositParams = WithdrawFields

export type DepositResult = Send | Withdraw

/**
 * Brings quote from the wallet to its reserve. The wallet has approved Gate for it (approve/prepare). May fail
 * with key_not_bound, chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted,
 * idempotency_key_reused, delegation_not_enabled, gas_limit_too_low, sends_overloaded, key_not_bound,
 * amount_invalid, quote_unknown, perp_chain_unreachable, would_revert, allowance_too_low.
 */
export function deposit(
  client: Client<'perp'>,
  params: DepositParams,
  options: CallOptions = {},
): Promise<DepositResult> {
  return client.call(['send', 'POST', '/v4/public/trader/account/deposit', [], true, 'key'], params, options)
}

export type WithdrawParams = WithdrawFields

export type WithdrawResult = Send | Withdraw

/**
 * Takes quote from the wallet’s reserve to the wallet. What is above maxWithdrawable of account/wallet-balance
 * waits for pendingDuration, and is then paid to the wallet by Gate’s release, which anybody may call. May fail
 * with key_not_bound, chain_not_answering, one_click_unavailable, would_revert, gas_budget_exhausted,
 * idempotency_key_reused, delegation_not_enabled, gas_limit_too_low, sends_overloaded, key_not_bound,
 * amount_invalid, quote_unknown, perp_chain_unreachable, would_revert.
 */
export function withdraw(
  client: Client<'perp'>,
  params: WithdrawParams,
  options: CallOptions = {},
): Promise<WithdrawResult> {
  return client.call(['send', 'POST', '/v4/public/trader/account/withdraw', [], true, 'key'], params, options)
}

export type GetWalletBalanceParams = GetOneClickFields

export type GetWalletBalanceResult = WalletBalance

/**
 * The wallet’s money at Gate and in itself, by quote token. May fail with key_not_bound, user_not_bound,
 * chain_id_differs, perp_chain_unreachable.
 */
export function getWalletBalance(
  client: Client<'perp'>,
  params: GetWalletBalanceParams = {},
  options: CallOptions = {},
): Promise<GetWalletBalanceResult> {
  return client.call(
    ['read', 'GET', '/v4/public/trader/account/wallet-balance', ['address', 'chainId'], false, 'key'],
    params,
    options,
  )
}
