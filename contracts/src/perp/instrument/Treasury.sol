// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm, Status} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {IInstrumentRiskErrors, IInstrumentRiskEvents} from "../interfaces/IInstrumentRisk.sol";
import {Closing} from "./Closing.sol";
import {Funds} from "./Funds.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Losses} from "./Losses.sol";
import {Context, State, Store} from "./Store.sol";

/// A pair's two funds: insurance and protocol fee. Linked: the Instrument delegates to it. WAD.
/// Source: perp-protocol 3.12; docs/decisions/perp-losses.md.
library Treasury {
    /// See `IInstrumentRisk.donateInsuranceFund`.
    function donate(address donator, uint32 expiry, uint256 amount) external {
        (State storage s, Context storage c,) = Lifecycle.enter(expiry, 0);
        Losses.insure(c, amount);
        Losses.repay(c);
        emit IInstrumentRiskEvents.DonateInsuranceFund(expiry, donator, amount);
        Funds.scatter(s, c, expiry, donator, amount);
    }

    /// See `IInstrumentRisk.claimProtocolFee`; `owner` gets it.
    function claim(address owner, uint32 expiry) external {
        (State storage s, Context storage c) = _pair(expiry);
        Amm storage amm = c.amm;
        uint256 amount = amm.protocolFee;
        amm.protocolFee = 0;
        emit IInstrumentEvents.UpdateFeeState(expiry, amm.feeIndex, 0);
        emit IInstrumentRiskEvents.ClaimProtocolFee(expiry, amount);
        Funds.gather(s, c, expiry, owner, amount);
        Closing.close(s, c, expiry);
    }

    /// See `IInstrumentRisk.recycleInsuranceFund`; `owner` gets it.
    function recycle(address owner, uint32 expiry) external {
        (State storage s, Context storage c) = _pair(expiry);
        Amm storage amm = c.amm;
        // Whoever is not settled yet may leave a debt that the fund has to cover.
        if (amm.status == uint8(Status.SETTLED) && !Closing.isCleared(c)) {
            revert IInstrumentRiskErrors.PairNotCleared(expiry);
        }
        Losses.repay(c);
        uint256 amount = amm.insuranceFund;
        amm.insuranceFund = 0;
        emit IInstrumentEvents.UpdateSocialLossInsuranceFund(
            expiry, amm.longSocialLossIndex, amm.shortSocialLossIndex, 0
        );
        emit IInstrumentRiskEvents.RecycleInsuranceFund(expiry, amount);
        Funds.gather(s, c, expiry, owner, amount);
        Closing.close(s, c, expiry);
    }

    function _pair(uint32 expiry) private view returns (State storage s, Context storage c) {
        s = Store.load();
        c = s.contexts[expiry];
        if (c.amm.status == uint8(Status.DORMANT)) revert IInstrumentErrors.BadAmmStatus();
    }
}
