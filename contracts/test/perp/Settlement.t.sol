// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";
import {Amm, Condition, Status} from "src/perp/Types.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {IInstrumentRiskErrors as RiskErrors, IInstrumentRiskEvents} from "src/perp/interfaces/IInstrumentRisk.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// The end of a pair: at its expiry, and by `resolve`.
contract SettlementTest is RiskFixture {
    uint32 private expiry;

    function setUp() public override {
        super.setUp();
        expiry = uint32((block.timestamp - 32 hours) / 1 weeks * 1 weeks + 32 hours + 2 weeks);
        vm.prank(maker);
        instrument.add(Words.add(expiry, 500_000e18, 0, 2000, ANY_LOW, ANY_HIGH, 0));
    }

    function _settle(address target) private {
        vm.prank(bob);
        instrument.settle(expiry, target);
    }

    function _settleCall(uint32 expiry_, address target) private view returns (bytes memory) {
        return abi.encodeCall(instrument.settle, (expiry_, target));
    }

    function _amm(uint32 expiry_) private view returns (Amm memory) {
        return instrument.getAmm(expiry_);
    }

    /// Both funds go to the owner.
    function _claim() private {
        vm.startPrank(admin);
        instrument.recycleInsuranceFund(expiry);
        if (_amm(expiry).status != uint8(Status.DORMANT)) instrument.claimProtocolFee(expiry);
        vm.stopPrank();
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.DORMANT));
    }

    function _toExpiry() private {
        vm.warp(expiry - 1800);
        instrument.update(expiry);
        vm.warp(expiry);
    }

    function testADatedPairEndsForEverybody() public {
        _tradeOn(expiry, alice, 5e18, 5000e18);
        _tradeOn(expiry, carol, -3e18, 5000e18);
        vm.startPrank(carol);
        instrument.place(Words.trade(expiry, -1e18, 500e18, _amm(expiry).tick + 100, 0));
        vm.stopPrank();
        _refuse(bob, Errors.BadAmmStatus.selector, _settleCall(expiry, alice));
        _refuse(bob, Errors.BadAmmStatus.selector, _settleCall(PERP, maker));
        _mark(3100);
        _toExpiry();
        uint256[3] memory before = [_reserve(alice), _reserve(carol), _reserve(maker)];
        int256 equity = _equityOf(instrument.getPortfolio(expiry, alice).position, _amm(expiry), 3100e18);
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.Settle(expiry, alice, 3100e18, uint256(equity), bob);
        _settle(alice);
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.SETTLED));
        vm.assertEq(_reserve(alice) - before[0], uint256(equity) / 1e12, "to the unit");
        _settle(carol);
        vm.assertTrue(_reserve(carol) > before[1] + 5000e6);
        _refuse(bob, Errors.PositionNotExist.selector, _settleCall(expiry, carol));
        _settle(maker);
        vm.assertTrue(_reserve(maker) > before[2]);
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.SETTLED), "until the fees are claimed");
        vm.prank(admin);
        instrument.recycleInsuranceFund(expiry);
        vm.prank(admin);
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.DeleteContext(expiry);
        instrument.claimProtocolFee(expiry);
        // Nothing is left: not in the pair, not in the list, not in the market.
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.DORMANT));
        vm.assertEq(instrument.getExpiries().length, 1);
        vm.assertEq(uint256(market.getAccState(address(instrument), expiry).initTime), 0);
        uint256 dust = gate.reserveOf(address(usd), address(instrument)) - _amm().involvedFund / 1e12;
        vm.assertLe(dust, 5, "but what rounding cut off");
        vm.assertTrue(gate.reserveOf(address(usd), admin) > 0, "and the fees are the owner's");
        _refuse(bob, Errors.BadAmmStatus.selector, _settleCall(expiry, alice));
    }

    /// Orders of every kind end: untouched, partly taken, taken and not claimed.
    function testOrdersAtTheEnd() public {
        int24 tick = _amm(expiry).tick + 20;
        vm.startPrank(alice);
        instrument.place(Words.trade(expiry, -1e18, 500e18, tick, 0));
        instrument.place(Words.trade(expiry, -1e18, 500e18, tick + 1, 0));
        instrument.place(Words.trade(expiry, -1e18, 500e18, tick + 2, 0));
        vm.stopPrank();
        int256 through = observer.getBaseSizeByTick(address(instrument), expiry, tick + 1);
        _tradeOn(expiry, carol, through - 0.4e18, 50_000e18);
        vm.assertEq(instrument.getPortfolio(expiry, alice).ordersTaken[0], -1e18);
        vm.assertEq(instrument.getPortfolio(expiry, alice).ordersTaken[1], -0.6e18);
        _toExpiry();
        _settle(alice);
        _settle(carol);
        _settle(maker);
        _claim();
    }

    /// A pair in which orders alone are left is not forgotten.
    function testARestingSellKeepsThePair() public {
        _keptBy(-1e18, _amm(expiry).tick + 100);
    }

    function testARestingBuyKeepsThePair() public {
        _keptBy(1e18, _amm(expiry).tick - 100);
    }

    function _keptBy(int256 size, int24 tick) private {
        bytes32[2] memory words = Words.trade(expiry, size, 500e18, tick, 0);
        vm.prank(alice);
        instrument.place(words);
        _toExpiry();
        _settle(maker);
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.SETTLED), "kept");
        bytes memory reason = abi.encodeWithSelector(RiskErrors.PairNotCleared.selector, expiry);
        _refuse(admin, reason, abi.encodeCall(instrument.recycleInsuranceFund, (expiry)));
        uint256 before = _reserve(alice);
        _settle(alice);
        vm.assertEq(_reserve(alice) - before, 500e6);
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.DORMANT));
    }

    /// A pair in which nobody holds anything is kept while one of its funds is not paid out, whichever is paid first.
    function testTheInsuranceFundKeepsThePair() public {
        _tradeOn(expiry, alice, 5e18, 5000e18);
        vm.prank(carol);
        instrument.donateInsuranceFund(expiry, 100e18);
        _toExpiry();
        _settle(alice);
        _settle(maker);
        uint256 fund = _amm(expiry).insuranceFund;
        vm.assertTrue(fund >= 100e18);
        uint256 before = _reserve(admin);
        vm.prank(admin);
        instrument.claimProtocolFee(expiry);
        vm.assertTrue(_reserve(admin) > before);
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.SETTLED), "until the fund is paid");
        vm.assertEq(uint256(_amm(expiry).insuranceFund), fund);
        before = _reserve(admin);
        vm.prank(admin);
        instrument.recycleInsuranceFund(expiry);
        vm.assertEq(_reserve(admin) - before, fund / 1e12);
        vm.assertEq(uint256(_amm(expiry).status), uint8(Status.DORMANT));
    }

    /// A bankrupt's debt falls on the insurance fund, then on the other side; nobody is kept from being settled.
    function testABankruptAtTheEnd() public {
        _tradeOn(expiry, carol, -20e18, 20_000e18);
        _tradeOn(expiry, alice, 10e18, 3400e18);
        _mark(2500);
        _toExpiry();
        int256 debt = -_equityOf(instrument.getPortfolio(expiry, alice).position, _amm(expiry), 2500e18);
        vm.assertTrue(debt > 0);
        uint256 before = _reserve(alice);
        _settle(alice);
        vm.assertEq(_reserve(alice), before);
        vm.assertEq(uint256(_amm(expiry).shortSocialLossIndex), Wad.divUp(uint256(debt), 20e18));
        _settle(carol);
        _settle(maker);
        _claim();
    }

    /// A range that fell owes more than its margin, and its counterpart is owed more than the pair holds: the counterpart is paid
    /// once the range has been settled, by anybody, and bears what it lacks.
    function testWhoIsOwedMoreThanThereIsWaitsForWhoOwes() public {
        _mark(3500);
        int24 far = Tick.fromPrice(3500e18);
        _tradeOn(expiry, carol, observer.getBaseSizeByTick(address(instrument), expiry, far), 500_000e18);
        _mark(6000);
        _toExpiry();
        uint256 before = _reserve(carol);
        uint256 held = _amm(expiry).involvedFund;
        _refuse(bob, Errors.InvariantBroken.selector, _settleCall(expiry, carol));
        _settle(maker);
        _settle(carol);
        _claim();
        uint256 fees = gate.reserveOf(address(usd), admin);
        vm.assertApproxEqAbs(_reserve(carol) - before + fees, held / 1e12, 2, "all that the pair held");
    }

    // Resolving

    function _resolve(uint128 price) private {
        vm.prank(guardian);
        instrument.freeze();
        vm.prank(admin);
        instrument.resolve(price);
    }

    function testResolveSettlesEveryPairAtThePrice() public {
        _trade(alice, 5e18, 5000e18);
        _trade(carol, -3e18, 5000e18);
        _tradeOn(expiry, alice, 2e18, 2000e18);
        _refuse(admin, Errors.BadInstrumentCondition.selector, abi.encodeCall(instrument.resolve, (1)));
        vm.prank(guardian);
        instrument.freeze();
        _refuse(guardian, Errors.NotSynFuturesV3Admin.selector, abi.encodeCall(instrument.resolve, (3100e18)));
        _refuse(admin, Errors.CrazySpot.selector, abi.encodeCall(instrument.resolve, (1)));
        _refuse(bob, Errors.BadInstrumentCondition.selector, _settleCall(PERP, alice));
        vm.prank(admin);
        instrument.resolve(3100e18);
        vm.assertEq(uint256(instrument.condition()), uint8(Condition.RESOLVED));
        vm.assertEq(uint256(_amm().settlementPrice), 3100e18);
        vm.assertEq(uint256(_amm(expiry).settlementPrice), 3100e18);
        bytes[7] memory calls = _everyAction();
        for (uint256 i; i < calls.length; ++i) {
            _refuse(alice, Errors.BadInstrumentCondition.selector, calls[i]);
        }
        int256 equity = _equity(alice, 3100e18);
        uint256 before = _reserve(alice);
        vm.startPrank(bob);
        instrument.settle(PERP, alice);
        vm.assertEq(_reserve(alice) - before, uint256(equity) / 1e12);
        instrument.settle(PERP, carol);
        instrument.settle(PERP, maker);
        instrument.settle(expiry, alice);
        instrument.settle(expiry, maker);
        vm.stopPrank();
        _claim();
        vm.prank(admin);
        instrument.claimProtocolFee(PERP);
        vm.assertEq(instrument.getExpiries().length, 0);
        vm.assertLe(gate.reserveOf(address(usd), address(instrument)), 10);
    }

    /// A price of 0 means each pair's own mark.
    function testResolveAtTheMark() public {
        _mark(3050);
        uint256 dated = market.getMarkPrice(address(instrument), expiry, uint8(Status.TRADING));
        _resolve(0);
        vm.assertEq(uint256(_amm().settlementPrice), 3050e18);
        vm.assertEq(uint256(_amm(expiry).settlementPrice), dated);
        vm.assertTrue(dated > 3050e18, "with its carry");
    }

    /// With the feed gone the owner's price still ends it.
    function testResolveWithoutAFeed() public {
        btcFeed.setAt(3000e8, 1);
        vm.prank(guardian);
        instrument.freeze();
        vm.startPrank(admin);
        (bool ok,) = address(instrument).call(abi.encodeCall(instrument.resolve, (0)));
        vm.assertFalse(ok);
        instrument.resolve(3000e18);
        vm.stopPrank();
        uint256 before = _reserve(maker);
        vm.prank(bob);
        instrument.settle(PERP, maker);
        vm.assertApproxEqAbs(_reserve(maker) - before, 500_000e6, 1);
    }

    // The two funds

    function testFundsGoToTheOwnerOnly() public {
        _trade(alice, 5e18, 5000e18);
        _donate(carol, 700e18);
        _refuse(alice, Errors.NotSynFuturesV3Admin.selector, abi.encodeCall(instrument.claimProtocolFee, (PERP)));
        _refuse(guardian, Errors.NotSynFuturesV3Admin.selector, abi.encodeCall(instrument.recycleInsuranceFund, (PERP)));
        _refuse(admin, Errors.BadAmmStatus.selector, abi.encodeCall(instrument.claimProtocolFee, (expiry + 1 weeks)));
        _refuse(
            carol, Errors.NotTradeable.selector, abi.encodeCall(instrument.donateInsuranceFund, (expiry + 1 weeks, 1))
        );
        uint256 fee = _amm().protocolFee;
        vm.assertTrue(fee > 0);
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.ClaimProtocolFee(PERP, fee);
        vm.prank(admin);
        instrument.claimProtocolFee(PERP);
        vm.assertEq(gate.reserveOf(address(usd), admin), fee / 1e12);
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.RecycleInsuranceFund(PERP, 700e18);
        vm.prank(admin);
        instrument.recycleInsuranceFund(PERP);
        vm.assertEq(gate.reserveOf(address(usd), admin), fee / 1e12 + 700e6);
        vm.assertEq(uint256(_amm().protocolFee) + _amm().insuranceFund, 0);
    }

    function testDonate() public {
        uint256 before = _reserve(carol);
        vm.expectEmit(address(instrument));
        emit IInstrumentRiskEvents.DonateInsuranceFund(PERP, carol, 123e18);
        _donate(carol, 123e18);
        vm.assertEq(uint256(_amm().insuranceFund), 123e18);
        vm.assertEq(before - _reserve(carol), 123e6);
        vm.prank(guardian);
        instrument.freeze();
        _refuse(
            carol, Errors.BadInstrumentCondition.selector, abi.encodeCall(instrument.donateInsuranceFund, (PERP, 1))
        );
    }
}
