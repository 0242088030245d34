// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PositionCache} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Funds} from "./Funds.sol";
import {Indices, Positions} from "./Positions.sol";
import {Context, State} from "./Store.sol";

/// The main position of an account: loading it, combining something with it, storing it.
/// Source: perp-protocol 1.8, 3.6, 3.9.
library Accounts {
    function load(Context storage c, address trader) internal view returns (PositionCache memory) {
        return Positions.unpack(c.accounts[trader].position);
    }

    /// Combines `pic` with `main`; what closes leaves the pair's totals. Emits the funding that was realised.
    function merge(
        Context storage c,
        address trader,
        PositionCache memory main,
        PositionCache memory pic,
        Indices memory indices
    ) internal returns (PositionCache memory sum) {
        uint256 closed;
        int256 funding;
        (sum, closed, funding) = Positions.combine(main, pic, indices);
        if (closed != 0) {
            c.amm.totalLong -= uint128(closed);
            c.amm.totalShort -= uint128(closed);
            c.amm.openInterests -= uint128(closed);
        }
        if (funding != 0) emit IInstrumentEvents.FundingFee(trader, funding);
    }

    /// Stores `main`. A flat one keeps nothing: its balance is returned to be paid out, and may not be negative.
    function save(Context storage c, uint32 expiry, address trader, PositionCache memory main)
        internal
        returns (uint256 payout)
    {
        if (main.size == 0) {
            if (main.balance < 0) revert IInstrumentErrors.PositionBankrupt();
            payout = uint256(main.balance);
            delete main.balance;
        }
        c.accounts[trader].position = Positions.pack(main);
        emit IInstrumentEvents.UpdatePosition(expiry, trader, main);
    }

    /// `merge`, `save` and the pay-out of a flat result, for what orders and ranges turn into.
    function absorb(State storage s, Context storage c, uint32 expiry, address trader, PositionCache memory pic)
        internal
        returns (PositionCache memory main)
    {
        main = merge(c, trader, load(c, trader), pic, Positions.indicesOf(c.amm));
        Funds.gather(s, c, expiry, trader, save(c, expiry, trader, main));
    }
}
