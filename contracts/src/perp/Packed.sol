// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EMPTY_TICK} from "./Constants.sol";

/// Arguments of `trade` and `place`, unpacked. Amount and size in WAD.
struct TradeArgs {
    uint32 expiry;
    int24 tick;
    uint32 deadline;
    int256 amount;
    int256 size;
}

struct AddArgs {
    uint32 expiry;
    int24 limitLower;
    int24 limitUpper;
    uint32 deadline;
    int256 amount;
    uint24 deltaLower;
    uint24 deltaUpper;
}

struct RemoveArgs {
    uint32 expiry;
    int24 limitLower;
    int24 limitUpper;
    uint32 deadline;
    address target;
    int24 tickLower;
    int24 tickUpper;
}

struct FillArgs {
    uint32 expiry;
    address target;
    int24 tick;
    uint24 nonce;
}

struct CancelArgs {
    uint32 expiry;
    uint32 deadline;
    int24[8] ticks;
}

struct BatchArgs {
    uint32 expiry;
    uint32 deadline;
    uint256 leverage;
    int256 size;
    int24[9] ticks;
    uint16[9] ratios;
}

/// Decodes the packed words of the protocol's functions, bits counted from the least significant one, and packs the
/// keys of orders and ranges. Source: perp-protocol 1.2, 2.6.
library Packed {
    function token(bytes32 word) internal pure returns (address token_, uint256 quantity) {
        return (address(uint160(uint256(word))), uint256(word) >> 160);
    }

    function trade(bytes32[2] calldata words) internal pure returns (TradeArgs memory args) {
        uint256 head = uint256(words[0]);
        uint256 tail = uint256(words[1]);
        args.expiry = uint32(head);
        args.tick = int24(uint24(head >> 32));
        args.deadline = uint32(head >> 56);
        args.amount = int128(uint128(tail));
        args.size = int128(uint128(tail >> 128));
    }

    function add(bytes32[2] calldata words) internal pure returns (AddArgs memory args) {
        uint256 head = uint256(words[0]);
        uint256 tail = uint256(words[1]);
        args.expiry = uint32(head);
        args.limitUpper = int24(uint24(head >> 32));
        args.limitLower = int24(uint24(head >> 56));
        args.deadline = uint32(head >> 80);
        args.amount = int128(uint128(tail));
        args.deltaUpper = uint24(tail >> 128);
        args.deltaLower = uint24(tail >> 152);
    }

    function remove(bytes32[2] calldata words) internal pure returns (RemoveArgs memory args) {
        uint256 head = uint256(words[0]);
        uint256 tail = uint256(words[1]);
        args.expiry = uint32(head);
        args.limitUpper = int24(uint24(head >> 32));
        args.limitLower = int24(uint24(head >> 56));
        args.deadline = uint32(head >> 80);
        args.target = address(uint160(tail));
        args.tickLower = int24(uint24(tail >> 160));
        args.tickUpper = int24(uint24(tail >> 184));
    }

    function fill(bytes32 packed) internal pure returns (FillArgs memory args) {
        uint256 word = uint256(packed);
        args.expiry = uint32(word);
        args.target = address(uint160(word >> 32));
        args.tick = int24(uint24(word >> 192));
        args.nonce = uint24(word >> 216);
    }

    function cancel(bytes32 packed) internal pure returns (CancelArgs memory args) {
        uint256 word = uint256(packed);
        args.expiry = uint32(word);
        args.deadline = uint32(word >> 224);
        for (uint256 i; i < 8; ++i) {
            args.ticks[i] = int24(uint24(word >> (32 + 24 * i)));
        }
    }

    /// Orders 0 to 2 sit behind expiry and deadline in the first word, 3 to 8 fill the second.
    function batch(bytes32[3] calldata words) internal pure returns (BatchArgs memory args) {
        uint256 head = uint256(words[0]);
        uint256 tail = uint256(words[2]);
        args.expiry = uint32(head);
        args.deadline = uint32(head >> 32);
        args.leverage = uint128(tail);
        args.size = int128(uint128(tail >> 128));
        for (uint256 i; i < 9; ++i) {
            uint256 slot = i < 3 ? head >> (64 + 40 * i) : uint256(words[1]) >> (40 * (i - 3));
            args.ratios[i] = uint16(slot);
            args.ticks[i] = int24(uint24(slot >> 16));
        }
    }

    /// Whether slot `i` of a batch holds no order.
    function isUnused(BatchArgs memory args, uint256 i) internal pure returns (bool) {
        return args.ratios[i] == 0 && args.ticks[i] == EMPTY_TICK;
    }

    function orderId(int24 tick, uint24 nonce) internal pure returns (uint48) {
        return uint48(uint24(tick)) << 24 | nonce;
    }

    function orderOf(uint48 oid) internal pure returns (int24 tick, uint24 nonce) {
        return (int24(uint24(oid >> 24)), uint24(oid));
    }

    function rangeId(int24 tickLower, int24 tickUpper) internal pure returns (uint48) {
        return uint48(uint24(tickLower)) << 24 | uint24(tickUpper);
    }
}
