// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {EMPTY_TICK, MAX_ORDERS, MAX_TICK, MIN_TICK, RATIO_BASE} from "../Constants.sol";
import {BatchArgs, CancelArgs, FillArgs, Packed, TradeArgs} from "../Packed.sol";
import {Order, PositionCache} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Accounts} from "./Accounts.sol";
import {Cast} from "./Cast.sol";
import {Funds} from "./Funds.sol";
import {IdList, IdLists} from "./IdLists.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Margins} from "./Margins.sol";
import {OrderExit} from "./OrderExit.sol";
import {Claim, Pearls} from "./Pearls.sol";
import {Positions} from "./Positions.sol";
import {Prices} from "./Prices.sol";
import {Account, Context, RestingOrder, State, Store} from "./Store.sol";

/// Limit orders: placing, cancelling, claiming what was taken. Linked: the Instrument delegates to it.
/// Source: perp-protocol 3.4, 4.1; docs/decisions/perp-orders.md.
library Orders {
    using Accounts for Context;
    using Cast for int256;
    using Cast for uint256;
    using IdLists for IdList;
    using Packed for BatchArgs;

    /// What every order placed in one call must meet; WAD.
    struct Terms {
        uint256 mark;
        uint256 mostDeviation;
        uint256 leastValue;
        uint256 maxLeverage;
    }

    /// Sums over the orders cancelled in one call. A flat account whose orders leave untouched has no position to write.
    struct Cancelling {
        PositionCache main;
        uint256 refund;
        uint256 mark;
        bool touched;
        bool long;
    }

    struct Draft {
        uint32 expiry;
        address trader;
        int24 tick;
        int256 size;
    }

    function place(address trader, bytes32[2] calldata words) external returns (uint24 nonce, Order memory order) {
        TradeArgs memory args = Packed.trade(words);
        (State storage s, Context storage c, Terms memory terms) = _enterPlacing(args.expiry, args.deadline);
        Draft memory draft = Draft(args.expiry, trader, args.tick, args.size);
        uint256 amount = args.amount > 0 ? uint256(args.amount) : 0;
        (nonce, order) = _place(c, terms, draft, amount, _checkTick(c, terms, draft));
        Funds.scatter(s, c, args.expiry, trader, amount);
    }

    /// Places two to nine orders that share `size` by ratio, each margined at the same leverage.
    function batchPlace(address trader, bytes32[3] calldata words)
        external
        returns (uint24[] memory nonces, Order[] memory orders)
    {
        BatchArgs memory args = Packed.batch(words);
        uint256 count = _checkBatch(args);
        (State storage s, Context storage c, Terms memory terms) = _enterPlacing(args.expiry, args.deadline);
        nonces = new uint24[](count);
        orders = new Order[](count);
        uint256 total;
        for (uint256 i; i < count; ++i) {
            int256 size = args.size * int256(uint256(args.ratios[i])) / int256(RATIO_BASE);
            Draft memory draft = Draft(args.expiry, trader, args.ticks[i], size);
            uint256 price = _checkTick(c, terms, draft);
            uint256 amount = Margins.ofOrder(price, terms.mark, size.abs(), args.leverage);
            (nonces[i], orders[i]) = _place(c, terms, draft, amount, price);
            total += amount;
        }
        Funds.scatter(s, c, args.expiry, trader, total);
    }

    /// Cancels up to eight orders; a tick without an order of the trader is skipped and reported so. What was taken
    /// of an order joins the main position, untouched margin goes back to Gate.
    function cancel(address trader, bytes32 word) external returns (bool[8] memory done, PositionCache[8] memory pics) {
        CancelArgs memory args = Packed.cancel(word);
        (State storage s, Context storage c, uint256 mark) = Lifecycle.enter(args.expiry, args.deadline);
        Cancelling memory all;
        (all.main, all.mark) = (c.load(trader), mark);
        for (uint256 i; i < 8; ++i) {
            int24 tick = args.ticks[i];
            if (tick == EMPTY_TICK || c.accounts[trader].orders[tick].size == 0) continue;
            pics[i] = _cancel(c, args.expiry, trader, tick, all);
            done[i] = true;
        }
        c.forgive(all.main, all.long, mark);
        if (all.touched) all.refund += c.save(args.expiry, trader, all.main);
        Funds.gather(s, c, args.expiry, trader, all.refund);
    }

    /// Turns a fully taken order into a position. Anybody may do it; another than its owner earns the tip.
    function fill(address operator, bytes32 word) external returns (PositionCache memory pic, uint256 tip) {
        FillArgs memory args = Packed.fill(word);
        (State storage s, Context storage c, uint256 mark) = Lifecycle.enter(args.expiry, 0);
        RestingOrder memory order = c.accounts[args.target].orders[args.tick];
        if (order.size == 0 || order.nonce != args.nonce) revert IInstrumentErrors.OrderNotExist();
        Claim memory claim = Pearls.claimAll(c, args.tick, order);
        OrderExit.forget(c, args.target, args.tick, order.nonce);
        pic = OrderExit.positionOf(args.tick, order, order.size, claim);
        if (operator != args.target) {
            tip = s.tip;
            pic.balance -= int256(tip);
        }
        OrderExit.logFill(
            OrderExit.Filled(args.expiry, args.target, args.tick, order.nonce, claim.fee, operator, tip), pic
        );
        Accounts.absorb(s, c, args.expiry, args.target, Positions.copy(pic), mark);
        Funds.gather(s, c, args.expiry, operator, tip);
    }

    function _cancel(Context storage c, uint32 expiry, address trader, int24 tick, Cancelling memory all)
        private
        returns (PositionCache memory logged)
    {
        (RestingOrder memory order, Claim memory claim, PositionCache memory pic) = OrderExit.withdraw(c, trader, tick);
        logged = Positions.copy(pic);
        emit IInstrumentEvents.Cancel(expiry, trader, tick, order.nonce, claim.fee, logged);
        if (pic.size == 0) (all.refund, pic.balance) = (all.refund + uint256(pic.balance), 0);
        if (all.main.size != 0 || pic.size != 0) {
            (all.touched, all.long) = (true, Accounts.failsLong(all.main, pic, all.mark));
        }
        all.main = c.merge(trader, all.main, pic, Positions.indicesOf(c.amm));
    }

    function _enterPlacing(uint32 expiry, uint32 deadline)
        private
        returns (State storage s, Context storage c, Terms memory terms)
    {
        Lifecycle.checkDeadline(deadline);
        if (Store.load().placePaused) revert IInstrumentErrors.PlacePaused();
        (s, c, terms.mark) = Lifecycle.enter(expiry, 0);
        uint256 imr = Margins.imr(s);
        Prices.checkFair(c.amm.sqrtPX96, terms.mark, imr);
        terms.mostDeviation = 2 * imr;
        (terms.leastValue, terms.maxLeverage) = (Margins.minOrderValue(s), Margins.maxLeverage(s));
    }

    /// Where an order may rest: on its own side of the price, and not far from the mark. Returns the tick's price.
    function _checkTick(Context storage c, Terms memory terms, Draft memory draft)
        private
        view
        returns (uint256 price)
    {
        int24 tick = draft.tick;
        if (draft.size == 0) revert IInstrumentErrors.OrderTrivial();
        if (tick < MIN_TICK || tick > MAX_TICK) revert IInstrumentErrors.TickOutOfBound();
        if (draft.size > 0 ? tick >= c.amm.tick : tick <= c.amm.tick) revert IInstrumentErrors.OrderWrongSide();
        price = Tick.toPrice(tick);
        if (Wad.deviation(price, terms.mark) > terms.mostDeviation) revert IInstrumentErrors.OrderTooFar();
        if (Wad.mul(price, draft.size.abs()) < terms.leastValue) revert IInstrumentErrors.OrderTrivial();
    }

    function _place(Context storage c, Terms memory terms, Draft memory draft, uint256 amount, uint256 price)
        private
        returns (uint24 nonce, Order memory order)
    {
        uint256 least = Margins.ofOrder(price, terms.mark, draft.size.abs(), terms.maxLeverage);
        if (amount < least) revert IInstrumentErrors.OrderImrUnsafe(amount, least);
        Account storage account = c.accounts[draft.trader];
        if (account.orders[draft.tick].size != 0) revert IInstrumentErrors.OrderOccupied();
        int96 size = draft.size.toInt96();
        nonce = Pearls.rest(c, draft.tick, size);
        order = Order(amount.toUint128(), size);
        account.orders[draft.tick] = RestingOrder(order.balance, size, nonce);
        uint256 count = account.orderIds.push(Packed.orderId(draft.tick, nonce));
        if (count > MAX_ORDERS) revert IInstrumentErrors.OrderFull();
        emit IInstrumentEvents.Place(draft.expiry, draft.trader, draft.tick, nonce, order);
    }

    /// The used slots of a batch come first; a broken batch counts as trivial.
    function _checkBatch(BatchArgs memory args) private pure returns (uint256 count) {
        uint256 sum;
        while (count < 9 && !args.isUnused(count)) {
            sum += args.ratios[count++];
        }
        for (uint256 i = count; i < 9; ++i) {
            if (!args.isUnused(i)) revert IInstrumentErrors.OrderTrivial();
        }
        if (count < 2 || sum != RATIO_BASE) revert IInstrumentErrors.OrderTrivial();
    }
}
