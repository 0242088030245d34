// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PositionCache} from "../Types.sol";
import {IConfig} from "../interfaces/IConfig.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {IInstrumentErrors} from "../interfaces/IInstrumentErrors.sol";
import {IInstrumentRiskErrors, IInstrumentRiskEvents} from "../interfaces/IInstrumentRisk.sol";
import {Accounts} from "./Accounts.sol";
import {Execution} from "./Execution.sol";
import {Funds} from "./Funds.sol";
import {Lifecycle} from "./Lifecycle.sol";
import {Losses} from "./Losses.sol";
import {Margins} from "./Margins.sol";
import {Indices, Positions} from "./Positions.sol";
import {Context, State} from "./Store.sol";
import {Swap, SwapResult} from "./Swap.sol";

/// What becomes of an account below its maintenance margin: taken over, or closed against the pair. Its orders and
/// ranges, whose margin is their own, stay. Linked: the Instrument delegates to it.
/// Source: perp-protocol 3.12; docs/decisions/perp-liquidation.md.
library Liquidations {
    using Accounts for Context;
    using Positions for PositionCache;

    struct Call {
        uint32 expiry;
        address operator;
        address target;
        int256 size;
        uint256 mark;
    }

    /// See `IInstrumentRisk.liquidate`.
    function liquidate(address liquidator, uint32 expiry, address target, int256 size, uint256 amount) external {
        (State storage s, Context storage c, uint256 mark) = Lifecycle.enter(expiry, 0);
        if (!IConfig(s.config).isAuthorizedLiquidator(liquidator)) {
            revert IInstrumentRiskErrors.LiquidatorIneligible();
        }
        if (liquidator == target) revert IInstrumentRiskErrors.SelfLiquidation();
        Call memory call = Call(expiry, liquidator, target, size, mark);
        PositionCache memory part = _takePart(s, c, call, size);
        int256 equity = part.balance + part.pricePnl(mark);
        if (equity < 0) {
            Losses.cover(c, uint256(-equity), part.size > 0, mark);
            part.balance -= equity;
        }
        part.balance += int256(amount);
        emit IInstrumentRiskEvents.Liquidate(expiry, liquidator, amount, mark, target, size);
        uint256 payout = _takeOver(s, c, call, part);
        Funds.scatter(s, c, expiry, liquidator, amount);
        Funds.gather(s, c, expiry, liquidator, payout);
    }

    /// See `IInstrumentRisk.sweep`.
    function sweep(address operator, uint32 expiry, address target, int256 size) external {
        (State storage s, Context storage c, uint256 mark) = Lifecycle.enter(expiry, 0);
        Call memory call = Call(expiry, operator, target, size, mark);
        PositionCache memory part = _takePart(s, c, call, -size);
        SwapResult memory swap = Swap.walk(c, size);
        Execution.checkDeviation(s, c, expiry, swap, mark);
        Indices memory indices = Positions.indicesOf(c.amm);
        uint256 fee = Execution.apply_(s, c, expiry, size, swap, indices);
        part = c.merge(target, part, Positions.open(indices, -int256(fee), size, swap.entryNotional), indices);
        _emitSweep(s, call, swap);
        if (part.balance < 0) Losses.cover(c, uint256(-part.balance), size < 0, mark);
        else Losses.insure(c, uint256(part.balance));
    }

    /// Splits off `size`, in the sign of the position, of an account that may be liquidated; stores the rest.
    function _takePart(State storage s, Context storage c, Call memory call, int256 size)
        private
        returns (PositionCache memory part)
    {
        PositionCache memory main = c.load(call.target);
        if (main.size == 0) revert IInstrumentErrors.PositionNotExist();
        bool fits = main.size > 0 ? size > 0 && size <= main.size : size < 0 && size >= main.size;
        if (!fits) revert IInstrumentRiskErrors.BadTargetSize(main.size, call.size);
        int256 funding = main.realize(Positions.indicesOf(c.amm));
        if (main.isMmrSafe(call.mark, Margins.mmr(s))) revert IInstrumentRiskErrors.TargetSafe();
        if (funding != 0) emit IInstrumentEvents.FundingFee(call.target, funding);
        part = main.split(size);
        c.save(call.expiry, call.target, main);
    }

    /// Joins `part` to the liquidator's own position, which must then meet the initial margin.
    function _takeOver(State storage s, Context storage c, Call memory call, PositionCache memory part)
        private
        returns (uint256 payout)
    {
        PositionCache memory own = c.merge(call.operator, c.load(call.operator), part, Positions.indicesOf(c.amm));
        bool safe = own.size == 0 ? own.balance >= 0 : own.isImrSafe(call.mark, Margins.imr(s));
        if (!safe) revert IInstrumentRiskErrors.LiquidatePostImrUnsafe();
        return c.save(call.expiry, call.operator, own);
    }

    function _emitSweep(State storage s, Call memory call, SwapResult memory swap) private {
        emit IInstrumentRiskEvents.Sweep(
            call.expiry,
            call.target,
            call.size,
            Execution.takenSize(call.size, swap),
            swap.takenValue,
            swap.entryNotional,
            s.tradingFeeRatio,
            swap.sqrtPX96,
            call.mark,
            call.operator
        );
    }
}
