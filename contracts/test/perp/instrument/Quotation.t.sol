// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Quotation, Status} from "src/perp/Types.sol";
import {Quotations} from "src/perp/instrument/Quotations.sol";
import {Context, State, Store, StoredPearl} from "src/perp/instrument/Store.sol";
import {Swap, SwapResult} from "src/perp/instrument/Swap.sol";
import {TickBitmap} from "src/perp/instrument/TickBitmap.sol";
import {IMarket} from "src/perp/interfaces/IMarket.sol";
import {Curve} from "src/perp/maths/Curve.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

/// A quotation recorded on a public deployment of the protocol, to the wei, and the walk against a plain sum.
contract QuotationTest is TestBase {
    using TickBitmap for mapping(int16 => uint256);

    uint32 private constant PERP = type(uint32).max;

    function _pair(uint160 sqrtPX96, uint128 liquidity) private returns (Context storage c) {
        State storage s = Store.load();
        (s.initialMarginRatio, s.maintenanceMarginRatio) = (300, 200);
        (s.tradingFeeRatio, s.protocolFeeRatio, s.minMarginAmount) = (1, 1, 2e18);
        s.market = address(0xfeed);
        c = s.contexts[PERP];
        c.amm.status = uint8(Status.TRADING);
        (c.amm.sqrtPX96, c.amm.tick, c.amm.liquidity) = (sqrtPX96, Tick.fromSqrt(sqrtPX96), liquidity);
    }

    function testVectorOfAQuotation() public {
        Context storage c = _pair(20692023544244596285449730820455, 52849062915994640064041);
        c.bitmap.flip(112_000);
        vm.mockCall(
            address(0xfeed),
            abi.encodeCall(IMarket.getMarkPrice, (address(this), PERP, uint8(Status.TRADING))),
            abi.encode(uint256(68286171518923027684430))
        );
        Quotation memory quotation = Quotations.inquire(PERP, 0.1e18);
        vm.assertEq(uint256(quotation.sqrtPostFairPX96), 20702254205994863152862945876534);
        vm.assertEq(quotation.entryNotional, 6824352217114320379919);
        vm.assertEq(quotation.fee, 1364870443422864076);
        vm.assertEq(quotation.minAmount, 206223385000191947130);
        vm.assertEq(int256(quotation.postTick), 111_318);
        vm.assertEq(quotation.mark, 68286171518923027684430);
        vm.assertEq(quotation.benchmark, quotation.mark);
    }

    /// Whatever the size and the mark, a quotation is the walk, one fee, and margin at the mark with the loss of entry.
    function testFuzzQuotesTheWalk(uint256 sizeSeed, uint256 markSeed, uint128 liquiditySeed, bool long) public {
        uint128 liquidity = uint128(bound(uint256(liquiditySeed), 1e20, 1e26));
        Context storage c = _pair(Tick.toSqrt(80_000), liquidity);
        c.bitmap.flip(79_000);
        c.bitmap.flip(81_000);
        uint256 most = Curve.baseUp(liquidity, Tick.toSqrt(80_000), Tick.toSqrt(81_000));
        int256 size = int256(bound(sizeSeed, 1, most));
        uint256 mark = bound(markSeed, 1000e18, 9000e18);
        vm.mockCall(
            address(0xfeed),
            abi.encodeCall(IMarket.getMarkPrice, (address(this), PERP, uint8(Status.TRADING))),
            abi.encode(mark)
        );
        Quotation memory quotation = Quotations.inquire(PERP, long ? size : -size);
        SwapResult memory walk = Swap.walk(c, long ? size : -size);
        vm.assertEq(quotation.entryNotional, walk.entryNotional);
        vm.assertEq(uint256(quotation.sqrtPostFairPX96), walk.sqrtPX96);
        vm.assertEq(int256(quotation.postTick), walk.tick);
        vm.assertEq(quotation.fee, (walk.entryNotional * 2 + 9999) / 10_000);
        uint256 value = Wad.mul(mark, uint256(size));
        int256 loss = int256(value) - int256(walk.entryNotional);
        if (long) loss = -loss;
        vm.assertEq(quotation.minAmount, (value * 3 + 99) / 100 + quotation.fee + uint256(loss > 0 ? loss : int256(0)));
        vm.assertEq(quotation.benchmark, mark);
    }

    /// Behind a live generation another waits: the walk takes both, in this order, at one value.
    function testFuzzWalkTakesBothGenerations(uint96 liveSeed, uint96 waitingSeed, uint256 sizeSeed, bool long) public {
        Context storage c = _pair(Tick.toSqrt(80_000), 1e22);
        int24 tick = long ? int24(80_000) : int24(79_999);
        int96 live = int96(int256(bound(uint256(liveSeed), 1, 1e26)));
        int96 waiting = int96(int256(bound(uint256(waitingSeed), 1, 1e26)));
        StoredPearl storage pearl = c.pearls[tick];
        (pearl.left, pearl.waiting, pearl.hasWaiting) =
            long ? (-live - waiting, -waiting, true) : (live + waiting, waiting, true);
        c.bitmap.flip(tick);
        uint256 toTick = long ? 0 : Curve.baseUp(1e22, Tick.toSqrt(80_000), Tick.toSqrt(79_999));
        uint256 size = bound(sizeSeed, 1, uint256(int256(live)) + uint256(int256(waiting)));
        SwapResult memory r = Swap.walk(c, long ? int256(size) : -int256(toTick + size));
        vm.assertEq(r.takenSize, size);
        vm.assertEq(r.takenValue, Wad.mul(Tick.toPrice(tick), size));
        bool both = size > uint256(int256(live));
        vm.assertEq(r.takes, both ? 2 : 1);
        int256 first = r.taken[0].size;
        vm.assertEq(
            first, long ? -int256(both ? uint256(int256(live)) : size) : int256(both ? uint256(int256(live)) : size)
        );
        if (!both) return;
        vm.assertEq(first + r.taken[1].size, long ? -int256(size) : int256(size));
        vm.assertEq(r.taken[0].value, Wad.mul(Tick.toPrice(tick), uint256(int256(live))));
        vm.assertEq(r.taken[0].value + r.taken[1].value, r.takenValue);
    }

    /// A walk over two segments and an order between them is the sum of its parts.
    function testFuzzWalkAddsUp(uint128 liquiditySeed, int96 leftSeed, uint256 beyondSeed, bool long) public {
        uint128 liquidity = uint128(bound(uint256(liquiditySeed), 1e18, 1e26));
        uint160 start = Tick.toSqrt(80_000);
        Context storage c = _pair(start, liquidity);
        int24 near = long ? int24(80_010) : int24(79_990);
        int24 far = long ? int24(80_100) : int24(79_900);
        uint256 resting = bound(uint256(int256(leftSeed)), 1, 1e24);
        {
            StoredPearl storage pearl = c.pearls[near];
            pearl.left = long ? -int96(int256(resting)) : int96(int256(resting));
            pearl.liquidityGross = liquidity / 2;
            pearl.liquidityNet = long ? -int128(liquidity / 2) : int128(liquidity / 2);
        }
        c.bitmap.flip(near);
        c.bitmap.flip(far);

        uint128 after_ = liquidity - liquidity / 2;
        uint256 beyond = bound(beyondSeed, 1, Curve.baseUp(after_, Tick.toSqrt(near), Tick.toSqrt(far)) - 1);
        SwapResult memory r;
        {
            int256 size = int256(Curve.baseUp(liquidity, start, Tick.toSqrt(near)) + resting + beyond);
            r = Swap.walk(c, long ? size : -size);
        }
        vm.assertEq(r.takenSize, resting);
        vm.assertEq(r.takenValue, Wad.mul(Tick.toPrice(near), resting));
        vm.assertEq(uint256(r.liquidity), after_);
        _checkSegments(r, start, liquidity, near, far, beyond);
        vm.assertTrue(long ? r.tick >= near : r.tick < near, "tick and liquidity agree");
    }

    /// From `start` through `near`, where half of the liquidity ends, and `beyond` towards `far`.
    function _checkSegments(
        SwapResult memory r,
        uint160 start,
        uint128 liquidity,
        int24 near,
        int24 far,
        uint256 beyond
    ) private pure {
        bool long = far > near;
        uint160 middle = Tick.toSqrt(near);
        (uint160 post,, uint256 quote) = Curve.step(middle, Tick.toSqrt(far), liquidity - liquidity / 2, beyond, long);
        uint256 firstQuote = long ? Curve.quoteUp(liquidity, start, middle) : Curve.quoteDown(liquidity, start, middle);
        vm.assertEq(r.entryNotional, firstQuote + r.takenValue + quote);
        vm.assertEq(uint256(r.sqrtPX96), post);
    }

    /// With much liquidity at a low price a wei may not move the price: a short that has just crossed a boundary
    /// stays on its far side, so that the boundary is not crossed twice.
    function testDustShortStaysBeyondTheBoundary() public {
        uint128 liquidity = 1e33;
        Context storage c = _pair(Tick.toSqrt(-299_999), liquidity);
        c.bitmap.flip(-300_000);
        c.bitmap.flip(-310_000);
        c.bitmap.flip(-290_000);
        c.pearls[-300_000].liquidityGross = liquidity / 2;
        c.pearls[-300_000].liquidityNet = int128(liquidity / 2);
        uint256 first = Curve.baseUp(liquidity, Tick.toSqrt(-299_999), Tick.toSqrt(-300_000));
        SwapResult memory r = Swap.walk(c, -int256(first + 1));
        vm.assertEq(uint256(r.sqrtPX96), Tick.toSqrt(-300_000), "the wei did not move it");
        vm.assertEq(int256(r.tick), -300_001);
        vm.assertEq(uint256(r.liquidity), liquidity / 2);
        (c.amm.tick, c.amm.liquidity, c.amm.sqrtPX96) = (r.tick, r.liquidity, r.sqrtPX96);
        r = Swap.walk(c, 1);
        vm.assertEq(uint256(r.liquidity), liquidity, "and back");
    }
}
