// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpSlots} from "./PerpSlots.sol";
import {PerpStressBase} from "./PerpStressBase.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {Amm, Status} from "src/perp/Types.sol";
import {Wad} from "src/perp/maths/Wad.sol";
import {Words} from "test/perp/Words.sol";

/// Gaps of the market, accounts on thin margins, and what becomes of them.
abstract contract PerpCrashes is PerpStressBase {
    // The mark stays where the first range reaches.
    uint256 private constant LOWEST = 2150e8;
    uint256 private constant HIGHEST = 4200e8;

    /// The oracle jumps by up to three tenths; mostly the curve follows, sometimes it stays behind.
    function gap(uint256 jumpSeed, uint256 timeSeed) external counted {
        (, int256 answer,,,) = btcFeed.latestRoundData();
        uint256 next = uint256(answer) * bound(jumpSeed, 70, 143) / 100;
        if (next < LOWEST || next > HIGHEST) next = uint256(answer) * uint256(answer) / next;
        btcFeed.set(int256(bound(next, LOWEST, HIGHEST)));
        vm.warp(block.timestamp + bound(timeSeed, 0, 30 minutes));
        _happen(Kind.GAP);
        if (timeSeed % 4 != 0) _arbitrage();
    }

    /// A position on the least margin there is.
    function thin(uint256 who, int256 sizeSeed, bool ofDated) external counted {
        uint32 expiry = ofDated ? dated : PERP;
        int256 size = bound(sizeSeed, -20e18, 20e18);
        try this.openThin(expiry, _actor(who), size) {
            _happen(ofDated ? Kind.THIN_DATED : Kind.THIN);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function openThin(uint32 expiry, address trader, int256 size) external {
        int256 amount = int256(instrument.inquire(expiry, size).minAmount);
        vm.prank(trader);
        instrument.trade(Words.trade(expiry, size, amount, size > 0 ? MAX_TICK : MIN_TICK, 0));
    }

    /// Whoever is below the maintenance margin is taken over by the whale or closed against the curve, whole or in part.
    function enforce(uint256 partSeed) external counted {
        if (partSeed % 3 == 1) _emptyFunds();
        for (uint256 i; i < 5; ++i) {
            _enforce(PERP, actors[i], partSeed, partSeed % 2 == i % 2);
            _enforce(dated, actors[i], partSeed, partSeed % 2 != i % 2);
        }
    }

    /// The owner takes the insurance, so that losses reach accounts.
    function _emptyFunds() private {
        vm.startPrank(admin);
        try instrument.recycleInsuranceFund(PERP) {} catch {}
        try instrument.recycleInsuranceFund(dated) {} catch {}
        vm.stopPrank();
    }

    function _enforce(uint32 expiry, address target, uint256 seed, bool sweeps) private {
        int256 size = instrument.getPortfolio(expiry, target).position.size;
        if (size == 0) return;
        if (seed % 3 == 0) size = size * int256(bound(seed, 1, 99)) / 100;
        if (size == 0) return;
        Amm memory before = instrument.getAmm(expiry);
        vm.prank(whale);
        (bool done, bytes memory reason) = address(instrument)
            .call(
                sweeps
                    ? abi.encodeCall(instrument.sweep, (expiry, target, -size))
                    : abi.encodeCall(instrument.liquidate, (expiry, target, size, uint256(AMPLE)))
            );
        if (!done) return _expected(reason);
        _happen(sweeps ? Kind.SWEEP : Kind.LIQUIDATE);
        Amm memory amm = instrument.getAmm(expiry);
        if (
            amm.longSocialLossIndex != before.longSocialLossIndex
                || amm.shortSocialLossIndex != before.shortSocialLossIndex
        ) _happen(Kind.SOCIAL_LOSS);
    }

    /// A loss of one side that the fund gets, as a crash would have left it: everything that carries an index is worth less by it.
    function cheat(uint256 lossSeed, bool ofLongs, bool ofDated) external counted {
        uint32 expiry = ofDated ? dated : PERP;
        Amm memory amm = instrument.getAmm(expiry);
        if (amm.status == uint8(Status.SETTLED)) return;
        uint256 loss = bound(lossSeed, 1, 5e18);
        uint256 paid = Wad.mulDown(loss, ofLongs ? amm.totalLong : amm.totalShort);
        _addTo(expiry, PerpSlots.SOCIAL_LOSSES, ofLongs ? loss : loss << 128);
        _addTo(expiry, PerpSlots.INSURANCE, paid);
        if (instrument.getAmm(expiry).insuranceFund != amm.insuranceFund + paid) {
            violation = "the cheat missed its word";
        }
        _happen(Kind.CHEAT);
    }

    function _addTo(uint32 expiry, uint256 word, uint256 amount) private {
        bytes32 slot = bytes32(uint256(PerpSlots.ofPair(expiry)) + word);
        uint256 value = uint256(vm.load(address(instrument), slot));
        vm.store(address(instrument), slot, bytes32(value + amount));
    }
}
