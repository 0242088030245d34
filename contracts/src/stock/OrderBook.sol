// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockStore} from "./StockStore.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {IStock} from "./interfaces/IStock.sol";
import {OperationId} from "./libraries/OperationId.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title Orders of both kinds: reading and writing them, what they hold, and their end outside a settlement.
abstract contract OrderBook is StockStore {
    using SafeCast for uint256;

    /// An order of either kind in memory. `notionalWad` is what the lock of a buy pays for.
    struct OrderState {
        bytes32 id;
        int96 amount;
        uint96 limitPrice;
        uint96 filledQuantity;
        uint96 filledNotionalWad;
        uint32 placedAt;
        uint32 exitAt;
        uint16 tokenIndex;
        uint16 thirdPartyPpm;
        uint16 protocolPpm;
        IStock.OrderStatus status;
        bool isLimit;
        bool cancelRequested;
        bool partlyFilled;
        uint256 notionalWad;
    }

    /// @custom:oz-upgrades-unsafe-allow state-variable-immutable
    address internal immutable _cashier;

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address cashier_) {
        if (cashier_ == address(0)) revert IStock.AddressCannotBeZero();
        _cashier = cashier_;
    }

    /// An order by its id, looked for first among those of the kind expected; without status when there is none.
    function _load(bytes32 orderId, bool expectLimit) internal view returns (OrderState memory order) {
        order.id = orderId;
        if (expectLimit) {
            if (!_readLimit(order)) _readMarket(order);
        } else {
            if (!_readMarket(order)) _readLimit(order);
        }
    }

    /// Writes how far an order that stays open is filled.
    function _saveProgress(OrderState memory order) internal {
        StockStorage storage $ = _storage();
        if (order.isLimit) {
            LimitOrder storage limitOrder = $.limitOrders[order.id];
            limitOrder.filledQuantity = order.filledQuantity;
            limitOrder.filledNotionalWad = order.filledNotionalWad;
            return;
        }
        if (!order.partlyFilled) $.marketOrders[order.id].partlyFilled = true;
        OrderProgress storage progress = $.progress[order.id];
        progress.filledQuantity = order.filledQuantity;
        progress.filledNotionalWad = order.filledNotionalWad;
    }

    /// Writes the end of an order.
    function _saveStatus(OrderState memory order, IStock.OrderStatus status) internal {
        StockStorage storage $ = _storage();
        if (order.isLimit) {
            $.limitOrders[order.id].status = status;
            return;
        }
        $.marketOrders[order.id].status = status;
        if (order.partlyFilled) delete $.progress[order.id];
    }

    /// What an open order still holds: of a buy mUSD with the fees on it, of a sell stock.
    function _remainingLock(OrderState memory order) internal pure returns (uint256) {
        if (order.amount < 0) return uint256(-int256(order.amount)) - order.filledQuantity;
        return _withFees(order.notionalWad, order.thirdPartyPpm, order.protocolPpm)
            - _withFees(order.filledNotionalWad, order.thirdPartyPpm, order.protocolPpm);
    }

    /// A notional and the fees on it. Fees are charged on the running total, so that many small fills together cost what
    /// one fill would, and never more than the lock.
    function _withFees(uint256 notionalWad, uint256 thirdPartyPpm, uint256 protocolPpm)
        internal
        pure
        returns (uint256)
    {
        return notionalWad + Rounding.feeUp(notionalWad, thirdPartyPpm) + Rounding.feeUp(notionalWad, protocolPpm);
    }

    /// The quantity of an order that has one: of every order but a market buy.
    function _quantityOf(OrderState memory order) internal pure returns (uint256) {
        return uint256(order.amount < 0 ? -int256(order.amount) : int256(order.amount));
    }

    /// Ends an order outside a settlement and gives the user what it still holds.
    function _release(OrderState memory order, IStock.OrderStatus status, uint16 reasonCode) internal {
        uint256 rest = _remainingLock(order);
        address token = _storage().tokens[order.tokenIndex - 1];
        _close(order, token, status, rest, reasonCode);
        if (order.amount < 0) _returnStock(order.id, token, rest);
        else ICashier(_cashier).creditBalanceWad(OperationId.userOf(order.id), rest.toUint96());
    }

    function _returnStock(bytes32 orderId, address token, uint256 quantity) internal {
        if (quantity == 0) return;
        address user = OperationId.userOf(orderId);
        _storage().stockBalance[user][token] += quantity;
        emit IStock.StockReturned(token, user, quantity);
    }

    function _close(
        OrderState memory order,
        address token,
        IStock.OrderStatus status,
        uint256 refund,
        uint16 reasonCode
    ) internal {
        _saveStatus(order, status);
        emit IStock.OrderClosed(
            order.id,
            OperationId.userOf(order.id),
            token,
            status,
            order.filledQuantity,
            order.filledNotionalWad,
            refund,
            reasonCode
        );
    }

    function _readMarket(OrderState memory order) private view returns (bool known) {
        MarketOrder storage stored = _storage().marketOrders[order.id];
        if (stored.status == IStock.OrderStatus.None) return false;
        order.amount = stored.amount;
        order.placedAt = stored.placedAt;
        order.exitAt = stored.exitAt;
        order.tokenIndex = stored.tokenIndex;
        order.thirdPartyPpm = stored.thirdPartyPpm;
        order.protocolPpm = stored.protocolPpm;
        order.status = stored.status;
        if (stored.amount > 0) order.notionalWad = uint256(int256(stored.amount));
        if (!stored.partlyFilled) return true;
        OrderProgress storage progress = _storage().progress[order.id];
        order.partlyFilled = true;
        order.filledQuantity = progress.filledQuantity;
        order.filledNotionalWad = progress.filledNotionalWad;
        return true;
    }

    function _readLimit(OrderState memory order) private view returns (bool known) {
        LimitOrder storage stored = _storage().limitOrders[order.id];
        if (stored.status == IStock.OrderStatus.None) return false;
        order.isLimit = true;
        order.amount = stored.quantity;
        order.filledQuantity = stored.filledQuantity;
        order.tokenIndex = stored.tokenIndex;
        order.status = stored.status;
        order.cancelRequested = stored.cancelRequested;
        order.limitPrice = stored.price;
        order.filledNotionalWad = stored.filledNotionalWad;
        order.placedAt = stored.placedAt;
        order.exitAt = stored.exitAt;
        order.thirdPartyPpm = stored.thirdPartyPpm;
        order.protocolPpm = stored.protocolPpm;
        if (stored.quantity > 0) order.notionalWad = Rounding.notionalUp(_quantityOf(order), stored.price);
        return true;
    }
}
