// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Q96} from "../Constants.sol";
import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";

/// Amounts and price moves of a constant-product segment with liquidity L between two square-root prices.
/// All amounts are WAD. Sizes must fit 127 bits: then size * sqrtPX96 fits a word and no overflow branch is needed.
/// Source: perp-protocol 3.2.
library Curve {
    using FixedPointMathLib for uint256;

    /// Base between `a` and `b` (any order), rounded up.
    function baseUp(uint128 liquidity, uint160 a, uint160 b) internal pure returns (uint256) {
        if (a > b) (a, b) = (b, a);
        return FixedPointMathLib.divUp((uint256(liquidity) << 96).fullMulDivUp(b - a, b), a);
    }

    /// Quote between `a` and `b` (any order), rounded up.
    function quoteUp(uint128 liquidity, uint160 a, uint160 b) internal pure returns (uint256) {
        if (a > b) (a, b) = (b, a);
        return uint256(liquidity).fullMulDivUp(b - a, Q96);
    }

    /// Quote between `a` and `b` (any order), rounded down.
    function quoteDown(uint128 liquidity, uint160 a, uint160 b) internal pure returns (uint256) {
        if (a > b) (a, b) = (b, a);
        return uint256(liquidity).fullMulDiv(b - a, Q96);
    }

    /// The price after `size` base left (`long`) or entered the segment, rounded up.
    function next(uint160 sqrtPX96, uint128 liquidity, uint256 size, bool long) internal pure returns (uint160) {
        uint256 scaled = uint256(liquidity) << 96;
        uint256 moved = size * sqrtPX96;
        return uint160(scaled.fullMulDivUp(sqrtPX96, long ? scaled - moved : scaled + moved));
    }

    /// One step from `sqrtPX96` towards `target`: where it ends, the base it moves and the quote that pays for it.
    /// A long pays rounded up, a short receives rounded down.
    function step(uint160 sqrtPX96, uint160 target, uint128 liquidity, uint256 size, bool long)
        internal
        pure
        returns (uint160 post, uint256 base, uint256 quote)
    {
        base = baseUp(liquidity, sqrtPX96, target);
        if (size >= base) {
            post = target;
        } else {
            base = size;
            post = next(sqrtPX96, liquidity, size, long);
        }
        quote = long ? quoteUp(liquidity, sqrtPX96, post) : quoteDown(liquidity, sqrtPX96, post);
    }
}
