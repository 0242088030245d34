// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Q96, RANGE_SPACING} from "../Constants.sol";
import {Amm, PositionCache, Range} from "../Types.sol";
import {Curve} from "../maths/Curve.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Indices, Positions} from "./Positions.sol";
import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";

/// Liquidity from margin, and the position a range turns into. Source: perp-protocol 3.8.
library RangeMath {
    using Cast for int256;
    using FixedPointMathLib for uint256;

    /// The edges around `tick`, aligned outwards.
    function edges(int24 tick, uint24 deltaLower, uint24 deltaUpper)
        internal
        pure
        returns (int24 tickLower, int24 tickUpper)
    {
        tickLower = Tick.alignDown(tick - int24(deltaLower), RANGE_SPACING);
        tickUpper = Tick.alignUp(tick + int24(deltaUpper), RANGE_SPACING);
    }

    /// The liquidity `margin` backs so that at either edge the range is a position that meets the initial margin.
    function liquidityOf(uint256 margin, uint160 sqrtPX96, uint160 lower, uint160 upper, uint256 imr)
        internal
        pure
        returns (uint256)
    {
        uint256 byUpper = _liquidityBy(margin, sqrtPX96, upper - sqrtPX96, Wad.mulUp(upper, imr));
        uint256 byLower = _liquidityBy(margin, sqrtPX96, sqrtPX96 - lower, Wad.mulUp(lower, imr));
        return byUpper < byLower ? byUpper : byLower;
    }

    function _liquidityBy(uint256 margin, uint160 sqrtPX96, uint160 distance, uint256 marginPart)
        private
        pure
        returns (uint256)
    {
        return (margin * sqrtPX96 / distance).fullMulDiv(Q96, distance + marginPart);
    }

    /// Least liquidity worth `minValue`.
    function minLiquidity(uint256 minValue, uint160 sqrtPX96) internal pure returns (uint256) {
        return minValue * Q96 / (2 * uint256(sqrtPX96));
    }

    /// The base a range held when it was added, which its owner owes.
    function entryBase(Range memory range, uint160 upper) internal pure returns (uint256) {
        return Curve.baseUp(range.liquidity, range.sqrtEntryPX96, upper);
    }

    /// Fee earned since the range was added.
    function feeOf(Range memory range, uint256 feeIndex) internal pure returns (uint256) {
        return Wad.mulDown(feeIndex - range.entryFeeIndex, range.liquidity);
    }

    /// The position the range turns into at the current price, with the fee in its balance. Its entry price is the
    /// fair price, so that its equity there is what the range was worth; one wei stays behind against rounding.
    function toPosition(Amm storage amm, Range memory range, int24 tickLower, int24 tickUpper, Indices memory indices)
        internal
        view
        returns (PositionCache memory)
    {
        uint256 fair = Tick.sqrtToPrice(amm.sqrtPX96);
        (int256 balance, int256 size) = _atPrice(amm, range, tickLower, tickUpper);
        balance += int256(feeOf(range, amm.feeIndex)) + Wad.mulCut(size, int256(fair));
        return Positions.open(indices, balance, size, Wad.mul(fair, size.abs()));
    }

    /// Size of the position, and its balance before the fee and the size's worth.
    function _atPrice(Amm storage amm, Range memory range, int24 tickLower, int24 tickUpper)
        private
        view
        returns (int256 balance, int256 size)
    {
        (uint160 lower, uint160 upper) = (Tick.toSqrt(tickLower), Tick.toSqrt(tickUpper));
        (uint256 base, uint256 quote) = _holdings(amm, range.liquidity, tickLower, tickUpper, lower, upper);
        size = int256(base) - int256(entryBase(range, upper));
        balance = int256(uint256(range.balance)) + int256(quote)
            - int256(Curve.quoteUp(range.liquidity, lower, range.sqrtEntryPX96)) - 1;
    }

    /// Base and quote inside the range now, both rounded up like the entry amounts.
    function _holdings(
        Amm storage amm,
        uint128 liquidity,
        int24 tickLower,
        int24 tickUpper,
        uint160 lower,
        uint160 upper
    ) private view returns (uint256 base, uint256 quote) {
        uint160 price = amm.sqrtPX96;
        if (amm.tick < tickLower) price = lower;
        else if (amm.tick >= tickUpper) price = upper;
        if (price < upper) base = Curve.baseUp(liquidity, price, upper);
        if (price > lower) quote = Curve.quoteUp(liquidity, lower, price);
    }
}
