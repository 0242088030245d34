// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationFixture} from "./DelegationFixture.sol";
import {ForwardProbe, ProbeWallet} from "./Probes.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";

/// Each test plays one attack and states what the attacker ends with. The attacker has got Alice to sign for it; Bob has
/// delegated to the pool as he should.
contract DelegationAttacksTest is DelegationFixture {
    bytes4 private constant REENTRANT = bytes4(keccak256("ReentrancyGuardReentrantCall()"));

    address private attacker = makeAddress("attacker");

    function setUp() public override {
        super.setUp();
        delegateTo(aliceKey, attacker);
        enable(bobKey);
    }

    /// Attacker ends with: the listed functions, as Alice. Nothing that is not listed, no other target, nobody else.
    function test_attack_poisonedDelegation() public {
        vm.startPrank(attacker);
        oneClick.execute(alice, address(target), abi.encodeCall(target.act, (7)));
        vm.expectRevert(_notAllowed(address(target), ForwardProbe.hidden.selector));
        oneClick.execute(alice, address(target), abi.encodeCall(target.hidden, (8)));
        ForwardProbe other = ForwardProbe(deployCode("Probes.sol:ForwardProbe", abi.encode(oneClick)));
        vm.expectRevert(_notAllowed(address(other), ForwardProbe.act.selector));
        oneClick.execute(alice, address(other), abi.encodeCall(target.act, (8)));
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        oneClick.execute(bob, address(target), abi.encodeCall(target.act, (8)));
        vm.stopPrank();
        vm.assertEq(target.value(), 7);
        vm.assertEq(target.callsAs(alice), 1);
        vm.assertEq(target.callsAs(bob), 0);
        vm.assertEq(other.callsAs(alice), 0);
    }

    /// Attacker ends with: nothing more once Alice says so, in one call and without anybody's help.
    function test_attack_poisonedDelegationIsEnded() public {
        vm.prank(alice);
        oneClick.undelegate();
        vm.prank(attacker);
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        oneClick.execute(alice, address(target), abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(alice), 0);
    }

    /// Attacker ends with: a refusal. Naming another user's order is not being that user.
    function test_attack_otherUsersOrder() public {
        executeAs(bob, address(target), abi.encodeCall(target.place, ("bob's order")));
        vm.prank(attacker);
        vm.expectRevert(ForwardProbe.CallerNotOwner.selector);
        oneClick.execute(alice, address(target), abi.encodeCall(target.cancel, ("bob's order")));
        vm.assertEq(target.ownerOf("bob's order"), bob);
    }

    /// Attacker ends with: calls as Alice. Whatever twenty bytes it puts at the end of `data`, Alice's stand behind them.
    function testFuzz_attack_appendsVictim(bytes calldata padding, uint8 times) public {
        bytes memory data = abi.encodePacked(abi.encodeCall(target.act, (7)), padding);
        for (uint256 i; i < times % 4 + 1; ++i) {
            data = abi.encodePacked(data, bob);
        }
        vm.prank(attacker);
        bytes memory answer = oneClick.execute(alice, address(target), data);
        (address user,) = abi.decode(answer, (address, uint256));
        vm.assertEq(user, alice);
        vm.assertEq(target.lastCalldata(), abi.encodePacked(data, alice));
        vm.assertEq(target.callsAs(bob), 0);
    }

    /// Attacker ends with: a call as Alice whose argument is cut short. The appended bytes never make up for missing ones
    /// in the user's place: a target decodes them as arguments, and still takes the last twenty for the user.
    function test_attack_missingArguments() public {
        vm.prank(attacker);
        (bool success,) = address(oneClick)
            .call(
                abi.encodeCall(
                    oneClick.execute, (alice, address(target), abi.encodePacked(ForwardProbe.act.selector, bob))
                )
            );
        vm.assertTrue(success);
        vm.assertEq(target.lastUser(), alice);
        vm.assertEq(target.callsAs(bob), 0);
    }

    /// Attacker ends with: its own name. Only the forwarder is believed.
    function test_attack_imitatesTheForwarder() public {
        vm.prank(attacker);
        (bool success,) = address(target).call(abi.encodePacked(abi.encodeCall(target.act, (7)), bob));
        vm.assertTrue(success);
        vm.assertEq(target.lastUser(), attacker);
        vm.assertEq(target.callsAs(bob), 0);
    }

    /// Attacker ends with: nothing. An operator that was removed holds no right of its own.
    function test_attack_removedOperator() public {
        bytes32 role = pool.OPERATOR_ROLE();
        vm.prank(admin);
        pool.revokeRole(role, operator);
        bytes memory data = abi.encodeCall(target.act, (7));
        vm.startPrank(operator);
        vm.expectRevert(roleError(operator, role));
        pool.execute(address(oneClick), bob, address(target), data);
        vm.expectRevert(roleError(operator, role));
        pool.disable(address(oneClick), bob);
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        oneClick.execute(bob, address(target), data);
        vm.expectRevert(IOneClickRouter.CallerNotUserOrDelegatee.selector);
        oneClick.undelegateFor(bob);
        vm.stopPrank();
        vm.assertEq(target.callsAs(bob), 0);
    }

    /// Attacker ends with: a refusal, whichever side ended the delegation after Alice signed.
    function test_attack_staleSignature() public {
        bytes memory signature = signDelegation(aliceKey, alice, attacker);
        vm.prank(alice);
        oneClick.undelegate();
        vm.startPrank(attacker);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(alice, attacker, FAR, signature);
        vm.stopPrank();

        bytes memory second = signDelegation(aliceKey, alice, attacker);
        delegateTo(aliceKey, address(pool));
        vm.prank(operator);
        pool.disable(address(oneClick), alice);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        vm.prank(attacker);
        oneClick.delegateBySig(alice, attacker, FAR, second);
        vm.assertEq(oneClick.delegateOf(alice), address(0));
    }

    /// Attacker ends with: one of two signatures of the same nonce. Alice signed for the pool and for the attacker; the
    /// one that comes first voids the other.
    function test_attack_twoSignaturesOfOneNonce() public {
        bytes memory forAttacker = signDelegation(aliceKey, alice, attacker);
        enable(aliceKey);
        vm.prank(attacker);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(alice, attacker, FAR, forAttacker);
        vm.assertEq(oneClick.delegateOf(alice), address(pool));
    }

    /// Attacker ends with: a refused second call. A target that calls back into `execute` while it is executed, with the
    /// attacker's delegatee being the target itself, does not get in.
    function test_attack_targetReenters() public {
        delegateTo(aliceKey, address(target));
        bytes memory inner = abi.encodeCall(oneClick.execute, (alice, address(target), abi.encodeCall(target.act, (7))));
        bytes memory answer =
            executeAs(bob, address(target), abi.encodeCall(target.callBack, (address(oneClick), inner)));
        (bool success, bytes memory refusal) = abi.decode(answer, (bool, bytes));
        vm.assertFalse(success);
        vm.assertEq(bytes32(refusal), bytes32(REENTRANT));
        vm.assertEq(target.callsAs(alice), 0);
        vm.assertEq(target.callsAs(bob), 1);
    }

    /// Attacker ends with: nothing. Through a careless target it speaks as that target, which is nobody here: it cannot
    /// drive the pool, end Bob's delegation or list a function.
    function test_attack_throughTarget() public {
        _callBackRefused(
            address(pool),
            abi.encodeCall(pool.execute, (address(oneClick), bob, address(target), abi.encodeCall(target.act, (7)))),
            roleError(address(target), pool.OPERATOR_ROLE())
        );
        _callBackRefused(
            address(oneClick),
            abi.encodeCall(oneClick.undelegateFor, (bob)),
            abi.encodeWithSelector(IOneClickRouter.CallerNotUserOrDelegatee.selector)
        );
        _callBackRefused(
            address(oneClick),
            abi.encodeCall(oneClick.setAllowed, (address(target), ForwardProbe.hidden.selector, true)),
            roleError(address(target), bytes32(0))
        );
        vm.assertEq(oneClick.delegateOf(bob), address(pool));
        vm.assertEq(target.callsAs(bob), 0);
    }

    /// Ends with the delegation ended: a user's statement counts even in the middle of a delegated call, and does not undo
    /// or break that call.
    function test_attack_undelegationInsideExecute() public {
        ProbeWallet wallet = newWallet();
        wallet.accept(oneClick.delegateDigest(address(wallet), attacker, 0, FAR), "sig");
        oneClick.delegateBySig(address(wallet), attacker, FAR, "sig");
        bytes memory undelegate =
            abi.encodeCall(wallet.act, (address(oneClick), abi.encodeCall(oneClick.undelegate, ())));
        vm.startPrank(attacker);
        oneClick.execute(
            address(wallet), address(target), abi.encodeCall(target.callBack, (address(wallet), undelegate))
        );
        vm.assertEq(oneClick.delegateOf(address(wallet)), address(0));
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        oneClick.execute(address(wallet), address(target), abi.encodeCall(target.act, (7)));
        vm.stopPrank();
    }

    /// Attacker ends with: nothing kept. With too little gas for the target the whole call fails; it never half-succeeds.
    function testFuzz_attack_starvesTheTarget(uint256 gasLimit) public {
        gasLimit = bound(gasLimit, 1000, 400_000);
        bytes memory call =
            abi.encodeCall(pool.execute, (address(oneClick), bob, address(target), abi.encodeCall(target.act, (7))));
        vm.prank(operator);
        (bool success,) = address(pool).call{gas: gasLimit}(call);
        vm.assertEq(target.callsAs(bob), success ? 1 : 0);
        vm.assertEq(target.value(), success ? 7 : 0);
    }

    function _callBackRefused(address to, bytes memory data, bytes memory expected) private {
        vm.prank(attacker);
        bytes memory answer = oneClick.execute(alice, address(target), abi.encodeCall(target.callBack, (to, data)));
        (bool success, bytes memory refusal) = abi.decode(answer, (bool, bytes));
        vm.assertFalse(success);
        vm.assertEq(refusal, expected);
    }

    function _notAllowed(address to, bytes4 selector) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IOneClickRouter.CallNotAllowed.selector, to, selector);
    }
}
