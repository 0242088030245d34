// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CashierQueue} from "./CashierQueue.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Cash: deposits, withdrawals and the cash side of trading. See `ICashier`.
contract Cashier is CashierQueue {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    modifier onlyRouter() {
        if (msg.sender != stockRouter) revert Unauthorized();
        _;
    }

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address stockRouter_) CashierQueue(stockRouter_) {}

    // --- called by the router ---

    /// @inheritdoc ICashier
    function deposit(address user, address token, uint96 amount)
        external
        onlyRouter
        whenNotPaused
        nonReentrant
        returns (bytes32 opId)
    {
        TokenState storage state = _supported(token);
        if (state.depositPaused) revert DepositPaused();
        if (amount < state.minAmount) revert AmountTooSmall();
        CashierStorage storage $ = _storage();
        uint16 feePpm = $.depositFeePpm;
        (uint96 creditWad, uint96 feeWad) = _depositTerms(state, amount, feePpm);
        if (creditWad == 0) revert AmountTooSmall();

        opId = _nextId(user);
        if (_isInstantDeposit(state, amount, creditWad)) {
            $.owedWad += creditWad;
            $.balanceWad[user] += creditWad;
            _setCreditBuffer($.creditBufferWad - creditWad);
            _setWithdrawBuffer(state, token, state.withdrawBuffer + amount);
            emit InstantDeposit(opId, user, token, amount, creditWad, feeWad);
        } else {
            state.pendingDeposit += amount;
            uint32 exitAt = _queue(opId, OperationKind.Deposit, state.index, amount, feePpm);
            emit DepositRequested(opId, user, token, amount, exitAt);
        }
    }

    /// @inheritdoc ICashier
    function withdraw(address user, address token, uint96 amountWad)
        external
        onlyRouter
        nonReentrant
        returns (bytes32 opId)
    {
        TokenState storage state = _supported(token);
        if (amountWad == 0) revert AmountCannotBeZero();
        CashierStorage storage $ = _storage();
        uint16 feePpm = $.withdrawFeePpm;
        (uint96 amount, uint96 feeWad) = _withdrawalTerms(state, amountWad, feePpm);
        if (amount == 0) revert AmountTooSmall();
        _deduct(user, amountWad);

        opId = _nextId(user);
        if (_isInstantWithdrawal(state, token, amount)) {
            $.owedWad -= amountWad;
            uint256 refilled = uint256($.creditBufferWad) + amountWad;
            uint256 capacity = $.creditBufferCapacityWad;
            _setCreditBuffer(refilled < capacity ? refilled : capacity);
            _setWithdrawBuffer(state, token, state.withdrawBuffer - amount);
            emit InstantWithdrawal(opId, user, token, amountWad, amount, feeWad);
            IERC20(token).safeTransfer(user, amount);
        } else {
            state.pendingWithdrawalWad += amountWad;
            uint32 exitAt = _queue(opId, OperationKind.Withdrawal, state.index, amountWad, feePpm);
            emit WithdrawalRequested(opId, user, token, amountWad, feeWad, exitAt);
        }
    }

    // --- called by Stock ---

    /// @inheritdoc ICashier
    function deductBalanceWad(address user, uint96 amountWad) external onlyRole(EXCHANGE_ROLE) nonReentrant {
        _deduct(user, amountWad);
        emit BalanceDeducted(user, amountWad);
    }

    /// @inheritdoc ICashier
    function creditBalanceWad(address user, uint96 amountWad) external onlyRole(EXCHANGE_ROLE) nonReentrant {
        _credit(user, amountWad);
    }

    /// @inheritdoc ICashier
    function settleOrders(
        address cashToken,
        address settler,
        Credit[] calldata credits,
        int256 owedDeltaWad,
        int256 cashOutWad
    ) external onlyRole(EXCHANGE_ROLE) whenNotPaused nonReentrant returns (int256 paid) {
        if (cashOutWad + owedDeltaWad > 0) revert UnbalancedSettlement();
        TokenState storage state = _supported(cashToken);
        for (uint256 i; i < credits.length; ++i) {
            _credit(credits[i].user, credits[i].amountWad);
        }
        CashierStorage storage $ = _storage();
        $.owedWad = uint256(int256(uint256($.owedWad)) + owedDeltaWad).toUint112();

        if (cashOutWad >= 0) {
            uint256 amount = Rounding.wadToTokenDown(uint256(cashOutWad), state.usdRate, state.decimals);
            _pay(state, cashToken, settler, amount);
            return int256(amount);
        }
        // A token that lost its peg is paused at its old rate: a settler would pay sales with what is worth less.
        if (state.depositPaused) revert DepositPaused();
        uint256 due = Rounding.wadToTokenUp(uint256(-cashOutWad), state.usdRate, state.decimals);
        uint256 heldBefore = IERC20(cashToken).balanceOf(address(this));
        IERC20(cashToken).safeTransferFrom(settler, address(this), due);
        if (IERC20(cashToken).balanceOf(address(this)) != heldBefore + due) revert ReceivedAmountMismatch();
        return -int256(due);
    }

    // --- settler ---

    /// @inheritdoc ICashier
    function adjustCreditBufferWad(int128 deltaWad) external onlyRole(SETTLER_ROLE) {
        CashierStorage storage $ = _storage();
        _setCreditBuffer(_adjusted($.creditBufferWad, deltaWad, $.creditBufferCapacityWad));
    }

    /// @inheritdoc ICashier
    function adjustWithdrawBuffer(address token, int128 delta) external onlyRole(SETTLER_ROLE) {
        TokenState storage state = _supported(token);
        _setWithdrawBuffer(state, token, _adjusted(state.withdrawBuffer, delta, state.withdrawBufferCapacity));
    }

    /// @inheritdoc ICashier
    function collectToken(address token, uint96 amount) external onlyRole(SETTLER_ROLE) nonReentrant {
        if (amount == 0) revert AmountCannotBeZero();
        if (amount > collectible(token)) revert ExceedsCollectibleAmount();
        emit TokenCollected(msg.sender, token, amount);
        IERC20(token).safeTransfer(msg.sender, amount);
    }

    // --- views ---

    /// @inheritdoc ICashier
    function canInstantDeposit(address token, uint96 amount) external view returns (bool) {
        TokenState storage state = _storage().tokens[token];
        if (paused() || !state.supported || state.depositPaused || amount < state.minAmount) return false;
        (uint96 creditWad,) = _depositTerms(state, amount, _storage().depositFeePpm);
        return creditWad != 0 && _isInstantDeposit(state, amount, creditWad);
    }

    /// @inheritdoc ICashier
    function canInstantWithdraw(address token, uint96 amountWad) external view returns (bool) {
        TokenState storage state = _storage().tokens[token];
        if (!state.supported) return false;
        (uint96 amount,) = _withdrawalTerms(state, amountWad, _storage().withdrawFeePpm);
        return amount != 0 && _isInstantWithdrawal(state, token, amount);
    }

    /// @inheritdoc ICashier
    function tokenToBalanceWadInstant(address token, uint96 amount) external view returns (uint96 creditWad) {
        (creditWad,) = _depositTerms(_supported(token), amount, _storage().depositFeePpm);
    }

    /// @inheritdoc ICashier
    function balanceWadToToken(address token, uint96 amountWad) external view returns (uint96 amount) {
        (amount,) = _withdrawalTerms(_supported(token), amountWad, _storage().withdrawFeePpm);
    }

    // --- inside ---

    function _deduct(address user, uint96 amountWad) private {
        CashierStorage storage $ = _storage();
        uint256 balance = $.balanceWad[user];
        if (balance < amountWad) revert InsufficientBalanceWad();
        unchecked {
            $.balanceWad[user] = balance - amountWad;
        }
    }

    function _credit(address user, uint96 amountWad) private {
        _storage().balanceWad[user] += amountWad;
        emit BalanceCredited(user, amountWad);
    }

    function _isInstantDeposit(TokenState storage state, uint96 amount, uint96 creditWad) private view returns (bool) {
        CashierStorage storage $ = _storage();
        return creditWad <= $.creditBufferWad / $.instantThresholdDivisor
            && state.withdrawBuffer + amount <= state.withdrawBufferCapacity;
    }

    function _isInstantWithdrawal(TokenState storage state, address token, uint96 amount) private view returns (bool) {
        CashierStorage storage $ = _storage();
        return !state.withdrawPaused && !$.paused && amount <= state.withdrawBuffer / $.instantThresholdDivisor
            && amount <= _freeCash(state, token);
    }

    /// A buffer moved by `delta`, within nothing and its capacity.
    function _adjusted(uint256 buffer, int256 delta, uint256 capacity) private pure returns (uint256) {
        int256 moved = int256(buffer) + delta;
        if (moved < 0) revert InsufficientBuffer();
        if (uint256(moved) > capacity) revert ExceedsBufferCapacity();
        return uint256(moved);
    }
}
