// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {Amm, Position, PositionCache} from "src/perp/Types.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// A maker never claims size that was taken before its order was placed: each way in which a late order at a partly
/// taken tick could try. See docs/decisions/perp-orders.md.
contract LateOrdersTest is PerpFixture {
    int24 private constant SELL = 80_100;
    int24 private constant BUY = 80_000;

    /// Alice's order of 10 is taken by 4; then the price goes back, so that others may place at the tick again.
    function _partlyTaken(int24 tick) private {
        bool sell = tick > _tick();
        _place(alice, tick, sell ? int256(-10e18) : int256(10e18), 10_000e18);
        _takeThrough(tick, 4e18);
        _back(tick);
        vm.assertEq(int256(_pearl(tick).taken), sell ? int256(-4e18) : int256(4e18));
    }

    function _back(int24 tick) private {
        int24 away = tick == SELL ? tick - 20 : tick + 20;
        _trade(carol, observer.getBaseSizeByTick(address(instrument), PERP, away), 0);
    }

    /// Moves the price to the tick and through `part` of what rests there.
    function _takeThrough(int24 tick, int256 part) private {
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tick);
        if (tick > _tick()) size += int256(_pearl(tick).left) + part;
        else size -= part;
        _trade(carol, size, 100_000e18);
    }

    function _refuseFill(address target, int24 tick, uint24 nonce, bytes memory reason) private {
        vm.prank(bob);
        vm.expectRevert(reason);
        instrument.fill(Words.fill(PERP, target, tick, nonce));
    }

    // Claims of what is not theirs

    function testLateOrderCannotFillWhatWasTaken() public {
        _partlyTaken(SELL);
        vm.assertEq(uint256(_place(bob, SELL, -4e18, 4000e18)), 1);
        vm.assertEq(_portfolio(bob).ordersTaken[0], int256(0));
        vm.assertEq(int256(_pearl(SELL).left), -10e18);
        _refuseFill(bob, SELL, 0, abi.encodeWithSelector(IInstrumentErrors.OrderNotExist.selector));
        bytes memory reason =
            abi.encodeWithSelector(IInstrumentErrors.OrderNotFullyTaken.selector, int256(-4e18), int256(0));
        _refuseFill(bob, SELL, 1, reason);

        // The owner still gets all of it, and the late order's generation begins.
        (, PositionCache memory pic) = _cancel(alice, SELL);
        vm.assertEq(pic.size, int256(-4e18));
        vm.assertEq(int256(_pearl(SELL).taken), 0);
        vm.assertEq(uint256(_pearl(SELL).nonce), 1);
        vm.assertEq(_portfolio(bob).ordersTaken[0], int256(0));
        vm.assertEq(int256(_pearl(SELL).left), -4e18);
    }

    function testLateOrderCannotCancelIntoWhatWasTaken() public {
        _partlyTaken(SELL);
        uint256 before = _reserve(bob);
        // Larger than all that is left of the earlier one: a cancel by sums would hand it the taken part.
        _place(bob, SELL, -7e18, 7000e18);
        (, PositionCache memory pic) = _cancel(bob, SELL);
        vm.assertEq(pic.size, int256(0));
        vm.assertEq(pic.balance, int256(7000e18));
        vm.assertEq(_reserve(bob), before);
        vm.assertEq(int256(_pearl(SELL).left), -6e18);
        vm.assertEq(int256(_pearl(SELL).taken), -4e18);
        vm.assertEq(uint256(_pearl(SELL).nonce), 0);
    }

    /// The other way round: what waits is not rest of the tick that would let an earlier maker out of its fill.
    function testWaitingOrderDoesNotFreeTheEarlierMaker() public {
        _partlyTaken(SELL);
        _place(bob, SELL, -20e18, 20_000e18);
        vm.assertEq(_portfolio(alice).ordersTaken[0], int256(-4e18));
        (, PositionCache memory pic) = _cancel(alice, SELL);
        vm.assertEq(pic.size, int256(-4e18), "the taken part is hers to keep");
        vm.assertEq(int256(_pearl(SELL).left), -20e18);
    }

    /// While somebody waits everybody waits, also where all that was taken is claimed: nobody comes before who came earlier.
    function testNobodyOvertakesWhoWaits() public {
        _place(maker, SELL, -4e18, 4000e18);
        _partlyTaken(SELL);
        vm.assertEq(uint256(_place(bob, SELL, -4e18, 4000e18)), 1);
        vm.prank(bob);
        instrument.fill(Words.fill(PERP, maker, SELL, 0));
        vm.assertEq(int256(_pearl(SELL).taken), 0, "what was taken is claimed");
        vm.assertEq(uint256(_pearl(SELL).nonce), 0, "and another of its generation is left");
        vm.assertEq(uint256(_place(maker, SELL, -1e18, 1000e18)), 1, "behind bob's");
    }

    function testLateBatchWaitsToo() public {
        _partlyTaken(SELL);
        (int24[] memory ticks, uint16[] memory ratios) = (new int24[](2), new uint16[](2));
        (ticks[0], ticks[1], ratios[0], ratios[1]) = (SELL, SELL + 5, 5000, 5000);
        vm.prank(bob);
        (uint24[] memory nonces,) = instrument.batchPlace(Words.batch(PERP, -8e18, 3e18, ticks, ratios, 0));
        vm.assertEq(uint256(nonces[0]), 1);
        vm.assertEq(uint256(nonces[1]), 0);
        vm.assertEq(_portfolio(bob).ordersTaken[0], int256(0));
    }

    /// Rebates and funding indices are averages of a generation: the early maker's are its own, the late one's too.
    function testRebatesAndFundingAreNotShared() public {
        _partlyTaken(SELL);
        uint256 firstFee = _pearl(SELL).fee;
        vm.assertEq(firstFee, Wad.mulDown(Wad.mul(Tick.toPrice(SELL), 4e18), 0.003e18));
        vm.warp(block.timestamp + 8 hours);
        btcFeed.set(3100e8);
        _place(bob, SELL, -4e18, 4000e18);
        vm.warp(block.timestamp + 8 hours);
        _takeThrough(SELL, 10e18);
        int256 index = _amm().shortFundingIndex;
        vm.assertTrue(index != 0);
        vm.assertTrue(_record(SELL, 0).entryFundingIndex != index, "an average with what was taken before");
        uint256 allFee = _record(SELL, 0).fee;
        uint256 lateFee = _record(SELL, 1).fee;
        vm.assertEq(allFee, firstFee + Wad.mulDown(Wad.mul(Tick.toPrice(SELL), 6e18), 0.003e18));
        (PositionCache memory late,) = _fill(bob, bob, SELL, 1);
        vm.assertEq(late.entryFundingIndex, index, "his position starts when it was taken");
        vm.assertEq(late.balance, int256(4000e18 + lateFee));
        (PositionCache memory early,) = _fill(alice, alice, SELL, 0);
        vm.assertEq(early.balance, int256(10_000e18 + allFee));
    }

    /// Whoever takes and makes at once gains nothing: the waiting order of the taker is taken last.
    function testOwnTakerDoesNotHelp() public {
        _partlyTaken(SELL);
        _place(bob, SELL, -1e18, 1000e18);
        uint24 nonce = _place(maker, SELL, -1e18, 1000e18);
        vm.assertEq(uint256(nonce), 1, "all that come late share one generation");
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, SELL) + int256(_pearl(SELL).left) + 5e18;
        _trade(bob, size, 100_000e18);
        vm.assertEq(int256(_pearl(SELL).taken), -9e18, "five more of Alice's");
        vm.assertEq(_portfolio(bob).ordersTaken[0], int256(0));
        vm.assertEq(_portfolio(maker).ordersTaken[0], int256(0));
    }

    // Their own time

    function testLateOrderIsTakenAfterTheEarlierOnes() public {
        _partlyTaken(SELL);
        _place(bob, SELL, -4e18, 4000e18);
        int256 before = _portfolio(carol).position.size;
        uint256 size = uint256(observer.getBaseSizeByTick(address(instrument), PERP, SELL));
        Amm memory amm = _amm();
        _takeThrough(SELL, 7e18);
        vm.assertEq(int256(_record(SELL, 0).taken), -10e18);
        vm.assertEq(int256(_pearl(SELL).taken), -1e18);
        vm.assertEq(int256(_pearl(SELL).left), -3e18);
        vm.assertEq(int256(_portfolio(carol).position.size) - before, int256(size) - 10e18 + 7e18);
        vm.assertEq(uint256(_amm().totalShort), amm.totalShort + 7e18, "counted once");
        (, PositionCache memory late) = _cancel(bob, SELL);
        vm.assertEq(late.size, int256(-1e18));
        _fill(alice, alice, SELL, 0);
        vm.assertEq(int256(_portfolio(alice).position.size), -10e18);
        vm.assertFalse(_isSet(SELL));
    }

    /// Two generations in one trade cost the taker what one of the same size would, to the wei.
    function testFuzzTakerPaysForTheWholeSize(uint96 lateSeed, uint96 partSeed) public {
        _partlyTaken(SELL);
        int256 late = int256(bound(uint256(lateSeed), 0.1e18, 20e18));
        int256 part = int256(bound(uint256(partSeed), 0.1e18, uint256(6e18 + late)));
        int256 toTick = observer.getBaseSizeByTick(address(instrument), PERP, SELL) - 6e18;
        uint256 curveOnly = instrument.inquire(PERP, toTick).entryNotional;
        _place(bob, SELL, -late, 100_000e18);
        uint256 notional = instrument.inquire(PERP, toTick + part).entryNotional;
        vm.assertEq(notional, curveOnly + Wad.mul(Tick.toPrice(SELL), uint256(part)));
        Position memory before = _portfolio(carol).position;
        _trade(carol, toTick + part, 200_000e18);
        vm.assertEq(uint256(_portfolio(carol).position.entryNotional), before.entryNotional + notional);
    }

    function testBuysMirrorSells() public {
        _partlyTaken(BUY);
        vm.assertEq(uint256(_place(bob, BUY, 4e18, 4000e18)), 1);
        bytes memory reason =
            abi.encodeWithSelector(IInstrumentErrors.OrderNotFullyTaken.selector, int256(4e18), int256(0));
        _refuseFill(bob, BUY, 1, reason);
        _takeThrough(BUY, 8e18);
        vm.assertEq(int256(_record(BUY, 0).taken), 10e18);
        vm.assertEq(int256(_pearl(BUY).taken), 2e18);
        (, PositionCache memory late) = _cancel(bob, BUY);
        vm.assertEq(late.size, int256(2e18));
    }
}
