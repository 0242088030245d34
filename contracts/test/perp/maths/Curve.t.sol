// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Curve} from "src/perp/maths/Curve.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {TestBase} from "test/TestBase.sol";

contract CurveTest is TestBase {
    /// A long of 0.1 inside one segment, recorded on a public deployment of the protocol.
    function testVectorOfOneStep() public pure {
        (uint160 post, uint256 base, uint256 quote) =
            Curve.step(20692023544244596285449730820455, Tick.toSqrt(112_000), 52849062915994640064041, 0.1e18, true);
        vm.assertEq(uint256(post), 20702254205994863152862945876534);
        vm.assertEq(base, 0.1e18);
        vm.assertEq(quote, 6824352217114320379919);
        vm.assertEq(int256(Tick.fromSqrt(post)), 111_318);
    }

    function _segment(uint128 liquiditySeed, int24 tickSeed, uint24 widthSeed)
        private
        pure
        returns (uint128 liquidity, uint160 low, uint160 high)
    {
        liquidity = uint128(bound(uint256(liquiditySeed), 1, 1e30));
        int24 tick = int24(bound(int256(tickSeed), -200_000, 200_000));
        low = Tick.toSqrt(tick);
        high = Tick.toSqrt(tick + int24(uint24(bound(uint256(widthSeed), 1, 16_000))));
    }

    function testFuzzStepStaysInsideItsSegment(
        uint128 liquiditySeed,
        int24 tickSeed,
        uint24 widthSeed,
        uint128 sizeSeed,
        bool long
    ) public pure {
        (uint128 liquidity, uint160 low, uint160 high) = _segment(liquiditySeed, tickSeed, widthSeed);
        (uint160 from, uint160 target) = long ? (low, high) : (high, low);
        uint256 whole = Curve.baseUp(liquidity, low, high);
        uint256 size = bound(uint256(sizeSeed), 1, whole < type(uint64).max ? whole + 10 : whole + whole / 10);
        (uint160 post, uint256 base,) = Curve.step(from, target, liquidity, size, long);
        vm.assertTrue(low <= post && post <= high, "inside");
        vm.assertLe(base, size, "never more than asked");
        if (size >= whole) vm.assertEq(uint256(post), target, "whole segment reaches the target");
        else vm.assertEq(base, size, "inside the segment all of it moves");
    }

    /// There and back within a segment never pays: a long pays at least what the reverse short receives.
    function testFuzzRoundTripLosesOrBreaksEven(
        uint128 liquiditySeed,
        int24 tickSeed,
        uint24 widthSeed,
        uint128 sizeSeed
    ) public pure {
        (uint128 liquidity, uint160 low, uint160 high) = _segment(liquiditySeed, tickSeed, widthSeed);
        uint256 whole = Curve.baseUp(liquidity, low, high);
        uint256 size = bound(uint256(sizeSeed), 1, whole);
        (uint160 post, uint256 base, uint256 paid) = Curve.step(low, high, liquidity, size, true);
        if (post == low) return;
        (,, uint256 received) = Curve.step(post, low, liquidity, base, false);
        vm.assertLe(received, paid);
    }

    function testFuzzAmountsAddUp(uint128 liquiditySeed, int24 tickSeed, uint24 widthSeed, uint160 cut) public pure {
        (uint128 liquidity, uint160 low, uint160 high) = _segment(liquiditySeed, tickSeed, widthSeed);
        uint160 middle = uint160(bound(uint256(cut), low, high));
        uint256 split = Curve.baseUp(liquidity, low, middle) + Curve.baseUp(liquidity, middle, high);
        uint256 whole = Curve.baseUp(liquidity, low, high);
        vm.assertTrue(split >= whole && split <= whole + 1, "base within one wei");
        uint256 quoteWhole = Curve.quoteDown(liquidity, low, high);
        vm.assertLe(Curve.quoteDown(liquidity, low, middle) + Curve.quoteDown(liquidity, middle, high), quoteWhole);
        vm.assertLe(Curve.quoteUp(liquidity, low, high) - quoteWhole, 1);
    }
}
