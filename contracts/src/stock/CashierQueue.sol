// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CashierConfig} from "./CashierConfig.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {OperationId} from "./libraries/OperationId.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Queued deposits and withdrawals: their settlement by the settler and the users' own exit from them.
abstract contract CashierQueue is CashierConfig {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address stockRouter_) CashierConfig(stockRouter_) {}

    // --- settler ---

    /// @inheritdoc ICashier
    function batchSettleDeposit(bytes32[] calldata opIdList)
        external
        onlyRole(SETTLER_ROLE)
        whenNotPaused
        nonReentrant
    {
        CashierStorage storage $ = _storage();
        for (uint256 i; i < opIdList.length; ++i) {
            bytes32 opId = opIdList[i];
            Operation storage operation = $.operations[opId];
            if (!_isSettleable(opId, operation, OperationKind.Deposit)) continue;
            address token = $.tokenList[operation.tokenIndex - 1];
            TokenState storage state = $.tokens[token];
            uint96 amount = operation.amount;
            (uint96 creditWad, uint96 feeWad) = _depositTerms(state, amount, operation.feePpm);

            operation.status = OperationStatus.Settled;
            state.pendingDeposit -= amount;
            $.owedWad += creditWad;
            address user = OperationId.userOf(opId);
            $.balanceWad[user] += creditWad;
            emit DepositSettled(opId, user, token, amount, creditWad, feeWad);
        }
    }

    /// @inheritdoc ICashier
    function batchSettleWithdraw(bytes32[] calldata opIdList)
        external
        onlyRole(SETTLER_ROLE)
        whenNotPaused
        nonReentrant
    {
        for (uint256 i; i < opIdList.length; ++i) {
            bytes32 opId = opIdList[i];
            Operation storage operation = _storage().operations[opId];
            if (_isSettleable(opId, operation, OperationKind.Withdrawal)) _settleWithdrawal(opId, operation);
        }
    }

    // --- the user's own exit ---

    /// @inheritdoc ICashier
    function takeBackDeposit(bytes32 opId) external nonReentrant {
        (Operation storage operation, address token) = _exit(opId, OperationKind.Deposit);
        operation.status = OperationStatus.TakenBack;
        uint96 amount = operation.amount;
        _storage().tokens[token].pendingDeposit -= amount;
        emit DepositTakenBack(opId, msg.sender, token, amount);
        IERC20(token).safeTransfer(msg.sender, amount);
    }

    /// @inheritdoc ICashier
    function takeBackWithdrawal(bytes32 opId) external nonReentrant {
        (Operation storage operation, address token) = _exit(opId, OperationKind.Withdrawal);
        operation.status = OperationStatus.TakenBack;
        uint96 amountWad = operation.amount;
        CashierStorage storage $ = _storage();
        $.tokens[token].pendingWithdrawalWad -= amountWad;
        $.balanceWad[msg.sender] += amountWad;
        emit WithdrawalTakenBack(opId, msg.sender, token, amountWad);
    }

    /// @inheritdoc ICashier
    function claimWithdrawal(bytes32 opId) external nonReentrant {
        (Operation storage operation, address token) = _exit(opId, OperationKind.Withdrawal);
        TokenState storage state = _storage().tokens[token];
        (uint96 amount, uint96 feeWad) = _withdrawalTerms(state, operation.amount, operation.feePpm);
        _bookWithdrawal(opId, operation, state, token, amount, feeWad);
        _pay(state, token, msg.sender, amount);
    }

    // --- inside ---

    function _nextId(address user) internal returns (bytes32) {
        return OperationId.derive(user, ++_storage().operationCounter);
    }

    function _queue(bytes32 opId, OperationKind kind, uint16 tokenIndex, uint96 amount, uint16 feePpm)
        internal
        returns (uint32 exitAt)
    {
        CashierStorage storage $ = _storage();
        exitAt = uint32(block.timestamp + $.exitDelaySec);
        $.operations[opId] = Operation({
            amount: amount,
            exitAt: exitAt,
            tokenIndex: tokenIndex,
            feePpm: feePpm,
            kind: kind,
            status: OperationStatus.Queued
        });
    }

    function _isSettleable(bytes32 opId, Operation storage operation, OperationKind kind) internal returns (bool) {
        OperationStatus status = operation.status;
        if (status == OperationStatus.None || operation.kind != kind) {
            emit CashSettlementSkipped(opId, SkipReason.Unknown);
        } else if (status == OperationStatus.Settled) {
            emit CashSettlementSkipped(opId, SkipReason.AlreadySettled);
        } else if (status == OperationStatus.TakenBack) {
            emit CashSettlementSkipped(opId, SkipReason.TakenBack);
        } else {
            return true;
        }
        return false;
    }

    function _settleWithdrawal(bytes32 opId, Operation storage operation) internal {
        CashierStorage storage $ = _storage();
        address token = $.tokenList[operation.tokenIndex - 1];
        TokenState storage state = $.tokens[token];
        if (state.withdrawPaused) {
            emit CashSettlementSkipped(opId, SkipReason.WithdrawPaused);
            return;
        }
        (uint96 amount, uint96 feeWad) = _withdrawalTerms(state, operation.amount, operation.feePpm);
        if (amount > _freeCash(state, token)) {
            emit CashSettlementSkipped(opId, SkipReason.InsufficientCash);
            return;
        }
        // The transfer comes before the books, so that a token refusing this user leaves them as they were; every way
        // to change them in between is closed by the guard.
        if (!IERC20(token).trySafeTransfer(OperationId.userOf(opId), amount)) {
            emit CashSettlementSkipped(opId, SkipReason.TransferFailed);
            return;
        }
        _bookWithdrawal(opId, operation, state, token, amount, feeWad);
    }

    function _bookWithdrawal(
        bytes32 opId,
        Operation storage operation,
        TokenState storage state,
        address token,
        uint96 amount,
        uint96 feeWad
    ) internal {
        uint96 amountWad = operation.amount;
        operation.status = OperationStatus.Settled;
        state.pendingWithdrawalWad -= amountWad;
        _storage().owedWad -= amountWad;
        emit WithdrawalSettled(opId, OperationId.userOf(opId), token, amountWad, amount, feeWad);
    }

    /// The queued operation that the caller may end alone now.
    function _exit(bytes32 opId, OperationKind kind)
        internal
        view
        returns (Operation storage operation, address token)
    {
        CashierStorage storage $ = _storage();
        operation = $.operations[opId];
        if (operation.kind != kind || operation.status != OperationStatus.Queued) revert InvalidOperationId();
        if (OperationId.userOf(opId) != msg.sender) revert CallerNotOwner();
        if (block.timestamp < operation.exitAt) revert ExitNotYetAvailable(operation.exitAt);
        token = $.tokenList[operation.tokenIndex - 1];
    }

    function _pay(TokenState storage state, address token, address to, uint256 amount) internal {
        if (amount > _freeCash(state, token)) revert InsufficientCash();
        if (amount != 0) IERC20(token).safeTransfer(to, amount);
    }

    /// What `amount` token units yield and cost now, mUSD.
    function _depositTerms(TokenState storage state, uint96 amount, uint16 feePpm)
        internal
        view
        returns (uint96 creditWad, uint96 feeWad)
    {
        uint256 valueWad = Rounding.tokenToWadDown(amount, state.usdRate, state.decimals);
        uint256 fee = Rounding.feeUp(valueWad, feePpm);
        return ((valueWad - fee).toUint96(), fee.toUint96());
    }

    /// What `amountWad` mUSD yield (token units) and cost (mUSD) now.
    function _withdrawalTerms(TokenState storage state, uint96 amountWad, uint16 feePpm)
        internal
        view
        returns (uint96 amount, uint96 feeWad)
    {
        uint256 fee = Rounding.feeUp(amountWad, feePpm);
        amount = Rounding.wadToTokenDown(amountWad - fee, state.usdRate, state.decimals).toUint96();
        return (amount, uint96(fee));
    }
}
