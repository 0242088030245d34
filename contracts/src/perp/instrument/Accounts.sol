// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PositionCache} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Funds} from "./Funds.sol";
import {Losses} from "./Losses.sol";
import {Indices, Positions} from "./Positions.sol";
import {Context, State} from "./Store.sol";

/// The main position of an account: loading it, combining something with it, storing it.
/// Source: perp-protocol 1.8, 3.6, 3.9.
library Accounts {
    using Positions for PositionCache;

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

    /// `merge`, `save` and the pay-out of a flat result, for what orders and ranges turn into. A result that is flat with
    /// a debt is a loss of the pair: it must not keep others from claiming or removing.
    function absorb(
        State storage s,
        Context storage c,
        uint32 expiry,
        address trader,
        PositionCache memory pic,
        uint256 mark
    ) internal {
        PositionCache memory main = load(c, trader);
        bool long = failsLong(main, pic, mark);
        main = merge(c, trader, main, pic, Positions.indicesOf(c.amm));
        forgive(c, main, long, mark);
        Funds.gather(s, c, expiry, trader, save(c, expiry, trader, main));
    }

    /// Turns the debt of a flat `main`, which came from a long (`long`) or a short, into a loss of the pair.
    function forgive(Context storage c, PositionCache memory main, bool long, uint256 mark) internal {
        if (main.size != 0 || main.balance >= 0) return;
        Losses.absorb(c, uint256(-main.balance), long, mark);
        main.balance = 0;
    }

    /// The side on which a debt of both together arises: that of the position, if it is bankrupt, else that of what joins.
    function failsLong(PositionCache memory main, PositionCache memory pic, uint256 mark) internal pure returns (bool) {
        bool byMain = main.size != 0 && (pic.size == 0 || main.balance + main.pricePnl(mark) < 0);
        return (byMain ? main.size : pic.size) > 0;
    }
}
