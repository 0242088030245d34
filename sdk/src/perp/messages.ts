// Made of the AsyncAPI document by scripts/generate-sdk.ts; a change belongs there.
import type { Books, Execution, FullInstrument, KeptOrder, Movement, Order, Pair, Quote, Range } from './operations.ts'

export interface FailedSend {
  /** As the request was answered. */
  readonly sendId: string
  /** What was asked for, such as market. */
  readonly action: string
  readonly txHash: string | null
  readonly status: 'Failed'
  /** The revert by name, or the reason. */
  readonly failure: string
  readonly failureMessage: string | null
}

export interface Kline {
  readonly chainId: number
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly interval: '1m' | '5m' | '15m' | '30m' | '1h' | '4h' | '8h' | '12h' | '1d' | '1w' | '1M'
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
  readonly volumeUSD: string | null
  /** First second, Unix seconds. */
  readonly timestamp: number
  /** First second, Unix seconds. */
  readonly startTime: number
  /** Last second, Unix seconds. */
  readonly endTime: number
}

export interface Signal {
  /** What has changed; gate: its money at Gate. */
  readonly type: 'order' | 'range' | 'position' | 'gate'
  readonly userAddress: string
  /** Of the pair; absent of gate. */
  readonly instrument?: string
  /** Unix seconds; 4294967295 is the perpetual. Absent of gate. */
  readonly expiry?: string
  /** Of an order whose placement is recorded. */
  readonly orderInfo?: {
    /** tick · 2^24 + nonce, the tick as 24 bits. */
    readonly oid: string
    readonly orderId: string
    readonly type: 'placed' | 'filled' | 'canceled'
  }
}

export interface ToldPosition {
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
  /** Unix seconds. */
  readonly lastUpdateTime: number
  readonly lastUpdateTxHash: string
  readonly instrumentAddr: string
  readonly expiry: number
  readonly symbol: string
}

export interface Trade {
  /** The transaction’s hash and the trade’s place in it. */
  readonly id: string
  readonly chainId: number
  readonly instrument: string
  /** The same as instrument. */
  readonly instrumentAddress: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly symbol: string
  /** Base, without sign, 18 decimals. */
  readonly size: string
  /** What it cost or brought in the quote, 18 decimals. */
  readonly balance: string
  /** Average price, 18 decimals. */
  readonly price: string
  /** Fee of the taker for liquidity, 18 decimals. */
  readonly tradeFee: string
  /** Fee of the taker for the protocol, 18 decimals. */
  readonly protocolFee: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly txHash: string
  readonly type: 'Market'
  readonly baseToken: Quote
  readonly quoteToken: Quote
  readonly typeString: 'market' | 'liquidation'
  /** Of the taker. */
  readonly side: 'long' | 'short'
  /** The contract’s event: Trade, or Sweep of a liquidation. */
  readonly event: string
  /** What positions were judged by, 18 decimals. */
  readonly markPrice: string
  /** The curve’s price afterwards, 18 decimals. */
  readonly fairPrice: string
}

/** The answer to a request, or that what it asked for is followed no more. */
export interface AckMessage {
  /** That of the request; null where it had none. */
  readonly id: number | null
  /** success, or what is wrong. */
  readonly result: string
}

/** The books of a pair at all ratios. */
export interface OrderBookMessage {
  readonly stream: 'orderBook'
  readonly chainId: number
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly data: Books
}

/** A candle of a pair. */
export interface KlineMessage {
  readonly stream: 'kline'
  readonly chainId: number
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly data: Kline
}

/** The full instrument of a pair. */
export interface InstrumentMessage {
  readonly stream: 'instrument'
  readonly chainId: number
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly data: FullInstrument
}

/** A pair as the market list has it. */
export interface MarketPairInfoChangedMessage {
  readonly stream: 'marketPairInfoChanged'
  readonly chainId: number
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly data: {
    readonly chainId: number
    /** The same as instrumentAddr. */
    readonly instrument: string
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
}

/** Trades of a pair, the newest one last. */
export interface TradesMessage {
  readonly stream: 'trades'
  readonly chainId: number
  readonly instrument: string
  /** Unix seconds; 4294967295 is the perpetual. */
  readonly expiry: number
  readonly data: readonly Trade[]
}

/** A block is indexed. */
export interface BlockNumChangedMessage {
  readonly stream: 'blockNumChanged'
  readonly chainId: number
  readonly data: {
    readonly chainId: number
    readonly blockNum: number
    /** Unix seconds. */
    readonly blockTime: number
  }
}

/** Every open pair. */
export interface MarketListChangedMessage {
  readonly stream: 'marketListChanged'
  readonly chainId: number
  readonly data: readonly Pair[]
}

/** Something of an account has changed. */
export interface PortfolioMessage {
  readonly stream: 'portfolio'
  readonly data: Signal
}

/** What the wallet has of it, the newest 200 records. */
export interface OrdersSnapshotMessage {
  readonly stream: 'orders'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: Order
  }[]
}

/** What came after the sequence follows. */
export interface OrdersResumedMessage {
  readonly stream: 'orders'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface OrdersUpdatedMessage {
  readonly stream: 'orders'
  readonly chainId: number
  readonly event: 'order.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: Order
}

/** There is no such record any more. */
export interface OrdersRemovedMessage {
  readonly stream: 'orders'
  readonly chainId: number
  readonly event: 'order.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** What the wallet has of it, the newest 200 records. */
export interface ExecutionsSnapshotMessage {
  readonly stream: 'executions'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: Execution
  }[]
}

/** What came after the sequence follows. */
export interface ExecutionsResumedMessage {
  readonly stream: 'executions'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface ExecutionsUpdatedMessage {
  readonly stream: 'executions'
  readonly chainId: number
  readonly event: 'execution.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: Execution
}

/** There is no such record any more. */
export interface ExecutionsRemovedMessage {
  readonly stream: 'executions'
  readonly chainId: number
  readonly event: 'execution.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** What the wallet has of it, the newest 200 records. */
export interface PositionsSnapshotMessage {
  readonly stream: 'positions'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: ToldPosition
  }[]
}

/** What came after the sequence follows. */
export interface PositionsResumedMessage {
  readonly stream: 'positions'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface PositionsUpdatedMessage {
  readonly stream: 'positions'
  readonly chainId: number
  readonly event: 'position.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: ToldPosition
}

/** There is no such record any more. */
export interface PositionsRemovedMessage {
  readonly stream: 'positions'
  readonly chainId: number
  readonly event: 'position.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** What the wallet has of it, the newest 200 records. */
export interface AccountSnapshotMessage {
  readonly stream: 'account'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: Movement
  }[]
}

/** What came after the sequence follows. */
export interface AccountResumedMessage {
  readonly stream: 'account'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface AccountUpdatedMessage {
  readonly stream: 'account'
  readonly chainId: number
  readonly event: 'movement.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: Movement
}

/** There is no such record any more. */
export interface AccountRemovedMessage {
  readonly stream: 'account'
  readonly chainId: number
  readonly event: 'movement.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** What the wallet has of it, the newest 200 records. */
export interface LiquiditySnapshotMessage {
  readonly stream: 'liquidity'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: Range
  }[]
}

/** What came after the sequence follows. */
export interface LiquidityResumedMessage {
  readonly stream: 'liquidity'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface LiquidityUpdatedMessage {
  readonly stream: 'liquidity'
  readonly chainId: number
  readonly event: 'range.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: Range
}

/** There is no such record any more. */
export interface LiquidityRemovedMessage {
  readonly stream: 'liquidity'
  readonly chainId: number
  readonly event: 'range.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** What the wallet has of it, the newest 200 records. */
export interface KeptOrdersSnapshotMessage {
  readonly stream: 'keptOrders'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: KeptOrder
  }[]
}

/** What came after the sequence follows. */
export interface KeptOrdersResumedMessage {
  readonly stream: 'keptOrders'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface KeptOrdersUpdatedMessage {
  readonly stream: 'keptOrders'
  readonly chainId: number
  readonly event: 'keptOrder.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: KeptOrder
}

/** There is no such record any more. */
export interface KeptOrdersRemovedMessage {
  readonly stream: 'keptOrders'
  readonly chainId: number
  readonly event: 'keptOrder.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** What the wallet has of it, the newest 200 records. */
export interface SendsSnapshotMessage {
  readonly stream: 'sends'
  readonly chainId: number
  readonly event: 'snapshot'
  /** too_old: what lies between is not to be had any more. */
  readonly reason: 'subscribed' | 'too_old'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** How many the stream knows of. */
  readonly total: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: readonly {
    /** Names the record within the channel. */
    readonly key: string
    readonly data: FailedSend
  }[]
}

/** What came after the sequence follows. */
export interface SendsResumedMessage {
  readonly stream: 'sends'
  readonly chainId: number
  readonly event: 'resumed'
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** A record as it is now. */
export interface SendsUpdatedMessage {
  readonly stream: 'sends'
  readonly chainId: number
  readonly event: 'send.updated'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: FailedSend
}

/** There is no such record any more. */
export interface SendsRemovedMessage {
  readonly stream: 'sends'
  readonly chainId: number
  readonly event: 'send.removed'
  /** Changes when data takes another form. */
  readonly version: number
  /** Names the message: a webhook tells the same one. */
  readonly id: string
  /** Names the record within the channel. */
  readonly key: string
  /** Of the channel’s messages, without a gap. */
  readonly sequence: number
  /** Sequence of the message before it. */
  readonly previous: number
  /** Unix milliseconds. */
  readonly time: number
  readonly data: null
}

/** Whatever the venue sends. */
export type ToldMessage =
  | AckMessage
  | OrderBookMessage
  | KlineMessage
  | InstrumentMessage
  | MarketPairInfoChangedMessage
  | TradesMessage
  | BlockNumChangedMessage
  | MarketListChangedMessage
  | PortfolioMessage
  | OrdersSnapshotMessage
  | OrdersResumedMessage
  | OrdersUpdatedMessage
  | OrdersRemovedMessage
  | ExecutionsSnapshotMessage
  | ExecutionsResumedMessage
  | ExecutionsUpdatedMessage
  | ExecutionsRemovedMessage
  | PositionsSnapshotMessage
  | PositionsResumedMessage
  | PositionsUpdatedMessage
  | PositionsRemovedMessage
  | AccountSnapshotMessage
  | AccountResumedMessage
  | AccountUpdatedMessage
  | AccountRemovedMessage
  | LiquiditySnapshotMessage
  | LiquidityResumedMessage
  | LiquidityUpdatedMessage
  | LiquidityRemovedMessage
  | KeptOrdersSnapshotMessage
  | KeptOrdersResumedMessage
  | KeptOrdersUpdatedMessage
  | KeptOrdersRemovedMessage
  | SendsSnapshotMessage
  | SendsResumedMessage
  | SendsUpdatedMessage
  | SendsRemovedMessage
