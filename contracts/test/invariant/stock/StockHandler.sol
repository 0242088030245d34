// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockLimitHandler} from "./StockLimitHandler.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";

/// Plays users A to D, settler, admin, guardian, outsider and time. An action that lacks its object makes one first, so
/// that none of them revert; every success is counted by name.
contract StockHandler is StockLimitHandler {
    IStock.Fill private _lastFill;

    // --- users ---

    function deposit(uint256 who, uint256 amount) external {
        _deposit(_user(who), uint96(bound(amount, MIN_DEPOSIT, 6000e6)));
    }

    function depositLarge(uint256 who, uint256 amount) external {
        _deposit(_user(who), uint96(bound(amount, 4001e6, 50_000e6)));
    }

    /// Within what the buffers give at once.
    function depositSmall(uint256 who, uint256 amount) external {
        _refillBuffers();
        _deposit(_user(who), uint96(bound(amount, MIN_DEPOSIT, 2000e6)));
    }

    function withdraw(uint256 who, uint256 amount) external {
        address user = _user(who);
        _withdraw(user, uint96(bound(amount, 1e12 * 2, _withCash(user, 100e18))));
    }

    /// Within what the buffers give at once.
    function withdrawSmall(uint256 who, uint256 amount) external {
        address user = _user(who);
        _withCash(user, 100e18);
        _setBuffers(cashier.creditBufferWad(), 1000e6);
        _withdraw(user, uint96(bound(amount, 1e12 * 2, 100e18)));
    }

    function placeBuy(uint256 who, uint256 amount) external {
        address user = _user(who);
        _place(user, int96(int256(bound(amount, 1, _withCash(user, 100e18) * 99 / 100))));
    }

    function placeSell(uint256 who, uint256 amount) external {
        address user = _user(who);
        _place(user, -int96(int256(bound(amount, 1, _withStock(user)))));
    }

    // --- settler ---

    /// One part of one order; the last one at times.
    function fill(uint256 which, uint256 part, uint256 price, bool last) external {
        bytes32 orderId = _anyOrder(which);
        IStock.Fill[] memory list = new IStock.Fill[](1);
        list[0] = _part(orderId, part, price, last);
        _settle(list);
    }

    /// Parts of several orders, buys and sells together.
    function fillBatch(uint256 seed, uint256 price) external {
        // Three that are new are in every batch, and every second one is of them alone: of older ones a rule may leave all out.
        for (uint256 i; i < 2; ++i) {
            _withCash(_user(seed), 500e18);
            _place(_user(seed), 340e18);
        }
        _place(_user(seed), -int96(int256(_withStock(_user(seed)))));
        uint256 count = openOrders.length < MAX_BATCH ? openOrders.length : MAX_BATCH;
        if (seed % 2 == 0) count = 3;
        IStock.Fill[] memory list = new IStock.Fill[](count);
        for (uint256 i; i < count; ++i) {
            uint256 part = uint256(keccak256(abi.encode(seed, i)));
            uint256 last = openOrders.length - 1;
            uint256 at = i < 3 ? last - i : (seed % (last - 2) + i) % (last - 2);
            list[i] = _part(openOrders[at], part, price, part % 3 == 0);
        }
        _settle(list);
    }

    /// The last fill again, and one for an order that never was: neither may move anything.
    function replayFill() external {
        if (_lastFill.quantity == 0) return;
        publishPrice(AAPL_ID, AAPL_PRICE);
        IStock.Fill[] memory list = new IStock.Fill[](2);
        (list[0], list[1]) = (_lastFill, _lastFill);
        list[1].orderId = keccak256(abi.encode(_lastFill.orderId));
        uint256 cash = usdc.balanceOf(settler);
        vm.prank(settler);
        vm.assertEq(stock.settleMarketOrders(address(aapl), address(usdc), list), 0, "a replay was applied");
        vm.assertEq(usdc.balanceOf(settler), cash, "a replay moved cash");
        ++successes["replayFill"];
    }

    function reject(uint256 which) external {
        bytes32 orderId = _anyOrder(which);
        uint96 filledBefore = stock.getOrder(orderId).filledQuantity;
        vm.prank(settler);
        uint256 closed = stock.rejectMarketOrders(rejections(orderId, filledBefore, 1));
        vm.assertEq(closed, 1, "a rejection was skipped");
        _forget(openOrders, orderId);
        ++successes["reject"];
    }

    function settleDeposits() external {
        if (queuedDeposits.length == 0) _deposit(users[0], 30_000e6);
        vm.prank(settler);
        cashier.batchSettleDeposit(queuedDeposits);
        delete queuedDeposits;
        ++successes["settleDeposits"];
    }

    function settleWithdrawals() external {
        _anyWithdrawal(0);
        vm.prank(settler);
        cashier.batchSettleWithdraw(queuedWithdrawals);
        for (uint256 i; i < queuedWithdrawals.length; ++i) {
            vm.assertTrue(_isSettled(queuedWithdrawals[i]), "cash was short");
        }
        delete queuedWithdrawals;
        ++successes["settleWithdrawals"];
    }

    function adjustBuffers(uint256 credit, uint256 cash) external {
        _setBuffers(bound(credit, 1000e18, CREDIT_CAPACITY), bound(cash, 1000e6, WITHDRAW_CAPACITY));
        ++successes["adjustBuffers"];
    }

    function collect() external {
        // Somebody's gift: there may be nothing else to collect.
        usdc.mint(address(cashier), 1e6);
        uint256 excess = cashier.collectible(address(usdc));
        vm.prank(settler);
        cashier.collectToken(address(usdc), uint96(excess));
        ++successes["collect"];
    }

    // --- the users' own exits, while paused at times ---

    function takeBackOrder(uint256 which, bool paused) external {
        _takeBack(openOrders, _anyOrder(which), paused);
        ++successes["takeBackOrder"];
    }

    function takeBackLimit(uint256 which, bool paused) external {
        _takeBack(openLimits, _anyLimit(which), paused);
        ++successes["takeBackLimit"];
    }

    function takeBackDeposit(uint256 which, bool paused) external {
        if (queuedDeposits.length == 0) _deposit(_user(which), 30_000e6);
        bytes32 opId = queuedDeposits[which % queuedDeposits.length];
        _waitFor(cashier.cashOperation(opId).exitAt, paused);
        vm.prank(address(bytes20(opId)));
        cashier.takeBackDeposit(opId);
        _resume(paused);
        _forget(queuedDeposits, opId);
        ++successes["takeBackDeposit"];
    }

    function takeBackWithdrawal(uint256 which, bool paused) external {
        bytes32 opId = _anyWithdrawal(which);
        _waitFor(cashier.cashOperation(opId).exitAt, paused);
        vm.prank(address(bytes20(opId)));
        cashier.takeBackWithdrawal(opId);
        _resume(paused);
        _forget(queuedWithdrawals, opId);
        ++successes["takeBackWithdrawal"];
    }

    function claimWithdrawal(uint256 which, bool paused) external {
        bytes32 opId = _anyWithdrawal(which);
        _waitFor(cashier.cashOperation(opId).exitAt, paused);
        vm.prank(address(bytes20(opId)));
        cashier.claimWithdrawal(opId);
        _resume(paused);
        _forget(queuedWithdrawals, opId);
        ++successes["claimWithdrawal"];
    }

    // --- administration, time, outsider ---

    function changeTerms(uint16[6] calldata fees, uint256 delay, uint256 divisor) external {
        uint16[6] memory cut;
        for (uint256 i; i < 6; ++i) {
            // Without fees at times: they would hide a wrong rounding.
            if (divisor % 4 != 0) cut[i] = uint16(bound(uint256(fees[i]), 0, 50_000));
        }
        uint32 delaySec = uint32(bound(delay, 1 hours, 30 days));
        vm.startPrank(admin);
        stock.setFeeRates(IStock.FeeRates(cut[0], cut[1], cut[2], cut[3]));
        stock.setExitDelay(delaySec);
        cashier.setCashFees(cut[4], cut[5]);
        cashier.setExitDelay(delaySec);
        cashier.setInstantThresholdDivisor(uint8(bound(divisor, 1, 10)));
        vm.stopPrank();
        ++successes["changeTerms"];
    }

    function timePasses(uint256 seconds_) external {
        vm.warp(block.timestamp + bound(seconds_, 1, 2 days));
        ++successes["timePasses"];
    }

    /// The guardian pauses everything: nothing comes in and no order opens, every way out stays open.
    function pauses(uint256 who, uint256 which) external {
        address user = _user(who);
        uint256 shares = _withStock(user);
        bytes32 orderId = _anyLimit(which);
        giveStock(user, 1e18);
        giveCash(user, 100e6);
        pauseAll();
        _mustFail(user, address(router), abi.encodeCall(router.deposit, (address(usdc), 100e6)));
        _mustFail(user, address(router), abi.encodeCall(router.depositStock, (address(aapl), 1e18)));
        _mustFail(user, address(router), abi.encodeCall(router.placeMarketOrder, (address(aapl), -1, FAR)));
        _mustFail(user, address(router), abi.encodeCall(router.placeLimitOrder, (address(aapl), -1, 1e18, 0, FAR)));
        _mustFail(
            settler,
            address(stock),
            abi.encodeCall(
                stock.settleCancels,
                (address(aapl), address(usdc), cancellations(orderId, 0, 0, 0, IStock.EndCause.Expired))
            )
        );
        if (!stock.getOrder(orderId).cancelRequested) requestCancel(orderId);
        vm.prank(user);
        router.withdrawStock(address(aapl), shares);
        _resume(true);
        _pauseStock(user);
        ++successes["pauses"];
    }

    /// The guardian pauses one stock's moves: nothing comes in, what goes out is queued, and trading works. The queued
    /// withdrawal is paid by the settler after the pause, or taken back.
    function _pauseStock(address user) private {
        vm.prank(guardian);
        stock.setStockPause(address(aapl), true, true);
        _mustFail(user, address(router), abi.encodeCall(router.depositStock, (address(aapl), 1e18)));
        uint256 shares = _withStock(user);
        bytes32 opId = nextStockId(user);
        vm.prank(user);
        router.withdrawStock(address(aapl), shares);
        _mustFail(guardian, address(stock), abi.encodeCall(stock.setStockPause, (address(aapl), false, false)));
        vm.prank(admin);
        stock.setStockPause(address(aapl), false, false);
        if (shares % 2 == 0) {
            vm.prank(user);
            stock.takeBackStockWithdrawal(opId);
        } else {
            vm.prank(settler);
            stock.settleStockWithdrawals(ids(opId));
        }
        vm.assertTrue(
            stock.stockWithdrawal(opId).status != IStock.StockWithdrawalStatus.Queued, "a queued withdrawal ended"
        );
    }

    /// Everything an outsider can call; each must fail.
    function outsiderTries(uint256 which, uint256 amount) external {
        uint96 value = uint96(bound(amount, 1, 1e24));
        _outsiderAtCashier(which, value);
        _outsiderAtStock(_anyOrder(which), which, value);
        _outsiderAtStock(_anyLimit(which), which, value);
        _outsiderAtRouter(which, value);
        ++successes["outsiderTries"];
    }

    function _outsiderAtCashier(uint256 which, uint96 value) private {
        bytes32 depositId = queuedDeposits.length == 0 ? bytes32(0) : queuedDeposits[which % queuedDeposits.length];
        bytes32 withdrawalId = queuedWithdrawals.length == 0 ? bytes32(0) : queuedWithdrawals[0];
        (address target, address cash) = (address(cashier), address(usdc));
        ICashier.Credit[] memory credits = new ICashier.Credit[](1);
        credits[0] = ICashier.Credit(outsider, value);
        _mustFail(outsider, target, abi.encodeCall(cashier.takeBackDeposit, (depositId)));
        _mustFail(outsider, target, abi.encodeCall(cashier.takeBackWithdrawal, (withdrawalId)));
        _mustFail(outsider, target, abi.encodeCall(cashier.claimWithdrawal, (withdrawalId)));
        _mustFail(outsider, target, abi.encodeCall(cashier.withdraw, (_user(which), cash, value)));
        _mustFail(outsider, target, abi.encodeCall(cashier.deposit, (outsider, cash, value)));
        _mustFail(outsider, target, abi.encodeCall(cashier.creditBalanceWad, (outsider, value)));
        _mustFail(outsider, target, abi.encodeCall(cashier.settleOrders, (cash, outsider, credits, 0, 0)));
        _mustFail(outsider, target, abi.encodeCall(cashier.collectToken, (cash, value)));
    }

    function _outsiderAtStock(bytes32 orderId, uint256 which, uint96 value) private {
        (address target, address cash, address share) = (address(stock), address(usdc), address(aapl));
        IStock.Fill[] memory list = fills(orderId, 0, value, AAPL_PRICE, true);
        _mustFail(outsider, target, abi.encodeCall(stock.takeBackOrder, (orderId)));
        _mustFail(outsider, target, abi.encodeCall(stock.settleMarketOrders, (share, cash, list)));
        _mustFail(outsider, target, abi.encodeCall(stock.settleLimitOrders, (share, cash, list)));
        _mustFail(
            outsider,
            target,
            abi.encodeCall(stock.settleCancels, (share, cash, cancellations(orderId, 0, 0, 0, IStock.EndCause.Expired)))
        );
        _mustFail(outsider, target, abi.encodeCall(stock.rejectMarketOrders, (rejections(orderId, 0, 1))));
        _mustFail(outsider, target, abi.encodeCall(stock.placeMarketOrder, (_user(which), share, int96(value), FAR)));
        _mustFail(
            outsider, target, abi.encodeCall(stock.placeLimitOrder, (_user(which), share, -1, AAPL_PRICE, 0, FAR))
        );
        _mustFail(outsider, target, abi.encodeCall(stock.cancelLimitOrder, (_user(which), orderId)));
        _mustFail(outsider, target, abi.encodeCall(stock.depositStock, (outsider, share, value)));
        _mustFail(outsider, target, abi.encodeCall(stock.withdrawStock, (_user(which), share, 1)));
        _mustFail(outsider, target, abi.encodeCall(stock.setStockPause, (share, true, true)));
        _mustFail(outsider, address(router), abi.encodeCall(router.cancelLimitOrder, (orderId)));
        bytes memory forged = abi.encodePacked(abi.encodeCall(router.cancelLimitOrder, (orderId)), _user(which));
        _mustFail(outsider, address(router), forged);
    }

    function _outsiderAtRouter(uint256 which, uint96 value) private {
        (address target, address cash, address share) = (address(router), address(usdc), address(aapl));
        bytes memory user = abi.encodePacked(_user(which));
        bytes memory withdrawal = abi.encodeCall(router.withdraw, (cash, value));
        bytes memory stockWithdrawal = abi.encodeCall(router.withdrawStock, (share, 1));
        _mustFail(outsider, target, withdrawal);
        _mustFail(outsider, target, bytes.concat(withdrawal, user));
        _mustFail(outsider, target, stockWithdrawal);
        _mustFail(outsider, target, bytes.concat(stockWithdrawal, user));
        _mustFail(outsider, target, abi.encodeCall(router.placeMarketOrder, (share, int96(value), FAR)));
        _mustFail(outsider, target, abi.encodeCall(router.placeLimitOrder, (share, int96(value), 1e18, 0, FAR)));
        _mustFail(outsider, target, abi.encodeCall(router.depositAndMarketBuy, (cash, value, share, int96(value), FAR)));
        _mustFail(
            outsider, target, abi.encodeCall(router.depositStockAndMarketSell, (share, value, -int96(value), FAR))
        );
    }

    // --- inside ---

    function _takeBack(bytes32[] storage open, bytes32 orderId, bool paused) private {
        _waitFor(stock.getOrder(orderId).exitAt, paused);
        vm.prank(address(bytes20(orderId)));
        stock.takeBackOrder(orderId);
        _resume(paused);
        _settled(open, orderId);
    }

    function _deposit(address user, uint96 amount) private {
        bytes32 opId = depositFor(user, amount);
        if (cashier.cashOperation(opId).status == ICashier.OperationStatus.Queued) {
            queuedDeposits.push(opId);
            ++successes["deposit, queued"];
        } else {
            ++successes["deposit, instant"];
        }
    }

    function _withdraw(address user, uint96 amountWad) private {
        vm.prank(user);
        bytes32 opId = router.withdraw(address(usdc), amountWad);
        if (cashier.cashOperation(opId).status == ICashier.OperationStatus.Queued) {
            queuedWithdrawals.push(opId);
            ++successes["withdraw, queued"];
        } else {
            ++successes["withdraw, instant"];
        }
    }

    function _place(address user, int96 amount) private {
        uint256 lock = stock.previewLock(amount);
        if (amount > 0 && lock > cashier.balanceWad(user)) amount = amount * 9 / 10;
        _opened(openOrders, place(user, amount));
        ++successes[amount > 0 ? bytes32("place, buy") : bytes32("place, sell")];
    }

    function _anyOrder(uint256 seed) private returns (bytes32) {
        if (openOrders.length == 0) {
            _withCash(_user(seed), 500e18);
            _place(_user(seed), 340e18);
        }
        bytes32 orderId = openOrders[seed % openOrders.length];
        if (!_isOver(orderId) || seed % 4 == 0) return orderId;
        // Most fills are for orders that may still be filled, of both sides.
        if (seed % 2 == 0) _place(_user(seed), -int96(int256(_withStock(_user(seed)))));
        else _place(_user(seed), int96(int256(_withCash(_user(seed), 100e18) / 2)));
        return openOrders[openOrders.length - 1];
    }

    function _anyWithdrawal(uint256 seed) private returns (bytes32) {
        if (queuedWithdrawals.length == 0) {
            address user = _user(seed);
            fund(user, 40_000e6);
            vm.prank(guardian);
            cashier.pause();
            _withdraw(user, 30_000e18);
            vm.prank(admin);
            cashier.unpause();
        }
        return queuedWithdrawals[seed % queuedWithdrawals.length];
    }

    /// A fill of part of what an order has left, inside the band; at least one wei of stock.
    function _part(bytes32 orderId, uint256 part, uint256 price, bool last) private view returns (IStock.Fill memory) {
        price = bound(price, 323e18, 357e18);
        IStock.Order memory order = stock.getOrder(orderId);
        uint256 room = order.amount < 0
            ? order.lockedAmount
            : (uint256(int256(order.amount)) - order.filledNotionalWad) * 1e18 / price;
        uint256 quantity = room == 0 ? 1 : bound(part, 1, room);
        return IStock.Fill(orderId, order.filledQuantity, uint96(quantity), uint96(price), last);
    }

    function _settle(IStock.Fill[] memory list) private {
        publishPrice(AAPL_ID, AAPL_PRICE);
        uint256 applied = settle(list);
        for (uint256 i; i < list.length; ++i) {
            bool isBuy = stock.getOrder(list[i].orderId).amount > 0;
            _settled(openOrders, list[i].orderId);
            if (applied == list.length) ++successes[isBuy ? bytes32("fill, buy") : bytes32("fill, sell")];
        }
        if (applied == list.length) _lastFill = list[0];
        if (applied > 1) ++successes["fill, batch"];
    }
}
