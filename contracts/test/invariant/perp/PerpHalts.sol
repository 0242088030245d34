// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpStressBase} from "./PerpStressBase.sol";
import {MAX_TICK} from "src/perp/Constants.sol";
import {Condition, Order, Pending} from "src/perp/Types.sol";
import {Words} from "test/perp/Words.sol";

/// Halts of the instrument, through which what is in a reserve can leave, and withdrawals that wait.
abstract contract PerpHalts is PerpStressBase {
    /// Frozen for days: nothing moves, and no funding is charged for it afterwards.
    function freeze(uint256 who, uint256 timeSeed) external counted {
        instrument.update(PERP);
        bytes32 indices = _fundingIndices();
        vm.prank(guardian);
        instrument.freeze();
        _checkHalted(_actor(who));
        uint256 most = dated > block.timestamp + 2 days ? 1 days : 1;
        vm.warp(block.timestamp + bound(timeSeed, 1, most));
        vm.prank(admin);
        instrument.normalize();
        if (_amm().timestamp != block.timestamp) violation = "normalize did not reset the time";
        instrument.update(PERP);
        if (_fundingIndices() != indices) violation = "frozen time was charged";
        if (instrument.condition() != uint8(Condition.NORMAL)) violation = "normalize did not open it";
        _happen(Kind.FREEZE);
    }

    function _fundingIndices() private view returns (bytes32) {
        return keccak256(abi.encode(_amm().longFundingIndex, _amm().shortFundingIndex));
    }

    /// A feed that says nothing new is a closed market.
    function close(uint256 who) external counted {
        (, int256 answer,,,) = btcFeed.latestRoundData();
        btcFeed.setAt(answer, block.timestamp - 3601);
        _checkHalted(_actor(who));
        btcFeed.set(answer);
        _happen(Kind.CLOSED);
    }

    function _checkHalted(address trader) private {
        bytes32 before = keccak256(abi.encode(_amm(), instrument.getAmm(dated), _portfolio(trader)));
        int24[] memory ticks = new int24[](1);
        ticks[0] = _tick() + 20;
        bytes[7] memory actions = [
            abi.encodeCall(instrument.trade, (Words.trade(PERP, 1e18, AMPLE, MAX_TICK, 0))),
            abi.encodeCall(instrument.trade, (Words.trade(PERP, 0, 1e18, 0, 0))),
            abi.encodeCall(instrument.place, (Words.trade(PERP, -1e18, AMPLE, _tick() + 20, 0))),
            abi.encodeCall(instrument.cancel, (Words.cancel(PERP, ticks, 0))),
            abi.encodeCall(instrument.liquidate, (PERP, actors[0], int256(1e18), uint256(AMPLE))),
            abi.encodeCall(instrument.add, (Words.add(PERP, 5000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0))),
            abi.encodeCall(instrument.update, (PERP))
        ];
        for (uint256 i; i < actions.length; ++i) {
            vm.prank(trader);
            (bool done,) = address(instrument).call(actions[i]);
            if (done) violation = "an action passed in a halt";
        }
        if (before != keccak256(abi.encode(_amm(), instrument.getAmm(dated), _portfolio(trader)))) {
            violation = "a halt moved something";
        }
        uint256 wallet = usd.balanceOf(trader);
        vm.prank(trader);
        gate.withdraw(Words.token(address(usd), 1e18));
        if (usd.balanceOf(trader) != wallet + 1e18) violation = "a reserve is locked in";
    }

    /// Paused for new orders alone.
    function pause(uint256 who) external counted {
        vm.prank(guardian);
        instrument.setPlacePaused(true);
        address trader = _actor(who);
        int24 tick = _tick() + 20;
        vm.prank(trader);
        try instrument.place(Words.trade(PERP, -1e18, AMPLE, tick, 0)) returns (uint24, Order memory) {
            violation = "an order was placed in a pause";
        } catch {}
        vm.prank(admin);
        instrument.setPlacePaused(false);
        _happen(Kind.PAUSE);
    }

    // Withdrawals that wait. A wallet may always have back what it brought, so they are those of the owner, who brought nothing.

    /// Above the threshold all of it waits; nothing arrives and nothing is lost.
    function throttle(uint256 quantitySeed) external counted {
        vm.prank(admin);
        instrument.claimProtocolFee(PERP);
        uint256 reserve = _reserve(admin);
        if (reserve == 0) return;
        uint256 quantity = bound(quantitySeed, 1, reserve);
        uint256 wallet = usd.balanceOf(admin);
        uint256 waiting = gate.pendingOf(address(usd), admin).amount;
        vm.startPrank(admin);
        gate.setThreshold(address(usd), 0);
        gate.withdraw(Words.token(address(usd), quantity));
        gate.setThreshold(address(usd), type(uint256).max);
        vm.stopPrank();
        bool waits = gate.pendingOf(address(usd), admin).amount == waiting + quantity;
        if (!waits || _reserve(admin) != reserve - quantity) violation = "a withdrawal lost money";
        if (usd.balanceOf(admin) != wallet) violation = "a withdrawal did not wait";
        _happen(Kind.PENDING);
    }

    /// Not a second early, in full, and once.
    function release() external counted {
        Pending memory pending = gate.pendingOf(address(usd), admin);
        if (pending.amount == 0) return;
        uint256 due = pending.timestamp + gate.pendingDuration();
        uint256 wallet = usd.balanceOf(admin);
        if (block.timestamp < due) {
            vm.warp(due - 1);
            if (_releases(admin)) violation = "released a second early";
            vm.warp(due);
        }
        if (!_releases(admin) || usd.balanceOf(admin) != wallet + pending.amount) violation = "not released";
        if (_releases(admin)) violation = "released twice";
        _happen(Kind.RELEASE);
    }

    function _releases(address trader) private returns (bool done) {
        vm.prank(whale);
        (done,) = address(gate).call(abi.encodeCall(gate.release, (address(usd), trader)));
    }
}
