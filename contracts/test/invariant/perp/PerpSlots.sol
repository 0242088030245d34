// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Where an instrument keeps a pair (`Store`): for tests that read what has no reader, or set what only a crash would.
library PerpSlots {
    /// Words of a pair, counted from its first.
    uint256 internal constant SOCIAL_LOSSES = 5;
    uint256 internal constant INSURANCE = 7;
    uint256 internal constant SHORTFALL = 12;

    uint256 private constant CONTEXTS = 6;

    function ofPair(uint32 expiry) internal pure returns (bytes32) {
        uint256 state =
            uint256(keccak256(abi.encode(uint256(keccak256("bourse.perp.Instrument")) - 1)) & ~bytes32(uint256(0xff)));
        return keccak256(abi.encode(expiry, state + CONTEXTS));
    }
}
