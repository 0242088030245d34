// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MAX_TICK, MIN_TICK} from "../Constants.sol";
import {Packed, TradeArgs} from "../Packed.sol";
import {PositionCache} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Accounts} from "./Accounts.sol";
import {Cast} from "./Cast.sol";
import {Execution} from "./Execution.sol";
import {Funds} from "./Funds.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Margins} from "./Margins.sol";
import {Indices, Positions} from "./Positions.sol";
import {Context, State} from "./Store.sol";
import {Swap, SwapResult} from "./Swap.sol";

/// Trading against the curve and the resting orders, and moving margin in and out of a position. Linked: the
/// Instrument delegates to it. Source: perp-protocol 3.5, 3.7, 3.9.
library Trades {
    using Accounts for Context;
    using Cast for int256;
    using Positions for PositionCache;

    /// Trades `size` for the trader, or with size 0 adjusts the margin; `words` as perp-protocol 1.2 packs them.
    /// Returns the position after it.
    function trade(address trader, bytes32[2] calldata words) external returns (PositionCache memory) {
        TradeArgs memory args = Packed.trade(words);
        (State storage s, Context storage c, uint256 mark) = Lifecycle.enter(args.expiry, args.deadline);
        return args.size == 0 ? _adjust(s, c, trader, args, mark) : _trade(s, c, trader, args, mark);
    }

    function _adjust(State storage s, Context storage c, address trader, TradeArgs memory args, uint256 mark)
        private
        returns (PositionCache memory main)
    {
        main = c.load(trader);
        if (main.size == 0) revert IInstrumentErrors.PositionNotExist();
        int256 funding = main.realize(Positions.indicesOf(c.amm));
        if (funding != 0) emit IInstrumentEvents.FundingFee(trader, funding);
        if (args.amount > 0) main.balance += args.amount;
        else _release(s, c, main, uint256(-args.amount), mark);
        emit IInstrumentEvents.Adjust(args.expiry, trader, args.amount);
        c.save(args.expiry, trader, main);
        _moveFunds(s, c, trader, args);
    }

    function _trade(State storage s, Context storage c, address trader, TradeArgs memory args, uint256 mark)
        private
        returns (PositionCache memory main)
    {
        SwapResult memory swap = Swap.walk(c, args.size);
        _checkSlippage(args, swap.entryNotional);
        Execution.checkDeviation(s, c, args.expiry, swap, mark);
        main = c.load(trader);
        int256 sizeBefore = main.size;
        if (sizeBefore == 0 && swap.entryNotional < Margins.minTradeValue(s)) revert IInstrumentErrors.TradeTrivial();

        Indices memory indices = Positions.indicesOf(c.amm);
        uint256 fee = Execution.apply_(s, c, args.expiry, args.size, swap, indices);
        int256 margin = args.amount > 0 ? args.amount : int256(0);
        main = c.merge(
            trader, main, Positions.open(indices, margin - int256(fee), args.size, swap.entryNotional), indices
        );
        if (args.amount < 0) {
            _release(s, c, main, uint256(-args.amount), mark);
            emit IInstrumentEvents.Adjust(args.expiry, trader, args.amount);
        }
        _checkMargin(s, main, sizeBefore, mark);
        _emitTrade(s, trader, args, swap, mark);
        uint256 payout = c.save(args.expiry, trader, main);
        if (main.size == 0) main.balance = 0;
        _moveFunds(s, c, trader, args);
        Funds.gather(s, c, args.expiry, trader, payout);
    }

    /// The limit is on the average price: a long may not cost more, a short not bring less, than the size is worth at
    /// the limit tick, to nearest. A limit beyond the curve's ends stands for the end.
    function _checkSlippage(TradeArgs memory args, uint256 entryNotional) private pure {
        int24 limit = args.tick < MIN_TICK ? MIN_TICK : args.tick > MAX_TICK ? MAX_TICK : args.tick;
        uint256 worst = Wad.mul(Tick.toPrice(limit), args.size.abs());
        if (args.size > 0 ? entryNotional > worst : entryNotional < worst) revert IInstrumentErrors.TradeSlippage();
    }

    /// Takes margin out of a realised position.
    function _release(State storage s, Context storage c, PositionCache memory main, uint256 amount, uint256 mark)
        private
        view
    {
        if (amount == 0) return;
        uint256 imr = Margins.imr(s);
        if (Wad.deviation(Tick.sqrtToPrice(c.amm.sqrtPX96), mark) > imr) {
            revert IInstrumentErrors.ForbidNegativeAdjust();
        }
        if (main.size == 0 || amount > main.maxWithdrawable(mark, imr)) revert IInstrumentErrors.TradeImrUnsafe();
        main.balance -= int256(amount);
    }

    /// A position that grew must meet the initial margin without its profit, one that shrank the maintenance margin.
    function _checkMargin(State storage s, PositionCache memory main, int256 sizeBefore, uint256 mark) private view {
        if (main.size == 0) return;
        if (main.size.abs() > sizeBefore.abs()) {
            if (!main.isImrSafe(mark, Margins.imr(s))) revert IInstrumentErrors.TradeImrUnsafe();
        } else if (!main.isMmrSafe(mark, Margins.mmr(s))) {
            revert IInstrumentErrors.TradeMmrUnsafe();
        }
    }

    function _emitTrade(State storage s, address trader, TradeArgs memory args, SwapResult memory swap, uint256 mark)
        private
    {
        emit IInstrumentEvents.Trade(
            args.expiry,
            trader,
            args.size,
            args.amount > 0 ? uint256(args.amount) : 0,
            Execution.takenSize(args.size, swap),
            swap.takenValue,
            swap.entryNotional,
            s.tradingFeeRatio,
            swap.sqrtPX96,
            mark
        );
    }

    function _moveFunds(State storage s, Context storage c, address trader, TradeArgs memory args) private {
        if (args.amount > 0) Funds.scatter(s, c, args.expiry, trader, uint256(args.amount));
        else if (args.amount < 0) Funds.gather(s, c, args.expiry, trader, uint256(-args.amount));
    }
}
