// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";

/// The oracle jumps while the curve stands still. What the first transaction may do then: trade towards the mark, bring
/// margin in, cancel, fill, remove, liquidate, sweep; nothing that rests at the stale price, and no margin leaves.
contract GapsTest is RiskFixture {
    /// An attacker added a narrow range at the stale price with one account and bought it empty with another: the
    /// range owed more than its margin. Now both end with what they began with.
    function testNoRangeAtAStalePrice() public {
        _mark(4500);
        _refuse(alice, Errors.FairDeviation.selector, _addCall(10_000e18, 953, 953));
        _refuse(alice, Errors.FairDeviation.selector, _addCall(10_000e18, 16_000, 16_000));
        _mark(2000);
        _refuse(alice, Errors.FairDeviation.selector, _addCall(10_000e18, 953, 953));
        // Within the initial margin, 10 %, it is not stale.
        _mark(3333);
        _add(alice, 10_000e18, 953, 953);
        _mark(2730);
        _add(alice, 10_000e18, 1100, 1100);
        _mark(3334);
        _refuse(alice, Errors.FairDeviation.selector, _addCall(10_000e18, 1200, 1200));
    }

    function testWhatTheFirstTransactionMayDo() public {
        _trade(alice, 10e18, 10_000e18);
        uint24 nonce = _place(alice, 79_900, 1e18, 400e18);
        _place(alice, 80_300, -1e18, 400e18);
        _trade(bob, observer.getBaseSizeByTick(address(instrument), PERP, 79_890), 100_000e18);
        (int24 lower, int24 upper,) = _add(bob, 10_000e18, 953, 953);
        _mark(4500);
        // Nothing rests, nothing leaves, nothing goes further away.
        _refuse(carol, Errors.FairDeviation.selector, _placeCall(79_100, -1e18, 1000e18));
        _refuse(alice, Errors.ForbidNegativeAdjust.selector, _tradeCall(0, -1e18, 0, 0));
        _refuse(carol, Errors.CrazyDeviation.selector, _tradeCall(-1e18, 2000e18, -322_517, 0));
        // What makes things safer passes.
        _trade(carol, 1e18, 2000e18);
        _trade(alice, 0, 100e18);
        _cancel(alice, 80_300);
        _fill(carol, alice, 79_900, nonce);
        _remove(bob, bob, lower, upper);
    }

    /// After a freeze the pair may be far from the mark too: `normalize` opens it under the same rules.
    function testNormalizeAfterAGap() public {
        vm.prank(guardian);
        instrument.freeze();
        _mark(4500);
        vm.warp(block.timestamp + 3 days);
        vm.prank(admin);
        instrument.normalize();
        _refuse(alice, Errors.FairDeviation.selector, _addCall(10_000e18, 953, 953));
        _refuse(alice, Errors.FairDeviation.selector, _placeCall(80_100, -1e18, 1000e18));
        _trade(alice, 1e18, 2000e18);
        vm.assertEq(int256(_amm().shortFundingIndex), 0, "and the frozen time is free");
    }

    /// Orders placed before a gap that somebody knows of, a sell and a buy, of which the right one is taken afterwards by
    /// its owner's other account. It is a leveraged straddle: the maker fails with its margin, the taker wins the rest.
    /// The loss falls on the insurance fund and then on the winning side; where the taker is that side, it pays it all back
    /// and ends with less than it began with.
    function testOrdersTakenByTheirOwnerAfterAGap() public {
        uint256 began = _reserve(alice) + _reserve(bob);
        _place(alice, 80_100, -50e18, 20_000e18);
        _place(alice, 80_000, 50e18, 20_000e18);
        _mark(4500);
        int256 curve = observer.getBaseSizeByTick(address(instrument), PERP, 80_099);
        int256 all = observer.getBaseSizeByTick(address(instrument), PERP, 80_101);
        // What plain arbitrage on the curve is worth, which the ranges lose to whoever comes first.
        int256 arbitrage = _arbitrage(all - 50e18);
        _trade(bob, all, int256(200_000e18));
        vm.assertTrue(all > curve + 50e18 - 1, "the order is on the way");
        _fill(carol, alice, 80_100, 0);
        vm.assertTrue(_equity(alice, 4500e18) < -50_000e18, "the maker is bankrupt");
        _liquidate(carol, alice, -50e18, 30_000e18);
        _cancel(alice, 80_000);
        int256 ended = int256(_reserve(alice) + _reserve(bob)) * 1e12 + _equity(bob, 4500e18) - int256(began) * 1e12;
        vm.assertTrue(ended <= arbitrage, "no more than plain arbitrage");
        vm.assertTrue(ended > 0 && arbitrage > 0, "which an oracle that jumps gives away");
        vm.assertEq(_equity(carol, 4500e18) >= 30_000e18 - 1, true, "and who takes over loses nothing");
    }

    /// The same with another long beside: the loss is shared by size, and the taker keeps what the other one pays.
    function testOthersOnTheWinningSideShareTheLoss() public {
        _trade(carol, 20e18, 20_000e18);
        int256 carolsGain = 20e18 * int256(1500) - (_equity(carol, 4500e18) - _equity(carol, 3000e18));
        vm.assertEq(carolsGain, int256(0));
        int24 tick = _tick() + 50;
        _place(alice, tick, -50e18, 20_000e18);
        _mark(4500);
        _trade(bob, observer.getBaseSizeByTick(address(instrument), PERP, tick + 1), 200_000e18);
        _fill(bob, alice, tick, 0);
        int256 debt = -_equity(alice, 4500e18);
        int256 before = _equity(carol, 4500e18);
        uint256 longs = _amm().totalLong;
        _liquidate(maker, alice, -50e18, 30_000e18);
        int256 paid = before - _equity(carol, 4500e18);
        vm.assertTrue(paid >= debt * 20e18 / int256(longs) && paid <= debt * 20e18 / int256(longs) + 30, "by size");
    }

    /// Profit at the mark of buying `size` of the curve.
    function _arbitrage(int256 size) private returns (int256 gain) {
        uint256 state = vm.snapshotState();
        _trade(bob, size, 200_000e18);
        gain = _equity(bob, 4500e18) - 200_000e18;
        vm.revertToState(state);
    }
}
