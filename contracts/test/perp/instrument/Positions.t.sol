// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm, PositionCache, Range} from "src/perp/Types.sol";
import {Indices, Positions} from "src/perp/instrument/Positions.sol";
import {RangeMath} from "src/perp/instrument/RangeMath.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

contract PositionsTest is TestBase {
    using Positions for PositionCache;

    function _position(int256 balanceSeed, int256 sizeSeed, uint256 priceSeed, Indices memory entry)
        private
        pure
        returns (PositionCache memory)
    {
        int256 size = bound(sizeSeed, -1e24, 1e24);
        uint256 notional = Wad.mul(bound(priceSeed, 1e15, 1e23), uint256(size < 0 ? -size : size));
        return Positions.open(entry, bound(balanceSeed, -1e28, 1e28), size, notional);
    }

    function _indices(uint64 a, uint64 b, int64 c, int64 d) private pure returns (Indices memory) {
        return Indices(a, b, c, d);
    }

    function _equity(PositionCache memory p, Indices memory now_, uint256 mark) private pure returns (int256) {
        return p.balance + p.pricePnl(mark) + p.fundingFee(now_) - int256(p.socialLoss(now_));
    }

    /// Combining moves no value: equity at any price is the sum of both, up to the rounding of what closes.
    function testFuzzCombineKeepsEquity(
        int256[2] memory balances,
        int256[2] memory sizes,
        uint256[3] memory prices,
        uint64[4] memory social,
        int64[4] memory funding
    ) public pure {
        PositionCache memory a = _position(
            balances[0], sizes[0], prices[0], _indices(social[0], social[1], funding[0], funding[1])
        );
        PositionCache memory b =
            _position(balances[1], sizes[1], prices[1], _indices(social[1], social[0], funding[2], funding[3]));
        Indices memory now_ = _indices(type(uint64).max, type(uint64).max, funding[0], funding[3]);
        uint256 mark = bound(prices[2], 1e15, 1e23);
        int256 before = _equity(a, now_, mark) + _equity(b, now_, mark);
        int256 fees = a.fundingFee(now_) + b.fundingFee(now_);
        (int256 sizeA, int256 sizeB) = (a.size, b.size);
        (PositionCache memory sum, uint256 closed, int256 realised) = Positions.combine(a, b, now_);
        vm.assertEq(realised, fees);
        vm.assertEq(sum.size, sizeA + sizeB);
        vm.assertApproxEqAbs(_magnitude(_equity(sum, now_, mark) - before), 0, 3);
        bool opposed = sizeA != 0 && sizeB != 0 && (sizeA > 0) != (sizeB > 0);
        uint256 smaller = _magnitude(sizeA) < _magnitude(sizeB) ? _magnitude(sizeA) : _magnitude(sizeB);
        vm.assertEq(closed, opposed ? smaller : 0);
        if (sum.size == 0) vm.assertEq(sum.entryNotional, 0, "flat keeps nothing");
    }

    function _magnitude(int256 x) private pure returns (uint256) {
        return uint256(x < 0 ? -x : x);
    }

    function testCombineClosesProRata() public pure {
        Indices memory none;
        PositionCache memory a = Positions.open(none, 100e18, 3e18, 9000e18);
        PositionCache memory b = Positions.open(none, 50e18, -1e18, 3100e18);
        (PositionCache memory sum, uint256 closed,) = Positions.combine(a, b, none);
        vm.assertEq(sum.size, int256(2e18));
        vm.assertEq(sum.entryNotional, 6000e18);
        vm.assertEq(sum.balance, int256(250e18));
        vm.assertEq(closed, 1e18);
    }

    function testFlipKeepsTheLargerSide() public pure {
        Indices memory now_ = Indices(0, 0, 5, -7);
        PositionCache memory a = Positions.open(now_, 100e18, 1e18, 3000e18);
        PositionCache memory b = Positions.open(now_, 0, -4e18, 12_400e18);
        (PositionCache memory sum,,) = Positions.combine(a, b, now_);
        vm.assertEq(sum.size, int256(-3e18));
        vm.assertEq(sum.entryNotional, 9300e18);
        vm.assertEq(sum.balance, int256(200e18));
        vm.assertEq(sum.entryFundingIndex, int256(-7));
    }

    /// Taking out the most there is leaves a position that is just safe.
    function testFuzzMaxWithdrawableIsSafe(int256 balanceSeed, int256 sizeSeed, uint256 priceSeed, uint256 markSeed)
        public
        pure
    {
        Indices memory none;
        PositionCache memory p = _position(balanceSeed, sizeSeed, priceSeed, none);
        if (p.size == 0) return;
        uint256 mark = bound(markSeed, 1e15, 1e23);
        uint256 most = p.maxWithdrawable(mark, 0.1e18);
        if (most == 0) return;
        p.balance -= int256(most);
        vm.assertTrue(p.isImrSafe(mark, 0.1e18));
        vm.assertTrue(p.isMmrSafe(mark, 0.05e18));
        p.balance -= 2;
        vm.assertFalse(p.isImrSafe(mark, 0.1e18));
    }
}

/// The example of perp-protocol 3.8 to the wei: 1000 of margin at 3000, edges 78050 and 82100.
contract RangeMathTest is TestBase {
    Amm private amm;
    uint160 private constant ENTRY = 4339505179874779489431521786241;

    function _range() private pure returns (Range memory) {
        return Range(784318785823604467008, 0, 1000e18, ENTRY);
    }

    function testVectorOfLiquidity() public pure {
        (int24 lower, int24 upper) = RangeMath.edges(80_067, 2017, 2033);
        vm.assertEq(int256(lower), 78_050);
        vm.assertEq(int256(upper), 82_100);
        uint256 liquidity = RangeMath.liquidityOf(1000e18, ENTRY, Tick.toSqrt(lower), Tick.toSqrt(upper), 0.1e18);
        vm.assertEq(liquidity, 784318785823604467008);
        vm.assertEq(RangeMath.entryBase(_range(), Tick.toSqrt(upper)), 1383550139899430214);
    }

    function testVectorOfLeastLiquidity() public pure {
        vm.assertEq(RangeMath.minLiquidity(666666666666666667000, ENTRY), 6085806194501845708);
    }

    function testVectorAtTheUpperEdge() public {
        (amm.sqrtPX96, amm.tick) = (Tick.toSqrt(82_100), 82_100);
        PositionCache memory p = RangeMath.toPosition(amm, _range(), 78_050, 82_100, Positions.indicesOf(amm));
        vm.assertEq(p.balance, int256(508597631106771055483));
        vm.assertEq(p.size, int256(-1383550139899430214));
        vm.assertEq(p.entryNotional, 5085976311067710577442);
    }

    function testVectorAtTheLowerEdge() public {
        (amm.sqrtPX96, amm.tick) = (Tick.toSqrt(78_050), 78_050);
        PositionCache memory p = RangeMath.toPosition(amm, _range(), 78_050, 82_100, Positions.indicesOf(amm));
        vm.assertEq(p.balance, int256(604441239616302687756));
        vm.assertEq(p.size, int256(1519924512055304644));
        vm.assertEq(p.entryNotional, 3726670350393356741795);
    }

    /// Whatever the range, at either edge it is a position that meets the initial margin.
    function testFuzzSafeAtEdges(uint256 marginSeed, int24 tickSeed, uint24 lowerSeed, uint24 upperSeed) public {
        int24 tick = int24(bound(int256(tickSeed), -100_000, 200_000));
        uint256 margin = bound(marginSeed, 1e18, 1e26);
        uint160 entry = Tick.toSqrt(tick);
        (int24 lower, int24 upper) = RangeMath.edges(
            tick, uint24(bound(uint256(lowerSeed), 953, 16_096)), uint24(bound(uint256(upperSeed), 953, 16_096))
        );
        uint256 liquidity = RangeMath.liquidityOf(margin, entry, Tick.toSqrt(lower), Tick.toSqrt(upper), 0.1e18);
        if (liquidity == 0 || liquidity > type(uint128).max || margin > type(uint96).max) return;
        Range memory range = Range(uint128(liquidity), 0, uint96(margin), entry);
        _checkEdge(range, lower, upper, lower);
        _checkEdge(range, lower, upper, upper);
    }

    function _checkEdge(Range memory range, int24 lower, int24 upper, int24 edge) private {
        (amm.sqrtPX96, amm.tick) = (Tick.toSqrt(edge), edge);
        PositionCache memory p = RangeMath.toPosition(amm, range, lower, upper, Positions.indicesOf(amm));
        uint256 needed = Wad.mulUp(p.entryNotional, 0.1e18);
        // Rounding of the entry amounts weighs with the price.
        int256 dust = int256(Tick.toPrice(edge) / 1e17 + range.balance / 1e12 + 100);
        vm.assertGe(p.balance + dust, int256(needed), "safe at its edge");
    }
}
