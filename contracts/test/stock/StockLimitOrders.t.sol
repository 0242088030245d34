// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {Rounding} from "src/stock/libraries/Rounding.sol";

/// Placing limit orders, asking for their cancellation, taking them back.
contract StockLimitOrdersTest is StockFixture {
    bytes4 private constant PAUSED = bytes4(keccak256("EnforcedPause()"));

    function setUp() public override {
        super.setUp();
        fund(alice, 1000e6);
    }

    // --- placing ---

    function test_placeBuy_locksTheNotionalAtTheLimitAndFees() public {
        bytes32 expected = nextOrderId(alice);
        uint32 exitAt = uint32(block.timestamp + EXIT_DELAY);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceDeducted(alice, 600.66e18);
        vm.expectEmit(address(stock));
        emit IStock.LimitOrderPlaced(expected, alice, address(aapl), 2e18, 300e18, 0, 600.66e18, FAR, exitAt);
        bytes32 orderId = placeLimit(alice, 2e18, 300e18);
        vm.assertEq(orderId, expected);
        vm.assertEq(cashier.balanceWad(alice), 399.34e18);
        vm.assertEq(cashier.totalOwedWad(), 1000e18);
        vm.assertEq(stock.previewLimitLock(2e18, 300e18), 600.66e18);
        IStock.Order memory order = stock.getOrder(orderId);
        vm.assertEq(order.user, alice);
        vm.assertEq(order.stockToken, address(aapl));
        vm.assertEq(int256(order.amount), 2e18);
        vm.assertEq(order.limitPrice, 300e18);
        vm.assertEq(order.lockedAmount, 600.66e18);
        vm.assertEq(order.exitAt, exitAt);
        vm.assertEq(order.thirdPartyPpm, 1000);
        vm.assertEq(order.protocolPpm, 100);
        vm.assertEq(order.filledQuantity + order.filledNotionalWad, 0);
        vm.assertTrue(order.isLimit);
        vm.assertFalse(order.cancelRequested);
        assertStatus(orderId, IStock.OrderStatus.Open);
    }

    /// Half a wei of notional is one, and carries 1 wei of each fee.
    function test_placeBuy_lockRoundsUp() public {
        placeLimit(alice, 1, 0.5e18);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 - 3);
        vm.assertEq(stock.previewLimitLock(1, 0.5e18), 3);
    }

    function test_placeSell_locksStock() public {
        buyStock(bob, 3e18);
        vm.expectEmit(address(stock));
        emit IStock.StockBalanceLocked(address(aapl), bob, 2e18);
        bytes32 orderId = placeLimit(bob, -2e18, 350e18);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 1e18);
        IStock.Order memory order = stock.getOrder(orderId);
        vm.assertEq(order.lockedAmount, 2e18);
        vm.assertEq(order.limitPrice, 350e18);
        vm.assertEq(order.thirdPartyPpm, 0);
        vm.assertEq(order.protocolPpm, 100);
        vm.assertEq(stock.previewLimitLock(-2e18, 350e18), 2e18);
    }

    function test_place_refusals() public {
        vm.expectRevert(IStock.Unauthorized.selector);
        vm.prank(alice);
        stock.placeLimitOrder(alice, address(aapl), 1e18, 300e18, 0, FAR);
        vm.expectRevert(IStock.QuantityCannotBeZero.selector);
        placeLimit(alice, 0, 300e18);
        vm.expectRevert(IStock.PriceCannotBeZero.selector);
        placeLimit(alice, 1e18, 0);
        vm.expectRevert(ICashier.InsufficientBalanceWad.selector);
        placeLimit(alice, 1e18, 1000e18);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        placeLimit(alice, -1, 300e18);
        vm.expectRevert(IStock.InsufficientStockBalance.selector);
        placeLimit(alice, type(int96).min, 300e18);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(alice);
        router.placeLimitOrder(address(usdc), 1e18, 300e18, 0, FAR);
        setTradable(address(aapl), false);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        placeLimit(alice, 1e18, 300e18);
        vm.prank(guardian);
        stock.pause();
        vm.expectRevert(PAUSED);
        placeLimit(alice, 1e18, 300e18);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
    }

    function test_place_refusesANotionalBeyond96Bits() public {
        uint256 notionalWad = Rounding.notionalUp(uint96(type(int96).max), type(uint96).max);
        vm.expectRevert(
            abi.encodeWithSignature("SafeCastOverflowedUintDowncast(uint8,uint256)", uint8(96), notionalWad)
        );
        placeLimit(alice, type(int96).max, type(uint96).max);
    }

    // --- asking for the cancellation ---

    function test_cancel_isARequestOnly() public {
        bytes32 orderId = placeLimit(alice, 2e18, 300e18);
        vm.expectEmit(address(stock));
        emit IStock.CancelRequested(orderId);
        requestCancel(orderId);
        IStock.Order memory order = stock.getOrder(orderId);
        vm.assertTrue(order.cancelRequested);
        vm.assertEq(order.lockedAmount, 600.66e18);
        assertStatus(orderId, IStock.OrderStatus.Open);
        vm.assertEq(cashier.balanceWad(alice), 399.34e18);
    }

    function test_cancel_openWhilePausedAndToRemovedUsers() public {
        bytes32 orderId = placeLimit(alice, 2e18, 300e18);
        pauseAll();
        address[] memory users = new address[](1);
        users[0] = alice;
        vm.prank(manager);
        compliance.removeUsers(users);
        requestCancel(orderId);
        vm.assertTrue(stock.getOrder(orderId).cancelRequested);
    }

    function test_cancel_refusals() public {
        bytes32 orderId = placeLimit(alice, 1e18, 300e18);
        bytes32 market = place(alice, 100e18);
        vm.expectRevert(IStock.Unauthorized.selector);
        vm.prank(alice);
        stock.cancelLimitOrder(alice, orderId);
        vm.expectRevert(IStock.CallerNotOwner.selector);
        vm.prank(bob);
        router.cancelLimitOrder(orderId);
        vm.startPrank(alice);
        vm.expectRevert(IStock.OrderNotFound.selector);
        router.cancelLimitOrder(keccak256("none"));
        vm.expectRevert(IStock.NotLimitOrder.selector);
        router.cancelLimitOrder(market);
        router.cancelLimitOrder(orderId);
        vm.expectRevert(IStock.CancelAlreadyRequested.selector);
        router.cancelLimitOrder(orderId);
        vm.stopPrank();
        settleCancelOne(orderId, 0, 0, 0, IStock.EndCause.UserRequest);
        vm.expectRevert(IStock.OrderNotFound.selector);
        requestCancel(orderId);
    }

    // --- the user's own exit ---

    function test_takeBack_afterTimeOutAlsoWhilePaused() public {
        bytes32 orderId = placeLimit(alice, 2e18, 300e18);
        settleLimitOne(orderId, 0, 0.5e18, 290e18, false);
        requestCancel(orderId);
        uint256 exitAt = block.timestamp + EXIT_DELAY;
        vm.warp(exitAt - 1);
        vm.expectRevert(abi.encodeWithSelector(IStock.ExitNotYetAvailable.selector, exitAt));
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.warp(exitAt);
        pauseAll();
        uint256 refund = 600.66e18 - 145.1595e18;
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.TakenBack, 0.5e18, 145e18, refund, 0);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 - 145.1595e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0.5e18);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 0);
    }

    function test_takeBack_sell() public {
        buyStock(bob, 3e18);
        bytes32 orderId = placeLimit(bob, -2e18, 350e18);
        settleLimitOne(orderId, 0, 0.5e18, 360e18, false);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(bob);
        stock.takeBackOrder(orderId);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 2.5e18);
    }

    function test_takeBack_lateSettlementIsSkipped() public {
        bytes32 orderId = placeLimit(alice, 2e18, 300e18);
        requestCancel(orderId);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        IStock.Fill[] memory list = fills(orderId, 0, 1e18, 300e18, false);
        expectFillSkip(list[0], IStock.SkipReason.OrderTakenBack);
        vm.assertEq(settleLimits(list), 0);
        expectCancelSkip(orderId, IStock.SkipReason.OrderTakenBack, 0);
        vm.assertEq(settleCancelOne(orderId, 0, 1e18, 300e18, IStock.EndCause.UserRequest), 0);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0);
    }

    function test_takeBack_refusals() public {
        bytes32 orderId = placeLimit(alice, 1e18, 300e18);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(IStock.CallerNotOwner.selector);
        vm.prank(bob);
        stock.takeBackOrder(orderId);
        vm.startPrank(alice);
        stock.takeBackOrder(orderId);
        vm.expectRevert(IStock.OrderNotFound.selector);
        stock.takeBackOrder(orderId);
        vm.expectRevert(IStock.OrderNotFound.selector);
        router.cancelLimitOrder(orderId);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
    }

    /// Orders of both kinds share the counter and the views, and survive an upgrade.
    function test_upgrade_keepsLimitOrders() public {
        bytes32 orderId = placeLimit(alice, 2e18, 300e18);
        settleLimitOne(orderId, 0, 0.5e18, 290e18, false);
        requestCancel(orderId);
        IStock.Order memory before = stock.getOrder(orderId);
        address next = newStock();
        vm.prank(admin);
        stock.upgradeToAndCall(next, "");
        vm.assertEq(keccak256(abi.encode(stock.getOrder(orderId))), keccak256(abi.encode(before)), "order kept");
        vm.assertEq(settleCancelOne(orderId, 0.5e18, 0, 0, IStock.EndCause.UserRequest), 1);
        vm.assertEq(stock.operationCounter(), 1);
    }
}
