// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm, Status} from "../Types.sol";
import {IInstrumentRiskEvents} from "../interfaces/IInstrumentRisk.sol";
import {IMarket} from "../interfaces/IMarket.sol";
import {Context, State} from "./Store.sol";
import {TickBitmap} from "./TickBitmap.sol";

/// When a settled pair may be forgotten. Source: perp-protocol 3.13.
library Closing {
    using TickBitmap for mapping(int16 => uint256);

    /// Whether nobody holds anything: no position or taken order, no range, and (the bitmap says) no resting order.
    function isCleared(Context storage c) internal view returns (bool) {
        Amm storage amm = c.amm;
        if (amm.totalLong != 0 || amm.totalShort != 0 || amm.totalLiquidity != 0) return false;
        (, bool found) = c.bitmap.nextLeft(amm.tick);
        if (!found) (, found) = c.bitmap.nextRight(amm.tick);
        return !found;
    }

    /// Deletes a settled pair once nobody holds anything and both funds are paid out.
    function close(State storage s, Context storage c, uint32 expiry) internal {
        Amm storage amm = c.amm;
        if (amm.status != uint8(Status.SETTLED) || amm.insuranceFund != 0 || amm.protocolFee != 0) return;
        if (!isCleared(c)) return;
        delete c.amm;
        c.shortfall = 0;
        uint256 last = s.expiries.length - 1;
        for (uint256 i; i < last; ++i) {
            if (s.expiries[i] == expiry) s.expiries[i] = s.expiries[last];
        }
        s.expiries.pop();
        IMarket(s.market).clearStates(expiry);
        emit IInstrumentRiskEvents.DeleteContext(expiry);
    }
}
