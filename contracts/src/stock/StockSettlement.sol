// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFills} from "./StockFills.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {IStock} from "./interfaces/IStock.sol";
import {IStockToken} from "./interfaces/IStockToken.sol";
import {RateLimit} from "src/limits/RateLimit.sol";

/// @title Settlement of orders, delivery against payment. See `IStock`.
/// @dev Code without a state of its own: `Stock` runs it on its storage, after the checks of role, pause and reentrancy.
contract StockSettlement is StockFills {
    /// Reason codes of orders that a fill could only close; beyond those of a venue.
    uint16 private constant USER_NOT_APPROVED = 65_535;
    uint16 private constant TOO_LATE = 65_534;

    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address private immutable _self = address(this);

    modifier onlyInStock() {
        if (address(this) == _self) revert IStock.Unauthorized();
        _;
    }

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address cashier_) StockFills(cashier_) {}

    // --- settler ---

    function settleMarketOrders(address stockToken, address cashToken, IStock.Fill[] calldata fills)
        external
        returns (uint256 fillsApplied)
    {
        return _settleFills(stockToken, cashToken, fills, false);
    }

    function settleLimitOrders(address stockToken, address cashToken, IStock.Fill[] calldata fills)
        external
        returns (uint256 fillsApplied)
    {
        return _settleFills(stockToken, cashToken, fills, true);
    }

    function settleCancels(address stockToken, address cashToken, IStock.Cancellation[] calldata cancellations)
        external
        onlyInStock
        returns (uint256 ordersClosed)
    {
        Batch memory batch = _newBatch(stockToken, cancellations.length, true);
        for (uint256 i; i < cancellations.length; ++i) {
            if (_applyCancellation(batch, cancellations[i])) ++ordersClosed;
        }
        _exchange(batch, cashToken);
    }

    function rejectMarketOrders(IStock.Rejection[] calldata rejections)
        external
        onlyInStock
        returns (uint256 ordersClosed)
    {
        for (uint256 i; i < rejections.length; ++i) {
            IStock.Rejection calldata rejection = rejections[i];
            OrderState memory order = _load(rejection.orderId, false);
            (bool fits, IStock.SkipReason reason) = _fits(order, false, rejection.filledBefore);
            if (!fits) {
                emit IStock.RejectionSkipped(rejection.orderId, msg.sender, reason, rejection.filledBefore);
                continue;
            }
            _release(
                order,
                order.filledQuantity == 0 ? IStock.OrderStatus.Rejected : IStock.OrderStatus.PartiallyFilled,
                rejection.reasonCode
            );
            ++ordersClosed;
        }
    }

    // --- inside ---

    function _settleFills(address stockToken, address cashToken, IStock.Fill[] calldata fills, bool isLimit)
        private
        onlyInStock
        returns (uint256 fillsApplied)
    {
        Batch memory batch = _newBatch(stockToken, fills.length, isLimit);
        for (uint256 i; i < fills.length; ++i) {
            _applyFill(batch, fills[i]);
        }
        _exchange(batch, cashToken);
        return batch.fillsApplied;
    }

    /// Every fill or cancellation gives at most one credit: the proceeds of a sell or the refund of a buy.
    function _newBatch(address stockToken, uint256 size, bool isLimit) private view returns (Batch memory batch) {
        batch.stockToken = stockToken;
        batch.tokenIndex = _listed(stockToken).tokenIndex;
        batch.isLimit = isLimit;
        batch.credits = new ICashier.Credit[](size);
    }

    function _applyFill(Batch memory batch, IStock.Fill calldata fill) private {
        if (fill.price == 0) revert IStock.FillPriceCannotBeZero();
        if (fill.quantity == 0) revert IStock.QuantityCannotBeZero();
        OrderState memory order = _load(fill.orderId, batch.isLimit);
        (bool fits, IStock.SkipReason reason) = _fitsBatch(batch, order, fill.filledBefore);
        if (!fits) return _skip(fill, reason);
        (fits, reason) = _mayFill(batch, order);
        if (!fits) {
            _skip(fill, reason);
            (IStock.OrderStatus end, uint16 code) = _unfillable(order, reason);
            return _end(batch, order, end, _remainingLock(order), code);
        }
        uint256 notionalWad;
        (fits, notionalWad) = _notional(order, fill.quantity, fill.price);
        if (!fits) return _skip(fill, IStock.SkipReason.ExceedsOrder);
        _fill(batch, order, fill.quantity, fill.price, notionalWad);
        bool isFull = _isFull(order);
        if (!fill.last && !isFull) return _saveProgress(order);
        // A market buy has no quantity to fall short of.
        bool isWhole = isFull || (order.amount > 0 && !order.isLimit);
        IStock.OrderStatus status = isWhole ? IStock.OrderStatus.Filled : IStock.OrderStatus.PartiallyFilled;
        _end(batch, order, status, _remainingLock(order), 0);
    }

    function _skip(IStock.Fill calldata fill, IStock.SkipReason reason) private {
        emit IStock.FillSkipped(fill.orderId, msg.sender, reason, fill.filledBefore, fill.quantity);
    }

    function _applyCancellation(Batch memory batch, IStock.Cancellation calldata cancellation) private returns (bool) {
        OrderState memory order = _load(cancellation.orderId, true);
        (bool fits, IStock.SkipReason reason) = _fitsBatch(batch, order, cancellation.filledBefore);
        if (fits && cancellation.cause == IStock.EndCause.UserRequest && !order.cancelRequested) {
            (fits, reason) = (false, IStock.SkipReason.CancelNotRequested);
        }
        uint96 lastPrice;
        if (fits && cancellation.quantity != 0) (fits, reason, lastPrice) = _applyLastPart(batch, order, cancellation);
        if (!fits) {
            emit IStock.CancellationSkipped(cancellation.orderId, msg.sender, reason, cancellation.filledBefore);
            return false;
        }
        uint256 refund = _remainingLock(order);
        emit IStock.CancelSettled(
            order.id,
            order.filledQuantity,
            uint96(_quantityOf(order) - order.filledQuantity),
            lastPrice,
            refund,
            cancellation.cause != IStock.EndCause.UserRequest
        );
        _end(batch, order, _endStatus(order, cancellation.cause), refund, cancellation.reasonCode);
        return true;
    }

    /// The part that a cancellation settles; one that may not be filled is left out, and the order ends without it.
    function _applyLastPart(Batch memory batch, OrderState memory order, IStock.Cancellation calldata cancellation)
        private
        returns (bool, IStock.SkipReason, uint96 price)
    {
        if (cancellation.price == 0) revert IStock.FillPriceCannotBeZero();
        (bool may, IStock.SkipReason reason) = _mayFill(batch, order);
        if (!may) {
            emit IStock.FillSkipped(order.id, msg.sender, reason, cancellation.filledBefore, cancellation.quantity);
            return (true, reason, 0);
        }
        (bool fits, uint256 notionalWad) = _notional(order, cancellation.quantity, cancellation.price);
        if (!fits) return (false, IStock.SkipReason.ExceedsOrder, 0);
        _fill(batch, order, cancellation.quantity, cancellation.price, notionalWad);
        return (true, reason, cancellation.price);
    }

    /// How an order ends that may not be filled any more, and this contract's own reason code for it.
    function _unfillable(OrderState memory order, IStock.SkipReason reason)
        private
        pure
        returns (IStock.OrderStatus, uint16)
    {
        if (reason == IStock.SkipReason.OrderExpired) return (IStock.OrderStatus.Expired, TOO_LATE);
        return (
            order.filledQuantity == 0 ? IStock.OrderStatus.Rejected : IStock.OrderStatus.PartiallyFilled,
            USER_NOT_APPROVED
        );
    }

    function _endStatus(OrderState memory order, IStock.EndCause cause) private pure returns (IStock.OrderStatus) {
        if (_isFull(order)) return IStock.OrderStatus.Filled;
        if (cause == IStock.EndCause.UserRequest) return IStock.OrderStatus.Canceled;
        if (cause == IStock.EndCause.Expired) return IStock.OrderStatus.Expired;
        return order.filledQuantity == 0 ? IStock.OrderStatus.Rejected : IStock.OrderStatus.PartiallyFilled;
    }

    /// Delivery against payment: what comes in comes first.
    function _exchange(Batch memory batch, address cashToken) private {
        ICashier.Credit[] memory credits = batch.credits;
        uint256 creditCount = batch.creditCount;
        if (batch.fillsApplied == 0 && creditCount == 0) return;
        assembly {
            mstore(credits, creditCount)
        }
        int256 stockIn = int256(batch.stockIn) - int256(batch.stockOut);
        if (stockIn > 0) _mint(batch.stockToken, uint256(stockIn));
        int256 cashOut = ICashier(_cashier)
            .settleOrders(
                cashToken,
                msg.sender,
                credits,
                int256(batch.proceedsWad) - int256(batch.spentWad),
                int256(batch.cashOutWad) - int256(batch.cashInWad)
            );
        if (stockIn < 0) IStockToken(batch.stockToken).burn(uint256(-stockIn));
        if (batch.fillsApplied == 0) return;
        emit IStock.BatchSettled(msg.sender, batch.stockToken, cashToken, stockIn, cashOut, batch.fillsApplied);
    }

    /// Tokens for what the broker bought, within the stock's cap. What is burned frees nothing of it.
    function _mint(address token, uint256 amount) private {
        ListingState storage item = _storage().listings[token];
        (uint256 capacity, uint256 periodSec) = (item.mintCapacity, item.mintPeriodSec);
        uint256 minted = RateLimit.inUse(item.minted, item.mintedAt, capacity, periodSec) + amount;
        if (minted > capacity) {
            revert IStock.MintCapExceeded(
                token, amount, RateLimit.available(item.minted, item.mintedAt, capacity, periodSec)
            );
        }
        // Within the capacity, which has 96 bits.
        item.minted = uint96(minted);
        item.mintedAt = uint40(block.timestamp);
        IStockToken(token).mint(address(this), amount);
    }
}
