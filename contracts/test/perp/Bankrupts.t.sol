// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";
import {Amm, PositionCache} from "src/perp/Types.sol";
import {IInstrumentEvents} from "src/perp/interfaces/IInstrument.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";

/// What leaves an account flat with a debt: a claim, a cancel, a removal. The debt ends in the insurance fund or in social
/// loss; nobody is kept from claiming or removing.
contract BankruptsTest is RiskFixture {
    int24 private tick;

    /// Alice is long ten from 3000 on the least margin; the price is 2200; she sells ten at 2225 in an order.
    function setUp() public override {
        super.setUp();
        _add(maker, 2_000_000e18, 8000, 8000);
        _thin(alice, 10e18);
        _mark(2200);
        _moveTo(Tick.fromPrice(2200e18));
        tick = Tick.fromPrice(2225e18);
    }

    function _moveTo(int24 to) private {
        _trade(carol, observer.getBaseSizeByTick(address(instrument), PERP, to), 1_000_000e18);
    }

    function _fillable(int256 size, int256 taken) private returns (uint24 nonce) {
        nonce = _place(alice, tick, -size, size * 2225 / 10 + 100e18);
        // All there is on the way, but for what is not to be taken of the order.
        int256 all = observer.getBaseSizeByTick(address(instrument), PERP, tick);
        _trade(carol, all - (size - taken), 0);
    }

    /// Another long, who must bear nothing of a long's debt.
    function _anotherLong() private {
        _trade(bob, 1e18, 3000e18);
    }

    function testFillOfABankrupt() public {
        _anotherLong();
        uint24 nonce = _fillable(10e18, 10e18);
        uint256 longs = _amm().totalLong;
        (PositionCache memory pic,) = _fill(bob, alice, tick, nonce);
        vm.assertEq(pic.size, -10e18);
        _assertFlatAndLost(longs);
    }

    function testCancelOfABankrupt() public {
        _anotherLong();
        _fillable(12e18, 10e18);
        int256 taken = _portfolio(alice).ordersTaken[0];
        uint256 longs = _amm().totalLong;
        (bool done, PositionCache memory pic) = _cancel(alice, tick);
        vm.assertTrue(done && pic.size == taken);
        _assertFlatAndLost(longs);
    }

    function _assertFlatAndLost(uint256 longsBefore) private view {
        Amm memory amm = _amm();
        vm.assertEq(int256(_position(alice).size), 0);
        vm.assertEq(int256(_position(alice).balance), 0);
        vm.assertTrue(amm.totalLong < longsBefore && amm.totalLong > 0);
        vm.assertTrue(amm.shortSocialLossIndex > 0, "the long's debt falls on the shorts");
        vm.assertEq(uint256(amm.longSocialLossIndex), 0);
    }

    /// The insurance fund comes first.
    function testTheFundPaysFirst() public {
        uint24 nonce = _fillable(10e18, 10e18);
        _donate(carol, 10_000e18);
        _fill(bob, alice, tick, nonce);
        vm.assertEq(uint256(_amm().shortSocialLossIndex), 0);
        vm.assertTrue(_amm().insuranceFund < 10_000e18 && _amm().insuranceFund > 0);
    }

    /// The account itself may not walk away from its debt by trading.
    function testATradeThatClosesWithADebtIsRefused() public {
        _refuse(alice, Errors.PositionBankrupt.selector, _tradeCall(-10e18, 0, -322_517, 0));
    }

    /// With nobody on the other side the own side bears it, and with nobody at all it stands as a shortfall, which those
    /// who are paid last bear. Nothing reverts.
    function testRemovalOfABankruptWithNobodyElse() public {
        _cancelEverybody();
        _mark(3000);
        (int24 lower, int24 upper,) = _add(alice, 2000e18, 953, 953);
        _mark(4500);
        _moveTo(Tick.fromPrice(4400e18));
        uint256 state = vm.snapshotState();
        (PositionCache memory pic,,) = _remove(bob, alice, lower, upper);
        vm.revertToState(state);
        // Long what the range is short, so that its removal leaves her flat.
        _trade(alice, -pic.size, int256(instrument.inquire(PERP, -pic.size).minAmount));
        uint128 loss = _amm().longSocialLossIndex;
        _remove(bob, alice, lower, upper);
        vm.assertEq(int256(_position(alice).size), 0);
        vm.assertTrue(_amm().longSocialLossIndex > loss, "the short range's debt falls on the longs");
    }

    /// Alice and Carol close, so that the price can go back.
    function _cancelEverybody() private {
        _trade(alice, 0, 10_000e18);
        _trade(alice, -_position(alice).size, 0);
        _mark(3000);
        _trade(carol, -_position(carol).size, 0);
    }
}
