// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Packed, RemoveArgs} from "../Packed.sol";
import {Amm, PositionCache, Range} from "../Types.sol";
import {IInstrumentEvents} from "../interfaces/IInstrument.sol";
import {Tick} from "../maths/Tick.sol";
import {Cast} from "./Cast.sol";
import {IdList, IdLists} from "./IdLists.sol";
import {Pearls} from "./Pearls.sol";
import {Positions} from "./Positions.sol";
import {RangeMath} from "./RangeMath.sol";
import {Account, Context} from "./Store.sol";

/// How a range ends: removed by its owner, by anybody or by settlement. Source: perp-protocol 3.8, 3.9.
library RangeExit {
    using Cast for int256;
    using Cast for uint256;
    using IdLists for IdList;

    /// Takes the range out of the curve and its account, and logs it. Returns the position it turns into, the tip already
    /// taken from its balance, and the fee it had earned.
    function take(Context storage c, RemoveArgs memory args, address operator, uint256 tip)
        internal
        returns (PositionCache memory pic, uint256 fee)
    {
        Range memory range = c.accounts[args.target].ranges[Packed.rangeId(args.tickLower, args.tickUpper)];
        fee = RangeMath.feeOf(range, c.amm.feeIndex);
        pic = RangeMath.toPosition(c.amm, range, args.tickLower, args.tickUpper, Positions.indicesOf(c.amm));
        pic.balance -= int256(tip);
        _forget(c, args);
        _shrink(c, args, range, pic.size);
        _log(args, fee, pic, operator, tip);
    }

    function isActive(Amm storage amm, RemoveArgs memory args) internal view returns (bool) {
        return args.tickLower <= amm.tick && amm.tick < args.tickUpper;
    }

    function _log(RemoveArgs memory args, uint256 fee, PositionCache memory pic, address operator, uint256 tip)
        private
    {
        emit IInstrumentEvents.Remove(args.expiry, args.target, args.tickLower, args.tickUpper, fee, pic, operator, tip);
    }

    function _forget(Context storage c, RemoveArgs memory args) private {
        Account storage account = c.accounts[args.target];
        uint48 id = Packed.rangeId(args.tickLower, args.tickUpper);
        delete account.ranges[id];
        account.rangeIds.remove(id);
    }

    function _shrink(Context storage c, RemoveArgs memory args, Range memory range, int256 size) private {
        Amm storage amm = c.amm;
        uint128 liquidity = range.liquidity;
        Pearls.removeLiquidity(c, args.tickLower, liquidity, int128(liquidity));
        Pearls.removeLiquidity(c, args.tickUpper, liquidity, -int128(liquidity));
        if (isActive(amm, args)) amm.liquidity -= liquidity;
        amm.totalLiquidity -= liquidity;

        uint256 base = RangeMath.entryBase(range, Tick.toSqrt(args.tickUpper));
        if (size < 0) base -= size.abs();
        amm.openInterests -= base.toUint128();
        if (size > 0) amm.totalLong = (amm.totalLong + size.abs()).toUint128();
        else amm.totalShort = (amm.totalShort + size.abs()).toUint128();
    }
}
