// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PERP_EXPIRY, SETTLING_DURATION} from "../Constants.sol";
import {Amm, Quotation, Status} from "../Types.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Margins} from "./Margins.sol";
import {Prices} from "./Prices.sol";
import {Context, State, Store} from "./Store.sol";
import {Swap, SwapResult} from "./Swap.sol";

/// What a trade would do. Linked: the Instrument delegates to it. Source: perp-protocol 2.7, 3.5.
library Quotations {
    using Cast for int256;

    /// Quotes `size` (positive long) for an account without a position. Size 0 quotes the pair as it stands.
    function inquire(uint32 expiry, int256 size) external view returns (Quotation memory q) {
        State storage s = Store.load();
        Context storage c = s.contexts[expiry];
        Amm storage amm = c.amm;
        q.mark = Prices.peekMark(s, expiry, _statusNow(amm, expiry));
        q.benchmark = Prices.benchmark(s, expiry, q.mark);
        (q.sqrtFairPX96, q.tick) = (amm.sqrtPX96, amm.tick);
        SwapResult memory swap = Swap.walk(c, size);
        (q.sqrtPostFairPX96, q.postTick, q.entryNotional) = (swap.sqrtPX96, swap.tick, swap.entryNotional);
        q.fee = Margins.takerFee(s, q.entryNotional);
        q.minAmount = _minAmount(s, q, size);
    }

    /// Initial margin at the mark, the fee, and the loss of entering at a price worse than the mark.
    function _minAmount(State storage s, Quotation memory q, int256 size) private view returns (uint256) {
        uint256 value = Wad.mul(q.mark, size.abs());
        (uint256 paid, uint256 worth) = size > 0 ? (q.entryNotional, value) : (value, q.entryNotional);
        uint256 loss = paid > worth ? paid - worth : 0;
        return Wad.mulUp(value, Margins.imr(s)) + q.fee + loss;
    }

    /// The status an update would give the pair now.
    function _statusNow(Amm storage amm, uint32 expiry) private view returns (Status) {
        if (amm.status == uint8(Status.DORMANT) || amm.status == uint8(Status.SETTLED)) {
            revert IInstrumentErrors.NotTradeable();
        }
        if (expiry == PERP_EXPIRY || block.timestamp + SETTLING_DURATION < expiry) return Status.TRADING;
        if (block.timestamp >= expiry) revert IInstrumentErrors.NotTradeable();
        return Status.SETTLING;
    }
}
