// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_TICK, MIN_TICK, Q96} from "../Constants.sol";
import {Amm, Pearl} from "../Types.sol";
import {IInstrument} from "../interfaces/IInstrument.sol";
import {Curve} from "../maths/Curve.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {LibBit} from "solady/utils/LibBit.sol";

/// Walks a pair's liquidity from outside: which ticks are initialised, what size moves the price to a tick, what size
/// a notional buys. Linked: Observer delegates to it. Source: perp-protocol 1.6, 3.3.
library Depth {
    /// Ticks read at once while looking for liquidity.
    int24 private constant WINDOW = 4096;

    /// State of a walk; `target` is the notional left to find, for walks by notional.
    struct Walk {
        IInstrument instrument;
        uint32 expiry;
        bool long;
        uint160 sqrtPX96;
        uint128 liquidity;
        uint256 size;
        uint256 target;
    }

    /// Initialised ticks of [from, to], ascending.
    function ticksIn(IInstrument instrument, uint32 expiry, int24 from, int24 to)
        public
        view
        returns (int24[] memory ticks)
    {
        if (from < MIN_TICK) from = MIN_TICK;
        if (to > MAX_TICK) to = MAX_TICK;
        if (from > to) return ticks;
        int16 first = int16(from >> 8);
        int16[] memory words = new int16[](uint256(int256((to >> 8) - first + 1)));
        for (uint256 i; i < words.length; ++i) {
            words[i] = first + int16(int256(i));
        }
        uint256[] memory bitmaps = instrument.getTickBitmaps(expiry, words);
        bitmaps[0] &= type(uint256).max << uint8(uint24(from));
        bitmaps[bitmaps.length - 1] &= type(uint256).max >> (255 - uint8(uint24(to)));
        return _unpack(words, bitmaps);
    }

    /// Signed size that moves the price to `tick`, or as far towards it as there is liquidity. Orders at the tick are
    /// part of it for a buy; a sell stops before them.
    function sizeToTick(IInstrument instrument, uint32 expiry, int24 tick) external view returns (int256) {
        Amm memory amm = instrument.getAmm(expiry);
        if (tick == amm.tick) return 0;
        Walk memory walk = _start(instrument, expiry, amm, tick > amm.tick);
        if (walk.long) {
            int24[] memory ticks = ticksIn(instrument, expiry, amm.tick, tick);
            _walkAll(walk, amm.tick, ticks);
            if (walk.liquidity != 0) walk.size += Curve.baseUp(walk.liquidity, walk.sqrtPX96, Tick.toSqrt(tick));
            return int256(walk.size);
        }
        _walkAll(walk, amm.tick, _reverse(ticksIn(instrument, expiry, tick + 1, amm.tick)));
        if (walk.liquidity != 0) walk.size += _lastSell(walk, expiry, tick);
        return -int256(walk.size);
    }

    /// Signed size whose notional comes nearest to `notional` from below, or all there is.
    function sizeByQuote(IInstrument instrument, uint32 expiry, uint256 notional, bool long)
        external
        view
        returns (int256)
    {
        Amm memory amm = instrument.getAmm(expiry);
        Walk memory walk = _start(instrument, expiry, amm, long);
        walk.target = notional;
        int24 cursor = amm.tick;
        bool done;
        while (!done && cursor >= MIN_TICK && cursor <= MAX_TICK) {
            int24[] memory ticks = long
                ? ticksIn(instrument, expiry, cursor, cursor + WINDOW - 1)
                : _reverse(ticksIn(instrument, expiry, cursor - WINDOW + 1, cursor));
            done = _walkByQuote(walk, amm.tick, ticks);
            cursor = long ? cursor + WINDOW : cursor - WINDOW;
        }
        return long ? int256(walk.size) : -int256(walk.size);
    }

    function _start(IInstrument instrument, uint32 expiry, Amm memory amm, bool long)
        private
        pure
        returns (Walk memory)
    {
        return Walk(instrument, expiry, long, amm.sqrtPX96, amm.liquidity, 0, 0);
    }

    /// Through all of `ticks`. A buy starts with what is left at the tick it stands in, which it does not cross.
    function _walkAll(Walk memory walk, int24 start, int24[] memory ticks) private view {
        Pearl[] memory pearls = walk.instrument.getPearls(walk.expiry, ticks);
        for (uint256 i; i < ticks.length; ++i) {
            bool here = walk.long && ticks[i] == start;
            if (!here) {
                uint160 to = Tick.toSqrt(ticks[i]);
                walk.size += Curve.baseUp(walk.liquidity, walk.sqrtPX96, to);
                walk.sqrtPX96 = to;
            }
            walk.size += _resting(walk, pearls[i]);
            if (!here) _cross(walk, pearls[i]);
        }
    }

    /// Like `_walkAll`, but ends where the notional is used up; returns whether it is.
    function _walkByQuote(Walk memory walk, int24 start, int24[] memory ticks) private view returns (bool) {
        Pearl[] memory pearls = walk.instrument.getPearls(walk.expiry, ticks);
        for (uint256 i; i < ticks.length; ++i) {
            bool here = walk.long && ticks[i] == start;
            if (!here && _segment(walk, Tick.toSqrt(ticks[i]))) return true;
            uint256 price = Tick.toPrice(ticks[i]);
            uint256 resting = _resting(walk, pearls[i]);
            uint256 value = Wad.mul(price, resting);
            if (value >= walk.target) {
                uint256 part = Wad.divDown(walk.target, price);
                walk.size += part < resting ? part : resting;
                return true;
            }
            walk.size += resting;
            walk.target -= value;
            if (!here) _cross(walk, pearls[i]);
        }
        return false;
    }

    /// Along the curve to `to`, or as far as the notional leads; returns whether it ended on the way.
    function _segment(Walk memory walk, uint160 to) private pure returns (bool) {
        if (walk.liquidity == 0) {
            walk.sqrtPX96 = to;
            return false;
        }
        uint256 quote = walk.long
            ? Curve.quoteUp(walk.liquidity, walk.sqrtPX96, to)
            : Curve.quoteDown(walk.liquidity, walk.sqrtPX96, to);
        if (quote >= walk.target) {
            uint160 move = uint160(walk.target * Q96 / walk.liquidity);
            uint160 post = walk.long ? walk.sqrtPX96 + move : walk.sqrtPX96 - move;
            if (move != 0) walk.size += Curve.baseUp(walk.liquidity, walk.sqrtPX96, post);
            return true;
        }
        walk.size += Curve.baseUp(walk.liquidity, walk.sqrtPX96, to);
        walk.target -= quote;
        walk.sqrtPX96 = to;
        return false;
    }

    /// The last stretch of a sell: exactly onto an initialised tick, else one wei less, so as not to pass the tick.
    function _lastSell(Walk memory walk, uint32 expiry, int24 tick) private view returns (uint256 base) {
        base = Curve.baseUp(walk.liquidity, walk.sqrtPX96, Tick.toSqrt(tick));
        bool onTick = ticksIn(walk.instrument, expiry, tick, tick).length != 0;
        if (!onTick && base != 0) --base;
    }

    /// Size resting at a tick against the walk's direction.
    function _resting(Walk memory walk, Pearl memory pearl) private pure returns (uint256) {
        int256 left = walk.long ? -int256(pearl.left) : int256(pearl.left);
        return left > 0 ? uint256(left) : 0;
    }

    function _cross(Walk memory walk, Pearl memory pearl) private pure {
        int256 net = walk.long ? int256(pearl.liquidityNet) : -int256(pearl.liquidityNet);
        walk.liquidity = uint128(uint256(int256(uint256(walk.liquidity)) + net));
    }

    function _unpack(int16[] memory words, uint256[] memory bitmaps) private pure returns (int24[] memory ticks) {
        uint256 count;
        for (uint256 i; i < bitmaps.length; ++i) {
            count += LibBit.popCount(bitmaps[i]);
        }
        ticks = new int24[](count);
        count = 0;
        for (uint256 i; i < bitmaps.length; ++i) {
            for (uint256 bits = bitmaps[i]; bits != 0; bits &= bits - 1) {
                ticks[count++] = (int24(words[i]) << 8) + int24(uint24(LibBit.ffs(bits)));
            }
        }
    }

    function _reverse(int24[] memory ticks) private pure returns (int24[] memory reversed) {
        reversed = new int24[](ticks.length);
        for (uint256 i; i < ticks.length; ++i) {
            reversed[i] = ticks[ticks.length - 1 - i];
        }
    }
}
