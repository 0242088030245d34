// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationFixture} from "./DelegationFixture.sol";
import {ForwardProbe, ProbeWallet} from "./Probes.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";

/// Delegating, undelegating and executing: every path and refusal. (Signatures, attacks and administration have their own
/// files.)
contract OneClickRouterTest is DelegationFixture {
    address private delegatee = makeAddress("delegatee");
    address private other = makeAddress("other");

    // --- delegateBySig ---

    function test_delegate_anyoneMayBringTheSignature() public {
        bytes memory signature = signDelegation(aliceKey, alice, delegatee);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.Delegated(alice, delegatee, 1, uint32(block.timestamp) + DURATION);
        vm.prank(outsider);
        oneClick.delegateBySig(alice, delegatee, FAR, signature);
        vm.assertEq(oneClick.delegateOf(alice), delegatee);
        vm.assertEq(oneClick.nonces(alice), 1);
        vm.assertEq(oneClick.delegateOf(bob), address(0));
    }

    function test_delegate_refusesZero() public {
        bytes memory signature = signDelegation(aliceKey, alice, address(0));
        vm.expectRevert(IOneClickRouter.AddressCannotBeZero.selector);
        oneClick.delegateBySig(alice, address(0), FAR, signature);
    }

    function test_delegate_deadlineIsLastValidSecond() public {
        uint32 deadline = uint32(block.timestamp);
        bytes memory signature = signWith(aliceKey, oneClick.delegateDigest(alice, delegatee, 0, deadline));
        vm.warp(deadline + 1);
        vm.expectRevert(IOneClickRouter.DeadlineExpired.selector);
        oneClick.delegateBySig(alice, delegatee, deadline, signature);
        vm.warp(deadline);
        oneClick.delegateBySig(alice, delegatee, deadline, signature);
    }

    /// The deadline bounds the taking of the signature, not the delegation.
    function test_delegate_outlivesTheDeadline() public {
        uint32 deadline = uint32(block.timestamp);
        bytes memory signature = signWith(aliceKey, oneClick.delegateDigest(alice, delegatee, 0, deadline));
        oneClick.delegateBySig(alice, delegatee, deadline, signature);
        vm.warp(deadline + DURATION - 1);
        _execute(abi.encodeCall(target.act, (7)));
        vm.assertEq(target.value(), 7);
        vm.assertEq(oneClick.endsAt(alice), deadline + DURATION);
        vm.assertEq(oneClick.delegateOf(alice), delegatee);
        vm.warp(deadline + DURATION);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.DelegationEnded.selector, deadline + DURATION));
        _execute(abi.encodeCall(target.act, (8)));
        vm.assertEq(oneClick.delegateOf(alice), address(0));
    }

    /// What is spent grows back evenly; a call that puts nothing at risk is always free.
    function test_dailyAmount_growsBackEvenly() public {
        delegateTo(aliceKey, delegatee);
        target.setSpend(DAILY_AMOUNT);
        _execute(abi.encodeCall(target.act, (1)));
        vm.assertEq(oneClick.availableAmount(alice), 0);
        target.setSpend(1);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.DailyAmountExceeded.selector, 1, 0));
        _execute(abi.encodeCall(target.act, (2)));
        target.setSpend(0);
        _execute(abi.encodeCall(target.act, (3)));
        vm.warp(block.timestamp + 6 hours);
        vm.assertEq(oneClick.availableAmount(alice), DAILY_AMOUNT / 4);
        target.setSpend(DAILY_AMOUNT / 4);
        _execute(abi.encodeCall(target.act, (4)));
        vm.assertEq(oneClick.availableAmount(alice), 0);
        vm.warp(block.timestamp + 30 days - 6 hours - 1);
        vm.assertEq(oneClick.availableAmount(alice), DAILY_AMOUNT);
    }

    function test_terms_areTheAdministrators() public {
        uint32 longest = oneClick.MAX_DURATION_SEC();
        vm.startPrank(admin);
        vm.expectRevert(IOneClickRouter.InvalidTerms.selector);
        oneClick.setTerms(0, 1);
        vm.expectRevert(IOneClickRouter.InvalidTerms.selector);
        oneClick.setTerms(longest + 1, 1);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.TermsUpdated(longest, 7);
        oneClick.setTerms(longest, 7);
        vm.stopPrank();
        (uint32 durationSec, uint96 amountWad) = oneClick.terms();
        vm.assertEq(durationSec, longest);
        vm.assertEq(amountWad, 7);
        vm.expectRevert(roleError(outsider, bytes32(0)));
        vm.prank(outsider);
        oneClick.setTerms(1 days, 1);
        vm.prank(alice);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.DailyAmountUpdated(alice, true, 0);
        oneClick.setDailyAmount(0);
        (uint96 ownWad, bool isOwn) = oneClick.dailyAmount(alice);
        vm.assertEq(ownWad, 0);
        vm.assertTrue(isOwn);
        (, isOwn) = oneClick.dailyAmount(bob);
        vm.assertFalse(isOwn);
    }

    /// Without a limit nothing is asked and nothing counted; a user's own limit holds all the same.
    function test_dailyAmount_unlimited() public {
        delegateTo(aliceKey, delegatee);
        uint96 unlimited = oneClick.UNLIMITED();
        vm.prank(admin);
        oneClick.setTerms(DURATION, unlimited);
        target.setSpend(type(uint256).max);
        _execute(abi.encodeCall(target.act, (1)));
        vm.prank(alice);
        oneClick.setDailyAmount(5);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.DailyAmountExceeded.selector, type(uint256).max, 5));
        _execute(abi.encodeCall(target.act, (2)));
    }

    /// A target that does not say what it puts at risk can be listed without a limit only.
    function test_terms_limitNeedsMeteredTargets() public {
        uint96 unlimited = oneClick.UNLIMITED();
        ProbeWallet unmetered = newWallet();
        vm.startPrank(admin);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.TargetNotMetered.selector, address(unmetered)));
        oneClick.setAllowed(address(unmetered), 0x01020304, true);
        oneClick.setTerms(DURATION, unlimited);
        oneClick.setAllowed(address(unmetered), 0x01020304, true);
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.TargetNotMetered.selector, address(unmetered)));
        oneClick.setTerms(DURATION, 1);
        oneClick.setAllowed(address(unmetered), 0x01020304, false);
        oneClick.setTerms(DURATION, 1);
        vm.stopPrank();
    }

    function test_delegate_replacesFormerWithEventsForBoth() public {
        delegateTo(aliceKey, delegatee);
        bytes memory signature = signDelegation(aliceKey, alice, other);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.Undelegated(alice, delegatee, 2);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.Delegated(alice, other, 2, uint32(block.timestamp) + DURATION);
        oneClick.delegateBySig(alice, other, FAR, signature);
        vm.assertEq(oneClick.delegateOf(alice), other);
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        _execute(abi.encodeCall(target.act, (7)));
    }

    function test_delegate_againToTheSameEndsNothing() public {
        delegateTo(aliceKey, delegatee);
        bytes memory signature = signDelegation(aliceKey, alice, delegatee);
        vm.recordLogs();
        oneClick.delegateBySig(alice, delegatee, FAR, signature);
        vm.assertEq(vm.getRecordedLogs().length, 1);
        vm.assertEq(oneClick.nonces(alice), 2);
        vm.assertEq(oneClick.delegateOf(alice), delegatee);
    }

    // --- undelegate ---

    function test_undelegate_byTheUser() public {
        delegateTo(aliceKey, delegatee);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.Undelegated(alice, delegatee, 2);
        vm.prank(alice);
        oneClick.undelegate();
        vm.assertEq(oneClick.delegateOf(alice), address(0));
        vm.assertEq(oneClick.nonces(alice), 2);
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        _execute(abi.encodeCall(target.act, (7)));
    }

    function test_undelegate_withoutDelegationStillVoidsSignatures() public {
        bytes memory signature = signDelegation(aliceKey, alice, delegatee);
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.Undelegated(alice, address(0), 1);
        vm.prank(alice);
        oneClick.undelegate();
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(alice, delegatee, FAR, signature);
    }

    function test_undelegate_touchesTheCallerOnly() public {
        delegateTo(aliceKey, delegatee);
        vm.prank(bob);
        oneClick.undelegate();
        vm.assertEq(oneClick.delegateOf(alice), delegatee);
        vm.assertEq(oneClick.nonces(alice), 1);
    }

    function test_undelegateFor_byDelegateeAndByUser() public {
        delegateTo(aliceKey, delegatee);
        vm.prank(delegatee);
        oneClick.undelegateFor(alice);
        vm.assertEq(oneClick.delegateOf(alice), address(0));
        delegateTo(aliceKey, delegatee);
        vm.prank(alice);
        oneClick.undelegateFor(alice);
        vm.assertEq(oneClick.delegateOf(alice), address(0));
        vm.assertEq(oneClick.nonces(alice), 4);
    }

    function test_undelegateFor_refusesOthers() public {
        delegateTo(aliceKey, delegatee);
        delegateTo(bobKey, other);
        address[4] memory callers = [outsider, other, bob, admin];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(IOneClickRouter.CallerNotUserOrDelegatee.selector);
            vm.prank(callers[i]);
            oneClick.undelegateFor(alice);
        }
        delegateTo(aliceKey, other);
        vm.expectRevert(IOneClickRouter.CallerNotUserOrDelegatee.selector);
        vm.prank(delegatee);
        oneClick.undelegateFor(alice);
    }

    // --- execute ---

    function test_execute_callsAsTheUserAndReturns() public {
        delegateTo(aliceKey, delegatee);
        bytes memory data = abi.encodeCall(target.act, (21));
        vm.expectEmit(address(oneClick));
        emit IOneClickRouter.Executed(alice, delegatee, address(target), ForwardProbe.act.selector);
        bytes memory answer = _execute(data);
        (address user, uint256 doubled) = abi.decode(answer, (address, uint256));
        vm.assertEq(user, alice);
        vm.assertEq(doubled, 42);
        vm.assertEq(target.lastCalldata(), abi.encodePacked(data, alice));
    }

    function test_execute_callWithoutReturnData() public {
        delegateTo(aliceKey, delegatee);
        vm.assertEq(_execute(abi.encodeCall(target.place, ("order"))).length, 0);
        vm.assertEq(target.ownerOf("order"), alice);
    }

    function test_execute_refusesAllButTheDelegatee() public {
        delegateTo(aliceKey, delegatee);
        address[4] memory callers = [outsider, alice, bob, admin];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
            vm.prank(callers[i]);
            oneClick.execute(alice, address(target), abi.encodeCall(target.act, (7)));
        }
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        vm.prank(delegatee);
        oneClick.execute(bob, address(target), abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(alice), 0);
    }

    /// Nobody is the delegatee of a user without one, not even the zero address.
    function test_execute_zeroIsNobodysDelegatee() public {
        delegateTo(aliceKey, delegatee);
        vm.prank(alice);
        oneClick.undelegate();
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        _execute(abi.encodeCall(target.act, (7)));
    }

    function test_execute_refusesCalldataWithoutSelector() public {
        delegateTo(aliceKey, delegatee);
        bytes[4] memory short = [bytes(""), hex"41", hex"4142", hex"414243"];
        for (uint256 i; i < short.length; ++i) {
            vm.expectRevert(IOneClickRouter.CalldataTooShort.selector);
            _execute(short[i]);
        }
    }

    /// Four bytes are a whole call: the user starts right behind them.
    function test_execute_selectorAlone() public {
        delegateTo(aliceKey, delegatee);
        allow(address(target), 0x12345678);
        vm.assertEq(_execute(hex"12345678"), "fallback");
        vm.assertEq(target.lastCalldata(), abi.encodePacked(bytes4(0x12345678), alice));
    }

    function test_execute_refusesWhatIsNotListed() public {
        delegateTo(aliceKey, delegatee);
        vm.expectRevert(_notAllowed(address(target), ForwardProbe.hidden.selector));
        _execute(abi.encodeCall(target.hidden, (7)));
        vm.expectRevert(_notAllowed(address(target), bytes4(0)));
        _execute(abi.encodePacked(bytes4(0), uint256(7)));

        ForwardProbe second = ForwardProbe(deployCode("Probes.sol:ForwardProbe", abi.encode(oneClick)));
        vm.expectRevert(_notAllowed(address(second), ForwardProbe.act.selector));
        vm.prank(delegatee);
        oneClick.execute(alice, address(second), abi.encodeCall(target.act, (7)));

        vm.prank(admin);
        oneClick.setAllowed(address(target), ForwardProbe.act.selector, false);
        vm.expectRevert(_notAllowed(address(target), ForwardProbe.act.selector));
        _execute(abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(alice), 0);
    }

    function test_execute_revertOfTheTargetIsUnchanged() public {
        delegateTo(aliceKey, delegatee);
        vm.expectRevert(abi.encodeWithSelector(ForwardProbe.Refused.selector, alice, 5));
        _execute(abi.encodeCall(target.refuse, (5)));
    }

    /// None, one byte, a panic, a string, and more than a word that means nothing.
    function testFuzz_execute_revertDataIsUnchanged(bytes memory data) public {
        delegateTo(aliceKey, delegatee);
        _assertReverts(data);
        _assertReverts("");
        _assertReverts(hex"00");
        _assertReverts(abi.encodeWithSignature("Panic(uint256)", 0x11));
        _assertReverts(abi.encodeWithSignature("Error(string)", "no"));
    }

    function test_execute_takesNoValue() public {
        delegateTo(aliceKey, delegatee);
        vm.deal(delegatee, 1 ether);
        bytes memory call = abi.encodeCall(oneClick.execute, (alice, address(target), abi.encodeCall(target.act, (7))));
        vm.prank(delegatee);
        (bool success,) = address(oneClick).call{value: 1}(call);
        vm.assertFalse(success);
        vm.assertEq(address(oneClick).balance, 0);
    }

    function _execute(bytes memory data) private returns (bytes memory) {
        vm.prank(delegatee);
        return oneClick.execute(alice, address(target), data);
    }

    function _assertReverts(bytes memory data) private {
        bytes memory call =
            abi.encodeCall(oneClick.execute, (alice, address(target), abi.encodeCall(target.revertWith, (data))));
        vm.prank(delegatee);
        (bool success, bytes memory answer) = address(oneClick).call(call);
        vm.assertFalse(success);
        vm.assertEq(answer, data);
    }

    function _notAllowed(address to, bytes4 selector) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IOneClickRouter.CallNotAllowed.selector, to, selector);
    }
}
