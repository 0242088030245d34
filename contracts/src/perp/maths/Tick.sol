// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_SQRT_PX96, MAX_TICK, MIN_SQRT_PX96, MIN_TICK, WAD} from "../Constants.sol";
import {FixedPointMathLib} from "solady/utils/FixedPointMathLib.sol";
import {LibBit} from "solady/utils/LibBit.sol";

/// Ticks, square-root prices and prices. A tick t stands for the price 1.0001^t (quote per base, both with 18
/// decimals); a square-root price is sqrt(price) * 2^96. Source: perp-protocol 3.1.
library Tick {
    error TickOutOfBound();
    error SqrtPX96OutOfBound();

    /// sqrt(1.0001^tick) * 2^96, rounded up.
    function toSqrt(int24 tick) internal pure returns (uint160) {
        if (tick < MIN_TICK || tick > MAX_TICK) revert TickOutOfBound();
        uint256 t = uint256(int256(tick < 0 ? -tick : tick));
        // Every factor is 2^128 / sqrt(1.0001)^(2^i); a product of two factors below 2^128 cannot overflow.
        unchecked {
            uint256 r = t & 0x1 != 0 ? 0xfffcb933bd6fad37aa2d162d1a594001 : 1 << 128;
            if (t & 0x2 != 0) r = (r * 0xfff97272373d413259a46990580e213a) >> 128;
            if (t & 0x4 != 0) r = (r * 0xfff2e50f5f656932ef12357cf3c7fdcc) >> 128;
            if (t & 0x8 != 0) r = (r * 0xffe5caca7e10e4e61c3624eaa0941cd0) >> 128;
            if (t & 0x10 != 0) r = (r * 0xffcb9843d60f6159c9db58835c926644) >> 128;
            if (t & 0x20 != 0) r = (r * 0xff973b41fa98c081472e6896dfb254c0) >> 128;
            if (t & 0x40 != 0) r = (r * 0xff2ea16466c96a3843ec78b326b52861) >> 128;
            if (t & 0x80 != 0) r = (r * 0xfe5dee046a99a2a811c461f1969c3053) >> 128;
            if (t & 0x100 != 0) r = (r * 0xfcbe86c7900a88aedcffc83b479aa3a4) >> 128;
            if (t & 0x200 != 0) r = (r * 0xf987a7253ac413176f2b074cf7815e54) >> 128;
            if (t & 0x400 != 0) r = (r * 0xf3392b0822b70005940c7a398e4b70f3) >> 128;
            if (t & 0x800 != 0) r = (r * 0xe7159475a2c29b7443b29c7fa6e889d9) >> 128;
            if (t & 0x1000 != 0) r = (r * 0xd097f3bdfd2022b8845ad8f792aa5825) >> 128;
            if (t & 0x2000 != 0) r = (r * 0xa9f746462d870fdf8a65dc1f90e061e5) >> 128;
            if (t & 0x4000 != 0) r = (r * 0x70d869a156d2a1b890bb3df62baf32f7) >> 128;
            if (t & 0x8000 != 0) r = (r * 0x31be135f97d08fd981231505542fcfa6) >> 128;
            if (t & 0x10000 != 0) r = (r * 0x9aa508b5b7a84e1c677de54f3e99bc9) >> 128;
            if (t & 0x20000 != 0) r = (r * 0x5d6af8dedb81196699c329225ee604) >> 128;
            if (t & 0x40000 != 0) r = (r * 0x2216e584f5fa1ea926041bedfe98) >> 128;
            if (tick > 0) r = type(uint256).max / r;
            return uint160((r >> 32) + (r & 0xffffffff == 0 ? 0 : 1));
        }
    }

    /// The greatest tick whose square-root price is not above `sqrtPX96`.
    function fromSqrt(uint160 sqrtPX96) internal pure returns (int24 tick) {
        if (sqrtPX96 < MIN_SQRT_PX96 || sqrtPX96 > MAX_SQRT_PX96) revert SqrtPX96OutOfBound();
        unchecked {
            uint256 ratio = uint256(sqrtPX96) << 32;
            uint256 msb = LibBit.fls(ratio);
            uint256 r = msb >= 128 ? ratio >> (msb - 127) : ratio << (127 - msb);
            int256 log2 = (int256(msb) - 128) << 64;
            // Fourteen binary digits of log2 by repeated squaring of the mantissa.
            for (uint256 shift = 63; shift > 49; --shift) {
                r = (r * r) >> 127;
                uint256 bit = r >> 128;
                log2 |= int256(bit << shift);
                r >>= bit;
            }
            // log2 to base sqrt(1.0001), then the bounds of its error.
            int256 log = log2 * 255738958999603826347141;
            int24 low = int24((log - 3402992956809132418596140100660247210) >> 128);
            int24 high = int24((log + 291339464771989622907027621153398088495) >> 128);
            if (low == high) return low;
            // `high` may stand one above the greatest tick when the price is the greatest one.
            return high <= MAX_TICK && toSqrt(high) <= sqrtPX96 ? high : low;
        }
    }

    /// Price in WAD of a square-root price. The one wei on top makes tick -> price -> tick the identity.
    function sqrtToPrice(uint160 sqrtPX96) internal pure returns (uint256) {
        uint256 priceX96 = uint256(sqrtPX96) * sqrtPX96 >> 96;
        return (priceX96 * WAD >> 96) + 1;
    }

    /// Price in WAD of a tick.
    function toPrice(int24 tick) internal pure returns (uint256) {
        return sqrtToPrice(toSqrt(tick));
    }

    /// Square-root price of a price in WAD, rounded down.
    function priceToSqrt(uint256 price) internal pure returns (uint160) {
        uint256 priceX96 = (price << 96) / WAD;
        if (price >> 160 != 0 || priceX96 >> 160 != 0) revert SqrtPX96OutOfBound();
        return uint160(FixedPointMathLib.sqrt(priceX96 << 96));
    }

    function fromPrice(uint256 price) internal pure returns (int24) {
        return fromSqrt(priceToSqrt(price));
    }

    /// The greatest multiple of `spacing` not above `tick`.
    function alignDown(int24 tick, int24 spacing) internal pure returns (int24) {
        int24 remainder = tick % spacing;
        return remainder < 0 ? tick - remainder - spacing : tick - remainder;
    }

    /// The least multiple of `spacing` not below `tick`.
    function alignUp(int24 tick, int24 spacing) internal pure returns (int24) {
        return -alignDown(-tick, spacing);
    }
}
