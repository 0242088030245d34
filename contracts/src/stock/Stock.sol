// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockConfig} from "./StockConfig.sol";
import {StockSettlement} from "./StockSettlement.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {IStock} from "./interfaces/IStock.sol";
import {IStockToken} from "./interfaces/IStockToken.sol";
import {OperationId} from "./libraries/OperationId.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title The stock exchange. See `IStock`.
/// @dev What users do is here: orders with their locks, requests to cancel, moves of stock, the exit after the
/// time-out. What the settler does is in `StockSettlement`, code that this contract runs on its own storage, for its
/// size.
contract Stock is StockConfig {
    using SafeCast for uint256;
    using SafeERC20 for IERC20;

    modifier onlyRouter() {
        if (msg.sender != stockRouter) revert Unauthorized();
        _;
    }

    /// The code of the settler's functions; it comes and goes with this implementation.
    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address public immutable settlement;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address stockRouter_, address cashier_) StockConfig(stockRouter_, cashier_) {
        settlement = address(new StockSettlement(cashier_));
    }

    // --- called by the router ---

    /// @inheritdoc IStock
    function placeMarketOrder(address user, address token, int96 amount, uint32 deadline)
        external
        whenNotPaused
        onlyRouter
        nonReentrant
        returns (bytes32 orderId)
    {
        if (amount == 0) revert AmountCannotBeZero();
        OrderState memory order = _newOrder(user, token, amount);
        if (amount > 0) order.notionalWad = uint256(int256(amount));
        orderId = order.id;
        _storage().marketOrders[orderId] = MarketOrder({
            amount: amount,
            exitAt: order.exitAt,
            tokenIndex: order.tokenIndex,
            thirdPartyPpm: order.thirdPartyPpm,
            protocolPpm: order.protocolPpm,
            status: OrderStatus.Open,
            partlyFilled: false,
            placedAt: uint32(block.timestamp)
        });
        uint256 locked = _lock(order, user, token);
        emit MarketOrderPlaced(orderId, user, token, amount, locked, deadline, order.exitAt);
    }

    /// @inheritdoc IStock
    function placeLimitOrder(address user, address token, int96 quantity, uint96 price, uint8 tif, uint32 deadline)
        external
        whenNotPaused
        onlyRouter
        nonReentrant
        returns (bytes32 orderId)
    {
        if (quantity == 0) revert QuantityCannotBeZero();
        if (price == 0) revert PriceCannotBeZero();
        OrderState memory order = _newOrder(user, token, quantity);
        // In 96 bits, as the running total of its fills will be.
        if (quantity > 0) order.notionalWad = Rounding.notionalUp(uint256(int256(quantity)), price).toUint96();
        orderId = order.id;
        _storage().limitOrders[orderId] = LimitOrder({
            quantity: quantity,
            filledQuantity: 0,
            tokenIndex: order.tokenIndex,
            status: OrderStatus.Open,
            cancelRequested: false,
            placedAt: uint32(block.timestamp),
            price: price,
            filledNotionalWad: 0,
            exitAt: order.exitAt,
            thirdPartyPpm: order.thirdPartyPpm,
            protocolPpm: order.protocolPpm
        });
        uint256 locked = _lock(order, user, token);
        emit LimitOrderPlaced(orderId, user, token, quantity, price, tif, locked, deadline, order.exitAt);
    }

    /// @inheritdoc IStock
    function cancelLimitOrder(address user, bytes32 orderId) external onlyRouter nonReentrant {
        OrderState memory order = _load(orderId, true);
        if (order.status != OrderStatus.Open) revert OrderNotFound();
        if (OperationId.userOf(orderId) != user) revert CallerNotOwner();
        if (!order.isLimit) revert NotLimitOrder();
        if (order.cancelRequested) revert CancelAlreadyRequested();
        _storage().limitOrders[orderId].cancelRequested = true;
        emit CancelRequested(orderId);
    }

    /// @inheritdoc IStock
    function depositStock(address user, address token, uint256 amount) external whenNotPaused onlyRouter nonReentrant {
        if (_listed(token).depositPaused) revert StockDepositPaused();
        if (amount == 0) revert AmountCannotBeZero();
        _storage().stockBalance[user][token] += amount;
        emit StockDeposited(token, user, amount);
    }

    /// @inheritdoc IStock
    function withdrawStock(address user, address token, uint256 amount)
        external
        onlyRouter
        nonReentrant
        returns (bytes32 opId)
    {
        ListingState storage item = _listed(token);
        if (amount == 0) revert AmountCannotBeZero();
        _deductStock(user, token, amount);
        if (item.withdrawPaused || IStockToken(token).paused()) {
            return _queueStock(user, token, amount, item.tokenIndex);
        }
        emit StockWithdrawn(token, user, amount);
        IERC20(token).safeTransfer(user, amount);
    }

    // --- settler ---

    /// @inheritdoc IStock
    function settleMarketOrders(address, address, Fill[] calldata) external returns (uint256 fillsApplied) {
        return _settle();
    }

    /// @inheritdoc IStock
    function settleLimitOrders(address, address, Fill[] calldata) external returns (uint256 fillsApplied) {
        return _settle();
    }

    /// @inheritdoc IStock
    function settleCancels(address, address, Cancellation[] calldata) external returns (uint256 ordersClosed) {
        return _settle();
    }

    /// @inheritdoc IStock
    function rejectMarketOrders(Rejection[] calldata) external returns (uint256 ordersClosed) {
        return _settle();
    }

    /// @inheritdoc IStock
    function settleStockWithdrawals(bytes32[] calldata opIds)
        external
        onlyRole(ORDER_SETTLER_ROLE)
        whenNotPaused
        nonReentrant
    {
        for (uint256 i; i < opIds.length; ++i) {
            _settleStockWithdrawal(opIds[i]);
        }
    }

    // --- the user's own exit ---

    /// @inheritdoc IStock
    function claimStockWithdrawal(bytes32 opId) external nonReentrant {
        (QueuedStock storage queued, address token) = _ownQueuedStock(opId);
        if (block.timestamp < queued.exitAt) revert ExitNotYetAvailable(queued.exitAt);
        queued.status = StockWithdrawalStatus.Settled;
        emit StockWithdrawalSettled(opId, token, msg.sender, queued.amount);
        IERC20(token).safeTransfer(msg.sender, queued.amount);
    }

    /// @inheritdoc IStock
    function takeBackStockWithdrawal(bytes32 opId) external nonReentrant {
        (QueuedStock storage queued, address token) = _ownQueuedStock(opId);
        queued.status = StockWithdrawalStatus.TakenBack;
        uint256 amount = queued.amount;
        _storage().stockBalance[msg.sender][token] += amount;
        emit StockWithdrawalTakenBack(opId, token, msg.sender, amount);
    }

    /// @inheritdoc IStock
    function takeBackOrder(bytes32 orderId) external nonReentrant {
        OrderState memory order = _load(orderId, false);
        if (order.status != OrderStatus.Open) revert OrderNotFound();
        if (OperationId.userOf(orderId) != msg.sender) revert CallerNotOwner();
        if (block.timestamp < order.exitAt) revert ExitNotYetAvailable(order.exitAt);
        _release(order, OrderStatus.TakenBack, 0);
    }

    // --- inside ---

    /// Runs the function of the same name in `StockSettlement`.
    function _settle() private onlyRole(ORDER_SETTLER_ROLE) whenNotPaused nonReentrant returns (uint256 count) {
        return abi.decode(Address.functionDelegateCall(settlement, msg.data), (uint256));
    }

    function _queueStock(address user, address token, uint256 amount, uint16 index) private returns (bytes32 opId) {
        StockStorage storage $ = _storage();
        opId = OperationId.derive(user, ++$.operationCounter);
        uint32 exitAt = uint32(block.timestamp + $.stockExitDelaySec);
        $.queuedStock[opId] = QueuedStock(amount.toUint128(), exitAt, index, StockWithdrawalStatus.Queued);
        emit StockWithdrawalRequested(opId, token, user, amount, exitAt);
    }

    function _settleStockWithdrawal(bytes32 opId) private {
        StockStorage storage $ = _storage();
        QueuedStock storage queued = $.queuedStock[opId];
        if (queued.status != StockWithdrawalStatus.Queued) {
            emit StockWithdrawalSkipped(opId, StockWithdrawalSkip.NotQueued);
            return;
        }
        address token = $.tokens[queued.tokenIndex - 1];
        if ($.listings[token].withdrawPaused || IStockToken(token).paused()) {
            emit StockWithdrawalSkipped(opId, StockWithdrawalSkip.Paused);
            return;
        }
        // The transfer comes before the books, so that a token refusing this user leaves them as they were; every way
        // to change them in between is closed by the guard.
        address user = OperationId.userOf(opId);
        if (!IERC20(token).trySafeTransfer(user, queued.amount)) {
            emit StockWithdrawalSkipped(opId, StockWithdrawalSkip.TransferFailed);
            return;
        }
        queued.status = StockWithdrawalStatus.Settled;
        emit StockWithdrawalSettled(opId, token, user, queued.amount);
    }

    /// The queued withdrawal that the caller may end.
    function _ownQueuedStock(bytes32 opId) private view returns (QueuedStock storage queued, address token) {
        StockStorage storage $ = _storage();
        queued = $.queuedStock[opId];
        if (queued.status != StockWithdrawalStatus.Queued) revert WithdrawalNotQueued();
        if (OperationId.userOf(opId) != msg.sender) revert CallerNotOwner();
        token = $.tokens[queued.tokenIndex - 1];
    }

    /// What every new order has, at the terms of now.
    function _newOrder(address user, address token, int96 amount) private returns (OrderState memory order) {
        StockStorage storage $ = _storage();
        ListingState storage item = $.listings[token];
        if (!item.tradable) revert InvalidStockToken();
        order.id = OperationId.derive(user, ++$.operationCounter);
        order.amount = amount;
        order.exitAt = uint32(block.timestamp + $.exitDelaySec);
        order.tokenIndex = item.tokenIndex;
        (order.thirdPartyPpm, order.protocolPpm) =
            amount > 0 ? ($.buyThirdPartyPpm, $.buyProtocolPpm) : ($.sellThirdPartyPpm, $.sellProtocolPpm);
    }

    function _lock(OrderState memory order, address user, address token) private returns (uint256 locked) {
        locked = _remainingLock(order);
        if (order.amount > 0) {
            ICashier(_cashier).deductBalanceWad(user, locked.toUint96());
        } else {
            _deductStock(user, token, locked);
            emit StockBalanceLocked(token, user, locked);
        }
    }

    function _deductStock(address user, address token, uint256 quantity) private {
        mapping(address => uint256) storage balances = _storage().stockBalance[user];
        uint256 balance = balances[token];
        if (balance < quantity) revert InsufficientStockBalance();
        unchecked {
            balances[token] = balance - quantity;
        }
    }
}
