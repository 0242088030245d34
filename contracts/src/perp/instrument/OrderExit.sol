// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Packed} from "../Packed.sol";
import {PositionCache} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {IdList, IdLists} from "./IdLists.sol";
import {Claim, Pearls} from "./Pearls.sol";
import {Account, Context, RestingOrder} from "./Store.sol";

/// How an order ends: withdrawn by its owner or by settlement, or claimed. Source: perp-protocol 3.4.
library OrderExit {
    using Cast for int256;
    using IdLists for IdList;

    /// Takes the order out of its tick and its account. `pic` is the position its taken part turns into, with the whole
    /// margin as balance.
    function withdraw(Context storage c, address trader, int24 tick)
        internal
        returns (RestingOrder memory order, Claim memory claim, PositionCache memory pic)
    {
        order = c.accounts[trader].orders[tick];
        int256 filled;
        (filled, claim) = Pearls.withdraw(c, tick, order);
        forget(c, trader, tick, order.nonce);
        pic = positionOf(tick, order, filled, claim);
    }

    function forget(Context storage c, address trader, int24 tick, uint24 nonce) internal {
        Account storage account = c.accounts[trader];
        delete account.orders[tick];
        account.orderIds.remove(Packed.orderId(tick, nonce));
    }

    /// Where an order was claimed: what of it, by whom and for what tip.
    struct Filled {
        uint32 expiry;
        address trader;
        int24 tick;
        uint24 nonce;
        uint256 fee;
        address operator;
        uint256 tip;
    }

    function logFill(Filled memory f, PositionCache memory pic) internal {
        emit IInstrumentEvents.Fill(f.expiry, f.trader, f.tick, f.nonce, f.fee, pic, f.operator, f.tip);
    }

    /// The position an order's taken part turns into; with nothing taken, its balance alone.
    function positionOf(int24 tick, RestingOrder memory order, int256 filled, Claim memory claim)
        internal
        pure
        returns (PositionCache memory)
    {
        return PositionCache(
            int256(uint256(order.balance) + claim.fee),
            filled,
            filled == 0 ? 0 : Wad.mul(Tick.toPrice(tick), filled.abs()),
            claim.entrySocialLossIndex,
            claim.entryFundingIndex
        );
    }
}
