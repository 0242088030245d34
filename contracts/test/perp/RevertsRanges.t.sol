// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RevertFixture} from "./RevertFixture.sol";
import {Words} from "./Words.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";

/// Every refusal of perp-protocol 4.1 for ranges, one by one.
contract RevertsRangesTest is RevertFixture {
    // Ranges

    function testAddTraderIneligible() public {
        vm.prank(admin);
        config.enableLpWhitelistForQuote(address(usd), true);
        _refuse(alice, Errors.AddTraderIneligible.selector, _addCall(1e21, 0, 1000));
        (address[] memory quotes, address[] memory users, bool[] memory flags) =
            (new address[](1), new address[](1), new bool[](1));
        (quotes[0], users[0], flags[0]) = (address(usd), alice, true);
        vm.prank(admin);
        config.setLpWhiteList(quotes, users, flags);
        _add(alice, 2000e18, 0, 1000);
    }

    function testAddInvalidTickDelta() public {
        bytes4 reason = Errors.AddInvalidTickDelta.selector;
        _refuse(alice, reason, _addCall(1e21, 0, 952));
        _refuse(alice, reason, _addCall(1e21, 952, 953));
        _refuse(alice, reason, _addCall(1e21, 953, 0));
        _refuse(alice, reason, _addCall(1e21, 953, 16_097));
        _refuse(alice, reason, _addCall(1e21, 16_097, 953));
        _add(alice, 2000e18, 953, 16_096);
    }

    function testAddSlippage() public {
        int24 tick = _tick();
        bytes memory call = abi.encodeCall(instrument.add, (Words.add(PERP, 2000e18, 0, 1000, tick + 1, tick + 2, 0)));
        _refuse(alice, Errors.AddSlippage.selector, call);
        call = abi.encodeCall(instrument.add, (Words.add(PERP, 2000e18, 0, 1000, tick - 2, tick - 1, 0)));
        _refuse(alice, Errors.AddSlippage.selector, call);
        vm.prank(alice);
        instrument.add(Words.add(PERP, 2000e18, 0, 1000, tick, tick, 0));
    }

    function testAddTrivial() public {
        uint256 least = 1000e18 * uint256(2 ** 96) / (2 * uint256(_amm().sqrtPX96));
        vm.prank(alice);
        (bool ok, bytes memory reason) = address(instrument).call(_addCall(1e18, 0, 1000));
        vm.assertFalse(ok);
        vm.assertEq(bytes32(bytes4(reason)), bytes32(Errors.AddTrivial.selector));
        uint256 got;
        assembly {
            got := mload(add(reason, 0x44))
        }
        vm.assertEq(got, least);
        _refuse(alice, abi.encodeWithSelector(Errors.AddTrivial.selector, 0, least), _addCall(-1, 0, 1000));
    }

    function testAddLiquidityExceedMax() public {
        _refuse(alice, Errors.AddLiquidityExceedMax.selector, _addCall(type(int128).max, 0, 953));
        // A base so cheap that a range's margin buys more liquidity than one tick may carry.
        btcFeed.set(1);
        instrument = _launch("PEPE", address(usd), 1000e18, 1000);
        _refuse(alice, Errors.AddLiquidityExceedMax.selector, _addCall(1e27, 0, 953));
    }

    function testRangeMarginFitsItsField() public {
        _refuse(alice, Errors.AddOverflow.selector, _addCall(8e28, 16_000, 16_000));
    }

    function testRangeOccupied() public {
        _add(alice, 2000e18, 0, 1000);
        _refuse(alice, Errors.RangeOccupied.selector, _addCall(2000e18, 0, 1000));
        _add(bob, 2000e18, 0, 1000);
    }

    function testRangeFull() public {
        uint256 count;
        for (uint24 i; count < 128; ++i) {
            _add(alice, 4000e18, 1000 + 50 * (i % 12), 1000 + 50 * (i / 12));
            ++count;
        }
        _refuse(alice, Errors.RangeFull.selector, _addCall(4000e18, 3000, 3000));
    }

    function testInitTrivial() public {
        uint32 expiry = _nextFriday(1);
        bytes memory call = abi.encodeCall(instrument.add, (Words.add(expiry, 99e18, 0, 1000, ANY_LOW, ANY_HIGH, 0)));
        _refuse(alice, abi.encodeWithSelector(Errors.InitTrivial.selector, 99e18, 100e18), call);
    }

    function testBadExpiries() public {
        _refuseExpiry(_nextFriday(1) + 1, Errors.ExpiryNotAligned.selector);
        _refuseExpiry(0, Errors.ExpiryNotAligned.selector);
        _refuseExpiry(_nextFriday(15), Errors.ExpiryExceedMaxExpiryPeriod.selector);
        _refuseExpiry(_nextFriday(1) - 1 weeks, Errors.ExpiryBelowSettlingDuration.selector);
        vm.warp(_nextFriday(1) - 1800);
        _refuseExpiry(_nextFriday(1), Errors.ExpiryBelowSettlingDuration.selector);
    }

    function _refuseExpiry(uint32 expiry, bytes4 reason) private {
        bytes32[2] memory words = Words.add(expiry, 5000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0);
        _refuse(alice, reason, abi.encodeCall(instrument.add, (words)));
    }

    /// The Friday 08:00 UTC that is `weeks_` Fridays ahead of now.
    function _nextFriday(uint256 weeks_) private view returns (uint32) {
        uint256 passed = (block.timestamp - 32 hours) / 1 weeks;
        return uint32(32 hours + (passed + weeks_) * 1 weeks);
    }

    /// Both edges must be prices the curve can express.
    function testEdgesOutOfBounds() public {
        btcFeed.set(1e28);
        usdFeed.set(1e9);
        bytes32[2] memory words = Words.add(_nextFriday(1), 1e27, 0, 16_000, ANY_LOW, ANY_HIGH, 0);
        _refuse(alice, Errors.TickOutOfBound.selector, abi.encodeCall(instrument.add, (words)));
        btcFeed.set(2);
        usdFeed.set(1e14);
        _refuse(alice, Errors.TickOutOfBound.selector, abi.encodeCall(instrument.add, (words)));
    }

    /// A range that has lost more than its margin can be removed by anybody, so that its loss shows and can be liquidated.
    function testRemovalIntoBankruptcy() public {
        (int24 lower, int24 upper,) = _add(alice, 2000e18, 953, 953);
        for (int24 tick = 80_400; tick <= 81_200; tick += 400) {
            btcFeed.set(int256(Tick.toPrice(tick) / 1e10));
            _trade(carol, observer.getBaseSizeByTick(address(instrument), PERP, tick), 300_000e18);
        }
        vm.assertTrue(_tick() >= upper, "the range is short now");
        btcFeed.set(int256(Tick.toPrice(upper) * 113 / 100 / 1e10));
        _remove(bob, alice, lower, upper);
        vm.assertTrue(_portfolio(alice).position.size < 0);
        vm.prank(admin);
        config.disableLiquidatorWhitelist();
        int256 size = _portfolio(alice).position.size;
        vm.prank(bob);
        instrument.liquidate(PERP, alice, size, 5000e18);
        vm.assertEq(int256(_portfolio(alice).position.size), 0);
    }

    function testRemoveRefusals() public {
        (int24 lower, int24 upper,) = _add(alice, 2000e18, 0, 1000);
        _refuse(alice, Errors.RangeNotExist.selector, _removeCall(alice, lower, upper + 50));
        _refuse(bob, Errors.RemoveActiveRange.selector, _removeCall(alice, lower, upper));
        int24 tick = _tick();
        bytes32[2] memory words = Words.remove(PERP, alice, lower, upper, tick + 1, tick + 2, 0);
        _refuse(alice, Errors.RemoveSlippage.selector, abi.encodeCall(instrument.remove, (words)));
        words = Words.remove(PERP, alice, lower, upper, tick - 2, tick - 1, 0);
        _refuse(alice, Errors.RemoveSlippage.selector, abi.encodeCall(instrument.remove, (words)));
    }
}
