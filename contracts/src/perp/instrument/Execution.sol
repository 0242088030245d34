// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Amm} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {Tick} from "../maths/Tick.sol";
import {Wad} from "../maths/Wad.sol";
import {Cast} from "./Cast.sol";
import {Margins} from "./Margins.sol";
import {Pearls} from "./Pearls.sol";
import {Indices} from "./Positions.sol";
import {Prices} from "./Prices.sol";
import {Context, State} from "./Store.sol";
import {SwapResult} from "./Swap.sol";

/// A walk made real: the orders it took, fees, price and totals. Trades and forced closes share it.
/// Source: perp-protocol 3.3, 3.5, 3.9, 4.1.
library Execution {
    using Cast for int256;
    using Cast for uint256;

    /// A walk may not carry the fair price too far from the benchmark.
    function checkDeviation(State storage s, Context storage c, uint32 expiry, SwapResult memory swap, uint256 mark)
        internal
        view
    {
        Prices.checkDeviation(
            Tick.sqrtToPrice(c.amm.sqrtPX96),
            Tick.sqrtToPrice(swap.sqrtPX96),
            Prices.benchmark(s, expiry, mark),
            Margins.mmr(s)
        );
    }

    /// Writes what the walk found. Splits the taker's fee, which is returned: makers by what they gave, ranges by
    /// liquidity, the protocol the rest.
    function apply_(
        State storage s,
        Context storage c,
        uint32 expiry,
        int256 size,
        SwapResult memory swap,
        Indices memory indices
    ) internal returns (uint256 fee) {
        fee = Margins.takerFee(s, swap.entryNotional);
        uint256 rest = fee - _payMakers(s, c, swap, indices);
        Amm storage amm = c.amm;
        uint256 totalLiquidity = amm.totalLiquidity;
        if (totalLiquidity != 0) {
            uint256 rangeFee = Wad.mulDown(swap.entryNotional - swap.takenValue, Wad.fromRatio(s.tradingFeeRatio));
            amm.feeIndex = (amm.feeIndex + Wad.divDown(rangeFee, totalLiquidity)).toUint128();
            rest -= rangeFee;
        }
        amm.protocolFee = (amm.protocolFee + rest).toUint128();
        (amm.sqrtPX96, amm.tick) = (swap.sqrtPX96, swap.tick);
        if (amm.liquidity != swap.liquidity) amm.liquidity = swap.liquidity;
        emit IInstrumentEvents.UpdateFeeState(expiry, amm.feeIndex, amm.protocolFee);
        _growTotals(amm, size, swap.takenSize);
    }

    /// The makers' side of what was taken.
    function takenSize(int256 size, SwapResult memory swap) internal pure returns (int256) {
        return size > 0 ? -int256(swap.takenSize) : int256(swap.takenSize);
    }

    function _payMakers(State storage s, Context storage c, SwapResult memory swap, Indices memory indices)
        private
        returns (uint256 paid)
    {
        uint256 ratio = s.disableOrderRebate ? 0 : Wad.fromRatio(s.tradingFeeRatio);
        for (uint256 i; i < swap.takes; ++i) {
            paid += Pearls.take(c, swap.taken[i].tick, swap.taken[i].size, swap.taken[i].value, ratio, indices);
        }
    }

    function _growTotals(Amm storage amm, int256 size, uint256 taken) private {
        (uint256 long, uint256 short) = size > 0 ? (size.abs(), taken) : (taken, size.abs());
        amm.totalLong = (amm.totalLong + long).toUint128();
        amm.totalShort = (amm.totalShort + short).toUint128();
        amm.openInterests = (amm.openInterests + short).toUint128();
    }
}
