// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpHandler} from "./PerpHandler.sol";
import {PerpHandlerBase} from "./PerpHandlerBase.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PERP_EXPIRY} from "src/perp/Constants.sol";
import {Gate} from "src/perp/Gate.sol";
import {Packed} from "src/perp/Packed.sol";
import {Amm, Pearl, Portfolio, Position, Range, Record} from "src/perp/Types.sol";
import {IInstrument} from "src/perp/interfaces/IInstrument.sol";
import {Curve} from "src/perp/maths/Curve.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {TestBase} from "test/TestBase.sol";

/// All invariants of perp-protocol 7.3 that concern this pair, together, on one stateful campaign.
contract PerpInvariantTest is TestBase {
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

    uint32 private constant PERP = PERP_EXPIRY;
    uint256 private constant MOST_MORE = 100;

    PerpHandler private handler;
    IInstrument private instrument;
    Gate private gate;
    IERC20 private usd;
    /// Open order sizes by tick and nonce of the current check.
    mapping(uint256 check => mapping(uint48 orderId => int256)) private openSizes;
    uint256 private checks;

    function setUp() public {
        handler = new PerpHandler();
        handler.setUp();
        (instrument, gate, usd) = (handler.theInstrument(), handler.theGate(), handler.theQuote());
        bytes4[] memory selectors = new bytes4[](19);
        selectors[0] = handler.trade.selector;
        selectors[1] = handler.take.selector;
        selectors[2] = handler.adjust.selector;
        selectors[3] = handler.place.selector;
        selectors[4] = handler.batchPlace.selector;
        selectors[5] = handler.cancel.selector;
        selectors[6] = handler.fill.selector;
        selectors[7] = handler.add.selector;
        selectors[8] = handler.remove.selector;
        selectors[9] = handler.removeOther.selector;
        selectors[10] = handler.update.selector;
        selectors[11] = handler.deposit.selector;
        selectors[12] = handler.withdraw.selector;
        selectors[13] = handler.roundTrip.selector;
        selectors[14] = handler.addRemove.selector;
        selectors[15] = handler.take.selector;
        selectors[16] = handler.partlyTake.selector;
        selectors[17] = handler.partlyTake.selector;
        selectors[18] = handler.leaveRange.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    /// forge-config: default.invariant.check_interval = 100
    /// forge-config: whole.invariant.check_interval = 100
    /// forge-config: long.invariant.check_interval = 100
    /// forge-config: default.invariant.shrink_run_limit = 100
    /// forge-config: whole.invariant.shrink_run_limit = 100
    /// forge-config: long.invariant.shrink_run_limit = 100
    function invariant_perp() public {
        _checkAll();
    }

    function afterInvariant() public {
        _checkAll();
        // A shorter sequence is a failure being minimised or replayed.
        if (handler.calls() < 500) return;
        _goOn();
        _checkAll();
        _checkCounts();
    }

    /// What needs several things to meet is missing from one run in hundreds: then the run goes on until all has worked.
    function _goOn() private {
        for (uint256 i; i < MOST_MORE && _isMissing(); ++i) {
            uint256 seed = uint256(keccak256(abi.encode(i)));
            handler.place(seed, int256(seed >> 8), seed >> 16);
            handler.partlyTake(seed >> 24, seed >> 32, seed >> 40, seed >> 48);
            handler.cancel(seed >> 56, seed >> 64, uint8(seed >> 72));
            handler.leaveRange(seed >> 80, seed >> 88);
            handler.roundTrip(int256(seed >> 96), seed >> 104);
        }
    }

    function _isMissing() private view returns (bool) {
        for (uint8 i; i < 17; ++i) {
            if (handler.succeeded(PerpHandlerBase.Action(i)) == 0) return true;
        }
        return false;
    }

    /// Every action must have worked this often in every whole run, or the campaign proves little.
    function _checkCounts() private view {
        uint8[17] memory least = [10, 10, 3, 3, 3, 1, 1, 3, 4, 3, 1, 6, 8, 5, 1, 4, 1];
        for (uint8 i; i < 17; ++i) {
            vm.assertGe(handler.succeeded(PerpHandlerBase.Action(i)), least[i], vm.toString(i));
        }
    }

    function _checkAll() private {
        ++checks;
        vm.assertEq(handler.violation(), "");
        Amm memory amm = instrument.getAmm(PERP);
        Sums memory sums;
        address[10] memory everyone = handler.everyone();
        for (uint256 i; i < everyone.length; ++i) {
            _sumAccount(amm, everyone[i], sums);
        }
        _sumGenerations(amm, sums);
        _checkTicks(amm);

        uint256 held = gate.reserveOf(address(usd), address(instrument));
        vm.assertEq(held, amm.involvedFund, "involvedFund");
        vm.assertEq(amm.totalLong, sums.longs, "totalLong");
        vm.assertEq(amm.totalShort, sums.shorts, "totalShort");
        vm.assertEq(amm.openInterests, sums.shorts + sums.entryBase, "open interest, short side");
        uint256 operations = handler.operations();
        vm.assertApproxEqAbs(amm.openInterests, sums.longs + sums.virtualBase, 4 * operations + 4, "long side");
        vm.assertEq(amm.liquidity, sums.liquidity, "active liquidity");
        vm.assertEq(amm.totalLiquidity, sums.totalLiquidity, "all liquidity");
        vm.assertGe(usd.balanceOf(address(gate)), sums.reserves + held, "Gate covers its reserves");

        int256 surplus = int256(uint256(amm.involvedFund)) - sums.value - int256(uint256(amm.protocolFee))
            - int256(uint256(amm.insuranceFund));
        int256 dust = int256(20_000 * (operations + 1));
        vm.assertGe(surplus, -dust, "the pair covers what it owes");
        vm.assertLe(surplus < 0 ? 0 : uint256(surplus), uint256(dust) * 1000, "and keeps no more than dust");
    }

    function _sumAccount(Amm memory amm, address trader, Sums memory sums) private {
        Portfolio memory p = instrument.getPortfolio(PERP, trader);
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
        + _pnl(amm, position.size, position.entryNotional, position.entryFundingIndex);
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
        int256 fair = int256(Tick.sqrtToPrice(amm.sqrtPX96));
        sums.value += Wad.mulInt(int256(heldBase) - int256(owedBase), fair) + int256(heldQuote) - int256(owedQuote);
        sums.entryBase += owedBase;
        sums.virtualBase += heldBase;
    }

    /// What was taken of each generation and not claimed, its rebates, and that open orders add up to it.
    function _sumGenerations(Amm memory amm, Sums memory sums) private view {
        uint48[] memory ids = handler.allGenerations();
        (int24[] memory ticks, uint24[] memory nonces) = _split(ids);
        Pearl[] memory pearls = instrument.getPearls(PERP, ticks);
        Record[] memory records = instrument.getRecords(PERP, ticks, nonces);
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
                _sumTaken(amm, ticks[i], pearl.taken, pearl.fee, pearl.entryFundingIndex, sums);
            } else {
                Record memory record = records[i];
                vm.assertEq(open, int256(record.taken), "a recorded generation is what was taken");
                _sumTaken(amm, ticks[i], record.taken, record.fee, record.entryFundingIndex, sums);
            }
        }
    }

    function _split(uint48[] memory ids) private pure returns (int24[] memory ticks, uint24[] memory nonces) {
        (ticks, nonces) = (new int24[](ids.length), new uint24[](ids.length));
        for (uint256 i; i < ids.length; ++i) {
            (ticks[i], nonces[i]) = Packed.orderOf(ids[i]);
        }
    }

    function _sumTaken(Amm memory amm, int24 tick, int256 taken, uint256 fee, int256 entryFunding, Sums memory sums)
        private
        pure
    {
        sums.value += int256(fee);
        if (taken > 0) sums.longs += uint256(taken);
        else sums.shorts += uint256(-taken);
        uint256 notional = Wad.mul(Tick.toPrice(tick), uint256(taken < 0 ? -taken : taken));
        sums.value += _pnl(amm, taken, notional, entryFunding);
    }

    function _pnl(Amm memory amm, int256 size, uint256 notional, int256 entryFunding) private pure returns (int256) {
        if (size == 0) return 0;
        int256 gain = Wad.mulInt(size, int256(Tick.sqrtToPrice(amm.sqrtPX96)));
        int256 index = size > 0 ? amm.longFundingIndex : amm.shortFundingIndex;
        int256 funding = Wad.mulInt(index - entryFunding, size > 0 ? size : -size);
        return gain - (size > 0 ? int256(notional) : -int256(notional)) + funding;
    }

    /// Bits say where liquidity or orders are; orders rest on their own side; liquidity cancels out.
    function _checkTicks(Amm memory amm) private view {
        int24[] memory ticks = handler.initialisedTicks();
        Pearl[] memory pearls = instrument.getPearls(PERP, ticks);
        int256 net;
        for (uint256 i; i < ticks.length; ++i) {
            vm.assertTrue(pearls[i].liquidityGross != 0 || pearls[i].left != 0, "a set bit means something");
            vm.assertTrue(ticks[i] >= amm.tick || pearls[i].left >= 0, "below the price only buys");
            vm.assertTrue(ticks[i] <= amm.tick || pearls[i].left <= 0, "above the price only sells");
            net += pearls[i].liquidityNet;
        }
        vm.assertEq(net, int256(0), "liquidity starts as often as it ends");
        (ticks,) = _split(handler.allGenerations());
        pearls = instrument.getPearls(PERP, ticks);
        int16[] memory words = new int16[](ticks.length);
        for (uint256 i; i < ticks.length; ++i) {
            words[i] = int16(ticks[i] >> 8);
        }
        uint256[] memory bitmaps = instrument.getTickBitmaps(PERP, words);
        for (uint256 i; i < ticks.length; ++i) {
            bool used = pearls[i].left != 0 || pearls[i].liquidityGross != 0;
            bool isSet = bitmaps[i] >> uint8(uint24(ticks[i])) & 1 == 1;
            vm.assertEq(used, isSet, "a clear bit means nothing");
        }
    }
}
