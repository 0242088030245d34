// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TrustFixture} from "./TrustFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {CashToken} from "test/tokens/HostileTokens.sol";

/// The settle key in a thief's hands (docs/trust-model.md, "settle").
contract TrustSettleKeyTest is TrustFixture {
    uint256 private constant STEP = 15 minutes;

    function test_settleKey_marketOrders_withinAnHour() public {
        _expectBound(1 hours, false);
    }

    function test_settleKey_marketOrders_withinADay() public {
        _expectBound(1 days, false);
    }

    function test_settleKey_limitOrders_withinAnHour() public {
        _expectBound(1 hours, true);
    }

    function test_settleKey_limitOrders_withinADay() public {
        _expectBound(1 days, true);
    }

    function test_settleKey_limitOrders_withinTheTimelocksDelay() public {
        _expectBound(DELAY, true);
    }

    /// No token comes into being but by a settlement.
    function test_settleKey_mintsNothingByItself() public {
        vm.assertFalse(aapl.hasRole(aapl.MINTER_ROLE(), settler));
        vm.assertEq(aapl.getRoleMemberCount(aapl.MINTER_ROLE()), 1);
        vm.assertEq(aapl.getRoleMember(aapl.MINTER_ROLE(), 0), address(stock));
        vm.expectRevert(roleError(settler, aapl.MINTER_ROLE()));
        vm.prank(settler);
        aapl.mint(settler, 1);
    }

    /// Buys and sells that offset each other need no mint, and give the thief nothing: a sell costs it what the buy brings.
    function test_settleKey_ownSellAgainstTheVictimsBuy_gainsTheBandAlone() public {
        _giveAttackerStock(100e18);
        bytes32 buy = _placeBuy(300e18, true);
        bytes32 sell = placeLimit(bob, -100e18, 1e18);
        uint256 before = worth(bob) + usdc.balanceOf(settler) * 1e12 + 100 * AAPL_PRICE;
        IStock.Fill[] memory list = new IStock.Fill[](2);
        list[0] = IStock.Fill(buy, 0, 100e18, AAPL_PRICE * 120 / 100, false);
        list[1] = IStock.Fill(sell, 0, 100e18, AAPL_PRICE * 120 / 100, false);
        settleLimits(list);
        uint256 gained = worth(bob) + usdc.balanceOf(settler) * 1e12 - before;
        vm.assertLe(gained, 100 * uint256(AAPL_PRICE) * 21 / 100, "the band, and the third-party fee");
    }

    /// Round after round of own sells paid with a token that fell to nothing, and own buys that take the good one out: the
    /// token paused itself at its old rate, so it pays for nothing.
    function test_settleKey_paysNothingInADepeggedToken() public {
        CashToken fallen = _depeggedToken();
        _giveAttackerStock(100e18);
        uint256 before = worth(bob) + usdc.balanceOf(settler) * 1e12;
        bytes32 sell = placeLimit(bob, -100e18, 1e18);
        vm.startPrank(settler);
        fallen.approve(address(cashier), type(uint256).max);
        vm.expectRevert(ICashier.DepositPaused.selector);
        stock.settleLimitOrders(address(aapl), address(fallen), fills(sell, 0, 100e18, AAPL_PRICE, true));
        vm.stopPrank();
        vm.assertEq(worth(bob) + 100 * AAPL_PRICE + usdc.balanceOf(settler) * 1e12, before);
    }

    /// Fees and nothing else: what is owed to users stays.
    function test_settleKey_collectsNoMoreThanTheFees() public {
        wait_(1 hours);
        vm.prank(victim);
        router.withdraw(address(usdc), 1000e18);
        uint256 held = usdc.balanceOf(settler);
        uint256 excess = cashier.collectible(address(usdc));
        vm.startPrank(settler);
        if (excess != 0) cashier.collectToken(address(usdc), uint96(excess));
        vm.expectRevert(ICashier.ExceedsCollectibleAmount.selector);
        cashier.collectToken(address(usdc), 1);
        vm.stopPrank();
        vm.assertLe(usdc.balanceOf(settler) - held, 2.1e6);
        vm.assertGe(usdc.balanceOf(address(cashier)) * 1e12, cashier.totalOwedWad());
    }

    /// What is owed does not move with a rate: one that rises for a while makes no cash of the users the venue's.
    function test_settleKey_collectsNothingOfARisenRate() public {
        vm.prank(address(timelock));
        cashier.setCashFees(0, 0);
        _moveRate(1_003_000);
        _expectCollectible(address(usdc), 0);
        _moveRate(1_000_000);
        vm.prank(victim);
        bytes32 cash = router.withdraw(address(usdc), 10_000_000e18);
        time += CASH_EXIT;
        vm.warp(time);
        vm.prank(victim);
        cashier.claimWithdrawal(cash);
        vm.assertEq(usdc.balanceOf(victim), 10_000_000e6);
    }

    /// Below the administrator's rate counts the rate itself: fees wait until they exceed what the token has lost.
    function test_settleKey_collectsNoFeesWhileTheRateIsLow() public {
        usdc.mint(address(cashier), 21_000e6);
        _moveRate(997_000);
        _expectCollectible(address(usdc), 0);
        _moveRate(1_000_000);
        _expectCollectible(address(usdc), 21_000e6);
    }

    /// What was deposited below the administrator's rate has gained when it is back, and that is the venue's, as a loss is.
    function test_settleKey_collectsTheGainUpToTheAdministratorsRate() public {
        _moveRate(995_000);
        fund(bob, 100_000e6);
        _moveRate(1_000_000);
        _expectCollectible(address(usdc), 500e6);
    }

    /// A token that fell to nothing is paused at its old rate, and given to the Cashier pays for none of the good one there.
    function test_settleKey_takesNoCashForADepeggedToken() public {
        CashToken fallen = _depeggedToken();
        vm.prank(settler);
        fallen.transfer(address(cashier), 1_000_000e6);
        _expectCollectible(address(usdc), 0);
        _expectCollectible(address(fallen), 0);
        usdc.mint(address(cashier), 5e6);
        _expectCollectible(address(fallen), 5e6);
    }

    /// With the rates key beside it: what users deposit, withdraw and trade while a rate is off is the thief's by as much. Of
    /// what lies there it takes nothing.
    function test_settleAndRateKeys_takeWhatTheRateIsOffOfWhatMoves() public {
        vm.prank(address(timelock));
        cashier.setCashFees(0, 0);
        vm.prank(victim);
        bytes32 cash = router.withdraw(address(usdc), 1_000_000e18);
        _moveRate(1_010_000);
        _expectCollectible(address(usdc), 0);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(cash));
        uint256 lost = 1_000_000e6 - usdc.balanceOf(victim);
        vm.assertApproxEqAbs(lost, 1_000_000e6 - uint256(1_000_000e6) * 100 / 101, 1);
        _expectCollectible(address(usdc), lost);

        // Later the same with deposits, at a rate that is too low.
        wait_(1 days);
        _moveRate(1_000_000);
        wait_(1 days);
        _moveRate(990_000);
        fund(victim, 1_000_000e6);
        wait_(1 days);
        _moveRate(1_000_000);
        _expectCollectible(address(usdc), lost + 10_000e6);
    }

    /// A settler that does nothing, or is gone: everything comes back after the time-outs.
    function test_settleKey_withholding_endsWithTheTimeOut() public {
        _giveAttackerStock(10e18);
        bytes32 buy = _placeBuy(10e18, true);
        bytes32 sell = placeLimit(bob, -10e18, AAPL_PRICE);
        vm.prank(victim);
        bytes32 cash = router.withdraw(address(usdc), 1_000_000e18);
        time += CASH_EXIT;
        vm.warp(time);
        vm.prank(victim);
        cashier.claimWithdrawal(cash);
        vm.assertEq(usdc.balanceOf(victim), 997_900e6);
        time += ORDER_EXIT - CASH_EXIT;
        vm.warp(time);
        vm.prank(victim);
        stock.takeBackOrder(buy);
        vm.prank(bob);
        stock.takeBackOrder(sell);
        vm.assertEq(cashier.balanceWad(victim), 9_000_000e18);
        vm.assertEq(stock.stockBalance(bob, address(aapl)), 10e18);
    }

    /// What was not settled in time is not settled: a thief cannot wait for a price that suits it.
    function test_settleKey_fillsNothingOfADayThatIsOver() public {
        bytes32 orderId = _placeBuy(10e18, true);
        wait_(1 hours);
        publishSession(4);
        wait_(LATE_SETTLEMENT);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, 300e18, false), 1, "as long as settlement may take");
        time += 1;
        vm.warp(time);
        vm.assertEq(settleLimitOne(orderId, 1e18, 1e18, 300e18, false), 0);
        assertStatus(orderId, IStock.OrderStatus.Expired);
        vm.assertEq(stock.getOrder(orderId).lockedAmount, 0);
    }

    /// A day later, when the next day's orders may still be settled, yesterday's may not.
    function test_settleKey_fillsNothingOfTheDayBefore() public {
        bytes32 orderId = _placeBuy(10e18, true);
        wait_(1 hours);
        publishSession(4);
        wait_(20 hours);
        publishSession(4);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, 300e18, false), 0);
        assertStatus(orderId, IStock.OrderStatus.Expired);
    }

    /// An order of the second in which a day ends is one of the next day.
    function test_settleKey_fillsWhatTheNextDayBeganWith() public {
        wait_(1 hours);
        publishSession(4);
        bytes32 orderId = _placeBuy(10e18, true);
        wait_(LATE_SETTLEMENT + 1);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, 300e18, false), 1);
    }

    /// The market closes before all that it executed is settled: the closing price stands for the orders of that day, as long
    /// as they may be settled, in the same bands. One second later they are too late, and need no price to be closed.
    function test_settleKey_fillsAClosedDayAtItsLastPrice() public {
        bytes32 limit = _placeBuy(10e18, true);
        bytes32 market = _placeBuy(10e18, false);
        wait_(1 hours);
        publishSession(0);
        vm.warp(time + MAX_PRICE_AGE + 1);
        vm.assertEq(settleLimitOne(limit, 0, 1e18, AAPL_PRICE, false), 1);
        vm.assertEq(settleOne(market, 0, 1e18, AAPL_PRICE, false), 1);
        vm.warp(time + LATE_SETTLEMENT);
        vm.assertEq(settleLimitOne(limit, 1e18, 1e18, AAPL_PRICE * 120 / 100, false), 1);
        vm.assertEq(settleOne(market, 1e18, 1e18, AAPL_PRICE * 105 / 100, false), 1);
        _expectOutside(limit, AAPL_PRICE * 120 / 100 + 1, true);
        _expectOutside(market, AAPL_PRICE * 105 / 100 + 1, false);
        vm.warp(time + LATE_SETTLEMENT + 1);
        vm.assertEq(settleLimitOne(limit, 2e18, 1e18, AAPL_PRICE, false), 0);
        vm.assertEq(settleOne(market, 2e18, 1e18, AAPL_PRICE, false), 0);
        assertStatus(limit, IStock.OrderStatus.Expired);
        assertStatus(market, IStock.OrderStatus.Expired);
        vm.assertEq(stock.getOrder(limit).lockedAmount + stock.getOrder(market).lockedAmount, 0);
    }

    /// What was not settled until the market closed for good is not settled at the next day's prices.
    function test_settleKey_fillsNothingOfFridayOnMonday() public {
        bytes32 orderId = _placeBuy(10e18, true);
        wait_(1 hours);
        publishSession(0);
        time += 56 hours;
        vm.warp(time);
        publishSession(1);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, 300e18, false), 0);
        assertStatus(orderId, IStock.OrderStatus.Expired);
    }

    /// Nothing was executed for orders that came after the close: neither the closing price nor the late time is theirs.
    function test_settleKey_fillsNothingPlacedSinceTheClose() public {
        wait_(1 hours);
        publishSession(0);
        bytes32 limit = _placeBuy(10e18, true);
        bytes32 market = _placeBuy(10e18, false);
        vm.expectRevert(IStock.MarketClosed.selector);
        settleOne(market, 0, 1e18, AAPL_PRICE, false);
        vm.warp(time + MAX_PRICE_AGE + 1);
        bytes memory stale = abi.encodeWithSelector(IStock.OraclePriceStale.selector, time);
        vm.expectRevert(stale);
        settleLimitOne(limit, 0, 1e18, AAPL_PRICE, false);
        vm.expectRevert(stale);
        settleOne(market, 0, 1e18, AAPL_PRICE, false);
    }

    /// A source that stood still long before the close gave no closing price.
    function test_settleKey_closingPriceIsNoOlderThanTheLateTime() public {
        bytes32 orderId = _placeBuy(10e18, true);
        wait_(1 hours);
        uint256 sourceTime = time;
        vm.warp(time + 2 hours);
        publishSession(0);
        vm.warp(sourceTime + MAX_PRICE_AGE + LATE_SETTLEMENT);
        vm.assertEq(settleLimitOne(orderId, 0, 1e18, AAPL_PRICE, false), 1);
        vm.warp(sourceTime + MAX_PRICE_AGE + LATE_SETTLEMENT + 1);
        vm.expectRevert(abi.encodeWithSelector(IStock.OraclePriceStale.selector, sourceTime));
        settleLimitOne(orderId, 1e18, 1e18, AAPL_PRICE, false);
    }

    /// Where the night trades, its price is asked for.
    function test_settleKey_needsAFreshPriceWhileTheMarketIsOpen() public {
        bytes32 orderId = _placeBuy(10e18, true);
        wait_(1 hours);
        publishSession(4);
        vm.warp(time + MAX_PRICE_AGE + 1);
        vm.expectRevert(abi.encodeWithSelector(IStock.OraclePriceStale.selector, time));
        settleLimitOne(orderId, 0, 1e18, AAPL_PRICE, false);
    }

    function test_settleKey_fillsNothingAfterTheOrdersTimeOut() public {
        bytes32 orderId = _placeBuy(10e18, false);
        wait_(ORDER_EXIT);
        settleOne(orderId, 0, 1e18, AAPL_PRICE, false);
        assertStatus(orderId, IStock.OrderStatus.Expired);
        vm.assertEq(cashier.balanceWad(victim), 10_000_000e18);
    }

    // --- inside ---

    /// A cash token whose loss of all its worth was reported; the settler holds a million of it.
    function _depeggedToken() private returns (CashToken fallen) {
        fallen = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(6)));
        vm.prank(address(timelock));
        cashier.addSupportedToken(address(fallen), usdcConfig());
        fallen.mint(settler, 1_000_000e6);
        vm.prank(manager);
        cashier.setUsdRate(address(fallen), 1);
    }

    function _moveRate(uint32 usdRate) private {
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), usdRate);
        vm.assertEq(cashier.tokenConfig(address(usdc)).usdRate, usdRate);
    }

    /// The settler may collect so much, and not a unit more.
    function _expectCollectible(address token, uint256 amount) private {
        vm.assertEq(cashier.collectible(token), amount);
        vm.prank(settler);
        vm.expectRevert(ICashier.ExceedsCollectibleAmount.selector);
        cashier.collectToken(token, uint96(amount + 1));
    }

    /// Fills the victim's buys at the worst price that passes, with tokens out of the air, as often as the cap lets it.
    function _expectBound(uint256 span, bool isLimit) private {
        uint256 before = usdc.balanceOf(settler);
        uint256 band = isLimit ? MAX_LIMIT_DEVIATION_PPM : MAX_DEVIATION_PPM;
        uint96 worst = uint96(AAPL_PRICE * (1e6 + band) / 1e6);
        uint256 end = time + span;
        while (true) {
            _fillWhatTheCapLeaves(worst, isLimit);
            if (time == end) break;
            wait_(time + STEP < end ? STEP : end - time);
        }
        uint256 cap = MINT_CAP + MINT_CAP * span / 1 days;
        // The third-party fee, 0.1 %, goes with the cash.
        uint256 bound_ = cap * worst / 1e18 * 1001 / 1000 / 1e12;
        uint256 taken = usdc.balanceOf(settler) - before;
        vm.assertLe(taken, bound_, "more than the table says");
        vm.assertGe(taken, bound_ * 97 / 100, "the bound is that of the cap, not of the test");
    }

    function _fillWhatTheCapLeaves(uint96 price, bool isLimit) private {
        uint96 quantity = uint96(stock.mintable(address(aapl)));
        bytes32 orderId = _placeBuy(quantity + 1e18, isLimit);
        IStock.Fill[] memory tooMuch = fills(orderId, 0, quantity + 1, price, false);
        IStock.Fill[] memory list = fills(orderId, 0, quantity, price, false);
        vm.startPrank(settler);
        vm.expectRevert(abi.encodeWithSelector(IStock.MintCapExceeded.selector, address(aapl), quantity + 1, quantity));
        if (isLimit) stock.settleLimitOrders(address(aapl), address(usdc), tooMuch);
        else stock.settleMarketOrders(address(aapl), address(usdc), tooMuch);
        if (isLimit) stock.settleLimitOrders(address(aapl), address(usdc), list);
        else stock.settleMarketOrders(address(aapl), address(usdc), list);
        vm.expectRevert(
            abi.encodeWithSelector(
                IStock.FillPriceOutsideBand.selector, orderId, uint256(price) + 1, uint256(AAPL_PRICE)
            )
        );
        list[0] = IStock.Fill(orderId, quantity, 1, price + 1, false);
        if (isLimit) stock.settleLimitOrders(address(aapl), address(usdc), list);
        else stock.settleMarketOrders(address(aapl), address(usdc), list);
        vm.stopPrank();
    }

    function _expectOutside(bytes32 orderId, uint96 price, bool isLimit) private {
        IStock.Fill[] memory list = fills(orderId, 2e18, 1e18, price, false);
        vm.expectRevert(
            abi.encodeWithSelector(IStock.FillPriceOutsideBand.selector, orderId, uint256(price), uint256(AAPL_PRICE))
        );
        if (isLimit) settleLimits(list);
        else settle(list);
    }

    /// A buy of the victim, at any price where it is a limit order.
    function _placeBuy(uint96 quantity, bool isLimit) private returns (bytes32) {
        uint256 price = uint256(AAPL_PRICE) * 2;
        if (isLimit) return placeLimit(victim, int96(quantity), uint96(price));
        return place(victim, int96(int256(quantity * price / 1e18)));
    }

    function _giveAttackerStock(uint96 quantity) private {
        IStock.ListingTerms memory terms = listingTerms();
        vm.prank(address(timelock));
        stock.updateListing(address(aapl), terms);
        buyStock(bob, quantity);
        (terms.mintCapacity, terms.mintPeriodSec) = (MINT_CAP, 1 days);
        vm.prank(address(timelock));
        stock.updateListing(address(aapl), terms);
    }
}
