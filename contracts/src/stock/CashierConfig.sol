// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Guarded} from "./Guarded.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {OperationId} from "./libraries/OperationId.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {RateLimit} from "src/limits/RateLimit.sol";

/// @title The Cashier's storage, configuration and views. The operations are in `Cashier`.
abstract contract CashierConfig is ICashier, Guarded {
    using SafeCast for uint256;

    /// `index` counts from 1 in the token list and outlives a removal, since queued operations name their token by it.
    /// `referenceRate` is the administrator's rate, around which the rate manager's stays.
    struct TokenState {
        uint96 minAmount;
        uint32 usdRate;
        uint8 decimals;
        bool depositPaused;
        bool withdrawPaused;
        bool supported;
        uint16 index;
        uint32 referenceRate;
        uint32 rateMovedPpm;
        uint128 withdrawBuffer;
        uint128 withdrawBufferCapacity;
        uint128 pendingDeposit;
        uint128 pendingWithdrawalWad;
        uint40 rateMovedAt;
    }

    /// A queued operation in one slot; the user is in its id.
    struct Operation {
        uint96 amount;
        uint32 exitAt;
        uint16 tokenIndex;
        uint16 feePpm;
        OperationKind kind;
        OperationStatus status;
    }

    /// The first slot changes with every operation, the second by administration only.
    /// `owedWad` is the sum of all balances, of what orders lock and of queued withdrawals: a lock or a request moves
    /// mUSD between these and leaves the sum alone.
    /// @custom:storage-location erc7201:bourse.storage.Cashier
    struct CashierStorage {
        uint112 owedWad;
        uint96 creditBufferWad;
        uint48 operationCounter;
        uint96 creditBufferCapacityWad;
        uint8 instantThresholdDivisor;
        uint16 depositFeePpm;
        uint16 withdrawFeePpm;
        uint32 exitDelaySec;
        bool paused;
        mapping(address user => uint256) balanceWad;
        mapping(address token => TokenState) tokens;
        mapping(bytes32 opId => Operation) operations;
        address[] tokenList;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.Cashier")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0xa6f9a2cfc53f876b6cd1c040f7aa088eb2726eb4d5d2b82c7ea5698f68dbbe00;

    bytes32 public constant SETTLER_ROLE = keccak256("SETTLER_ROLE");
    bytes32 public constant EXCHANGE_ROLE = keccak256("EXCHANGE_ROLE");
    bytes32 public constant RATE_MANAGER_ROLE = keccak256("RATE_MANAGER_ROLE");
    bytes32 public constant TOKEN_PAUSER_ROLE = keccak256("TOKEN_PAUSER_ROLE");

    uint32 public constant RATE_PRECISION = 1e6;
    /// How far from the administrator's rate the rate manager's may lie, and how far it moves in a day, up and down
    /// added up; parts per million of the administrator's rate. What goes beyond is a depeg.
    uint32 public constant MAX_RATE_DEVIATION_PPM = 20_000;
    uint32 public constant MAX_RATE_MOVES_PPM = 10_000;
    uint32 public constant RATE_MOVES_PERIOD_SEC = 1 days;
    uint16 public constant MAX_FEE_PPM = 50_000;
    uint32 public constant MIN_EXIT_DELAY_SEC = 1 hours;
    uint32 public constant MAX_EXIT_DELAY_SEC = 30 days;

    /// @inheritdoc ICashier
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address public immutable stockRouter;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address stockRouter_) {
        if (stockRouter_ == address(0)) revert AddressCannotBeZero();
        stockRouter = stockRouter_;
    }

    /// The credit buffer starts full. Units as in `ICashier`.
    function initialize(
        address admin,
        uint128 creditBufferCapacityWad_,
        uint8 instantThresholdDivisor_,
        uint16 depositFeePpm_,
        uint16 withdrawFeePpm_,
        uint32 exitDelaySec_
    ) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _setCreditBufferCapacity(creditBufferCapacityWad_);
        _setCreditBuffer(creditBufferCapacityWad_);
        _setInstantThresholdDivisor(instantThresholdDivisor_);
        _setCashFees(depositFeePpm_, withdrawFeePpm_);
        _setExitDelay(exitDelaySec_);
    }

    // --- administration ---

    /// @inheritdoc ICashier
    function addSupportedToken(address token, TokenConfig calldata config) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (token == address(0)) revert AddressCannotBeZero();
        CashierStorage storage $ = _storage();
        TokenState storage state = $.tokens[token];
        if (state.supported) revert TokenAlreadySupported();
        if (config.decimals > 18 || config.decimals != IERC20Metadata(token).decimals()) revert InvalidConfig();
        if (config.usdRate == 0 || config.withdrawBuffer > config.withdrawBufferCapacity) revert InvalidConfig();
        if (state.index == 0) {
            $.tokenList.push(token);
            state.index = $.tokenList.length.toUint16();
        }
        state.supported = true;
        state.minAmount = config.minAmount;
        state.usdRate = config.usdRate;
        state.referenceRate = config.usdRate;
        state.decimals = config.decimals;
        state.depositPaused = config.depositPaused;
        state.withdrawPaused = config.withdrawPaused;
        state.withdrawBufferCapacity = config.withdrawBufferCapacity;
        emit TokenSupportUpdated(token, true, IERC20Metadata(token).symbol(), config.decimals);
        _setWithdrawBuffer(state, token, config.withdrawBuffer);
        _emitConfig(token, state);
    }

    /// @inheritdoc ICashier
    function removeSupportedToken(address token) external onlyRole(DEFAULT_ADMIN_ROLE) {
        TokenState storage state = _supported(token);
        if (state.pendingDeposit != 0 || state.pendingWithdrawalWad != 0) revert TokenHasPendingOperations();
        state.supported = false;
        if (_cashValueWad() < _storage().owedWad) revert InsufficientCash();
        emit TokenSupportUpdated(token, false, IERC20Metadata(token).symbol(), state.decimals);
    }

    /// @inheritdoc ICashier
    function setCreditBufferCapacityWad(uint128 newCapacityWad) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCreditBufferCapacity(newCapacityWad);
        if (_storage().creditBufferWad > newCapacityWad) _setCreditBuffer(newCapacityWad);
    }

    /// @inheritdoc ICashier
    function setInstantThresholdDivisor(uint8 newDivisor) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setInstantThresholdDivisor(newDivisor);
    }

    /// @inheritdoc ICashier
    function setCashFees(uint16 depositFeePpm_, uint16 withdrawFeePpm_) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setCashFees(depositFeePpm_, withdrawFeePpm_);
    }

    /// @inheritdoc ICashier
    function setExitDelay(uint32 newDelaySec) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setExitDelay(newDelaySec);
    }

    /// @inheritdoc ICashier
    function setMinAmount(address token, uint96 newMinAmount) external onlyRole(DEFAULT_ADMIN_ROLE) {
        TokenState storage state = _supported(token);
        state.minAmount = newMinAmount;
        _emitConfig(token, state);
    }

    /// @inheritdoc ICashier
    function setWithdrawBufferCapacity(address token, uint128 newCapacity) external onlyRole(DEFAULT_ADMIN_ROLE) {
        TokenState storage state = _supported(token);
        state.withdrawBufferCapacity = newCapacity;
        if (state.withdrawBuffer > newCapacity) _setWithdrawBuffer(state, token, newCapacity);
        _emitConfig(token, state);
    }

    /// @inheritdoc ICashier
    function setTokenPause(address token, bool depositPaused, bool withdrawPaused) external {
        TokenState storage state = _supported(token);
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) {
            _checkRole(TOKEN_PAUSER_ROLE);
            if ((state.depositPaused && !depositPaused) || (state.withdrawPaused && !withdrawPaused)) {
                revert OnlyAdministratorUnpauses();
            }
        }
        state.depositPaused = depositPaused;
        state.withdrawPaused = withdrawPaused;
        _emitConfig(token, state);
    }

    /// @inheritdoc ICashier
    function setUsdRate(address token, uint32 newUsdRate) external {
        bool isAdmin = hasRole(DEFAULT_ADMIN_ROLE, msg.sender);
        if (!isAdmin) _checkRole(RATE_MANAGER_ROLE);
        if (newUsdRate == 0) revert InvalidConfig();
        TokenState storage state = _supported(token);
        if (isAdmin) {
            state.referenceRate = newUsdRate;
            state.usdRate = newUsdRate;
        } else if (_moveRate(state, newUsdRate)) {
            state.usdRate = newUsdRate;
        } else {
            (state.depositPaused, state.withdrawPaused) = (true, true);
            emit TokenDepegged(token, newUsdRate, state.referenceRate);
        }
        _emitConfig(token, state);
    }

    // --- views ---

    /// @inheritdoc ICashier
    function balanceWad(address user) external view returns (uint256) {
        return _storage().balanceWad[user];
    }

    /// @inheritdoc ICashier
    function referenceRate(address token) external view returns (uint32) {
        return _storage().tokens[token].referenceRate;
    }

    /// @inheritdoc ICashier
    function totalOwedWad() external view returns (uint256) {
        return _storage().owedWad;
    }

    /// @inheritdoc ICashier
    function creditBufferWad() external view returns (uint128) {
        return _storage().creditBufferWad;
    }

    /// @inheritdoc ICashier
    function creditBufferWadCapacity() external view returns (uint128) {
        return _storage().creditBufferCapacityWad;
    }

    /// @inheritdoc ICashier
    function instantThresholdDivisor() external view returns (uint8) {
        return _storage().instantThresholdDivisor;
    }

    /// @inheritdoc ICashier
    function depositFeePpm() external view returns (uint16) {
        return _storage().depositFeePpm;
    }

    /// @inheritdoc ICashier
    function withdrawFeePpm() external view returns (uint16) {
        return _storage().withdrawFeePpm;
    }

    /// @inheritdoc ICashier
    function exitDelaySec() external view returns (uint32) {
        return _storage().exitDelaySec;
    }

    /// @inheritdoc ICashier
    function operationCounter() external view returns (uint64) {
        return _storage().operationCounter;
    }

    /// @inheritdoc ICashier
    function cashOperation(bytes32 opId) external view returns (CashOperation memory) {
        CashierStorage storage $ = _storage();
        Operation memory operation = $.operations[opId];
        return CashOperation({
            user: OperationId.userOf(opId),
            token: operation.tokenIndex == 0 ? address(0) : $.tokenList[operation.tokenIndex - 1],
            amount: operation.amount,
            feePpm: operation.feePpm,
            exitAt: operation.exitAt,
            kind: operation.kind,
            status: operation.status
        });
    }

    /// @inheritdoc ICashier
    function totalPending(address token) external view returns (uint128 deposit, uint128 withdrawalWad) {
        TokenState storage state = _storage().tokens[token];
        return (state.pendingDeposit, state.pendingWithdrawalWad);
    }

    /// @inheritdoc ICashier
    function freeCash(address token) external view returns (uint256) {
        return _freeCash(_storage().tokens[token], token);
    }

    /// @inheritdoc ICashier
    function collectible(address token) public view returns (uint256) {
        TokenState storage state = _storage().tokens[token];
        uint256 free = _freeCash(state, token);
        if (!state.supported) return free;
        uint256 valueWad = _cashValueWad();
        uint256 owedWad = _storage().owedWad;
        if (valueWad <= owedWad) return 0;
        uint256 excess = Rounding.wadToTokenDown(valueWad - owedWad, _lowerRate(state), state.decimals);
        return excess < free ? excess : free;
    }

    /// @inheritdoc ICashier
    function tokenConfig(address token) public view returns (TokenConfig memory) {
        TokenState storage state = _storage().tokens[token];
        return TokenConfig({
            minAmount: state.minAmount,
            usdRate: state.usdRate,
            decimals: state.decimals,
            depositPaused: state.depositPaused,
            withdrawPaused: state.withdrawPaused,
            withdrawBuffer: state.withdrawBuffer,
            withdrawBufferCapacity: state.withdrawBufferCapacity
        });
    }

    /// @inheritdoc ICashier
    function getSupportedTokenList() external view returns (address[] memory tokens) {
        CashierStorage storage $ = _storage();
        uint256 listed = $.tokenList.length;
        tokens = new address[](listed);
        uint256 count;
        for (uint256 i; i < listed; ++i) {
            address token = $.tokenList[i];
            if ($.tokens[token].supported) tokens[count++] = token;
        }
        assembly {
            mstore(tokens, count)
        }
    }

    // --- inside ---

    function _pausedFlag() internal view override returns (bool) {
        return _storage().paused;
    }

    function _setPausedFlag(bool newFlag) internal override {
        _storage().paused = newFlag;
    }

    function _setCreditBuffer(uint256 newAmountWad) internal {
        _storage().creditBufferWad = newAmountWad.toUint96();
        emit CreditBufferWadUpdated(uint128(newAmountWad));
    }

    function _setWithdrawBuffer(TokenState storage state, address token, uint256 newAmount) internal {
        state.withdrawBuffer = newAmount.toUint128();
        emit WithdrawBufferUpdated(token, uint128(newAmount));
    }

    function _setCreditBufferCapacity(uint128 newCapacityWad) private {
        _storage().creditBufferCapacityWad = uint256(newCapacityWad).toUint96();
        emit CreditBufferCapacityWadUpdated(newCapacityWad);
    }

    function _setInstantThresholdDivisor(uint8 newDivisor) private {
        if (newDivisor == 0) revert InvalidConfig();
        _storage().instantThresholdDivisor = newDivisor;
        emit InstantThresholdDivisorUpdated(newDivisor);
    }

    function _setCashFees(uint16 depositFeePpm_, uint16 withdrawFeePpm_) private {
        if (depositFeePpm_ > MAX_FEE_PPM || withdrawFeePpm_ > MAX_FEE_PPM) revert InvalidConfig();
        CashierStorage storage $ = _storage();
        $.depositFeePpm = depositFeePpm_;
        $.withdrawFeePpm = withdrawFeePpm_;
        emit CashFeesUpdated(depositFeePpm_, withdrawFeePpm_);
    }

    function _setExitDelay(uint32 newDelaySec) private {
        if (newDelaySec < MIN_EXIT_DELAY_SEC || newDelaySec > MAX_EXIT_DELAY_SEC) revert InvalidConfig();
        _storage().exitDelaySec = newDelaySec;
        emit ExitDelayUpdated(newDelaySec);
    }

    /// Counts a move of the rate and says whether it is within what the rate manager may do.
    function _moveRate(TokenState storage state, uint256 newRate) private returns (bool) {
        uint256 referenceRate_ = state.referenceRate;
        if (_distance(newRate, referenceRate_) * RATE_PRECISION > referenceRate_ * MAX_RATE_DEVIATION_PPM) {
            return false;
        }
        uint256 movePpm = Rounding.divUp(_distance(newRate, state.usdRate) * RATE_PRECISION, referenceRate_);
        uint256 movedPpm =
            RateLimit.inUse(state.rateMovedPpm, state.rateMovedAt, MAX_RATE_MOVES_PPM, RATE_MOVES_PERIOD_SEC) + movePpm;
        if (movedPpm > MAX_RATE_MOVES_PPM) return false;
        state.rateMovedPpm = uint32(movedPpm);
        state.rateMovedAt = uint40(block.timestamp);
        return true;
    }

    function _distance(uint256 a, uint256 b) private pure returns (uint256) {
        return a > b ? a - b : b - a;
    }

    function _emitConfig(address token, TokenState storage) private {
        emit TokenConfigUpdated(token, tokenConfig(token));
    }

    function _supported(address token) internal view returns (TokenState storage state) {
        state = _storage().tokens[token];
        if (!state.supported) revert TokenNotSupported();
    }

    function _freeCash(TokenState storage state, address token) internal view returns (uint256) {
        uint256 held = IERC20(token).balanceOf(address(this)).toUint128();
        uint256 reserved = state.pendingDeposit;
        return held > reserved ? held - reserved : 0;
    }

    /// What the supported tokens held are worth at least, without those that queued deposits reserve: what says whether cash
    /// may leave the users' reach. A token whose deposits are paused counts nothing, since one that lost its peg is paused at
    /// its old rate, and anybody may give it to this contract.
    function _cashValueWad() private view returns (uint256 valueWad) {
        CashierStorage storage $ = _storage();
        for (uint256 i; i < $.tokenList.length; ++i) {
            address token = $.tokenList[i];
            TokenState storage state = $.tokens[token];
            if (!state.supported || state.depositPaused) continue;
            valueWad += Rounding.tokenToWadDown(_freeCash(state, token), _lowerRate(state), state.decimals);
        }
    }

    /// The lower of a token's rate and the administrator's. What is owed is mUSD and does not follow a rate: at one that
    /// stands above its reference, deposits would look like an excess, and be gone when it comes back. What is covered at the
    /// lower rate of each token is covered at the rates now, at the administrator's, and at any mixture of them. That a token
    /// falls below both later is a loss that the venue bears, whatever was collected.
    function _lowerRate(TokenState storage state) private view returns (uint256) {
        return Math.min(state.usdRate, state.referenceRate);
    }

    function _storage() internal pure returns (CashierStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
