// What each custom error of the product's contracts means for whoever meets it, and what would be right. A test holds the
// table against the ABIs: every error has a text, and no text is left without its error.

/** What reaches a user, of his own transactions. */
export const USER_ERRORS: Readonly<Record<string, string>> = {
  AmountCannotBeZero: 'The amount is zero. Send a positive amount.',
  AmountTooSmall: 'The amount is below the minimum of the token, or worth less than its smallest unit. Send more.',
  CallerNotOwner: 'The order or operation belongs to another wallet. Only its owner may do this.',
  CancelAlreadyRequested: 'The cancel of this order was requested before and waits for the broker. Wait for its end.',
  DeadlineExpired: 'The deadline had passed when the transaction was to be included. Build it again with a later one.',
  DepositNotInstant:
    'The cashier would queue this deposit, and an order needs its cash at once. Deposit less, or deposit first and place the order when the deposit is settled.',
  DepositPaused: 'Deposits of this cash token are paused. Try again later.',
  ERC20InsufficientAllowance:
    'The wallet has not allowed the StockRouter to take this much of the token. Approve it as spender first.',
  ERC20InsufficientBalance:
    'The wallet holds less of the token than the transaction takes. Bring in more, or send less.',
  EnforcedPause: 'The contract is paused. Withdrawals and your own exits stay open; for the rest try again later.',
  ExitNotYetAvailable: 'It is too early to take this back alone: the own exit opens at availableAt (Unix seconds).',
  InsufficientBalanceWad:
    'The free cash at the venue does not cover this. Deposit cash first, or send a smaller amount.',
  InsufficientCash: 'The cashier holds too little of this token at the moment. Try again later.',
  InsufficientDepositForOrder:
    'The deposit alone does not cover what the order locks, fees included. Deposit more, or order less.',
  InsufficientStockBalance:
    'The free stock at the venue does not cover this. Deposit stock first, or send a smaller quantity.',
  InvalidOperationId: 'No queued operation has this id. It may be settled or taken back already.',
  InvalidStockToken: 'The token is not listed here, or cannot be traded at the moment. GET /api/v1/symbols lists them.',
  NotLimitOrder: 'Only limit orders can be cancelled, and this is a market order.',
  OrderNotFound: 'No open order has this id. It may be filled, cancelled or expired already.',
  PriceCannotBeZero: 'The limit price is zero. Send a positive price.',
  QuantityCannotBeZero: 'The quantity is zero. Send a positive quantity.',
  QuantityMustBeNegative: 'A sell has a negative quantity on chain, and this one is positive.',
  QuantityMustBePositive: 'A buy has a positive quantity on chain, and this one is negative.',
  ReceivedAmountMismatch: 'The token delivered another amount than was asked (it takes a fee). It cannot be used here.',
  SafeCastOverflowedUintDowncast:
    'The amount, or what it comes to with its fees, is too large for the contract. Send less.',
  SafeERC20FailedOperation:
    'The token refused the transfer. Check its balance, its allowance, and whether it is paused.',
  StockDepositPaused: 'Deposits of this stock token are paused. Try again later.',
  WithdrawalNotQueued: 'No queued withdrawal of stock has this id. It may be paid or taken back already.',
  TimeInForceNotSupported: 'The contracts take limit orders with timeInForce DAY (0) only.',
  TokenNotSupported: 'The token is not a cash token of this venue. GET /api/v1/config lists them.',
  FeedFrozen:
    'The guardian has frozen the price of this stock, so the worth of the order cannot be told. Try again later, or place it by the wallet itself.',
  TokenPaused: 'Transfers of this stock token are paused by its issuer. Try again later.',
  UserNotApproved: 'The wallet is not approved to trade here. The operator approves wallets.',
}

/** What only operators meet: settlement, administration, upgrades, set-up. */
const OPERATOR_ERRORS = {
  AccessControlBadConfirmation: 'A role can be given up by its own holder only.',
  AccessControlUnauthorizedAccount: 'The account lacks the role that this function needs.',
  AddressCannotBeZero: 'An address is zero that must not be.',
  AddressEmptyCode: 'There is no contract at the target address.',
  AdminCannotBeZero: 'The administrator of a stock token must not be the zero address.',
  BurnerCannotBeZero: 'The burner of a stock token must not be the zero address.',
  ComplianceCannotBeZero: 'The compliance registry of a stock token must not be the zero address.',
  ConfigurerCannotBeZero: 'The configurer of a stock token must not be the zero address.',
  ERC1967InvalidImplementation: 'The new implementation is not a contract that a proxy can use.',
  ERC1967NonPayable: 'Native coin was sent along where none is taken.',
  ERC20InvalidApprover: 'The zero address cannot approve a spender.',
  ERC20InvalidReceiver: 'Stock tokens cannot be sent to this address.',
  ERC20InvalidSender: 'Stock tokens cannot be sent from this address.',
  ERC20InvalidSpender: 'The zero address cannot be a spender.',
  ExceedsBufferCapacity: 'The buffer would grow beyond its capacity.',
  ExceedsCollectibleAmount: 'More was asked for than is held beyond all liabilities.',
  ExpectedPause: 'The contract is not paused.',
  FailedCall: 'A call to another contract failed without saying why.',
  FeedTimestampNotMonotonic: 'The price is older at its source than the one published before.',
  CallNotMetered: 'Nothing is known of what this call would put at risk for its user.',
  FeedTimestampAhead: 'The source time of the price lies in the future of the chain.',
  FillPriceBeyondLimit: 'The fill is worse for the user than the limit price of the order.',
  FillPriceCannotBeZero: 'A fill has a price of zero.',
  FillPriceOutsideBand: 'The fill lies too far from the oracle price.',
  InsufficientBuffer: 'The buffer holds less than is to be taken from it.',
  InvalidConfig: 'A setting lies outside of its bounds.',
  InvalidInitialization: 'The contract has been initialised before.',
  InvalidPrice: 'A price is not positive, or the bid lies above the ask.',
  InvalidSession: 'There is no session with this number.',
  MarketClosed: 'Market orders that were placed since the market closed are not filled until it opens.',
  MintCapExceeded: 'The settlement would mint more tokens than the cap of the stock leaves now.',
  MinterCannotBeZero: 'The minter of a stock token must not be the zero address.',
  NotInitializing: 'This function runs during initialisation only.',
  OnlyAdministratorUnpauses: 'Who may pause may not lift a pause: that is the administrator.',
  OraclePriceStale: 'The oracle price is older at its source than a fill may rely on.',
  PauserCannotBeZero: 'The pauser of a stock token must not be the zero address.',
  ReentrancyGuardReentrantCall: 'A contract was called again from within its own call.',
  RouterAlreadyConfigured: 'The router was wired before, and that happens once.',
  RouterNotConfigured: 'The router is not wired to Cashier and Stock yet.',
  SharesPerTokenCannotBeZero: 'A stock token must be some number of shares.',
  SplitRatioOutOfBounds: 'The configurator may not move the shares of a token that far: it takes the administrator.',
  SplitTooSoon: 'The configurator may move the shares of a token once in seven days.',
  StockAlreadyListed: 'The stock token is listed already.',
  TextCannotBeEmpty: 'A ticker or a name is empty.',
  TokenAlreadyCreated: 'A stock token of this ticker was created before.',
  TokenAlreadySupported: 'The cash token is supported already.',
  TokenHasPendingOperations: 'Operations of the cash token are still queued.',
  UUPSUnauthorizedCallContext: 'An upgrade goes through the proxy.',
  UUPSUnsupportedProxiableUUID: 'The new implementation is not made for this kind of proxy.',
  Unauthorized: 'Only another contract of the venue may call this. Use the StockRouter.',
  UnbalancedSettlement: 'The settlement would let more cash out than it ends in liabilities.',
  VenueContractHasNoCode: 'A contract of the venue must have code.',
  UnknownPriceId: 'No price of this stock is published yet.',
}

/** Texts by the name of the custom error. */
export const REVERT_EXPLANATIONS: Readonly<Record<string, string>> = { ...USER_ERRORS, ...OPERATOR_ERRORS }
