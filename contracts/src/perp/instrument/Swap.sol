// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm} from "../Types.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Curve} from "../maths/Curve.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Pearls} from "./Pearls.sol";
import {Context, StoredPearl} from "./Store.sol";
import {TickBitmap} from "./TickBitmap.sol";

/// Orders taken at one tick; `size` signed as the makers'.
struct Take {
    int24 tick;
    int256 size;
    uint256 value;
}

/// Where a swap leads. Notional includes the value of taken orders.
struct SwapResult {
    uint160 sqrtPX96;
    int24 tick;
    uint128 liquidity;
    uint256 entryNotional;
    uint256 takenSize;
    uint256 takenValue;
    uint256 takes;
    Take[] taken;
}

/// Walks a trade along the curve and through the limit orders on its way. The walk only looks: a trade applies its
/// result, a quotation shows it, so both give the same numbers. Source: perp-protocol 3.3.
library Swap {
    using Cast for int256;
    using TickBitmap for mapping(int16 => uint256);

    function walk(Context storage c, int256 size) internal view returns (SwapResult memory r) {
        Amm storage amm = c.amm;
        (r.sqrtPX96, r.tick, r.liquidity) = (amm.sqrtPX96, amm.tick, amm.liquidity);
        // Beyond 127 bits no liquidity suffices, and the curve's arithmetic ends.
        if (size != int128(size)) revert IInstrumentErrors.TradeOutOfLiquidity();
        bool long = size > 0;
        uint256 remaining = size.abs();
        // Sells may be left at the tick the price stands in; buys there are met when the price leaves it downwards.
        if (long) remaining = _takeAt(c, r, r.tick, remaining, true);
        while (remaining != 0) {
            remaining = _advance(c, r, remaining, long);
        }
    }

    /// One segment: along the curve to the next initialised tick, and if it gets there, through that tick.
    function _advance(Context storage c, SwapResult memory r, uint256 remaining, bool long)
        private
        view
        returns (uint256)
    {
        (int24 next, bool found) = long ? c.bitmap.nextRight(r.tick) : c.bitmap.nextLeft(r.tick);
        if (!found) revert IInstrumentErrors.TradeOutOfLiquidity();
        uint160 target = Tick.toSqrt(next);
        (uint160 post, uint256 base, uint256 quote) = Curve.step(r.sqrtPX96, target, r.liquidity, remaining, long);
        remaining -= base;
        r.entryNotional += quote;
        r.sqrtPX96 = post;
        if (post != target) {
            int24 tick = Tick.fromSqrt(post);
            // A dust short may not move the price off the boundary it just crossed: it stays on the far side of it.
            r.tick = !long && tick > r.tick ? r.tick : tick;
            return remaining;
        }
        remaining = _takeAt(c, r, next, remaining, long);
        // A short that ends exactly on the tick has not crossed it.
        if (long || remaining != 0) _cross(c.pearls[next], r, long);
        r.tick = !long && remaining != 0 ? next - 1 : next;
        return remaining;
    }

    /// Takes what rests at `tick`: the live generation, then the one that waits behind it. Both values add up to that
    /// of the whole size, so that what a taker pays does not show how many generations it went through.
    function _takeAt(Context storage c, SwapResult memory r, int24 tick, uint256 remaining, bool long)
        private
        view
        returns (uint256)
    {
        StoredPearl storage pearl = c.pearls[tick];
        int256 left = pearl.left;
        if (remaining == 0 || left == 0 || (left > 0) == long) return remaining;
        uint256 size = left.abs();
        if (size > remaining) size = remaining;
        uint256 price = Tick.toPrice(tick);
        uint256 value = Wad.mul(price, size);
        r.entryNotional += value;
        r.takenSize += size;
        r.takenValue += value;
        remaining -= size;

        uint256 live = (left - Pearls.waitingOf(pearl)).abs();
        if (size > live) {
            uint256 liveValue = Wad.mul(price, live);
            _push(r, Take(tick, long ? -int256(live) : int256(live), liveValue));
            (size, value) = (size - live, value - liveValue);
        }
        _push(r, Take(tick, long ? -int256(size) : int256(size), value));
        return remaining;
    }

    function _cross(StoredPearl storage pearl, SwapResult memory r, bool long) private view {
        int256 net = pearl.liquidityNet;
        int256 liquidity = int256(uint256(r.liquidity)) + (long ? net : -net);
        if (liquidity < 0) revert IInstrumentErrors.InvariantBroken();
        r.liquidity = uint128(uint256(liquidity));
    }

    /// Appends to a list that doubles when it is full.
    function _push(SwapResult memory r, Take memory take) private pure {
        uint256 count = r.takes;
        if (count == r.taken.length) {
            Take[] memory longer = new Take[](count == 0 ? 4 : 2 * count);
            for (uint256 i; i < count; ++i) {
                longer[i] = r.taken[i];
            }
            r.taken = longer;
        }
        r.taken[count] = take;
        r.takes = count + 1;
    }
}
