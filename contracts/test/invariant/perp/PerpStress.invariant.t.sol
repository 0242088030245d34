// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpStressHandler} from "./PerpStressHandler.sol";
import {PerpSums} from "./PerpSums.sol";
import {PERP_EXPIRY} from "src/perp/Constants.sol";
import {Amm, Status} from "src/perp/Types.sol";

/// The sums of the ordinary campaign, where accounts fail, markets halt and a pair ends.
contract PerpStressInvariantTest is PerpSums {
    PerpStressHandler private handler;

    function setUp() public {
        handler = new PerpStressHandler();
        handler.setUp();
        (instrument, gate, usd) = (handler.theInstrument(), handler.theGate(), handler.theQuote());
        bytes4[] memory selectors = new bytes4[](18);
        selectors[0] = handler.gap.selector;
        selectors[1] = handler.thin.selector;
        selectors[2] = handler.thin.selector;
        selectors[3] = handler.thin.selector;
        selectors[4] = handler.enforce.selector;
        selectors[5] = handler.enforce.selector;
        selectors[6] = handler.cheat.selector;
        selectors[7] = handler.edge.selector;
        selectors[8] = handler.make.selector;
        selectors[9] = handler.claim.selector;
        selectors[10] = handler.liquidity.selector;
        selectors[11] = handler.freeze.selector;
        selectors[12] = handler.close.selector;
        selectors[13] = handler.pause.selector;
        selectors[14] = handler.throttle.selector;
        selectors[15] = handler.release.selector;
        selectors[16] = handler.pass.selector;
        selectors[17] = handler.pass.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    /// Few runs, each checked often: what has gone wrong in a crash shows at once.
    /// forge-config: default.invariant.runs = 2
    /// forge-config: default.invariant.check_interval = 25
    /// forge-config: long.invariant.check_interval = 50
    /// forge-config: default.invariant.shrink_run_limit = 100
    /// forge-config: long.invariant.shrink_run_limit = 100
    function invariant_stress() public {
        _checkAll();
    }

    function afterInvariant() public {
        _checkAll();
        // A shorter sequence is a failure being minimised or replayed.
        if (handler.calls() < 500) return;
        uint8[21] memory least = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1];
        for (uint8 i; i < 21; ++i) {
            vm.assertGe(handler.happened(PerpStressHandler.Kind(i)), least[i], vm.toString(i));
        }
    }

    function _checkAll() private {
        vm.assertEq(handler.violation(), "");
        Amm memory perp = instrument.getAmm(PERP_EXPIRY);
        Sums memory sums = _sumPair(perp, handler.everyone(), handler.allGenerations());
        _checkPair(perp, sums, handler.operations());
        uint256 involved = perp.involvedFund;
        Amm memory dated = instrument.getAmm(handler.dated());
        if (dated.status != uint8(Status.DORMANT)) {
            Sums memory ofDated = _sumPair(dated, handler.everyone(), new uint48[](0));
            _checkPair(dated, ofDated, handler.operations());
            involved += dated.involvedFund;
        }
        uint256 held = gate.reserveOf(address(usd), address(instrument));
        vm.assertGe(held, involved, "the instrument holds what its pairs say");
        vm.assertLe(held - involved, 20_000_000 * (handler.operations() + 1), "and of pairs that are deleted only dust");
        vm.assertGe(usd.balanceOf(address(gate)), sums.reserves + held, "Gate covers its reserves");
    }
}
