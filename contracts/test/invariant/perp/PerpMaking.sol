// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpStressBase} from "./PerpStressBase.sol";
import {Packed} from "src/perp/Packed.sol";
import {Order, Portfolio, Range} from "src/perp/Types.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Words} from "test/perp/Words.sol";

/// Orders and ranges on the least margin, taken, claimed and removed.
abstract contract PerpMaking is PerpStressBase {
    /// A short that ends exactly where a range begins has not left it.
    function edge(uint256 marginSeed) external counted {
        vm.prank(wanderer);
        try instrument.add(
            Words.add(PERP, int256(bound(marginSeed, 500e18, 5000e18)), 953, 953, ANY_LOW, ANY_HIGH, 0)
        ) returns (
            int24 tickLower, int24 tickUpper, Range memory
        ) {
            _done(Action.ADD);
            (, int256 answer,,,) = btcFeed.latestRoundData();
            btcFeed.set(int256(Tick.toPrice(tickLower) / 1e10));
            int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tickLower);
            bool done = _tryTrade(PERP, whale, size, AMPLE);
            if (done && _amm().sqrtPX96 == Tick.toSqrt(tickLower)) {
                if (_amm().tick != tickLower) violation = "a short that ends on a tick has crossed it";
                _happen(Kind.EDGE);
            }
            if (marginSeed % 2 == 0) _tryTrade(PERP, whale, -size, AMPLE);
            _removeRange(Action.REMOVE, wanderer, wanderer, Packed.rangeId(tickLower, tickUpper));
            btcFeed.set(answer);
            _arbitrage();
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// An order on the least margin, which the whale takes in part or whole; somebody fills what is filled.
    function make(uint256 who, int256 sizeSeed, uint256 partSeed) external counted {
        address trader = _actor(who);
        if (_portfolio(trader).oids.length >= MOST_ORDERS) return;
        int24 tick = sizeSeed % 2 == 0 ? _tick() + 20 : _tick() - 20;
        int256 size = _orderSize(tick, uint256(sizeSeed));
        // Asks the feed, and a prank holds for one call.
        int256 margin = int256(_orderMargin(tick, size));
        vm.prank(trader);
        try instrument.place(Words.trade(PERP, size, margin, tick, 0)) returns (uint24 nonce, Order memory) {
            _know(tick, nonce);
            _done(Action.PLACE);
            int256 through = observer.getBaseSizeByTick(address(instrument), PERP, size < 0 ? tick : tick - 1);
            if (partSeed % 2 == 0) through -= -size / 2;
            if (!_tryTrade(PERP, whale, through, AMPLE)) return;
            if (_pearl(tick).nonce != nonce || _pearl(tick).taken != 0) _happen(Kind.TAKEN);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    /// Everything that is taken whole is claimed for its maker, and half of the rest taken back.
    function claim(uint256 whose, bool takesBack) external counted {
        address trader = _actor(whose);
        Portfolio memory p = _portfolio(trader);
        for (uint256 i; i < p.oids.length; ++i) {
            (int24 tick, uint24 nonce) = Packed.orderOf(p.oids[i]);
            if (p.ordersTaken[i] == p.orders[i].size) {
                vm.prank(whale);
                try instrument.fill(Words.fill(PERP, trader, tick, nonce)) {
                    _happen(Kind.FILL);
                } catch (bytes memory reason) {
                    _expected(reason);
                }
            } else if (takesBack) {
                int24[] memory ticks = new int24[](1);
                ticks[0] = tick;
                vm.prank(trader);
                try instrument.cancel(Words.cancel(PERP, ticks, 0)) {
                    _done(Action.CANCEL);
                } catch (bytes memory reason) {
                    _expected(reason);
                }
            }
        }
    }

    /// A range comes or goes; what the price has left is removed by a stranger, also where it is bankrupt.
    function liquidity(uint256 who, uint256 marginSeed, uint24 deltaSeed) external counted {
        address trader = _actor(who);
        uint48[] memory rids = _portfolio(trader).rids;
        for (uint256 i; i < rids.length; ++i) {
            (int24 tickLower, int24 tickUpper) = (int24(uint24(rids[i] >> 24)), int24(uint24(rids[i])));
            bool isActive = tickLower <= _tick() && _tick() < tickUpper;
            if (isActive && marginSeed % 2 == 0) continue;
            uint256 before = operations;
            _removeRange(Action.REMOVE, isActive ? trader : whale, trader, rids[i]);
            if (!isActive && operations != before) _happen(Kind.RANGE_OUT);
        }
        if (rids.length >= MOST_RANGES) return;
        int256 margin = int256(bound(marginSeed, 500e18, 5000e18));
        uint24 delta = uint24(bound(uint256(deltaSeed), 953, 1500));
        vm.prank(trader);
        try instrument.add(Words.add(PERP, margin, 0, delta, ANY_LOW, ANY_HIGH, 0)) returns (
            int24 tickLower, int24 tickUpper, Range memory range
        ) {
            _checkEdges(tickLower, tickUpper, range);
            _happen(Kind.RANGE);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }
}
