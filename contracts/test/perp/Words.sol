// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Packs arguments the way a client of the protocol does, written against perp-protocol 1.2 and not against the
/// decoder under test.
library Words {
    function token(address token_, uint256 quantity) internal pure returns (bytes32) {
        return bytes32(quantity << 160 | uint160(token_));
    }

    function trade(uint32 expiry, int256 size, int256 amount, int24 tick, uint32 deadline)
        internal
        pure
        returns (bytes32[2] memory words)
    {
        words[0] = bytes32(uint256(deadline) << 56 | uint256(uint24(tick)) << 32 | expiry);
        words[1] = bytes32(uint256(uint128(int128(size))) << 128 | uint128(int128(amount)));
    }

    function add(
        uint32 expiry,
        int256 amount,
        uint24 deltaLower,
        uint24 deltaUpper,
        int24 limitLower,
        int24 limitUpper,
        uint32 deadline
    ) internal pure returns (bytes32[2] memory words) {
        words[0] = bytes32(
            uint256(deadline) << 80 | uint256(uint24(limitLower)) << 56 | uint256(uint24(limitUpper)) << 32 | expiry
        );
        words[1] = bytes32(uint256(deltaLower) << 152 | uint256(deltaUpper) << 128 | uint128(int128(amount)));
    }

    function remove(
        uint32 expiry,
        address target,
        int24 tickLower,
        int24 tickUpper,
        int24 limitLower,
        int24 limitUpper,
        uint32 deadline
    ) internal pure returns (bytes32[2] memory words) {
        words[0] = bytes32(
            uint256(deadline) << 80 | uint256(uint24(limitLower)) << 56 | uint256(uint24(limitUpper)) << 32 | expiry
        );
        words[1] = bytes32(uint256(uint24(tickUpper)) << 184 | uint256(uint24(tickLower)) << 160 | uint160(target));
    }

    function fill(uint32 expiry, address target, int24 tick, uint24 nonce) internal pure returns (bytes32) {
        return bytes32(uint256(nonce) << 216 | uint256(uint24(tick)) << 192 | uint256(uint160(target)) << 32 | expiry);
    }

    /// Up to eight ticks.
    function cancel(uint32 expiry, int24[] memory ticks, uint32 deadline) internal pure returns (bytes32) {
        uint256 word = uint256(deadline) << 224 | expiry;
        for (uint256 i; i < 8; ++i) {
            int24 tick = i < ticks.length ? ticks[i] : type(int24).max;
            word |= uint256(uint24(tick)) << (32 + 24 * i);
        }
        return bytes32(word);
    }

    function batch(
        uint32 expiry,
        int256 size,
        uint256 leverage,
        int24[] memory ticks,
        uint16[] memory ratios,
        uint32 deadline
    ) internal pure returns (bytes32[3] memory words) {
        uint256 head = uint256(deadline) << 32 | expiry;
        uint256 middle;
        for (uint256 i; i < 9; ++i) {
            int24 tick = i < ticks.length ? ticks[i] : type(int24).max;
            uint16 ratio = i < ratios.length ? ratios[i] : 0;
            uint256 slot = uint256(uint24(tick)) << 16 | ratio;
            if (i < 3) head |= slot << (64 + 40 * i);
            else middle |= slot << (40 * (i - 3));
        }
        words = [bytes32(head), bytes32(middle), bytes32(uint256(uint128(int128(size))) << 128 | leverage)];
    }
}
