// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpHandlerBase} from "./PerpHandlerBase.sol";
import {Packed} from "src/perp/Packed.sol";
import {Order, Pearl, Portfolio, Range} from "src/perp/Types.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Words} from "test/perp/Words.sol";

/// Actions in several calls, for what chance alone would seldom line up: an order that comes late to a partly taken
/// tick, a cancel of one that is partly taken, a range that the price has left.
abstract contract PerpScenes is PerpHandlerBase {
    int24 private constant BACK_TICKS = 15;
    // A step of the fair price within the deviation rule.
    int24 private constant STEP_TICKS = 400;
    int24 private constant START_TICK = 80_067;
    uint256 private constant MOST_LEFT_RANGES = 3;

    // At a partly taken tick

    function partlyTake(uint256 who, uint256 whose, uint256 which, uint256 partSeed) external counted {
        address owner = _holder(whose, true);
        Portfolio memory p = _portfolio(owner);
        if (p.oids.length == 0) return;
        (int24 tick,) = Packed.orderOf(p.oids[which % p.oids.length]);
        bool sell = p.orders[which % p.oids.length].size < 0;
        int256 left = _pearl(tick).left;
        int256 part = left * int256(bound(partSeed, 1, 100)) / 101;
        // The size to a tick counts the sells that rest there, and not the buys.
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tick) - part;
        if (sell) size += left;
        if (sell != (size > 0)) return;
        _tradeQuoted(Action.TAKE, _actor(who), size, partSeed);
        Pearl memory pearl = _pearl(tick);
        if (pearl.taken == 0 || pearl.left == 0) return;
        if (partSeed % 3 == 0 && succeeded[Action.PLACE_LATE] != 0) _cancelAt(owner, tick);
        else _placeLate(_actor(who), tick, sell, partSeed);
    }

    /// The size that takes all at `tick`, or 0 where the price is on its far side.
    function _sizeThrough(int24 tick, bool sell) internal view returns (int256 size) {
        size = observer.getBaseSizeByTick(address(instrument), PERP, sell ? tick : tick - 1);
        if (sell != (size > 0)) size = 0;
    }

    function _cancelAt(address owner, int24 tick) internal {
        Portfolio memory p = _portfolio(owner);
        int256 taken;
        for (uint256 i; i < p.oids.length; ++i) {
            (int24 other,) = Packed.orderOf(p.oids[i]);
            if (other == tick) taken = p.ordersTaken[i];
        }
        int24[] memory ticks = new int24[](1);
        ticks[0] = tick;
        vm.prank(owner);
        try instrument.cancel(Words.cancel(PERP, ticks, 0)) {
            _done(taken == 0 ? Action.CANCEL : Action.CANCEL_TAKEN);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function _placeAndCancel(address trader, uint256 seed) internal {
        int24 tick = seed % 2 == 0 ? _tick() + BACK_TICKS : _tick() - BACK_TICKS;
        int256 size = _orderSize(tick, seed);
        int256 amount = int256(2 * _orderMargin(tick, size));
        vm.prank(trader);
        try instrument.place(Words.trade(PERP, size, amount, tick, 0)) returns (uint24 nonce, Order memory) {
            _know(tick, nonce);
            _done(Action.PLACE);
            _cancelAt(trader, tick);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// The taker brings the price back, and somebody places where the earlier orders are partly taken.
    function _placeLate(address taker, int24 tick, bool sell, uint256 seed) private {
        int24 back = sell ? tick - BACK_TICKS : tick + BACK_TICKS;
        int256 toBack = observer.getBaseSizeByTick(address(instrument), PERP, back);
        _tradeQuoted(Action.TRADE, taker, toBack, seed);
        // Where the taker lacks the margin, somebody else brings it back.
        if (_tick() == tick) _tradeQuoted(Action.TRADE, whale, toBack, seed);
        int256 size = _orderSize(tick, seed);
        int256 amount = int256(2 * _orderMargin(tick, size));
        Pearl memory before = _pearl(tick);
        address newcomer = _withoutOrderAt(tick, seed);
        vm.prank(newcomer);
        try instrument.place(Words.trade(PERP, size, amount, tick, 0)) returns (uint24 nonce, Order memory) {
            _know(tick, nonce);
            // Whatever generation it was put into.
            if (before.taken != 0) _checkOwnsNothing(newcomer, tick, nonce);
            _done(nonce > before.nonce ? Action.PLACE_LATE : Action.PLACE);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// The first actor from `seed` on that has no order at the tick; if all have, the last.
    function _withoutOrderAt(int24 tick, uint256 seed) private view returns (address trader) {
        for (uint256 i; i < 5; ++i) {
            trader = _actor(seed % 5 + i);
            uint48[] memory oids = _portfolio(trader).oids;
            bool has;
            for (uint256 k; k < oids.length; ++k) {
                (int24 other,) = Packed.orderOf(oids[k]);
                has = has || other == tick;
            }
            if (!has) return trader;
        }
    }

    /// Nothing that was taken before is its maker's, and nobody can claim it.
    function _checkOwnsNothing(address owner, int24 tick, uint24 nonce) private {
        Portfolio memory p = _portfolio(owner);
        if (p.ordersTaken[p.oids.length - 1] != 0) violation = "a late order owns what was taken before it";
        try instrument.fill(Words.fill(PERP, owner, tick, nonce)) {
            violation = "a late order was filled at once";
        } catch {}
    }

    // Beyond the edge of a range

    /// A range is added, the price leaves it, a stranger removes it for the tip, and the price comes back.
    function leaveRange(uint256 who, uint256 marginSeed) external counted {
        if (succeeded[Action.REMOVE_OTHER] >= MOST_LEFT_RANGES) return;
        int24 start = _tick();
        (, int256 answer,,,) = btcFeed.latestRoundData();
        uint256 margin = bound(marginSeed, 500e18, 5000e18);
        vm.prank(wanderer);
        try instrument.add(Words.add(PERP, int256(margin), 953, 953, ANY_LOW, ANY_HIGH, 0)) returns (
            int24 tickLower, int24 tickUpper, Range memory
        ) {
            _done(Action.ADD);
            // Towards where most of the liquidity lies.
            _pushTo(start < START_TICK ? tickUpper : tickLower - 1, marginSeed);
            bool isActive = tickLower <= _tick() && _tick() < tickUpper;
            if (!isActive) {
                _removeRange(Action.REMOVE_OTHER, _actor(who), wanderer, Packed.rangeId(tickLower, tickUpper));
            }
        } catch (bytes memory reason) {
            _expected(reason);
        }
        _pushTo(start, marginSeed);
        btcFeed.set(answer);
        _closeQuietly(whale, marginSeed);
        _closeQuietly(wanderer, marginSeed);
    }

    /// Moves oracle and fair price together.
    function _pushTo(int24 target, uint256 seed) private {
        for (uint256 i; i < 8 && _tick() != target; ++i) {
            int24 distance = target - _tick();
            if (distance > STEP_TICKS) distance = STEP_TICKS;
            if (distance < -STEP_TICKS) distance = -STEP_TICKS;
            int24 next = _tick() + distance;
            btcFeed.set(int256(Tick.toPrice(next) / 1e10));
            int256 size = observer.getBaseSizeByTick(address(instrument), PERP, next);
            if (size == 0) return;
            _tradeQuoted(Action.TRADE, whale, size, seed);
        }
    }

    function _closeQuietly(address trader, uint256 seed) private {
        int256 held = _portfolio(trader).position.size;
        if (held != 0) _tradeQuoted(Action.TRADE, trader, -held, seed);
    }
}
