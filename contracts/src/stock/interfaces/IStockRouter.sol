// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The users' only entry: checks approval and deadline, pulls tokens, forwards to `Cashier` and `Stock`.
/// @dev Users approve this contract as spender. User functions take the user from the trusted forwarder (ERC-2771)
/// when it calls; admin functions never do.
interface IStockRouter {
    /// The router was wired; happens once.
    event RouterConfigured(address indexed cashier, address indexed stock);
    /// Also emitted at initialization, with a zero `oldCompliance`.
    event ComplianceSet(address indexed oldCompliance, address indexed newCompliance);

    /// A deposit and, in the same step, a market buy of `usdAmount` USD (18 decimals).
    event DepositAndMarketBuy(
        bytes32 indexed depositOpId,
        bytes32 indexed orderId,
        address indexed user,
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 usdAmount
    );
    /// A deposit and, in the same step, a limit buy.
    event DepositAndLimitBuy(
        bytes32 indexed depositOpId,
        bytes32 indexed orderId,
        address indexed user,
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 quantity,
        uint96 price
    );
    /// A deposit of stock and, in the same step, a market sell; `quantity` < 0.
    event DepositStockAndMarketSell(
        bytes32 indexed orderId, address indexed user, address indexed stockToken, uint256 depositAmount, int96 quantity
    );
    /// A deposit of stock and, in the same step, a limit sell; `quantity` < 0.
    event DepositStockAndLimitSell(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        uint256 depositAmount,
        int96 quantity,
        uint96 price
    );

    error AddressCannotBeZero();
    /// No user's function, so nothing is known of what it puts at risk.
    error CallNotMetered(bytes4 selector);
    /// The deadline lies before this block's time.
    error DeadlineExpired();
    /// The Cashier would queue the deposit, and an order needs it credited now.
    error DepositNotInstant();
    /// The deposit alone does not cover the order: of a buy its credit the lock, of a sell its amount the quantity.
    error InsufficientDepositForOrder();
    /// A sell by deposit with `quantity` of zero or more.
    error QuantityMustBeNegative();
    /// A buy by deposit with `quantity` or `usdAmount` of zero or less.
    error QuantityMustBePositive();
    /// The venue received another amount than was asked of the token (a token that takes a fee).
    error ReceivedAmountMismatch();
    error RouterAlreadyConfigured();
    error RouterNotConfigured();
    /// Only DAY (0) is accepted.
    error TimeInForceNotSupported(uint8 tif);

    /// Deposits cash: pulls `amount` (token units) from the user into the Cashier, which credits mUSD at once or
    /// queues.
    /// Reverts `UserNotApproved`, `EnforcedPause`, `ReceivedAmountMismatch`, and as `ICashier.deposit`.
    /// @return opId the operation, as in the Cashier's events
    function deposit(address token, uint96 amount) external returns (bytes32 opId);

    /// Withdraws `amountWad` mUSD (18 decimals) as `token`, at once or queued. Open while the router is paused and to
    /// users who lost their approval. Reverts as `ICashier.withdraw`.
    function withdraw(address token, uint96 amountWad) external returns (bytes32 opId);

    /// Places a market order. Buy: `amount` > 0 is the notional in USD, 18 decimals, locked with the fees on it. Sell:
    /// `amount` < 0 is the quantity of stock, 18 decimals; open to users who lost their approval, as every sell is.
    /// `deadline` (Unix seconds) bounds the inclusion on chain only.
    /// Reverts `DeadlineExpired`, `UserNotApproved`, `EnforcedPause`, and as `IStock.placeMarketOrder`.
    function placeMarketOrder(address stockToken, int96 amount, uint32 deadline) external returns (bytes32 orderId);

    /// Places a limit order of `quantity` stock (18 decimals; > 0 buy, < 0 sell) at `price` (USD per token, 18
    /// decimals) or better. A buy locks the notional at that price and the fees on it. `tif` is 0 (DAY); `deadline` as
    /// for a market order: it does not end the order. Reverts `DeadlineExpired`, `TimeInForceNotSupported`,
    /// `UserNotApproved`, `EnforcedPause`, and as `IStock.placeLimitOrder`.
    function placeLimitOrder(address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)
        external
        returns (bytes32 orderId);

    /// Asks for the cancellation of an open limit order, which stays open until the venue has settled that. Open while
    /// the router is paused and to users who lost their approval. Reverts as `IStock.cancelLimitOrder`.
    function cancelLimitOrder(bytes32 orderId) external;

    /// Deposits stock: pulls `amount` (18 decimals) from the user into the exchange. Open to users who lost their
    /// approval, to sell it. Reverts `EnforcedPause`, `ReceivedAmountMismatch`, and as `IStock.depositStock`.
    function depositStock(address token, uint256 amount) external;

    /// Withdraws `amount` stock (18 decimals) to the user's wallet, or queues that while withdrawals of the token are
    /// paused. Open while the router is paused. Reverts as `IStock.withdrawStock`.
    function withdrawStock(address token, uint256 amount) external;

    /// Deposits cash and buys for `usdAmount` USD (> 0, 18 decimals), both or neither. The deposit must be credited at
    /// once and its credit must cover the whole lock. Reverts `QuantityMustBePositive`, `DepositNotInstant`,
    /// `InsufficientDepositForOrder`, and as `deposit` and `placeMarketOrder`.
    function depositAndMarketBuy(
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 usdAmount,
        uint32 deadline
    ) external returns (bytes32 depositOpId, bytes32 orderId);

    /// Deposits cash and places a limit buy (`quantity` > 0). As `depositAndMarketBuy` and `placeLimitOrder`.
    function depositAndLimitBuy(
        address depositToken,
        uint96 depositAmount,
        address stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external returns (bytes32 depositOpId, bytes32 orderId);

    /// Deposits stock and sells `quantity` (< 0) of it at the market, both or neither. Reverts
    /// `QuantityMustBeNegative`, `InsufficientDepositForOrder`, and as `depositStock` and `placeMarketOrder`.
    function depositStockAndMarketSell(address stockToken, uint256 depositAmount, int96 quantity, uint32 deadline)
        external
        returns (bytes32 orderId);

    /// Deposits stock and places a limit sell (`quantity` < 0). As `depositStockAndMarketSell` and `placeLimitOrder`.
    function depositStockAndLimitSell(
        address stockToken,
        uint256 depositAmount,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint32 deadline
    ) external returns (bytes32 orderId);

    /// Wires the router, once. Role DEFAULT_ADMIN_ROLE. Reverts `RouterAlreadyConfigured`, `AddressCannotBeZero`.
    function configure(address cashier_, address stock_) external;

    /// Sets the register of approved wallets. Role DEFAULT_ADMIN_ROLE. Reverts `AddressCannotBeZero`.
    function setCompliance(address newCompliance) external;

    /// The Cashier; zero until `configure`.
    function cashier() external view returns (address);

    /// The stock exchange; zero until `configure`.
    function stock() external view returns (address);

    /// The register of approved wallets, an `ICompliance`.
    function compliance() external view returns (address);

    /// The forwarder whose calls carry the user in their last 20 bytes; zero when there is none.
    function trustedForwarder() external view returns (address);

    /// Whether this is the trusted forwarder (ERC-2771). False for zero.
    function isTrustedForwarder(address forwarder) external view returns (bool);
}
