// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";
import {IInstrumentRiskEvents} from "src/perp/interfaces/IInstrumentRisk.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Vm} from "test/TestBase.sol";
import {PerpSlots} from "test/invariant/perp/PerpSlots.sol";

/// A loss that nobody could bear: it stands until the insurance fund pays it or a payment is cut by it.
contract ShortfallTest is RiskFixture {
    function _shortfall(uint32 expiry) private view returns (uint256) {
        bytes32 slot = bytes32(uint256(PerpSlots.ofPair(expiry)) + PerpSlots.SHORTFALL);
        return uint256(vm.load(address(instrument), slot));
    }

    /// Alice buys ten at 3000 on the least margin and sells them at 2225 by an order. When that is claimed nobody else has a
    /// position, and the fund is empty.
    function _loseAlone() private returns (uint256 shortfall) {
        _add(maker, 2_000_000e18, 8000, 8000);
        _thin(alice, 10e18);
        _mark(2200);
        _trade(carol, _sizeTo(Tick.fromPrice(2200e18)), 1_000_000e18);
        int24 tick = Tick.fromPrice(2225e18);
        uint24 nonce = _place(alice, tick, -10e18, 2500e18);
        _trade(carol, _sizeTo(tick), 0);
        _mark(3000);
        _trade(carol, -_position(carol).size, 0);
        _fill(bob, alice, tick, nonce);
        vm.assertEq(uint256(_amm().totalLong) + _amm().totalShort + _amm().insuranceFund, 0, "nobody, and no fund");
        shortfall = _shortfall(PERP);
        vm.assertGt(shortfall, 1000e18, "a loss");
    }

    function _sizeTo(int24 tick) private view returns (int256) {
        return observer.getBaseSizeByTick(address(instrument), PERP, tick);
    }

    /// What is left of Bob's margin after he was swept.
    function _sweepALeftover() private returns (uint256 fund) {
        _thin(bob, 1e18);
        _mark(2840);
        vm.prank(carol);
        instrument.sweep(PERP, bob, -1e18);
        fund = _amm().insuranceFund;
        vm.assertGt(fund, 0, "a leftover");
    }

    /// The owner gets of the fund only what no loss stands against.
    function testTheFundIsNotTheOwnersWhileALossStands() public {
        uint256 shortfall = _loseAlone();
        uint256 fund = _sweepALeftover();
        vm.assertLt(fund, shortfall, "less than the loss");
        uint256 before = _reserve(admin);
        vm.prank(admin);
        instrument.recycleInsuranceFund(PERP);
        vm.assertEq(_reserve(admin), before, "nothing for the owner");
        vm.assertEq(_shortfall(PERP), shortfall - fund, "the loss is paid");
        vm.assertEq(uint256(_amm().insuranceFund), 0);
        _donate(carol, shortfall - fund + 100e18);
        vm.assertEq(_shortfall(PERP), 0);
        vm.prank(admin);
        instrument.recycleInsuranceFund(PERP);
        vm.assertEq(_reserve(admin), before + 100e6, "what is over");
    }

    /// Those who are paid last bear it; they are cut, not locked out, and no payment is cut twice by the same loss.
    function testALossThatNobodyBears() public {
        uint32 expiry = uint32((block.timestamp - 32 hours) / 1 weeks * 1 weeks + 32 hours + 2 weeks);
        vm.prank(maker);
        instrument.add(Words.add(expiry, 500_000e18, 0, 2000, ANY_LOW, ANY_HIGH, 0));
        _tradeOn(expiry, alice, 10e18, 3400e18);
        _mark(2500);
        vm.warp(expiry - 1800);
        instrument.update(expiry);
        vm.warp(expiry);
        int256 debt = -_equityOf(instrument.getPortfolio(expiry, alice).position, instrument.getAmm(expiry), 2500e18);
        vm.assertTrue(debt > 0);
        _settle(expiry, alice);
        vm.assertEq(_shortfall(expiry), uint256(debt));
        uint256 left = instrument.getAmm(expiry).involvedFund;
        uint256 before = _reserve(maker);
        uint256 owed = _settle(expiry, maker) / 1e12 * 1e12;
        uint256 paid = (_reserve(maker) - before) * 1e12;
        vm.assertTrue(paid < owed, "cut");
        vm.assertEq(_shortfall(expiry), uint256(debt) - (owed - paid), "by that much less stands");
        _claim(expiry);
        vm.assertApproxEqAbs(paid + _reserve(admin) * 1e12, left, 2e12);
    }

    /// Returns what the account was owed.
    function _settle(uint32 expiry, address target) private returns (uint256 owed) {
        vm.recordLogs();
        instrument.settle(expiry, target);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].topics[0] != IInstrumentRiskEvents.Settle.selector) continue;
            (, owed,) = abi.decode(logs[i].data, (uint256, uint256, address));
        }
    }

    function _claim(uint32 expiry) private {
        vm.startPrank(admin);
        instrument.recycleInsuranceFund(expiry);
        if (instrument.getAmm(expiry).status != 0) instrument.claimProtocolFee(expiry);
        vm.stopPrank();
        vm.assertEq(uint256(instrument.getAmm(expiry).status), 0);
    }
}
