// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {Vm} from "test/TestBase.sol";

/// How limit orders end without being full.
contract StockCancelsTest is StockFixture {
    uint256 private constant LOCK = 680.748e18;

    bytes32 private buy;
    bytes32 private sell;

    function setUp() public override {
        super.setUp();
        fund(alice, 3000e6);
        buyStock(bob, 3e18);
        buy = placeLimit(alice, 2e18, 340e18);
        sell = placeLimit(bob, -2e18, 340e18);
    }

    // --- the user's request ---

    function test_request_unfilledBuyGetsItsLockBack() public {
        requestCancel(buy);
        vm.expectEmit(address(stock));
        emit IStock.CancelSettled(buy, 0, 2e18, 0, LOCK, false);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(buy, alice, address(aapl), IStock.OrderStatus.Canceled, 0, 0, LOCK, 7);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceCredited(alice, uint96(LOCK));
        vm.assertEq(settleCancelOne(buy, 0, 0, 0, IStock.EndCause.UserRequest), 1);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
        vm.assertEq(stock.getOrder(buy).lockedAmount, 0);
    }

    function test_request_unfilledSellGetsItsStockBack() public {
        requestCancel(sell);
        vm.expectEmit(address(stock));
        emit IStock.CancelSettled(sell, 0, 2e18, 0, 2e18, false);
        vm.expectEmit(address(stock));
        emit IStock.StockReturned(address(aapl), bob, 2e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(sell, bob, address(aapl), IStock.OrderStatus.Canceled, 0, 0, 2e18, 7);
        vm.assertEq(settleCancelOne(sell, 0, 0, 0, IStock.EndCause.UserRequest), 1);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 3e18);
    }

    /// A part before the request, a last part with the cancellation, the rest back: all in one order.
    function test_request_lastPartIsDeliveredInTheSameStep() public {
        settleLimitOne(buy, 0, 0.5e18, 338e18, false);
        requestCancel(buy);
        uint256 supply = aapl.totalSupply();
        uint256 cash = usdc.balanceOf(settler);
        uint256 refund = LOCK - 338.87235e18;
        vm.expectEmit(address(stock));
        emit IStock.LimitOrderSettled(buy, settler, address(aapl), alice, 0.5e18, 339e18, 0.1695e18, 0.01695e18);
        vm.expectEmit(address(stock));
        emit IStock.CancelSettled(buy, 1e18, 1e18, 339e18, refund, false);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(buy, alice, address(aapl), IStock.OrderStatus.Canceled, 1e18, 338.5e18, refund, 7);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), 0.5e18, 169.6695e6, 1);
        vm.assertEq(settleCancelOne(buy, 0.5e18, 0.5e18, 339e18, IStock.EndCause.UserRequest), 1);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 338.87235e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(aapl.totalSupply(), supply + 0.5e18);
        vm.assertEq(usdc.balanceOf(settler), cash + 169.6695e6);
    }

    /// The cancellation came too late: an order that its last part fills whole is filled.
    function test_request_afterTheLastShareIsFilled() public {
        requestCancel(sell);
        vm.expectEmit(address(stock));
        emit IStock.CancelSettled(sell, 2e18, 0, 345e18, 0, false);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(sell, bob, address(aapl), IStock.OrderStatus.Filled, 2e18, 690e18, 0, 7);
        settleCancelOne(sell, 0, 2e18, 345e18, IStock.EndCause.UserRequest);
    }

    // --- the broker's causes need no request ---

    function test_broker_statusFollowsCauseAndFill() public {
        _expectEnd(buy, 0, 0, IStock.EndCause.Rejected, IStock.OrderStatus.Rejected);
        buy = placeLimit(alice, 2e18, 340e18);
        _expectEnd(buy, 0, 0.5e18, IStock.EndCause.Rejected, IStock.OrderStatus.PartiallyFilled);
        buy = placeLimit(alice, 2e18, 340e18);
        _expectEnd(buy, 0, 0, IStock.EndCause.Expired, IStock.OrderStatus.Expired);
        settleLimitOne(sell, 0, 0.5e18, 340e18, false);
        _expectEnd(sell, 0.5e18, 0, IStock.EndCause.Expired, IStock.OrderStatus.Expired);
        sell = placeLimit(bob, -1e18, 340e18);
        settleLimitOne(sell, 0, 0.5e18, 340e18, false);
        _expectEnd(sell, 0.5e18, 0, IStock.EndCause.Rejected, IStock.OrderStatus.PartiallyFilled);
        // The user asked, but the end of the day was first.
        sell = placeLimit(bob, -1e18, 340e18);
        requestCancel(sell);
        _expectEnd(sell, 0, 0.5e18, IStock.EndCause.Expired, IStock.OrderStatus.Expired);
    }

    function _expectEnd(
        bytes32 orderId,
        uint96 filledBefore,
        uint96 quantity,
        IStock.EndCause cause,
        IStock.OrderStatus status
    ) private {
        int96 amount = stock.getOrder(orderId).amount;
        vm.expectEmit(true, false, false, false, address(stock));
        emit IStock.CancelSettled(orderId, 0, 0, 0, 0, false);
        vm.recordLogs();
        vm.assertEq(settleCancelOne(orderId, filledBefore, quantity, 340e18, cause), 1);
        _checkLog(uint96(amount > 0 ? amount : -amount), filledBefore + quantity, quantity == 0 ? 0 : 340e18);
        assertStatus(orderId, status);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 0);
    }

    function _checkLog(uint96 whole, uint96 filled, uint96 price) private {
        Vm.Log memory log = _find(IStock.CancelSettled.selector);
        (uint96 filledQuantity, uint96 unfilled, uint96 fillPrice,, bool isBroker) =
            abi.decode(log.data, (uint96, uint96, uint96, uint256, bool));
        vm.assertEq(filledQuantity, filled);
        vm.assertEq(unfilled, whole - filled);
        vm.assertEq(fillPrice, price);
        vm.assertTrue(isBroker);
    }

    // --- batches ---

    function test_batch_movesOnlyTheNet() public {
        requestCancel(buy);
        IStock.Cancellation[] memory list = new IStock.Cancellation[](2);
        list[0] = IStock.Cancellation(buy, 0, 1e18, 340e18, IStock.EndCause.UserRequest, 1);
        list[1] = IStock.Cancellation(sell, 0, 0.5e18, 340e18, IStock.EndCause.Expired, 2);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), 0.5e18, 340.34e6 - 170e6, 2);
        vm.assertEq(settleCancels(list), 2);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 340.374e18);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 2.5e18);
    }

    /// Nothing was filled: no token moves, the settler need not hold or approve any, and no batch was settled.
    function test_batch_withoutFillsMovesNoTokens() public {
        uint256 cash = usdc.balanceOf(settler);
        vm.prank(settler);
        usdc.transfer(minter, cash);
        IStock.Cancellation[] memory list = new IStock.Cancellation[](2);
        list[0] = IStock.Cancellation(buy, 0, 0, 0, IStock.EndCause.Expired, 1);
        list[1] = IStock.Cancellation(sell, 0, 0, 0, IStock.EndCause.Expired, 1);
        uint256 held = usdc.balanceOf(address(cashier));
        vm.recordLogs();
        vm.assertEq(settleCancels(list), 2);
        vm.assertEq(_count(IStock.BatchSettled.selector), 0);
        vm.assertEq(usdc.balanceOf(address(cashier)), held);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 3e18);
    }

    /// Everything that can be wrong with a cancellation, each skipped with its reason, among ones that are right.
    function test_batch_skipsWithReason() public {
        bytes32 market = place(alice, 34e18);
        bytes32 closed = placeLimit(alice, 0.1e18, 340e18);
        settleLimitOne(closed, 0, 0.1e18, 340e18, false);
        vm.prank(alice);
        bytes32 other = router.placeLimitOrder(address(tsla), 1e18, 250e18, 0, FAR);
        settleLimitOne(buy, 0, 0.25e18, 340e18, false);

        IStock.Cancellation[] memory list = new IStock.Cancellation[](9);
        list[0] = IStock.Cancellation(keccak256("none"), 0, 0, 0, IStock.EndCause.Expired, 1);
        list[1] = IStock.Cancellation(market, 0, 0, 0, IStock.EndCause.Expired, 1);
        list[2] = IStock.Cancellation(closed, 0.1e18, 0, 0, IStock.EndCause.Expired, 1);
        list[3] = IStock.Cancellation(other, 0, 0, 0, IStock.EndCause.Expired, 1);
        list[4] = IStock.Cancellation(buy, 0, 0.5e18, 340e18, IStock.EndCause.Expired, 1);
        list[5] = IStock.Cancellation(buy, 0.25e18, 0, 0, IStock.EndCause.UserRequest, 1);
        list[6] = IStock.Cancellation(buy, 0.25e18, 1.75e18 + 1, 340e18, IStock.EndCause.Expired, 1);
        list[7] = IStock.Cancellation(buy, 0.25e18, 0, 0, IStock.EndCause.Expired, 1);
        list[8] = IStock.Cancellation(buy, 0.25e18, 0, 0, IStock.EndCause.Expired, 1);
        expectCancelSkip(list[0].orderId, IStock.SkipReason.OrderUnknown, 0);
        expectCancelSkip(market, IStock.SkipReason.WrongKind, 0);
        expectCancelSkip(closed, IStock.SkipReason.OrderClosed, 0.1e18);
        expectCancelSkip(other, IStock.SkipReason.WrongToken, 0);
        expectCancelSkip(buy, IStock.SkipReason.FilledBeforeMismatch, 0);
        expectCancelSkip(buy, IStock.SkipReason.CancelNotRequested, 0.25e18);
        expectCancelSkip(buy, IStock.SkipReason.ExceedsOrder, 0.25e18);
        vm.expectEmit(true, false, false, false, address(stock));
        emit IStock.CancelSettled(buy, 0, 0, 0, 0, false);
        expectCancelSkip(buy, IStock.SkipReason.OrderClosed, 0.25e18);
        vm.assertEq(settleCancels(list), 1);
        assertStatus(market, IStock.OrderStatus.Open);
    }

    function test_batch_ofSkippedCancellationsMovesNothing() public {
        vm.prank(settler);
        vm.assertEq(
            stock.settleCancels(address(aapl), address(0), cancellations(0, 0, 0, 0, IStock.EndCause.UserRequest)), 0
        );
    }

    // --- what stops a whole batch ---

    function test_settleCancels_refusals() public {
        IStock.Cancellation[] memory list = cancellations(buy, 0, 0, 0, IStock.EndCause.Expired);
        vm.expectRevert(roleError(outsider, stock.ORDER_SETTLER_ROLE()));
        vm.prank(outsider);
        stock.settleCancels(address(aapl), address(usdc), list);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(settler);
        stock.settleCancels(address(usdc), address(usdc), list);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        vm.prank(settler);
        stock.settleCancels(address(aapl), address(tsla), list);
        vm.expectRevert(IStock.FillPriceCannotBeZero.selector);
        settleCancelOne(buy, 0, 1, 0, IStock.EndCause.Expired);
        vm.expectRevert(abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, buy, 340e18 + 1, 340e18));
        settleCancelOne(buy, 0, 1e18, 340e18 + 1, IStock.EndCause.Expired);
        vm.expectRevert(abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, sell, 340e18 - 1, 340e18));
        settleCancelOne(sell, 0, 1e18, 340e18 - 1, IStock.EndCause.Expired);

        // A sell without a fill needs nothing of the Cashier; a refund does.
        vm.prank(guardian);
        cashier.pause();
        settleCancelOne(sell, 0, 0, 0, IStock.EndCause.Expired);
        vm.expectRevert(bytes4(keccak256("EnforcedPause()")));
        settleCancels(list);
        vm.prank(guardian);
        stock.pause();
        vm.expectRevert(bytes4(keccak256("EnforcedPause()")));
        settleCancelOne(sell, 0, 0, 0, IStock.EndCause.Expired);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - LOCK);
    }

    function _find(bytes32 topic) private returns (Vm.Log memory) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == topic) return logs[i];
        }
        revert("no such log");
    }

    function _count(bytes32 topic) private returns (uint256 count) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == topic) ++count;
        }
    }
}
