// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Packed} from "src/perp/Packed.sol";
import {Record} from "src/perp/Types.sol";
import {Claim, Pearls} from "src/perp/instrument/Pearls.sol";
import {Indices} from "src/perp/instrument/Positions.sol";
import {Context, RestingOrder, StoredPearl} from "src/perp/instrument/Store.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {TestBase} from "test/TestBase.sol";

/// One tick under random makers and takers, against a ledger that counts each generation on its own.
contract PearlsTest is TestBase {
    struct Generation {
        uint256 left;
        uint256 taken;
        uint256 claimed;
        uint256 fee;
        uint256 paid;
    }

    int24 private constant TICK = -77;
    uint256 private constant REBATE = 0.003e18;

    Context private c;
    RestingOrder[] private open;
    mapping(uint24 nonce => Generation) private generations;
    uint24 private live;
    int96 private sign;

    // What the fuzzer drives

    /// Nobody claims what was taken before its order was there, nobody claims twice, and in the end nothing is left.
    function testFuzzMakersGetExactlyWhatWasTakenFromThem(uint256[40] calldata seeds, bool buys) public {
        sign = buys ? int96(1) : int96(-1);
        for (uint256 i; i < seeds.length; ++i) {
            uint256 kind = seeds[i] % 8;
            if (kind < 3) _rest(seeds[i]);
            else if (kind < 6) _take(seeds[i]);
            else if (open.length != 0 && kind == 6) _withdraw((seeds[i] >> 8) % open.length);
            else if (open.length != 0) _claim((seeds[i] >> 8) % open.length);
            _check();
        }
        while (open.length != 0) {
            _withdraw(open.length - 1);
        }
        _check();
        for (uint24 nonce; nonce <= live; ++nonce) {
            vm.assertEq(generations[nonce].claimed, generations[nonce].taken, "all that was taken is claimed");
            vm.assertEq(generations[nonce].paid, generations[nonce].fee, "with all of its rebates");
        }
        vm.assertFalse(_isSet(), "the tick is empty");
    }

    /// Orders of one generation may leave or claim in any order: their sizes decide, not how their indices came about.
    function testFuzzIndicesAreAverages(uint96[2] memory sizes, int64[2] memory funding, uint64[2] memory losses)
        public
    {
        sign = -1;
        for (uint256 i; i < 2; ++i) {
            sizes[i] = uint96(bound(uint256(sizes[i]), 1, 1e28));
        }
        Pearls.rest(c, TICK, -int96(sizes[0] + sizes[1]));
        for (uint256 i; i < 2; ++i) {
            Pearls.take(c, TICK, -int256(uint256(sizes[i])), 0, REBATE, Indices(0, losses[i], 0, funding[i]));
        }
        Record memory record = c.records[Packed.orderId(TICK, 0)];
        (int256 low, int256 high) = funding[0] < funding[1] ? (funding[0], funding[1]) : (funding[1], funding[0]);
        vm.assertTrue(record.entryFundingIndex >= low && record.entryFundingIndex <= high, "between both");
        int256 sum = int256(funding[0]) * int256(uint256(sizes[0])) + int256(funding[1]) * int256(uint256(sizes[1]));
        vm.assertEq(int256(record.entryFundingIndex), sum / int256(uint256(sizes[0]) + sizes[1]), "by size");
        uint256 lossSum = uint256(losses[0]) * sizes[0] + uint256(losses[1]) * sizes[1];
        vm.assertEq(uint256(record.entrySocialLossIndex), lossSum / (uint256(sizes[0]) + sizes[1]), "losses too");
    }

    /// Liquidity and orders share a bit: whatever comes and goes, it is set while either is there.
    function testFuzzLiquidityAndOrdersShareTheBit(uint8[16] calldata steps) public {
        sign = 1;
        uint128 gross;
        for (uint256 i; i < steps.length; ++i) {
            uint128 liquidity = uint128(steps[i]) + 1;
            if (steps[i] % 4 == 0) {
                Pearls.addLiquidity(c, TICK, liquidity, int128(liquidity));
                gross += liquidity;
            } else if (steps[i] % 4 == 1 && gross >= liquidity) {
                Pearls.removeLiquidity(c, TICK, liquidity, int128(liquidity));
                gross -= liquidity;
            } else if (steps[i] % 4 == 2) {
                _rest(steps[i]);
            } else if (open.length != 0) {
                _withdraw(open.length - 1);
            }
            vm.assertEq(uint256(c.pearls[TICK].liquidityGross), gross);
            vm.assertEq(int256(c.pearls[TICK].liquidityNet), int256(uint256(gross)));
            vm.assertEq(_isSet(), gross != 0 || open.length != 0);
        }
    }

    // Generations end

    /// The numbers of generations do not start again: a claim of old would meet other makers' orders under its number.
    function testLastGenerationIsGivenToNobody() public {
        sign = -1;
        uint24 first = Pearls.rest(c, TICK, -5);
        _takeAll(5);
        vm.assertEq(uint256(first), 0);
        RestingOrder memory old = RestingOrder(0, -5, first);

        c.pearls[TICK].nonce = type(uint24).max - 1;
        vm.assertEq(uint256(Pearls.rest(c, TICK, -7)), type(uint24).max - 1);
        _takeAll(3);
        vm.expectRevert(IInstrumentErrors.ReuseNonEmptyRecord.selector);
        this.rest(-1);
        _takeAll(4);
        vm.assertEq(uint256(c.pearls[TICK].nonce), type(uint24).max);
        vm.expectRevert(IInstrumentErrors.ReuseNonEmptyRecord.selector);
        this.rest(-1);
        vm.assertEq(Pearls.takenOf(c, TICK, old), int256(-5));
        (int256 filled,) = Pearls.withdraw(c, TICK, old);
        vm.assertEq(filled, int256(-5), "the oldest is still claimed from its own record");
        (filled,) = Pearls.withdraw(c, TICK, RestingOrder(0, -7, type(uint24).max - 1));
        vm.assertEq(filled, int256(-7));
    }

    /// A generation whose taken part is claimed and whose rest is cancelled leaves no record behind.
    function testGenerationWithNothingToClaimLeavesNoRecord() public {
        sign = -1;
        RestingOrder memory order = RestingOrder(0, -10, Pearls.rest(c, TICK, -10));
        _takeAll(4);
        RestingOrder memory late = RestingOrder(0, -6, Pearls.rest(c, TICK, -6));
        vm.assertEq(uint256(late.nonce), 1);
        (int256 filled,) = Pearls.withdraw(c, TICK, order);
        vm.assertEq(filled, int256(-4));
        vm.assertEq(int256(c.records[Packed.orderId(TICK, 0)].taken), 0);
        vm.assertEq(uint256(c.pearls[TICK].nonce), 1, "the one that waited is live");
        vm.assertEq(int256(Pearls.waitingOf(c.pearls[TICK])), 0);
        (filled,) = Pearls.withdraw(c, TICK, late);
        vm.assertEq(filled, int256(0));
        vm.assertFalse(_isSet());
    }

    /// Nobody overtakes those who wait, also not where nothing is unclaimed any more.
    function testNobodyOvertakesWhatWaits() public {
        sign = 1;
        RestingOrder memory first = RestingOrder(0, 4, Pearls.rest(c, TICK, 4));
        Pearls.rest(c, TICK, 6);
        _takeAll(4);
        vm.assertEq(uint256(Pearls.rest(c, TICK, 5)), 1);
        Pearls.claimAll(c, TICK, first);
        vm.assertEq(int256(c.pearls[TICK].taken), 0);
        vm.assertEq(uint256(Pearls.rest(c, TICK, 3)), 1, "behind the one that waits");
        _takeAll(6);
        vm.assertEq(int256(c.pearls[TICK].left), 8);
        vm.assertEq(uint256(c.pearls[TICK].nonce), 1);
    }

    function testSumsBeyondTheFieldAreRefused() public {
        sign = 1;
        Pearls.rest(c, TICK, type(int96).max);
        vm.expectRevert(IInstrumentErrors.AddOverflow.selector);
        this.rest(1);
        Pearls.take(c, TICK, 1, 0, REBATE, Indices(0, 0, 0, 0));
        vm.assertEq(uint256(this.rest(1)), 1, "what was taken makes room");
        vm.expectRevert(IInstrumentErrors.AddOverflow.selector);
        this.rest(1);
    }

    function rest(int96 size) external returns (uint24) {
        return Pearls.rest(c, TICK, size);
    }

    function claimAll(RestingOrder memory order) external returns (Claim memory) {
        return Pearls.claimAll(c, TICK, order);
    }

    function _takeAll(int256 size) private {
        Pearls.take(c, TICK, sign * size, 1e18, REBATE, Indices(0, 0, 0, 0));
    }

    // Actions, each with what the ledger says of it

    function _rest(uint256 seed) private {
        int96 size = int96(int256(bound(seed >> 8, 1, 1e24)));
        uint24 nonce = Pearls.rest(c, TICK, sign * size);
        vm.assertEq(generations[nonce].taken, generations[nonce].claimed, "what was taken before is claimed before");
        generations[nonce].left += uint256(int256(size));
        open.push(RestingOrder(0, sign * size, nonce));
    }

    /// Up to all of the live generation and of the one behind it, one take each, as a taker's walk does it.
    function _take(uint256 seed) private {
        uint256 remaining = bound(seed >> 8, 1, 2e24);
        for (uint24 k; k < 2; ++k) {
            Generation storage generation = generations[live];
            uint256 size = remaining < generation.left ? remaining : generation.left;
            if (size == 0) return;
            remaining -= size;
            uint256 value = size * 3000 + seed % 1e6;
            uint256 fee = Pearls.take(c, TICK, sign * int256(size), value, REBATE, Indices(0, 0, 0, 0));
            generation.left -= size;
            generation.taken += size;
            generation.fee += fee;
            vm.assertEq(fee, value * REBATE / 1e18);
            if (generation.left == 0) ++live;
        }
    }

    function _withdraw(uint256 i) private {
        RestingOrder memory order = open[i];
        Generation storage generation = generations[order.nonce];
        uint256 size = uint256(int256(sign * order.size));
        uint256 kept = order.nonce < live ? 0 : size < generation.left ? size : generation.left;
        int256 foretold = Pearls.takenOf(c, TICK, order);
        (int256 filled, Claim memory claim) = Pearls.withdraw(c, TICK, order);
        vm.assertEq(filled, sign * int256(size - kept), "the rest of its generation covers it first");
        vm.assertEq(filled, foretold, "as the reader foretells");
        generation.left -= kept;
        _count(generation, size - kept, claim.fee);
        _forget(i);
        bool ends = order.nonce == live && generation.left == 0;
        if (ends && (generation.taken != generation.claimed || generations[live + 1].left != 0)) ++live;
    }

    function _claim(uint256 i) private {
        RestingOrder memory order = open[i];
        Generation storage generation = generations[order.nonce];
        uint256 size = uint256(int256(sign * order.size));
        uint256 unclaimed = order.nonce > live ? 0 : generation.taken - generation.claimed;
        if (order.nonce >= live && unclaimed < size) {
            vm.expectRevert(
                abi.encodeWithSelector(
                    IInstrumentErrors.OrderNotFullyTaken.selector, int256(order.size), sign * int256(unclaimed)
                )
            );
            this.claimAll(order);
            return;
        }
        _count(generation, size, Pearls.claimAll(c, TICK, order).fee);
        _forget(i);
    }

    function _count(Generation storage generation, uint256 size, uint256 fee) private {
        (uint256 unclaimed, uint256 unpaid) = (generation.taken - generation.claimed, generation.fee - generation.paid);
        vm.assertEq(fee, size == 0 ? 0 : unpaid * size / unclaimed, "its share, cut");
        generation.claimed += size;
        generation.paid += fee;
        vm.assertLe(generation.claimed, generation.taken, "no more than was taken");
        vm.assertLe(generation.paid, generation.fee, "no more than was earned");
    }

    function _forget(uint256 i) private {
        open[i] = open[open.length - 1];
        open.pop();
    }

    function _isSet() private view returns (bool) {
        return c.bitmap[int16(TICK >> 8)] >> uint8(uint24(TICK)) & 1 == 1;
    }

    function _check() private view {
        StoredPearl storage pearl = c.pearls[TICK];
        uint256 waiting = generations[live + 1].left;
        Generation storage generation = generations[live];
        vm.assertEq(uint256(pearl.nonce), live, "nonce");
        vm.assertEq(int256(pearl.left), sign * int256(generation.left + waiting), "left");
        vm.assertEq(int256(Pearls.waitingOf(pearl)), sign * int256(waiting), "waiting");
        vm.assertEq(int256(pearl.taken), sign * int256(generation.taken - generation.claimed), "taken");
        vm.assertEq(uint256(pearl.fee), generation.fee - generation.paid, "fee");
        for (uint24 nonce; nonce < live; ++nonce) {
            Record storage record = c.records[Packed.orderId(TICK, nonce)];
            generation = generations[nonce];
            vm.assertEq(int256(record.taken), sign * int256(generation.taken - generation.claimed), "recorded");
            vm.assertEq(uint256(record.fee), generation.fee - generation.paid, "recorded fee");
        }
        vm.assertEq(_isSet(), pearl.left != 0 || pearl.liquidityGross != 0, "bit");
    }
}
