// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TrustFixture} from "./TrustFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {ICompliance} from "src/stock/interfaces/ICompliance.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {IStockToken} from "src/stock/interfaces/IStockToken.sol";

/// Every other key in a thief's hands (docs/trust-model.md).
contract TrustOtherKeysTest is TrustFixture {
    // --- configure ---

    /// One split of a limited ratio within the timelock's delay, in either direction, and nothing else of a token.
    function test_configureKey_withinTheTimelocksDelay() public {
        vm.startPrank(configurator);
        vm.expectRevert(abi.encodeWithSelector(IStockToken.SplitRatioOutOfBounds.selector, 1e18, 20e18 + 1));
        aapl.setSharesPerToken(20e18 + 1);
        vm.expectRevert(abi.encodeWithSelector(IStockToken.SplitRatioOutOfBounds.selector, 1e18, 0.05e18 - 1));
        aapl.setSharesPerToken(0.05e18 - 1);
        aapl.setSharesPerToken(20e18);
        vm.warp(time + DELAY);
        vm.expectRevert(abi.encodeWithSelector(IStockToken.SplitTooSoon.selector, START + 7 days));
        aapl.setSharesPerToken(21e18);
        // The same figure again, as a keeper that lost its memory sends it, changes nothing and counts for nothing.
        aapl.setSharesPerToken(20e18);
        vm.expectRevert(roleError(configurator, bytes32(0)));
        aapl.setName("Worthless");
        vm.expectRevert(roleError(configurator, bytes32(0)));
        aapl.setSymbol("aNONE");
        vm.expectRevert(roleError(configurator, bytes32(0)));
        aapl.setCompliance(configurator);
        vm.warp(START + 7 days);
        aapl.setSharesPerToken(1e18);
        vm.stopPrank();
        vm.assertEq(aapl.sharesPerToken(), 1e18);
    }

    function test_administrator_correctsASplitAtOnceAfterTheDelay() public {
        vm.prank(configurator);
        aapl.setSharesPerToken(20e18);
        vm.prank(address(timelock));
        aapl.setSharesPerToken(0.001e18);
        vm.assertEq(aapl.sharesPerToken(), 0.001e18);
    }

    // --- compliance ---

    function test_complianceKey_cannotRemoveTheVenuesContracts() public {
        _remove(address(stock));
        vm.assertTrue(compliance.isCompliant(address(stock)));
        vm.expectRevert(roleError(manager, bytes32(0)));
        vm.prank(manager);
        compliance.setVenueContract(address(stock), false);
        bytes32 orderId = place(victim, 340e18);
        vm.assertEq(settleOne(orderId, 0, 1e18, AAPL_PRICE, true), 1);
    }

    /// Whoever is removed gets out with everything: stock from the wallet and the exchange is sold, cash is withdrawn.
    function test_complianceKey_removedUserSellsAndWithdraws() public {
        buyStock(bob, 4e18);
        vm.startPrank(bob);
        router.withdrawStock(address(aapl), 2e18);
        aapl.approve(address(router), 2e18);
        vm.stopPrank();
        _remove(bob);
        uint256 cash = cashier.balanceWad(bob);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        vm.prank(bob);
        aapl.transfer(victim, 1e18);
        vm.prank(bob);
        router.depositStockAndMarketSell(address(aapl), 1e18, -1e18, FAR);
        vm.startPrank(bob);
        router.depositStock(address(aapl), 1e18);
        bytes32 market = router.placeMarketOrder(address(aapl), -1e18, FAR);
        bytes32 limit = router.placeLimitOrder(address(aapl), -2e18, AAPL_PRICE, 0, FAR);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        router.placeMarketOrder(address(aapl), 1e18, FAR);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        router.placeLimitOrder(address(aapl), 1, 1e18, 0, FAR);
        vm.stopPrank();
        vm.assertEq(settleOne(market, 0, 1e18, AAPL_PRICE, true), 1);
        vm.assertEq(settleLimitOne(limit, 0, 2e18, AAPL_PRICE, true), 1);
        uint256 proceeds = 3 * (340e18 - 0.034e18);
        vm.assertEq(cashier.balanceWad(bob), cash + proceeds);
        vm.prank(bob);
        router.withdraw(address(usdc), uint96(cash + proceeds));
    }

    /// Its open buys are closed and refunded, not filled into stock that it could not move.
    function test_complianceKey_removedUsersBuysAreClosed() public {
        bytes32 market = place(victim, 340e18);
        bytes32 limit = placeLimit(victim, 2e18, AAPL_PRICE);
        bytes32 partly = placeLimit(victim, 2e18, AAPL_PRICE);
        settleLimitOne(partly, 0, 1e18, AAPL_PRICE, false);
        bytes32 ended = placeLimit(victim, 2e18, AAPL_PRICE);
        uint256 cash = cashier.balanceWad(victim);
        uint256 locked = stock.getOrder(market).lockedAmount + stock.getOrder(limit).lockedAmount
            + stock.getOrder(partly).lockedAmount + stock.getOrder(ended).lockedAmount;
        _remove(victim);
        IStock.Fill[] memory list = fills(market, 0, 1e18, AAPL_PRICE, true);
        expectFillSkip(list[0], IStock.SkipReason.UserNotApproved);
        vm.assertEq(settle(list), 0);
        settleLimitOne(limit, 0, 1e18, AAPL_PRICE, false);
        settleLimitOne(partly, 1e18, 1e18, AAPL_PRICE, false);
        vm.assertEq(settleCancelOne(ended, 0, 1e18, AAPL_PRICE, IStock.EndCause.Expired), 1);
        assertStatus(market, IStock.OrderStatus.Rejected);
        assertStatus(limit, IStock.OrderStatus.Rejected);
        assertStatus(partly, IStock.OrderStatus.PartiallyFilled);
        assertStatus(ended, IStock.OrderStatus.Expired);
        vm.assertEq(stock.stockBalance(victim, address(aapl)), 1e18);
        vm.assertEq(cashier.balanceWad(victim), cash + locked);
    }

    // --- oracle ---

    /// A lie about the price moves nothing by itself: an honest settlement stands still until the guardian has stopped the
    /// feed, and every lock comes back.
    function test_oracleKey_stopsSettlementAndTakesNothing() public {
        bytes32 orderId = place(victim, 340e18);
        publishPrice(AAPL_ID, 3400e18);
        vm.expectRevert(
            abi.encodeWithSelector(IStock.FillPriceOutsideBand.selector, orderId, uint256(AAPL_PRICE), 3400e18)
        );
        settleOne(orderId, 0, 1e18, AAPL_PRICE, true);
        vm.startPrank(guardian);
        oracle.freezeFeed(AAPL_ID);
        oracle.resetFeed(AAPL_ID);
        vm.stopPrank();
        vm.expectRevert(IStockOracle.UnknownPriceId.selector);
        settleOne(orderId, 0, 1e18, AAPL_PRICE, true);
        vm.prank(address(timelock));
        oracle.unfreezeFeed(AAPL_ID);
        publishPrice(AAPL_ID, AAPL_PRICE);
        vm.assertEq(settleOne(orderId, 0, 0.9e18, AAPL_PRICE, true), 1);
    }

    /// A source time of the future blocks the feed for as long as a source may lead, not for good.
    function test_oracleKey_blocksAFeedForFiveMinutesAtMost() public {
        uint64 lead = oracle.MAX_LEAD_SEC();
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] = IStockOracle.PriceUpdate(AAPL_ID, 340e8, 0, 0, uint64(time) + lead, 2);
        vm.prank(publisher);
        oracle.publish(updates);
        wait_(lead);
        vm.assertEq(lead, 5 minutes);
        vm.assertEq(oracle.latestPrice(AAPL_ID).feedUpdateTimestamp, time);
    }

    /// Who makes the price and settles by it takes what open market orders lock, and no more; a limit is the user's own.
    function test_oracleAndSettleKeys_takeWhatMarketOrdersLock() public {
        bytes32 market = place(victim, 34_000e18);
        bytes32 limit = placeLimit(victim, 1e18, AAPL_PRICE);
        uint256 free = cashier.balanceWad(victim);
        uint256 locked = stock.getOrder(market).lockedAmount;
        uint256 held = usdc.balanceOf(settler);
        uint96 lie = 340_000e18;
        publishPrice(AAPL_ID, lie);
        vm.assertEq(settleOne(market, 0, 0.1e18, lie, true), 1);
        vm.assertEq(cashier.balanceWad(victim), free, "what no order locks stays");
        vm.assertLe((usdc.balanceOf(settler) - held) * 1e12, locked);
        vm.expectRevert(abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, limit, lie, AAPL_PRICE));
        settleLimitOne(limit, 0, 1e18, lie, false);
        vm.assertEq(settleLimitOne(limit, 0, 1e18, AAPL_PRICE, true), 1, "at its limit, at the worst");
    }

    /// A feed that stands still is old, however often it is published again; a price for nobody is no price for a fill.
    function test_oracleKey_frozenSourceIsNotFresh() public {
        bytes32 market = place(victim, 340e18);
        bytes32 limit = placeLimit(victim, 1e18, AAPL_PRICE);
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] = IStockOracle.PriceUpdate(AAPL_ID, 340e8, 0, 0, uint64(START), 2);
        for (uint256 i; i <= MAX_PRICE_AGE / 5 minutes; ++i) {
            vm.warp(START + i * 5 minutes);
            vm.prank(publisher);
            oracle.publish(updates);
        }
        vm.assertEq(settleOne(market, 0, 0.1e18, AAPL_PRICE, false), 1, "as old as it may be");
        vm.warp(START + MAX_PRICE_AGE + 1);
        vm.prank(publisher);
        oracle.publish(updates);
        bytes memory stale = abi.encodeWithSelector(IStock.OraclePriceStale.selector, START);
        vm.expectRevert(stale);
        settleOne(market, 0.1e18, 0.1e18, AAPL_PRICE, false);
        vm.expectRevert(stale);
        settleLimitOne(limit, 0, 1e18, AAPL_PRICE, false);
        vm.expectRevert(stale);
        settleCancelOne(limit, 0, 0.5e18, AAPL_PRICE, IStock.EndCause.Expired);
        vm.assertEq(settleCancelOne(limit, 0, 0, 0, IStock.EndCause.Expired), 1, "an end needs no price");
    }

    function test_closedSession_fillsNoMarketOrder() public {
        bytes32 market = place(victim, 340e18);
        bytes32 limit = placeLimit(victim, 1e18, AAPL_PRICE);
        publishSession(0);
        vm.expectRevert(IStock.MarketClosed.selector);
        settleOne(market, 0, 1e18, AAPL_PRICE, true);
        // Executed before the close, settled after it.
        vm.assertEq(settleLimitOne(limit, 0, 1e18, AAPL_PRICE, true), 1);
    }

    // --- rate manager ---

    /// A rate that goes up for the thief's deposit and down for its withdrawal: half of a day's moves is the gain.
    function test_rateKey_withinADay() public {
        usdc.mint(address(cashier), 10_000_000e6);
        fund(bob, 100_000e6);
        uint256 before = 100_000e6;
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 1_005_000);
        fund(bob, 100_000e6);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 1_000_000);
        vm.assertLe(cashier.balanceWad(bob) - before * 1e12, uint256(100_000e18) * 1005 / 1000);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 999_999);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, 1_000_000, "the day's moves are spent");
        vm.assertTrue(cashier.tokenConfig(address(usdc)).withdrawPaused, "and the token is paused");
    }

    /// One way is twice as much: a deposit at the administrator's rate, withdrawn at the lowest that the day's moves reach.
    function test_rateKey_oneWayWithinADay() public {
        usdc.mint(address(cashier), 10_000_000e6);
        fund(bob, 310_000e6);
        uint256 atOnce = _withdrawAt(990_000);
        vm.assertEq(atOnce, uint256(100_000e6 - 210e6) * 100 / 99);
        wait_(1 hours);
        uint256 withinTheHour = _withdrawAt(989_584);
        vm.assertLe(withinTheHour, uint256(100_000e6 - 210e6) * 10_106 / 10_000);
        wait_(1 days);
        vm.assertEq(_withdrawAt(980_000), uint256(100_000e6 - 210e6) * 100 / 98);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 979_999);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, 980_000, "never further");
    }

    /// From 2 % above the administrator's rate to 2 % below takes six days, for who deposits on the second and withdraws on the last.
    function test_rateKey_oneWayWithinSixDays() public {
        usdc.mint(address(cashier), 10_000_000e6);
        _setRate(1_010_000);
        wait_(1 days);
        _setRate(1_020_000);
        fund(bob, 100_000e6);
        vm.assertGe(cashier.balanceWad(bob), 100_000e18, "after the fee of the deposit too");
        uint32[3] memory down = [uint32(1_010_000), 1_000_000, 990_000];
        for (uint256 i; i < down.length; ++i) {
            wait_(1 days);
            _setRate(down[i]);
        }
        wait_(1 days);
        uint256 paid = _withdrawAt(980_000);
        vm.assertEq(paid, uint256(100_000e6 - 210e6) * 100 / 98);
        // Of what was deposited for that much at 1.02, before fees.
        vm.assertLe(uint256(100_000e6) * 102 / 98, uint256(100_000e6) * 10_410 / 10_000);
    }

    function _setRate(uint32 usdRate) private {
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), usdRate);
    }

    function _withdrawAt(uint32 usdRate) private returns (uint256) {
        uint256 held = usdc.balanceOf(bob);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), usdRate);
        vm.prank(bob);
        bytes32 cash = router.withdraw(address(usdc), 100_000e18);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(cash));
        return usdc.balanceOf(bob) - held;
    }

    // --- guardian ---

    /// The guardian stops everything, and every way out stays open: what it pauses is queued, and after the time-out claimed.
    function test_guardianKey_holdsUpAndTakesNothing() public {
        buyStock(bob, 2e18);
        bytes32 orderId = place(victim, 340e18);
        pauseAll();
        vm.startPrank(guardian);
        cashier.setTokenPause(address(usdc), true, true);
        stock.setStockPause(address(aapl), true, true);
        oracle.freezeFeed(AAPL_ID);
        vm.stopPrank();
        vm.prank(victim);
        bytes32 cash = router.withdraw(address(usdc), 1000e18);
        bytes32 shares = nextStockId(bob);
        vm.prank(bob);
        router.withdrawStock(address(aapl), 2e18);
        vm.assertEq(stock.stockWithdrawal(shares).exitAt, time + CASH_EXIT);
        vm.warp(time + CASH_EXIT);
        vm.prank(victim);
        cashier.claimWithdrawal(cash);
        vm.prank(bob);
        stock.claimStockWithdrawal(shares);
        vm.warp(time + ORDER_EXIT);
        vm.prank(victim);
        stock.takeBackOrder(orderId);
        vm.assertEq(usdc.balanceOf(victim), 997.9e6);
        vm.assertEq(aapl.balanceOf(bob), 2e18);
        vm.assertEq(cashier.balanceWad(victim), 10_000_000e18 - 1000e18);
    }

    function test_guardianKey_liftsNothing() public {
        pauseAll();
        vm.startPrank(guardian);
        vm.expectRevert(roleError(guardian, bytes32(0)));
        cashier.unpause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        stock.unpause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        router.unpause();
        vm.stopPrank();
    }

    // --- proposer ---

    /// A malicious upgrade can be seen coming for longer than any exit takes, and the guardian can stop it.
    function test_proposerKey_exitsComeFirst() public {
        buyStock(bob, 2e18);
        bytes memory upgrade = abi.encodeCall(cashier.upgradeToAndCall, (makeAddress("evil"), ""));
        vm.prank(proposer);
        timelock.schedule(address(cashier), 0, upgrade, 0, 0, DELAY);
        bytes32 order = place(victim, 340e18);
        vm.prank(guardian);
        cashier.pause();
        vm.prank(victim);
        bytes32 cash = router.withdraw(address(usdc), 1000e18);
        vm.assertGt(START + DELAY, stock.getOrder(order).exitAt, "orders");
        vm.assertGt(START + DELAY, cashier.cashOperation(cash).exitAt, "cash");
        vm.warp(START + DELAY - 1);
        vm.expectRevert();
        timelock.execute(address(cashier), 0, upgrade, 0, 0);
        vm.prank(victim);
        cashier.claimWithdrawal(cash);
        vm.prank(victim);
        stock.takeBackOrder(order);
        bytes32 id = timelock.hashOperation(address(cashier), 0, upgrade, 0, 0);
        vm.prank(guardian);
        timelock.cancel(id);
        vm.warp(START + DELAY);
        vm.expectRevert();
        timelock.execute(address(cashier), 0, upgrade, 0, 0);
    }

    /// Nobody but the timelock administrates anything, and a stranger can do nothing at all.
    function test_nobodyElse_administrates() public view {
        address[8] memory parts = administrated();
        for (uint256 i; i < parts.length; ++i) {
            vm.assertEq(ITestRoles(parts[i]).getRoleMemberCount(0), 1);
            vm.assertEq(ITestRoles(parts[i]).getRoleMember(0, 0), address(timelock));
        }
        vm.assertFalse(timelock.hasRole(0, admin));
        vm.assertTrue(timelock.hasRole(0, address(timelock)));
    }
}

interface ITestRoles {
    function getRoleMemberCount(bytes32 role) external view returns (uint256);
    function getRoleMember(bytes32 role, uint256 index) external view returns (address);
}
