// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Amm, Position, Quotation} from "src/perp/Types.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {IInstrumentRiskErrors as RiskErrors, IInstrumentRiskEvents} from "src/perp/interfaces/IInstrumentRisk.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// Taking over and forced closing. Alice is long ten from about 3000 on the least margin, Carol short twenty.
contract LiquidationTest is RiskFixture {
    function setUp() public override {
        super.setUp();
        _trade(carol, -20e18, 20_000e18);
        _thin(alice, 10e18);
    }

    function testTakeOverOfAnAccountWithEquity() public {
        _mark(2820);
        Position memory before = _position(alice);
        int256 equity = _equity(alice, 2820e18);
        vm.assertTrue(equity > 0 && equity < 1410e18, "below the maintenance margin of 5 %");
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.Liquidate(PERP, bob, 3000e18, 2820e18, alice, 10e18);
        _liquidate(bob, alice, 10e18, 3000e18);
        Position memory taken = _position(bob);
        vm.assertEq(int256(taken.size), 10e18);
        vm.assertEq(int256(taken.balance), int256(before.balance) + 3000e18, "what is left is the liquidator's");
        vm.assertEq(uint256(taken.entryNotional), before.entryNotional);
        vm.assertEq(int256(_position(alice).size), 0);
        vm.assertEq(_equity(bob, 2820e18), equity + 3000e18);
        vm.assertEq(uint256(_amm().shortSocialLossIndex), 0);
    }

    /// A bankrupt's deficit comes from the insurance fund, then from the other side; the liquidator begins at zero.
    function testTakeOverOfABankrupt() public {
        _donate(maker, 500e18);
        _mark(2600);
        int256 equity = _equity(alice, 2600e18);
        int256 carols = _equity(carol, 2600e18);
        vm.assertTrue(equity < -500e18);
        uint256 rest = uint256(-equity) - 500e18;
        _liquidate(bob, alice, 10e18, 2700e18);
        vm.assertEq(_equity(bob, 2600e18), 2700e18, "he begins at what he brought");
        vm.assertEq(uint256(_amm().insuranceFund), 0);
        vm.assertEq(uint256(_amm().shortSocialLossIndex), Wad.divUp(rest, 20e18));
        vm.assertEq(_equity(carol, 2600e18), carols - int256(Wad.mulUp(Wad.divUp(rest, 20e18), 20e18)));
    }

    function testPartsAddUp() public {
        _mark(2820);
        Position memory before = _position(alice);
        _liquidate(bob, alice, 4e18, 2000e18);
        Position memory rest = _position(alice);
        Position memory taken = _position(bob);
        vm.assertEq(int256(rest.size), 6e18);
        vm.assertEq(int256(rest.balance) + taken.balance - 2000e18, int256(before.balance));
        vm.assertEq(uint256(rest.entryNotional) + taken.entryNotional, before.entryNotional);
        vm.assertEq(uint256(taken.entryNotional), Wad.frac(before.entryNotional, 4, 10));
    }

    /// Against the liquidator's own short the part closes, and what is flat is paid out.
    function testTakeOverAgainstAnOwnPosition() public {
        _trade(bob, -10e18, 5000e18);
        _mark(2820);
        uint256 reserve = _reserve(bob);
        int256 worth = _equity(bob, 2820e18) + _equity(alice, 2820e18);
        (uint256 longs, uint256 shorts) = (_amm().totalLong, _amm().totalShort);
        _liquidate(bob, alice, 10e18, 0);
        vm.assertEq(int256(_position(bob).size), 0);
        vm.assertApproxEqAbs((_reserve(bob) - reserve) * 1e12, uint256(worth), 2e12);
        vm.assertEq(uint256(_amm().totalLong), longs - 10e18);
        vm.assertEq(uint256(_amm().totalShort), shorts - 10e18);
    }

    function testRefusals() public {
        _refuse(bob, RiskErrors.TargetSafe.selector, _liquidateCall(alice, 10e18, 5000e18));
        _refuse(bob, RiskErrors.TargetSafe.selector, _sweepCall(alice, -10e18));
        _refuse(bob, Errors.PositionNotExist.selector, _liquidateCall(maker, 1, 0));
        _mark(2820);
        _refuse(alice, RiskErrors.SelfLiquidation.selector, _liquidateCall(alice, 10e18, 5000e18));
        int256[4] memory sizes = [int256(-1), 0, 10e18 + 1, type(int256).min];
        for (uint256 i; i < 4; ++i) {
            bytes memory reason = abi.encodeWithSelector(RiskErrors.BadTargetSize.selector, int256(10e18), sizes[i]);
            _refuse(bob, reason, _liquidateCall(alice, sizes[i], 5000e18));
        }
        sizes = [int256(1), 0, -10e18 - 1, type(int256).max];
        for (uint256 i; i < 4; ++i) {
            bytes memory reason = abi.encodeWithSelector(RiskErrors.BadTargetSize.selector, int256(10e18), sizes[i]);
            _refuse(bob, reason, _sweepCall(alice, sizes[i]));
        }
        // 10 % of 28,200, less alice's equity that comes with it.
        _refuse(bob, RiskErrors.LiquidatePostImrUnsafe.selector, _liquidateCall(alice, 10e18, 1400e18));
        _mark(2600);
        _refuse(bob, RiskErrors.LiquidatePostImrUnsafe.selector, _liquidateCall(alice, 10e18, 2599e18));
    }

    /// At the maintenance margin the account is safe, a tick of the feed below it is not.
    function testTheBoundary() public {
        uint256 mark = _boundary(10e18);
        btcFeed.set(int256(mark / 1e10) + 1);
        _refuse(bob, RiskErrors.TargetSafe.selector, _liquidateCall(alice, 10e18, 5000e18));
        btcFeed.set(int256(mark / 1e10));
        _liquidate(bob, alice, 10e18, 5000e18);
    }

    /// The highest price of the feed at which alice's long of `size` is below its maintenance margin.
    function _boundary(uint256 size) private view returns (uint256) {
        (uint256 unsafe, uint256 safe) = (2000e8, 3000e8);
        while (safe - unsafe > 1) {
            uint256 price = (safe + unsafe) / 2;
            bool isSafe = _equity(alice, price * 1e10) >= int256(Wad.mulUp(Wad.mul(price * 1e10, size), 0.05e18));
            if (isSafe) safe = price;
            else unsafe = price;
        }
        return unsafe * 1e10;
    }

    function testOnlyTheWhitelisted() public {
        // The fixture opens liquidation; a venue that has not keeps a list.
        vm.mockCall(address(config), abi.encodeCall(config.isAuthorizedLiquidator, (bob)), abi.encode(false));
        _mark(2820);
        _refuse(bob, RiskErrors.LiquidatorIneligible.selector, _liquidateCall(alice, 10e18, 5000e18));
        vm.clearMockedCalls();
        _liquidate(bob, alice, 10e18, 5000e18);
    }

    function testNobodyOnTheOtherSide() public {
        _trade(carol, 20e18, 0);
        vm.assertEq(uint256(_amm().totalShort), 0);
        _mark(2600);
        uint256 deficit = uint256(-_equity(alice, 2600e18));
        bytes memory reason = abi.encodeWithSelector(RiskErrors.NoCounterparty.selector, true, deficit);
        _refuse(bob, reason, _liquidateCall(alice, 10e18, 5000e18));
        // A short of dust could not pay it, and is nobody.
        _donate(maker, deficit - 1e18);
        _liquidate(bob, alice, 1e18, 500e18);
        _donate(maker, 1000e18);
        _liquidate(bob, alice, 9e18, 5000e18);
    }

    // Forced closing

    function testSweepWithSomethingLeft() public {
        _mark(2820);
        _pushFair(2820e18);
        Quotation memory q = instrument.inquire(PERP, -10e18);
        Position memory before = _position(alice);
        uint256 fund = _amm().insuranceFund;
        int256 left =
            int256(before.balance) + int256(q.entryNotional) - int256(uint256(before.entryNotional)) - int256(q.fee);
        vm.assertTrue(left > 0);
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.Sweep(
            PERP, alice, -10e18, 0, 0, q.entryNotional, 30, q.sqrtPostFairPX96, 2820e18, bob
        );
        vm.prank(bob);
        instrument.sweep(PERP, alice, -10e18);
        vm.assertEq(uint256(_amm().insuranceFund) - fund, uint256(left), "what is left is the fund's");
        vm.assertEq(int256(_position(alice).size), 0);
        vm.assertEq(uint256(_amm().sqrtPX96), q.sqrtPostFairPX96);
    }

    function testSweepOfABankrupt() public {
        _mark(2650);
        _pushFair(2650e18);
        Quotation memory q = instrument.inquire(PERP, -10e18);
        Position memory p = _position(alice);
        int256 left = int256(p.balance) + int256(q.entryNotional) - int256(uint256(p.entryNotional)) - int256(q.fee);
        vm.assertTrue(left < 0);
        uint256 shorts = _amm().totalShort;
        vm.prank(bob);
        instrument.sweep(PERP, alice, -10e18);
        vm.assertEq(uint256(_amm().shortSocialLossIndex), Wad.divUp(uint256(-left), shorts));
        vm.assertEq(uint256(_amm().insuranceFund), 0);
    }

    function testSweepInParts() public {
        _mark(2820);
        _pushFair(2820e18);
        vm.startPrank(bob);
        instrument.sweep(PERP, alice, -3e18);
        vm.assertEq(int256(_position(alice).size), 7e18);
        uint256 fund = _amm().insuranceFund;
        vm.assertTrue(fund > 0);
        instrument.sweep(PERP, alice, -7e18);
        vm.assertTrue(_amm().insuranceFund > fund);
        vm.assertEq(int256(_position(alice).size), 0);
    }

    /// A sweep may not carry the price away from the mark further than a trade may, at the cost of the fund.
    function testASweepKeepsTheDeviationRule() public {
        for (uint256 i; i < 3; ++i) {
            _trade(carol, -90e18, 100_000e18);
            _thin(alice, 90e18);
        }
        uint256 mark = _boundary(280e18);
        btcFeed.set(int256(mark / 1e10));
        _pushFair(mark);
        _refuse(bob, Errors.CrazyDeviation.selector, _sweepCall(alice, -280e18));
        vm.prank(bob);
        instrument.sweep(PERP, alice, -50e18);
    }

    /// Whatever is taken over, nothing comes out of nothing: equities, both funds and the fees stay what they were, and
    /// what rounding moves goes to the pair.
    function testFuzzATakeOverConservesEquity(uint256 markSeed, uint256 partSeed, uint256 fundSeed) public {
        uint256 mark = bound(markSeed, 2000, 2820);
        uint256 fund = bound(fundSeed, 0, 4000e6) * 1e12;
        if (fund != 0) _donate(maker, fund);
        _mark(mark);
        int256 part = int256(bound(partSeed, 1, 10e18));
        int256 before = _sum(mark * 1e18);
        _liquidate(bob, alice, part, 5000e18);
        int256 moved = _sum(mark * 1e18) - before - 5000e18;
        vm.assertTrue(moved <= 1 && moved >= -100, "to the pair");
    }

    function _sum(uint256 mark) private view returns (int256) {
        Amm memory amm = _amm();
        return _equity(alice, mark) + _equity(bob, mark) + _equity(carol, mark) + int256(uint256(amm.insuranceFund));
    }

    /// Carol sells or buys until the fair price is the mark.
    function _pushFair(uint256 mark) private {
        int24 tick = _tickOf(mark);
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, tick);
        if (size != 0) _trade(carol, size, 2_000_000e18);
    }
}
