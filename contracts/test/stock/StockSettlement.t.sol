// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SettlementFixture} from "./SettlementFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";
import {CashToken, FeeToken} from "test/tokens/HostileTokens.sol";

contract StockSettlementTest is SettlementFixture {
    // --- buys ---

    function test_buy_isDeliveryAgainstPayment() public {
        bytes32 orderId = place(alice, 340e18);
        vm.expectEmit(address(stock));
        emit IStock.StockBalanceCredited(address(aapl), alice, 1e18);
        vm.expectEmit(address(stock));
        emit IStock.MarketOrderSettled(orderId, settler, address(aapl), alice, 1e18, AAPL_PRICE, 0.34e18, 0.034e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 1e18, 340e18, 0, 0);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), 1e18, 340.34e6, 1);
        vm.assertEq(settleOne(orderId, 0, 1e18, AAPL_PRICE, false), 1);

        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(aapl.balanceOf(address(stock)), 1e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 340.374e18);
        vm.assertEq(usdc.balanceOf(settler), settlerCash + 340.34e6);
        vm.assertEq(aapl.totalSupply(), supply + 1e18);
        vm.assertEq(cashier.collectible(address(usdc)), 0.034e6);
    }

    function test_buy_lowerPriceRefundsTheRest() public {
        bytes32 orderId = place(alice, 340e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 1e18, 330e18, 10.011e18, 0);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceCredited(alice, 10.011e18);
        settleOne(orderId, 0, 1e18, 330e18, true);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 330.363e18);
        vm.assertEq(cashier.totalOwedWad(), 6000e18 - 330.363e18);
    }

    function test_buy_partsCostTheSameAsTheWhole() public {
        uint96[3] memory parts = [uint96(0.333333333333333333e18), 0.1e18, 0.566666666666666667e18];
        bytes32 whole = place(bob, 340e18);
        settleOne(whole, 0, 1e18, 339e18, true);
        bytes32 orderId = place(alice, 340e18);
        uint96 filled;
        for (uint256 i; i < parts.length; ++i) {
            settleOne(orderId, filled, parts[i], 339e18, i == 2);
            filled += parts[i];
        }
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(cashier.balanceWad(alice), cashier.balanceWad(bob));
    }

    /// Of a token of three shares the parts of one and of two, each rounded up, come to a wei more than the notional: the
    /// settler lowers the price of the last by as little.
    function test_buy_thirdsFitTheNotionalAtAWeiLess() public {
        (uint96 price, uint96 first, uint96 second) = (750.03e18, 0.333333333333333333e18, 0.666666666666666667e18);
        publishPrice(AAPL_ID, price);
        bytes32 orderId = place(alice, int96(price));
        settleOne(orderId, 0, first, price, false);
        expectFillSkip(IStock.Fill(orderId, first, second, price, true), IStock.SkipReason.ExceedsOrder);
        settleOne(orderId, first, second, price, true);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 1e18, price, 0, 0);
        settleOne(orderId, first, second, price - 1, true);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
    }

    function test_buy_partStaysOpenWithItsProgress() public {
        bytes32 orderId = place(alice, 340e18);
        settleOne(orderId, 0, 0.25e18, AAPL_PRICE, false);
        IStock.Order memory order = stock.getOrder(orderId);
        vm.assertEq(uint256(order.status), uint256(IStock.OrderStatus.Open));
        vm.assertEq(order.filledQuantity, 0.25e18);
        vm.assertEq(order.filledNotionalWad, 85e18);
        vm.assertEq(order.lockedAmount, 340.374e18 - 85.0935e18);
        settleOne(orderId, 0.25e18, 0.75e18, AAPL_PRICE, false);
        order = stock.getOrder(orderId);
        vm.assertEq(uint256(order.status), uint256(IStock.OrderStatus.Filled));
        vm.assertEq(order.filledQuantity, 0);
        vm.assertEq(order.lockedAmount, 0);
    }

    // --- sells ---

    function test_sell_isDeliveryAgainstPayment() public {
        buyStock(alice, 3e18);
        _note();
        uint256 cash = cashier.balanceWad(alice);
        uint256 collectible = cashier.collectible(address(usdc));
        bytes32 orderId = place(alice, -2e18);
        vm.expectEmit(address(stock));
        emit IStock.MarketOrderSettled(orderId, settler, address(aapl), alice, -2e18, 341e18, 0, 0.0682e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(orderId, alice, address(aapl), IStock.OrderStatus.Filled, 2e18, 682e18, 0, 0);
        vm.expectEmit(address(cashier));
        emit ICashier.BalanceCredited(alice, 681.9318e18);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), -2e18, -682e6, 1);
        settleOne(orderId, 0, 2e18, 341e18, false);

        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(aapl.balanceOf(address(stock)), 1e18);
        vm.assertEq(cashier.balanceWad(alice), cash + 681.9318e18);
        vm.assertEq(usdc.balanceOf(settler), settlerCash - 682e6);
        vm.assertEq(aapl.totalSupply(), supply - 2e18);
        vm.assertEq(cashier.collectible(address(usdc)), collectible + 0.0682e6);
    }

    function test_sell_endedEarlyReturnsTheRest() public {
        buyStock(alice, 3e18);
        bytes32 orderId = place(alice, -2e18);
        vm.expectEmit(address(stock));
        emit IStock.StockReturned(address(aapl), alice, 1.5e18);
        vm.expectEmit(address(stock));
        emit IStock.OrderClosed(
            orderId, alice, address(aapl), IStock.OrderStatus.PartiallyFilled, 0.5e18, 170e18, 1.5e18, 0
        );
        settleOne(orderId, 0, 0.5e18, AAPL_PRICE, true);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 2.5e18);
    }

    /// So little that the fees, rounded up, would be more than the proceeds: they are cut to them.
    function test_sell_feeNeverExceedsProceeds() public {
        vm.prank(admin);
        stock.setFeeRates(IStock.FeeRates(0, 0, 50_000, 50_000));
        buyStock(alice, 1e18);
        uint256 cash = cashier.balanceWad(alice);
        bytes32 orderId = place(alice, -1e18);
        vm.expectEmit(address(stock));
        emit IStock.MarketOrderSettled(orderId, settler, address(aapl), alice, -1, AAPL_PRICE, 17, 17);
        settleOne(orderId, 0, 1, AAPL_PRICE, false);
        vm.assertEq(cashier.balanceWad(alice), cash + 306);
        publishPrice(AAPL_ID, 1e10);
        vm.expectEmit(address(stock));
        emit IStock.MarketOrderSettled(orderId, settler, address(aapl), alice, -1e8, 1e10, 1, 0);
        settleOne(orderId, 1, 1e8, 1e10, false);
        vm.assertEq(cashier.balanceWad(alice), cash + 306);
    }

    // --- batches ---

    function test_batch_movesOnlyTheNet() public {
        buyStock(bob, 3e18);
        bytes32 buy = place(alice, 340e18);
        bytes32 sell = place(bob, -3e18);
        _note();
        IStock.Fill[] memory list = new IStock.Fill[](2);
        list[0] = IStock.Fill(buy, 0, 1e18, AAPL_PRICE, true);
        list[1] = IStock.Fill(sell, 0, 3e18, AAPL_PRICE, true);
        vm.expectEmit(address(stock));
        emit IStock.BatchSettled(settler, address(aapl), address(usdc), -2e18, -(1020e6 - 340.34e6), 2);
        vm.assertEq(settle(list), 2);
        vm.assertEq(usdc.balanceOf(settler), settlerCash - 1020e6 + 340.34e6);
        vm.assertEq(aapl.totalSupply(), supply - 2e18);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
    }

    function test_batch_netOfNothingMovesNothing() public {
        vm.prank(admin);
        stock.setFeeRates(IStock.FeeRates(0, 100, 0, 100));
        buyStock(bob, 1e18);
        bytes32 buy = place(alice, 340e18);
        bytes32 sell = place(bob, -1e18);
        _note();
        IStock.Fill[] memory list = new IStock.Fill[](2);
        list[0] = IStock.Fill(buy, 0, 1e18, AAPL_PRICE, true);
        list[1] = IStock.Fill(sell, 0, 1e18, AAPL_PRICE, true);
        settle(list);
        vm.assertEq(usdc.balanceOf(settler), settlerCash);
        vm.assertEq(aapl.totalSupply(), supply);
    }

    /// Cash out is rounded down, cash in up, once for a batch.
    function test_batch_cashRoundsTowardsTheVenue() public {
        vm.prank(admin);
        stock.setFeeRates(IStock.FeeRates(0, 0, 0, 0));
        bytes32 buy = place(alice, 1e18 + 1);
        settleOne(buy, 0, 0.003e18, 333.3333333333e18, true);
        vm.assertEq(usdc.balanceOf(settler), settlerCash + 999_999);
        _note();
        bytes32 sell = place(alice, -0.003e18);
        settleOne(sell, 0, 0.003e18, 333.3333333333e18, true);
        vm.assertEq(usdc.balanceOf(settler), settlerCash - 1_000_000);
        vm.assertEq(cashier.balanceWad(alice), 3000e18);
    }

    /// Everything that can be wrong with a fill, each skipped with its reason, among fills that are right.
    function test_batch_skipsWithReason() public {
        bytes32 open = place(alice, 340e18);
        settleOne(open, 0, 0.25e18, AAPL_PRICE, false);
        bytes32 closed = place(bob, 34e18);
        settleOne(closed, 0, 0.1e18, AAPL_PRICE, true);
        vm.prank(bob);
        bytes32 other = router.placeMarketOrder(address(tsla), 100e18, FAR);
        buyStock(bob, 1e18);
        bytes32 sell = place(bob, -1e18);

        IStock.Fill[] memory list = new IStock.Fill[](8);
        list[0] = IStock.Fill(keccak256("none"), 0, 1e18, AAPL_PRICE, true);
        list[1] = IStock.Fill(closed, 0, 0.1e18, AAPL_PRICE, true);
        list[2] = IStock.Fill(open, 0, 0.25e18, AAPL_PRICE, false);
        list[3] = IStock.Fill(other, 0, 0.1e18, AAPL_PRICE, true);
        list[4] = IStock.Fill(open, 0.25e18, 0.75e18 + 1, AAPL_PRICE, true);
        list[5] = IStock.Fill(sell, 0, 1e18 + 1, AAPL_PRICE, true);
        list[6] = IStock.Fill(open, 0.25e18, 0.75e18, AAPL_PRICE, true);
        list[7] = IStock.Fill(open, 0.25e18, 0.75e18, AAPL_PRICE, true);
        IStock.SkipReason[6] memory reasons = [
            IStock.SkipReason.OrderUnknown,
            IStock.SkipReason.OrderClosed,
            IStock.SkipReason.FilledBeforeMismatch,
            IStock.SkipReason.WrongToken,
            IStock.SkipReason.ExceedsOrder,
            IStock.SkipReason.ExceedsOrder
        ];
        for (uint256 i; i < reasons.length; ++i) {
            expectFillSkip(list[i], reasons[i]);
        }
        vm.expectEmit(true, true, false, false, address(stock));
        emit IStock.MarketOrderSettled(open, settler, address(0), address(0), 0, 0, 0, 0);
        expectFillSkip(list[7], IStock.SkipReason.OrderClosed);
        vm.assertEq(settle(list), 1);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
    }

    function test_batch_ofSkippedFillsMovesNothing() public {
        vm.prank(settler);
        vm.assertEq(stock.settleMarketOrders(address(aapl), address(0), fills(0, 0, 1, 1, true)), 0);
        vm.assertEq(usdc.balanceOf(settler), settlerCash);
    }

    function test_batch_severalPartsOfOneOrder() public {
        bytes32 orderId = place(alice, 340e18);
        IStock.Fill[] memory list = new IStock.Fill[](3);
        list[0] = IStock.Fill(orderId, 0, 0.2e18, 339e18, false);
        list[1] = IStock.Fill(orderId, 0.2e18, 0.3e18, 340e18, false);
        list[2] = IStock.Fill(orderId, 0.5e18, 0.5e18, 339.5e18, true);
        vm.assertEq(settle(list), 3);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 1e18);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 339.55e18 - 0.373505e18);
    }

    function test_settle_inAnotherCashToken() public {
        CashToken other = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(18)));
        ICashier.TokenConfig memory config = usdcConfig();
        (config.decimals, config.usdRate) = (18, 500_000);
        vm.prank(admin);
        cashier.addSupportedToken(address(other), config);
        bytes32 orderId = place(alice, 340e18);
        IStock.Fill[] memory list = fills(orderId, 0, 1e18, AAPL_PRICE, true);
        vm.expectRevert(ICashier.InsufficientCash.selector);
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(other), list);
        other.mint(address(cashier), 1000e18);
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(other), list);
        vm.assertEq(other.balanceOf(settler), 680.68e18);
    }

    // --- what stops a whole batch ---

    function test_settle_refusals() public {
        bytes32 orderId = place(alice, 340e18);
        vm.expectRevert(roleError(outsider, stock.ORDER_SETTLER_ROLE()));
        vm.prank(outsider);
        stock.settleMarketOrders(address(aapl), address(usdc), fills(orderId, 0, 1e18, AAPL_PRICE, true));
        _expectSettleRevert(
            fills(orderId, 0, 1e18, 0, true), abi.encodeWithSelector(IStock.FillPriceCannotBeZero.selector)
        );
        _expectSettleRevert(
            fills(orderId, 0, 0, AAPL_PRICE, true), abi.encodeWithSelector(IStock.QuantityCannotBeZero.selector)
        );
        vm.expectRevert(IStock.InvalidStockToken.selector);
        vm.prank(settler);
        stock.settleMarketOrders(address(usdc), address(usdc), fills(orderId, 0, 1e18, AAPL_PRICE, true));
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(tsla), fills(orderId, 0, 1e18, AAPL_PRICE, true));

        vm.prank(guardian);
        cashier.pause();
        _expectSettleRevert(fills(orderId, 0, 1e18, AAPL_PRICE, true), abi.encodeWithSignature("EnforcedPause()"));
        vm.prank(guardian);
        stock.pause();
        _expectSettleRevert(fills(orderId, 0, 1e18, AAPL_PRICE, true), abi.encodeWithSignature("EnforcedPause()"));
    }

    /// Exactly on the band is inside, one wei beyond is not, on either side.
    function test_settle_onlyInsideTheBand() public {
        bytes32 orderId = place(alice, 340e18);
        _expectBandRevert(orderId, 357e18 + 1);
        _expectBandRevert(orderId, 323e18 - 1);
        settleOne(orderId, 0, 0.1e18, 357e18, false);
        settleOne(orderId, 0.1e18, 0.1e18, 323e18, false);
        // A fill that is skipped anyway does not count.
        IStock.Fill[] memory list = fills(orderId, 0, 0.1e18, 1, false);
        expectFillSkip(list[0], IStock.SkipReason.FilledBeforeMismatch);
        settle(list);
    }

    function test_settle_onlyAgainstAFreshPrice() public {
        bytes32 orderId = place(alice, 340e18);
        vm.warp(START + MAX_PRICE_AGE);
        settleOne(orderId, 0, 0.1e18, AAPL_PRICE, false);
        vm.warp(START + MAX_PRICE_AGE + 1);
        _expectSettleRevert(
            fills(orderId, 0.1e18, 0.1e18, AAPL_PRICE, false),
            abi.encodeWithSelector(IStock.OraclePriceStale.selector, START)
        );
        vm.prank(admin);
        oracle.resetFeed(AAPL_ID);
        _expectSettleRevert(
            fills(orderId, 0.1e18, 0.1e18, AAPL_PRICE, false),
            abi.encodeWithSelector(IStockOracle.UnknownPriceId.selector)
        );
    }

    /// A sell needs the settler's cash, and the very amount of it.
    function test_settle_withoutSettlersApprovalOrFunds() public {
        buyStock(alice, 1e18);
        bytes32 orderId = place(alice, -1e18);
        vm.prank(settler);
        usdc.approve(address(cashier), 0);
        _expectSettleRevert(
            fills(orderId, 0, 1e18, AAPL_PRICE, true),
            abi.encodeWithSignature("ERC20InsufficientAllowance(address,uint256,uint256)", address(cashier), 0, 340e6)
        );
        vm.assertEq(stock.stockBalance(alice, address(aapl)), 0);
    }

    /// A cash token that delivers less than asked settles nothing.
    function test_settle_refusesCashThatFallsShort() public {
        buyStock(alice, 1e18);
        FeeToken token = FeeToken(deployCode("HostileTokens.sol:FeeToken", abi.encode(6)));
        vm.prank(admin);
        cashier.addSupportedToken(address(token), usdcConfig());
        token.mint(settler, 1000e6);
        vm.prank(settler);
        token.approve(address(cashier), type(uint256).max);
        bytes32 orderId = place(alice, -1e18);
        token.setTaking(true);
        vm.prank(settler);
        vm.expectRevert(ICashier.ReceivedAmountMismatch.selector);
        stock.settleMarketOrders(address(aapl), address(token), fills(orderId, 0, 1e18, AAPL_PRICE, true));
        token.setTaking(false);
        vm.prank(settler);
        stock.settleMarketOrders(address(aapl), address(token), fills(orderId, 0, 1e18, AAPL_PRICE, true));
        vm.assertEq(token.balanceOf(address(cashier)), 340e6);
    }

    /// Cash comes in at its token's rate, rounded up: 340 USD are 680 of a token worth 0.5, and a unit more for a wei more.
    function test_settle_takesCashAtItsRateRoundedUp() public {
        buyStock(alice, 2e18);
        CashToken half = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(6)));
        ICashier.TokenConfig memory config = usdcConfig();
        config.usdRate = 500_000;
        vm.prank(admin);
        cashier.addSupportedToken(address(half), config);
        half.mint(settler, 2000e6);
        vm.prank(settler);
        half.approve(address(cashier), type(uint256).max);
        bytes32 orderId = place(alice, -2e18);
        vm.startPrank(settler);
        stock.settleMarketOrders(address(aapl), address(half), fills(orderId, 0, 1e18, AAPL_PRICE, false));
        vm.assertEq(half.balanceOf(address(cashier)), 680e6);
        stock.settleMarketOrders(address(aapl), address(half), fills(orderId, 1e18, 1e18, AAPL_PRICE + 1, true));
        vm.assertEq(half.balanceOf(address(cashier)), 1360e6 + 1);
        vm.stopPrank();
    }

    /// A token that lost its peg buys nothing at its old rate; what the venue pays out in it costs the settler alone.
    function test_settle_takesNoCashThatLostItsPeg() public {
        buyStock(alice, 2e18);
        bytes32 sell = place(alice, -1e18);
        fund(bob, 1000e6);
        bytes32 buy = place(bob, 340e18);
        vm.prank(manager);
        cashier.setUsdRate(address(usdc), 900_000);
        vm.expectRevert(ICashier.DepositPaused.selector);
        settleOne(sell, 0, 1e18, AAPL_PRICE, true);
        vm.assertEq(settleOne(buy, 0, 1e18, AAPL_PRICE, true), 1);
        vm.startPrank(admin);
        cashier.setUsdRate(address(usdc), 900_000);
        cashier.setTokenPause(address(usdc), false, false);
        vm.stopPrank();
        vm.assertEq(settleOne(sell, 0, 1e18, AAPL_PRICE, true), 1);
    }

    /// What was filled of a market buy counts in the same 96 bits as the quantity of an order, half of them positive.
    function test_settle_quantityOfAMarketBuyFitsAnOrder() public {
        fund(alice, 3000e6);
        address tiny = address(new TinyPrice());
        vm.prank(admin);
        stock.setOracle(tiny);
        bytes32 orderId = place(alice, 1000e18);
        uint96 most = uint96(type(int96).max);
        IStock.ListingTerms memory terms = listingTerms();
        terms.mintCapacity = type(uint96).max;
        vm.prank(admin);
        stock.updateListing(address(aapl), terms);
        IStock.Fill[] memory list = fills(orderId, 0, most + 1, 1e10, false);
        expectFillSkip(list[0], IStock.SkipReason.ExceedsOrder);
        vm.assertEq(settle(list), 0);
        vm.assertEq(settleOne(orderId, 0, most, 1e10, false), 1);
    }

    /// New rates hold for new orders; an order keeps those it was locked for.
    function test_settle_feesAreThoseOfTheOrder() public {
        bytes32 orderId = place(alice, 340e18);
        vm.prank(admin);
        stock.setFeeRates(IStock.FeeRates(50_000, 50_000, 50_000, 50_000));
        settleOne(orderId, 0, 1e18, AAPL_PRICE, true);
        vm.assertEq(cashier.balanceWad(alice), 3000e18 - 340.374e18);
    }

    /// A stock that is no longer tradable still settles what is open, in both directions.
    function test_settle_afterDelisting() public {
        bytes32 orderId = place(alice, 340e18);
        setTradable(address(aapl), false);
        vm.assertEq(settleOne(orderId, 0, 1e18, AAPL_PRICE, true), 1);
    }

    function _expectSettleRevert(IStock.Fill[] memory list, bytes memory revertData) private {
        vm.expectRevert(revertData);
        settle(list);
    }

    function _expectBandRevert(bytes32 orderId, uint96 price) private {
        _expectSettleRevert(
            fills(orderId, 0, 0.1e18, price, false),
            abi.encodeWithSelector(IStock.FillPriceOutsideBand.selector, orderId, price, AAPL_PRICE)
        );
    }
}

/// An oracle that says 0.00000001 USD.
contract TinyPrice {
    function latestPrice(bytes32) external view returns (IStockOracle.PriceData memory data) {
        data.price = 1;
        data.feedUpdateTimestamp = uint64(block.timestamp);
        data.publishedAt = uint64(block.timestamp);
        data.session = 2;
    }
}
