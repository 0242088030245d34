// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationFixture} from "./DelegationFixture.sol";
import {ForwardProbe} from "./Probes.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {OperatorPool} from "src/delegation/OperatorPool.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";
import {IOperatorPool} from "src/delegation/interfaces/IOperatorPool.sol";

/// Every path and refusal of the pool.
contract OperatorPoolTest is DelegationFixture {
    function test_enableExecuteDisable() public {
        enable(aliceKey);
        vm.assertEq(oneClick.delegateOf(alice), address(pool));
        (address user, uint256 doubled) =
            abi.decode(executeAs(alice, address(target), abi.encodeCall(target.act, (21))), (address, uint256));
        vm.assertEq(user, alice);
        vm.assertEq(doubled, 42);
        vm.prank(operator);
        pool.disable(address(oneClick), alice);
        vm.assertEq(oneClick.delegateOf(alice), address(0));
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        executeAs(alice, address(target), abi.encodeCall(target.act, (21)));
    }

    /// The pool always names itself, whomever the user signed for.
    function test_enable_takesSignaturesForThePoolOnly() public {
        bytes memory signature = signDelegation(aliceKey, alice, operator);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        vm.prank(operator);
        pool.enable(address(oneClick), alice, FAR, signature);
    }

    function test_enable_passesDeadlineOn() public {
        uint32 deadline = uint32(block.timestamp - 1);
        bytes memory signature = signWith(aliceKey, oneClick.delegateDigest(alice, address(pool), 0, deadline));
        vm.expectRevert(IOneClickRouter.DeadlineExpired.selector);
        vm.prank(operator);
        pool.enable(address(oneClick), alice, deadline, signature);
    }

    function test_disable_refusesUsersOfOthers() public {
        delegateTo(aliceKey, outsider);
        vm.expectRevert(IOneClickRouter.CallerNotUserOrDelegatee.selector);
        vm.prank(operator);
        pool.disable(address(oneClick), alice);
        vm.assertEq(oneClick.delegateOf(alice), outsider);
    }

    function testFuzz_execute_revertDataIsUnchanged(bytes memory data) public {
        enable(aliceKey);
        bytes memory inner = abi.encodeCall(target.revertWith, (data));
        bytes memory call = abi.encodeCall(pool.execute, (address(oneClick), alice, address(target), inner));
        vm.prank(operator);
        (bool success, bytes memory answer) = address(pool).call(call);
        vm.assertFalse(success);
        vm.assertEq(answer, data);
    }

    function test_operatorsOnly() public {
        bytes memory signature = signDelegation(aliceKey, alice, address(pool));
        bytes32 role = pool.OPERATOR_ROLE();
        address[4] memory callers = [outsider, alice, admin, guardian];
        for (uint256 i; i < callers.length; ++i) {
            vm.startPrank(callers[i]);
            vm.expectRevert(roleError(callers[i], role));
            pool.enable(address(oneClick), alice, FAR, signature);
            vm.expectRevert(roleError(callers[i], role));
            pool.disable(address(oneClick), alice);
            vm.expectRevert(roleError(callers[i], role));
            pool.execute(address(oneClick), alice, address(target), abi.encodeCall(target.act, (7)));
            vm.stopPrank();
        }
    }

    /// Operators change; the user's one delegation stays.
    function test_operatorsRotate() public {
        enable(aliceKey);
        address next = makeAddress("next operator");
        bytes32 role = pool.OPERATOR_ROLE();
        vm.startPrank(admin);
        pool.revokeRole(role, operator);
        pool.grantRole(role, next);
        vm.stopPrank();
        vm.assertEq(pool.getRoleMemberCount(role), 1);
        vm.expectRevert(roleError(operator, role));
        executeAs(alice, address(target), abi.encodeCall(target.act, (7)));
        vm.prank(next);
        pool.execute(address(oneClick), alice, address(target), abi.encodeCall(target.act, (8)));
        vm.assertEq(target.value(), 8);
    }

    function test_pause_leavesDisableOpen() public {
        enable(aliceKey);
        bytes memory signature = signDelegation(bobKey, bob, address(pool));
        vm.prank(guardian);
        pool.pause();
        vm.expectRevert(PAUSED);
        executeAs(alice, address(target), abi.encodeCall(target.act, (7)));
        vm.expectRevert(PAUSED);
        vm.prank(operator);
        pool.enable(address(oneClick), bob, FAR, signature);
        vm.prank(operator);
        pool.disable(address(oneClick), alice);
        vm.assertEq(oneClick.delegateOf(alice), address(0));
        vm.prank(admin);
        pool.unpause();
        enable(aliceKey);
    }

    function test_guardian_canOnlyPause() public {
        bytes32 role = pool.OPERATOR_ROLE();
        vm.expectRevert(roleError(outsider, pool.GUARDIAN_ROLE()));
        vm.prank(outsider);
        pool.pause();
        vm.startPrank(guardian);
        pool.pause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        pool.unpause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        pool.setRouter(address(oneClick), false);
        vm.expectRevert(roleError(guardian, bytes32(0)));
        pool.grantRole(role, outsider);
        vm.stopPrank();
    }

    // --- routers ---

    function test_setRouter_twoProductsAreApart() public {
        OneClickRouter second = newOneClick();
        vm.expectEmit(address(pool));
        emit IOperatorPool.RouterUpdated(address(second), true);
        vm.prank(admin);
        pool.setRouter(address(second), true);
        enable(aliceKey);
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        vm.prank(operator);
        pool.execute(address(second), alice, address(target), abi.encodeCall(target.act, (7)));
        vm.prank(admin);
        pool.setRouter(address(second), false);
        executeAs(alice, address(target), abi.encodeCall(target.act, (7)));
    }

    function test_setRouter_unknownAndRemovedAreRefused() public {
        enable(aliceKey);
        vm.recordLogs();
        vm.prank(admin);
        pool.setRouter(address(oneClick), true);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.expectEmit(address(pool));
        emit IOperatorPool.RouterUpdated(address(oneClick), false);
        vm.prank(admin);
        pool.setRouter(address(oneClick), false);
        vm.assertFalse(pool.isRouter(address(oneClick)));
        _assertRefused(address(oneClick));
        _assertRefused(address(target));
        vm.prank(alice);
        oneClick.undelegate();
    }

    function test_setRouter_refusesOtherContracts() public {
        address[4] memory others = [address(target), address(pool), outsider, address(0)];
        for (uint256 i; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IOperatorPool.NotOneClickRouter.selector, others[i]));
            vm.prank(admin);
            pool.setRouter(others[i], true);
        }
        vm.expectRevert(roleError(operator, bytes32(0)));
        vm.prank(operator);
        pool.setRouter(address(oneClick), false);
    }

    /// A removed router is not asked any more.
    function test_setRouter_removesWithoutAsking() public {
        vm.etch(address(oneClick), "");
        vm.prank(admin);
        pool.setRouter(address(oneClick), false);
        vm.assertFalse(pool.isRouter(address(oneClick)));
    }

    function test_supportsInterface() public view {
        vm.assertTrue(pool.supportsInterface(type(IOperatorPool).interfaceId));
        vm.assertFalse(pool.supportsInterface(type(IOneClickRouter).interfaceId));
    }

    function test_initialize_checksAndHappensOnce() public {
        bytes4 again = bytes4(keccak256("InvalidInitialization()"));
        vm.expectRevert(again);
        pool.initialize(outsider);
        OperatorPool implementation = OperatorPool(deployCode("OperatorPool.sol:OperatorPool", ""));
        vm.expectRevert(again);
        implementation.initialize(outsider);
        vm.etch(address(0xbeef), address(implementation).code);
        vm.expectRevert(IOperatorPool.AddressCannotBeZero.selector);
        OperatorPool(address(0xbeef)).initialize(address(0));
    }

    function test_upgrade_byAdminKeepsState() public {
        enable(aliceKey);
        address next = deployCode("OperatorPool.sol:OperatorPool", "");
        vm.expectRevert(roleError(operator, bytes32(0)));
        vm.prank(operator);
        pool.upgradeToAndCall(next, "");
        vm.prank(admin);
        pool.upgradeToAndCall(next, "");
        executeAs(alice, address(target), abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(alice), 1);
    }

    function _assertRefused(address router) private {
        bytes memory refusal = abi.encodeWithSelector(IOperatorPool.RouterNotAllowed.selector, router);
        vm.startPrank(operator);
        vm.expectRevert(refusal);
        pool.enable(router, alice, FAR, "");
        vm.expectRevert(refusal);
        pool.disable(router, alice);
        vm.expectRevert(refusal);
        pool.execute(router, alice, address(target), abi.encodeCall(ForwardProbe.act, (7)));
        vm.stopPrank();
    }
}
