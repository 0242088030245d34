// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationHandler} from "./DelegationHandler.sol";
import {TestBase} from "test/TestBase.sol";

/// Whatever anyone does in whatever order: calls reach the target as a user only by whom that user has named last.
contract DelegationInvariantTest is TestBase {
    uint256 private constant MIN_SUCCESSES = 3;
    uint256 private constant FULL_RUN = 300;

    DelegationHandler private handler;

    function setUp() public {
        handler = DelegationHandler(deployCode("DelegationHandler.sol:DelegationHandler", ""));
        handler.setUp();
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](13);
        selectors[0] = handler.sign.selector;
        selectors[1] = handler.undelegate.selector;
        selectors[2] = handler.enableFresh.selector;
        selectors[3] = handler.bringSignature.selector;
        selectors[4] = handler.bringForOther.selector;
        selectors[5] = handler.execute.selector;
        selectors[6] = handler.executeHidden.selector;
        selectors[7] = handler.disable.selector;
        selectors[8] = handler.outsiderExecutes.selector;
        selectors[9] = handler.outsiderTries.selector;
        selectors[10] = handler.rotate.selector;
        selectors[11] = handler.pause.selector;
        selectors[12] = handler.timePasses.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    /// Every single call is held against the users' word in the handler; here nothing may have happened beside it.
    /// forge-config: default.invariant.runs = 2
    /// forge-config: default.invariant.fail-on-revert = true
    /// forge-config: whole.invariant.runs = 32
    /// forge-config: whole.invariant.fail-on-revert = true
    function invariant_usersWordIsWhatCounts() public view {
        for (uint256 i; i < handler.userCount(); ++i) {
            address user = handler.users(i);
            (address delegatee, uint64 nonce, uint256 callsAs) = handler.outcome(user);
            vm.assertEq(delegatee, handler.stated(user), "the delegatee is whom the user named last");
            vm.assertEq(nonce, handler.statements(user), "the nonce is the number of statements");
            vm.assertEq(callsAs, handler.executed(user), "calls as the user are those of its delegatee");
        }
        address[5] memory others = handler.outsiders();
        for (uint256 i; i < others.length; ++i) {
            (,, uint256 callsAs) = handler.outcome(others[i]);
            vm.assertEq(callsAs, handler.executed(others[i]), "others come as themselves only");
        }
    }

    /// A campaign that only failed to do things would prove nothing: every action has worked, and where it must be refused
    /// at times, was refused, in every run.
    function afterInvariant() public view {
        bytes32[11] memory actions = [
            bytes32("sign"),
            "undelegate",
            "enable",
            "bring",
            "execute",
            "disable",
            "outsiderExecutes",
            "rotate",
            "pause",
            "unpause",
            "timePasses"
        ];
        bytes32[7] memory refused = [
            bytes32("bring"), "bringForOther", "execute", "executeHidden", "disable", "outsiderTries", "former operator"
        ];
        uint256 total;
        for (uint256 i; i < actions.length; ++i) {
            total += handler.successes(actions[i]);
        }
        // Forge also comes here after replaying a shortened failure, where counts mean nothing.
        if (total < FULL_RUN) return;
        for (uint256 i; i < actions.length; ++i) {
            vm.assertGe(handler.successes(actions[i]), MIN_SUCCESSES, string(abi.encodePacked(actions[i])));
        }
        for (uint256 i; i < refused.length; ++i) {
            bytes32 name = keccak256(abi.encode(refused[i], "refused"));
            vm.assertGe(
                handler.successes(name), MIN_SUCCESSES, string.concat("refused ", string(abi.encodePacked(refused[i])))
            );
        }
    }
}
