// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title An amount that may be used at once and grows back evenly within a period.
/// @dev Within a time `t` no more than `capacity * (1 + t / period)` is used, wherever that time begins: there is no edge of
/// a day at which twice the amount goes. Rounded so that less grows back.
library RateLimit {
    /// What is in use now of `used`, which was the figure at `usedAt` (Unix seconds).
    function inUse(uint256 used, uint256 usedAt, uint256 capacity, uint256 periodSec) internal view returns (uint256) {
        uint256 grownBack = capacity * (block.timestamp - usedAt) / periodSec;
        return used > grownBack ? used - grownBack : 0;
    }

    /// What may be used now; nothing when the capacity was lowered below what is in use.
    function available(uint256 used, uint256 usedAt, uint256 capacity, uint256 periodSec)
        internal
        view
        returns (uint256)
    {
        uint256 busy = inUse(used, usedAt, capacity, periodSec);
        return capacity > busy ? capacity - busy : 0;
    }
}
