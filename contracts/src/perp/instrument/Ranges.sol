// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    MAX_EXPIRY_PERIOD,
    MAX_RANGES,
    MAX_TICK,
    MAX_TICK_DELTA,
    MIN_RANGE_MULTIPLIER,
    MIN_TICK,
    PERP_EXPIRY,
    SETTLING_DURATION,
    WAD
} from "../Constants.sol";
import {AddArgs, Packed, RemoveArgs} from "../Packed.sol";
import {Amm, PositionCache, Range, Status} from "../Types.sol";
import {IConfig} from "../interfaces/IConfig.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Tick} from "../maths/Tick.sol";
import {Accounts} from "./Accounts.sol";
import {Cast} from "./Cast.sol";
import {Funds} from "./Funds.sol";
import {IdList, IdLists} from "./IdLists.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Margins} from "./Margins.sol";
import {Pearls} from "./Pearls.sol";
import {Positions} from "./Positions.sol";
import {Prices} from "./Prices.sol";
import {RangeExit} from "./RangeExit.sol";
import {RangeMath} from "./RangeMath.sol";
import {Account, Context, State, Store} from "./Store.sol";

/// Concentrated liquidity: adding a range (which also opens a pair) and removing it. Linked: the Instrument delegates
/// to it. Source: perp-protocol 3.8, 3.9, 4.1; docs/decisions/perp-ranges.md.
library Ranges {
    using Accounts for Context;
    using Cast for uint256;
    using IdLists for IdList;

    /// Adds a range around the current price; the first one of a pair sets its price to the mark.
    function add(address trader, bytes32[2] calldata words)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range)
    {
        AddArgs memory args = Packed.add(words);
        Lifecycle.checkDeadline(args.deadline);
        State storage s = Store.load();
        Lifecycle.checkCondition(s);
        if (!IConfig(s.config).isAuthorizedLp(s.quote, trader)) revert IInstrumentErrors.AddTraderIneligible();
        uint256 margin = args.amount > 0 ? uint256(args.amount) : 0;
        Context storage c = s.contexts[args.expiry];
        if (c.amm.status == uint8(Status.DORMANT)) _openPair(s, c, args.expiry, margin);
        else _enterPair(s, c, args.expiry);
        if (c.amm.tick < args.limitLower || c.amm.tick > args.limitUpper) revert IInstrumentErrors.AddSlippage();

        (tickLower, tickUpper) = _edges(s, c.amm.tick, args);
        range = _quote(s, c, margin, tickLower, tickUpper);
        _store(c, trader, tickLower, tickUpper, range);
        _grow(c, tickLower, tickUpper, range);
        emit IInstrumentEvents.Add(args.expiry, trader, tickLower, tickUpper, range);
        Funds.scatter(s, c, args.expiry, trader, margin);
    }

    /// Removes the range in `words` and combines what it turns into with its owner's main position. Anybody may
    /// remove a range that the price has left, and earns the tip.
    function remove(address operator, bytes32[2] calldata words)
        external
        returns (PositionCache memory pic, uint256 fee, uint256 tip)
    {
        RemoveArgs memory args = Packed.remove(words);
        (State storage s, Context storage c, uint256 mark) = Lifecycle.enter(args.expiry, args.deadline);
        Range storage range = c.accounts[args.target].ranges[Packed.rangeId(args.tickLower, args.tickUpper)];
        if (range.liquidity == 0) revert IInstrumentErrors.RangeNotExist();
        bool asOwner = operator == args.target;
        _checkRemoval(c.amm, args, asOwner);
        if (!asOwner) tip = s.tip;
        (pic, fee) = RangeExit.take(c, args, operator, tip);
        Accounts.absorb(s, c, args.expiry, args.target, Positions.copy(pic), mark);
        Funds.gather(s, c, args.expiry, operator, tip);
    }

    // Opening a pair

    function _openPair(State storage s, Context storage c, uint32 expiry, uint256 margin) private {
        if (expiry != PERP_EXPIRY) _checkExpiry(expiry);
        uint256 least = MIN_RANGE_MULTIPLIER * s.minMarginAmount;
        if (margin < least) revert IInstrumentErrors.InitTrivial(margin, least);
        uint256 mark = Prices.mark(s, expiry, Status.TRADING);
        Amm storage amm = c.amm;
        amm.expiry = expiry;
        amm.timestamp = uint32(block.timestamp);
        amm.status = uint8(Status.TRADING);
        amm.sqrtPX96 = Tick.priceToSqrt(mark);
        amm.tick = Tick.fromSqrt(amm.sqrtPX96);
        s.expiries.push(expiry);
        emit IInstrumentEvents.UpdateAmmStatus(expiry, uint8(Status.TRADING), amm.sqrtPX96, mark);
    }

    /// Dated pairs end on a Friday at 08:00 UTC, at most thirteen weeks and at least the settling window ahead.
    function _checkExpiry(uint32 expiry) private view {
        // The epoch was a Thursday: the first Friday 08:00 is 32 hours in.
        if (expiry < 32 hours || (expiry - 32 hours) % 1 weeks != 0) revert IInstrumentErrors.ExpiryNotAligned();
        if (expiry <= block.timestamp + SETTLING_DURATION) revert IInstrumentErrors.ExpiryBelowSettlingDuration();
        if (expiry > block.timestamp + MAX_EXPIRY_PERIOD) revert IInstrumentErrors.ExpiryExceedMaxExpiryPeriod();
    }

    // Adding

    /// A live pair whose fair price lies near the mark. At a price that an oracle gap has left behind a range could be
    /// bought empty for more than its margin by whoever added it: the pair would owe the difference.
    function _enterPair(State storage s, Context storage c, uint32 expiry) private {
        uint256 mark = Lifecycle.touch(s, c, expiry);
        if (c.amm.status == uint8(Status.SETTLED)) revert IInstrumentErrors.BadAmmStatus();
        Prices.checkFair(c.amm.sqrtPX96, mark, Margins.imr(s));
    }

    function _edges(State storage s, int24 tick, AddArgs memory args)
        private
        view
        returns (int24 tickLower, int24 tickUpper)
    {
        uint24 deltaLower = args.deltaLower == 0 ? args.deltaUpper : args.deltaLower;
        uint24 least = uint24(Tick.fromPrice(WAD + Margins.imr(s)));
        if (
            deltaLower < least || args.deltaUpper < least || deltaLower > MAX_TICK_DELTA
                || args.deltaUpper > MAX_TICK_DELTA
        ) revert IInstrumentErrors.AddInvalidTickDelta();
        (tickLower, tickUpper) = RangeMath.edges(tick, deltaLower, args.deltaUpper);
        if (tickLower < MIN_TICK || tickUpper > MAX_TICK) revert IInstrumentErrors.TickOutOfBound();
    }

    function _quote(State storage s, Context storage c, uint256 margin, int24 tickLower, int24 tickUpper)
        private
        view
        returns (Range memory)
    {
        uint160 sqrtPX96 = c.amm.sqrtPX96;
        uint256 liquidity =
            RangeMath.liquidityOf(margin, sqrtPX96, Tick.toSqrt(tickLower), Tick.toSqrt(tickUpper), Margins.imr(s));
        uint256 least = RangeMath.minLiquidity(Margins.minRangeValue(s), sqrtPX96);
        if (liquidity < least) revert IInstrumentErrors.AddTrivial(liquidity, least);
        if (liquidity > type(uint128).max) revert IInstrumentErrors.AddLiquidityExceedMax();
        return Range(uint128(liquidity), c.amm.feeIndex, margin.toUint96(), sqrtPX96);
    }

    function _store(Context storage c, address trader, int24 tickLower, int24 tickUpper, Range memory range) private {
        Account storage account = c.accounts[trader];
        uint48 id = Packed.rangeId(tickLower, tickUpper);
        if (account.ranges[id].liquidity != 0) revert IInstrumentErrors.RangeOccupied();
        account.ranges[id] = range;
        if (account.rangeIds.push(id) > MAX_RANGES) revert IInstrumentErrors.RangeFull();
    }

    function _grow(Context storage c, int24 tickLower, int24 tickUpper, Range memory range) private {
        Amm storage amm = c.amm;
        uint128 liquidity = range.liquidity;
        Pearls.addLiquidity(c, tickLower, liquidity, int128(liquidity));
        Pearls.addLiquidity(c, tickUpper, liquidity, -int128(liquidity));
        amm.liquidity += liquidity;
        amm.totalLiquidity += liquidity;
        amm.openInterests = (amm.openInterests + RangeMath.entryBase(range, Tick.toSqrt(tickUpper))).toUint128();
    }

    // Removing

    function _checkRemoval(Amm storage amm, RemoveArgs memory args, bool asOwner) private view {
        if (amm.tick < args.limitLower || amm.tick > args.limitUpper) revert IInstrumentErrors.RemoveSlippage();
        if (!asOwner && RangeExit.isActive(amm, args)) revert IInstrumentErrors.RemoveActiveRange();
    }
}
