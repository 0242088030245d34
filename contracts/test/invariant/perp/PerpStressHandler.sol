// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpCrashes} from "./PerpCrashes.sol";
import {PerpHalts} from "./PerpHalts.sol";
import {PerpMaking} from "./PerpMaking.sol";
import {SETTLING_DURATION} from "src/perp/Constants.sol";
import {Portfolio, Status} from "src/perp/Types.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";

/// Drives a perpetual and a dated pair of one instrument through what a market and its operator do to them: gaps, thin margins,
/// accounts that fail, halts, withdrawals that wait, and expiry.
contract PerpStressHandler is PerpCrashes, PerpMaking, PerpHalts {
    /// The pair goes on by a step: into its last half hour, through its expiry, until everybody has been paid and it is deleted.
    function pass(uint256 timeSeed) external counted {
        Status status = Status(instrument.getAmm(dated).status);
        if (status == Status.TRADING) {
            _arbitrage();
            uint256 late = dated - bound(timeSeed, 1, SETTLING_DURATION);
            if (block.timestamp < late) vm.warp(late);
        } else if (status == Status.SETTLING && block.timestamp < dated) {
            vm.warp(bound(timeSeed, block.timestamp, uint256(dated) + 10 minutes));
        }
        if (status != Status.SETTLED) {
            instrument.update(dated);
            Status now_ = Status(instrument.getAmm(dated).status);
            if (now_ != status) _happen(now_ == Status.SETTLING ? Kind.SETTLING : Kind.SETTLED);
            return;
        }
        address[10] memory all =
            [actors[0], actors[1], actors[2], actors[3], actors[4], whale, wanderer, visitor, roundTripper, maker];
        // One account a call, so that the sums are looked at in between. Whoever is owed more than the pair holds waits for
        // those who owe it (docs/decisions/perp-settlement.md), so one of all can be settled.
        bool waits;
        for (uint256 i; i < 10; ++i) {
            address trader = all[(timeSeed % 10 + i) % 10];
            Portfolio memory p = instrument.getPortfolio(dated, trader);
            if (p.position.size == 0 && p.rids.length == 0) continue;
            if (!_settles(trader)) {
                waits = true;
                continue;
            }
            // The last account takes the pair with it where no fee and no insurance is left.
            if (_isDeleted()) _followDeleted();
            return;
        }
        if (waits) {
            violation = "nobody can be settled";
            return;
        }
        vm.startPrank(admin);
        instrument.recycleInsuranceFund(dated);
        if (!_isDeleted()) instrument.claimProtocolFee(dated);
        vm.stopPrank();
        if (!_isDeleted()) violation = "a settled pair stays";
        _followDeleted();
    }

    function _isDeleted() private view returns (bool) {
        return instrument.getAmm(dated).status == uint8(Status.DORMANT);
    }

    function _followDeleted() private {
        _happen(Kind.DELETED);
        _arbitrage();
        _openDated();
    }

    function _settles(address trader) private returns (bool done) {
        vm.prank(whale);
        try instrument.settle(dated, trader) {
            _happen(Kind.SETTLE);
            done = true;
        } catch (bytes memory reason) {
            if (bytes4(reason) != IInstrumentErrors.InvariantBroken.selector) violation = "somebody cannot be settled";
        }
    }
}
