// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PERP_EXPIRY, SETTLING_DURATION} from "../Constants.sol";
import {Condition, Status} from "../Types.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Context, State, Store} from "./Store.sol";

/// Bringing pairs to now without acting on them. Linked: the Instrument delegates to it.
/// Source: perp-protocol 3.13, 4.1.
library Upkeep {
    /// Brings a pair's funding or status to now; refused for a dated pair before its settling window.
    function update(uint32 expiry) external {
        State storage s = Store.load();
        Lifecycle.checkCondition(s);
        Context storage c = s.contexts[expiry];
        uint8 status = c.amm.status;
        if (status == uint8(Status.DORMANT) || status == uint8(Status.SETTLED)) {
            revert IInstrumentErrors.BadAmmStatus();
        }
        bool early = expiry != PERP_EXPIRY && block.timestamp + SETTLING_DURATION < expiry;
        if (early) revert IInstrumentErrors.BadAmmTiming();
        Lifecycle.touch(s, c, expiry);
    }

    /// Charges a live perpetual the funding up to now, so that what changes next applies to later time only.
    function settleFunding() external {
        State storage s = Store.load();
        Context storage c = s.contexts[PERP_EXPIRY];
        bool live = c.amm.status == uint8(Status.TRADING) && s.condition == uint8(Condition.NORMAL);
        if (live) Lifecycle.touch(s, c, PERP_EXPIRY);
    }
}
