// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_SETTLED_ITEMS, PERP_EXPIRY} from "../Constants.sol";
import {Packed, RemoveArgs} from "../Packed.sol";
import {Amm, Condition, PositionCache, Status} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {IInstrumentRiskEvents} from "../interfaces/IInstrumentRisk.sol";
import {Accounts} from "./Accounts.sol";
import {Cast} from "./Cast.sol";
import {Closing} from "./Closing.sol";
import {Funds} from "./Funds.sol";
import {IdList, IdLists} from "./IdLists.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Losses} from "./Losses.sol";
import {OrderExit} from "./OrderExit.sol";
import {Claim} from "./Pearls.sol";
import {Positions} from "./Positions.sol";
import {Prices} from "./Prices.sol";
import {RangeExit} from "./RangeExit.sol";
import {Account, Context, RestingOrder, State, Store} from "./Store.sol";

/// The end of a pair: at its expiry, or when a frozen instrument is resolved. Linked: the Instrument delegates to it.
/// Source: perp-protocol 3.13; docs/decisions/perp-settlement.md.
library Settlement {
    using Accounts for Context;
    using Cast for int256;
    using Cast for uint256;
    using IdLists for IdList;
    using Positions for PositionCache;

    struct Settling {
        uint32 expiry;
        address operator;
        address target;
        uint256 price;
        /// Ranges and orders this call may still end.
        uint256 left;
        PositionCache main;
    }

    /// See `IInstrumentRisk.settle`. One call ends up to `MAX_SETTLED_ITEMS` ranges and orders; what it does not reach,
    /// the next one does, and the account is paid with the last.
    function settle(address operator, uint32 expiry, address target) external {
        (State storage s, Context storage c) = _enter(expiry);
        Account storage account = c.accounts[target];
        Settling memory call;
        (call.expiry, call.operator, call.target) = (expiry, operator, target);
        (call.price, call.left, call.main) = (c.amm.settlementPrice, MAX_SETTLED_ITEMS, c.load(target));
        uint256 items = account.rangeIds.length() + account.orderIds.length();
        bool empty = items == 0 && call.main.size == 0 && call.main.balance == 0;
        if (empty) revert IInstrumentErrors.PositionNotExist();
        _endRanges(c, account, call);
        _endOrders(c, account, call);
        if (items > MAX_SETTLED_ITEMS) {
            _keep(c, call);
            return;
        }
        _pay(s, c, call);
        Closing.close(s, c, expiry);
    }

    /// See `IInstrumentRisk.resolve`.
    function resolve(uint128 settlementPrice) external {
        State storage s = Store.load();
        if (s.condition != uint8(Condition.FROZEN)) revert IInstrumentErrors.BadInstrumentCondition();
        if (settlementPrice != 0) Prices.checkSane(settlementPrice);
        for (uint256 i; i < s.expiries.length; ++i) {
            uint32 expiry = s.expiries[i];
            Amm storage amm = s.contexts[expiry].amm;
            if (amm.status == uint8(Status.SETTLED)) continue;
            uint256 price = settlementPrice != 0 ? settlementPrice : Prices.mark(s, expiry, Status(amm.status));
            amm.settlementPrice = price.toUint128();
            Lifecycle.setStatus(amm, Status.SETTLED, price);
        }
        s.condition = uint8(Condition.RESOLVED);
        emit IInstrumentEvents.UpdateCondition(uint32(block.timestamp), uint8(Condition.RESOLVED));
    }

    /// A settled pair; one whose expiry has passed becomes so.
    function _enter(uint32 expiry) private returns (State storage s, Context storage c) {
        s = Store.load();
        c = s.contexts[expiry];
        if (s.condition == uint8(Condition.FROZEN)) revert IInstrumentErrors.BadInstrumentCondition();
        bool due = s.condition == uint8(Condition.NORMAL) && expiry != PERP_EXPIRY && block.timestamp >= expiry
            && c.amm.status != uint8(Status.DORMANT);
        if (due) Lifecycle.touch(s, c, expiry);
        if (c.amm.status != uint8(Status.SETTLED)) revert IInstrumentErrors.BadAmmStatus();
    }

    function _endRanges(Context storage c, Account storage account, Settling memory call) private {
        uint48[] memory ids = account.rangeIds.all();
        RemoveArgs memory args;
        (args.expiry, args.target) = (call.expiry, call.target);
        for (uint256 i; i < ids.length && call.left != 0; ++i) {
            // A range's id is packed like an order's: two ticks instead of a tick and a nonce.
            uint24 upper;
            (args.tickLower, upper) = Packed.orderOf(ids[i]);
            args.tickUpper = int24(upper);
            (PositionCache memory pic,) = RangeExit.take(c, args, call.operator, 0);
            _join(c, call, pic);
        }
    }

    function _endOrders(Context storage c, Account storage account, Settling memory call) private {
        uint48[] memory ids = account.orderIds.all();
        for (uint256 i; i < ids.length && call.left != 0; ++i) {
            (int24 tick,) = Packed.orderOf(ids[i]);
            _endOrder(c, call, tick);
        }
    }

    function _endOrder(Context storage c, Settling memory call, int24 tick) private {
        (RestingOrder memory order, Claim memory claim, PositionCache memory pic) =
            OrderExit.withdraw(c, call.target, tick);
        if (pic.size == order.size) {
            OrderExit.logFill(
                OrderExit.Filled(call.expiry, call.target, tick, order.nonce, claim.fee, call.operator, 0), pic
            );
        } else {
            emit IInstrumentEvents.Cancel(call.expiry, call.target, tick, order.nonce, claim.fee, pic);
        }
        _join(c, call, pic);
    }

    function _join(Context storage c, Settling memory call, PositionCache memory pic) private {
        call.main = c.merge(call.target, call.main, pic, Positions.indicesOf(c.amm));
        --call.left;
    }

    /// Stores what is combined so far, also if it is flat: the account is paid when nothing of it is left.
    function _keep(Context storage c, Settling memory call) private {
        c.accounts[call.target].position = Positions.pack(call.main);
        emit IInstrumentEvents.UpdatePosition(call.expiry, call.target, call.main);
    }

    /// Pays the account's equity at the settlement price; a debt is a loss of the pair.
    function _pay(State storage s, Context storage c, Settling memory call) private {
        PositionCache memory main = call.main;
        int256 funding = main.realize(Positions.indicesOf(c.amm));
        if (funding != 0) emit IInstrumentEvents.FundingFee(call.target, funding);
        bool long = main.size > 0;
        int256 equity = main.balance + main.pricePnl(call.price);
        if (long) {
            c.amm.totalLong -= uint128(main.size.abs());
        } else {
            c.amm.totalShort -= uint128(main.size.abs());
            c.amm.openInterests -= uint128(main.size.abs());
        }
        delete c.accounts[call.target].position;
        if (equity < 0) Losses.absorb(c, uint256(-equity), long, call.price);
        uint256 balance = equity > 0 ? uint256(equity) : 0;
        PositionCache memory none;
        emit IInstrumentEvents.UpdatePosition(call.expiry, call.target, none);
        emit IInstrumentRiskEvents.Settle(call.expiry, call.target, call.price, balance, call.operator);
        Funds.gather(s, c, call.expiry, call.target, balance);
    }
}
