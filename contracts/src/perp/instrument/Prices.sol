// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PERP_EXPIRY} from "../Constants.sol";
import {Status} from "../Types.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {IMarket} from "../interfaces/IMarket.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {State} from "./Store.sol";

/// Prices an instrument takes from its market, and how far its own may lie from them. WAD.
/// Source: perp-protocol 3.11, 4.1.
library Prices {
    // Prices of MIN_TICK and MAX_TICK: what the curve can express.
    uint256 private constant MIN_PRICE = 9862;
    uint256 private constant MAX_PRICE = 18446050711097703529776342895654370895;

    /// Mark price; a dated pair's settling average moves on with it.
    function mark(State storage s, uint32 expiry, Status status) internal returns (uint256) {
        return _sane(IMarket(s.market).markPrice(expiry, uint8(status)));
    }

    /// Mark price without moving anything.
    function peekMark(State storage s, uint32 expiry, Status status) internal view returns (uint256) {
        return _sane(IMarket(s.market).getMarkPrice(address(this), expiry, uint8(status)));
    }

    /// Benchmark price. A perpetual's is its mark, which saves the call.
    function benchmark(State storage s, uint32 expiry, uint256 mark_) internal view returns (uint256) {
        if (expiry == PERP_EXPIRY) return mark_;
        return _sane(IMarket(s.market).getBenchmarkPrice(address(this), expiry));
    }

    /// A trade may not carry the fair price further than `mmr` from the benchmark, unless it brings it nearer.
    function checkDeviation(uint256 preFair, uint256 postFair, uint256 benchmark_, uint256 mmr) internal pure {
        uint256 post = Wad.deviation(postFair, benchmark_);
        if (post <= mmr) return;
        bool flipped = (preFair >= benchmark_) != (postFair >= benchmark_);
        if (flipped || post > Wad.deviation(preFair, benchmark_)) revert IInstrumentErrors.CrazyDeviation();
    }

    /// What rests orders or liquidity at the fair price needs it within `imr` of the mark.
    function checkFair(uint160 sqrtPX96, uint256 mark_, uint256 imr) internal pure {
        if (Wad.deviation(Tick.sqrtToPrice(sqrtPX96), mark_) > imr) revert IInstrumentErrors.FairDeviation();
    }

    /// A price must be one that the curve can express.
    function checkSane(uint256 price) internal pure {
        if (price < MIN_PRICE || price > MAX_PRICE) revert IInstrumentErrors.CrazySpot();
    }

    function _sane(uint256 price) private pure returns (uint256) {
        checkSane(price);
        return price;
    }
}
