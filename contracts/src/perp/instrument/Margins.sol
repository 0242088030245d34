// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MIN_ORDER_MULTIPLIER, MIN_RANGE_MULTIPLIER, RATIO_BASE, WAD} from "../Constants.sol";
import {Wad} from "../maths/Wad.sol";
import {State} from "./Store.sol";

/// Least sizes and margins that follow from an instrument's parameters. WAD. Source: perp-protocol 2.1, 3.5.
library Margins {
    function imr(State storage s) internal view returns (uint256) {
        return Wad.fromRatio(s.initialMarginRatio);
    }

    function mmr(State storage s) internal view returns (uint256) {
        return Wad.fromRatio(s.maintenanceMarginRatio);
    }

    function minTradeValue(State storage s) internal view returns (uint256) {
        return uint256(s.minMarginAmount) * RATIO_BASE / s.initialMarginRatio;
    }

    function minOrderValue(State storage s) internal view returns (uint256) {
        return MIN_ORDER_MULTIPLIER * minTradeValue(s);
    }

    function minRangeValue(State storage s) internal view returns (uint256) {
        return MIN_RANGE_MULTIPLIER * minTradeValue(s);
    }

    /// The greatest leverage, in WAD.
    function maxLeverage(State storage s) internal view returns (uint256) {
        return RATIO_BASE * WAD / s.initialMarginRatio;
    }

    /// Margin of an order at `leverage`: on its own price or the mark, whichever is higher.
    function ofOrder(uint256 price, uint256 mark, uint256 size, uint256 leverage) internal pure returns (uint256) {
        return Wad.divUp(Wad.mulUp(price > mark ? price : mark, size), leverage);
    }

    /// The whole fee of a taker: trading and protocol fee, rounded up once.
    function takerFee(State storage s, uint256 notional) internal view returns (uint256) {
        return Wad.mulUp(notional, Wad.fromRatio(uint256(s.tradingFeeRatio) + s.protocolFeeRatio));
    }
}
