// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";

/// Checked narrowing to the widths of storage, and the absolute value.
library Cast {
    function toUint128(uint256 x) internal pure returns (uint128) {
        if (x > type(uint128).max) revert IInstrumentErrors.AddOverflow();
        return uint128(x);
    }

    function toUint96(uint256 x) internal pure returns (uint96) {
        if (x > type(uint96).max) revert IInstrumentErrors.AddOverflow();
        return uint96(x);
    }

    function toInt128(int256 x) internal pure returns (int128) {
        if (x != int128(x)) revert IInstrumentErrors.AddOverflow();
        return int128(x);
    }

    function toInt96(int256 x) internal pure returns (int96) {
        if (x != int96(x)) revert IInstrumentErrors.AddOverflow();
        return int96(x);
    }

    function abs(int256 x) internal pure returns (uint256) {
        return uint256(x < 0 ? -x : x);
    }
}
