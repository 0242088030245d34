// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {Amm, PositionCache, Range} from "src/perp/Types.sol";
import {IInstrumentEvents} from "src/perp/interfaces/IInstrument.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {Vm} from "test/TestBase.sol";

contract RangesTest is PerpFixture {
    /// The sheet's example: price 3000, edges 78050 and 82100, 1000 of margin.
    function testVectorOfLiquidity() public {
        (int24 tickLower, int24 tickUpper, Range memory range) = _add(alice, 1000e18, 2017, 2033);
        vm.assertEq(int256(tickLower), 78_050);
        vm.assertEq(int256(tickUpper), 82_100);
        vm.assertEq(uint256(range.liquidity), 784318785823604467008);
        vm.assertEq(uint256(range.sqrtEntryPX96), 4339505179874779489431521786241);
        vm.assertEq(uint256(range.balance), 1000e18);
    }

    function testDeltaZeroMeansSymmetric() public {
        (int24 tickLower, int24 tickUpper,) = _add(alice, 10_000e18, 0, 1000);
        vm.assertEq(int256(tickLower), 79_050);
        vm.assertEq(int256(tickUpper), 81_100);
    }

    function testAddGrowsThePool() public {
        Amm memory before = _amm();
        (int24 tickLower, int24 tickUpper, Range memory range) = _add(alice, 10_000e18, 1000, 1000);
        Amm memory amm = _amm();
        vm.assertEq(uint256(amm.liquidity), before.liquidity + range.liquidity);
        vm.assertEq(uint256(amm.totalLiquidity), before.totalLiquidity + range.liquidity);
        vm.assertEq(uint256(_pearl(tickLower).liquidityGross), range.liquidity);
        vm.assertEq(int256(_pearl(tickUpper).liquidityNet), -int256(uint256(range.liquidity)));
        vm.assertTrue(_isSet(tickLower) && _isSet(tickUpper));
        vm.assertTrue(amm.openInterests > before.openInterests);
    }

    function testRemoveAtOnceCostsOneWei() public {
        uint256 before = _reserve(alice);
        (int24 tickLower, int24 tickUpper,) = _add(alice, 10_000e18, 1000, 1000);
        Amm memory grown = _amm();
        (PositionCache memory pic, uint256 fee, uint256 tip) = _remove(alice, alice, tickLower, tickUpper);
        vm.assertEq(pic.balance, int256(10_000e18 - 1));
        vm.assertEq(pic.size, int256(0));
        vm.assertEq(fee + tip, 0);
        vm.assertEq(before - _reserve(alice), 1, "one token unit, since payments are rounded down");
        vm.assertFalse(_isSet(tickLower) || _isSet(tickUpper));
        Amm memory amm = _amm();
        vm.assertTrue(amm.openInterests < grown.openInterests);
        vm.assertEq(_portfolio(alice).rids.length, 0);
    }

    function testRangeEarnsItsShareAndBecomesAPosition() public {
        (int24 tickLower, int24 tickUpper, Range memory range) = _add(alice, 10_000e18, 1000, 1000);
        _trade(carol, 20e18, 20_000e18);
        Amm memory amm = _amm();
        (PositionCache memory pic, uint256 fee,) = _remove(alice, alice, tickLower, tickUpper);
        vm.assertEq(fee, uint256(amm.feeIndex - range.entryFeeIndex) * range.liquidity / 1e18);
        vm.assertTrue(pic.size < 0, "it sold while the price rose");
        vm.assertEq(int256(_portfolio(alice).position.size), pic.size);
        vm.assertEq(uint256(_amm().totalShort), uint256(-pic.size));
        vm.assertEq(pic.entryNotional, Wad.mul(uint256(-pic.size), Tick.sqrtToPrice(amm.sqrtPX96)));
    }

    function testAnybodyRemovesWhatThePriceLeft() public {
        (int24 tickLower, int24 tickUpper,) = _add(alice, 2000e18, 953, 953);
        vm.prank(bob);
        vm.expectRevert(IInstrumentErrors.RemoveActiveRange.selector);
        instrument.remove(Words.remove(PERP, alice, tickLower, tickUpper, ANY_LOW, ANY_HIGH, 0));

        for (int24 tick = 80_400; tick <= 81_200; tick += 400) {
            btcFeed.set(int256(Tick.toPrice(tick) / 1e10));
            _trade(carol, observer.getBaseSizeByTick(address(instrument), PERP, tick), 300_000e18);
        }
        vm.assertTrue(_tick() >= tickUpper);
        uint256 before = _reserve(bob);
        vm.recordLogs();
        (PositionCache memory pic, uint256 fee, uint256 tip) = _remove(bob, alice, tickLower, tickUpper);
        vm.assertEq(tip, 0.01e18);
        vm.assertGt(fee, 0, "a fee");
        vm.assertEq(_logged(), abi.encode(tickLower, tickUpper, fee, pic, bob, tip));
        vm.assertEq(_reserve(bob), before + 0.01e6);
        vm.assertEq(int256(_portfolio(alice).position.size), pic.size);
        vm.assertEq(int256(_portfolio(alice).position.balance), pic.balance);
    }

    /// What the removal logged.
    function _logged() private returns (bytes memory data) {
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] == IInstrumentEvents.Remove.selector) data = logs[i].data;
        }
    }

    function testOwnersHandlerRemovesWithoutTip() public {
        (int24 tickLower, int24 tickUpper,) = _add(alice, 2000e18, 953, 953);
        vm.prank(handler);
        (,, uint256 tip) = instrument.removeFor(Words.remove(PERP, alice, tickLower, tickUpper, ANY_LOW, ANY_HIGH, 0));
        vm.assertEq(tip, 0);
    }

    function testHandlerAddsForAUser() public {
        vm.prank(handler);
        instrument.addFor(alice, Words.add(PERP, 2000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0));
        vm.assertEq(_portfolio(alice).rids.length, 1);
    }
}
