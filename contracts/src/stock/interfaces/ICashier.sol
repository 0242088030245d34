// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Holds the cash tokens and keeps the users' mUSD: USD with 18 decimals, not transferable.
/// @dev Units: `...Wad` is mUSD with 18 decimals; `amount` of a token is in the token's own units; `...Ppm` is parts
/// per million; `usdRate` is USD per token with 6 decimals. Every figure of the configuration and every operation can
/// be rebuilt from the events alone, initial values included.
interface ICashier {
    enum OperationKind {
        None,
        Deposit,
        Withdrawal
    }

    enum OperationStatus {
        None,
        Queued,
        Settled,
        TakenBack
    }

    /// Why a queued operation was left out of a settlement.
    enum SkipReason {
        Unknown, // no such queued operation of this kind
        AlreadySettled,
        TakenBack, // the user took it back after the time-out
        InsufficientCash, // the token held does not cover it now; it stays queued
        TransferFailed, // the token refused to pay the user; it stays queued
        WithdrawPaused // withdrawals of the token are paused; it stays queued
    }

    /// @param minAmount smallest deposit, token units
    /// @param usdRate USD per token, 6 decimals
    /// @param decimals of the token
    /// @param withdrawBuffer what can leave at once, token units
    /// @param withdrawBufferCapacity token units
    struct TokenConfig {
        uint96 minAmount;
        uint32 usdRate;
        uint8 decimals;
        bool depositPaused;
        bool withdrawPaused;
        uint128 withdrawBuffer;
        uint128 withdrawBufferCapacity;
    }

    /// A queued operation and what became of it. Instant operations are in events only.
    /// @param amount token units of a deposit, mUSD (18 decimals) of a withdrawal
    /// @param feePpm the fee rate in force when it was asked for
    /// @param exitAt from this time (Unix seconds) on the user can take it back alone
    struct CashOperation {
        address user;
        address token;
        uint96 amount;
        uint16 feePpm;
        uint32 exitAt;
        OperationKind kind;
        OperationStatus status;
    }

    /// @param amountWad mUSD, 18 decimals
    struct Credit {
        address user;
        uint96 amountWad;
    }

    // --- operations of users ---

    /// A deposit was credited at once: `creditWad` is what the user got, `feeWad` what was kept.
    event InstantDeposit(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amount,
        uint96 creditWad,
        uint96 feeWad
    );
    /// A deposit was queued; from `exitAt` (Unix seconds) on the user can take it back.
    event DepositRequested(
        bytes32 indexed opId, address indexed user, address indexed token, uint96 amount, uint32 exitAt
    );
    /// A queued deposit was credited.
    event DepositSettled(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amount,
        uint96 creditWad,
        uint96 feeWad
    );
    /// The user took the tokens of a queued deposit back.
    event DepositTakenBack(bytes32 indexed opId, address indexed user, address indexed token, uint96 amount);
    /// A withdrawal was paid at once: `amountWad` left the balance, `amount` was paid, `feeWad` (of amountWad) kept.
    event InstantWithdrawal(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amountWad,
        uint96 amount,
        uint96 feeWad
    );
    /// A withdrawal was queued: `amountWad` left the balance, `feeWad` of it will be kept.
    event WithdrawalRequested(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amountWad,
        uint96 feeWad,
        uint32 exitAt
    );
    /// A queued withdrawal was paid, by the settler or claimed by the user after the time-out.
    event WithdrawalSettled(
        bytes32 indexed opId,
        address indexed user,
        address indexed token,
        uint96 amountWad,
        uint96 amount,
        uint96 feeWad
    );
    /// The user took a queued withdrawal back: `amountWad` is in the balance again.
    event WithdrawalTakenBack(bytes32 indexed opId, address indexed user, address indexed token, uint96 amountWad);
    /// A settlement left an operation out.
    event CashSettlementSkipped(bytes32 indexed opId, SkipReason reason);

    // --- trading ---

    /// Released or earned by an order.
    event BalanceCredited(address indexed user, uint96 amountWad);
    /// Locked for an order.
    event BalanceDeducted(address indexed user, uint96 amountWad);

    // --- configuration ---

    event CreditBufferWadUpdated(uint128 newAmountWad);
    event CreditBufferCapacityWadUpdated(uint128 newCapacityWad);
    event InstantThresholdDivisorUpdated(uint8 newDivisor);
    event CashFeesUpdated(uint16 depositFeePpm, uint16 withdrawFeePpm);
    /// Holds for operations queued from now on.
    event ExitDelayUpdated(uint32 exitDelaySec);
    event WithdrawBufferUpdated(address indexed token, uint128 newAmount);
    /// The whole configuration of a token after any change of it but of the withdrawal buffer by users' operations.
    event TokenConfigUpdated(address indexed token, TokenConfig config);
    event TokenSupportUpdated(address indexed token, bool supported, string symbol, uint8 decimals);
    /// The rate manager reported a rate out of bounds: the rate stays, deposits and withdrawals of the token are
    /// paused.
    event TokenDepegged(address indexed token, uint32 reportedUsdRate, uint32 referenceRate);
    event TokenCollected(address indexed settler, address indexed token, uint256 amount);

    error AddressCannotBeZero();
    error AmountCannotBeZero();
    error AmountTooSmall();
    error CallerNotOwner();
    error DepositPaused();
    /// Who may pause may not undo it.
    error OnlyAdministratorUnpauses();
    error ExceedsBufferCapacity();
    error ExceedsCollectibleAmount();
    error InsufficientBalanceWad();
    error InsufficientBuffer();
    /// The token held, less what queued deposits reserve, does not cover a payment.
    error InsufficientCash();
    error InvalidConfig();
    error InvalidOperationId();
    /// The token delivered another amount than asked (a token that takes a fee).
    error ReceivedAmountMismatch();
    error TokenAlreadySupported();
    error TokenHasPendingOperations();
    error TokenNotSupported();
    error Unauthorized();
    /// A settlement would let more cash out than it ends in liabilities.
    error UnbalancedSettlement();
    /// The user's own exit opens at `availableAt` (Unix seconds).
    error ExitNotYetAvailable(uint256 availableAt);

    // --- called by the router ---

    /// Books `amount` token units that the router has brought in: credits mUSD at once (event InstantDeposit) or queues
    /// (event DepositRequested). Router only. Reverts `TokenNotSupported`, `DepositPaused`, `AmountTooSmall`,
    /// `EnforcedPause`.
    function deposit(address user, address token, uint96 amount) external returns (bytes32 opId);

    /// Takes `amountWad` from the balance and pays `token` at once (event InstantWithdrawal) or queues (event
    /// WithdrawalRequested; always while the Cashier or withdrawals of the token are paused, which starts the user's
    /// time-out). Router only. Reverts `TokenNotSupported`, `AmountCannotBeZero`, `AmountTooSmall` (less than one token
    /// unit after the fee), `InsufficientBalanceWad`.
    function withdraw(address user, address token, uint96 amountWad) external returns (bytes32 opId);

    // --- called by Stock, role EXCHANGE_ROLE ---

    /// Locks `amountWad` of the user for an order. Role EXCHANGE_ROLE. Reverts `InsufficientBalanceWad`.
    function deductBalanceWad(address user, uint96 amountWad) external;

    /// Releases `amountWad` of a lock to the user. Role EXCHANGE_ROLE.
    function creditBalanceWad(address user, uint96 amountWad) external;

    /// Books one batch of fills and moves its net cash, in one token transfer at most. Role EXCHANGE_ROLE. Reverts
    /// `UnbalancedSettlement`, `EnforcedPause`, and `DepositPaused` when cash of a token is due whose deposits are
    /// paused.
    /// @param credits releases of locks and proceeds of sales
    /// @param owedDeltaWad proceeds credited less locks spent
    /// @param cashOutWad net cash due to the settler: paid rounded down when positive, pulled rounded up when negative
    /// @return paid token units paid to the settler; negative when pulled from it
    function settleOrders(
        address cashToken,
        address settler,
        Credit[] calldata credits,
        int256 owedDeltaWad,
        int256 cashOutWad
    ) external returns (int256 paid);

    // --- settler, role SETTLER_ROLE ---

    /// Credits queued deposits at the current rate and the fee of their request. Never reverts for one of them: what
    /// cannot be settled is skipped with an event. Role SETTLER_ROLE.
    function batchSettleDeposit(bytes32[] calldata opIdList) external;

    /// Pays queued withdrawals at the current rate and the fee of their request. Skips like `batchSettleDeposit`. Role
    /// SETTLER_ROLE.
    function batchSettleWithdraw(bytes32[] calldata opIdList) external;

    /// Moves the credit buffer by `deltaWad`. Role SETTLER_ROLE. Reverts `InsufficientBuffer`, `ExceedsBufferCapacity`.
    function adjustCreditBufferWad(int128 deltaWad) external;

    /// Moves a withdrawal buffer by `delta` token units. Role SETTLER_ROLE. Reverts as `adjustCreditBufferWad`.
    function adjustWithdrawBuffer(address token, int128 delta) external;

    /// Pays `amount` token units to the settler out of what is held beyond all liabilities (fees, rounding, gifts): at most
    /// `collectible`. Role SETTLER_ROLE. Reverts `ExceedsCollectibleAmount`.
    function collectToken(address token, uint96 amount) external;

    // --- the user's own exit, by the user's wallet alone, also while paused ---

    /// Returns the tokens of a queued deposit to its user, who alone may call, after the time-out. Reverts
    /// `InvalidOperationId`, `CallerNotOwner`, `ExitNotYetAvailable`.
    function takeBackDeposit(bytes32 opId) external;

    /// Puts the mUSD of a queued withdrawal back into the balance of its user, who alone may call, after the time-out.
    /// Reverts as `takeBackDeposit`.
    function takeBackWithdrawal(bytes32 opId) external;

    /// Pays a queued withdrawal to its user, who alone may call, after the time-out. Reverts `InsufficientCash` when
    /// the token held is short, and as `takeBackDeposit`.
    function claimWithdrawal(bytes32 opId) external;

    // --- administration ---

    /// Role DEFAULT_ADMIN_ROLE. Takes a token of up to 18 decimals for cash, with its limits, buffers and rate, which
    /// is the reference from then on. Reverts `TokenAlreadySupported`, and `InvalidConfig` unless `config.decimals` is
    /// the token's own and the rate above zero.
    function addSupportedToken(address token, TokenConfig calldata config) external;

    /// Role DEFAULT_ADMIN_ROLE. Reverts `TokenHasPendingOperations` while operations are queued, `InsufficientCash`
    /// when the other tokens do not cover the liabilities, counted as for `collectible`.
    function removeSupportedToken(address token) external;

    /// Role DEFAULT_ADMIN_ROLE. Sets what the credit buffer holds at most, mUSD; a buffer above it is cut to it.
    function setCreditBufferCapacityWad(uint128 newCapacityWad) external;

    /// Role DEFAULT_ADMIN_ROLE. Sets the divisor of the buffers: one operation is instant up to buffer / divisor.
    /// Reverts `InvalidConfig` for 0.
    function setInstantThresholdDivisor(uint8 newDivisor) external;

    /// Role DEFAULT_ADMIN_ROLE. Sets the fees of later deposits and withdrawals, at most MAX_FEE_PPM each. Reverts
    /// `InvalidConfig`.
    function setCashFees(uint16 depositFeePpm_, uint16 withdrawFeePpm_) external;

    /// Role DEFAULT_ADMIN_ROLE. Sets the seconds after which users end an operation alone that is queued later, between
    /// MIN_EXIT_DELAY_SEC and MAX_EXIT_DELAY_SEC. Reverts `InvalidConfig`.
    function setExitDelay(uint32 newDelaySec) external;

    /// Role DEFAULT_ADMIN_ROLE. Sets the smallest deposit of a token, token units. Reverts `TokenNotSupported`.
    function setMinAmount(address token, uint96 newMinAmount) external;

    /// Role DEFAULT_ADMIN_ROLE. Sets what a token's withdrawal buffer holds at most, token units; a buffer above it is
    /// cut to it.
    function setWithdrawBufferCapacity(address token, uint128 newCapacity) external;

    /// Stops deposits of a token, queues its withdrawals. Role TOKEN_PAUSER_ROLE to pause, DEFAULT_ADMIN_ROLE for
    /// either.
    /// Reverts `OnlyAdministratorUnpauses`.
    function setTokenPause(address token, bool depositPaused, bool withdrawPaused) external;

    /// Sets what a token is worth. Role DEFAULT_ADMIN_ROLE: any rate, which is the reference from then on. Role
    /// RATE_MANAGER_ROLE: within MAX_RATE_DEVIATION_PPM of the reference and MAX_RATE_MOVES_PPM a day; what goes beyond
    /// is not taken, and pauses deposits and withdrawals of the token until the administrator lifts that. Reverts
    /// `InvalidConfig` for a rate of zero.
    function setUsdRate(address token, uint32 newUsdRate) external;

    // --- views ---

    /// Free mUSD of a user, 18 decimals.
    function balanceWad(address user) external view returns (uint256);

    /// The administrator's rate of a token, USD with 6 decimals.
    function referenceRate(address token) external view returns (uint32);

    /// All mUSD owed: balances, what orders lock and queued withdrawals.
    function totalOwedWad() external view returns (uint256);

    /// What the credit buffer holds, mUSD: instant deposits draw on it, instant withdrawals refill it.
    function creditBufferWad() external view returns (uint128);

    /// What the credit buffer holds at most, mUSD.
    function creditBufferWadCapacity() external view returns (uint128);

    /// One operation is instant up to its buffer divided by this.
    function instantThresholdDivisor() external view returns (uint8);

    /// Fee on deposits asked for from now on, parts per million.
    function depositFeePpm() external view returns (uint16);

    /// Fee on withdrawals asked for from now on, parts per million.
    function withdrawFeePpm() external view returns (uint16);

    /// Seconds after which users end an operation alone that is queued now.
    function exitDelaySec() external view returns (uint32);

    /// How many deposits and withdrawals there have been; ids are derived from it.
    function operationCounter() external view returns (uint64);

    /// Whether a deposit of `amount` token units would be credited at once. False for what `deposit` would refuse.
    function canInstantDeposit(address token, uint96 amount) external view returns (bool);

    /// Whether a withdrawal of `amountWad` would be paid at once, were the balance sufficient.
    function canInstantWithdraw(address token, uint96 amountWad) external view returns (bool);

    /// The mUSD that a deposit of `amount` token units yields now, after the fee.
    function tokenToBalanceWadInstant(address token, uint96 amount) external view returns (uint96);

    /// The token units that a withdrawal of `amountWad` yields now, after the fee.
    function balanceWadToToken(address token, uint96 amountWad) external view returns (uint96);

    /// A queued operation; all zero (but the user, which the id holds) when there is none.
    function cashOperation(bytes32 opId) external view returns (CashOperation memory);

    /// What queued deposits (token units) and queued withdrawals (mUSD, 18 decimals) of `token` hold.
    function totalPending(address token) external view returns (uint128 deposit, uint128 withdrawalWad);

    /// Token units held less what queued deposits reserve.
    function freeCash(address token) external view returns (uint256);

    /// Token units that `collectToken` would pay now. Cash counts at the lower of its rate and the administrator's, and not
    /// at all while deposits of the token are paused.
    function collectible(address token) external view returns (uint256);

    /// Configuration of a token, with its rate and its withdrawal buffer as they are now; all zero when it was never
    /// supported.
    function tokenConfig(address token) external view returns (TokenConfig memory);

    /// The tokens that are supported now.
    function getSupportedTokenList() external view returns (address[] memory);

    /// The router, through which users call: the only caller of `deposit` and `withdraw`.
    function stockRouter() external view returns (address);
}
