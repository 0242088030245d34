// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {Amm, Order, Pearl, Portfolio, Position, PositionCache, Record} from "src/perp/Types.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

contract OrdersTest is PerpFixture {
    int24 private constant SELL = 80_100;
    int24 private constant BUY = 80_000;

    /// Moves the price to the tick, and through `extra` of what rests there.
    function _takeThrough(address taker, int24 tick, int256 extra) private {
        bool long = tick > _tick();
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tick);
        if (long) size = size + int256(_pearl(tick).left) + extra;
        else size -= extra;
        _trade(taker, size, 100_000e18);
    }

    function testPlaceRestsAnOrder() public {
        uint256 before = _reserve(alice);
        uint24 nonce = _place(alice, SELL, -2e18, 1000e18);
        Pearl memory pearl = _pearl(SELL);
        Portfolio memory p = _portfolio(alice);
        vm.assertEq(uint256(nonce), 0);
        vm.assertEq(int256(pearl.left), -2e18);
        vm.assertTrue(_isSet(SELL));
        vm.assertEq(before - _reserve(alice), 1000e6);
        vm.assertEq(uint256(p.oids[0]), uint256(uint24(SELL)) << 24);
        vm.assertEq(int256(p.orders[0].size), -2e18);
        vm.assertEq(uint256(p.orders[0].balance), 1000e18);
        vm.assertEq(p.ordersTaken[0], int256(0));
    }

    function testUntouchedOrderLeavesWhole() public {
        uint256 before = _reserve(alice);
        _place(alice, SELL, -2e18, 1000e18);
        (bool done, PositionCache memory pic) = _cancel(alice, SELL);
        vm.assertTrue(done);
        vm.assertEq(pic.size, int256(0));
        vm.assertEq(pic.balance, int256(1000e18));
        vm.assertEq(_reserve(alice), before);
        vm.assertFalse(_isSet(SELL));
        vm.assertEq(_portfolio(alice).oids.length, 0);
    }

    function testFullyTakenTickBecomesARecord() public {
        _place(alice, SELL, -2e18, 1000e18);
        _place(bob, SELL, -3e18, 2000e18);
        _takeThrough(carol, SELL + 1, 0);
        Pearl memory pearl = _pearl(SELL);
        Record memory record = _record(SELL, 0);
        vm.assertEq(uint256(pearl.nonce), 1);
        vm.assertEq(int256(pearl.left) + pearl.taken, 0);
        vm.assertEq(uint256(pearl.fee), 0);
        vm.assertEq(int256(record.taken), -5e18);
        vm.assertEq(uint256(record.fee), Wad.mulDown(Wad.mul(Tick.toPrice(SELL), 5e18), 0.003e18));
        vm.assertFalse(_isSet(SELL));
        vm.assertEq(_portfolio(alice).ordersTaken[0], int256(-2e18));
    }

    function testFillClaimsPositionAndRebate() public {
        _place(alice, SELL, -2e18, 1000e18);
        _place(bob, SELL, -3e18, 2000e18);
        _takeThrough(carol, SELL + 1, 0);
        uint256 fee = _record(SELL, 0).fee;
        (PositionCache memory pic, uint256 tip) = _fill(alice, alice, SELL, 0);
        vm.assertEq(tip, 0);
        vm.assertEq(pic.size, int256(-2e18));
        vm.assertEq(pic.entryNotional, Wad.mul(Tick.toPrice(SELL), 2e18));
        vm.assertEq(pic.balance, int256(1000e18 + fee * 2 / 5));
        (pic, tip) = _fill(carol, bob, SELL, 0);
        vm.assertEq(tip, 0.01e18);
        vm.assertEq(pic.balance, int256(2000e18 + fee - fee * 2 / 5 - 0.01e18), "the last one gets the rest");
        vm.assertEq(int256(_record(SELL, 0).taken), 0);
        vm.assertEq(uint256(_record(SELL, 0).fee), 0);
        vm.assertEq(int256(_portfolio(bob).position.size), -3e18);
        vm.assertEq(_portfolio(bob).oids.length, 0);
    }

    function testPartlyTakenTickServesEarlyFillersFirst() public {
        _place(alice, SELL, -2e18, 1000e18);
        _place(bob, SELL, -3e18, 2000e18);
        _takeThrough(carol, SELL, 2.5e18);
        Pearl memory pearl = _pearl(SELL);
        vm.assertEq(int256(pearl.taken), -2.5e18);
        vm.assertEq(int256(pearl.left), -2.5e18);
        vm.assertEq(int256(_tick()), SELL);
        vm.prank(bob);
        vm.expectRevert(abi.encodeWithSelector(IInstrumentErrors.OrderNotFullyTaken.selector, -3e18, -2.5e18));
        instrument.fill(Words.fill(PERP, bob, SELL, 0));
        _fill(alice, alice, SELL, 0);
        vm.assertEq(int256(_pearl(SELL).taken), -0.5e18);
    }

    function testPartlyTakenOrderCancelsIntoAPosition() public {
        _place(alice, SELL, -2e18, 1000e18);
        _place(bob, SELL, -3e18, 2000e18);
        _takeThrough(carol, SELL, 3.5e18);
        uint256 fee = _pearl(SELL).fee;
        vm.assertEq(_portfolio(bob).ordersTaken[1 - 1], int256(-1.5e18));
        (bool done, PositionCache memory pic) = _cancel(bob, SELL);
        vm.assertTrue(done);
        vm.assertEq(pic.size, int256(-1.5e18));
        vm.assertEq(pic.balance, int256(2000e18 + fee * 3 / 7));
        // What remains taken belongs to Alice, in a finished generation.
        vm.assertEq(uint256(_pearl(SELL).nonce), 1);
        vm.assertEq(int256(_record(SELL, 0).taken), -2e18);
        vm.assertFalse(_isSet(SELL));
        _fill(alice, alice, SELL, 0);
        vm.assertEq(int256(_portfolio(alice).position.size), -2e18);
    }

    function testLastUntouchedCancelFreezesTheTakenPart() public {
        _place(alice, SELL, -2e18, 1000e18);
        _place(bob, SELL, -3e18, 2000e18);
        _takeThrough(carol, SELL, 3e18);
        (, PositionCache memory pic) = _cancel(alice, SELL);
        vm.assertEq(pic.size, int256(0));
        vm.assertEq(uint256(_pearl(SELL).nonce), 1);
        vm.assertEq(int256(_record(SELL, 0).taken), -3e18);
    }

    function testBuysMirrorSells() public {
        _place(alice, BUY, 2e18, 1000e18);
        _place(bob, BUY, 2e18, 1000e18);
        _takeThrough(carol, BUY, 3e18);
        vm.assertEq(int256(_pearl(BUY).taken), 3e18);
        vm.assertEq(int256(_tick()), BUY);
        (, PositionCache memory pic) = _cancel(alice, BUY);
        vm.assertEq(pic.size, int256(1e18));
        _fill(bob, bob, BUY, 0);
        vm.assertEq(int256(_portfolio(bob).position.size), 2e18);
    }

    function testTakingCountsBothSides() public {
        _place(alice, SELL, -2e18, 1000e18);
        _takeThrough(carol, SELL + 1, 0);
        Amm memory amm = _amm();
        vm.assertEq(uint256(amm.totalShort), 2e18);
        vm.assertEq(uint256(amm.totalLong), uint256(int256(_portfolio(carol).position.size)));
    }

    function testNoRebateWhenDisabled() public {
        vm.prank(admin);
        instrument.setDisableOrderRebate(true);
        _place(alice, SELL, -2e18, 1000e18);
        _takeThrough(carol, SELL + 1, 0);
        vm.assertEq(uint256(_record(SELL, 0).fee), 0);
    }

    function testBatchPlacesNineOrders() public {
        (int24[] memory ticks, uint16[] memory ratios) = (new int24[](9), new uint16[](9));
        for (uint256 i; i < 9; ++i) {
            (ticks[i], ratios[i]) = (SELL + int24(int256(i)) * 3, i == 8 ? 1200 : 1100);
        }
        uint256 before = _reserve(alice);
        vm.prank(alice);
        (uint24[] memory nonces, Order[] memory orders) =
            instrument.batchPlace(Words.batch(PERP, -20e18, 5e18, ticks, ratios, 0));
        vm.assertEq(nonces.length, 9);
        vm.assertEq(int256(orders[0].size), -2.2e18);
        vm.assertEq(int256(orders[8].size), -2.4e18);
        uint256 locked;
        for (uint256 i; i < 9; ++i) {
            uint256 value = Wad.mulUp(Tick.toPrice(ticks[i]), uint256(-int256(orders[i].size)));
            vm.assertEq(uint256(orders[i].balance), Wad.divUp(value, 5e18));
            locked += orders[i].balance;
        }
        vm.assertEq(before - _reserve(alice), (locked + 1e12 - 1) / 1e12);
        vm.assertEq(_portfolio(alice).oids.length, 9);
    }

    /// What the ratios cut off is not placed: sizes go toward zero, of sells as of buys.
    function testBatchSizesAreCutTowardZero() public {
        (int24[] memory ticks, uint16[] memory ratios) = (new int24[](2), new uint16[](2));
        (ticks[0], ticks[1], ratios[0], ratios[1]) = (SELL, SELL + 1, 3333, 6667);
        vm.prank(alice);
        (, Order[] memory orders) = instrument.batchPlace(Words.batch(PERP, -(1e18 + 7), 5e18, ticks, ratios, 0));
        vm.assertEq(int256(orders[0].size), -(0.3333e18 + 2));
        vm.assertEq(int256(orders[1].size), -(0.6667e18 + 4));
        (ticks[0], ticks[1]) = (BUY, BUY - 1);
        vm.prank(alice);
        (, orders) = instrument.batchPlace(Words.batch(PERP, 1e18 + 7, 5e18, ticks, ratios, 0));
        vm.assertEq(int256(orders[0].size), 0.3333e18 + 2);
        vm.assertEq(int256(orders[1].size), 0.6667e18 + 4);
    }

    /// Order spacing is 1: every tick may carry an order, side by side.
    function testEveryTickIsAligned() public {
        for (int24 tick = SELL; tick < SELL + 20; ++tick) {
            vm.assertEq(uint256(_place(alice, tick, -0.1e18, 100e18)), 0);
        }
        vm.assertEq(_portfolio(alice).oids.length, 20);
    }

    function testCancelSkipsWhatIsNotThere() public {
        _place(alice, SELL, -2e18, 1000e18);
        _place(alice, SELL + 2, -2e18, 1000e18);
        int24[] memory ticks = new int24[](4);
        (ticks[0], ticks[1], ticks[2], ticks[3]) = (SELL, SELL + 1, SELL, SELL + 2);
        vm.prank(alice);
        (bool[8] memory done,) = instrument.cancel(Words.cancel(PERP, ticks, 0));
        vm.assertTrue(done[0] && !done[1] && !done[2] && done[3] && !done[4]);
        vm.assertEq(_portfolio(alice).oids.length, 0);
    }

    /// Cancelling realises the main position's funding.
    function testCancelRealisesFunding() public {
        _trade(alice, 5e18, 10_000e18);
        _trade(bob, -1e18, 10_000e18);
        _place(alice, BUY, 2e18, 1000e18);
        Position memory before = _portfolio(alice).position;
        vm.warp(START + 5 hours);
        _cancel(alice, BUY);
        Position memory position = _portfolio(alice).position;
        Amm memory amm = _amm();
        vm.assertEq(int256(position.entryFundingIndex), amm.longFundingIndex);
        vm.assertEq(
            int256(position.balance), before.balance + Wad.mulInt(amm.longFundingIndex - before.entryFundingIndex, 5e18)
        );
    }

    function testShortLandingExactlyOnATickKeepsItsLiquidity() public {
        (int24 tickLower,,) = _add(alice, 10_000e18, 953, 953);
        uint256 liquidity = _amm().liquidity;
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tickLower);
        btcFeed.set(int256(Tick.toPrice(tickLower) / 1e10));
        _trade(carol, size, 500_000e18);
        vm.assertEq(int256(_tick()), tickLower);
        vm.assertEq(uint256(_amm().liquidity), liquidity, "not crossed yet");
        _trade(carol, -1e18, 1000e18);
        vm.assertTrue(_amm().liquidity < liquidity, "now it is");
        _trade(carol, 3e18, 10_000e18);
        vm.assertEq(uint256(_amm().liquidity), liquidity, "and back");
    }
}
