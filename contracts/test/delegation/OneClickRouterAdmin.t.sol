// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationFixture} from "./DelegationFixture.sol";
import {ForwardProbe} from "./Probes.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";
import {IOperatorPool} from "src/delegation/interfaces/IOperatorPool.sol";

/// The router's pause, list, set-up and upgrade.
contract OneClickRouterAdminTest is DelegationFixture {
    address private delegatee = makeAddress("delegatee");
    address private other = makeAddress("other");

    // --- pause ---

    function test_pause_stopsAllButUndelegating() public {
        delegateTo(aliceKey, delegatee);
        delegateTo(bobKey, delegatee);
        bytes memory signature = signDelegation(aliceKey, alice, other);
        vm.prank(guardian);
        oneClick.pause();
        vm.expectRevert(PAUSED);
        _execute(abi.encodeCall(target.act, (7)));
        vm.expectRevert(PAUSED);
        oneClick.delegateBySig(alice, other, FAR, signature);

        vm.prank(delegatee);
        oneClick.undelegateFor(bob);
        vm.prank(alice);
        oneClick.undelegate();
        vm.prank(alice);
        oneClick.undelegateFor(alice);
        vm.assertEq(oneClick.delegateOf(alice), address(0));
        vm.assertEq(oneClick.delegateOf(bob), address(0));

        vm.prank(admin);
        oneClick.unpause();
        delegateTo(aliceKey, delegatee);
        _execute(abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(alice), 1);
    }

    function test_guardian_canOnlyPause() public {
        bytes32 role = oneClick.GUARDIAN_ROLE();
        vm.expectRevert(roleError(outsider, role));
        vm.prank(outsider);
        oneClick.pause();
        vm.expectRevert(roleError(admin, role));
        vm.prank(admin);
        oneClick.pause();
        vm.startPrank(guardian);
        oneClick.pause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        oneClick.unpause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        oneClick.setAllowed(address(target), ForwardProbe.hidden.selector, true);
        vm.expectRevert(roleError(guardian, bytes32(0)));
        oneClick.grantRole(role, outsider);
        vm.stopPrank();
    }

    // --- administration ---

    function test_setAllowed_listsAndUnlists() public {
        bytes4 selector = ForwardProbe.hidden.selector;
        vm.startPrank(admin);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.AllowedUpdated(address(target), selector, true);
        oneClick.setAllowed(address(target), selector, true);
        vm.assertTrue(oneClick.isAllowed(address(target), selector));
        vm.recordLogs();
        oneClick.setAllowed(address(target), selector, true);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.AllowedUpdated(address(target), selector, false);
        oneClick.setAllowed(address(target), selector, false);
        vm.assertFalse(oneClick.isAllowed(address(target), selector));
        vm.stopPrank();
    }

    function test_setAllowed_refusesOthersThanTheAdmin() public {
        vm.expectRevert(roleError(operator, bytes32(0)));
        vm.prank(operator);
        oneClick.setAllowed(address(target), ForwardProbe.hidden.selector, true);
    }

    /// A call to an account without code would succeed and do nothing.
    function test_setAllowed_refusesTargetWithoutCode() public {
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.TargetHasNoCode.selector, outsider));
        oneClick.setAllowed(outsider, ForwardProbe.act.selector, true);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.TargetHasNoCode.selector, address(0)));
        oneClick.setAllowed(address(0), ForwardProbe.act.selector, true);
        vm.stopPrank();
    }

    function test_setAllowed_refusesRoutersAndPools() public {
        address[4] memory forbidden = [address(oneClick), address(newOneClick()), address(pool), address(newPool())];
        vm.startPrank(admin);
        for (uint256 i; i < forbidden.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.TargetForbidden.selector, forbidden[i]));
            oneClick.setAllowed(forbidden[i], IOneClickRouter.execute.selector, true);
        }
        vm.stopPrank();
    }

    /// A listed target that lost its code can still be taken off.
    function test_setAllowed_unlistsWithoutAskingTheTarget() public {
        vm.etch(address(target), "");
        vm.prank(admin);
        oneClick.setAllowed(address(target), ForwardProbe.act.selector, false);
        vm.assertFalse(oneClick.isAllowed(address(target), ForwardProbe.act.selector));
    }

    function test_supportsInterface() public view {
        vm.assertTrue(oneClick.supportsInterface(type(IOneClickRouter).interfaceId));
        vm.assertFalse(oneClick.supportsInterface(type(IOperatorPool).interfaceId));
        vm.assertTrue(oneClick.supportsInterface(0x01ffc9a7));
        vm.assertFalse(oneClick.supportsInterface(0xffffffff));
    }

    function test_initialize_checksAndHappensOnce() public {
        bytes4 again = bytes4(keccak256("InvalidInitialization()"));
        vm.expectRevert(again);
        oneClick.initialize(outsider, DURATION, DAILY_AMOUNT);
        OneClickRouter implementation = OneClickRouter(deployCode("OneClickRouter.sol:OneClickRouter", ""));
        vm.expectRevert(again);
        implementation.initialize(outsider, DURATION, DAILY_AMOUNT);
        vm.etch(address(0xbeef), address(implementation).code);
        vm.expectRevert(IOneClickRouter.AddressCannotBeZero.selector);
        OneClickRouter(address(0xbeef)).initialize(address(0), DURATION, DAILY_AMOUNT);
    }

    function test_upgrade_byAdminKeepsState() public {
        delegateTo(aliceKey, delegatee);
        bytes memory signature = signDelegation(aliceKey, alice, other);
        address next = deployCode("OneClickRouter.sol:OneClickRouter", "");
        vm.expectRevert(roleError(guardian, bytes32(0)));
        vm.prank(guardian);
        oneClick.upgradeToAndCall(next, "");
        vm.prank(admin);
        oneClick.upgradeToAndCall(next, "");
        _execute(abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(alice), 1);
        // The domain is the proxy's, so what was signed before still counts.
        oneClick.delegateBySig(alice, other, FAR, signature);
    }

    function _execute(bytes memory data) private returns (bytes memory) {
        vm.prank(delegatee);
        return oneClick.execute(alice, address(target), data);
    }
}
