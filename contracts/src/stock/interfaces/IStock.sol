// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The stock exchange: orders, their locks, settlement against the settler, and the users' stock balances.
/// @dev Units: quantities are stock tokens with 18 decimals, prices USD per token with 18 decimals, `...Wad` mUSD with
/// 18 decimals, `...Ppm` parts per million. The first 20 bytes of an order id are its user. A market order is filled
/// near the oracle's price; a limit order rests until its price is met, is filled in parts, and ends full, by a
/// cancellation that was requested by its user, or by the broker.
interface IStock {
    enum OrderStatus {
        None,
        Open,
        Filled,
        PartiallyFilled, // the broker ended it after a part was filled
        Rejected, // the broker ended it with nothing filled
        TakenBack, // the user took the rest back after the time-out; a part may have been filled
        Canceled, // the user's cancellation was settled; a part may have been filled
        Expired // the order's day ended; a part may have been filled
    }

    /// Why a fill, rejection or cancellation was left out of a settlement.
    enum SkipReason {
        OrderUnknown,
        OrderClosed,
        OrderTakenBack, // the fill happened for the venue's own account
        FilledBeforeMismatch, // a replay, or a fill before it is missing
        WrongToken,
        ExceedsOrder, // more than the order's unspent notional or unfilled quantity
        WrongKind, // a limit order in a settlement of market orders, or the reverse
        CancelNotRequested, // the user has not asked for this cancellation
        OrderExpired, // too late for a fill: the order's day or its time-out is over
        UserNotApproved // a buy for a user who could not move the stock; the order was closed instead
    }

    enum StockWithdrawalStatus {
        None,
        Queued,
        Settled,
        TakenBack
    }

    /// Why a queued withdrawal of stock was left out of a settlement.
    enum StockWithdrawalSkip {
        NotQueued, // unknown, or it has ended
        Paused, // withdrawals of the token, or the token itself, are paused; it stays queued
        TransferFailed // the token refused to pay the user; it stays queued
    }

    /// Why a limit order ends without being full.
    enum EndCause {
        UserRequest, // the user's cancellation
        Rejected, // the broker ended it
        Expired // the end of its day
    }

    /// Fee rates of new orders, parts per million of the filled notional.
    struct FeeRates {
        uint16 buyThirdPartyPpm;
        uint16 buyProtocolPpm;
        uint16 sellThirdPartyPpm;
        uint16 sellProtocolPpm;
    }

    /// @param amount market buy: notional > 0, USD with 18 decimals; limit buy: quantity > 0; sell: quantity < 0
    /// @param lockedAmount what the order still holds: buy mUSD (fees included), sell stock; 0 when closed
    /// @param exitAt from this time (Unix seconds) on the user can take the lock back alone
    /// @param filledQuantity kept while the order is open; the history is in the events
    /// @param filledNotionalWad kept while the order is open
    /// @param limitPrice USD per token, 18 decimals; 0 for a market order
    /// @param cancelRequested the user has asked for the cancellation of this limit order
    struct Order {
        address user;
        address stockToken;
        int96 amount;
        uint256 lockedAmount;
        uint32 exitAt;
        uint16 thirdPartyPpm;
        uint16 protocolPpm;
        OrderStatus status;
        uint96 filledQuantity;
        uint96 filledNotionalWad;
        uint96 limitPrice;
        bool isLimit;
        bool cancelRequested;
    }

    /// One execution for one order.
    /// @param filledBefore quantity filled before this fill; anything else than the contract's figure skips the fill
    /// @param quantity stock executed, 18 decimals, always positive
    /// @param price USD per token, 18 decimals
    /// @param last the broker is done with the order; the rest of the lock goes back to the user. An order by quantity
    /// also closes when its whole quantity is filled, a market buy when its whole notional is spent.
    struct Fill {
        bytes32 orderId;
        uint96 filledBefore;
        uint96 quantity;
        uint96 price;
        bool last;
    }

    /// The broker ends an order; may follow partial fills.
    /// @param reasonCode the venue's own code, passed through to the event
    struct Rejection {
        bytes32 orderId;
        uint96 filledBefore;
        uint16 reasonCode;
    }

    /// The end of a limit order that is not full, with the part that was filled last.
    /// @param filledBefore as in `Fill`
    /// @param quantity of the last part, settled in the same step, 18 decimals; 0 when nothing more was filled
    /// @param price of the last part, USD per token, 18 decimals; ignored when `quantity` is 0
    /// @param cause `UserRequest` needs a requested cancellation, the broker's causes need none
    /// @param reasonCode the venue's own code, passed through to the event
    struct Cancellation {
        bytes32 orderId;
        uint96 filledBefore;
        uint96 quantity;
        uint96 price;
        EndCause cause;
        uint16 reasonCode;
    }

    /// What the administrator sets of a stock.
    /// @param tradable whether new orders are taken; open ones settle in any case
    /// @param maxDeviationPpm how far a market fill may lie from the oracle's price
    /// @param maxLimitDeviationPpm how much worse for its user than the oracle's price a limit fill may be
    /// @param maxPriceAgeSec how old the oracle's price may be for a fill, by its source's time; `lateSettlementSec` older
    /// while the market is closed, for orders of the day that ended
    /// @param mintCapacity what settlements may mint at once, 18 decimals
    /// @param mintPeriodSec the time in which that grows back
    struct ListingTerms {
        bool tradable;
        uint32 maxDeviationPpm;
        uint32 maxLimitDeviationPpm;
        uint32 maxPriceAgeSec;
        uint96 mintCapacity;
        uint32 mintPeriodSec;
    }

    /// Times, in seconds.
    /// @param exitDelaySec after which users take an order's lock back alone
    /// @param stockExitDelaySec after which users claim a queued withdrawal of stock alone
    /// @param lateSettlementSec as in `setLateSettlement`
    struct Delays {
        uint32 exitDelaySec;
        uint32 stockExitDelaySec;
        uint32 lateSettlementSec;
    }

    /// @param priceId of the oracle: keccak256 of the ticker
    /// @param depositPaused no stock of this token comes in from wallets
    /// @param withdrawPaused what goes out to wallets is queued
    struct Listing {
        uint16 tokenIndex;
        bytes32 priceId;
        bool depositPaused;
        bool withdrawPaused;
        ListingTerms terms;
    }

    /// A queued withdrawal of stock and what became of it.
    /// @param amount 18 decimals
    /// @param exitAt from this time (Unix seconds) on the user can claim it alone
    struct StockWithdrawal {
        address user;
        address token;
        uint128 amount;
        uint32 exitAt;
        StockWithdrawalStatus status;
    }

    // --- orders ---

    /// An order opened. `lockedAmount`: buy mUSD (notional and fees), sell stock. `deadline` as given by the user.
    event MarketOrderPlaced(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        int96 amount,
        uint256 lockedAmount,
        uint32 deadline,
        uint32 exitAt
    );
    /// One fill. `quantity` > 0 buy, < 0 sell. Notional of a buy: quantity * price / 1e18 rounded up (then + fees =
    /// mUSD spent); of a sell: rounded down (then - fees = mUSD credited). Fees in mUSD.
    event MarketOrderSettled(
        bytes32 indexed orderId,
        address indexed settler,
        address stockToken,
        address user,
        int96 quantity,
        uint96 price,
        uint256 thirdPartyFee,
        uint256 protocolFee
    );
    /// A limit order opened. `quantity` > 0 buy, < 0 sell; `tif` is 0 (DAY). `lockedAmount`: buy mUSD (the notional at
    /// the limit price and the fees on it), sell stock. `deadline` as given by the user.
    event LimitOrderPlaced(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        int96 quantity,
        uint96 price,
        uint8 tif,
        uint256 lockedAmount,
        uint32 deadline,
        uint32 exitAt
    );
    /// One fill of a limit order, also of its last part in `settleCancels`. As `MarketOrderSettled`, but that the
    /// notional of a buy is cut to what the notional at the limit price has left.
    event LimitOrderSettled(
        bytes32 indexed orderId,
        address indexed settler,
        address stockToken,
        address user,
        int96 quantity,
        uint96 price,
        uint256 thirdPartyFee,
        uint256 protocolFee
    );
    /// The user asks for the cancellation of a limit order. It stays open, and may be filled, until the cancellation is
    /// settled.
    event CancelRequested(bytes32 indexed orderId);
    /// A limit order ends with `filledQuantity` of it filled; `OrderClosed` follows. `fillPrice` is that of the last
    /// part (its `LimitOrderSettled` came just before), 0 when there was none. `refund` as in `OrderClosed`.
    event CancelSettled(
        bytes32 indexed orderId,
        uint96 filledQuantity,
        uint96 unfilledQuantity,
        uint96 fillPrice,
        uint256 refund,
        bool isBrokerInitiated
    );
    /// An order closed. Totals over its life; `refund` is what went back to the user now: buy mUSD, sell stock.
    /// `reasonCode` is that of a rejection or cancellation; 65,535 for a buy closed because its user is not approved,
    /// 65,534 for an order closed by a fill that came too late; else 0.
    event OrderClosed(
        bytes32 indexed orderId,
        address indexed user,
        address indexed stockToken,
        OrderStatus status,
        uint96 filledQuantity,
        uint96 filledNotionalWad,
        uint256 refund,
        uint16 reasonCode
    );
    /// A fill was left out. Nothing of it moved.
    event FillSkipped(
        bytes32 indexed orderId, address indexed settler, SkipReason reason, uint96 filledBefore, uint96 quantity
    );
    /// A rejection was left out.
    event RejectionSkipped(bytes32 indexed orderId, address indexed settler, SkipReason reason, uint96 filledBefore);
    /// A cancellation was left out. Nothing of it moved.
    event CancellationSkipped(bytes32 indexed orderId, address indexed settler, SkipReason reason, uint96 filledBefore);
    /// Delivery against payment of a batch that had a fill: `stockIn` minted into the exchange (negative: burned out of
    /// it), `cashOut` token units to the settler (negative: from it).
    event BatchSettled(
        address indexed settler,
        address indexed stockToken,
        address indexed cashToken,
        int256 stockIn,
        int256 cashOut,
        uint256 fillsApplied
    );

    // --- balances ---

    /// Bought by an order.
    event StockBalanceCredited(address indexed token, address indexed user, uint256 amount);
    /// Locked for a sell order.
    event StockBalanceLocked(address indexed token, address indexed user, uint256 amount);
    /// Unsold and back from a sell order.
    event StockReturned(address indexed token, address indexed user, uint256 amount);
    /// Came in from the user's wallet.
    event StockDeposited(address indexed token, address indexed user, uint256 amount);
    /// Went out to the user's wallet.
    event StockWithdrawn(address indexed token, address indexed user, uint256 amount);
    /// Left the balance and waits to go out; from `exitAt` (Unix seconds) on the user can claim it.
    event StockWithdrawalRequested(
        bytes32 indexed opId, address indexed token, address indexed user, uint256 amount, uint32 exitAt
    );
    /// A queued withdrawal went out to the user's wallet.
    event StockWithdrawalSettled(bytes32 indexed opId, address indexed token, address indexed user, uint256 amount);
    /// The user took a queued withdrawal back: it is in the balance again.
    event StockWithdrawalTakenBack(bytes32 indexed opId, address indexed token, address indexed user, uint256 amount);
    /// A settlement left a queued withdrawal out.
    event StockWithdrawalSkipped(bytes32 indexed opId, StockWithdrawalSkip reason);

    // --- configuration ---

    event FeeRatesUpdated(FeeRates rates);
    /// Holds for orders placed from now on.
    event ExitDelayUpdated(uint32 exitDelaySec);
    /// Holds for withdrawals of stock queued from now on.
    event StockExitDelayUpdated(uint32 stockExitDelaySec);
    /// Holds for every order, open ones too.
    event LateSettlementUpdated(uint32 lateSettlementSec);
    event OracleSet(address indexed oldOracle, address indexed newOracle);
    event StockListed(
        address indexed token, uint16 indexed tokenIndex, bytes32 priceId, string ticker, string symbol, string name
    );
    event ListingUpdated(address indexed token, ListingTerms terms);
    event StockPauseUpdated(address indexed token, bool depositPaused, bool withdrawPaused);

    error AddressCannotBeZero();
    error AmountCannotBeZero();
    error CallerNotOwner();
    error CancelAlreadyRequested();
    error FillPriceCannotBeZero();
    /// A buy above, or a sell below, the order's limit price.
    error FillPriceBeyondLimit(bytes32 orderId, uint256 price, uint256 limitPrice);
    error FillPriceOutsideBand(bytes32 orderId, uint256 price, uint256 oraclePrice);
    /// A session in which nothing trades fills no market order that was placed in it.
    error MarketClosed();
    /// A settlement would mint more than the stock's cap leaves, 18 decimals.
    error MintCapExceeded(address token, uint256 amount, uint256 available);
    /// Who may pause may not undo it.
    error OnlyAdministratorUnpauses();
    error InsufficientStockBalance();
    error InvalidConfig();
    error InvalidStockToken();
    error NotLimitOrder();
    error OrderNotFound();
    /// The oracle's price is older, by its source's time (Unix seconds), than the listing allows.
    error OraclePriceStale(uint256 feedUpdateTimestamp);
    error PriceCannotBeZero();
    error QuantityCannotBeZero();
    error StockAlreadyListed();
    error StockDepositPaused();
    error Unauthorized();
    error WithdrawalNotQueued();
    /// The user's own exit opens at `availableAt` (Unix seconds).
    error ExitNotYetAvailable(uint256 availableAt);

    // --- called by the router ---

    /// Opens a market order and locks what it needs: buy `amount` > 0, notional and fees in the Cashier; sell `amount`
    /// < 0, that quantity of the stock balance. `deadline` is for the event only. Router only. Reverts
    /// `AmountCannotBeZero`, `InvalidStockToken`, `InsufficientStockBalance`, `EnforcedPause`, and
    /// `ICashier.InsufficientBalanceWad`.
    function placeMarketOrder(address user, address token, int96 amount, uint32 deadline)
        external
        returns (bytes32 orderId);

    /// Opens a limit order and locks what it needs: buy `quantity` > 0, the notional at `price` (rounded up) and the
    /// fees on it in the Cashier; sell `quantity` < 0, that quantity of the stock balance. `tif` and `deadline` are for
    /// the event only. Router only. Reverts `QuantityCannotBeZero`, `PriceCannotBeZero`, and as `placeMarketOrder`.
    function placeLimitOrder(address user, address token, int96 quantity, uint96 price, uint8 tif, uint32 deadline)
        external
        returns (bytes32 orderId);

    /// Asks for the cancellation of an open limit order; open while paused. Router only. Reverts `OrderNotFound`
    /// (unknown or closed), `CallerNotOwner`, `NotLimitOrder`, `CancelAlreadyRequested`.
    function cancelLimitOrder(address user, bytes32 orderId) external;

    /// Books `amount` of stock (18 decimals) that the router has brought in. Router only. Reverts `AmountCannotBeZero`,
    /// `InvalidStockToken`, `StockDepositPaused`, `EnforcedPause`.
    function depositStock(address user, address token, uint256 amount) external;

    /// Pays `amount` of the user's stock balance (18 decimals) to its wallet, also while the exchange is paused. While
    /// withdrawals of the token, or the token itself, are paused it queues instead (event StockWithdrawalRequested),
    /// which starts the user's time-out. Router only. Reverts `AmountCannotBeZero`, `InvalidStockToken`,
    /// `InsufficientStockBalance`, and as the token does.
    /// @return opId of the queued withdrawal; zero when it was paid
    function withdrawStock(address user, address token, uint256 amount) external returns (bytes32 opId);

    // --- settler, role ORDER_SETTLER_ROLE ---

    /// Applies fills of one stock token as delivery against payment: the net stock is minted into the exchange, within
    /// the stock's cap, or burned out of it, and the net cash moves between the Cashier and the settler (the caller,
    /// who has approved the Cashier), in one transfer at most. The third-party fee goes with the cash, the protocol fee
    /// stays in the Cashier. A fill that does not fit is skipped with an event; so is one that comes after the order's
    /// time-out, or later than `lateSettlementSec` after the trade date that the order was placed for; and a buy of a
    /// user who is not approved is closed instead of filled. While the market is closed, orders of the day that ended are
    /// filled at its last price as long as they may be settled, which for others is `OraclePriceStale` or `MarketClosed`.
    /// Role ORDER_SETTLER_ROLE. Reverts `FillPriceCannotBeZero`, `QuantityCannotBeZero`, `FillPriceOutsideBand`,
    /// `OraclePriceStale`, `MarketClosed`, `MintCapExceeded`, `InvalidStockToken`, `ICashier.TokenNotSupported`, and as
    /// `IStockOracle.latestPrice`.
    /// @return fillsApplied how many were not skipped
    function settleMarketOrders(address stockToken, address cashToken, Fill[] calldata fills)
        external
        returns (uint256 fillsApplied);

    /// Ends orders that the broker will not fill (further) and releases the rest of their locks. Skips like a fill.
    /// Role ORDER_SETTLER_ROLE.
    /// @return ordersClosed how many were not skipped
    function rejectMarketOrders(Rejection[] calldata rejections) external returns (uint256 ordersClosed);

    /// `settleMarketOrders` for limit orders, in any session. Beside the limit price a wide band against the oracle's
    /// price protects, on the side that is worse for the user: whoever places an absurd limit for a user cannot have it
    /// filled. A buy's notional is rounded up, but never above what the notional at the limit price has left. What a
    /// better price saves stays locked until the order closes. Role ORDER_SETTLER_ROLE. Reverts as there, but for
    /// `MarketClosed`, and `FillPriceBeyondLimit`.
    function settleLimitOrders(address stockToken, address cashToken, Fill[] calldata fills)
        external
        returns (uint256 fillsApplied);

    /// Ends limit orders of one stock token: settles the last part where there is one, as `settleLimitOrders` does, and
    /// releases the rest. An order closes as `Canceled` or `Expired` by its cause; one that the broker ended as
    /// `Rejected` when nothing was filled, else as `PartiallyFilled`; one that its last part fills whole as `Filled`. A
    /// cancellation that does not fit is skipped with an event. Role ORDER_SETTLER_ROLE. Reverts as
    /// `settleLimitOrders`, but for the quantity.
    /// @return ordersClosed how many were not skipped
    function settleCancels(address stockToken, address cashToken, Cancellation[] calldata cancellations)
        external
        returns (uint256 ordersClosed);

    /// Pays queued withdrawals of stock whose tokens are no longer paused. Never reverts for one of them: what cannot
    /// be settled is skipped with an event. Role ORDER_SETTLER_ROLE.
    function settleStockWithdrawals(bytes32[] calldata opIds) external;

    // --- the user's own exit, by the user's wallet alone, also while paused ---

    /// Pays a queued withdrawal of stock to its user after the time-out, whether withdrawals are paused or not. Reverts
    /// `WithdrawalNotQueued`, `CallerNotOwner`, `ExitNotYetAvailable`, and as the token does.
    function claimStockWithdrawal(bytes32 opId) external;

    /// Puts a queued withdrawal of stock back into the balance, at any time. Reverts `WithdrawalNotQueued`,
    /// `CallerNotOwner`.
    function takeBackStockWithdrawal(bytes32 opId) external;

    /// Takes the rest of an open order's lock back after the time-out. Reverts `OrderNotFound`, `CallerNotOwner`,
    /// `ExitNotYetAvailable`.
    function takeBackOrder(bytes32 orderId) external;

    // --- administration, role DEFAULT_ADMIN_ROLE ---

    /// Lists a stock token (18 decimals) under an upper-case ticker. This contract must have its MINTER_ROLE and
    /// BURNER_ROLE. Role DEFAULT_ADMIN_ROLE. Reverts `StockAlreadyListed`, `InvalidStockToken` (other decimals),
    /// `InvalidConfig`.
    function listStock(address token, string calldata ticker, ListingTerms calldata terms) external;

    /// Changes a listing. Not tradable: no new orders; open ones still settle. Role DEFAULT_ADMIN_ROLE. Reverts
    /// `InvalidStockToken` (not listed), `InvalidConfig`.
    function updateListing(address token, ListingTerms calldata terms) external;

    /// Sets the fee rates of later orders, at most MAX_FEE_PPM each. Role DEFAULT_ADMIN_ROLE. Reverts `InvalidConfig`.
    function setFeeRates(FeeRates calldata rates) external;

    /// Sets the seconds after which users take the lock of a later order back alone, between MIN_EXIT_DELAY_SEC and
    /// MAX_EXIT_DELAY_SEC. Role DEFAULT_ADMIN_ROLE. Reverts `InvalidConfig`.
    function setExitDelay(uint32 newDelaySec) external;

    /// As `setExitDelay`, for withdrawals of stock that are queued later. Role DEFAULT_ADMIN_ROLE. Reverts
    /// `InvalidConfig`.
    function setStockExitDelay(uint32 newDelaySec) external;

    /// Sets how many seconds after the end of an order's trade date its fills may still be settled, up to
    /// MAX_LATE_SETTLEMENT_SEC. Role DEFAULT_ADMIN_ROLE. Reverts `InvalidConfig`.
    function setLateSettlement(uint32 newLateSettlementSec) external;

    /// Sets the price oracle that fills are checked against. Role DEFAULT_ADMIN_ROLE. Reverts `AddressCannotBeZero`.
    function setOracle(address newOracle) external;

    /// Stops deposits of a listed stock, queues its withdrawals. Role TOKEN_PAUSER_ROLE to pause, DEFAULT_ADMIN_ROLE
    /// for either. Reverts `OnlyAdministratorUnpauses`.
    function setStockPause(address token, bool depositPaused, bool withdrawPaused) external;

    // --- views ---

    /// Free stock of a user at the exchange, 18 decimals.
    function stockBalance(address user, address token) external view returns (uint256);

    /// A queued withdrawal of stock; all zero (but the user, which the id holds) when there is none.
    function stockWithdrawal(bytes32 opId) external view returns (StockWithdrawal memory);

    /// What settlements may mint of a token now, 18 decimals.
    function mintable(address token) external view returns (uint256);

    /// The oracle's newest price of a listed token, USD with 18 decimals, however old. Reverts `InvalidStockToken`, and
    /// as `IStockOracle.latestPrice`.
    function oraclePriceWad(address token) external view returns (uint256);

    /// An order as it is now; all zero (but the user, which the id holds) when there is none.
    function getOrder(bytes32 orderId) external view returns (Order memory);

    /// `getOrder` for several orders.
    function getOrders(bytes32[] calldata orderIds) external view returns (Order[] memory);

    /// What a market order of this amount would lock now: buy mUSD, sell stock.
    function previewLock(int96 amount) external view returns (uint256);

    /// What a limit order of this quantity and price would lock now: buy mUSD, sell stock.
    function previewLimitLock(int96 quantity, uint96 price) external view returns (uint256);

    /// Fee rates of new orders, parts per million of the filled notional.
    function feeRates() external view returns (FeeRates memory);

    /// Seconds after which users take back the lock of an order placed now.
    function exitDelaySec() external view returns (uint32);

    /// Seconds after which users claim a withdrawal of stock queued now.
    function stockExitDelaySec() external view returns (uint32);

    /// Seconds after the end of an order's trade date within which its fills may still be settled.
    function lateSettlementSec() external view returns (uint32);

    /// How many orders and queued withdrawals of stock there have been; ids are derived from it.
    function operationCounter() external view returns (uint64);

    /// How a token is listed, and its pauses; all zero when it is not listed.
    function listing(address token) external view returns (Listing memory);

    /// Index of a listed token, from 1; 0 when it is not listed.
    function tokenIndex(address token) external view returns (uint16);

    /// The token with this index; zero when there is none.
    function tokenAt(uint16 index) external view returns (address);

    /// How many tokens are listed.
    function tokenCount() external view returns (uint16);

    /// The price oracle, an `IStockOracle`.
    function oracle() external view returns (address);

    /// The Cashier, which holds the cash side of orders.
    function cashier() external view returns (address);

    /// The router, through which users call: the only caller of what is for the router.
    function stockRouter() external view returns (address);
}
