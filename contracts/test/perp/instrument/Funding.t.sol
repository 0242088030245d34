// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm} from "src/perp/Types.sol";
import {Funding} from "src/perp/instrument/Funding.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

contract FundingTest is TestBase {
    using Funding for Amm;

    Amm private amm;

    function setUp() public {
        vm.warp(1_750_000_000);
        (amm.sqrtPX96, amm.timestamp) = (Tick.priceToSqrt(3000e18), uint32(block.timestamp));
        (amm.totalLong, amm.totalShort) = (8e18, 2e18);
    }

    function testLongsPayAboveTheMark() public {
        vm.warp(block.timestamp + 6 hours);
        amm.accrue(0, 2990e18);
        vm.assertEq(int256(amm.longFundingIndex), -2.5e18, "a quarter of the gap in a quarter of a day");
        vm.assertEq(int256(amm.shortFundingIndex), 10e18, "four times as much for each of the fewer shorts");
        vm.assertEq(uint256(amm.timestamp), block.timestamp);
    }

    function testShortsPayAtOrBelowTheMark() public {
        vm.warp(block.timestamp + 1 hours);
        amm.accrue(1, 3010e18);
        vm.assertEq(int256(amm.shortFundingIndex), -10e18);
        vm.assertEq(int256(amm.longFundingIndex), 2.5e18);
    }

    function testNobodyToReceive() public {
        amm.totalShort = 0;
        vm.warp(block.timestamp + 24 hours);
        amm.accrue(24, 2990e18);
        vm.assertEq(int256(amm.longFundingIndex), -10e18);
        vm.assertEq(uint256(amm.insuranceFund), 80e18);
    }

    /// Time without payers is not charged to those who come later.
    function testNobodyToPay() public {
        amm.totalLong = 0;
        vm.warp(block.timestamp + 24 hours);
        amm.accrue(24, 2990e18);
        vm.assertEq(int256(amm.longFundingIndex), 0);
        vm.assertEq(uint256(amm.timestamp), block.timestamp);
    }

    /// One wei on the receiving side would drive its index to the end of its field, where nobody after it could receive.
    /// It gets a million times what a payer's unit pays; the rest is the fund's.
    function testDustReceiverDoesNotParkItsIndex() public {
        (amm.totalLong, amm.totalShort) = (1e24, 1);
        uint256 time = block.timestamp;
        for (uint256 i; i < 1000; ++i) {
            time += 24 hours;
            vm.warp(time);
            amm.accrue(24, 2990e18);
        }
        vm.assertEq(int256(amm.shortFundingIndex), 1000 * 10e18 * 1e6);
        vm.assertEq(uint256(amm.insuranceFund), 1000 * (1e25 - 1e7));
        // Those who come after it still receive.
        amm.totalShort = 1e24;
        vm.warp(time + 24 hours);
        amm.accrue(24, 2990e18);
        vm.assertEq(int256(amm.shortFundingIndex), 1000 * 10e18 * 1e6 + 10e18);
    }

    /// The share by size holds down to a millionth of the payers.
    function testASmallReceiverGetsAll() public {
        (amm.totalLong, amm.totalShort) = (1e24, 1e18);
        vm.warp(block.timestamp + 24 hours);
        amm.accrue(24, 2990e18);
        vm.assertEq(int256(amm.shortFundingIndex), 10e18 * 1e6);
        vm.assertEq(uint256(amm.insuranceFund), 0);
        amm.totalShort = 1e18 - 1;
        vm.warp(block.timestamp + 48 hours);
        amm.accrue(24, 2990e18);
        vm.assertTrue(amm.insuranceFund > 0);
    }

    /// What one side pays the other receives, or the fund, up to a wei per index step and size.
    function testFuzzConservation(uint256 long, uint256 short, uint256 mark, uint32 time, uint8 hour) public {
        amm.totalLong = uint128(bound(long, 0, 1e27));
        amm.totalShort = uint128(bound(short, 0, 1e27));
        vm.warp(block.timestamp + bound(uint256(time), 1, 30 days));
        amm.accrue(hour, bound(mark, 1500e18, 6000e18));
        int256 net = Wad.mulInt(amm.longFundingIndex, int256(uint256(amm.totalLong)))
            + Wad.mulInt(amm.shortFundingIndex, int256(uint256(amm.totalShort))) + int256(uint256(amm.insuranceFund));
        int256 tolerance = int256((uint256(amm.totalLong) + amm.totalShort) / 1e18 + 2);
        vm.assertTrue(net <= tolerance && net >= -tolerance);
    }
}
