// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {MAX_TICK} from "src/perp/Constants.sol";

/// Makes calls that must be refused, and says why.
abstract contract RevertFixture is PerpFixture {
    function _refuse(address sender, bytes4 selector, bytes memory call) internal {
        _refuse(sender, abi.encodePacked(selector), call);
    }

    function _refuse(address sender, bytes memory reason, bytes memory call) internal {
        vm.prank(sender);
        (bool ok, bytes memory data) = address(instrument).call(call);
        vm.assertFalse(ok, "must be refused");
        vm.assertEq(data, reason);
    }

    function _tradeCall(int256 size, int256 amount, int24 limit, uint32 deadline) internal view returns (bytes memory) {
        return abi.encodeCall(instrument.trade, (Words.trade(PERP, size, amount, limit, deadline)));
    }

    function _placeCall(int24 tick, int256 size, int256 amount) internal view returns (bytes memory) {
        return abi.encodeCall(instrument.place, (Words.trade(PERP, size, amount, tick, 0)));
    }

    function _addCall(int256 amount, uint24 lower, uint24 upper) internal view returns (bytes memory) {
        return abi.encodeCall(instrument.add, (Words.add(PERP, amount, lower, upper, ANY_LOW, ANY_HIGH, 0)));
    }

    function _removeCall(address target, int24 lower, int24 upper) internal view returns (bytes memory) {
        return abi.encodeCall(instrument.remove, (Words.remove(PERP, target, lower, upper, ANY_LOW, ANY_HIGH, 0)));
    }

    function _cancelCall(int24 tick, uint32 deadline) internal view returns (bytes memory) {
        int24[] memory ticks = new int24[](1);
        ticks[0] = tick;
        return abi.encodeCall(instrument.cancel, (Words.cancel(PERP, ticks, deadline)));
    }

    function _batchCall(int256 size, uint256 leverage, int24[] memory ticks, uint16[] memory ratios, uint32 deadline)
        internal
        view
        returns (bytes memory)
    {
        return abi.encodeCall(instrument.batchPlace, (Words.batch(PERP, size, leverage, ticks, ratios, deadline)));
    }

    function _two(int24 a, int24 b, uint16 x, uint16 y)
        internal
        pure
        returns (int24[] memory ticks, uint16[] memory ratios)
    {
        (ticks, ratios) = (new int24[](2), new uint16[](2));
        (ticks[0], ticks[1], ratios[0], ratios[1]) = (a, b, x, y);
    }

    function _everyAction() internal view returns (bytes[7] memory) {
        (int24[] memory ticks, uint16[] memory ratios) = _two(80_100, 80_110, 5000, 5000);
        return [
            _tradeCall(1e18, 1000e18, MAX_TICK, 0),
            _tradeCall(0, 1e18, 0, 0),
            _placeCall(80_100, -1e18, 400e18),
            _batchCall(-2e18, 3e18, ticks, ratios, 0),
            _cancelCall(80_100, 0),
            abi.encodeCall(instrument.fill, (Words.fill(PERP, alice, 80_100, 0))),
            _removeCall(maker, 78_050, 82_100)
        ];
    }
}
