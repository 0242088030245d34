// What each custom error of the product's contracts means for whoever meets it, and what would be right. A test holds the
// table against the ABIs: every error has a text, and no text is left without its error.

/** What reaches a trader, of trades and orders. */
const TRADING_ERRORS = {
  BadAmmStatus: 'The pair is not in a state that allows this: it was never opened, or it is settled.',
  BadInstrumentCondition:
    'The instrument is frozen or resolved and takes no action at the moment. Reads keep working; GET market/instruments shows its condition.',
  CrazyDeviation:
    'The trade would carry the price too far from the mark, beyond the maintenance margin ratio. Trade less, or wait until the price is nearer.',
  CrazySpot: 'The price feed gives a price that the instrument cannot express. Try again later.',
  DivByZero: 'A divisor is zero, such as a leverage of 0. Send a positive value.',
  FairDeviation:
    'The fair price is further from the mark than the initial margin ratio: no order is placed and no liquidity added until they are nearer.',
  ForbidNegativeAdjust:
    'The fair price is further from the mark than the initial margin ratio: no margin may leave until they are nearer.',
  InsufficientReserve:
    'The reserve at Gate is smaller than the amount. A withdrawal takes no more than the reserve. Margin above it needs a deposit, or an approval for Gate to take the rest from the wallet (POST approve/prepare).',
  InvalidCexPrice:
    'The price feed gives no price: it is too old, its market is closed, or a guardian has frozen it, as priceStatus of GET market/tickers tells. Trading goes on with its next price.',
  InvariantBroken:
    'The pair lacks the money for this payment until bankrupt accounts are liquidated. Try again after that.',
  NotTradeable: 'The pair cannot be traded: it was never opened, or it is settled. Check the expiry.',
  OrderFull: 'The account has 128 open orders in this pair, which is the most. Cancel one first.',
  OrderImrUnsafe:
    'The margin of the order is below what the initial margin ratio asks for: amount was given, minAmount is the least. Send a lower leverage.',
  OrderNotExist: 'The account has no such order. It may be filled or cancelled already.',
  OrderNotFullyTaken: 'A part of the order still rests. Only an order of which everything was taken can be filled.',
  OrderOccupied: 'The account has an order at this price already. Choose another price, or cancel that one first.',
  OrderTickUnaligned: 'The price of the order is not on the instrument’s grid of ticks.',
  OrderTooFar: 'The price is further from the mark than twice the initial margin ratio. Choose one that is nearer.',
  OrderTrivial:
    'The order is worth less than the least order value of the instrument, or a batch is not two to nine orders. Send a larger size.',
  OrderWrongSide:
    'A resting buy must lie below the price, a resting sell above it. Choose another price, or trade at the market.',
  PlacePaused: 'Placing limit orders is paused on this instrument. Trading and cancelling go on.',
  PositionBankrupt: 'The position would end with a debt. Send more margin.',
  PositionNotExist: 'The account has no position in this pair, or nothing to settle.',
  ReuseNonEmptyRecord: 'This price has used up its generations of orders. Choose another price.',
  SqrtPX96OutOfBound: 'The price lies outside of what the instrument can express.',
  TickOutOfBound: 'The tick lies outside of −322517 to 443636.',
  Timeout: 'The deadline had passed when the transaction was to be included. Build it again with a later one.',
  TradeImrUnsafe:
    'The position would not meet the initial margin, or more margin was to leave than may. Send a lower leverage, or take out less.',
  TradeMmrUnsafe: 'The position would not meet the maintenance margin. Send more margin, or close all of it.',
  TradeOutOfLiquidity: 'The pair does not hold enough liquidity for this size. Send a smaller one.',
  TradeSlippage: 'The average price is worse than the slippage allows. Allow more, or trade less.',
  TradeTrivial:
    'A new position is worth less than the least trade value of the instrument. Send a larger size (minTradeValue of GET market/instruments).',
} as const

/** What reaches a provider of liquidity. */
const LIQUIDITY_ERRORS = {
  AddInvalidTickDelta:
    'An edge of the range is too near to the price, or further than about five times of it. minRangeTickDelta of GET market/instruments is the least distance.',
  AddLiquidityExceedMax: 'The range would hold more liquidity than one tick takes. Add less, or a wider range.',
  AddOverflow: 'A size or an amount does not fit its field. Send less.',
  AddSlippage: 'The price has moved beyond the slippage since the request was built. Build it again.',
  AddTraderIneligible: 'The wallet is not on the list of those who may provide liquidity in this quote.',
  AddTrivial: 'The range is worth less than the least range value of the instrument. Add more.',
  InitTrivial: 'The first range of a pair needs ten times the least margin. Add more.',
  RangeFull: 'The account has 128 ranges in this pair, which is the most. Remove one first.',
  RangeNotExist: 'The account has no range between these ticks.',
  RangeOccupied: 'The account has a range between these ticks already. Choose other edges, or remove it first.',
  RemoveActiveRange: 'Only its owner may remove a range that the price is in.',
  RemoveSlippage: 'The price has moved beyond the slippage since the request was built. Build it again.',
} as const

/** What reaches whoever brings money to Gate or takes it out. */
const MONEY_ERRORS = {
  BlacklistedTrader: 'The wallet may bring no money in. It may withdraw what it has, and close its positions.',
  InvalidMsgValue: 'The native coin sent along differs from the amount of the deposit.',
  NoDirectDeposit: 'Native coin comes in by a deposit, not by a plain transfer.',
  PendingWithdrawNotMature: 'There is no withdrawal waiting, or its time has not come.',
  SafeERC20FailedOperation:
    'The token refused the transfer. Check its balance, its allowance, and whether it is paused.',
  UnsafeToken: 'The token delivered another amount than was asked. It cannot be used here.',
  ERC20InsufficientAllowance: 'The wallet has not allowed Gate to take this much of the token. Approve it first.',
  ERC20InsufficientBalance:
    'The wallet holds less of the token than the transaction takes. Bring in more, or send less.',
} as const

/** What reaches liquidators and keepers. */
const KEEPER_ERRORS = {
  BadTargetSize: 'The size to liquidate is zero, of the wrong side, or more than the position holds.',
  LiquidatePostImrUnsafe: 'The liquidator would not meet the initial margin afterwards. Bring more margin.',
  LiquidatorIneligible: 'The account is not on the list of those who may liquidate.',
  NoCounterparty: 'Neither the insurance fund nor the other side can bear the loss of this liquidation.',
  SelfLiquidation: 'An account cannot liquidate itself.',
  TargetSafe: 'The account meets its maintenance margin, so it is not liquidated.',
} as const

/** What reaches whoever acts for another by the relay router. */
const RELAY_ERRORS = {
  CallNotAllowed: 'The function may not be called in a user’s name. Send the transaction by the wallet itself.',
  ExpiredSignature: 'The deadline of the signature has passed. Sign again.',
  InvalidAction: 'There is no such action of a sub-account.',
  InvalidCaller: 'The caller may not act for this user.',
  InvalidSignature: 'The signature is not one of the user over this message.',
  InvalidSubAccount: 'The address cannot be the user’s sub-account, or is not.',
  InvalidValue: 'The native coin sent along differs from what the calls take.',
  NotHandler: 'Only the relay router may call this function.',
  NotSubAccountOwner: 'The caller is not the sub-account of this user.',
  SubAccountAlreadyExists: 'The user has a sub-account already. Remove it first.',
  WrongUser: 'A call is in another user’s name than the one it is authorised for.',
} as const

/** What only operators meet: set-up, administration, upgrades. */
const OPERATOR_ERRORS = {
  AddressEmptyCode: 'There is no contract at the target address.',
  AlreadyConnected: 'The router is connected to its Gate already, and that happens once.',
  AlreadyInitialized: 'The contract has been initialised before.',
  BadAmmTiming: 'A dated pair is not updated before its settling window.',
  BadInitialMarginRatio: 'The initial margin ratio must lie between the maintenance ratio and 10000.',
  BadInstrumentAddress: 'The instrument would be created at another address than the one given.',
  BadMaintenanceMarginRatio: 'The maintenance margin ratio must not be zero.',
  BadMinMarginAmount: 'The least margin lies outside of its bounds.',
  BadProtocolFeeRatio: 'The protocol fee lies outside of its bounds.',
  BadTip: 'The tip lies outside of its bounds.',
  BadTradingFeeRatio: 'The trading fee lies outside of its bounds.',
  CexNoFeeder: 'The instrument has no price feed yet.',
  DecimalsExceed: 'A price feed has more than 18 decimals.',
  ERC1967InvalidImplementation: 'The new implementation is not a contract that a proxy can use.',
  ERC1967NonPayable: 'Native coin was sent along where none is taken.',
  ExpiryBelowSettlingDuration: 'The expiry is nearer than the settling window.',
  ExpiryExceedMaxExpiryPeriod: 'The expiry is further away than thirteen weeks.',
  ExpiryNotAligned: 'A dated pair ends on a Friday at 08:00 UTC.',
  FailedCall: 'A call to another contract failed without saying why.',
  GetErc20DecimalsFailed: 'The token does not say how many decimals it has.',
  GetErc20SymbolFailed: 'The token does not say its symbol.',
  InsufficientBalance: 'The contract holds less native coin than it is to pay.',
  InstrumentExists: 'The instrument was created before.',
  InvalidShortString: 'A text is longer than its storage allows.',
  LengthMismatch: 'Two lists that belong together differ in their length.',
  Locked: 'A contract was called again from within its own call.',
  MarketTypeNotSupported: 'There is no market of this type.',
  NewInstrumentFailed: 'The instrument could not be created.',
  NotGate: 'Only Gate may call this function.',
  NotInstrument: 'Only an instrument of this Gate may call this function.',
  NotSynFuturesV3Admin: 'Only the owner of Config may call this function.',
  PairNotCleared: 'Somebody in the pair is not settled yet.',
  PendingDurationTooLong: 'The waiting time of withdrawals lies outside of its bounds.',
  QuoteNotSupported: 'Config has no parameters for this quote.',
  ReentrancyGuardReentrantCall: 'A contract was called again from within its own call.',
  StringTooLong: 'A text is longer than its storage allows.',
  UUPSUnauthorizedCallContext: 'An upgrade goes through the proxy.',
  UUPSUnsupportedProxiableUUID: 'The new implementation is not made for this kind of proxy.',
  WrongStatusToFetchMarkPrice: 'A pair in this state has no mark price.',
  ZeroAddress: 'An address is zero that must not be.',
} as const

/** Texts by the name of the custom error. */
export const REVERT_EXPLANATIONS: Readonly<Record<string, string>> = {
  ...TRADING_ERRORS,
  ...LIQUIDITY_ERRORS,
  ...MONEY_ERRORS,
  ...KEEPER_ERRORS,
  ...RELAY_ERRORS,
  ...OPERATOR_ERRORS,
}
