// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {TestToken} from "./mocks/Mocks.sol";
import {Packed} from "src/perp/Packed.sol";
import {Position, PositionCache, Quotation, QuoteParam} from "src/perp/Types.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// The wei that rounding gives away, where nothing covers it: a quote of 18 decimals and no fees. Everybody gets out.
/// See docs/decisions/perp-dust.md.
contract DustTest is PerpFixture {
    /// The last payment: what the formulas say, what the pair holds, what it pays.
    struct Exit {
        uint256 asked;
        uint256 fund;
        uint256 paid;
    }

    struct Tally {
        uint256 shortDays;
        uint256 longDays;
        uint256 left;
    }

    uint256 private constant DAYS = 60;

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

    /// The rule to the wei, on sixty days: nobody but the last is cut, the last gets what it asks for or all there is, and what
    /// is missing is dust. On none of these days is anything missing. What is left is pinned, since a changed rounding should
    /// show there.
    function testLastExitBearsTheDust() public {
        Tally memory tally = _liveThroughDays();
        vm.assertEq(tally.shortDays, 0, "days on which the last one was short");
        vm.assertEq(tally.longDays, DAYS, "days on which something was left over");
        vm.assertEq(tally.left, 168_376, "and what that was");
    }

    /// With a fee in the pair nobody is cut, the last neither.
    function testFeesCoverTheDust() public {
        vm.prank(admin);
        instrument.setQuoteParam(QuoteParam(10e18, 1, 1, 1, 0));
        Tally memory tally = _liveThroughDays();
        vm.assertEq(tally.shortDays, 0, "nobody is short");
        vm.assertEq(tally.longDays, DAYS, "since fees are left over");
    }

    /// Each day begins where the first did.
    function _liveThroughDays() private returns (Tally memory tally) {
        for (uint256 day; day < DAYS; ++day) {
            uint256 state = vm.snapshotState();
            _liveThrough(uint256(keccak256(abi.encode(day))));
            _othersLeave();
            Exit memory exit = _lastLeaves();
            vm.revertToState(state);
            if (exit.asked > exit.fund) {
                ++tally.shortDays;
            } else if (exit.asked < exit.fund) {
                ++tally.longDays;
                tally.left += exit.fund - exit.asked;
            }
        }
    }

    function _liveThrough(uint256 seed) private {
        for (uint256 i; i < 12; ++i) {
            seed = uint256(keccak256(abi.encode(seed)));
            int24 tick = 79_800 + int24(int256((seed >> 8) % 540));
            if (seed % 2 == 0) _placeAt(tick, int256(bound(seed >> 32, 0.1e18, 4e18)));
            else _tradeTo(tick);
        }
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
        _othersLeave();
        Exit memory exit = _lastLeaves();
        vm.assertLe(exit.fund > exit.asked ? exit.fund - exit.asked : 0, _mostDust(), "no more than dust is left over");
        vm.assertEq(_amm().totalLong < 100 && _amm().totalShort < 100, true, "nobody holds more than dust");
    }

    function _othersLeave() private {
        _close(alice);
        uint48[] memory oids = _portfolio(bob).oids;
        for (uint256 i; i < oids.length; ++i) {
            (int24 tick,) = Packed.orderOf(oids[i]);
            _cancel(bob, tick);
            vm.assertTrue(_amm().involvedFund != 0, "a cut takes all there is, and this is not the last payment");
            ++operations;
        }
        _close(bob);
        _checkGate();
    }

    function _close(address trader) private {
        Position memory p = _portfolio(trader).position;
        if (p.size == 0) return;
        Quotation memory q = instrument.inquire(PERP, -p.size);
        int256 gain = int256(q.entryNotional) - int256(uint256(p.entryNotional));
        int256 foretold = p.balance + (p.size > 0 ? gain : -gain) - int256(q.fee);
        uint256 before = _reserve(trader);
        _trade(trader, -p.size, 0);
        ++operations;
        vm.assertEq(int256(_reserve(trader) - before), foretold, "whoever is not the last is paid to the wei");
        vm.assertTrue(_amm().involvedFund != 0, "and is not the last");
    }

    /// The range goes last. It gets what it asks for, or all there is.
    function _lastLeaves() private returns (Exit memory exit) {
        uint48 rid = _portfolio(maker).rids[0];
        (exit.fund, exit.paid) = (_amm().involvedFund, _reserve(maker));
        (PositionCache memory pic,,) = _remove(maker, maker, int24(uint24(rid >> 24)), int24(uint24(rid)));
        exit.asked = uint256(pic.balance);
        if (pic.size != 0) {
            // A few wei of base remain of the range: nobody is there to close them against, and all but what they are worth may
            // leave.
            uint256 worth = Wad.mulUp(Tick.sqrtToPrice(_amm().sqrtPX96), uint256(pic.size < 0 ? -pic.size : pic.size));
            exit.asked -= worth;
            _trade(maker, 0, -int256(exit.asked));
        }
        exit.paid = _reserve(maker) - exit.paid;
        _checkGate();
        vm.assertEq(exit.paid, exit.asked < exit.fund ? exit.asked : exit.fund, "what is asked for, or all there is");
        vm.assertEq(_amm().involvedFund, exit.fund - exit.paid, "and the rest stays");
        vm.assertLe(exit.asked - exit.paid, _mostDust(), "no more than dust is missing");
    }

    /// A wei or two of base, at a price of 3000, for each segment that a trade finished, and the margin of what remains.
    function _mostDust() private view returns (uint256) {
        return 20_000 * operations + 1e9;
    }

    /// Every reserve is backed, at any moment, and the pair holds what it says.
    function _checkGate() private view {
        uint256 held = gate.reserveOf(address(usd), address(instrument));
        vm.assertEq(usd.balanceOf(address(gate)), held + _reserve(alice) + _reserve(bob) + _reserve(maker));
        vm.assertEq(held, _amm().involvedFund);
    }
}
