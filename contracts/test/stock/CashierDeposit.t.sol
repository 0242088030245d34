// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {CashToken} from "test/tokens/HostileTokens.sol";

contract CashierDepositTest is StockFixture {
    function test_instant_movesBuffersAndBalance() public {
        usdc.mint(alice, 1000e6);
        vm.startPrank(alice);
        usdc.approve(address(router), 1000e6);
        vm.expectEmit(address(cashier));
        emit ICashier.CreditBufferWadUpdated(CREDIT_CAPACITY - 1000e18);
        vm.expectEmit(address(cashier));
        emit ICashier.WithdrawBufferUpdated(address(usdc), WITHDRAW_BUFFER + 1000e6);
        vm.expectEmit(address(cashier));
        emit ICashier.InstantDeposit(nextCashId(alice), alice, address(usdc), 1000e6, 1000e18, 0);
        router.deposit(address(usdc), 1000e6);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
        vm.assertEq(cashier.totalOwedWad(), 1000e18);
        vm.assertEq(cashier.creditBufferWad(), CREDIT_CAPACITY - 1000e18);
        vm.assertEq(cashier.tokenConfig(address(usdc)).withdrawBuffer, WITHDRAW_BUFFER + 1000e6);
    }

    function test_instant_upToAFifthOfTheCreditBuffer() public {
        vm.assertTrue(cashier.canInstantDeposit(address(usdc), 4000e6));
        vm.assertFalse(cashier.canInstantDeposit(address(usdc), 4000e6 + 1));
        vm.assertTrue(_isInstant(depositFor(alice, 4000e6)));
        vm.assertEq(cashier.creditBufferWad(), 16_000e18);
        vm.assertFalse(_isInstant(depositFor(alice, 3200e6 + 1)));
        vm.assertTrue(_isInstant(depositFor(alice, 3200e6)));
    }

    function test_instant_onlyWhileWithdrawBufferHasRoom() public {
        vm.prank(admin);
        cashier.setWithdrawBufferCapacity(address(usdc), WITHDRAW_BUFFER + 1000e6);
        vm.assertFalse(_isInstant(depositFor(alice, 1000e6 + 1)));
        vm.assertTrue(_isInstant(depositFor(alice, 1000e6)));
        vm.assertFalse(_isInstant(depositFor(alice, MIN_DEPOSIT)));
    }

    function test_queued_reservesTokensAndCreditsNothing() public {
        usdc.mint(alice, 5000e6);
        vm.startPrank(alice);
        usdc.approve(address(router), 5000e6);
        vm.expectEmit(address(cashier));
        emit ICashier.DepositRequested(
            nextCashId(alice), alice, address(usdc), 5000e6, uint32(block.timestamp + EXIT_DELAY)
        );
        bytes32 opId = router.deposit(address(usdc), 5000e6);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(alice), 0);
        vm.assertEq(cashier.totalOwedWad(), 0);
        vm.assertEq(cashier.freeCash(address(usdc)), 0);
        (uint128 pending,) = cashier.totalPending(address(usdc));
        vm.assertEq(pending, 5000e6);
        ICashier.CashOperation memory operation = cashier.cashOperation(opId);
        vm.assertEq(operation.user, alice);
        vm.assertEq(operation.token, address(usdc));
        vm.assertEq(operation.amount, 5000e6);
        vm.assertEq(operation.exitAt, block.timestamp + EXIT_DELAY);
        vm.assertEq(uint256(operation.kind), uint256(ICashier.OperationKind.Deposit));
        vm.assertEq(uint256(operation.status), uint256(ICashier.OperationStatus.Queued));
    }

    function test_settle_creditsQueuedDeposit() public {
        bytes32 opId = depositFor(alice, 5000e6);
        vm.expectEmit(address(cashier));
        emit ICashier.DepositSettled(opId, alice, address(usdc), 5000e6, 5000e18, 0);
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(opId));
        vm.assertEq(cashier.balanceWad(alice), 5000e18);
        vm.assertEq(cashier.totalOwedWad(), 5000e18);
        vm.assertEq(cashier.freeCash(address(usdc)), 5000e6);
        (uint128 pending,) = cashier.totalPending(address(usdc));
        vm.assertEq(pending, 0);
        vm.assertEq(cashier.creditBufferWad(), CREDIT_CAPACITY);
    }

    /// A replay, an unknown id and a withdrawal's id among others change nothing and stop nothing.
    function test_settle_skipsWithReason() public {
        fund(alice, 60_000e6);
        bytes32 deposited = depositFor(alice, 5000e6);
        vm.prank(alice);
        bytes32 withdrawn = router.withdraw(address(usdc), 50_000e18);
        bytes32[] memory list = new bytes32[](4);
        (list[0], list[1], list[2], list[3]) = (keccak256("none"), withdrawn, deposited, deposited);
        expectCashSkip(list[0], ICashier.SkipReason.Unknown);
        expectCashSkip(withdrawn, ICashier.SkipReason.Unknown);
        vm.expectEmit(address(cashier));
        emit ICashier.DepositSettled(deposited, alice, address(usdc), 5000e6, 5000e18, 0);
        expectCashSkip(deposited, ICashier.SkipReason.AlreadySettled);
        vm.prank(settler);
        cashier.batchSettleDeposit(list);
        vm.assertEq(cashier.balanceWad(alice), 15_000e18);
    }

    /// The rate is that of the settlement, the fee that of the request.
    function test_settle_usesRateOfNowAndFeeOfThen() public {
        vm.prank(admin);
        cashier.setCashFees(10_000, 0);
        bytes32 opId = depositFor(alice, 5000e6);
        vm.prank(admin);
        cashier.setCashFees(50_000, 0);
        vm.prank(admin);
        cashier.setUsdRate(address(usdc), 900_000);
        vm.expectEmit(address(cashier));
        emit ICashier.DepositSettled(opId, alice, address(usdc), 5000e6, 4455e18, 45e18);
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(opId));
        vm.assertEq(cashier.balanceWad(alice), 4455e18);
    }

    function test_instant_feeRoundsUpCreditDown() public {
        vm.startPrank(admin);
        cashier.setCashFees(333, 0);
        CashToken token = CashToken(deployCode("HostileTokens.sol:CashToken", abi.encode(18)));
        ICashier.TokenConfig memory config = usdcConfig();
        (config.decimals, config.minAmount) = (18, 0);
        (config.withdrawBuffer, config.withdrawBufferCapacity) = (0, 1000e18);
        cashier.addSupportedToken(address(token), config);
        vm.stopPrank();
        token.mint(alice, 1e18 + 1);
        vm.startPrank(alice);
        token.approve(address(router), 1e18 + 1);
        vm.assertEq(cashier.tokenToBalanceWadInstant(address(token), 1e18 + 1), 1e18 - 333e12);
        router.deposit(address(token), 1e18 + 1);
        vm.stopPrank();
        vm.assertEq(cashier.balanceWad(alice), 1e18 - 333e12);
    }

    function test_refusals() public {
        vm.expectRevert(ICashier.Unauthorized.selector);
        vm.prank(alice);
        cashier.deposit(alice, address(usdc), 1000e6);
        vm.startPrank(address(router));
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        cashier.deposit(alice, address(aapl), 1000e6);
        vm.expectRevert(ICashier.AmountTooSmall.selector);
        cashier.deposit(alice, address(usdc), MIN_DEPOSIT - 1);
        vm.stopPrank();

        vm.prank(admin);
        cashier.setMinAmount(address(usdc), 0);
        vm.assertFalse(cashier.canInstantDeposit(address(usdc), 0));
        vm.expectRevert(ICashier.AmountTooSmall.selector);
        vm.prank(address(router));
        cashier.deposit(alice, address(usdc), 0);

        vm.prank(guardian);
        cashier.setTokenPause(address(usdc), true, false);
        vm.assertFalse(cashier.canInstantDeposit(address(usdc), 1000e6));
        vm.expectRevert(ICashier.DepositPaused.selector);
        vm.prank(address(router));
        cashier.deposit(alice, address(usdc), 1000e6);
        vm.prank(admin);
        cashier.setTokenPause(address(usdc), false, true);
        vm.assertTrue(cashier.canInstantDeposit(address(usdc), 1000e6));

        vm.prank(guardian);
        cashier.pause();
        vm.assertFalse(cashier.canInstantDeposit(address(usdc), 1000e6));
        vm.expectRevert(bytes4(keccak256("EnforcedPause()")));
        vm.prank(address(router));
        cashier.deposit(alice, address(usdc), 1000e6);
        vm.expectRevert(bytes4(keccak256("EnforcedPause()")));
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(0));
        vm.prank(admin);
        cashier.unpause();

        vm.expectRevert(roleError(outsider, cashier.SETTLER_ROLE()));
        vm.prank(outsider);
        cashier.batchSettleDeposit(ids(0));
    }

    // --- the user's own exit ---

    function test_takeBack_afterTimeOutAlsoWhilePaused() public {
        bytes32 opId = depositFor(alice, 5000e6);
        vm.warp(block.timestamp + EXIT_DELAY - 1);
        vm.expectRevert(abi.encodeWithSelector(ICashier.ExitNotYetAvailable.selector, block.timestamp + 1));
        vm.prank(alice);
        cashier.takeBackDeposit(opId);
        vm.warp(block.timestamp + 1);
        vm.prank(guardian);
        cashier.pause();
        vm.expectEmit(address(cashier));
        emit ICashier.DepositTakenBack(opId, alice, address(usdc), 5000e6);
        vm.prank(alice);
        cashier.takeBackDeposit(opId);
        vm.assertEq(usdc.balanceOf(alice), 5000e6);
        vm.assertEq(usdc.balanceOf(address(cashier)), 0);
        (uint128 pending,) = cashier.totalPending(address(usdc));
        vm.assertEq(pending, 0);
    }

    function test_takeBack_lateSettlementIsSkipped() public {
        bytes32 opId = depositFor(alice, 5000e6);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        cashier.takeBackDeposit(opId);
        expectCashSkip(opId, ICashier.SkipReason.TakenBack);
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(opId));
        vm.assertEq(cashier.balanceWad(alice), 0);
    }

    function test_takeBack_refusals() public {
        bytes32 opId = depositFor(alice, 5000e6);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(ICashier.CallerNotOwner.selector);
        vm.prank(bob);
        cashier.takeBackDeposit(opId);
        // Not even the trusted forwarder can do it for the user.
        vm.prank(forwarder);
        (bool done,) = address(cashier).call(abi.encodePacked(abi.encodeCall(cashier.takeBackDeposit, (opId)), alice));
        vm.assertFalse(done);
        vm.startPrank(alice);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        cashier.takeBackWithdrawal(opId);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        cashier.claimWithdrawal(opId);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        cashier.takeBackDeposit(keccak256("none"));
        cashier.takeBackDeposit(opId);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        cashier.takeBackDeposit(opId);
        vm.stopPrank();
        bytes32 settled = depositFor(bob, 5000e6);
        vm.prank(settler);
        cashier.batchSettleDeposit(ids(settled));
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.expectRevert(ICashier.InvalidOperationId.selector);
        vm.prank(bob);
        cashier.takeBackDeposit(settled);
    }

    /// A longer delay holds for later operations only: nobody's exit is moved away from under him.
    function test_takeBack_delayIsThatOfTheRequest() public {
        bytes32 opId = depositFor(alice, 5000e6);
        vm.prank(admin);
        cashier.setExitDelay(30 days);
        vm.warp(block.timestamp + EXIT_DELAY);
        vm.prank(alice);
        cashier.takeBackDeposit(opId);
        vm.assertEq(usdc.balanceOf(alice), 5000e6);
    }

    function _isInstant(bytes32 opId) private view returns (bool) {
        return cashier.cashOperation(opId).status == ICashier.OperationStatus.None;
    }
}
