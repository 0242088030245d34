// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {Rounding} from "src/stock/libraries/Rounding.sol";
import {CashToken} from "test/tokens/HostileTokens.sol";

/// Arithmetic over all inputs: nothing is created, every rounding goes against the actor, every exit opens.
contract StockFuzzTest is StockFixture {
    uint256 private constant PARTS = 4;

    /// However a buy is split and priced, the user pays notional and fees once, and never more than the lock.
    function testFuzz_buy(
        uint256 notional,
        uint256[PARTS] memory quantities,
        uint256[PARTS] memory prices,
        uint16[2] memory fees
    ) public {
        int96 amount = int96(int256(bound(notional, 1, 1_000_000e18)));
        _setBuyFees(fees);
        fund(alice, 1_200_000e6);
        uint256 before = cashier.balanceWad(alice);
        bytes32 orderId = place(alice, amount);
        uint256 locked = before - cashier.balanceWad(alice);
        vm.assertEq(locked, stock.previewLock(amount));

        (uint256 filled, uint256 spent) = (0, 0);
        for (uint256 i; i < PARTS; ++i) {
            uint256 price = bound(prices[i], 323e18, 357e18);
            uint256 room = (uint256(int256(amount)) - spent) * 1e18 / price;
            if (room == 0) break;
            uint256 quantity = bound(quantities[i], 1, room);
            vm.assertEq(settleOne(orderId, uint96(filled), uint96(quantity), uint96(price), false), 1);
            filled += quantity;
            spent += Rounding.notionalUp(quantity, price);
            if (stock.getOrder(orderId).status != IStock.OrderStatus.Open) break;
            vm.assertEq(stock.getOrder(orderId).filledNotionalWad, spent);
        }
        if (stock.getOrder(orderId).status == IStock.OrderStatus.Open) {
            vm.prank(settler);
            vm.assertEq(stock.rejectMarketOrders(rejections(orderId, uint96(filled), 1)), 1);
        }
        (uint256 thirdPartyPpm, uint256 protocolPpm) =
            (stock.feeRates().buyThirdPartyPpm, stock.feeRates().buyProtocolPpm);
        uint256 cost = spent + Rounding.feeUp(spent, thirdPartyPpm) + Rounding.feeUp(spent, protocolPpm);
        vm.assertLe(cost, locked);
        vm.assertEq(cashier.balanceWad(alice), before - cost);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), filled);
        _assertCovered();
    }

    /// However a sell is split and priced, the user gets at most the proceeds less the fees on them.
    function testFuzz_sell(
        uint256 amount,
        uint256[PARTS] memory quantities,
        uint256[PARTS] memory prices,
        uint16[2] memory fees
    ) public {
        uint256 quantity = bound(amount, 1, 1000e18);
        buyStock(alice, uint96(quantity));
        vm.prank(admin);
        stock.setFeeRates(
            IStock.FeeRates(
                0, 0, uint16(bound(uint256(fees[0]), 0, 50_000)), uint16(bound(uint256(fees[1]), 0, 50_000))
            )
        );
        uint256 before = cashier.balanceWad(alice);
        bytes32 orderId = place(alice, -int96(int256(quantity)));
        (uint256 filled, uint256 gross) = (0, 0);
        for (uint256 i; i < PARTS && filled < quantity; ++i) {
            uint256 price = bound(prices[i], 323e18, 357e18);
            uint256 part = bound(quantities[i], 1, quantity - filled);
            vm.assertEq(settleOne(orderId, uint96(filled), uint96(part), uint96(price), false), 1);
            filled += part;
            gross += Rounding.notionalDown(part, price);
        }
        uint256 net = cashier.balanceWad(alice) - before;
        IStock.FeeRates memory set = stock.feeRates();
        uint256 fee = Rounding.feeUp(gross, set.sellThirdPartyPpm) + Rounding.feeUp(gross, set.sellProtocolPpm);
        vm.assertLe(net, gross);
        vm.assertGe(net + fee, gross);
        vm.warp(block.timestamp + EXIT_DELAY);
        if (filled < quantity) {
            vm.prank(alice);
            stock.takeBackOrder(orderId);
        }
        vm.assertEq(stock.stockBalance(alice, address(aapl)), quantity - filled);
        _assertCovered();
    }

    /// In and out again, whatever the token, rate and fees: nobody comes out with more.
    function testFuzz_depositAndWithdrawNeverGains(uint96 amount, uint8 decimals, uint32 usdRate, uint16[2] memory fees)
        public
    {
        decimals = uint8(bound(uint256(decimals), 0, 18));
        usdRate = uint32(bound(uint256(usdRate), 1, 10e6));
        amount = uint96(bound(uint256(amount), 1, 1_000_000 * 10 ** decimals));
        vm.startPrank(admin);
        cashier.setCashFees(uint16(bound(uint256(fees[0]), 0, 50_000)), uint16(bound(uint256(fees[1]), 0, 50_000)));
        CashToken token = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(decimals)));
        cashier.addSupportedToken(
            address(token), ICashier.TokenConfig(0, usdRate, decimals, false, false, 0, type(uint96).max)
        );
        vm.stopPrank();
        token.mint(alice, amount);
        vm.prank(alice);
        token.approve(address(router), amount);
        vm.assume(cashier.tokenToBalanceWadInstant(address(token), amount) > 0);
        vm.prank(alice);
        bytes32 opId = router.deposit(address(token), amount);
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(opId));
        uint96 credited = uint96(cashier.balanceWad(alice));
        vm.assume(cashier.balanceWadToToken(address(token), credited) > 0);
        vm.prank(alice);
        opId = router.withdraw(address(token), credited);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.assertEq(cashier.balanceWad(alice), 0);
        vm.assertEq(cashier.totalOwedWad(), 0);
        vm.assertLe(token.balanceOf(alice), amount);
        vm.assertEq(token.balanceOf(alice) + token.balanceOf(address(cashier)), amount);
    }

    /// After the time-out, and not a second before, a user is out of an order whatever the venue does.
    function testFuzz_exitOpens(uint32 delay, uint32 waited, uint96 notional, bool paused) public {
        delay = uint32(bound(uint256(delay), 1 hours, 30 days));
        waited = uint32(bound(uint256(waited), 0, 40 days));
        notional = uint96(bound(uint256(notional), 1, 900e18));
        vm.prank(admin);
        stock.setExitDelay(delay);
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, int96(notional));
        if (paused) {
            vm.startPrank(guardian);
            router.pause();
            stock.pause();
            cashier.pause();
            vm.stopPrank();
        }
        vm.warp(START + waited);
        vm.prank(alice);
        (bool out,) = address(stock).call(abi.encodeCall(stock.takeBackOrder, (orderId)));
        vm.assertEq(out, waited >= delay);
        vm.assertEq(cashier.balanceWad(alice) == 1000e18, out);
    }

    /// Token units of mUSD and back: down never exceeds, up never falls short, and they are one unit apart at most.
    function testFuzz_conversion(uint112 wad, uint32 usdRate, uint8 decimals) public pure {
        usdRate = uint32(bound(uint256(usdRate), 1, type(uint32).max));
        decimals = uint8(bound(uint256(decimals), 0, 18));
        uint256 down = Rounding.wadToTokenDown(wad, usdRate, decimals);
        uint256 up = Rounding.wadToTokenUp(wad, usdRate, decimals);
        vm.assertLe(up - down, 1);
        if (down <= type(uint128).max) vm.assertLe(Rounding.tokenToWadDown(down, usdRate, decimals), wad);
        if (up <= type(uint128).max) vm.assertGe(Rounding.tokenToWadDown(up, usdRate, decimals), wad);
    }

    function _setBuyFees(uint16[2] memory fees) private {
        vm.prank(admin);
        stock.setFeeRates(
            IStock.FeeRates(
                uint16(bound(uint256(fees[0]), 0, 50_000)), uint16(bound(uint256(fees[1]), 0, 50_000)), 0, 0
            )
        );
    }

    function _assertCovered() private view {
        vm.assertGe(usdc.balanceOf(address(cashier)) * 1e12, cashier.totalOwedWad());
        vm.assertGe(aapl.balanceOf(address(stock)), stock.stockBalance(alice, address(aapl)));
    }
}
