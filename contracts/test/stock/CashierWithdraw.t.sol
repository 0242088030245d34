// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {CashToken, RefusingToken} from "test/tokens/HostileTokens.sol";

contract CashierWithdrawTest is StockFixture {
    function setUp() public override {
        super.setUp();
        fund(alice, 10_000e6);
    }

    function test_instant_paysAndRefillsCreditBuffer() public {
        fund(bob, 3000e6);
        vm.assertEq(cashier.creditBufferWad(), 17_000e18);
        vm.expectEmit(address(cashier));
        emit ICashier.CreditBufferWadUpdated(18_000e18);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawBufferUpdated(address(usdc), WITHDRAW_BUFFER + 3000e6 - 997.9e6);
        vm.expectEmit(address(cashier));
        emit ICashier.InstantWithdrawal(nextCashId(alice), alice, address(usdc), 1000e18, 997.9e6, 2.1e18);
        vm.prank(alice);
        router.withdraw(address(usdc), 1000e18);
        vm.assertEq(usdc.balanceOf(alice), 997.9e6);
        vm.assertEq(cashier.balanceWad(alice), 9000e18);
        vm.assertEq(cashier.totalOwedWad(), 12_000e18);
        vm.assertEq(cashier.collectible(address(usdc)), 2.1e6);
    }

    function test_instant_neverRefillsAboveCapacity() public {
        vm.prank(alice);
        router.withdraw(address(usdc), 1000e18);
        vm.assertEq(cashier.creditBufferWad(), CREDIT_CAPACITY);
    }

    /// Twenty per cent of the withdrawal buffer, measured in tokens after the fee.
    function test_instant_upToAFifthOfTheWithdrawBuffer() public {
        vm.prank(admin);
        cashier.setCashFees(0, 0);
        vm.assertTrue(cashier.canInstantWithdraw(address(usdc), 4000e18));
        vm.assertFalse(cashier.canInstantWithdraw(address(usdc), 4000e18 + 1e12));
        vm.startPrank(alice);
        vm.assertTrue(_isQueued(router.withdraw(address(usdc), 4000e18 + 1e12)));
        vm.assertFalse(_isQueued(router.withdraw(address(usdc), 4000e18)));
        vm.stopPrank();
    }

    /// The buffer is a figure; what is not held cannot be paid at once.
    function test_instant_onlyWithCashHeld() public {
        CashToken other = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(6)));
        vm.prank(admin);
        cashier.addSupportedToken(address(other), usdcConfig());
        vm.assertFalse(cashier.canInstantWithdraw(address(other), 100e18));
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(other), 100e18);
        vm.assertTrue(_isQueued(opId));
        // Tokens that a queued deposit reserves are not cash held either.
        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), false, false);
        other.mint(bob, 10_000e6);
        vm.startPrank(bob);
        other.approve(address(router), 10_000e6);
        router.deposit(address(other), 10_000e6);
        vm.stopPrank();
        vm.assertFalse(cashier.canInstantWithdraw(address(other), 100e18));
        expectCashSkip(opId, ICashier.SkipReason.InsufficientCash);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.assertTrue(_isQueued(opId));
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(ICashier.InsufficientCash.selector);
        vm.prank(alice);
        cashier.claimWithdrawal(opId);
    }

    function test_queued_deductsAtOncePaysLater() public {
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawalRequested(
            nextCashId(alice), alice, address(usdc), 5000e18, 10.5e18, uint32(block.timestamp + EXIT_DELAY)
        );
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 5000e18);
        vm.assertEq(cashier.balanceWad(alice), 5000e18);
        vm.assertEq(cashier.totalOwedWad(), 10_000e18);
        (, uint128 pendingWad) = cashier.totalPending(address(usdc));
        vm.assertEq(pendingWad, 5000e18);
        vm.assertEq(cashier.collectible(address(usdc)), 0);

        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawalSettled(opId, alice, address(usdc), 5000e18, 4989.5e6, 10.5e18);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.assertEq(usdc.balanceOf(alice), 4989.5e6);
        vm.assertEq(cashier.totalOwedWad(), 5000e18);
        (, pendingWad) = cashier.totalPending(address(usdc));
        vm.assertEq(pendingWad, 0);
        vm.assertEq(cashier.collectible(address(usdc)), 10.5e6);
    }

    function test_settle_skipsWithReason() public {
        bytes32 deposited = depositFor(bob, 5000e6);
        vm.startPrank(alice);
        bytes32 takenBack = router.withdraw(address(usdc), 4100e18);
        bytes32 paid = router.withdraw(address(usdc), 4100e18);
        vm.stopPrank();
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        cashier.takeBackWithdrawal(takenBack);
        bytes32[] memory list = new bytes32[](5);
        (list[0], list[1], list[2], list[3], list[4]) = (bytes32(0), deposited, takenBack, paid, paid);
        expectCashSkip(bytes32(0), ICashier.SkipReason.Unknown);
        expectCashSkip(deposited, ICashier.SkipReason.Unknown);
        expectCashSkip(takenBack, ICashier.SkipReason.TakenBack);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawalSettled(paid, alice, address(usdc), 4100e18, 4091.39e6, 8.61e18);
        expectCashSkip(paid, ICashier.SkipReason.AlreadySettled);
        vm.prank(settler);
        cashier.batchSettleWithdraw(list);
        vm.assertEq(usdc.balanceOf(alice), 4091.39e6);
        vm.assertEq(cashier.balanceWad(alice), 5900e18);
    }

    /// One holder that the token refuses does not stop the others, and keeps its claim.
    function test_settle_skipsWhomTheTokenRefuses() public {
        RefusingToken token = RefusingToken(deployCode("HostileTokens.sol:RefusingToken", ""));
        vm.prank(admin);
        cashier.addSupportedToken(address(token), usdcConfig());
        token.mint(address(cashier), 20_000e6);
        fund(bob, 10_000e6);
        vm.prank(alice);
        bytes32 refused = router.withdraw(address(token), 5000e18);
        vm.prank(bob);
        bytes32 paid = router.withdraw(address(token), 5000e18);
        token.refuse(alice, true);
        bytes32[] memory list = new bytes32[](2);
        (list[0], list[1]) = (refused, paid);
        expectCashSkip(refused, ICashier.SkipReason.TransferFailed);
        vm.prank(settler);
        cashier.batchSettleWithdraw(list);
        vm.assertTrue(_isQueued(refused));
        vm.assertEq(token.balanceOf(bob), 4989.5e6);
        (, uint128 pendingWad) = cashier.totalPending(address(token));
        vm.assertEq(pendingWad, 5000e18);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        cashier.takeBackWithdrawal(refused);
        vm.assertEq(cashier.balanceWad(alice), 10_000e18);
    }

    function test_settle_usesRateOfNowAndFeeOfThen() public {
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 5000e18);
        vm.prank(admin);
        cashier.setCashFees(0, 50_000);
        vm.prank(admin);
        cashier.setUsdRate(address(usdc), 1_100_000);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.assertEq(usdc.balanceOf(alice), uint256(4989.5e6) * 10 / 11);
    }

    /// A pause of one token's withdrawals queues them too, which starts the user's time-out; the settler pays none of them.
    function test_tokenPaused_queuesAndTheUserClaims() public {
        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), false, true);
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 100e18);
        vm.assertTrue(_isQueued(opId));
        expectCashSkip(opId, ICashier.SkipReason.WithdrawPaused);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.assertTrue(_isQueued(opId));
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        cashier.claimWithdrawal(opId);
        vm.assertEq(usdc.balanceOf(alice), 99.79e6);
    }

    function test_paused_onlyQueues() public {
        vm.prank(guardian);
        cashier.pause();
        vm.assertFalse(cashier.canInstantWithdraw(address(usdc), 100e18));
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 100e18);
        vm.assertTrue(_isQueued(opId));
        vm.expectRevert(bytes4(keccak256("EnforcedPause()")));
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        // Even so the user is out after the time-out.
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        cashier.claimWithdrawal(opId);
        vm.assertEq(usdc.balanceOf(alice), 99.79e6);
    }

    function test_refusals() public {
        vm.expectRevert(ICashier.Unauthorized.selector);
        vm.prank(alice);
        cashier.withdraw(alice, address(usdc), 100e18);
        vm.startPrank(alice);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        router.withdraw(address(aapl), 100e18);
        vm.expectRevert(ICashier.AmountCannotBeZero.selector);
        router.withdraw(address(usdc), 0);
        vm.expectRevert(ICashier.AmountTooSmall.selector);
        router.withdraw(address(usdc), 1e12 - 1);
        vm.assertFalse(cashier.canInstantWithdraw(address(usdc), 1e12 - 1));
        vm.expectRevert(ICashier.InsufficientBalanceWad.selector);
        router.withdraw(address(usdc), 10_000e18 + 1);
        vm.stopPrank();
        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), false, true);
        vm.assertFalse(cashier.canInstantWithdraw(address(usdc), 100e18));
        vm.expectRevert(roleError(outsider, cashier.SETTLER_ROLE()));
        vm.prank(outsider);
        cashier.batchSettleWithdraw(ids(0));
    }

    /// 1e18 - 1 costs 2.1e15 - 0.0021, rounded up; the rest is 997,899.999... units, rounded down.
    function test_tokensRoundDownFeesUp() public {
        vm.assertEq(cashier.balanceWadToToken(address(usdc), 1e18 - 1), 997_899);
        vm.expectEmit(address(cashier));
        emit ICashier.InstantWithdrawal(nextCashId(alice), alice, address(usdc), 1e18 - 1, 997_899, 2.1e15);
        vm.prank(alice);
        router.withdraw(address(usdc), 1e18 - 1);
        vm.assertEq(usdc.balanceOf(alice), 997_899);
        vm.assertEq(cashier.balanceWad(alice), 9999e18 + 1);
        vm.assertEq(cashier.collectible(address(usdc)), 2100);
    }

    // --- the user's own exit ---

    function test_takeBack_returnsTheWholeBalance() public {
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 5000e18);
        vm.expectRevert(abi.encodeWithSelector(ICashier.ExitNotYetAvailable.selector, block.timestamp + EXIT_DELAY));
        vm.prank(alice);
        cashier.takeBackWithdrawal(opId);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawalTakenBack(opId, alice, address(usdc), 5000e18);
        vm.prank(alice);
        cashier.takeBackWithdrawal(opId);
        vm.assertEq(cashier.balanceWad(alice), 10_000e18);
        vm.assertEq(cashier.totalOwedWad(), 10_000e18);
        (, uint128 pendingWad) = cashier.totalPending(address(usdc));
        vm.assertEq(pendingWad, 0);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        vm.prank(alice);
        cashier.claimWithdrawal(opId);
    }

    function test_claim_paysTheUserAlone() public {
        vm.prank(alice);
        bytes32 opId = router.withdraw(address(usdc), 5000e18);
        vm.expectRevert(abi.encodeWithSelector(ICashier.ExitNotYetAvailable.selector, block.timestamp + EXIT_DELAY));
        vm.prank(alice);
        cashier.claimWithdrawal(opId);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(ICashier.CallerNotOwner.selector);
        vm.prank(bob);
        cashier.claimWithdrawal(opId);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawalSettled(opId, alice, address(usdc), 5000e18, 4989.5e6, 10.5e18);
        vm.prank(alice);
        cashier.claimWithdrawal(opId);
        vm.assertEq(usdc.balanceOf(alice), 4989.5e6);
        expectCashSkip(opId, ICashier.SkipReason.AlreadySettled);
        vm.prank(settler);
        cashier.batchSettleWithdraw(ids(opId));
        vm.assertEq(usdc.balanceOf(alice), 4989.5e6);
    }

    function _isQueued(bytes32 opId) private view returns (bool) {
        return cashier.cashOperation(opId).status == ICashier.OperationStatus.Queued;
    }
}
