// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {Rounding} from "src/stock/libraries/Rounding.sol";

/// Arithmetic of limit orders over all inputs: locks, fees, rounding, parts in any split, any way to end.
contract StockLimitFuzzTest is StockFixture {
    uint256 private constant PARTS = 5;
    uint256 private constant MAX_LOCK = 1_000_000e18;

    /// However a buy is split and priced, no rightful part is skipped, the user pays what the parts cost and the fees on
    /// their sum once, and never more than the lock.
    function testFuzz_buy(
        uint96 price,
        uint256 amount,
        uint256[PARTS] memory parts,
        uint256[PARTS] memory prices,
        uint16[2] memory fees,
        uint8 way
    ) public {
        price = uint96(bound(uint256(price), 1, 1_000_000e18));
        uint256 quantity = bound(amount, 1, _min(MAX_LOCK * 1e18 / price, 100_000e18));
        _setFees(fees, true);
        openBand(true);
        fund(alice, 1_200_000e6);
        uint256 before = cashier.balanceWad(alice);
        bytes32 orderId = placeLimit(alice, int96(int256(quantity)), price);
        uint256 locked = before - cashier.balanceWad(alice);
        vm.assertEq(locked, stock.previewLimitLock(int96(int256(quantity)), price));
        vm.assertEq(locked, _withFees(Rounding.notionalUp(quantity, price)));

        (uint256 filled, uint256 spent) = _buyParts(orderId, quantity, price, parts, prices);
        _end(orderId, uint96(filled), filled == quantity, way);
        uint256 cost = _withFees(spent);
        vm.assertLe(cost, locked, "more than the lock");
        vm.assertEq(cashier.balanceWad(alice), before - cost, "cost");
        vm.assertEq(stock.stockBalance(alice, address(aapl)), filled, "delivered");
        _assertCovered();
    }

    /// Settles parts at prices up to the limit. Returns the quantity and what it cost without fees.
    function _buyParts(
        bytes32 orderId,
        uint256 quantity,
        uint96 price,
        uint256[PARTS] memory parts,
        uint256[PARTS] memory prices
    ) private returns (uint256 filled, uint256 spent) {
        uint256 limitNotional = Rounding.notionalUp(quantity, price);
        for (uint256 i; i < PARTS && filled < quantity; ++i) {
            // The whole rest at times, and the limit itself at times: there the rounding is at its edge.
            uint256 part = parts[i] % 3 == 0 ? quantity - filled : bound(parts[i], 1, quantity - filled);
            uint96 paid = prices[i] % 3 == 0 ? price : uint96(bound(prices[i], 1, price));
            vm.assertEq(settleLimitOne(orderId, uint96(filled), uint96(part), paid, false), 1, "a part was skipped");
            filled += part;
            spent = _min(spent + Rounding.notionalUp(part, paid), limitNotional);
        }
    }

    /// One wei after the other at the limit: the settler may lose the roundings, the user pays the lock at most.
    function testFuzz_buy_inWeis(uint96 price, uint8 weis) public {
        price = uint96(bound(uint256(price), 1, 3e18));
        uint96 quantity = uint96(bound(uint256(weis), 1, 24));
        fund(alice, 1000e6);
        bytes32 orderId = placeLimit(alice, int96(quantity), price);
        uint256 locked = stock.getOrder(orderId).lockedAmount;
        for (uint96 i; i < quantity; ++i) {
            vm.assertEq(settleLimitOne(orderId, i, 1, price, false), 1, "a wei was skipped");
        }
        assertStatus(orderId, IStock.OrderStatus.Filled);
        vm.assertLe(1000e18 - cashier.balanceWad(alice), locked);
        vm.assertEq(stock.stockBalance(alice, address(aapl)), quantity);
        _assertCovered();
    }

    /// However a sell is split and priced, the user gets at least the limit less roundings and fees, and at most the
    /// proceeds.
    function testFuzz_sell(
        uint96 price,
        uint256 amount,
        uint256[PARTS] memory parts,
        uint256[PARTS] memory prices,
        uint16[2] memory fees,
        uint8 way
    ) public {
        price = uint96(bound(uint256(price), 1, 1000e18));
        uint256 quantity = bound(amount, 1, 1000e18);
        giveStock(alice, quantity);
        vm.prank(alice);
        router.depositStock(address(aapl), quantity);
        _setFees(fees, false);
        openBand(false);
        bytes32 orderId = placeLimit(alice, -int96(int256(quantity)), price);
        (uint256 filled, uint256 gross) = (0, 0);
        for (uint256 i; i < PARTS && filled < quantity; ++i) {
            uint256 part = parts[i] % 3 == 0 ? quantity - filled : bound(parts[i], 1, quantity - filled);
            uint96 paid = prices[i] % 3 == 0 ? price : uint96(bound(prices[i], price, 10_000e18));
            vm.assertEq(settleLimitOne(orderId, uint96(filled), uint96(part), paid, false), 1, "a part was skipped");
            filled += part;
            gross += Rounding.notionalDown(part, paid);
        }
        _end(orderId, uint96(filled), filled == quantity, way);
        {
            uint256 net = cashier.balanceWad(alice);
            IStock.FeeRates memory set = stock.feeRates();
            uint256 fee = Rounding.feeUp(gross, set.sellThirdPartyPpm) + Rounding.feeUp(gross, set.sellProtocolPpm);
            vm.assertLe(net, gross, "more than the proceeds");
            vm.assertGe(net + fee, gross, "fees twice");
        }
        vm.assertGe(gross + PARTS, Rounding.notionalDown(filled, price), "below the limit");
        vm.assertEq(stock.stockBalance(alice, address(aapl)), quantity - filled, "returned");
        _assertCovered();
    }

    /// A price beyond the limit never settles, whatever the quantity; the order stays as it was.
    function testFuzz_beyondLimitReverts(uint96 limit, uint96 price, uint256 part, bool isBuy) public {
        limit = uint96(bound(uint256(limit), 2, 1000e18));
        price = isBuy
            ? uint96(bound(uint256(price), limit + 1, type(uint96).max))
            : uint96(bound(uint256(price), 1, limit - 1));
        fund(alice, 3000e6);
        buyStock(bob, 2e18);
        bytes32 orderId = isBuy ? placeLimit(alice, 2e18, limit) : placeLimit(bob, -2e18, limit);
        bytes32 before = keccak256(abi.encode(stock.getOrder(orderId)));
        uint96 quantity = uint96(bound(part, 1, 2e18));
        vm.expectRevert(abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, orderId, price, limit));
        settleLimitOne(orderId, 0, quantity, price, false);
        vm.expectRevert(abi.encodeWithSelector(IStock.FillPriceBeyondLimit.selector, orderId, price, limit));
        settleCancelOne(orderId, 0, quantity, price, IStock.EndCause.Expired);
        vm.assertEq(keccak256(abi.encode(stock.getOrder(orderId))), before, "untouched");
    }

    /// A deposit and its order happen together or not at all, and only when the deposit's credit covers the lock.
    function testFuzz_depositAndLimitBuy(uint96 deposit, uint96 quantity, uint96 price, uint16 feePpm) public {
        deposit = uint96(bound(uint256(deposit), MIN_DEPOSIT, 5000e6));
        quantity = uint96(bound(uint256(quantity), 1, 20e18));
        price = uint96(bound(uint256(price), 1, 1000e18));
        vm.prank(admin);
        cashier.setCashFees(uint16(bound(uint256(feePpm), 0, 50_000)), 0);
        giveCash(alice, deposit);
        bool instant = cashier.canInstantDeposit(address(usdc), deposit);
        uint256 credit = cashier.tokenToBalanceWadInstant(address(usdc), deposit);
        uint256 lock = stock.previewLimitLock(int96(quantity), price);
        vm.prank(alice);
        (bool done,) = address(router)
            .call(
                abi.encodeCall(
                    router.depositAndLimitBuy, (address(usdc), deposit, address(aapl), int96(quantity), price, 0, FAR)
                )
            );
        vm.assertEq(done, instant && credit >= lock);
        vm.assertEq(usdc.balanceOf(alice), done ? 0 : deposit);
        vm.assertEq(cashier.balanceWad(alice), done ? credit - lock : 0);
        _assertCovered();
    }

    // --- inside ---

    /// Ends what is still open in one of four ways.
    function _end(bytes32 orderId, uint96 filled, bool isFull, uint8 way) private {
        if (isFull) return assertStatus(orderId, IStock.OrderStatus.Filled);
        if (way % 4 == 0) {
            vm.warp(block.timestamp + EXIT_DELAY);
            vm.prank(alice);
            stock.takeBackOrder(orderId);
            return assertStatus(orderId, IStock.OrderStatus.TakenBack);
        }
        if (way % 4 == 1) requestCancel(orderId);
        IStock.EndCause cause = IStock.EndCause(way % 4 - 1);
        vm.assertEq(settleCancelOne(orderId, filled, 0, 0, cause), 1, "a cancellation was skipped");
    }

    function _setFees(uint16[2] memory fees, bool isBuy) private {
        uint16 thirdParty = uint16(bound(uint256(fees[0]), 0, 50_000));
        uint16 protocol = uint16(bound(uint256(fees[1]), 0, 50_000));
        vm.prank(admin);
        stock.setFeeRates(
            isBuy ? IStock.FeeRates(thirdParty, protocol, 0, 0) : IStock.FeeRates(0, 0, thirdParty, protocol)
        );
    }

    function _withFees(uint256 notional) private view returns (uint256) {
        IStock.FeeRates memory set = stock.feeRates();
        return notional + Rounding.feeUp(notional, set.buyThirdPartyPpm) + Rounding.feeUp(notional, set.buyProtocolPpm);
    }

    function _min(uint256 left, uint256 right) private pure returns (uint256) {
        return left < right ? left : right;
    }

    function _assertCovered() private view {
        vm.assertGe(usdc.balanceOf(address(cashier)) * 1e12, cashier.totalOwedWad(), "cash");
        vm.assertGe(
            aapl.balanceOf(address(stock)),
            stock.stockBalance(alice, address(aapl)) + stock.stockBalance(bob, address(aapl)),
            "stock"
        );
    }
}
