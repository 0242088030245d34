// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AttackFixture} from "./AttackFixture.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";
import {ReentrantToken} from "test/tokens/HostileTokens.sol";

/// Attacks on limit orders and stock moves; each test states what the attacker ends with. (A wrong forwarder is in
/// StockDepositOrdersTest.)
contract StockLimitAttacksTest is AttackFixture {
    /// A stock token under the attacker's control was listed by mistake, and is an approved user itself.
    function setUp() public override {
        super.setUp();
        evil = ReentrantToken(deployCode("HostileTokens.sol:ReentrantToken", abi.encode(18)));
        vm.prank(admin);
        stock.listStock(address(evil), "EVIL", listingTerms());
        _approve(address(evil));
        evil.mint(address(evil), 1000e18);
        _act(address(evil), abi.encodeCall(evil.approve, (address(router), type(uint256).max)));
        usdc.mint(address(evil), 3000e6);
        _act(address(usdc), abi.encodeCall(usdc.approve, (address(router), type(uint256).max)));
        _act(address(router), abi.encodeCall(router.deposit, (address(usdc), 2000e6)));
        fund(alice, 3000e6);
    }

    // --- a reentrant token ---

    /// Attacker ends with: one payment for one withdrawal. The second, asked for inside the first, is refused.
    function test_attack_withdrawStockInsideWithdrawal() public {
        _act(address(router), abi.encodeCall(router.depositStock, (address(evil), 100e18)));
        evil.mint(address(stock), 100e18);
        evil.arm(address(router), abi.encodeCall(router.withdrawStock, (address(evil), 60e18)));
        _act(address(router), abi.encodeCall(router.withdrawStock, (address(evil), 60e18)));
        _assertRefused(REENTRANT);
        vm.assertEq(evil.balanceOf(address(evil)), 960e18);
        vm.assertEq(stock.stockBalance(address(evil), address(evil)), 40e18);
    }

    /// Attacker ends with: what it deposited once. Inside a deposit of stock nothing of the router is open.
    function test_attack_depositStockInsideDeposit() public {
        bytes[3] memory calls = [
            abi.encodeCall(router.depositStock, (address(evil), 10e18)),
            abi.encodeCall(router.depositStockAndMarketSell, (address(evil), 10e18, -10e18, FAR)),
            abi.encodeCall(router.withdrawStock, (address(evil), 1))
        ];
        for (uint256 i; i < calls.length; ++i) {
            evil.arm(address(router), calls[i]);
            _act(address(router), abi.encodeCall(router.depositStock, (address(evil), 10e18)));
            _assertRefused(REENTRANT);
        }
        vm.assertEq(stock.stockBalance(address(evil), address(evil)), 30e18);
        vm.assertEq(evil.balanceOf(address(stock)), 30e18);
    }

    /// Attacker ends with: its order open, its lock where it was. Inside a settlement neither exit nor cancellation works.
    function test_attack_actInsideLimitSettlement() public {
        bytes32 own = abi.decode(
            _act(address(router), abi.encodeCall(router.placeLimitOrder, (address(evil), 1e18, 500e18, 0, FAR))),
            (bytes32)
        );
        publishPrice(keccak256("EVIL"), 500e18);
        vm.startPrank(settler);
        evil.arm(address(router), abi.encodeCall(router.withdrawStock, (address(evil), 1)));
        stock.settleLimitOrders(address(evil), address(usdc), fills(own, 0, 0.5e18, 500e18, false));
        _assertRefused(REENTRANT);
        evil.arm(address(router), abi.encodeCall(router.cancelLimitOrder, (own)));
        stock.settleLimitOrders(address(evil), address(usdc), fills(own, 0.5e18, 0.25e18, 500e18, false));
        _assertRefused(REENTRANT);
        vm.stopPrank();
        IStock.Order memory order = stock.getOrder(own);
        vm.assertFalse(order.cancelRequested);
        vm.assertEq(order.lockedAmount, 500.55e18 - 375.4125e18);
        vm.assertEq(cashier.balanceWad(address(evil)), 2000e18 - 500.55e18);
    }

    /// Attacker ends with: nothing more than its deposit. The order of a deposit cannot be placed twice from inside it.
    function test_attack_orderInsideDepositOrder() public {
        evil.arm(address(router), abi.encodeCall(router.placeLimitOrder, (address(evil), -1e18, 1, 0, FAR)));
        _act(
            address(router), abi.encodeCall(router.depositStockAndLimitSell, (address(evil), 5e18, -5e18, 1e18, 0, FAR))
        );
        _assertRefused(REENTRANT);
        vm.assertEq(stock.stockBalance(address(evil), address(evil)), 0);
        vm.assertEq(stock.operationCounter(), 1);
    }

    // --- a settler in bad faith, or one that lost its memory ---

    /// Attacker ends with: one delivery, one payment, however often it repeats fill and cancellation.
    function test_attack_replayedFillAndCancellation() public {
        bytes32 orderId = placeLimit(alice, 2e18, 340e18);
        IStock.Fill[] memory list = fills(orderId, 0, 0.5e18, 340e18, false);
        settleLimits(list);
        requestCancel(orderId);
        IStock.Cancellation[] memory ends = cancellations(orderId, 0.5e18, 0.25e18, 340e18, IStock.EndCause.UserRequest);
        settleCancels(ends);
        uint256 cash = usdc.balanceOf(settler);
        uint256 shares = aapl.balanceOf(settler);
        for (uint256 i; i < 3; ++i) {
            vm.assertEq(settleLimits(list), 0);
            vm.assertEq(settleCancels(ends), 0);
            ends[0].cause = IStock.EndCause.Expired;
        }
        vm.assertEq(usdc.balanceOf(settler), cash);
        vm.assertEq(aapl.balanceOf(settler), shares);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0.75e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 255.2805e18);
    }

    /// Attacker ends with: the limit price, never a wei beyond it, by no split and by no kind of settlement.
    function test_attack_limitBreakingFill() public {
        bytes32 orderId = placeLimit(alice, 1e18, 300e18);
        uint96[3] memory prices = [uint96(300e18 + 1), 340e18, type(uint96).max];
        for (uint256 i; i < prices.length; ++i) {
            bytes memory refusal =
                abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, orderId, prices[i], 300e18);
            vm.expectRevert(refusal);
            settleLimitOne(orderId, 0, 1, prices[i], true);
            vm.expectRevert(refusal);
            settleCancelOne(orderId, 0, 1, prices[i], IStock.EndCause.Rejected);
            vm.assertEq(settleOne(orderId, 0, 1, AAPL_PRICE, true), 0);
        }
        for (uint96 i; i < 10; ++i) {
            settleLimitOne(orderId, i * 0.1e18, 0.1e18, 300e18, false);
        }
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 300.33e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
    }

    /// Attacker (a settler that fills wei by wei, to charge a rounding each) ends with: no more than the lock, for all of
    /// the stock. What the roundings cost is its own.
    function test_attack_griefingByWeis() public {
        bytes32 orderId = placeLimit(alice, 100, 0.001e18);
        uint256 locked = stock.getOrder(orderId).lockedAmount;
        for (uint96 i; i < 100; ++i) {
            vm.assertEq(settleLimitOne(orderId, i, 1, 0.001e18, false), 1);
        }
        vm.assertEq(locked, 3);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 3);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 100);
    }

    /// Attacker (a settler that ends orders nobody asked to end, or refuses to end those that were asked for) ends with:
    /// nothing. The lock goes back to the user either way, at the latest by the user alone.
    function test_attack_griefingByEndsAndSilence() public {
        bytes32 orderId = placeLimit(alice, 1e18, 300e18);
        vm.assertEq(settleCancelOne(orderId, 0, 0, 0, IStock.EndCause.UserRequest), 0);
        settleCancelOne(orderId, 0, 0, 0, IStock.EndCause.Rejected);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
        orderId = placeLimit(alice, 1e18, 300e18);
        requestCancel(orderId);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
    }

    /// Attacker (a settler that settles an order of one stock as a batch of another, cheaper one) ends with: nothing.
    function test_attack_fillWithAnotherStock() public {
        bytes32 orderId = placeLimit(alice, 1e18, 300e18);
        evil.mint(settler, 1e18);
        vm.startPrank(settler);
        evil.approve(address(stock), type(uint256).max);
        uint256 applied = stock.settleLimitOrders(address(evil), address(usdc), fills(orderId, 0, 1e18, 300e18, true));
        vm.stopPrank();
        vm.assertEq(applied, 0);
        vm.assertEq(stock.stockBalance(alice, address(evil)), 0);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 300.33e18);
    }

    // --- a user in bad faith ---

    /// Attacker ends with: one refund. A second request, a second settlement and the exit after it find nothing.
    function test_attack_doubleCancel() public {
        bytes32 orderId = placeLimit(alice, 2e18, 340e18);
        requestCancel(orderId);
        vm.expectRevert(IStock.CancelAlreadyRequested.selector);
        requestCancel(orderId);
        IStock.Cancellation[] memory twice = new IStock.Cancellation[](2);
        twice[0] = cancellations(orderId, 0, 0, 0, IStock.EndCause.UserRequest)[0];
        twice[1] = twice[0];
        vm.assertEq(settleCancels(twice), 1);
        vm.expectRevert(IStock.OrderNotFound.selector);
        requestCancel(orderId);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(IStock.OrderNotFound.selector);
        vm.prank(alice);
        stock.takeBackOrder(orderId);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
    }

    /// Attacker ends with: nothing, the victim with its order as it was. Neither the id itself nor one with the
    /// attacker's address in it cancels another's order.
    function test_attack_cancelOfAnothersOrder() public {
        bytes32 orderId = placeLimit(alice, 2e18, 340e18);
        bytes32 forged = bytes32((uint256(uint160(bob)) << 96) | uint96(uint256(orderId)));
        vm.startPrank(bob);
        vm.expectRevert(IStock.CallerNotOwner.selector);
        router.cancelLimitOrder(orderId);
        vm.expectRevert(IStock.OrderNotFound.selector);
        router.cancelLimitOrder(forged);
        vm.stopPrank();
        vm.assertFalse(stock.getOrder(orderId).cancelRequested);
        vm.assertEq(stock.getOrder(forged).lockedAmount, 0);
    }

    /// Attacker ends with: its fake token. A token nobody listed is no stock, however it is brought in.
    function test_attack_depositOfAnUnlistedToken() public {
        ReentrantToken fake = ReentrantToken(deployCode("HostileTokens.sol:ReentrantToken", abi.encode(18)));
        fake.mint(alice, 10e18);
        vm.startPrank(alice);
        fake.approve(address(router), 10e18);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        router.depositStock(address(fake), 10e18);
        vm.expectRevert(IStock.InvalidStockToken.selector);
        router.depositStockAndMarketSell(address(fake), 10e18, -10e18, FAR);
        vm.stopPrank();
        vm.assertEq(fake.balanceOf(alice), 10e18);
    }

    /// Attacker ends with: what its deposit is worth. A deposit that the order needs cannot come from the buffer twice.
    function test_attack_orderAgainstAQueuedDeposit() public {
        giveCash(alice, 50_000e6);
        vm.startPrank(alice);
        vm.expectRevert(IStockRouter.DepositNotInstant.selector);
        router.depositAndMarketBuy(address(usdc), 50_000e6, address(aapl), 40_000e18, FAR);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
        vm.assertEq(usdc.balanceOf(alice), 50_000e6);
    }
}
