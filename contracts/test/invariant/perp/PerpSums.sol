// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpSlots} from "./PerpSlots.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Gate} from "src/perp/Gate.sol";
import {Packed} from "src/perp/Packed.sol";
import {Amm, Pearl, Portfolio, Position, Range, Record, Status} from "src/perp/Types.sol";
import {IInstrument} from "src/perp/interfaces/IInstrument.sol";
import {Curve} from "src/perp/maths/Curve.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

/// Everything that accounts hold of a pair, added up and held against what the pair says of itself.
abstract contract PerpSums is TestBase {
    /// Sums over everything accounts hold, built once per check.
    struct Sums {
        int256 value;
        uint256 longs;
        uint256 shorts;
        uint256 entryBase;
        uint256 virtualBase;
        uint256 liquidity;
        uint256 totalLiquidity;
        uint256 reserves;
    }

    IInstrument internal instrument;
    Gate internal gate;
    IERC20 internal usd;
    /// Open order sizes by tick and nonce of the current check.
    mapping(uint256 check => mapping(uint48 orderId => int256)) private openSizes;
    uint256 private checks;

    function _sumPair(Amm memory amm, address[10] memory everyone, uint48[] memory generations)
        internal
        returns (Sums memory sums)
    {
        ++checks;
        for (uint256 i; i < everyone.length; ++i) {
            _sumAccount(amm, everyone[i], sums);
        }
        _sumGenerations(amm, generations, sums);
    }

    /// Totals to the wei, and money within the dust of `operations`. A loss that nobody could bear yet counts as there.
    function _checkPair(Amm memory amm, Sums memory sums, uint256 operations) internal view {
        vm.assertEq(amm.totalLong, sums.longs, "totalLong");
        vm.assertEq(amm.totalShort, sums.shorts, "totalShort");
        vm.assertEq(amm.openInterests, sums.shorts + sums.entryBase, "open interest, short side");
        // Of a settled pair accounts leave one by one.
        if (amm.status != uint8(Status.SETTLED)) {
            vm.assertApproxEqAbs(amm.openInterests, sums.longs + sums.virtualBase, 4 * operations + 4, "long side");
        }
        vm.assertEq(amm.liquidity, sums.liquidity, "active liquidity");
        vm.assertEq(amm.totalLiquidity, sums.totalLiquidity, "all liquidity");
        int256 surplus = int256(uint256(amm.involvedFund)) - sums.value - int256(uint256(amm.protocolFee))
            - int256(uint256(amm.insuranceFund)) + int256(_shortfall(amm.expiry));
        int256 dust = int256(20_000 * (operations + 1));
        vm.assertGe(surplus, -dust, "the pair covers what it owes");
        vm.assertLe(surplus < 0 ? 0 : uint256(surplus), uint256(dust) * 1000, "and keeps no more than dust");
    }

    /// WAD; `Context.shortfall` has no reader.
    function _shortfall(uint32 expiry) private view returns (uint256) {
        bytes32 slot = bytes32(uint256(PerpSlots.ofPair(expiry)) + PerpSlots.SHORTFALL);
        return uint128(uint256(vm.load(address(instrument), slot)));
    }

    function _sumAccount(Amm memory amm, address trader, Sums memory sums) private {
        Portfolio memory p = instrument.getPortfolio(amm.expiry, trader);
        sums.reserves += gate.reserveOf(address(usd), trader) + gate.pendingOf(address(usd), trader).amount;
        _sumPosition(amm, p.position, sums);
        for (uint256 i; i < p.oids.length; ++i) {
            sums.value += int256(uint256(p.orders[i].balance));
            openSizes[checks][p.oids[i]] += p.orders[i].size;
        }
        for (uint256 i; i < p.rids.length; ++i) {
            _sumRange(amm, p.ranges[i], p.rids[i], sums);
        }
    }

    function _sumPosition(Amm memory amm, Position memory position, Sums memory sums) private pure {
        sums.value += int256(position.balance)
        + _pnl(amm, position.size, position.entryNotional, position.entryFundingIndex, position.entrySocialLossIndex);
        if (position.size > 0) sums.longs += uint256(int256(position.size));
        else sums.shorts += uint256(-int256(position.size));
    }

    function _sumRange(Amm memory amm, Range memory range, uint48 rid, Sums memory sums) private pure {
        sums.value += int256(uint256(range.balance))
        + int256(Wad.mulDown(amm.feeIndex - range.entryFeeIndex, range.liquidity));
        sums.totalLiquidity += range.liquidity;
        (int24 tickLower, int24 tickUpper) = (int24(uint24(rid >> 24)), int24(uint24(rid)));
        if (tickLower <= amm.tick && amm.tick < tickUpper) sums.liquidity += range.liquidity;
        (uint160 lower, uint160 upper) = (Tick.toSqrt(tickLower), Tick.toSqrt(tickUpper));
        uint160 price = amm.sqrtPX96 < lower ? lower : amm.sqrtPX96 > upper ? upper : amm.sqrtPX96;
        uint256 owedBase = Curve.baseUp(range.liquidity, range.sqrtEntryPX96, upper);
        uint256 heldBase = price == upper ? 0 : Curve.baseUp(range.liquidity, price, upper);
        uint256 heldQuote = price == lower ? 0 : Curve.quoteUp(range.liquidity, lower, price);
        uint256 owedQuote = Curve.quoteUp(range.liquidity, lower, range.sqrtEntryPX96);
        int256 worth = _price(amm);
        sums.value += Wad.mulInt(int256(heldBase) - int256(owedBase), worth) + int256(heldQuote) - int256(owedQuote);
        sums.entryBase += owedBase;
        sums.virtualBase += heldBase;
    }

    /// What was taken of each generation and not claimed, its rebates, and that open orders add up to it.
    function _sumGenerations(Amm memory amm, uint48[] memory ids, Sums memory sums) private view {
        (int24[] memory ticks, uint24[] memory nonces) = _split(ids);
        Pearl[] memory pearls = instrument.getPearls(amm.expiry, ticks);
        Record[] memory records = instrument.getRecords(amm.expiry, ticks, nonces);
        for (uint256 i; i < ids.length; ++i) {
            int256 open = openSizes[checks][ids[i]];
            Pearl memory pearl = pearls[i];
            if (nonces[i] == pearl.nonce + 1) {
                // It waits: `left` counts it together with the live one.
                open += openSizes[checks][Packed.orderId(ticks[i], pearl.nonce)];
                vm.assertEq(open, int256(pearl.left) + pearl.taken, "what waits is part of what is left");
            } else if (nonces[i] == pearl.nonce) {
                open += openSizes[checks][Packed.orderId(ticks[i], pearl.nonce + 1)];
                vm.assertEq(open, int256(pearl.left) + pearl.taken, "a live generation is what is left and taken");
                _sumTaken(
                    amm, ticks[i], pearl.taken, pearl.fee, pearl.entryFundingIndex, pearl.entrySocialLossIndex, sums
                );
            } else {
                Record memory record = records[i];
                vm.assertEq(open, int256(record.taken), "a recorded generation is what was taken");
                _sumTaken(
                    amm, ticks[i], record.taken, record.fee, record.entryFundingIndex, record.entrySocialLossIndex, sums
                );
            }
        }
    }

    function _split(uint48[] memory ids) internal pure returns (int24[] memory ticks, uint24[] memory nonces) {
        (ticks, nonces) = (new int24[](ids.length), new uint24[](ids.length));
        for (uint256 i; i < ids.length; ++i) {
            (ticks[i], nonces[i]) = Packed.orderOf(ids[i]);
        }
    }

    function _sumTaken(
        Amm memory amm,
        int24 tick,
        int256 taken,
        uint256 fee,
        int256 entryFunding,
        uint256 entryLoss,
        Sums memory sums
    ) private pure {
        sums.value += int256(fee);
        if (taken > 0) sums.longs += uint256(taken);
        else sums.shorts += uint256(-taken);
        uint256 notional = Wad.mul(Tick.toPrice(tick), uint256(taken < 0 ? -taken : taken));
        sums.value += _pnl(amm, taken, notional, entryFunding, entryLoss);
    }

    function _pnl(Amm memory amm, int256 size, uint256 notional, int256 entryFunding, uint256 entryLoss)
        private
        pure
        returns (int256)
    {
        if (size == 0) return 0;
        int256 gain = Wad.mulInt(size, _price(amm));
        uint256 loss = (size > 0 ? amm.longSocialLossIndex : amm.shortSocialLossIndex) - entryLoss;
        gain -= int256(Wad.mulUp(loss, uint256(size > 0 ? size : -size)));
        int256 index = size > 0 ? amm.longFundingIndex : amm.shortFundingIndex;
        int256 funding = Wad.mulInt(index - entryFunding, size > 0 ? size : -size);
        return gain - (size > 0 ? int256(notional) : -int256(notional)) + funding;
    }

    /// What a unit is worth: fair, or what it was settled at.
    function _price(Amm memory amm) private pure returns (int256) {
        if (amm.status == uint8(Status.SETTLED)) return int256(uint256(amm.settlementPrice));
        return int256(Tick.sqrtToPrice(amm.sqrtPX96));
    }
}
