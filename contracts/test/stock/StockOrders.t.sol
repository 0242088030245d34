// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";

/// Placing, rejecting and taking back.
contract StockOrdersTest is StockFixture {
    bytes4 private constant PAUSED = bytes4(keccak256("EnforcedPause()"));

    function test_placeBuy_locksNotionalAndFees() public {
        fund(alice, 1000e6);
        bytes32 expected = nextOrderId(alice);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceDeducted(alice, 100.11e18);
        vm.expectEmit(address(stock));
        emit IStock.MarketOrderPlaced(
            expected, alice, address(aapl), 100e18, 100.11e18, FAR, uint32(block.timestamp + EXIT_DELAY)
        );
        bytes32 orderId = place(alice, 100e18);
        vm.assertEq(orderId, expected);
        vm.assertEq(cashier.balanceWad(alice), 899.89e18);
        vm.assertEq(cashier.totalOwedWad(), 1000e18);
        IStock.Order memory order = stock.getOrder(orderId);
        vm.assertEq(order.user, alice);
        vm.assertEq(order.stockToken, address(aapl));
        vm.assertEq(int256(order.amount), 100e18);
        vm.assertEq(order.lockedAmount, 100.11e18);
        vm.assertEq(order.exitAt, block.timestamp + EXIT_DELAY);
        vm.assertEq(order.thirdPartyPpm, 1000);
        vm.assertEq(order.protocolPpm, 100);
        vm.assertEq(stock.previewLock(100e18), 100.11e18);
    }

    function test_placeSell_locksStock() public {
        buyStock(alice, 3e18);
        vm.expectEmit(address(stock));
        emit IStock.StockBalanceLocked(address(aapl), alice, 2e18);
        bytes32 orderId = place(alice, -2e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 2e18);
        vm.assertEq(stock.previewLock(-2e18), 2e18);
    }

    /// 1 wei of notional carries 1 wei of each fee.
    function test_placeBuy_lockRoundsUp() public {
        fund(alice, 1000e6);
        place(alice, 1);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 - 3);
    }

    function test_place_refusals() public {
        fund(alice, 1000e6);
        vm.expectRevert(IStock.Unauthorized.selector);
        vm.prank(alice);
        stock.placeMarketOrder(alice, address(aapl), 100e18, FAR);
        vm.expectRevert(IStock.AmountCannotBeZero.selector);
        place(alice, 0);
        vm.expectRevert(ICashier.InsufficientBalanceWad.selector);
        place(alice, 1000e18);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        place(alice, -1);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        place(alice, type(int96).min);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(alice);
        router.placeMarketOrder(address(usdc), 100e18, FAR);
        setTradable(address(aapl), false);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        place(alice, 100e18);
        vm.prank(guardian);
        stock.pause();
        vm.expectRevert(PAUSED);
        place(alice, 100e18);
    }

    // --- rejection by the broker ---

    function test_rejectBuy_releasesTheLock() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 100e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Rejected, 0, 0, 100.11e18, 7);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceCredited(alice, 100.11e18);
        vm.assertEq(_reject(orderId, 0, 7), 1);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
        IStock.Order memory order = stock.getOrder(orderId);
        vm.assertEq(uint256(order.status), uint256(IStock.OrderStatus.Rejected));
        vm.assertEq(order.lockedAmount, 0);
    }

    function test_rejectSell_returnsTheStock() public {
        buyStock(alice, 3e18);
        bytes32 orderId = place(alice, -2e18);
        vm.expectEmit(address(stock));
        emit IStock.StockReturned(address(aapl), alice, 2e18);
        _reject(orderId, 0, 1);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 3e18);
    }

    function test_reject_afterPartialFillReleasesTheRest() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 340e18);
        settleOne(orderId, 0, 0.25e18, AAPL_PRICE, false);
        vm.expectEmit(address(stock));
        emit IStock.RejectionSkipped(orderId, settler, IStock.SkipReason.FilledBeforeMismatch, 0);
        vm.assertEq(_reject(orderId, 0, 2), 0);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(
            orderId, alice, address(aapl), IStock.OrderStatus.PartiallyFilled, 0.25e18, 85e18, 255.2805e18, 2
        );
        vm.assertEq(_reject(orderId, 0.25e18, 2), 1);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 - 85.0935e18);

        buyStock(bob, 2e18);
        orderId = place(bob, -2e18);
        settleOne(orderId, 0, 0.5e18, AAPL_PRICE, false);
        _reject(orderId, 0.5e18, 2);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 1.5e18);
    }

    function test_reject_skipsWithReason() public {
        fund(alice, 1000e6);
        bytes32 closed = place(alice, 100e18);
        _reject(closed, 0, 1);
        bytes32 takenBack = place(alice, 100e18);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(takenBack);
        IStock.Rejection[] memory list = new IStock.Rejection[](3);
        list[0] = IStock.Rejection(keccak256("none"), 0, 1);
        list[1] = IStock.Rejection(closed, 0, 1);
        list[2] = IStock.Rejection(takenBack, 0, 1);
        _expectRejectionSkip(list[0].orderId, IStock.SkipReason.OrderUnknown);
        _expectRejectionSkip(closed, IStock.SkipReason.OrderClosed);
        _expectRejectionSkip(takenBack, IStock.SkipReason.OrderTakenBack);
        vm.prank(settler);
        vm.assertEq(stock.rejectMarketOrders(list), 0);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
    }

    function test_reject_refusals() public {
        vm.expectRevert(roleError(outsider, stock.ORDER_SETTLER_ROLE()));
        vm.prank(outsider);
        stock.rejectMarketOrders(rejections(0, 0, 0));
        vm.prank(guardian);
        stock.pause();
        vm.expectRevert(PAUSED);
        vm.prank(settler);
        stock.rejectMarketOrders(rejections(0, 0, 0));
    }

    // --- the user's own exit ---

    function test_takeBack_afterTimeOutAlsoWhilePaused() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 340e18);
        settleOne(orderId, 0, 0.25e18, AAPL_PRICE, false);
        uint256 exitAt = block.timestamp + EXIT_DELAY;
        vm.warp(exitAt - 1);
        vm.expectRevert(abi.encodeWithSelector(IStock.ExitNotYetAvailable.selector, exitAt));
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.warp(exitAt);
        vm.startPrank(guardian);
        router.pause();
        stock.pause();
        cashier.pause();
        vm.stopPrank();
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(
            orderId, alice, address(aapl), IStock.OrderStatus.TakenBack, 0.25e18, 85e18, 255.2805e18, 0
        );
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 - 85.0935e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0.25e18);
    }

    function test_takeBack_sell() public {
        buyStock(alice, 3e18);
        bytes32 orderId = place(alice, -2e18);
        settleOne(orderId, 0, 0.5e18, AAPL_PRICE, false);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 2.5e18);
    }

    function test_takeBack_lateFillIsSkipped() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 340e18);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        publishPrice(AAPL_ID, AAPL_PRICE);
        IStock.Fill[] memory list = fills(orderId, 0, 1e18, AAPL_PRICE, true);
        expectFillSkip(list[0], IStock.SkipReason.OrderTakenBack);
        vm.assertEq(settle(list), 0);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0);
    }

    function test_takeBack_refusals() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 100e18);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(IStock.CallerNotOwner.selector);
        vm.prank(bob);
        stock.takeBackOrder(orderId);
        vm.prank(forwarder);
        (bool done,) = address(stock).call(abi.encodePacked(abi.encodeCall(stock.takeBackOrder, (orderId)), alice));
        vm.assertFalse(done);
        vm.startPrank(alice);
        vm.expectRevert(IStock.OrderNotFound.selector);
        stock.takeBackOrder(keccak256("none"));
        stock.takeBackOrder(orderId);
        vm.expectRevert(IStock.OrderNotFound.selector);
        stock.takeBackOrder(orderId);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
    }

    function test_takeBack_delayIsThatOfTheOrder() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 100e18);
        vm.prank(admin);
        stock.setExitDelay(30 days);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
    }

    function _reject(bytes32 orderId, uint96 filledBefore, uint16 reasonCode) private returns (uint256) {
        vm.prank(settler);
        return stock.rejectMarketOrders(rejections(orderId, filledBefore, reasonCode));
    }

    function _expectRejectionSkip(bytes32 orderId, IStock.SkipReason reason) private {
        vm.expectEmit(address(stock));
        emit IStock.RejectionSkipped(orderId, settler, reason, 0);
    }
}
