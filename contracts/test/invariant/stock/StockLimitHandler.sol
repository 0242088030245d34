// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockHandlerBase} from "./StockHandlerBase.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";

/// Limit orders from their placing to every end, moves of stock, and orders that bring their deposit. Every part that is
/// settled here is rightful, so none may be skipped.
abstract contract StockLimitHandler is StockHandlerBase {
    uint96 private constant LOWEST = 200e18;
    uint96 private constant HIGHEST = 500e18;
    uint96 private constant WORST_BUY = 408e18;
    uint96 private constant WORST_SELL = 272e18;

    IStock.Fill private _lastLimitFill;
    IStock.Cancellation private _lastCancellation;

    // --- users ---

    function placeLimitBuy(uint256 who, uint256 amount, uint256 price) external {
        _placeLimitBuy(_user(who), amount, price);
    }

    function placeLimitSell(uint256 who, uint256 amount, uint256 price) external {
        address user = _user(who);
        int96 quantity = -int96(int256(bound(amount, 1, _withStock(user))));
        _opened(openLimits, placeLimit(user, quantity, uint96(bound(price, LOWEST, HIGHEST))));
        ++successes["placeLimit, sell"];
    }

    function askToCancel(uint256 which) external {
        bytes32 orderId = _anyLimit(which);
        if (stock.getOrder(orderId).cancelRequested) {
            _mustFail(address(bytes20(orderId)), address(router), abi.encodeCall(router.cancelLimitOrder, (orderId)));
        } else {
            requestCancel(orderId);
        }
        ++successes["askToCancel"];
    }

    function depositStock(uint256 who, uint256 amount) external {
        address user = _user(who);
        amount = bound(amount, 1, 100e18);
        giveStock(user, amount);
        vm.prank(user);
        router.depositStock(address(aapl), amount);
        ++successes["depositStock"];
    }

    function withdrawStock(uint256 who, uint256 amount) external {
        address user = _user(who);
        amount = bound(amount, 1, _withStock(user));
        vm.prank(user);
        router.withdrawStock(address(aapl), amount);
        ++successes["withdrawStock"];
    }

    function depositAndMarketBuy(uint256 who, uint256 cash, uint256 amount) external {
        (address user, uint96 deposit, uint256 spendable) = _instantDeposit(who, cash);
        int96 usd = int96(int256(bound(amount, 1, spendable)));
        vm.prank(user);
        (, bytes32 orderId) = router.depositAndMarketBuy(address(usdc), deposit, address(aapl), usd, FAR);
        _opened(openOrders, orderId);
        ++successes["depositAndMarketBuy"];
    }

    function depositAndLimitBuy(uint256 who, uint256 cash, uint256 amount, uint256 price) external {
        (address user, uint96 deposit, uint256 spendable) = _instantDeposit(who, cash);
        uint96 limit = uint96(bound(price, LOWEST, HIGHEST));
        int96 quantity = int96(int256(bound(amount, 1, spendable * 1e18 / limit)));
        vm.prank(user);
        (, bytes32 orderId) = router.depositAndLimitBuy(address(usdc), deposit, address(aapl), quantity, limit, 0, FAR);
        _opened(openLimits, orderId);
        ++successes["depositAndLimitBuy"];
    }

    function depositStockAndMarketSell(uint256 who, uint256 amount, uint256 part) external {
        (address user, uint256 deposit, int96 quantity) = _stockToSell(who, amount, part);
        vm.prank(user);
        _opened(openOrders, router.depositStockAndMarketSell(address(aapl), deposit, quantity, FAR));
        ++successes["depositStockAndMarketSell"];
    }

    function depositStockAndLimitSell(uint256 who, uint256 amount, uint256 part, uint256 price) external {
        (address user, uint256 deposit, int96 quantity) = _stockToSell(who, amount, part);
        uint96 limit = uint96(bound(price, LOWEST, HIGHEST));
        vm.prank(user);
        _opened(openLimits, router.depositStockAndLimitSell(address(aapl), deposit, quantity, limit, 0, FAR));
        ++successes["depositStockAndLimitSell"];
    }

    // --- settler ---

    /// One part of one order; the last one at times.
    function fillLimit(uint256 which, uint256 part, uint256 price, bool last) external {
        IStock.Fill[] memory list = new IStock.Fill[](1);
        list[0] = _limitPart(_anyLimit(which), part, price, last);
        _settleLimits(list);
    }

    /// Parts of several orders, buys and sells together.
    function fillLimitBatch(uint256 seed, uint256 price) external {
        while (openLimits.length < 2) _placeLimitBuy(_user(seed), seed, price);
        uint256 count = openLimits.length < MAX_BATCH ? openLimits.length : MAX_BATCH;
        IStock.Fill[] memory list = new IStock.Fill[](count);
        for (uint256 i; i < count; ++i) {
            uint256 part = uint256(keccak256(abi.encode(seed, i)));
            bytes32 orderId = openLimits[(seed % openLimits.length + i) % openLimits.length];
            list[i] = _limitPart(orderId, part, price, part % 3 == 0);
        }
        _settleLimits(list);
        ++successes["fillLimit, batch"];
    }

    function settleRequestedCancel(uint256 which, uint256 part, uint256 price) external {
        bytes32 orderId = _anyLimit(which);
        if (!stock.getOrder(orderId).cancelRequested) {
            vm.assertEq(_cancel(orderId, 0, 0, IStock.EndCause.UserRequest), 0, "ended without being asked");
            requestCancel(orderId);
        }
        _endLimit(orderId, part, price, IStock.EndCause.UserRequest);
        ++successes["settleRequestedCancel"];
    }

    function rejectLimit(uint256 which, uint256 part, uint256 price) external {
        _endLimit(_anyLimit(which), part, price, IStock.EndCause.Rejected);
        ++successes["rejectLimit"];
    }

    function expireLimit(uint256 which, uint256 part, uint256 price) external {
        _endLimit(_anyLimit(which), part, price, IStock.EndCause.Expired);
        ++successes["expireLimit"];
    }

    /// The last fill and the last cancellation again, and a price beyond the limit: none of them may move anything.
    function replayLimit(uint256 which) external {
        uint256 cash = usdc.balanceOf(settler);
        IStock.Fill[] memory list = new IStock.Fill[](1);
        list[0] = _lastLimitFill;
        if (list[0].quantity != 0) vm.assertEq(settleLimits(list), 0, "a replay was applied");
        IStock.Cancellation[] memory ends = new IStock.Cancellation[](1);
        ends[0] = _lastCancellation;
        if (ends[0].orderId != 0) vm.assertEq(settleCancels(ends), 0, "a replay was applied");
        bytes32 orderId = _anyLimit(which);
        IStock.Order memory order = stock.getOrder(orderId);
        uint96 price = order.amount > 0 ? order.limitPrice + 1 : order.limitPrice - 1;
        list[0] = IStock.Fill(orderId, order.filledQuantity, 1, price, false);
        publishPrice(AAPL_ID, AAPL_PRICE);
        if (!_isOver(orderId)) {
            _mustFail(
                settler, address(stock), abi.encodeCall(stock.settleLimitOrders, (address(aapl), address(usdc), list))
            );
        }
        vm.assertEq(usdc.balanceOf(settler), cash, "a replay moved cash");
        ++successes["replayLimit"];
    }

    // --- inside ---

    function _anyLimit(uint256 seed) internal returns (bytes32) {
        if (openLimits.length == 0) _placeLimitBuy(_user(seed), 1e18, 340e18);
        bytes32 orderId = openLimits[seed % openLimits.length];
        if (!_isOver(orderId) || seed % 4 == 0) return orderId;
        _placeLimitBuy(_user(seed), 1e18, 340e18);
        return openLimits[openLimits.length - 1];
    }

    /// Fees are 10 % at most, so nine tenths and a little less are sure to be covered.
    function _placeLimitBuy(address user, uint256 amount, uint256 price) private {
        uint96 limit = uint96(bound(price, LOWEST, HIGHEST));
        uint256 most = _withCash(user, 100e18) * 89 / 100 * 1e18 / limit;
        _opened(openLimits, placeLimit(user, int96(int256(bound(amount, 1, most))), limit));
        ++successes["placeLimit, buy"];
    }

    function _instantDeposit(uint256 who, uint256 cash)
        private
        returns (address user, uint96 deposit, uint256 spendable)
    {
        user = _user(who);
        deposit = uint96(bound(cash, MIN_DEPOSIT, 1500e6));
        giveCash(user, deposit);
        if (!cashier.canInstantDeposit(address(usdc), deposit)) _refillBuffers();
        spendable = uint256(cashier.tokenToBalanceWadInstant(address(usdc), deposit)) * 89 / 100;
    }

    function _stockToSell(uint256 who, uint256 amount, uint256 part)
        private
        returns (address user, uint256 deposit, int96 quantity)
    {
        user = _user(who);
        deposit = bound(amount, 1, 10e18);
        giveStock(user, deposit);
        quantity = -int96(int256(bound(part, 1, deposit)));
    }

    /// A part of what an order has left, all of it at times, at its limit or better.
    function _limitPart(bytes32 orderId, uint256 part, uint256 price, bool last)
        private
        view
        returns (IStock.Fill memory)
    {
        IStock.Order memory order = stock.getOrder(orderId);
        uint256 left = uint256(int256(order.amount > 0 ? order.amount : -order.amount)) - order.filledQuantity;
        uint256 quantity = part % 4 == 0 ? left : bound(part, 1, left);
        uint256 limit = order.limitPrice;
        uint256 paid = limit;
        if (price % 3 != 0) {
            paid = order.amount > 0 ? bound(price, limit / 2, limit) : bound(price, limit, limit * 2);
        }
        // No worse for the user than the band allows.
        if (order.amount > 0 && paid > WORST_BUY) paid = WORST_BUY;
        if (order.amount < 0 && paid < WORST_SELL) paid = WORST_SELL;
        return IStock.Fill(orderId, order.filledQuantity, uint96(quantity), uint96(paid), last);
    }

    function _settleLimits(IStock.Fill[] memory list) private {
        publishPrice(AAPL_ID, AAPL_PRICE);
        uint256 rightful;
        for (uint256 i; i < list.length; ++i) {
            if (_isOver(list[i].orderId)) continue;
            filledOf[list[i].orderId] += list[i].quantity;
            ++rightful;
        }
        vm.assertEq(settleLimits(list), rightful, "a rightful part was skipped, or one that came too late applied");
        for (uint256 i; i < list.length; ++i) {
            bool isBuy = stock.getOrder(list[i].orderId).amount > 0;
            _settled(openLimits, list[i].orderId);
            ++successes[isBuy ? bytes32("fillLimit, buy") : bytes32("fillLimit, sell")];
        }
        _lastLimitFill = list[0];
    }

    /// Ends an order, with a last part at times.
    function _endLimit(bytes32 orderId, uint256 part, uint256 price, IStock.EndCause cause) private {
        IStock.Fill memory fill = _limitPart(orderId, part, price, false);
        uint96 quantity = part % 2 == 0 ? 0 : fill.quantity;
        if (quantity != 0 && !_isOver(orderId)) ++successes["end, last part"];
        publishPrice(AAPL_ID, AAPL_PRICE);
        vm.assertEq(_cancel(orderId, quantity, fill.price, cause), 1, "a rightful end was skipped");
        _lastCancellation = cancellations(orderId, fill.filledBefore, quantity, fill.price, cause)[0];
        _settled(openLimits, orderId);
    }

    /// Whether a fill would come too late: it would close the order instead.
    function _isOver(bytes32 orderId) internal view returns (bool) {
        return block.timestamp >= stock.getOrder(orderId).exitAt;
    }

    function _cancel(bytes32 orderId, uint96 quantity, uint96 price, IStock.EndCause cause) private returns (uint256) {
        return settleCancelOne(orderId, stock.getOrder(orderId).filledQuantity, quantity, price, cause);
    }
}
