// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockPerpFixture} from "./StockPerpFixture.sol";
import {Words} from "./Words.sol";
import {IConfig} from "src/perp/interfaces/IConfig.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {IInstrumentRiskErrors} from "src/perp/interfaces/IInstrumentRisk.sol";
import {ICexMarket} from "src/perp/interfaces/IMarket.sol";

/// What a key can do to perpetuals when it is stolen. Each line of docs/trust-model.md that names a test of this contract
/// is that test.
contract PerpTrustTest is StockPerpFixture {
    address private thief = makeAddress("thief");

    function setUp() public override {
        super.setUp();
        bytes32 role = oracle.GUARDIAN_ROLE();
        vm.prank(admin);
        oracle.grantRole(role, guardian);
        _fund(thief, 1_000_000e6);
    }

    /// Lies, takes positions over at the lie and tells the truth again, all at one time and within one block's bounds.
    function test_oracleKey_takesTheMarginOfStockPerpetuals() public {
        uint256 before = _reserve(thief);
        // The long of three times leverage, then the short of one and a half.
        _publish(2090e8, time, 2);
        _liquidate(thief, alice, 10e18, 5000e18);
        _publish(3000e8, time, 2);
        _trade(thief, -10e18, 0);
        _publish(4790e8, time, 2);
        _liquidate(thief, carol, -5e18, 5000e18);
        _publish(3000e8, time, 2);
        _trade(thief, 5e18, 0);
        vm.assertEq(int256(_position(alice).size) + _position(carol).size + _position(thief).size, 0, "nobody has any");
        vm.assertEq(int256(_position(alice).balance) + _position(carol).balance, 0, "both margins are gone");
        // What is missing of twice 10,000 is what their fees and the thief's own, and the curve, took.
        vm.assertGt(_reserve(thief), before + 19_000e6, "and the thief has them");
    }

    /// Margin comes out of a position that was taken over without trading.
    function test_oracleKey_takesTheMarginOutOfWhatItTookOver() public {
        uint256 before = _reserve(thief);
        _publish(2090e8, time, 2);
        _liquidate(thief, alice, 10e18, 5000e18);
        _publish(3000e8, time, 2);
        _trade(thief, 0, -11_000e18);
        vm.assertEq(_reserve(thief), before + 6000e6);
    }

    /// Either freeze ends it at once: nothing is liquidated, and no more prices come.
    function test_oracleKey_takesNothingOnceFrozen() public {
        _publish(2090e8, time, 2);
        uint256 state = vm.snapshotState();
        vm.prank(guardian);
        instrument.freeze();
        _refuse(thief, Errors.BadInstrumentCondition.selector, _liquidateCall(alice, 10e18, 5000e18));
        vm.revertToState(state);
        vm.prank(guardian);
        oracle.freezeFeed(SPX);
        _publish(1e8, time, 2);
        _refuse(thief, _noPrice(), _liquidateCall(alice, 10e18, 5000e18));
    }

    /// No margin, order or range leaves a frozen instrument, nor does any margin come in, however long it lasts.
    function test_guardianKey_holdsAFrozenInstrument() public {
        _place(bob, 80_100, -1e18, 4000e18);
        vm.prank(guardian);
        instrument.freeze();
        time += 365 days;
        vm.warp(time);
        _publish(3000e8, time, 2);
        _holdsAll(abi.encodePacked(Errors.BadInstrumentCondition.selector));
        _refuse(guardian, IConfig.NotSynFuturesV3Admin.selector, abi.encodeCall(instrument.normalize, ()));
        _refuse(guardian, IConfig.NotSynFuturesV3Admin.selector, abi.encodeCall(instrument.resolve, (3000e18)));
        _reserveLeaves();
    }

    /// The same by the stock's feed, which the guardian of stocks freezes.
    function test_guardianKey_holdsAPerpetualByItsFeed() public {
        _place(bob, 80_100, -1e18, 4000e18);
        vm.prank(guardian);
        oracle.freezeFeed(SPX);
        time += 365 days;
        vm.warp(time);
        _publish(3000e8, time, 2);
        _holdsAll(_noPrice());
        vm.prank(guardian);
        (bool ok,) = address(oracle).call(abi.encodeCall(oracle.unfreezeFeed, (SPX)));
        vm.assertFalse(ok, "lifting it is the administrator's");
        _reserveLeaves();
    }

    /// While it stands still nobody can be liquidated. What a moving market costs then, the other side pays.
    function test_guardianKey_makesBadDebt() public {
        vm.prank(guardian);
        instrument.freeze();
        _publish(2050e8, time, 2);
        _refuse(bob, Errors.BadInstrumentCondition.selector, _liquidateCall(alice, 10e18, 5000e18));
        _publish(1500e8, time, 2);
        vm.prank(admin);
        instrument.normalize();
        _liquidate(bob, alice, 10e18, 5000e18);
        vm.assertGt(uint256(_amm().shortSocialLossIndex), 0, "shorts bear it");
    }

    function test_guardianKey_pausedPlacingHoldsNobody() public {
        _place(bob, 80_100, -1e18, 4000e18);
        vm.prank(guardian);
        instrument.setPlacePaused(true);
        _refuse(bob, Errors.PlacePaused.selector, _placeCall(80_110, -1e18, 4000e18));
        (bool done,) = _cancel(bob, 80_100);
        vm.assertTrue(done, "an order comes out");
        _trade(alice, -10e18, 0);
        vm.assertEq(int256(_position(alice).size), 0, "and a position");
    }

    /// Two tokens for one, and the oracle's price halves: whoever was long has lost, at the price of a company that is worth
    /// what it was.
    function test_split_thatIsNotAppliedLiquidatesLongs() public {
        _refuse(bob, IInstrumentRiskErrors.TargetSafe.selector, _liquidateCall(alice, 10e18, 5000e18));
        _publish(1500e8, time, 2);
        _liquidate(bob, alice, 10e18, 5000e18);
        vm.assertEq(int256(_position(alice).size), 0);
        vm.assertEq(int256(_position(alice).balance), 0, "the margin is gone");
    }

    /// `reason` for every way out and in that there is.
    function _holdsAll(bytes memory reason) private {
        bytes[7] memory calls = _everyAction();
        for (uint256 i; i < calls.length; ++i) {
            _refuse(alice, reason, calls[i]);
        }
        _refuse(alice, reason, _tradeCall(-10e18, 0, ANY_LOW, 0));
        _refuse(alice, reason, _tradeCall(0, -1e18, 0, 0));
        _refuse(bob, reason, _cancelCall(80_100, 0));
        _refuse(maker, reason, _removeCall(maker, 78_050, 82_100));
        _refuse(bob, reason, _liquidateCall(alice, 10e18, 5000e18));
    }

    function _reserveLeaves() private {
        uint256 reserve = _reserve(alice);
        vm.assertGt(reserve, 0, "a reserve");
        vm.prank(alice);
        gate.withdraw(Words.token(address(usd), reserve));
        vm.assertEq(_reserve(alice), 0);
    }

    function _noPrice() private view returns (bytes memory) {
        return abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(feeder));
    }
}
