// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_TICK, MIN_TICK} from "../Constants.sol";
import {LibBit} from "solady/utils/LibBit.sol";

/// One bit a tick: set while liquidity starts or ends there, or orders rest there. Pearl spacing is 1, so a tick is
/// its own compressed form. Source: perp-protocol 2.5.
library TickBitmap {
    function flip(mapping(int16 => uint256) storage bitmap, int24 tick) internal {
        bitmap[int16(tick >> 8)] ^= 1 << uint8(uint24(tick));
    }

    /// The nearest set tick strictly right of `tick`.
    function nextRight(mapping(int16 => uint256) storage bitmap, int24 tick)
        internal
        view
        returns (int24 next, bool found)
    {
        int24 from = tick + 1;
        int16 last = int16(MAX_TICK >> 8);
        for (int16 word = int16(from >> 8); word <= last; ++word) {
            uint256 bits = bitmap[word];
            if (word == int16(from >> 8)) bits &= type(uint256).max << uint8(uint24(from));
            if (bits != 0) return ((int24(word) << 8) + int24(uint24(LibBit.ffs(bits))), true);
        }
    }

    /// The nearest set tick at or left of `tick`.
    function nextLeft(mapping(int16 => uint256) storage bitmap, int24 tick)
        internal
        view
        returns (int24 next, bool found)
    {
        int16 last = int16(MIN_TICK >> 8);
        for (int16 word = int16(tick >> 8); word >= last; --word) {
            uint256 bits = bitmap[word];
            if (word == int16(tick >> 8)) bits &= type(uint256).max >> (255 - uint8(uint24(tick)));
            if (bits != 0) return ((int24(word) << 8) + int24(uint24(LibBit.fls(bits))), true);
        }
    }
}
