// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {OrderBook} from "./OrderBook.sol";
import {ICashier} from "./interfaces/ICashier.sol";
import {ICompliance} from "./interfaces/ICompliance.sol";
import {IStock} from "./interfaces/IStock.sol";
import {IStockOracle} from "./interfaces/IStockOracle.sol";
import {IStockToken} from "./interfaces/IStockToken.sol";
import {OperationId} from "./libraries/OperationId.sol";
import {Rounding} from "./libraries/Rounding.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";

/// @title One fill or end of an order within a settlement: what it costs, what it may cost, and what it changes.
abstract contract StockFills is OrderBook {
    using SafeCast for uint256;

    /// Oracle prices have 8 decimals, the prices of fills 18.
    uint256 private constant ORACLE_TO_WAD = 1e10;

    uint8 private constant CLOSED = 0;

    /// The running sums of one settlement. Prices are USD per token with 18 decimals; the oracle and the register of wallets
    /// are asked for at the first fill that needs them. Fills of orders placed before `lateBefore` come too late; those of
    /// orders placed before `lastPriceBefore` take the last price of a market that has closed.
    struct Batch {
        address stockToken;
        uint16 tokenIndex;
        bool isLimit;
        address compliance;
        uint256 lateBefore;
        uint256 lastPriceBefore;
        bool isClosed;
        bool isStale;
        uint256 feedUpdateTimestamp;
        uint256 oraclePrice;
        uint256 lowestPrice;
        uint256 highestPrice;
        uint256 fillsApplied;
        uint256 stockIn;
        uint256 stockOut;
        uint256 cashOutWad;
        uint256 cashInWad;
        uint256 spentWad;
        uint256 proceedsWad;
        uint256 creditCount;
        ICashier.Credit[] credits;
    }

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor(address cashier_) OrderBook(cashier_) {}

    /// Whether a fill, rejection or cancellation that counts on `filledBefore` concerns the order as it stands, and if
    /// not, why.
    function _fits(OrderState memory order, bool isLimit, uint96 filledBefore)
        internal
        pure
        returns (bool, IStock.SkipReason)
    {
        if (order.status == IStock.OrderStatus.None) return (false, IStock.SkipReason.OrderUnknown);
        if (order.isLimit != isLimit) return (false, IStock.SkipReason.WrongKind);
        if (order.status == IStock.OrderStatus.TakenBack) return (false, IStock.SkipReason.OrderTakenBack);
        if (order.status != IStock.OrderStatus.Open) return (false, IStock.SkipReason.OrderClosed);
        return (order.filledQuantity == filledBefore, IStock.SkipReason.FilledBeforeMismatch);
    }

    /// `_fits` for the orders of a batch.
    function _fitsBatch(Batch memory batch, OrderState memory order, uint96 filledBefore)
        internal
        pure
        returns (bool fits, IStock.SkipReason reason)
    {
        (fits, reason) = _fits(order, batch.isLimit, filledBefore);
        if (fits && order.tokenIndex != batch.tokenIndex) return (false, IStock.SkipReason.WrongToken);
    }

    /// Whether an order that fits may be filled now, and if not, why. Reads the oracle; an order that is too late needs no
    /// price for its end.
    function _mayFill(Batch memory batch, OrderState memory order) internal view returns (bool, IStock.SkipReason) {
        if (block.timestamp >= order.exitAt) return (false, IStock.SkipReason.OrderExpired);
        if (order.amount > 0 && !_isApproved(batch, OperationId.userOf(order.id))) {
            return (false, IStock.SkipReason.UserNotApproved);
        }
        if (batch.oraclePrice == 0) _readOracle(batch);
        if (order.placedAt < batch.lateBefore) return (false, IStock.SkipReason.OrderExpired);
        _requireMarket(batch, order);
        return (true, IStock.SkipReason.OrderExpired);
    }

    /// The notional of a fill, buys up and sells down, and whether the order has that much left.
    function _notional(OrderState memory order, uint96 quantity, uint96 price)
        internal
        pure
        returns (bool fits, uint256 notionalWad)
    {
        uint256 filled = uint256(order.filledQuantity) + quantity;
        if (order.amount < 0) {
            notionalWad = Rounding.notionalDown(quantity, price);
            fits = filled <= _quantityOf(order) && notionalWad <= type(uint96).max - order.filledNotionalWad;
            return (fits, notionalWad);
        }
        notionalWad = Rounding.notionalUp(quantity, price);
        uint256 room = order.notionalWad - order.filledNotionalWad;
        if (!order.isLimit) return (notionalWad <= room && filled <= uint96(type(int96).max), notionalWad);
        // Parts rounded up can together be some wei more than the whole, which is all that the user agreed to.
        if (notionalWad > room) notionalWad = room;
        return (filled <= _quantityOf(order), notionalWad);
    }

    /// Applies a fill that fits: fees, balances, event, progress in memory.
    function _fill(Batch memory batch, OrderState memory order, uint96 quantity, uint96 price, uint256 notionalWad)
        internal
    {
        _requirePrice(batch, order, price);
        (uint256 thirdPartyFee, uint256 protocolFee) = _fees(order, notionalWad);
        address user = OperationId.userOf(order.id);
        int96 signed = int96(quantity);
        if (order.amount > 0) {
            _storage().stockBalance[user][batch.stockToken] += quantity;
            emit IStock.StockBalanceCredited(batch.stockToken, user, quantity);
        }
        // Sums of numbers of 96 bits; what an order has left bounds its progress.
        unchecked {
            if (order.amount > 0) {
                batch.stockIn += quantity;
                batch.cashOutWad += notionalWad + thirdPartyFee;
                batch.spentWad += notionalWad + thirdPartyFee + protocolFee;
            } else {
                uint256 proceedsWad = notionalWad - thirdPartyFee - protocolFee;
                batch.stockOut += quantity;
                batch.cashInWad += notionalWad - thirdPartyFee;
                batch.proceedsWad += proceedsWad;
                _addCredit(batch, user, proceedsWad);
                signed = -signed;
            }
            ++batch.fillsApplied;
            order.filledQuantity += quantity;
            order.filledNotionalWad += uint96(notionalWad);
        }
        if (order.isLimit) {
            emit IStock.LimitOrderSettled(
                order.id, msg.sender, batch.stockToken, user, signed, price, thirdPartyFee, protocolFee
            );
        } else {
            emit IStock.MarketOrderSettled(
                order.id, msg.sender, batch.stockToken, user, signed, price, thirdPartyFee, protocolFee
            );
        }
    }

    /// Whether there is nothing left to fill.
    function _isFull(OrderState memory order) internal pure returns (bool) {
        if (order.amount > 0 && !order.isLimit) return order.filledNotionalWad == order.notionalWad;
        return order.filledQuantity == _quantityOf(order);
    }

    /// Ends an order within a settlement: `refund` is what it still holds.
    function _end(
        Batch memory batch,
        OrderState memory order,
        IStock.OrderStatus status,
        uint256 refund,
        uint16 reasonCode
    ) internal {
        if (order.amount > 0) _addCredit(batch, OperationId.userOf(order.id), refund);
        else _returnStock(order.id, batch.stockToken, refund);
        _close(order, batch.stockToken, status, refund, reasonCode);
    }

    function _addCredit(Batch memory batch, address user, uint256 amountWad) private pure {
        if (amountWad == 0) return;
        batch.credits[batch.creditCount++] = ICashier.Credit(user, amountWad.toUint96());
    }

    /// What this fill adds to the fees on the running total; never more than the fill itself.
    function _fees(OrderState memory order, uint256 notionalWad)
        private
        pure
        returns (uint256 thirdPartyFee, uint256 protocolFee)
    {
        uint256 earlier = order.filledNotionalWad;
        uint256 total = earlier + notionalWad;
        thirdPartyFee = Rounding.feeUp(total, order.thirdPartyPpm) - Rounding.feeUp(earlier, order.thirdPartyPpm);
        protocolFee = Rounding.feeUp(total, order.protocolPpm) - Rounding.feeUp(earlier, order.protocolPpm);
        if (order.amount > 0) return (thirdPartyFee, protocolFee);
        if (thirdPartyFee > notionalWad) thirdPartyFee = notionalWad;
        if (protocolFee > notionalWad - thirdPartyFee) protocolFee = notionalWad - thirdPartyFee;
    }

    function _isApproved(Batch memory batch, address user) private view returns (bool) {
        if (batch.compliance == address(0)) batch.compliance = IStockToken(batch.stockToken).compliance();
        return ICompliance(batch.compliance).isCompliant(user);
    }

    /// A market fill lies within a band around the oracle's price, a limit fill within its limit and no further from that
    /// price, on the side that is worse for the user, than a wider band allows.
    function _requirePrice(Batch memory batch, OrderState memory order, uint96 price) private pure {
        bool isBuy = order.amount > 0;
        if (order.isLimit && (isBuy ? price > order.limitPrice : price < order.limitPrice)) {
            revert IStock.FillPriceBeyondLimit(order.id, price, order.limitPrice);
        }
        bool tooHigh = price > batch.highestPrice && (isBuy || !order.isLimit);
        bool tooLow = price < batch.lowestPrice && (!isBuy || !order.isLimit);
        if (tooHigh || tooLow) revert IStock.FillPriceOutsideBand(order.id, price, batch.oraclePrice);
    }

    /// A fill needs a fresh price and, for a market order, an open market. What was executed before the market closed is
    /// settled at its last price.
    function _requireMarket(Batch memory batch, OrderState memory order) private pure {
        if (order.placedAt < batch.lastPriceBefore) return;
        if (batch.isStale) revert IStock.OraclePriceStale(batch.feedUpdateTimestamp);
        if (batch.isClosed && !batch.isLimit) revert IStock.MarketClosed();
    }

    function _readOracle(Batch memory batch) private view {
        StockStorage storage $ = _storage();
        ListingState memory item = $.listings[batch.stockToken];
        IStockOracle.PriceData memory data = IStockOracle($.oracle).latestPrice(item.priceId);
        (uint256 lateSec, uint256 freshUntil) =
            ($.lateSettlementSec, uint256(data.feedUpdateTimestamp) + item.maxPriceAgeSec);
        batch.feedUpdateTimestamp = data.feedUpdateTimestamp;
        batch.isStale = block.timestamp > freshUntil;
        batch.isClosed = data.session == CLOSED;
        bool dayIsSettled = block.timestamp > uint256(data.dayEndedAt) + lateSec;
        batch.lateBefore = dayIsSettled ? data.dayEndedAt : data.previousDayEndedAt;
        // A source that stood still long before the close gave no price of the day: its age has a bound here too.
        if (batch.isClosed && !dayIsSettled && block.timestamp <= freshUntil + lateSec) {
            batch.lastPriceBefore = data.dayEndedAt;
        }
        batch.oraclePrice = uint256(int256(data.price)) * ORACLE_TO_WAD;
        uint256 deviation =
            batch.oraclePrice * (batch.isLimit ? item.maxLimitDeviationPpm : item.maxDeviationPpm) / Rounding.PPM;
        batch.lowestPrice = batch.oraclePrice - deviation;
        batch.highestPrice = batch.oraclePrice + deviation;
    }
}
