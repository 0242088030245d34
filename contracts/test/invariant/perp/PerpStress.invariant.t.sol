// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpStressBase} from "./PerpStressBase.sol";
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
        bytes4[] memory selectors = new bytes4[](20);
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
        selectors[18] = handler.enforce.selector;
        selectors[19] = handler.thin.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
        targetContract(address(handler));
    }

    /// Each life is checked often: what has gone wrong in a crash shows at once.
    /// forge-config: default.invariant.runs = 2
    /// forge-config: default.invariant.depth = 1000
    /// forge-config: default.invariant.check_interval = 25
    /// forge-config: default.invariant.fail_on_revert = true
    /// forge-config: default.invariant.shrink_run_limit = 0
    /// forge-config: whole.invariant.runs = 24
    /// forge-config: whole.invariant.depth = 1000
    /// forge-config: whole.invariant.check_interval = 25
    /// forge-config: whole.invariant.fail_on_revert = true
    /// forge-config: whole.invariant.shrink_run_limit = 0
    /// forge-config: long.invariant.runs = 1024
    /// forge-config: long.invariant.depth = 1000
    /// forge-config: long.invariant.check_interval = 50
    /// forge-config: long.invariant.fail_on_revert = true
    /// forge-config: long.invariant.shrink_run_limit = 0
    function invariant_stress() public {
        _checkAll();
    }

    function afterInvariant() public {
        _checkAll();
        // A shorter sequence is a failure being minimised or replayed.
        if (handler.calls() < 1000) return;
        for (uint8 i; i <= uint8(type(PerpStressBase.Kind).max); ++i) {
            PerpStressBase.Kind kind = PerpStressBase.Kind(i);
            uint256 times = handler.happened(kind);
            // Few fail in some lives, all of them in one way, and the insurance bears what is lost.
            if (kind == PerpStressBase.Kind.SOCIAL_LOSS) continue;
            if (kind == PerpStressBase.Kind.LIQUIDATE) times += handler.happened(PerpStressBase.Kind.SWEEP);
            if (kind == PerpStressBase.Kind.SWEEP) times += handler.happened(PerpStressBase.Kind.LIQUIDATE);
            vm.assertGe(times, 1, vm.toString(i));
        }
    }

    function _checkAll() private {
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
        vm.assertEq(handler.violation(), "");
    }
}
