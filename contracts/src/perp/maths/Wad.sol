// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RATIO_BASE, WAD} from "../Constants.sol";

/// Fixed-point arithmetic with 18 decimals. A name without suffix rounds to nearest (half away from zero), `Up` and
/// `Down` say their direction. Arithmetic is checked: an overflow is a panic.
/// Source: perp-protocol 0.3.
library Wad {
    error DivByZero();

    function mul(uint256 x, uint256 y) internal pure returns (uint256) {
        return (x * y + WAD / 2) / WAD;
    }

    function mulDown(uint256 x, uint256 y) internal pure returns (uint256) {
        return x * y / WAD;
    }

    function mulUp(uint256 x, uint256 y) internal pure returns (uint256) {
        return (x * y + (WAD - 1)) / WAD;
    }

    /// Signed product, rounded half away from zero.
    function mulInt(int256 x, int256 y) internal pure returns (int256) {
        int256 product = x * y;
        int256 half = int256(WAD / 2);
        return (product < 0 ? product - half : product + half) / int256(WAD);
    }

    /// Signed product plus a half, cut toward zero: how the published formula of a removed range rounds. Unlike
    /// `mulInt` it brings a negative product nearer to zero by up to one and a half units.
    function mulCut(int256 x, int256 y) internal pure returns (int256) {
        return (x * y + int256(WAD / 2)) / int256(WAD);
    }

    function div(uint256 x, uint256 y) internal pure returns (uint256) {
        return frac(x, WAD, y);
    }

    function divDown(uint256 x, uint256 y) internal pure returns (uint256) {
        if (y == 0) revert DivByZero();
        return x * WAD / y;
    }

    function divUp(uint256 x, uint256 y) internal pure returns (uint256) {
        if (y == 0) revert DivByZero();
        return (x * WAD + (y - 1)) / y;
    }

    /// x * y / z, to nearest.
    function frac(uint256 x, uint256 y, uint256 z) internal pure returns (uint256) {
        if (z == 0) revert DivByZero();
        return (x * y + z / 2) / z;
    }

    /// Basis points to WAD.
    function fromRatio(uint256 ratio) internal pure returns (uint256) {
        return ratio * (WAD / RATIO_BASE);
    }

    /// |x - y| / y: how far x lies from the reference y.
    function deviation(uint256 x, uint256 y) internal pure returns (uint256) {
        return div(x > y ? x - y : y - x, y);
    }
}
