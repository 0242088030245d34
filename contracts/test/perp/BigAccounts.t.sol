// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";

/// An account as full as it may be must be able to leave, within the gas of one transaction.
contract BigAccountsTest is RiskFixture {
    uint256 private constant MOST_GAS = 16_700_000;

    function _fill128Ranges() private {
        for (uint24 i; i < 128; ++i) {
            _add(alice, 5000e18, 1000 + 50 * (i / 12), 1000 + 50 * (i % 12));
        }
        vm.assertEq(_portfolio(alice).rids.length, 128);
    }

    function _fill128Orders() private {
        for (int24 i; i < 128; ++i) {
            _place(alice, 80_100 + i, -0.1e18, 40e18);
        }
    }

    function _removals() private view returns (bytes[] memory calls) {
        uint48[] memory ids = _portfolio(alice).rids;
        calls = new bytes[](ids.length);
        for (uint256 i; i < ids.length; ++i) {
            calls[i] = _removeCall(alice, int24(uint24(ids[i] >> 24)), int24(uint24(ids[i])));
        }
    }

    function _cancels() private view returns (bytes[] memory calls) {
        calls = new bytes[](16);
        for (uint256 i; i < 16; ++i) {
            int24[] memory ticks = new int24[](8);
            for (uint256 j; j < 8; ++j) {
                ticks[j] = 80_100 + int24(int256(8 * i + j));
            }
            calls[i] = abi.encodeCall(instrument.cancel, (Words.cancel(PERP, ticks, 0)));
        }
    }

    /// forge-config: default.isolate = true
    function testRemoves128RangesInOneTransaction() public {
        _fill128Ranges();
        _trade(carol, 10e18, 10_000e18);
        bytes[] memory calls = _removals();
        vm.warp(block.timestamp + 60);
        vm.prank(alice);
        instrument.multicall(calls);
        vm.assertLe(vm.snapshotGasLastCall("PerpGas", "remove 128 ranges"), MOST_GAS);
        vm.assertEq(_portfolio(alice).rids.length, 0);
    }

    /// forge-config: default.isolate = true
    function testCancels128OrdersInOneTransaction() public {
        _fill128Orders();
        bytes[] memory calls = _cancels();
        vm.warp(block.timestamp + 60);
        vm.prank(alice);
        instrument.multicall(calls);
        vm.assertLe(vm.snapshotGasLastCall("PerpGas", "cancel 128 orders"), MOST_GAS);
        vm.assertEq(_portfolio(alice).oids.length, 0);
    }

    /// Settlement of the fullest account takes two calls of at most 128 ranges and orders, each within the gas of a transaction.
    /// forge-config: default.isolate = true
    function testSettlesTheFullestAccount() public {
        _fill128Ranges();
        _fill128Orders();
        _trade(alice, 1e18, 1000e18);
        vm.prank(admin);
        instrument.freeze();
        vm.prank(admin);
        instrument.resolve(3100e18);
        uint256 before = _reserve(alice);
        vm.startPrank(bob);
        instrument.settle(PERP, alice);
        vm.assertLe(vm.snapshotGasLastCall("PerpGas", "settle, 128 ranges"), MOST_GAS);
        vm.assertEq(_portfolio(alice).rids.length, 0);
        vm.assertEq(_portfolio(alice).oids.length, 128);
        instrument.settle(PERP, alice);
        vm.assertLe(vm.snapshotGasLastCall("PerpGas", "settle, 128 orders"), MOST_GAS);
        vm.assertEq(_portfolio(alice).oids.length, 0);
        vm.assertTrue(_reserve(alice) > before + 640_000e6, "and is paid with the last");
    }
}
