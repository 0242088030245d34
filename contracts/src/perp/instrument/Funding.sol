// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DEFAULT_FUNDING_HOURS, MOST_FUNDING_LEVERAGE} from "../Constants.sol";
import {Amm} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";

/// Funding of a perpetual pair: the side that holds the fair price away from the mark pays the other one, in
/// proportion to gap and time. Source: perp-protocol 3.10; docs/decisions/perp-funding.md.
library Funding {
    using Cast for int256;
    using Cast for uint256;

    /// Brings the funding indices to now. Time passes also while the paying side is empty.
    function accrue(Amm storage amm, uint8 fundingHour, uint256 mark) internal {
        uint256 elapsed = block.timestamp - amm.timestamp;
        if (elapsed == 0) return;
        amm.timestamp = uint32(block.timestamp);

        uint256 fair = Tick.sqrtToPrice(amm.sqrtPX96);
        bool longPays = fair > mark;
        uint256 payerSize = longPays ? amm.totalLong : amm.totalShort;
        if (payerSize == 0) return;
        uint256 delta = Wad.frac(longPays ? fair - mark : mark - fair, elapsed, _interval(fundingHour));
        if (delta == 0) return;

        _pay(amm, longPays, delta, payerSize);
    }

    /// Moves the indices by `delta` a unit of the paying side. The receiving side shares it by size, but a unit receives no
    /// more than it would on a side of a millionth of the payers' size: a position of a few wei, alone on its side, would
    /// drive its index to the end of its field, where nobody after it could receive. What is over is for the fund.
    function _pay(Amm storage amm, bool longPays, uint256 delta, uint256 payerSize) private {
        uint256 total = Wad.mul(delta, payerSize);
        uint256 receiverSize = longPays ? amm.totalShort : amm.totalLong;
        int256 received = longPays ? amm.shortFundingIndex : amm.longFundingIndex;
        uint256 gain = receiverSize == 0 ? 0 : Wad.div(total, receiverSize);
        uint256 over = receiverSize == 0 ? total : 0;
        if (gain > delta * MOST_FUNDING_LEVERAGE) {
            gain = delta * MOST_FUNDING_LEVERAGE;
            over = total - Wad.mulUp(gain, receiverSize);
        }
        if (received + int256(gain) > type(int128).max) (gain, over) = (0, total);
        received += int256(gain);
        if (longPays) _move(amm, amm.longFundingIndex - int256(delta), received);
        else _move(amm, received, amm.shortFundingIndex - int256(delta));
        if (over != 0) _insure(amm, over);
    }

    /// Seconds over which the whole gap is paid once; 0 hours stand for 24.
    function _interval(uint8 fundingHour) private pure returns (uint256) {
        return uint256(fundingHour == 0 ? DEFAULT_FUNDING_HOURS : fundingHour) * 1 hours;
    }

    function _move(Amm storage amm, int256 long, int256 short) private {
        amm.longFundingIndex = long.toInt128();
        amm.shortFundingIndex = short.toInt128();
        emit IInstrumentEvents.UpdateFundingIndex(uint256(uint128(int128(short))) << 128
                | uint256(uint128(int128(long))));
    }

    /// What nobody receives goes to the insurance fund.
    function _insure(Amm storage amm, uint256 total) private {
        amm.insuranceFund = (amm.insuranceFund + total).toUint128();
        emit IInstrumentEvents.UpdateSocialLossInsuranceFund(
            amm.expiry, amm.longSocialLossIndex, amm.shortSocialLossIndex, amm.insuranceFund
        );
    }
}
