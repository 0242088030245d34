// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MOST_FUNDING_SILENCE, PERP_EXPIRY, SETTLING_DURATION} from "../Constants.sol";
import {Amm, Condition, Status} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {IMarket} from "../interfaces/IMarket.sol";
import {Cast} from "./Cast.sol";
import {Funding} from "./Funding.sol";
import {Prices} from "./Prices.sol";
import {Context, State, Store} from "./Store.sol";

/// What every action does first: check time, condition and status, and bring the pair to now.
/// Source: perp-protocol 3.10, 3.13, 4.1.
library Lifecycle {
    using Cast for uint256;

    /// Opens a pair for an action that needs it tradable. Returns it at `block.timestamp`, with its mark price in WAD.
    function enter(uint32 expiry, uint32 deadline) internal returns (State storage s, Context storage c, uint256 mark) {
        checkDeadline(deadline);
        s = Store.load();
        checkCondition(s);
        c = s.contexts[expiry];
        if (c.amm.status == uint8(Status.DORMANT)) revert IInstrumentErrors.NotTradeable();
        mark = touch(s, c, expiry);
        if (c.amm.status == uint8(Status.SETTLED)) revert IInstrumentErrors.NotTradeable();
    }

    function checkDeadline(uint32 deadline) internal view {
        if (deadline != 0 && block.timestamp > deadline) revert IInstrumentErrors.Timeout();
    }

    function checkCondition(State storage s) internal view {
        if (s.condition != uint8(Condition.NORMAL)) revert IInstrumentErrors.BadInstrumentCondition();
    }

    /// Brings a live pair to now: funding of a perpetual, status of a dated pair. Returns the mark price.
    function touch(State storage s, Context storage c, uint32 expiry) internal returns (uint256 mark) {
        Amm storage amm = c.amm;
        if (expiry != PERP_EXPIRY) return _touchDated(s, amm, expiry);
        mark = Prices.mark(s, expiry, Status.TRADING);
        _forgiveClosedTime(s, amm);
        Funding.accrue(amm, s.fundingHour, mark);
    }

    /// While its market is closed nobody can bring a pair to its price. The market says how much of a long silence counts.
    function _forgiveClosedTime(State storage s, Amm storage amm) private {
        uint256 elapsed = block.timestamp - amm.timestamp;
        if (elapsed <= MOST_FUNDING_SILENCE) return;
        uint256 counts = IMarket(s.market).chargeableTime(elapsed);
        if (counts < elapsed) amm.timestamp = uint32(block.timestamp - counts);
    }

    function _touchDated(State storage s, Amm storage amm, uint32 expiry) private returns (uint256 mark) {
        if (amm.status == uint8(Status.SETTLED)) return amm.settlementPrice;
        if (amm.status == uint8(Status.TRADING)) {
            if (block.timestamp + SETTLING_DURATION < expiry) return Prices.mark(s, expiry, Status.TRADING);
            amm.timestamp = uint32(block.timestamp);
        }
        mark = Prices.mark(s, expiry, Status.SETTLING);
        if (block.timestamp >= expiry) {
            amm.settlementPrice = mark.toUint128();
            setStatus(amm, Status.SETTLED, mark);
        } else if (amm.status == uint8(Status.TRADING)) {
            setStatus(amm, Status.SETTLING, mark);
        }
    }

    function setStatus(Amm storage amm, Status status, uint256 mark) internal {
        amm.status = uint8(status);
        emit IInstrumentEvents.UpdateAmmStatus(amm.expiry, uint8(status), amm.sqrtPX96, mark);
    }
}
