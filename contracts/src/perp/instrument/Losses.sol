// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentRiskErrors} from "../interfaces/IInstrumentRisk.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Context} from "./Store.sol";

/// What an account cannot pay: the insurance fund pays it, then the positions of the other side, in proportion to size.
/// All amounts WAD; what positions owe is rounded up. Source: perp-protocol 3.12; docs/decisions/perp-losses.md.
library Losses {
    using Cast for uint256;

    /// Covers `deficit` of a long (`long`) or a short. `NoCounterparty` when the fund is too small and the other side
    /// cannot bear the rest.
    function cover(Context storage c, uint256 deficit, bool long, uint256 mark) internal {
        if (deficit == 0) return;
        uint256 rest = _fromFund(c, deficit);
        if (rest != 0 && !_spread(c.amm, rest, !long, mark)) {
            revert IInstrumentRiskErrors.NoCounterparty(long, rest);
        }
        _emitState(c.amm);
    }

    /// `cover` for actions that may not fail: what the other side cannot bear, the account's own side does, and what
    /// nobody can bear yet stands as the pair's shortfall.
    function absorb(Context storage c, uint256 deficit, bool long, uint256 mark) internal {
        if (deficit == 0) return;
        uint256 rest = _fromFund(c, deficit);
        bool borne = rest == 0 || _spread(c.amm, rest, !long, mark) || _spread(c.amm, rest, long, mark);
        if (!borne) c.shortfall = (c.shortfall + rest).toUint128();
        _emitState(c.amm);
    }

    /// Adds to the insurance fund.
    function insure(Context storage c, uint256 amount) internal {
        if (amount == 0) return;
        c.amm.insuranceFund = (c.amm.insuranceFund + amount).toUint128();
        _emitState(c.amm);
    }

    /// Lets the insurance fund pay what stands as shortfall.
    function repay(Context storage c) internal {
        uint256 shortfall = c.shortfall;
        if (shortfall == 0) return;
        uint256 rest = _fromFund(c, shortfall);
        if (rest == shortfall) return;
        c.shortfall = uint128(rest);
        _emitState(c.amm);
    }

    function _fromFund(Context storage c, uint256 deficit) private returns (uint256 rest) {
        uint256 fund = c.amm.insuranceFund;
        uint256 paid = fund < deficit ? fund : deficit;
        if (paid != 0) c.amm.insuranceFund = uint128(fund - paid);
        return deficit - paid;
    }

    /// Charges one side; not one whose whole value is less than the loss, since it could not pay.
    function _spread(Amm storage amm, uint256 loss, bool toLongs, uint256 mark) private returns (bool) {
        uint256 size = toLongs ? amm.totalLong : amm.totalShort;
        if (size == 0 || loss > Wad.mulDown(mark, size)) return false;
        uint256 perUnit = Wad.divUp(loss, size);
        if (toLongs) amm.longSocialLossIndex = (amm.longSocialLossIndex + perUnit).toUint128();
        else amm.shortSocialLossIndex = (amm.shortSocialLossIndex + perUnit).toUint128();
        return true;
    }

    function _emitState(Amm storage amm) private {
        emit IInstrumentEvents.UpdateSocialLossInsuranceFund(
            amm.expiry, amm.longSocialLossIndex, amm.shortSocialLossIndex, amm.insuranceFund
        );
    }
}
