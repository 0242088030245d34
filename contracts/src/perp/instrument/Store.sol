// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm, Position, Range, Record} from "../Types.sol";
import {IdList} from "./IdLists.sol";

/// A resting order in one word. Its tick is the key: an account has at most one order at a tick, whatever the
/// generation. Sizes fit 96 bits because a tick's sum of them must.
struct RestingOrder {
    uint128 balance;
    int96 size;
    uint24 nonce;
}

/// A tick as it is stored: the `Pearl` of the ABI, and how much of `left` waits for the generation after `nonce`. The
/// flag says whether any does, in the word that every action on orders reads anyway.
struct StoredPearl {
    uint128 liquidityGross;
    int128 liquidityNet;
    uint24 nonce;
    int96 left;
    int96 taken;
    bool hasWaiting;
    uint128 fee;
    uint128 entrySocialLossIndex;
    int128 entryFundingIndex;
    int96 waiting;
}

/// What one trader holds in one pair.
struct Account {
    Position position;
    IdList orderIds;
    IdList rangeIds;
    mapping(int24 tick => RestingOrder) orders;
    mapping(uint48 rangeId => Range) ranges;
}

/// Everything of one pair. Each expiry of an instrument has its own.
struct Context {
    Amm amm;
    mapping(int16 word => uint256) bitmap;
    mapping(int24 tick => StoredPearl) pearls;
    mapping(uint48 orderId => Record) records;
    mapping(address trader => Account) accounts;
    /// Losses that nobody could bear yet, WAD. See `Losses`.
    uint128 shortfall;
}

/// Everything of one instrument. What placing and trading read sits in the first three words: gate and least margin,
/// and config and tip, share one each, for which the two amounts are held to 96 bits (`QuoteParams`).
struct State {
    address quote;
    uint8 decimals;
    uint16 initialMarginRatio;
    uint16 maintenanceMarginRatio;
    bool placePaused;
    uint8 fundingHour;
    bool disableOrderRebate;
    uint8 condition;
    address market;
    uint16 tradingFeeRatio;
    uint16 protocolFeeRatio;
    uint8 qtype;
    address gate;
    uint96 minMarginAmount;
    address config;
    uint96 tip;
    string symbol;
    uint32[] expiries;
    mapping(uint32 expiry => Context) contexts;
}

/// Finds the instrument's storage, for the contract and for every library it delegates to (ERC-7201).
library Store {
    // The ERC-7201 slot of bourse.perp.Instrument:
    // 0xe098b3876aa7d286e1582030c812d0852cdcacd8422a9d4d705d735045eb6f00
    bytes32 private constant SLOT =
        keccak256(abi.encode(uint256(keccak256("bourse.perp.Instrument")) - 1)) & ~bytes32(uint256(0xff));

    function load() internal pure returns (State storage s) {
        bytes32 slot = SLOT;
        // A namespaced slot can be bound to a storage pointer in assembly only.
        assembly ("memory-safe") {
            s.slot := slot
        }
    }
}
