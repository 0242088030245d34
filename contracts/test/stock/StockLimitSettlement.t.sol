// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SettlementFixture} from "./SettlementFixture.sol";
import {StockSettlement} from "src/stock/StockSettlement.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";

contract StockLimitSettlementTest is SettlementFixture {
    // --- buys ---

    function test_buy_partsAreDeliveredAgainstPayment() public {
        bytes32 orderId = placeLimit(alice, 2e18, 340e18);
        vm.expectEmit(address(stock));
        emit IStock.StockBalanceCredited(address(aapl), alice, 1e18);
        vm.expectEmit(address(stock));
        emit IStock.LimitOrderSettled(orderId, settler, address(aapl), alice, 1e18, 330e18, 0.33e18, 0.033e18);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), 1e18, 330.33e6, 1);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, 330e18, false), 1);
        IStock.Order memory order = stock.getOrder(orderId);
        assertStatus(orderId, IStock.OrderStatus.Open);
        vm.assertEq(order.filledQuantity, 1e18);
        vm.assertEq(order.filledNotionalWad, 330e18);
        // What the better price saved is still locked.
        vm.assertEq(order.lockedAmount, 680.748e18 - 330.363e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 680.748e18);

        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 2e18, 670e18, 10.011e18, 0);
        settleLimitOne(orderId, 1e18, 1e18, 340e18, false);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 2e18);
        vm.assertEq(aapl.balanceOf(address(stock)), 2e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 670.737e18);
        vm.assertEq(cashier.totalOwedWad(), 6000e18 - 670.737e18);
        vm.assertEq(usdc.balanceOf(settler), settlerCash + 670.67e6);
        vm.assertEq(aapl.totalSupply(), supply + 2e18);
        vm.assertEq(cashier.collectible(address(usdc)), 0.067e6);
        order = stock.getOrder(orderId);
        vm.assertEq(order.filledQuantity + order.filledNotionalWad + order.lockedAmount, 0);
        vm.assertEq(order.limitPrice, 340e18);
    }

    function test_buy_partsCostTheSameAsTheWhole() public {
        uint96[3] memory parts = [uint96(0.333333333333333333e18), 0.1e18, 0.566666666666666667e18];
        bytes32 whole = placeLimit(bob, 1e18, 340e18);
        settleLimitOne(whole, 0, 1e18, 339e18, false);
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        uint96 filled;
        for (uint256 i; i < parts.length; ++i) {
            vm.assertEq(settleLimitOne(orderId, filled, parts[i], 339e18, false), 1);
            filled += parts[i];
        }
        assertStatus(orderId, IStock.OrderStatus.Filled);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(cashier.balanceWad(alice), cashier.balanceWad(bob));
    }

    /// Three parts of half a wei each, rounded up, would be 3 wei; the user agreed to 2. The last part is not skipped.
    function test_buy_lastWeiOfRoundingIsTheSettlers() public {
        vm.prank(admin);
        stock.setFeeRates(IStock.FeeRates(0, 0, 0, 0));
        bytes32 orderId = placeLimit(alice, 3, 0.5e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 2);
        settleLimitOne(orderId, 0, 1, 0.5e18, false);
        settleLimitOne(orderId, 1, 1, 0.5e18, false);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 3, 2, 0, 0);
        vm.assertEq(settleLimitOne(orderId, 2, 1, 0.5e18, false), 1);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 2);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 3);
    }

    function test_buy_endedEarlyIsPartiallyFilled() public {
        bytes32 orderId = placeLimit(alice, 2e18, 340e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(
            orderId,
            alice,
            address(aapl),
            IStock.OrderStatus.PartiallyFilled,
            0.5e18,
            170e18,
            680.748e18 - 170.187e18,
            0
        );
        settleLimitOne(orderId, 0, 0.5e18, 340e18, true);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 170.187e18);
    }

    // --- sells ---

    function test_sell_isDeliveryAgainstPayment() public {
        buyStock(alice, 3e18);
        _note();
        uint256 cash = cashier.balanceWad(alice);
        bytes32 orderId = placeLimit(alice, -2e18, 335e18);
        vm.expectEmit(address(stock));
        emit IStock.LimitOrderSettled(orderId, settler, address(aapl), alice, -2e18, 341e18, 0, 0.0682e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 2e18, 682e18, 0, 0);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceCredited(alice, 681.9318e18);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), -2e18, -682e6, 1);
        settleLimitOne(orderId, 0, 2e18, 341e18, false);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(cashier.balanceWad(alice), cash + 681.9318e18);
        vm.assertEq(usdc.balanceOf(settler), settlerCash - 682e6);
        vm.assertEq(aapl.totalSupply(), supply - 2e18);
    }

    function test_sell_endedEarlyReturnsTheRest() public {
        buyStock(alice, 3e18);
        bytes32 orderId = placeLimit(alice, -2e18, 340e18);
        settleLimitOne(orderId, 0, 0.25e18, 345e18, false);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 1.75e18);
        vm.expectEmit(address(stock));
        emit IStock.StockReturned(address(aapl), alice, 1.5e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(
            orderId, alice, address(aapl), IStock.OrderStatus.PartiallyFilled, 0.5e18, 171.25e18, 1.5e18, 0
        );
        settleLimitOne(orderId, 0.25e18, 0.25e18, 340e18, true);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 2.5e18);
    }

    // --- price ---

    /// Exactly at the limit is inside, one wei beyond is not, on either side.
    function test_settle_onlyAtTheLimitOrBetter() public {
        buyStock(bob, 2e18);
        bytes32 buy = placeLimit(alice, 2e18, 340e18);
        bytes32 sell = placeLimit(bob, -2e18, 340e18);
        _expectBeyondLimit(buy, 340e18 + 1);
        _expectBeyondLimit(sell, 340e18 - 1);
        settleLimitOne(buy, 0, 0.1e18, 340e18, false);
        settleLimitOne(sell, 0, 0.1e18, 340e18, false);
        settleLimitOne(buy, 0.1e18, 0.1e18, 1, false);
        settleLimitOne(sell, 0.1e18, 0.1e18, 34_000e18, false);
        // A fill that is skipped anyway does not count.
        IStock.Fill[] memory list = fills(buy, 0, 0.1e18, 341e18, false);
        expectFillSkip(list[0], IStock.SkipReason.FilledBeforeMismatch);
        vm.assertEq(settleLimits(list), 0);
    }

    function test_settle_bandIsOnTheUsersSide() public {
        bytes32 buy = placeLimit(alice, 1e18, 500e18);
        vm.expectRevert(
            abi.encodeWithSelector(IStock.FillPriceOutsideBand.selector, buy, 408e18 + 1, uint256(AAPL_PRICE))
        );
        settleLimitOne(buy, 0, 0.5e18, 408e18 + 1, false);
        vm.assertEq(settleLimitOne(buy, 0, 0.25e18, 408e18, false), 1);
        vm.assertEq(settleLimitOne(buy, 0.25e18, 0.25e18, 1, false), 1, "a gift to the user");
        buyStock(bob, 1e18);
        bytes32 sell = placeLimit(bob, -1e18, 1);
        vm.expectRevert(
            abi.encodeWithSelector(IStock.FillPriceOutsideBand.selector, sell, 272e18 - 1, uint256(AAPL_PRICE))
        );
        settleLimitOne(sell, 0, 0.5e18, 272e18 - 1, false);
        vm.assertEq(settleLimitOne(sell, 0, 0.25e18, 272e18, false), 1);
        vm.assertEq(settleLimitOne(sell, 0.25e18, 0.25e18, 1000e18, false), 1, "a gift to the user");
        vm.prank(admin);
        oracle.resetFeed(AAPL_ID);
        vm.expectRevert(IStockOracle.UnknownPriceId.selector);
        settleLimitOne(sell, 0.5e18, 0.25e18, 300e18, false);
    }

    // --- batches ---

    function test_batch_movesOnlyTheNet() public {
        buyStock(bob, 3e18);
        bytes32 buy = placeLimit(alice, 1e18, 350e18);
        bytes32 sell = placeLimit(bob, -3e18, 330e18);
        _note();
        IStock.Fill[] memory list = new IStock.Fill[](2);
        list[0] = IStock.Fill(buy, 0, 1e18, 340e18, true);
        list[1] = IStock.Fill(sell, 0, 3e18, 340e18, true);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), -2e18, -(1020e6 - 340.34e6), 2);
        vm.assertEq(settleLimits(list), 2);
        vm.assertEq(usdc.balanceOf(settler), settlerCash - 1020e6 + 340.34e6);
        vm.assertEq(aapl.totalSupply(), supply - 2e18);
    }

    function test_batch_severalPartsOfOneOrder() public {
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        IStock.Fill[] memory list = new IStock.Fill[](3);
        list[0] = IStock.Fill(orderId, 0, 0.2e18, 339e18, false);
        list[1] = IStock.Fill(orderId, 0.2e18, 0.3e18, 340e18, false);
        list[2] = IStock.Fill(orderId, 0.5e18, 0.5e18, 339.5e18, false);
        vm.assertEq(settleLimits(list), 3);
        assertStatus(orderId, IStock.OrderStatus.Filled);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 339.55e18 - 0.373505e18);
    }

    /// Everything that can be wrong with a fill, each skipped with its reason, among fills that are right.
    function test_batch_skipsWithReason() public {
        bytes32 open = placeLimit(alice, 1e18, 340e18);
        settleLimitOne(open, 0, 0.25e18, 340e18, false);
        bytes32 closed = placeLimit(bob, 0.1e18, 340e18);
        settleLimitOne(closed, 0, 0.1e18, 340e18, false);
        vm.prank(bob);
        bytes32 other = router.placeLimitOrder(address(tsla), 1e18, 250e18, 0, FAR);
        bytes32 market = place(bob, 34e18);
        buyStock(bob, 1e18);
        bytes32 sell = placeLimit(bob, -1e18, 340e18);

        IStock.Fill[] memory list = new IStock.Fill[](9);
        list[0] = IStock.Fill(keccak256("none"), 0, 1e18, 340e18, true);
        list[1] = IStock.Fill(closed, 0, 0.1e18, 340e18, true);
        list[2] = IStock.Fill(market, 0, 0.1e18, 340e18, true);
        list[3] = IStock.Fill(open, 0, 0.25e18, 340e18, false);
        list[4] = IStock.Fill(other, 0, 0.1e18, 250e18, true);
        list[5] = IStock.Fill(open, 0.25e18, 0.75e18 + 1, 1, true);
        list[6] = IStock.Fill(sell, 0, 1e18 + 1, 340e18, true);
        list[7] = IStock.Fill(open, 0.25e18, 0.75e18, 340e18, false);
        list[8] = IStock.Fill(open, 0.25e18, 0.75e18, 340e18, false);
        IStock.SkipReason[7] memory reasons = [
            IStock.SkipReason.OrderUnknown,
            IStock.SkipReason.OrderClosed,
            IStock.SkipReason.WrongKind,
            IStock.SkipReason.FilledBeforeMismatch,
            IStock.SkipReason.WrongToken,
            IStock.SkipReason.ExceedsOrder,
            IStock.SkipReason.ExceedsOrder
        ];
        for (uint256 i; i < reasons.length; ++i) {
            expectFillSkip(list[i], reasons[i]);
        }
        vm.expectEmit(true, true, false, false, address(stock));
        emit IStock.LimitOrderSettled(open, settler, address(0), address(0), 0, 0, 0, 0);
        expectFillSkip(list[8], IStock.SkipReason.OrderClosed);
        vm.assertEq(settleLimits(list), 1);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(stock.getOrder(sell).lockedAmount, 1e18);
    }

    /// A running total that 96 bits cannot hold is more than the order can take, not a batch that reverts.
    function test_batch_sellBeyond96BitsIsSkipped() public {
        vm.prank(minter);
        aapl.mint(bob, 2e18);
        vm.startPrank(bob);
        aapl.approve(address(router), 2e18);
        router.depositStock(address(aapl), 2e18);
        vm.stopPrank();
        bytes32 orderId = placeLimit(bob, -2e18, 340e18);
        IStock.Fill[] memory list = fills(orderId, 0, 2e18, type(uint96).max, true);
        expectFillSkip(list[0], IStock.SkipReason.ExceedsOrder);
        vm.assertEq(settleLimits(list), 0);
    }

    /// Limit orders in the functions of market orders.
    function test_marketFunctions_skipLimitOrders() public {
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        IStock.Fill[] memory list = fills(orderId, 0, 1e18, AAPL_PRICE, true);
        expectFillSkip(list[0], IStock.SkipReason.WrongKind);
        vm.assertEq(settle(list), 0);
        vm.expectEmit(address(stock));
        emit IStock.RejectionSkipped(orderId, settler, IStock.SkipReason.WrongKind, 0);
        vm.prank(settler);
        vm.assertEq(stock.rejectMarketOrders(rejections(orderId, 0, 1)), 0);
        assertStatus(orderId, IStock.OrderStatus.Open);
    }

    // --- an order whose terms or venue changed meanwhile ---

    function test_settle_orderWhoseCancelWasRequestedMayStillFill() public {
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        requestCancel(orderId);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, 340e18, false), 1);
        assertStatus(orderId, IStock.OrderStatus.Filled);
    }

    function test_settle_feesAreThoseOfTheOrder() public {
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        vm.startPrank(admin);
        stock.setFeeRates(IStock.FeeRates(50_000, 50_000, 50_000, 50_000));
        vm.stopPrank();
        setTradable(address(aapl), false);
        settleLimitOne(orderId, 0, 1e18, 340e18, true);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 340.374e18);
    }

    // --- what stops a whole batch ---

    function test_settle_refusals() public {
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        vm.expectRevert(roleError(outsider, stock.ORDER_SETTLER_ROLE()));
        vm.prank(outsider);
        stock.settleLimitOrders(address(aapl), address(usdc), fills(orderId, 0, 1e18, 340e18, true));
        _expectRevert(fills(orderId, 0, 1e18, 0, true), abi.encodeWithSelector(IStock.FillPriceCannotBeZero.selector));
        _expectRevert(fills(orderId, 0, 0, 340e18, true), abi.encodeWithSelector(IStock.QuantityCannotBeZero.selector));
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(settler);
        stock.settleLimitOrders(address(usdc), address(usdc), fills(orderId, 0, 1e18, 340e18, true));
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        vm.prank(settler);
        stock.settleLimitOrders(address(aapl), address(tsla), fills(orderId, 0, 1e18, 340e18, true));
        vm.prank(guardian);
        cashier.pause();
        _expectRevert(fills(orderId, 0, 1e18, 340e18, true), abi.encodeWithSignature("EnforcedPause()"));
        vm.prank(guardian);
        stock.pause();
        _expectRevert(fills(orderId, 0, 1e18, 340e18, true), abi.encodeWithSignature("EnforcedPause()"));
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0);
    }

    /// The code of the settler's functions does nothing on its own.
    function test_settlementCode_worksInStockOnly() public {
        StockSettlement code = StockSettlement(stock.settlement());
        bytes32 orderId = placeLimit(alice, 1e18, 340e18);
        vm.startPrank(settler);
        vm.expectRevert(IStock.Unauthorized.selector);
        code.settleMarketOrders(address(aapl), address(usdc), fills(orderId, 0, 1e18, 340e18, true));
        vm.expectRevert(IStock.Unauthorized.selector);
        code.settleLimitOrders(address(aapl), address(usdc), fills(orderId, 0, 1e18, 340e18, true));
        vm.expectRevert(IStock.Unauthorized.selector);
        code.settleCancels(address(aapl), address(usdc), cancellations(orderId, 0, 0, 0, IStock.EndCause.UserRequest));
        vm.expectRevert(IStock.Unauthorized.selector);
        code.rejectMarketOrders(rejections(orderId, 0, 1));
        vm.stopPrank();
    }

    function _expectRevert(IStock.Fill[] memory list, bytes memory revertData) private {
        vm.expectRevert(revertData);
        settleLimits(list);
    }

    function _expectBeyondLimit(bytes32 orderId, uint96 price) private {
        _expectRevert(
            fills(orderId, 0, 0.1e18, price, false),
            abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, orderId, price, 340e18)
        );
    }
}
