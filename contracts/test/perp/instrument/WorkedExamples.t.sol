// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PositionCache} from "src/perp/Types.sol";
import {Losses} from "src/perp/instrument/Losses.sol";
import {Indices, Positions} from "src/perp/instrument/Positions.sol";
import {Context, Store} from "src/perp/instrument/Store.sol";
import {IInstrumentRiskErrors} from "src/perp/interfaces/IInstrumentRisk.sol";
import {TestBase} from "test/TestBase.sol";

/// The numbers of docs/perp-protocol.md, sections Liquidation, Losses and Settlement; and what `Losses` does at its edges.
contract WorkedExamplesTest is TestBase {
    using Positions for PositionCache;

    uint32 private constant PERP = type(uint32).max;

    function _pair() private view returns (Context storage) {
        return Store.load().contexts[PERP];
    }

    function _long(int256 balance, int256 size, uint256 notional) private pure returns (PositionCache memory) {
        Indices memory none;
        return Positions.open(none, balance, size, notional);
    }

    function testTakeOver() public pure {
        PositionCache memory alice = _long(3000e18, 10e18, 30_000e18);
        vm.assertEq(alice.pricePnl(2820e18), -1800e18);
        vm.assertFalse(alice.isMmrSafe(2820e18, 0.05e18));
        PositionCache memory bob = alice.split(10e18);
        bob.balance += 2000e18;
        vm.assertEq(bob.balance + bob.pricePnl(2820e18), 3200e18);
        vm.assertTrue(bob.isImrSafe(2820e18, 0.1e18));
        vm.assertEq(alice.size, 0);
        vm.assertEq(alice.balance, 0);
    }

    function testPart() public pure {
        PositionCache memory alice = _long(3000e18, 10e18, 30_000e18);
        PositionCache memory bob = alice.split(4e18);
        vm.assertEq(bob.balance, 1200e18);
        vm.assertEq(bob.entryNotional, 12_000e18);
        vm.assertEq(alice.balance, 1800e18);
        vm.assertEq(alice.entryNotional, 18_000e18);
        vm.assertEq(alice.balance + alice.pricePnl(2820e18), 720e18);
        vm.assertFalse(alice.isMmrSafe(2820e18, 0.05e18));
    }

    function testForcedClose() public pure {
        Indices memory none;
        PositionCache memory alice = _long(3000e18, 10e18, 30_000e18);
        PositionCache memory swap = Positions.open(none, -112.2e18, -10e18, 28_050e18);
        (PositionCache memory left,,) = alice.combine(swap, none);
        vm.assertEq(left.size, 0);
        vm.assertEq(left.balance, 937.8e18);
    }

    function testSocialLoss() public {
        Context storage c = _pair();
        (c.amm.totalShort, c.amm.insuranceFund) = (20e18, 400e18);
        PositionCache memory carol = _long(0, -15e18, 45_000e18);
        Losses.cover(c, 1000e18, true, 2600e18);
        vm.assertEq(uint256(c.amm.insuranceFund), 0);
        vm.assertEq(uint256(c.amm.shortSocialLossIndex), 30e18);
        vm.assertEq(carol.pricePnl(2600e18), 6000e18);
        carol.realize(Positions.indicesOf(c.amm));
        vm.assertEq(carol.balance, -450e18);
    }

    function testSettlement() public pure {
        PositionCache memory alice = _long(4940e18 + 500e18, 5e18, 15_060e18);
        vm.assertEq(alice.balance + alice.pricePnl(3100e18), 5880e18);
    }

    // Edges of Losses

    function cover(uint256 deficit, bool long, uint256 mark) external {
        Losses.cover(_pair(), deficit, long, mark);
    }

    function absorb(uint256 deficit, bool long, uint256 mark) external {
        Losses.absorb(_pair(), deficit, long, mark);
    }

    /// What is collected is at least what was lost, and too much by less than a wei a unit and holder.
    function testFuzzCollectsWhatWasLost(uint256 lossSeed, uint256 sizeA, uint256 sizeB) public {
        Context storage c = _pair();
        (uint256 a, uint256 b) = (bound(sizeA, 1, 1e24), bound(sizeB, 1e18, 1e24));
        c.amm.totalLong = uint128(a + b);
        uint256 loss = bound(lossSeed, 1, 1000 * (a + b));
        Losses.cover(c, loss, false, 3000e18);
        Indices memory now_ = Positions.indicesOf(c.amm);
        uint256 paid = _long(0, int256(a), 0).socialLoss(now_) + _long(0, int256(b), 0).socialLoss(now_);
        vm.assertGe(paid, loss);
        vm.assertLe(paid - loss, (a + b) / 1e18 + 3);
    }

    function testASideThatCannotPayIsNobody() public {
        Context storage c = _pair();
        c.amm.totalShort = 1;
        bytes memory reason = abi.encodeWithSelector(IInstrumentRiskErrors.NoCounterparty.selector, true, 1000e18);
        vm.expectRevert(reason);
        this.cover(1000e18, true, 3000e18);
        // Exactly its whole value it can bear.
        c.amm.totalShort = 1e18;
        this.cover(3000e18, true, 3000e18);
        vm.assertEq(uint256(c.amm.shortSocialLossIndex), 3000e18);
        vm.expectRevert(abi.encodeWithSelector(IInstrumentRiskErrors.NoCounterparty.selector, true, 3000e18 + 1));
        this.cover(3000e18 + 1, true, 3000e18);
    }

    function testAbsorbGoesOn() public {
        Context storage c = _pair();
        c.amm.insuranceFund = 100e18;
        (c.amm.totalLong, c.amm.totalShort) = (2e18, 0);
        this.absorb(1100e18, true, 3000e18);
        vm.assertEq(uint256(c.amm.insuranceFund), 0);
        vm.assertEq(uint256(c.amm.longSocialLossIndex), 500e18, "the own side, for want of another");
        c.amm.totalLong = 0;
        this.absorb(50e18, true, 3000e18);
        vm.assertEq(uint256(c.shortfall), 50e18, "nobody yet");
        Losses.insure(c, 20e18);
        Losses.repay(c);
        vm.assertEq(uint256(c.shortfall), 30e18);
        vm.assertEq(uint256(c.amm.insuranceFund), 0);
        Losses.insure(c, 40e18);
        Losses.repay(c);
        vm.assertEq(uint256(c.shortfall), 0);
        vm.assertEq(uint256(c.amm.insuranceFund), 10e18);
    }
}
