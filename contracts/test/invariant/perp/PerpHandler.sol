// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpScenes} from "./PerpScenes.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {Packed} from "src/perp/Packed.sol";
import {Order, Pearl, Portfolio, Range} from "src/perp/Types.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Words} from "test/perp/Words.sol";

/// Drives one pair with five accounts that trade, make, provide liquidity and claim at random while price and time
/// move. Inputs are bent towards what can succeed; what still reverts must do so with an error of the protocol.
contract PerpHandler is PerpScenes {
    // Actions

    function trade(uint256 who, int256 sizeSeed, uint256 marginSeed) external counted {
        address trader = _actor(who);
        int256 held = _portfolio(trader).position.size;
        int256 size = bound(sizeSeed, -25e18, 25e18);
        if (held != 0 && marginSeed % 3 == 0) size = -held;
        _tradeQuoted(Action.TRADE, trader, size, marginSeed);
    }

    /// Trades up to a resting order and through a part of it, or all.
    function take(uint256 who, uint256 whose, uint256 which, uint256 partSeed) external counted {
        Portfolio memory p = _portfolio(_holder(whose, true));
        if (p.oids.length == 0) return;
        (int24 tick,) = Packed.orderOf(p.oids[which % p.oids.length]);
        bool sell = p.orders[which % p.oids.length].size < 0;
        int256 size = _sizeThrough(tick, sell);
        if (size == 0) return;
        int256 left = _pearl(tick).left;
        if (partSeed % 2 == 0) size += left * int256(bound(partSeed, 1, 100)) / 101;
        _tradeQuoted(Action.TAKE, _actor(who), size, partSeed);
    }

    function adjust(uint256 who, int256 amountSeed) external counted {
        address trader = _actor(who);
        if (_portfolio(trader).position.size == 0) return;
        vm.prank(trader);
        try instrument.trade(Words.trade(PERP, 0, bound(amountSeed, -2000e18, 4000e18), 0, 0)) {
            _done(Action.ADJUST);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function place(uint256 who, int256 distanceSeed, uint256 valueSeed) external counted {
        if (_portfolio(_actor(who)).oids.length >= MOST_ORDERS) return;
        int24 tick = _tick() + int24(bound(distanceSeed, -400, 400));
        int256 size = _orderSize(tick, valueSeed);
        uint256 amount = _orderMargin(tick, size) * bound(valueSeed, 100, 300) / 100;
        vm.prank(_actor(who));
        try instrument.place(Words.trade(PERP, size, int256(amount), tick, 0)) returns (uint24 nonce, Order memory) {
            _know(tick, nonce);
            _done(Action.PLACE);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function batchPlace(uint256 who, int256 distanceSeed, uint256 valueSeed, uint8 countSeed) external counted {
        if (_portfolio(_actor(who)).oids.length >= MOST_ORDERS) return;
        uint256 count = bound(uint256(countSeed), 2, 5);
        (int24[] memory ticks, uint16[] memory ratios) = (new int24[](count), new uint16[](count));
        int24 step = distanceSeed < 0 ? int24(-7) : int24(7);
        uint16 used;
        for (uint256 i; i < count; ++i) {
            ticks[i] = _tick() + step * int24(int256(i + 1));
            ratios[i] = i == count - 1 ? 10_000 - used : uint16(10_000 / count);
            used += ratios[i];
        }
        int256 size = _orderSize(ticks[0], valueSeed) * int256(count + 1);
        uint256 leverage = bound(valueSeed, 1e18, 9.99e18);
        vm.prank(_actor(who));
        try instrument.batchPlace(Words.batch(PERP, size, leverage, ticks, ratios, 0)) returns (
            uint24[] memory nonces, Order[] memory
        ) {
            for (uint256 i; i < count; ++i) {
                _know(ticks[i], nonces[i]);
            }
            _done(Action.BATCH);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function cancel(uint256 who, uint256 which, uint8 countSeed) external counted {
        address trader = _holder(who, true);
        Portfolio memory p = _portfolio(trader);
        if (countSeed % 2 == 0) return _cancelUntouched(trader, p, which);
        if (p.oids.length == 0) return;
        uint256 count = bound(uint256(countSeed), 1, 4);
        int24[] memory ticks = new int24[](count);
        bool anyTaken;
        for (uint256 i; i < count; ++i) {
            uint256 at_ = (which % p.oids.length + i) % p.oids.length;
            (ticks[i],) = Packed.orderOf(p.oids[at_]);
            anyTaken = anyTaken || p.ordersTaken[at_] != 0;
        }
        vm.prank(trader);
        try instrument.cancel(Words.cancel(PERP, ticks, 0)) {
            _done(anyTaken ? Action.CANCEL_TAKEN : Action.CANCEL);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function _cancelUntouched(address trader, Portfolio memory p, uint256 which) private {
        for (uint256 i; i < p.oids.length; ++i) {
            uint256 at_ = (which % p.oids.length + i) % p.oids.length;
            (int24 tick,) = Packed.orderOf(p.oids[at_]);
            if (p.ordersTaken[at_] == 0) return _cancelAt(trader, tick);
        }
        _placeAndCancel(trader, which);
    }

    /// Fills the first taken order found, starting from one actor.
    function fill(uint256 who, uint256 whose) external counted {
        for (uint256 i; i < 5; ++i) {
            if (_fillOneOf(_actor(who), _actor(whose % 5 + i))) return;
        }
    }

    function _fillOneOf(address operator, address target) private returns (bool) {
        Portfolio memory p = _portfolio(target);
        for (uint256 i; i < p.oids.length; ++i) {
            (int24 tick, uint24 nonce) = Packed.orderOf(p.oids[i]);
            Pearl memory pearl = _pearl(tick);
            if (nonce > pearl.nonce) continue;
            if (nonce == pearl.nonce && _abs(pearl.taken) < _abs(p.orders[i].size)) continue;
            vm.prank(operator);
            try instrument.fill(Words.fill(PERP, target, tick, nonce)) {
                _done(Action.FILL);
            } catch (bytes memory reason) {
                _expected(reason);
            }
            return true;
        }
        return false;
    }

    function add(uint256 who, uint256 marginSeed, uint24 lowerSeed, uint24 upperSeed) external counted {
        address trader = _actor(who);
        if (_portfolio(trader).rids.length >= MOST_RANGES) return;
        vm.prank(trader);
        try instrument.add(
            Words.add(
                PERP,
                int256(bound(marginSeed, 500e18, 40_000e18)),
                uint24(bound(uint256(lowerSeed), 953, 1500)),
                uint24(bound(uint256(upperSeed), 953, 1500)),
                ANY_LOW,
                ANY_HIGH,
                0
            )
        ) returns (
            int24 tickLower, int24 tickUpper, Range memory range
        ) {
            _checkEdges(tickLower, tickUpper, range);
            _done(Action.ADD);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function remove(uint256 who, uint256 which) external counted {
        address trader = _holder(who, false);
        Portfolio memory p = _portfolio(trader);
        if (p.rids.length == 0) return;
        _removeRange(Action.REMOVE, trader, trader, p.rids[which % p.rids.length]);
    }

    /// Removes the first range found that the price has left, by another account.
    function removeOther(uint256 who, uint256 whose) external counted {
        for (uint256 i; i < 5; ++i) {
            address target = _actor(whose % 5 + i);
            if (target != _actor(who) && _removeOneOf(_actor(who), target)) return;
        }
    }

    function _removeOneOf(address operator, address target) private returns (bool) {
        uint48[] memory rids = _portfolio(target).rids;
        for (uint256 i; i < rids.length; ++i) {
            (int24 tickLower, int24 tickUpper) = (int24(uint24(rids[i] >> 24)), int24(uint24(rids[i])));
            if (tickLower <= _tick() && _tick() < tickUpper) continue;
            _removeRange(Action.REMOVE_OTHER, operator, target, rids[i]);
            return true;
        }
        return false;
    }

    /// Price and time move; the price stays within reach of the curve.
    function update(uint256 priceSeed, uint256 timeSeed) external counted {
        uint256 fair = Tick.sqrtToPrice(_amm().sqrtPX96);
        btcFeed.set(int256(fair * bound(priceSeed, 985, 1015) / 1000 / 1e10));
        vm.warp(block.timestamp + bound(timeSeed, 0, 4 hours));
        try instrument.update(PERP) {
            bytes32 state = keccak256(abi.encode(_amm()));
            instrument.update(PERP);
            if (state != keccak256(abi.encode(_amm()))) violation = "a second update in a block changed something";
            _done(Action.UPDATE);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function deposit(uint256 who, uint256 quantitySeed) external counted {
        vm.prank(_actor(who));
        gate.deposit(Words.token(address(usd), bound(quantitySeed, 1, 1e6 * 1e18)));
        _done(Action.DEPOSIT);
    }

    function withdraw(uint256 who, uint256 quantitySeed) external counted {
        vm.prank(_actor(who));
        try gate.withdraw(Words.token(address(usd), bound(quantitySeed, 1, 1e6 * 1e18))) {
            _done(Action.WITHDRAW);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// A trade and its reverse in one block never leave more than they cost.
    function roundTrip(int256 sizeSeed, uint256 marginSeed) external counted {
        address trader = roundTripper;
        uint256 before = _reserve(trader);
        try this.tradeThereAndBack(trader, bound(sizeSeed, -10e18, 10e18), marginSeed) {
            if (_reserve(trader) >= before) violation = "a round trip made money";
            operations++;
            _done(Action.ROUND_TRIP);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// Both trades or none: the way back may be refused where the first one led nearer to the benchmark.
    function tradeThereAndBack(address trader, int256 size, uint256 marginSeed) external {
        uint256 amount = instrument.inquire(PERP, size).minAmount * bound(marginSeed, 101, 250) / 100;
        vm.prank(trader);
        instrument.trade(Words.trade(PERP, size, int256(amount), size > 0 ? MAX_TICK : MIN_TICK, 0));
        vm.prank(trader);
        instrument.trade(Words.trade(PERP, -size, 0, size > 0 ? MIN_TICK : MAX_TICK, 0));
    }

    /// Adding and removing a range in one block costs a few units at most, and never gains.
    function addRemove(uint256 marginSeed, uint24 deltaSeed) external counted {
        address trader = visitor;
        uint256 before = _reserve(trader);
        int256 margin = int256(bound(marginSeed, 500e18, 50_000e18));
        vm.prank(trader);
        try instrument.add(
            Words.add(PERP, margin, 0, uint24(bound(uint256(deltaSeed), 953, 3000)), ANY_LOW, ANY_HIGH, 0)
        ) returns (
            int24 tickLower, int24 tickUpper, Range memory
        ) {
            vm.prank(trader);
            instrument.remove(Words.remove(PERP, trader, tickLower, tickUpper, ANY_LOW, ANY_HIGH, 0));
            uint256 lost = before - _reserve(trader);
            if (lost == 0 || lost > 10) violation = "adding and removing was not almost free";
            operations++;
            _done(Action.ADD_REMOVE);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }
}
