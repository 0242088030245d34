// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Packed} from "../Packed.sol";
import {Order, Pearl, Portfolio, QuoteParam, Range, Record, Setting} from "../Types.sol";
import {IdList, IdLists} from "./IdLists.sol";
import {Pearls} from "./Pearls.sol";
import {Account, Context, RestingOrder, State, Store, StoredPearl} from "./Store.sol";

/// Typed views of an instrument's storage, which Observer is built on. Linked: the Instrument delegates to it.
library Readers {
    using IdLists for IdList;

    function setting() external view returns (Setting memory) {
        State storage s = Store.load();
        return Setting(
            s.symbol,
            s.config,
            s.gate,
            s.market,
            s.quote,
            s.decimals,
            s.initialMarginRatio,
            s.maintenanceMarginRatio,
            s.placePaused,
            s.fundingHour,
            s.disableOrderRebate,
            QuoteParam(s.minMarginAmount, s.tradingFeeRatio, s.protocolFeeRatio, s.qtype, s.tip)
        );
    }

    function portfolio(uint32 expiry, address trader) external view returns (Portfolio memory p) {
        Context storage c = Store.load().contexts[expiry];
        Account storage account = c.accounts[trader];
        p.position = account.position;
        p.oids = account.orderIds.all();
        p.rids = account.rangeIds.all();
        p.orders = new Order[](p.oids.length);
        p.ordersTaken = new int256[](p.oids.length);
        p.ranges = new Range[](p.rids.length);
        for (uint256 i; i < p.oids.length; ++i) {
            (int24 tick,) = Packed.orderOf(p.oids[i]);
            RestingOrder memory order = account.orders[tick];
            p.orders[i] = Order(order.balance, order.size);
            p.ordersTaken[i] = Pearls.takenOf(c, tick, order);
        }
        for (uint256 i; i < p.rids.length; ++i) {
            p.ranges[i] = account.ranges[p.rids[i]];
        }
    }

    function pearls(uint32 expiry, int24[] calldata ticks) external view returns (Pearl[] memory list) {
        Context storage c = Store.load().contexts[expiry];
        list = new Pearl[](ticks.length);
        for (uint256 i; i < ticks.length; ++i) {
            StoredPearl storage pearl = c.pearls[ticks[i]];
            list[i] = Pearl(
                pearl.liquidityGross,
                pearl.liquidityNet,
                pearl.nonce,
                pearl.left,
                pearl.taken,
                pearl.fee,
                pearl.entrySocialLossIndex,
                pearl.entryFundingIndex
            );
        }
    }

    /// Records of (ticks[i], nonces[i]).
    function records(uint32 expiry, int24[] calldata ticks, uint24[] calldata nonces)
        external
        view
        returns (Record[] memory list)
    {
        Context storage c = Store.load().contexts[expiry];
        list = new Record[](ticks.length);
        for (uint256 i; i < ticks.length; ++i) {
            list[i] = c.records[Packed.orderId(ticks[i], nonces[i])];
        }
    }

    function tickBitmaps(uint32 expiry, int16[] calldata words) external view returns (uint256[] memory list) {
        Context storage c = Store.load().contexts[expiry];
        list = new uint256[](words.length);
        for (uint256 i; i < words.length; ++i) {
            list[i] = c.bitmap[words[i]];
        }
    }
}
