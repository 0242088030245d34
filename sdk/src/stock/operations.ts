// Made of the OpenAPI document by scripts/generate-sdk.ts; a change belongs there.
import type { CallOptions, Client } from '../core/client.ts'

/** Amounts that the wire has as JSON numbers; a client gets their exact text. */
export const DECIMALS: readonly string[] = [
  'amount',
  'ask',
  'avgFillPrice',
  'avgPrice',
  'bid',
  'buyFeeRate',
  'buyProtocolFeeRate',
  'buyThirdPartyFeeRate',
  'cashAmount',
  'change24H',
  'change24HPercent',
  'close',
  'creditAmount',
  'depositFeeRate',
  'feeAmount',
  'filledNotional',
  'filledQuantity',
  'high',
  'low',
  'mUsdAmount',
  'minNotional',
  'minQuantity',
  'notional',
  'notionalIncrement',
  'open',
  'prevClose',
  'price',
  'priceIncrement',
  'protocolFee',
  'protocolFeeRate',
  'quantity',
  'quantityIncrement',
  'ratioFrom',
  'ratioTo',
  'sellFeeRate',
  'sellProtocolFeeRate',
  'sellThirdPartyFeeRate',
  'sharesPerToken',
  'thirdPartyFee',
  'thirdPartyFeeRate',
  'unfilledQuantity',
  'unspentNotional',
  'usdRate',
  'volume',
  'volume24H',
  'withdrawFeeRate',
]

export interface Balance {
  readonly chainId: number
  readonly productType: string
  readonly address: string
  /** Free cash at the venue. */
  readonly mUsdBalance: string
  readonly tokenBalances: readonly {
    readonly address: string
    readonly name: string
    readonly symbol: string
    readonly stockSymbol: string | null
    readonly isStock: boolean
    readonly decimals: number
    readonly price: string | null
    readonly walletBalance: string
    /** Allowance of spenderAddress; 0 when none was given. */
    readonly walletAllowance: string
    /** Free stock held at the venue. */
    readonly exchangeBalance: string
  }[]
}

export interface Bar {
  /** USD per token. */
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string | null
  /** Unix second at which the bar begins; of days and weeks midnight in New York. */
  readonly timestamp: number
}

export interface BuildCancelFields {
  readonly orderId: string
}

export interface BuildStockWithdrawalFields {
  /** The wallet that will send the transaction. */
  readonly userAddress: string
  /** Stock token of GET /symbols. */
  readonly tokenAddress: string
  /** Stock tokens to move. */
  readonly tokenAmount: string
}

export interface Calldata {
  readonly chainId: number
  readonly productType: string
  /** The StockRouter. */
  readonly toAddress: string
  /** Native coin to send along, in wei. */
  readonly value: string
  readonly callData: string
  /** The StockRouter function that the calldata calls. */
  readonly method: string
}

/** The user’s cancel of the order; null while none is known. */
export interface Cancellation {
  readonly txHash: string | null
  /** Status of the cancel’s transaction; confirmed once the chain shows the request. */
  readonly status: 'pending' | 'confirmed' | 'failed' | 'expired'
  readonly statusReason: string | null
}

export interface CashOperation {
  readonly operationId: string | null
  readonly txHash: string | null
  readonly mappingStatus: 'pending' | 'confirmed' | 'failed' | 'expired' | null
  readonly operationStatus: 'processing' | 'success' | 'failed' | null
  readonly mapping: Mapping | null
  readonly depositOperation: {
    readonly operationId: string
    readonly userAddress: string
    readonly tokenAddress: string
    readonly status: 'processing' | 'success' | 'failed'
    readonly isInstant: boolean
    /** mUSD. */
    readonly feeAmount: string
    readonly orderId: string | null
    readonly createTxHash: string
    readonly settleTxHash: string | null
    /** Unix seconds. */
    readonly createdAt: number
    readonly settledAt: number | null
    readonly amount: string | null
    readonly creditAmount: string | null
  } | null
  readonly withdrawalOperation: {
    readonly operationId: string
    readonly userAddress: string
    readonly tokenAddress: string
    readonly status: 'processing' | 'success' | 'failed'
    readonly isInstant: boolean
    /** mUSD. */
    readonly feeAmount: string
    readonly orderId: string | null
    readonly createTxHash: string
    readonly settleTxHash: string | null
    /** Unix seconds. */
    readonly createdAt: number
    readonly settledAt: number | null
    readonly mUsdAmount: string | null
    readonly amount: string | null
  } | null
}

export interface CashWithdrawals {
  /** All matching records. */
  readonly total: number
  readonly rows: readonly CashOperation[]
}

export interface GetCashWithdrawalFields {
  readonly operationId: string
}

export interface GetCashWithdrawalsFields {
  /** Page, from 1. */
  readonly page?: number
  /** Rows a page: 10 unless given, 100 at most. */
  readonly limit?: number
}

export interface GetPositionsFields {
  readonly userId: string
}

export interface HistoryOrder {
  readonly orderId: string
  readonly userAddress: string
  readonly stockAddress: string
  readonly symbol: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  readonly quantity: string | null
  readonly notional: string | null
  readonly price: string | null
  readonly timeInForce: 'DAY' | 'GTC' | 'OPG' | 'IOC' | 'FOK' | 'GTX' | 'GTD' | 'CLS' | null
  /** Stock tokens. */
  readonly filledQuantity: string
  readonly avgFillPrice: string | null
  readonly status: string
  /** The cancellation has been requested on chain. */
  readonly cancelRequested: boolean
  readonly cancelTxHash: string | null
  readonly depositOperationId: string | null
  readonly createTxHash: string
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. */
  readonly deadline: number
  readonly filledNotional: string
  readonly thirdPartyFee: string
  readonly protocolFee: string
  readonly feeAmount: string
  readonly settleTxHash: string | null
  readonly settledAt: number | null
  readonly reason: string | null
}

export interface ListedSymbol {
  readonly symbol: string
  readonly name: string
  readonly contractAddress: string
  readonly contractSymbol: string
  readonly contractName: string
  readonly decimals: number
  readonly onChainDecimals: number
  readonly tradable: boolean
  readonly fractionable: boolean
  readonly overnightTradable: boolean
  readonly fractionalEhEnabled: boolean
  /** Shares that one token stands for; a split moves it. Prices of a token are prices of so many shares. */
  readonly sharesPerToken: string
  /** USD per token. A limit between two steps counts as the next one that is no worse for you. */
  readonly priceIncrement: string
  /** Tokens. What of a quantity is finer than this is not traded. */
  readonly quantityIncrement: string
  /** USD. What of a notional is finer than this is not spent. */
  readonly notionalIncrement: string
  /** Tokens; the least quantity that trades. */
  readonly minQuantity: string
  readonly minNotional: string | null
  readonly price: string | null
  readonly change24H: string | null
  readonly change24HPercent: string | null
  readonly volume24H: string | null
  readonly logoUrl: string
  readonly pdfUrl: string
  readonly lastUpdateTimestamp: number | null
}

export interface Mapping {
  readonly id: string
  readonly chainId: number
  readonly productType: string
  readonly userAddress: string | null
  readonly operationType: 'trade' | 'deposit' | 'withdraw'
  readonly txHash: string | null
  readonly clientOrderId: string | null
  readonly orderId: string | null
  readonly operationId: string | null
  /**
   * expired: the chain has not shown the hash within 24 hours of its record. What is mined later counts all the
   * same.
   */
  readonly status: 'pending' | 'confirmed' | 'failed' | 'expired'
  readonly statusReason: string | null
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. */
  readonly updatedAt: number
}

export interface MarketConfig {
  readonly cashierBuffer: {
    readonly chainId: number
    readonly productType: string
    /** mUSD that instant deposits can still credit. */
    readonly creditBuffer: string
    readonly creditBufferCapacity: string
    /** One operation is instant up to buffer / divisor. */
    readonly instantThresholdDivisor: number
    /** Unix seconds. */
    readonly updatedAt: number
  }
  readonly exchangeFeeConfig: {
    readonly chainId: number
    readonly productType: string
    /** Third-party and protocol fee of a buy; a fraction, 0.001 is 10 bps */
    readonly buyFeeRate: string
    /** Third-party and protocol fee of a sell; a fraction, 0.001 is 10 bps */
    readonly sellFeeRate: string
    /** Part of buyFeeRate; a fraction, 0.001 is 10 bps */
    readonly buyThirdPartyFeeRate: string
    /** Part of buyFeeRate; a fraction, 0.001 is 10 bps */
    readonly buyProtocolFeeRate: string
    /** Part of sellFeeRate; a fraction, 0.001 is 10 bps */
    readonly sellThirdPartyFeeRate: string
    /** Part of sellFeeRate; a fraction, 0.001 is 10 bps */
    readonly sellProtocolFeeRate: string
    /** Fee of a cash deposit; a fraction, 0.001 is 10 bps */
    readonly depositFeeRate: string
    /** Fee of a cash withdrawal; a fraction, 0.001 is 10 bps */
    readonly withdrawFeeRate: string
  }
  readonly cashierTokenConfig: readonly {
    readonly tokenAddress: string
    readonly symbol: string
    readonly decimals: number
    /** Smallest deposit, token units. */
    readonly minAmount: string
    readonly depositPaused: boolean
    readonly withdrawPaused: boolean
    /** USD per token. */
    readonly usdRate: string
    /** Token units that can leave at once. */
    readonly withdrawalBuffer: string
    readonly withdrawalBufferCapacity: string
  }[]
}

export interface OpenOrder {
  readonly orderId: string
  readonly userAddress: string
  readonly stockAddress: string
  readonly symbol: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  readonly quantity: string | null
  readonly notional: string | null
  readonly price: string | null
  readonly timeInForce: 'DAY' | 'GTC' | 'OPG' | 'IOC' | 'FOK' | 'GTX' | 'GTD' | 'CLS' | null
  /** Stock tokens. */
  readonly filledQuantity: string
  readonly avgFillPrice: string | null
  readonly status: string
  /** The cancellation has been requested on chain. */
  readonly cancelRequested: boolean
  readonly cancelTxHash: string | null
  readonly depositOperationId: string | null
  readonly createTxHash: string
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. */
  readonly deadline: number
}

export interface Order {
  readonly orderId: string | null
  readonly txHash: string | null
  readonly mappingStatus: 'pending' | 'confirmed' | 'failed' | 'expired' | null
  readonly orderStatus:
    | 'Init'
    | 'Pending'
    | 'New'
    | 'Partial filled'
    | 'Filled'
    | 'Canceled'
    | 'Expired'
    | 'Rejected'
    | 'Failed'
  readonly mapping: Mapping | null
  readonly cancellation: Cancellation | null
  readonly openOrder: OpenOrder | null
  readonly historyOrder: HistoryOrder | null
}

export interface OrderDetail {
  readonly orderId: string | null
  readonly txHash: string | null
  readonly mappingStatus: 'pending' | 'confirmed' | 'failed' | 'expired' | null
  readonly orderStatus:
    | 'Init'
    | 'Pending'
    | 'New'
    | 'Partial filled'
    | 'Filled'
    | 'Canceled'
    | 'Expired'
    | 'Rejected'
    | 'Failed'
  readonly mapping: Mapping | null
  readonly cancellation: Cancellation | null
  readonly openOrder: OpenOrder | null
  readonly historyOrder: HistoryOrder | null
  /** What was executed and settled of the order, oldest first. */
  readonly fills: readonly {
    /** Stock tokens. */
    readonly quantity: string
    /** USD per token. */
    readonly price: string
    /** USD, without fees. */
    readonly notional: string
    readonly thirdPartyFee: string
    readonly protocolFee: string
    /** The transaction that settled it. */
    readonly txHash: string
    /** Unix seconds. */
    readonly settledAt: number
  }[]
}

export interface Position {
  readonly symbol: string
  readonly contractAddress: string
  readonly contractSymbol: string
  /** Stock tokens held at the exchange, free and locked. */
  readonly quantity: string
  /** Part of them that open sell orders and queued withdrawals hold. */
  readonly lockedQuantity: string
  readonly avgPrice: string | null
  readonly costBasis: string | null
  readonly price: string | null
  readonly lastUpdateTimestamp: number | null
  readonly marketValue: string | null
  readonly unrealizedPnl: string | null
}

export interface Preview {
  readonly chainId: number
  readonly productType: string
  readonly userAddress: string
  /** The StockRouter function that was tried. */
  readonly method: string
  /** The block at which all was asked of the contracts. */
  readonly blockNumber: number
  readonly blockHash: string
  /** Unix seconds. */
  readonly blockTimestamp: number
  /** Whether the transaction would succeed, sent at this block. */
  readonly succeeds: boolean
  readonly reverts: {
    /** The custom error; Unknown when no contract of the venue has it. */
    readonly name: string
    readonly args: Readonly<Record<string, string>>
    /** What it means and what would be right. */
    readonly explanation: string
  } | null
  readonly lock: {
    /** mUSD for a buy, the stock token’s symbol for a sell. */
    readonly asset: string
    /** What the order would lock; of a buy with the fees on all of it. */
    readonly amount: string
  }
  readonly fees: {
    /** Part of the filled notional; a fraction, 0.001 is 10 bps */
    readonly thirdPartyFeeRate: string
    /** Part of the filled notional; a fraction, 0.001 is 10 bps */
    readonly protocolFeeRate: string
  }
  readonly currentPrice: {
    /** Last price, USD per token. */
    readonly price: string
    readonly bid: string
    readonly ask: string
    /** Unix seconds of the quote at its source. */
    readonly updatedAt: number
  } | null
  readonly expectedFill: {
    /** True at the current ask or bid; false when the order would rest, then the figures are at its limit. */
    readonly fillsNow: boolean
    /** USD per token. */
    readonly price: string
    /** Tokens, in the steps that the broker trades; 0 when all is too fine. */
    readonly quantity: string
    /** USD, without fees. */
    readonly notional: string
    readonly thirdPartyFee: string
    readonly protocolFee: string
    readonly feeAmount: string
    readonly unfilledQuantity: string | null
    readonly unspentNotional: string | null
  } | null
  readonly deposit: {
    readonly tokenAddress: string
    /** Token units. */
    readonly amount: string
    readonly creditAmount: string | null
    /** An order with deposit succeeds only when this is true. */
    readonly isInstant: boolean
  } | null
}

export interface Price {
  readonly basicInfo: {
    readonly symbol: string
    readonly name: string
    /** What prices are of and volumes count: the token, as in orders; the share where onChain is null. */
    readonly unit: 'token' | 'share'
    readonly price: string | null
    readonly change24H: string | null
    readonly change24HPercent: string | null
    readonly volume24H: string | null
    readonly open: string | null
    readonly high: string | null
    readonly low: string | null
    readonly prevClose: string | null
    readonly bid: string | null
    readonly ask: string | null
    readonly lastUpdateTimestamp: number | null
    readonly logoUrl: string
  }
  readonly onChain: {
    readonly contractAddress: string
    readonly contractSymbol: string
    readonly contractName: string
    readonly decimals: number
    readonly onChainDecimals: number
    readonly tradable: boolean
    readonly fractionable: boolean
    readonly overnightTradable: boolean
    readonly fractionalEhEnabled: boolean
    /** Shares that one token stands for; a split moves it. Prices of a token are prices of so many shares. */
    readonly sharesPerToken: string
    /** USD per token. A limit between two steps counts as the next one that is no worse for you. */
    readonly priceIncrement: string
    /** Tokens. What of a quantity is finer than this is not traded. */
    readonly quantityIncrement: string
    /** USD. What of a notional is finer than this is not spent. */
    readonly notionalIncrement: string
    /** Tokens; the least quantity that trades. */
    readonly minQuantity: string
    readonly minNotional: string | null
  } | null
}

export interface RecordCashWithdrawalFields {
  readonly txHash: string
}

export interface Send {
  readonly id: string
  readonly chainId: number
  readonly productType: string
  readonly userAddress: string | null
  readonly operationType: 'trade' | 'deposit' | 'withdraw'
  readonly txHash: string | null
  readonly clientOrderId: string | null
  readonly orderId: string | null
  readonly operationId: string | null
  /**
   * Pending until the transaction is indexed; it has failed only when it can never be mined, or reverted. It is
   * Pending again should the block vanish in which it reverted.
   */
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly statusReason: string | null
  /** Unix seconds. */
  readonly createdAt: number
  /** Unix seconds. */
  readonly updatedAt: number
  readonly failure: string | null
  readonly failureMessage: string | null
}

export interface StockOperation {
  readonly operationId: string | null
  readonly txHash: string | null
  readonly mappingStatus: 'pending' | 'confirmed' | 'failed' | 'expired' | null
  readonly operationStatus: 'processing' | 'success' | 'failed'
  readonly mapping: Mapping | null
  readonly depositOperation: WithdrawalOperation | null
  readonly withdrawalOperation: WithdrawalOperation | null
}

export interface StockWithdrawals {
  /** All matching records. */
  readonly total: number
  readonly rows: readonly StockOperation[]
}

export interface Underlying {
  readonly symbol: string
  readonly name: string
  /** Always share: what one token stands for is sharesPerToken of GET /symbols. */
  readonly unit: 'token' | 'share'
  readonly price: string | null
  readonly change24H: string | null
  readonly change24HPercent: string | null
  readonly volume24H: string | null
  readonly open: string | null
  readonly high: string | null
  readonly low: string | null
  readonly prevClose: string | null
  readonly bid: string | null
  readonly ask: string | null
  readonly lastUpdateTimestamp: number | null
  readonly logoUrl: string
}

export interface WithdrawalOperation {
  readonly operationId: string
  readonly userAddress: string
  readonly tokenAddress: string
  readonly symbol: string
  /** processing: a withdrawal that waits because its token is paused; failed: its user took it back. */
  readonly status: 'processing' | 'success' | 'failed'
  readonly exitAt: number | null
  /** Stock tokens moved. */
  readonly amount: string
  readonly orderId: string | null
  readonly createTxHash: string
  /** Unix seconds. */
  readonly createdAt: number
}

export type GetConfigResult = MarketConfig

/** On-chain market configuration: buffers, fee rates, limits of each cash token. May fail with not_indexed_yet. */
export function getConfig(client: Client<'stock'>, options: CallOptions = {}): Promise<GetConfigResult> {
  return client.call(['read', 'GET', '/api/v1/config', [], false, 'open'], {}, options)
}

export type GetSymbolsResult = readonly ListedSymbol[]

/** Tradable symbols with their token contracts and last prices. May fail with not_indexed_yet. */
export function getSymbols(client: Client<'stock'>, options: CallOptions = {}): Promise<GetSymbolsResult> {
  return client.call(['read', 'GET', '/api/v1/symbols', [], false, 'open'], {}, options)
}

export interface GetPriceParams {
  readonly symbol: string
}

export type GetPriceResult = Price

/**
 * Quote of a symbol’s token, named by ticker, token symbol or token address. May fail with symbol_unknown,
 * not_indexed_yet.
 */
export function getPrice(
  client: Client<'stock'>,
  params: GetPriceParams,
  options: CallOptions = {},
): Promise<GetPriceResult> {
  return client.call(['read', 'GET', '/api/v1/prices/{symbol}', [], false, 'open'], params, options)
}

export interface GetPriceHistoryParams {
  readonly symbol: string
  /** Unix seconds; bars that begin earlier are left out. */
  readonly startTime?: number
  /** Unix seconds; bars that begin later are left out. */
  readonly endTime: number
  readonly interval: '1m' | '3m' | '5m' | '15m' | '1h' | '1d' | '1w'
  /** Which corporate actions prices and volumes are adjusted for; all unless given. */
  readonly adjustment?: 'raw' | 'split' | 'dividend' | 'spin-off' | 'all'
  /** The newest bars of the range, at most: 100 unless given, also below 1; above 5000 it is 5000. */
  readonly limit?: number
}

export type GetPriceHistoryResult = readonly Bar[]

/**
 * Bars of a symbol’s token, adjusted for corporate actions. Bars are those of the symbol’s token, as orders name
 * prices, and of a share where it has no token. Unadjusted bars are of the shares that the token stood for then,
 * and those adjusted for splits of what it stands for now. They come oldest first; where nothing was recorded
 * there is no bar. May fail with symbol_unknown, time_range_invalid, not_indexed_yet.
 */
export function getPriceHistory(
  client: Client<'stock'>,
  params: GetPriceHistoryParams,
  options: CallOptions = {},
): Promise<GetPriceHistoryResult> {
  return client.call(
    [
      'read',
      'GET',
      '/api/v1/prices/{symbol}/history',
      ['startTime', 'endTime', 'interval', 'adjustment', 'limit'],
      false,
      'open',
    ],
    params,
    options,
  )
}

export interface GetUnderlyingPriceParams {
  readonly symbol: string
}

export type GetUnderlyingPriceResult = Underlying

/** Quote of the underlying of a symbol, per share. May fail with symbol_unknown, not_indexed_yet. */
export function getUnderlyingPrice(
  client: Client<'stock'>,
  params: GetUnderlyingPriceParams,
  options: CallOptions = {},
): Promise<GetUnderlyingPriceResult> {
  return client.call(['read', 'GET', '/api/v1/underlying/{symbol}/price', [], false, 'open'], params, options)
}

export interface GetCorporateActionsParams {
  /** Ticker, token symbol or address. */
  readonly symbol?: string
  /** Unix seconds; ex-dates whose midnight in New York is earlier are left out. */
  readonly startTime?: number
  /** Unix seconds; ex-dates whose midnight in New York is later are left out. */
  readonly endTime?: number
}

export type GetCorporateActionsResult = readonly {
  readonly symbol: string
  readonly type: 'split' | 'dividend' | 'spin-off'
  /** YYYY-MM-DD; from this trade date on a share is traded without it. */
  readonly exDate: string
  readonly recordDate: string | null
  readonly payableDate: string | null
  readonly ratioFrom: string | null
  readonly ratioTo: string | null
  readonly cashAmount: string | null
}[]

/**
 * Corporate actions, oldest ex-date first; may be an empty list. What happened to the shares: ratios and amounts
 * are of a share. Actions that are announced and not yet effective are listed too. May fail with symbol_unknown,
 * time_range_invalid, not_indexed_yet.
 */
export function getCorporateActions(
  client: Client<'stock'>,
  params: GetCorporateActionsParams = {},
  options: CallOptions = {},
): Promise<GetCorporateActionsResult> {
  return client.call(
    ['read', 'GET', '/api/v1/corporate-action', ['symbol', 'startTime', 'endTime'], false, 'open'],
    params,
    options,
  )
}

export interface GetClockResult {
  /** Unix seconds of the market’s clock. */
  readonly timestamp: number
  readonly session: 'closed' | 'pre-market' | 'regular' | 'after-hours' | 'overnight'
  /** Limit orders may fill. */
  readonly isOpen: boolean
  /** Market orders are taken. */
  readonly isRegular: boolean
  /** YYYY-MM-DD; while the market is closed the next one. */
  readonly tradeDate: string
  /** Unix seconds; now in a regular session. */
  readonly nextRegular: number
  /** Unix seconds at which a DAY order that is placed now ends. */
  readonly dayOrderExpiry: number
}

/** The market’s clock: session, trade date, and the next regular session. May fail with not_indexed_yet. */
export function getClock(client: Client<'stock'>, options: CallOptions = {}): Promise<GetClockResult> {
  return client.call(['read', 'GET', '/api/v1/clock', [], false, 'open'], {}, options)
}

export interface GetCalendarParams {
  /** First trade date, YYYY-MM-DD. */
  readonly start: string
  /** Last trade date, YYYY-MM-DD; at most 366 days in all. */
  readonly end: string
}

export type GetCalendarResult = readonly {
  /** YYYY-MM-DD. */
  readonly tradeDate: string
  readonly sessions: readonly {
    readonly session: 'closed' | 'pre-market' | 'regular' | 'after-hours' | 'overnight'
    /** Unix seconds. */
    readonly start: number
    /** Unix seconds; not included. */
    readonly end: number
  }[]
}[]

/**
 * Trade dates and their sessions. Dates on which the market is closed are left out. A trade date begins with its
 * overnight session. May fail with date_range_invalid, not_indexed_yet.
 */
export function getCalendar(
  client: Client<'stock'>,
  params: GetCalendarParams,
  options: CallOptions = {},
): Promise<GetCalendarResult> {
  return client.call(['read', 'GET', '/api/v1/calendar', ['start', 'end'], false, 'open'], params, options)
}

export type GetUserParams = GetPositionsFields

export interface GetUserResult {
  readonly userId: string
  readonly userAddress: string
}

/** User info; the user id is the wallet address. */
export function getUser(
  client: Client<'stock'>,
  params: GetUserParams,
  options: CallOptions = {},
): Promise<GetUserResult> {
  return client.call(['read', 'GET', '/api/v1/users/{userId}', [], false, 'key'], params, options)
}

export interface GetBalanceParams {
  readonly userId: string
  /** Adds the allowance given to this address. */
  readonly spenderAddress?: string
}

export type GetBalanceResult = Balance

/**
 * Cash and token balances of a user, read from the chain at one block. While the node does not answer there is no
 * answer here either: no older figure is shown instead. May fail with chain_unreachable, not_indexed_yet.
 */
export function getBalance(
  client: Client<'stock'>,
  params: GetBalanceParams,
  options: CallOptions = {},
): Promise<GetBalanceResult> {
  return client.call(
    ['read', 'GET', '/api/v1/users/{userId}/balance', ['spenderAddress'], false, 'key'],
    params,
    options,
  )
}

export type GetPositionsParams = GetPositionsFields

export type GetPositionsResult = readonly Position[]

/** Stock positions of a user at the exchange, by symbol; may be an empty list. May fail with not_indexed_yet. */
export function getPositions(
  client: Client<'stock'>,
  params: GetPositionsParams,
  options: CallOptions = {},
): Promise<GetPositionsResult> {
  return client.call(['read', 'GET', '/api/v1/users/{userId}/positions', [], false, 'key'], params, options)
}

export interface GetActivitiesParams {
  readonly userId: string
  /** Page, from 1. */
  readonly page?: number
  /** Rows a page: 10 unless given, 100 at most. */
  readonly limit?: number
  readonly type?: 'fill' | 'cash_deposit' | 'cash_withdrawal' | 'stock_deposit' | 'stock_withdrawal'
  /** Unix seconds; what happened earlier is left out. */
  readonly startTime?: number
  /** Unix seconds; what happened later is left out. */
  readonly endTime?: number
}

export interface GetActivitiesResult {
  /** All matching records. */
  readonly total: number
  readonly rows: readonly {
    /** Tells rows apart: one settlement may fill an order several times alike. */
    readonly id: string
    readonly type: 'fill' | 'cash_deposit' | 'cash_withdrawal' | 'stock_deposit' | 'stock_withdrawal'
    /** Unix seconds of the block. */
    readonly timestamp: number
    /** For a fill the settlement’s hash, for an operation that of the transaction that asked for it. */
    readonly txHash: string
    /** failed: its user has taken back what waited. */
    readonly operationStatus: 'processing' | 'success' | 'failed'
    readonly orderId: string | null
    readonly operationId: string | null
    readonly tokenAddress: string
    /** Ticker of a stock, symbol of a cash token. */
    readonly symbol: string
    readonly side: 'Buy' | 'Sell' | null
    readonly quantity: string | null
    readonly price: string | null
    readonly amount: string | null
    readonly feeAmount: string | null
  }[]
}

/**
 * What happened to a user’s account: fills, and moves of cash and stock, newest first. Accounts are public on
 * chain: nothing has to be recorded for it. May fail with time_range_invalid.
 */
export function getActivities(
  client: Client<'stock'>,
  params: GetActivitiesParams,
  options: CallOptions = {},
): Promise<GetActivitiesResult> {
  return client.call(
    [
      'read',
      'GET',
      '/api/v1/users/{userId}/activities',
      ['page', 'limit', 'type', 'startTime', 'endTime'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export interface GetOrdersParams {
  /** Page, from 1. */
  readonly page?: number
  /** Rows a page: 10 unless given, 100 at most. */
  readonly limit?: number
  /** Your own name for the order, unique for the API key; GET /orders?clientOrderId= finds it. */
  readonly clientOrderId?: string
  /** orderStatus, exactly. */
  readonly status?:
    | 'Init'
    | 'Pending'
    | 'New'
    | 'Partial filled'
    | 'Filled'
    | 'Canceled'
    | 'Expired'
    | 'Rejected'
    | 'Failed'
  /** Ticker, token symbol or address. */
  readonly symbol?: string
  readonly side?: 'Buy' | 'Sell'
  /** Unix seconds; orders that were recorded earlier are left out. */
  readonly startTime?: number
  /** Unix seconds; orders that were recorded later are left out. */
  readonly endTime?: number
}

export interface GetOrdersResult {
  /** All matching records. */
  readonly total: number
  readonly rows: readonly Order[]
}

/**
 * Orders that the calling key has recorded, newest first. Filters narrow the list and may be combined;
 * clientOrderId names one order and takes no other. A long list is found fastest by a range of time. May fail with
 * symbol_unknown, time_range_invalid, field_not_applicable.
 */
export function getOrders(
  client: Client<'stock'>,
  params: GetOrdersParams = {},
  options: CallOptions = {},
): Promise<GetOrdersResult> {
  return client.call(
    [
      'read',
      'GET',
      '/api/v1/orders',
      ['page', 'limit', 'clientOrderId', 'status', 'symbol', 'side', 'startTime', 'endTime'],
      false,
      'key',
    ],
    params,
    options,
  )
}

export interface BuildOrderParams {
  /** Stock token of GET /symbols. */
  readonly stockAddress: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  /** Stock tokens; required for a limit order and a market sell. */
  readonly quantity?: string
  /** USD; required for a market buy, which alone has it. */
  readonly notional?: string
  /** USD per token, as quotes have it; required for a limit order, which alone has it. */
  readonly price?: string
  /** DAY, nothing else; required for a limit order, which alone has it. */
  readonly timeInForce?: string
  /** Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain. */
  readonly deadline: number
  /** Accepted and ignored. */
  readonly deferred?: boolean
}

export type BuildOrderResult = Calldata

/**
 * Calldata for an order (StockRouter.placeMarketOrder or placeLimitOrder). May fail with amount_invalid,
 * token_unknown, token_paused, not_indexed_yet, token_of_other_kind, notional_missing, quantity_missing,
 * price_missing, time_in_force_missing, time_in_force_unsupported, field_not_applicable, fraction_not_tradable,
 * order_too_large, deadline_expired, market_not_regular.
 */
export function buildOrder(
  client: Client<'stock'>,
  params: BuildOrderParams,
  options: CallOptions = {},
): Promise<BuildOrderResult> {
  return client.call(['read', 'POST', '/api/v1/orders/calldata', [], true, 'key'], params, options)
}

export interface BuildCancelsParams {
  /** Ticker, token symbol or address. */
  readonly symbol?: string
}

export type BuildCancelsResult = readonly {
  readonly orderId: string
  readonly calldata: Calldata | null
  readonly failure: {
    readonly reason: string
    readonly message: string
  } | null
}[]

/**
 * Calldata for the cancel of every open limit order. Of the calling key’s open limit orders the oldest 50; ask
 * again until there are none. Each order is one of its own: what keeps one of them out is its failure, and the
 * others go on. May fail with symbol_unknown, not_indexed_yet.
 */
export function buildCancels(
  client: Client<'stock'>,
  params: BuildCancelsParams = {},
  options: CallOptions = {},
): Promise<BuildCancelsResult> {
  return client.call(['read', 'DELETE', '/api/v1/orders/calldata', ['symbol'], false, 'key'], params, options)
}

export interface PlaceOrderParams {
  /** Stock token of GET /symbols. */
  readonly stockAddress: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  /** Stock tokens; required for a limit order and a market sell. */
  readonly quantity?: string
  /** USD; required for a market buy, which alone has it. */
  readonly notional?: string
  /** USD per token, as quotes have it; required for a limit order, which alone has it. */
  readonly price?: string
  /** DAY, nothing else; required for a limit order, which alone has it. */
  readonly timeInForce?: string
  /** Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain. */
  readonly deadline: number
  /** Accepted and ignored. */
  readonly deferred?: boolean
  /** The wallet this API key is bound to; no other is accepted. */
  readonly userAddress?: string
  /** Your own name for the order, unique for the API key; GET /orders?clientOrderId= finds it. */
  readonly clientOrderId?: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
}

export type PlaceOrderResult = Send

/**
 * One Click order. May fail with key_not_bound, chain_not_answering, one_click_unavailable, would_revert,
 * gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled, gas_limit_too_low, sends_overloaded,
 * amount_invalid, token_unknown, token_paused, not_indexed_yet, token_of_other_kind, notional_missing,
 * quantity_missing, price_missing, time_in_force_missing, time_in_force_unsupported, field_not_applicable,
 * fraction_not_tradable, order_too_large, deadline_expired, market_not_regular, user_not_bound,
 * client_order_id_taken.
 */
export function placeOrder(
  client: Client<'stock'>,
  params: PlaceOrderParams,
  options: CallOptions = {},
): Promise<PlaceOrderResult> {
  return client.call(['send', 'POST', '/api/v1/orders/send', [], true, 'key'], params, options)
}

export interface CancelOrdersParams {
  /** Ticker, token symbol or address. */
  readonly symbol?: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
}

export type CancelOrdersResult = readonly {
  readonly orderId: string
  readonly send: Send | null
  readonly failure: {
    readonly reason: string
    readonly message: string
  } | null
}[]

/**
 * One Click cancel of every open limit order. Of the calling key’s open limit orders the oldest 50; ask again
 * until there are none. Each order is one of its own: what keeps one of them out is its failure, and the others go
 * on. A repeat sends nothing twice: a cancel that is under way keeps out a second. gasLimit is that of each
 * transaction. An Idempotency-Key is not needed and does not apply. May fail with symbol_unknown, not_indexed_yet.
 */
export function cancelOrders(
  client: Client<'stock'>,
  params: CancelOrdersParams = {},
  options: CallOptions = {},
): Promise<CancelOrdersResult> {
  return client.call(['once', 'DELETE', '/api/v1/orders/send', ['symbol', 'gasLimit'], false, 'key'], params, options)
}

export interface BuildOrderWithDepositParams {
  /** Stock token of GET /symbols. */
  readonly stockAddress: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  /** Stock tokens; required for a limit order and a market sell. */
  readonly quantity?: string
  /** USD; required for a market buy, which alone has it. */
  readonly notional?: string
  /** USD per token, as quotes have it; required for a limit order, which alone has it. */
  readonly price?: string
  /** DAY, nothing else; required for a limit order, which alone has it. */
  readonly timeInForce?: string
  /** Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain. */
  readonly deadline: number
  /** Accepted and ignored. */
  readonly deferred?: boolean
  /** Buy: the cash token to deposit, required. Sell: the stock itself, if it is sent at all. */
  readonly depositTokenAddress?: string
  /** Buy: units of the cash token. Sell: stock tokens. */
  readonly depositAmount: string
}

export type BuildOrderWithDepositResult = Calldata

/**
 * Calldata for a deposit and an order in one transaction (StockRouter.depositAnd…). A deposit that the contracts
 * would refuse for this order now is refused here. May fail with amount_invalid, token_unknown, token_paused,
 * not_indexed_yet, token_of_other_kind, notional_missing, quantity_missing, price_missing, time_in_force_missing,
 * time_in_force_unsupported, field_not_applicable, fraction_not_tradable, order_too_large, deadline_expired,
 * market_not_regular, deposit_token_missing, deposit_too_small, deposit_not_instant, chain_unreachable.
 */
export function buildOrderWithDeposit(
  client: Client<'stock'>,
  params: BuildOrderWithDepositParams,
  options: CallOptions = {},
): Promise<BuildOrderWithDepositResult> {
  return client.call(['read', 'POST', '/api/v1/orders/with-deposit/calldata', [], true, 'key'], params, options)
}

export interface PlaceOrderWithDepositParams {
  /** Stock token of GET /symbols. */
  readonly stockAddress: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  /** Stock tokens; required for a limit order and a market sell. */
  readonly quantity?: string
  /** USD; required for a market buy, which alone has it. */
  readonly notional?: string
  /** USD per token, as quotes have it; required for a limit order, which alone has it. */
  readonly price?: string
  /** DAY, nothing else; required for a limit order, which alone has it. */
  readonly timeInForce?: string
  /** Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain. */
  readonly deadline: number
  /** Accepted and ignored. */
  readonly deferred?: boolean
  /** Buy: the cash token to deposit, required. Sell: the stock itself, if it is sent at all. */
  readonly depositTokenAddress?: string
  /** Buy: units of the cash token. Sell: stock tokens. */
  readonly depositAmount: string
  /** The wallet this API key is bound to; no other is accepted. */
  readonly userAddress?: string
  /** Your own name for the order, unique for the API key; GET /orders?clientOrderId= finds it. */
  readonly clientOrderId?: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
}

export type PlaceOrderWithDepositResult = Send

/**
 * One Click deposit and order in one transaction. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, token_unknown, token_paused, not_indexed_yet,
 * token_of_other_kind, notional_missing, quantity_missing, price_missing, time_in_force_missing,
 * time_in_force_unsupported, field_not_applicable, fraction_not_tradable, order_too_large, deadline_expired,
 * market_not_regular, deposit_token_missing, deposit_too_small, deposit_not_instant, chain_unreachable,
 * allowance_too_low, user_not_bound, client_order_id_taken.
 */
export function placeOrderWithDeposit(
  client: Client<'stock'>,
  params: PlaceOrderWithDepositParams,
  options: CallOptions = {},
): Promise<PlaceOrderWithDepositResult> {
  return client.call(['send', 'POST', '/api/v1/orders/with-deposit/send', [], true, 'key'], params, options)
}

export interface PreviewOrderParams {
  /** The wallet that would send the transaction; of a bound key the bound one. */
  readonly userAddress: string
  /** Stock token of GET /symbols. */
  readonly stockAddress: string
  readonly side: 'Buy' | 'Sell'
  readonly type: 'Market' | 'Limit'
  /** Stock tokens; required for a limit order and a market sell. */
  readonly quantity?: string
  /** USD; required for a market buy, which alone has it. */
  readonly notional?: string
  /** USD per token, as quotes have it; required for a limit order, which alone has it. */
  readonly price?: string
  /** DAY, nothing else; required for a limit order, which alone has it. */
  readonly timeInForce?: string
  /** Unix seconds, in the future, at most 4294967295. Bounds the inclusion on chain. */
  readonly deadline: number
  /** Accepted and ignored. */
  readonly deferred?: boolean
  /** Buy: the cash token to deposit, required. Sell: the stock itself, if it is sent at all. */
  readonly depositTokenAddress?: string
  /** Buy: units of the cash token. Sell: stock tokens. */
  readonly depositAmount?: string
}

export type PreviewOrderResult = Preview

/**
 * What an order would lock, cost and fill at, or how it would revert; nothing is sent. The order may have a
 * deposit. A revert is an answer, no failure. May fail with amount_invalid, token_unknown, token_paused,
 * not_indexed_yet, token_of_other_kind, notional_missing, quantity_missing, price_missing, time_in_force_missing,
 * time_in_force_unsupported, field_not_applicable, fraction_not_tradable, order_too_large, deadline_expired,
 * market_not_regular, deposit_token_missing, deposit_too_small, deposit_not_instant, chain_unreachable,
 * user_not_bound.
 */
export function previewOrder(
  client: Client<'stock'>,
  params: PreviewOrderParams,
  options: CallOptions = {},
): Promise<PreviewOrderResult> {
  return client.call(['read', 'POST', '/api/v1/orders/preview', [], true, 'key'], params, options)
}

export interface RecordOrderParams {
  readonly txHash: string
  /** Your own name for the order, unique for the API key; GET /orders?clientOrderId= finds it. */
  readonly clientOrderId?: string
}

export type RecordOrderResult = Mapping

/**
 * Record a self-submitted order transaction for the calling key. A clientOrderId is kept with the first record of
 * the transaction. A hash that the chain has not shown 24 hours later has expired; what is mined after all counts
 * all the same. May fail with idempotency_key_reused, transaction_of_other_key, transaction_of_other_kind,
 * transaction_of_other_user, chain_unreachable, client_order_id_taken, field_not_applicable.
 */
export function recordOrder(
  client: Client<'stock'>,
  params: RecordOrderParams,
  options: CallOptions = {},
): Promise<RecordOrderResult> {
  return client.call(['send', 'POST', '/api/v1/orders/tx', [], true, 'key'], params, options)
}

export interface GetOrderByTxParams {
  readonly txHash: string
}

export type GetOrderByTxResult = OrderDetail

/**
 * Order by the hash of its transaction. The first, when the transaction has several orders. orderId is null until
 * the transaction is indexed. The hash of a cancel answers the order, with the cancel’s own transaction in txHash,
 * mapping and cancellation. May fail with transaction_not_recorded.
 */
export function getOrderByTx(
  client: Client<'stock'>,
  params: GetOrderByTxParams,
  options: CallOptions = {},
): Promise<GetOrderByTxResult> {
  return client.call(['read', 'GET', '/api/v1/orders/tx/{txHash}', [], false, 'key'], params, options)
}

export type GetOrderParams = BuildCancelFields

export type GetOrderResult = OrderDetail

/**
 * Order detail. Orders are public on chain: mapping is null when the calling key has not recorded this one. May
 * fail with order_not_found.
 */
export function getOrder(
  client: Client<'stock'>,
  params: GetOrderParams,
  options: CallOptions = {},
): Promise<GetOrderResult> {
  return client.call(['read', 'GET', '/api/v1/orders/{orderId}', [], false, 'key'], params, options)
}

export type BuildCancelParams = BuildCancelFields

export type BuildCancelResult = Calldata

/**
 * Calldata for the cancel of a limit order (StockRouter.cancelLimitOrder). Only the key that the order belongs to
 * may cancel it. May fail with order_not_found, order_not_owned, order_not_cancelable, order_not_open,
 * cancel_already_requested.
 */
export function buildCancel(
  client: Client<'stock'>,
  params: BuildCancelParams,
  options: CallOptions = {},
): Promise<BuildCancelResult> {
  return client.call(['read', 'DELETE', '/api/v1/orders/{orderId}/calldata', [], false, 'key'], params, options)
}

export interface CancelOrderParams {
  readonly orderId: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
}

export type CancelOrderResult = Send

/**
 * One Click cancel of a limit order. May fail with key_not_bound, chain_not_answering, one_click_unavailable,
 * would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled, gas_limit_too_low,
 * sends_overloaded, order_not_found, order_not_owned, order_not_cancelable, order_not_open,
 * cancel_already_requested.
 */
export function cancelOrder(
  client: Client<'stock'>,
  params: CancelOrderParams,
  options: CallOptions = {},
): Promise<CancelOrderResult> {
  return client.call(['send', 'DELETE', '/api/v1/orders/{orderId}/send', ['gasLimit'], false, 'key'], params, options)
}

export interface GetSendParams {
  readonly id: string
}

export type GetSendResult = Send

/**
 * A One Click send of the calling key, by its id. As the send answers it, with what is known now. operationId and
 * orderId are there once it is indexed. May fail with send_not_found.
 */
export function getSend(
  client: Client<'stock'>,
  params: GetSendParams,
  options: CallOptions = {},
): Promise<GetSendResult> {
  return client.call(['read', 'GET', '/api/v1/sends/{id}', [], false, 'key'], params, options)
}

export interface GetSendByIdempotencyKeyParams {
  /** The Idempotency-Key of the request that sent it, by the same API key. */
  readonly idempotencyKey: string
}

export type GetSendByIdempotencyKeyResult = Send

/**
 * A One Click send of the calling key, by the Idempotency-Key of its request. As the send answers it, with what is
 * known now. Asks without sending, unlike the same request again. A request that was lost on its way may still
 * arrive while its signature is fresh: only after that does “nothing” mean that nothing was sent. What a venue has
 * forgotten that was put back to an older copy of its database is known by the same request alone, which is then
 * not sent twice. May fail with send_not_found.
 */
export function getSendByIdempotencyKey(
  client: Client<'stock'>,
  params: GetSendByIdempotencyKeyParams,
  options: CallOptions = {},
): Promise<GetSendByIdempotencyKeyResult> {
  return client.call(
    ['read', 'GET', '/api/v1/sends/byIdempotencyKey', ['idempotencyKey'], false, 'key'],
    params,
    options,
  )
}

export interface BuildCashDepositParams {
  /** The wallet that will send the transaction. */
  readonly userAddress: string
  /** Cash token of GET /config. */
  readonly tokenAddress: string
  /** Token units to deposit. */
  readonly tokenAmount: string
}

export type BuildCashDepositResult = Calldata

/**
 * Calldata for a cash deposit (StockRouter.deposit). Balance and allowance are not checked. May fail with
 * amount_invalid, token_unknown, token_paused, not_indexed_yet, token_of_other_kind.
 */
export function buildCashDeposit(
  client: Client<'stock'>,
  params: BuildCashDepositParams,
  options: CallOptions = {},
): Promise<BuildCashDepositResult> {
  return client.call(['read', 'POST', '/api/v1/cash/deposits/calldata', [], true, 'key'], params, options)
}

export interface DepositCashParams {
  /** Cash token of GET /config. */
  readonly tokenAddress: string
  /** Token units to deposit. */
  readonly tokenAmount: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
}

export type DepositCashResult = Send

/**
 * One Click cash deposit from the bound user. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, token_unknown, token_paused, not_indexed_yet,
 * token_of_other_kind, allowance_too_low.
 */
export function depositCash(
  client: Client<'stock'>,
  params: DepositCashParams,
  options: CallOptions = {},
): Promise<DepositCashResult> {
  return client.call(['send', 'POST', '/api/v1/cash/deposits/send', [], true, 'key'], params, options)
}

export type RecordCashDepositParams = RecordCashWithdrawalFields

export type RecordCashDepositResult = Mapping

/**
 * Record a self-submitted deposit transaction for the calling key. May fail with idempotency_key_reused,
 * transaction_of_other_key, transaction_of_other_kind, transaction_of_other_user, chain_unreachable.
 */
export function recordCashDeposit(
  client: Client<'stock'>,
  params: RecordCashDepositParams,
  options: CallOptions = {},
): Promise<RecordCashDepositResult> {
  return client.call(['send', 'POST', '/api/v1/cash/deposits/tx', [], true, 'key'], params, options)
}

export type GetCashDepositsParams = GetCashWithdrawalsFields

export type GetCashDepositsResult = CashWithdrawals

/** Cash deposits that the calling key has recorded, newest first. */
export function getCashDeposits(
  client: Client<'stock'>,
  params: GetCashDepositsParams = {},
  options: CallOptions = {},
): Promise<GetCashDepositsResult> {
  return client.call(['read', 'GET', '/api/v1/cash/deposits', ['page', 'limit'], false, 'key'], params, options)
}

export type GetCashDepositParams = GetCashWithdrawalFields

export type GetCashDepositResult = CashOperation

/**
 * Cash deposit detail; poll operationStatus until it is final. Operations are public on chain: mapping is null
 * when the calling key has not recorded this one. May fail with operation_not_found.
 */
export function getCashDeposit(
  client: Client<'stock'>,
  params: GetCashDepositParams,
  options: CallOptions = {},
): Promise<GetCashDepositResult> {
  return client.call(['read', 'GET', '/api/v1/cash/deposits/{operationId}', [], false, 'key'], params, options)
}

export interface BuildCashWithdrawalParams {
  /** The wallet that will send the transaction. */
  readonly userAddress: string
  /** Cash token of GET /config. */
  readonly tokenAddress: string
  /** mUSD to withdraw. */
  readonly tokenAmount: string
}

export type BuildCashWithdrawalResult = Calldata

/**
 * Calldata for a cash withdrawal (StockRouter.withdraw). May fail with amount_invalid, token_unknown,
 * token_paused, not_indexed_yet, token_of_other_kind.
 */
export function buildCashWithdrawal(
  client: Client<'stock'>,
  params: BuildCashWithdrawalParams,
  options: CallOptions = {},
): Promise<BuildCashWithdrawalResult> {
  return client.call(['read', 'POST', '/api/v1/cash/withdrawals/calldata', [], true, 'key'], params, options)
}

export interface WithdrawCashParams {
  /** Cash token of GET /config. */
  readonly tokenAddress: string
  /** mUSD to withdraw. */
  readonly tokenAmount: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
  /** The wallet this API key is bound to; no other is accepted. */
  readonly userAddress?: string
}

export type WithdrawCashResult = Send

/**
 * One Click cash withdrawal to the bound user. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, token_unknown, token_paused, not_indexed_yet,
 * token_of_other_kind, user_not_bound.
 */
export function withdrawCash(
  client: Client<'stock'>,
  params: WithdrawCashParams,
  options: CallOptions = {},
): Promise<WithdrawCashResult> {
  return client.call(['send', 'POST', '/api/v1/cash/withdrawals/send', [], true, 'key'], params, options)
}

export type RecordCashWithdrawalParams = RecordCashWithdrawalFields

export type RecordCashWithdrawalResult = Mapping

/**
 * Record a self-submitted withdrawal transaction for the calling key. May fail with idempotency_key_reused,
 * transaction_of_other_key, transaction_of_other_kind, transaction_of_other_user, chain_unreachable.
 */
export function recordCashWithdrawal(
  client: Client<'stock'>,
  params: RecordCashWithdrawalParams,
  options: CallOptions = {},
): Promise<RecordCashWithdrawalResult> {
  return client.call(['send', 'POST', '/api/v1/cash/withdrawals/tx', [], true, 'key'], params, options)
}

export type GetCashWithdrawalsParams = GetCashWithdrawalsFields

export type GetCashWithdrawalsResult = CashWithdrawals

/** Cash withdrawals that the calling key has recorded, newest first. */
export function getCashWithdrawals(
  client: Client<'stock'>,
  params: GetCashWithdrawalsParams = {},
  options: CallOptions = {},
): Promise<GetCashWithdrawalsResult> {
  return client.call(['read', 'GET', '/api/v1/cash/withdrawals', ['page', 'limit'], false, 'key'], params, options)
}

export type GetCashWithdrawalParams = GetCashWithdrawalFields

export type GetCashWithdrawalResult = CashOperation

/**
 * Cash withdrawal detail; poll operationStatus until it is final. Operations are public on chain: mapping is null
 * when the calling key has not recorded this one. May fail with operation_not_found.
 */
export function getCashWithdrawal(
  client: Client<'stock'>,
  params: GetCashWithdrawalParams,
  options: CallOptions = {},
): Promise<GetCashWithdrawalResult> {
  return client.call(['read', 'GET', '/api/v1/cash/withdrawals/{operationId}', [], false, 'key'], params, options)
}

export type BuildStockDepositParams = BuildStockWithdrawalFields

export type BuildStockDepositResult = Calldata

/**
 * Calldata for a stock deposit (StockRouter.depositStock). Balance and allowance are not checked. May fail with
 * amount_invalid, token_unknown, token_paused, not_indexed_yet, token_of_other_kind.
 */
export function buildStockDeposit(
  client: Client<'stock'>,
  params: BuildStockDepositParams,
  options: CallOptions = {},
): Promise<BuildStockDepositResult> {
  return client.call(['read', 'POST', '/api/v1/stock/deposits/calldata', [], true, 'key'], params, options)
}

export interface DepositStockParams {
  /** Stock token of GET /symbols. */
  readonly tokenAddress: string
  /** Stock tokens to move. */
  readonly tokenAmount: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
}

export type DepositStockResult = Send

/**
 * One Click stock deposit from the bound user. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, token_unknown, token_paused, not_indexed_yet,
 * token_of_other_kind, allowance_too_low.
 */
export function depositStock(
  client: Client<'stock'>,
  params: DepositStockParams,
  options: CallOptions = {},
): Promise<DepositStockResult> {
  return client.call(['send', 'POST', '/api/v1/stock/deposits/send', [], true, 'key'], params, options)
}

export type RecordStockDepositParams = RecordCashWithdrawalFields

export type RecordStockDepositResult = Mapping

/**
 * Record a self-submitted stock deposit transaction for the calling key. May fail with idempotency_key_reused,
 * transaction_of_other_key, transaction_of_other_kind, transaction_of_other_user, chain_unreachable.
 */
export function recordStockDeposit(
  client: Client<'stock'>,
  params: RecordStockDepositParams,
  options: CallOptions = {},
): Promise<RecordStockDepositResult> {
  return client.call(['send', 'POST', '/api/v1/stock/deposits/tx', [], true, 'key'], params, options)
}

export type GetStockDepositsParams = GetCashWithdrawalsFields

export type GetStockDepositsResult = StockWithdrawals

/** Stock deposits that the calling key has recorded, newest first. */
export function getStockDeposits(
  client: Client<'stock'>,
  params: GetStockDepositsParams = {},
  options: CallOptions = {},
): Promise<GetStockDepositsResult> {
  return client.call(['read', 'GET', '/api/v1/stock/deposits', ['page', 'limit'], false, 'key'], params, options)
}

export type GetStockDepositParams = GetCashWithdrawalFields

export type GetStockDepositResult = StockOperation

/**
 * Stock deposit detail. Operations are public on chain: mapping is null when the calling key has not recorded this
 * one. May fail with operation_not_found.
 */
export function getStockDeposit(
  client: Client<'stock'>,
  params: GetStockDepositParams,
  options: CallOptions = {},
): Promise<GetStockDepositResult> {
  return client.call(['read', 'GET', '/api/v1/stock/deposits/{operationId}', [], false, 'key'], params, options)
}

export type BuildStockWithdrawalParams = BuildStockWithdrawalFields

export type BuildStockWithdrawalResult = Calldata

/**
 * Calldata for a stock withdrawal (StockRouter.withdrawStock). Balance and allowance are not checked. May fail
 * with amount_invalid, token_unknown, token_paused, not_indexed_yet, token_of_other_kind.
 */
export function buildStockWithdrawal(
  client: Client<'stock'>,
  params: BuildStockWithdrawalParams,
  options: CallOptions = {},
): Promise<BuildStockWithdrawalResult> {
  return client.call(['read', 'POST', '/api/v1/stock/withdrawals/calldata', [], true, 'key'], params, options)
}

export interface WithdrawStockParams {
  /** Stock token of GET /symbols. */
  readonly tokenAddress: string
  /** Stock tokens to move. */
  readonly tokenAmount: string
  /** Gas limit of the transaction, up to the cap of the chain; estimated when left out. */
  readonly gasLimit?: number
  /** The wallet this API key is bound to; no other is accepted. */
  readonly userAddress?: string
}

export type WithdrawStockResult = Send

/**
 * One Click stock withdrawal to the bound user. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_not_enabled,
 * gas_limit_too_low, sends_overloaded, amount_invalid, token_unknown, token_paused, not_indexed_yet,
 * token_of_other_kind, user_not_bound.
 */
export function withdrawStock(
  client: Client<'stock'>,
  params: WithdrawStockParams,
  options: CallOptions = {},
): Promise<WithdrawStockResult> {
  return client.call(['send', 'POST', '/api/v1/stock/withdrawals/send', [], true, 'key'], params, options)
}

export type RecordStockWithdrawalParams = RecordCashWithdrawalFields

export type RecordStockWithdrawalResult = Mapping

/**
 * Record a self-submitted stock withdrawal transaction for the calling key. May fail with idempotency_key_reused,
 * transaction_of_other_key, transaction_of_other_kind, transaction_of_other_user, chain_unreachable.
 */
export function recordStockWithdrawal(
  client: Client<'stock'>,
  params: RecordStockWithdrawalParams,
  options: CallOptions = {},
): Promise<RecordStockWithdrawalResult> {
  return client.call(['send', 'POST', '/api/v1/stock/withdrawals/tx', [], true, 'key'], params, options)
}

export type GetStockWithdrawalsParams = GetCashWithdrawalsFields

export type GetStockWithdrawalsResult = StockWithdrawals

/** Stock withdrawals that the calling key has recorded, newest first. */
export function getStockWithdrawals(
  client: Client<'stock'>,
  params: GetStockWithdrawalsParams = {},
  options: CallOptions = {},
): Promise<GetStockWithdrawalsResult> {
  return client.call(['read', 'GET', '/api/v1/stock/withdrawals', ['page', 'limit'], false, 'key'], params, options)
}

export type GetStockWithdrawalParams = GetCashWithdrawalFields

export type GetStockWithdrawalResult = StockOperation

/**
 * Stock withdrawal detail. Operations are public on chain: mapping is null when the calling key has not recorded
 * this one. May fail with operation_not_found.
 */
export function getStockWithdrawal(
  client: Client<'stock'>,
  params: GetStockWithdrawalParams,
  options: CallOptions = {},
): Promise<GetStockWithdrawalResult> {
  return client.call(['read', 'GET', '/api/v1/stock/withdrawals/{operationId}', [], false, 'key'], params, options)
}

export interface GetOneClickResult {
  /** enable is what the send operations need. */
  readonly status: 'enable' | 'disabled'
  /** The contract that acts for users who have enabled One Click. */
  readonly delegatee: string
  readonly delegatedTo: string | null
  /** The nonce that the next signature must carry. */
  readonly nonce: number
  readonly endsAt: number | null
  /**
   * What sends may put at risk for the user within a day, USD: cash moved and the notional of orders. The venue’s,
   * unless the user has set one with the OneClickRouter.
   */
  readonly dailyAmount: string
  /** What is left of it now, USD; it grows back over the day. */
  readonly availableAmount: string
  readonly updatedAt: number | null
  readonly txHash: string | null
}

/** One Click status of the bound user. May fail with key_not_bound, chain_not_answering, one_click_unavailable. */
export function getOneClick(client: Client<'stock'>, options: CallOptions = {}): Promise<GetOneClickResult> {
  return client.call(['read', 'GET', '/api/v1/1ct/status', [], false, 'key'], {}, options)
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
 * One Click payload for the bound user to sign. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, delegation_deadline_expired.
 */
export function prepareOneClick(
  client: Client<'stock'>,
  params: PrepareOneClickParams,
  options: CallOptions = {},
): Promise<PrepareOneClickResult> {
  return client.call(['read', 'POST', '/api/v1/1ct/prepare', [], true, 'key'], params, options)
}

export interface EnableOneClickParams {
  /** Over the payload of POST /api/v1/1ct/prepare, 65 bytes; of a contract wallet what it accepts by ERC-1271. */
  readonly signature: string
  /** Unix seconds, in the future, at most 4294967295: until then the signature can be used. */
  readonly deadline: number
}

export interface EnableOneClickResult {
  /** pending: sent and not mined within two seconds; GET /api/v1/1ct/status tells when it is. */
  readonly status: 'enable' | 'pending'
  readonly txHash: string | null
}

/**
 * Enable One Click with the signature of the bound user. May fail with key_not_bound, chain_not_answering,
 * one_click_unavailable, would_revert, gas_budget_exhausted, idempotency_key_reused, delegation_deadline_expired,
 * delegation_signature_invalid, out_of_gas.
 */
export function enableOneClick(
  client: Client<'stock'>,
  params: EnableOneClickParams,
  options: CallOptions = {},
): Promise<EnableOneClickResult> {
  return client.call(['send', 'POST', '/api/v1/1ct/enable', [], true, 'key'], params, options)
}

export interface DisableOneClickResult {
  /** pending: sent and not mined within two seconds; GET /api/v1/1ct/status tells when it is. */
  readonly status: 'disabled' | 'pending'
  readonly txHash: string | null
}

/**
 * Disable One Click of the bound user. May fail with key_not_bound, chain_not_answering, one_click_unavailable,
 * would_revert, gas_budget_exhausted, idempotency_key_reused, out_of_gas.
 */
export function disableOneClick(client: Client<'stock'>, options: CallOptions = {}): Promise<DisableOneClickResult> {
  return client.call(['send', 'POST', '/api/v1/1ct/disable', [], false, 'key'], {}, options)
}

export interface OpenSessionParams {
  /** The signed text (EIP-4361). */
  readonly message: string
  /** Over the text as a personal message, 65 bytes; of a contract wallet what it accepts by ERC-1271. */
  readonly signature: string
}

export interface OpenSessionResult {
  /** The session's API key. */
  readonly apiKey: string
  /** Shown here and nowhere else. */
  readonly apiSecret: string
  /** The wallet, lower-case. */
  readonly userAddress: string
  readonly access: 'WRITABLE'
  /** Unix seconds; when it was opened. */
  readonly createdAt: number
  /** Unix seconds; when it ends. */
  readonly expiresAt: number
}

/**
 * Open a session for the wallet that signs for it. No API key is needed. The wallet signs a text of EIP-4361 as a
 * personal message; its domain and URI are those of the page, its statement is "Open a session that may trade for
 * this wallet until it expires." and it has an Expiration Time and nothing optional beside. The session ends then,
 * or earlier where the venue bounds it. It is an API key that may write, works from the caller's address only, and
 * shares its records with all sessions of the wallet. A wallet has 20 at most: one more ends its oldest. A page of
 * another site is refused. May fail with session_message_invalid, session_signature_invalid, wallet_nonce_used,
 * origin_refused, chain_not_answering.
 */
export function openSession(
  client: Client<'stock'>,
  params: OpenSessionParams,
  options: CallOptions = {},
): Promise<OpenSessionResult> {
  return client.call(['once', 'POST', '/api/v1/session', [], true, 'none'], params, options)
}

export interface CloseSessionResult {
  /** The session's API key. */
  readonly apiKey: string
}

/**
 * End the session that asks. This answer is its last. A key that is no session is ended by whoever made it. May
 * fail with session_unknown.
 */
export function closeSession(client: Client<'stock'>, options: CallOptions = {}): Promise<CloseSessionResult> {
  return client.call(['once', 'DELETE', '/api/v1/session', [], false, 'key'], {}, options)
}

export type GetSessionsResult = readonly {
  /** The session's API key. */
  readonly apiKey: string
  /** Unix seconds; when it was opened. */
  readonly createdAt: number
  /** Unix seconds; when it ends. */
  readonly expiresAt: number
  /** The client addresses that it works from. */
  readonly addresses: readonly string[]
  /** True for the session that asks. */
  readonly current: boolean
}[]

/** The open sessions of the wallet, without secrets. May fail with key_not_bound. */
export function getSessions(client: Client<'stock'>, options: CallOptions = {}): Promise<GetSessionsResult> {
  return client.call(['read', 'GET', '/api/v1/sessions', [], false, 'key'], {}, options)
}

export interface CloseOtherSessionParams {
  /** The session's API key. */
  readonly apiKey: string
}

export interface CloseOtherSessionResult {
  /** The session's API key. */
  readonly apiKey: string
}

/** End a session of the wallet for good. May fail with key_not_bound, session_unknown. */
export function closeOtherSession(
  client: Client<'stock'>,
  params: CloseOtherSessionParams,
  options: CallOptions = {},
): Promise<CloseOtherSessionResult> {
  return client.call(['once', 'DELETE', '/api/v1/sessions/{apiKey}', [], false, 'key'], params, options)
}
