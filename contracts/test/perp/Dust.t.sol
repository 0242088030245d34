// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {TestToken} from "./mocks/Mocks.sol";
import {Packed} from "src/perp/Packed.sol";
import {Portfolio, Position, QuoteParam} from "src/perp/Types.sol";

/// The wei that rounding gives away, where nothing covers it: a quote of 18 decimals and no fees. Everybody gets out.
/// See docs/decisions/perp-dust.md.
contract DustTest is PerpFixture {
    /// What was asked for on the way out and not paid.
    uint256 private missing;
    uint256 private operations;

    function setUp() public override {
        vm.warp(START);
        _deployCore();
        usd = new TestToken("USD", 18);
        _supportQuote(address(usd));
        address[3] memory accounts = [alice, bob, maker];
        for (uint256 i; i < 3; ++i) {
            _fund(accounts[i], 1e9 * 1e18);
        }
        instrument = _launch("BTC", address(usd), 300_000e18, 2000);
        vm.prank(admin);
        instrument.setQuoteParam(QuoteParam(10e18, 0, 0, 1, 0));
    }

    function testFuzzEverybodyGetsOut(uint256[12] calldata seeds) public {
        for (uint256 i; i < seeds.length; ++i) {
            int24 tick = 79_800 + int24(int256((seeds[i] >> 8) % 540));
            if (seeds[i] % 2 == 0) _placeAt(tick, int256(bound(seeds[i] >> 32, 0.1e18, 4e18)));
            else _tradeTo(tick);
            _checkGate();
        }
        _everybodyLeaves();
    }

    /// One of the ways in which the last exit asks for more than there is.
    function testLastExitBearsTheDust() public {
        for (int24 i; i < 6; ++i) {
            _placeAt(80_100 + 7 * i, 1e18);
        }
        _tradeTo(80_160);
        _tradeTo(79_900);
        _everybodyLeaves();
        vm.assertTrue(missing != 0, "the last one is short");
    }

    // What happens before

    function _placeAt(int24 tick, int256 size) private {
        if (tick == _tick() || _holdsOrderAt(tick)) return;
        _place(bob, tick, tick > _tick() ? -size : size, 20_000e18);
        ++operations;
    }

    function _holdsOrderAt(int24 tick) private view returns (bool) {
        uint48[] memory oids = _portfolio(bob).oids;
        for (uint256 i; i < oids.length; ++i) {
            (int24 other,) = Packed.orderOf(oids[i]);
            if (other == tick) return true;
        }
        return false;
    }

    function _tradeTo(int24 tick) private {
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tick);
        if (size < 0.1e18 && size > -0.1e18) return;
        _trade(alice, size, 100_000e18);
        ++operations;
    }

    // Leaving

    function _everybodyLeaves() private {
        _close(alice);
        uint48[] memory oids = _portfolio(bob).oids;
        for (uint256 i; i < oids.length; ++i) {
            (int24 tick,) = Packed.orderOf(oids[i]);
            _cancel(bob, tick);
            ++operations;
        }
        _close(bob);
        _checkGate();

        uint256 before = _reserve(maker);
        Portfolio memory p = _portfolio(maker);
        vm.prank(maker);
        instrument.remove(
            Words.remove(PERP, maker, int24(uint24(p.rids[0] >> 24)), int24(uint24(p.rids[0])), ANY_LOW, ANY_HIGH, 0)
        );
        Position memory rest = _portfolio(maker).position;
        // A wei of base may remain of the range: nobody is there to close it against, and all but its margin may leave.
        if (rest.size != 0) _trade(maker, 0, -(int256(rest.balance) - 1e9));
        _checkGate();
        uint256 fund = _amm().involvedFund;
        uint256 owed = 300_000e18;
        uint256 paid = _reserve(maker) - before;
        if (paid < owed) missing = owed - paid;
        vm.assertLe(missing, 20_000 * operations + 1e9, "no more than dust is missing");
        vm.assertLe(fund, 20_000 * operations + 1e9, "and no more is left over");
        vm.assertEq(_amm().totalLong < 100 && _amm().totalShort < 100, true, "nobody holds more than dust");
    }

    function _close(address trader) private {
        int256 size = _portfolio(trader).position.size;
        if (size == 0) return;
        _trade(trader, -size, 0);
        ++operations;
        vm.assertEq(int256(_portfolio(trader).position.size), 0);
    }

    /// Every reserve is backed, at any moment, and the pair holds what it says.
    function _checkGate() private view {
        uint256 held = gate.reserveOf(address(usd), address(instrument));
        vm.assertEq(usd.balanceOf(address(gate)), held + _reserve(alice) + _reserve(bob) + _reserve(maker));
        vm.assertEq(held, _amm().involvedFund);
    }
}
