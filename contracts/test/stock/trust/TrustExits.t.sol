// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TrustFixture} from "./TrustFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockToken} from "src/stock/interfaces/IStockToken.sol";

/// Whatever single part stands still, and while the settler does nothing at all, a user gets everything out alone: within the
/// exit delay of orders and that of queued cash and stock after it, which together are shorter than the timelock's.
contract TrustExitsTest is TrustFixture {
    struct Held {
        bytes32 queuedDeposit;
        bytes32 marketBuy;
        bytes32 marketSell;
        bytes32 limitBuy;
        bytes32 limitSell;
    }

    uint96 private constant SHARES = 10e18;
    uint96 private constant DEPOSIT = 50_000e6;

    Held private held;
    /// All of the user's cash when the part stops: balance and locks, mUSD.
    uint256 private cashWad;

    function setUp() public override {
        super.setUp();
        buyStock(victim, SHARES);
        held.queuedDeposit = depositFor(victim, DEPOSIT);
        held.marketBuy = place(victim, 340e18);
        held.marketSell = place(victim, -1e18);
        held.limitBuy = placeLimit(victim, 1e18, 300e18);
        held.limitSell = placeLimit(victim, -1e18, 400e18);
        cashWad = cashier.balanceWad(victim) + stock.getOrder(held.marketBuy).lockedAmount
            + stock.getOrder(held.limitBuy).lockedAmount;
        vm.assertEq(uint256(cashier.cashOperation(held.queuedDeposit).status), uint256(ICashier.OperationStatus.Queued));
        vm.assertLt(ORDER_EXIT + CASH_EXIT, DELAY, "exits come before upgrades");
    }

    function test_exits_whileNothingIsPaused() public {
        _everythingComesOut();
    }

    function test_exits_whileTheRouterIsPaused() public {
        vm.prank(guardian);
        router.pause();
        _everythingComesOut();
    }

    function test_exits_whileTheCashierIsPaused() public {
        vm.prank(guardian);
        cashier.pause();
        _everythingComesOut();
    }

    function test_exits_whileTheExchangeIsPaused() public {
        vm.prank(guardian);
        stock.pause();
        _everythingComesOut();
    }

    function test_exits_whileTheCashTokenIsPaused() public {
        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), true, true);
        _everythingComesOut();
    }

    function test_exits_whileTheCashTokenIsDepegged() public {
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 900_000);
        vm.assertTrue(cashier.tokenConfig(address(usdc)).withdrawPaused, "paused by itself");
        _everythingComesOut();
    }

    function test_exits_whileMovesOfTheStockArePaused() public {
        vm.prank(guardian);
        stock.setStockPause(address(aapl), true, true);
        _everythingComesOut();
    }

    function test_exits_whileTheStockTokenIsPaused() public {
        vm.prank(guardian);
        aapl.pause();
        _everythingComesOut();
    }

    function test_exits_whileTheFeedIsFrozen() public {
        vm.prank(guardian);
        oracle.freezeFeed(AAPL_ID);
        _everythingComesOut();
    }

    function test_exits_whileTheFeedHasNoPrice() public {
        vm.prank(guardian);
        oracle.resetFeed(AAPL_ID);
        _everythingComesOut();
    }

    function test_exits_whileTheStockIsDelisted() public {
        IStock.ListingTerms memory terms = listingTerms();
        terms.tradable = false;
        vm.prank(address(timelock));
        stock.updateListing(address(aapl), terms);
        _everythingComesOut();
    }

    function test_exits_whileDelegatedCallsArePaused() public {
        bytes32 role = oneClick.GUARDIAN_ROLE();
        vm.prank(address(timelock));
        oneClick.grantRole(role, guardian);
        vm.prank(guardian);
        oneClick.pause();
        vm.prank(victim);
        oneClick.undelegate();
        _everythingComesOut();
    }

    /// A wallet that lost its approval takes its cash alone; its stock it cannot hold, so it sells it.
    function test_exits_ofARemovedUser() public {
        _remove(victim);
        vm.warp(time + ORDER_EXIT);
        publishPrice(AAPL_ID, AAPL_PRICE);
        _takeBackOrders();
        bytes32 sale = place(victim, -int96(SHARES));
        vm.assertEq(settleOne(sale, 0, SHARES, AAPL_PRICE, true), 1);
        vm.assertEq(stock.stockBalance(victim, address(aapl)), 0);
        vm.prank(victim);
        cashier.takeBackDeposit(held.queuedDeposit);
        uint96 all = uint96(cashier.balanceWad(victim));
        vm.assertGt(all, cashWad + 3399e18, "the sale's proceeds");
        _withdrawAll(all, time + ORDER_EXIT);
    }

    /// While the token is paused, the venue pays claims and nothing else moves.
    function test_pausedToken_paysClaimsAlone() public {
        vm.prank(guardian);
        aapl.pause();
        bytes32 opId = nextStockId(victim);
        vm.prank(victim);
        router.withdrawStock(address(aapl), 1e18);
        vm.prank(settler);
        stock.settleStockWithdrawals(ids(opId));
        vm.assertEq(aapl.balanceOf(victim), 0, "the settler waits for the end of the pause");
        bytes memory refused = abi.encodeWithSelector(IStockToken.TokenPaused.selector);
        vm.expectRevert(refused);
        settleOne(held.marketBuy, 0, 1e18, AAPL_PRICE, true);
        vm.expectRevert(refused);
        settleOne(held.marketSell, 0, 1e18, AAPL_PRICE, true);
        vm.expectRevert(refused);
        vm.prank(address(stock));
        aapl.burn(1);
        vm.warp(time + CASH_EXIT - 1);
        vm.expectRevert(abi.encodeWithSelector(IStock.ExitNotYetAvailable.selector, time + CASH_EXIT));
        vm.prank(victim);
        stock.claimStockWithdrawal(opId);
        vm.warp(time + CASH_EXIT);
        vm.prank(victim);
        stock.claimStockWithdrawal(opId);
        vm.assertEq(aapl.balanceOf(victim), 1e18);
        vm.expectRevert(refused);
        vm.prank(victim);
        aapl.transfer(bob, 1);
        vm.prank(victim);
        aapl.approve(address(router), 1);
        vm.expectRevert(refused);
        vm.prank(victim);
        router.depositStock(address(aapl), 1);
    }

    // --- inside ---

    /// Balances leave at once or through the queue; what orders hold comes back after their time-out and leaves then.
    function _everythingComesOut() private {
        vm.startPrank(victim);
        router.cancelLimitOrder(held.limitBuy);
        router.cancelLimitOrder(held.limitSell);
        vm.stopPrank();
        bytes32 early = _askForStock(stock.stockBalance(victim, address(aapl)));
        vm.warp(time + CASH_EXIT);
        vm.prank(victim);
        cashier.takeBackDeposit(held.queuedDeposit);
        vm.assertEq(usdc.balanceOf(victim), DEPOSIT, "the queued deposit");
        _claimStock(early);
        vm.assertEq(aapl.balanceOf(victim), SHARES - 2e18, "free stock");
        vm.warp(time + ORDER_EXIT);
        _takeBackOrders();
        vm.assertEq(cashier.balanceWad(victim), cashWad, "every lock came back");
        bytes32 late = _askForStock(2e18);
        _withdrawAll(uint96(cashWad), time + ORDER_EXIT);
        _claimStock(late);
        vm.assertEq(aapl.balanceOf(victim), SHARES, "all stock");
        vm.assertEq(stock.stockBalance(victim, address(aapl)), 0);
    }

    function _takeBackOrders() private {
        vm.startPrank(victim);
        stock.takeBackOrder(held.marketBuy);
        stock.takeBackOrder(held.marketSell);
        stock.takeBackOrder(held.limitBuy);
        stock.takeBackOrder(held.limitSell);
        vm.stopPrank();
    }

    function _withdrawAll(uint96 amountWad, uint256 from) private {
        uint256 before = usdc.balanceOf(victim);
        uint256 due = cashier.balanceWadToToken(address(usdc), amountWad);
        vm.prank(victim);
        bytes32 opId = router.withdraw(address(usdc), amountWad);
        vm.warp(from + CASH_EXIT);
        if (cashier.cashOperation(opId).status == ICashier.OperationStatus.Queued) {
            vm.prank(victim);
            cashier.claimWithdrawal(opId);
        }
        vm.assertEq(usdc.balanceOf(victim) - before, due, "all cash but the fee");
        vm.assertEq(cashier.balanceWad(victim), 0);
    }

    function _askForStock(uint256 amount) private returns (bytes32 opId) {
        opId = nextStockId(victim);
        vm.prank(victim);
        router.withdrawStock(address(aapl), amount);
    }

    function _claimStock(bytes32 opId) private {
        if (stock.stockWithdrawal(opId).status != IStock.StockWithdrawalStatus.Queued) return;
        vm.prank(victim);
        stock.claimStockWithdrawal(opId);
    }
}
