// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationAccounts} from "./DelegationFixture.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";
import {Cashier} from "src/stock/Cashier.sol";
import {Stock} from "src/stock/Stock.sol";
import {StockRouter} from "src/stock/StockRouter.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {ICompliance} from "src/stock/interfaces/ICompliance.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";
import {StockVenue} from "test/stock/StockVenue.sol";
import {TestUSDC} from "test/tokens/TestUSDC.sol";

/// The whole way, operator to `OperatorPool` to `OneClickRouter` to the real `StockRouter`. Alice has delegated, Bob has not;
/// both hold cash in the venue and in their wallets.
contract DelegationStockTest is DelegationAccounts {
    uint96 private constant AMOUNT = 1000e6;
    uint96 private constant AMOUNT_WAD = 1000e18;

    StockRouter private router;
    Cashier private cashier;
    Stock private stock;
    TestUSDC private usdc;
    address private aapl;
    address private compliance;

    function setUp() public {
        StockVenue venue = StockVenue(deployCode("StockVenue.sol:StockVenue", ""));
        (router, cashier, stock, usdc) = (venue.router(), venue.cashier(), venue.stock(), venue.usdc());
        (aapl, compliance) = (address(venue.aapl()), address(venue.compliance()));
        deployDelegation();
        address implementation = deployCode("StockRouter.sol:StockRouter", abi.encode(oneClick));
        vm.prank(admin);
        router.upgradeToAndCall(implementation, "");
        allow(address(router), IStockRouter.deposit.selector);
        allow(address(router), IStockRouter.withdraw.selector);
        allow(address(router), IStockRouter.placeMarketOrder.selector);
        _fund(alice);
        _fund(bob);
        enable(aliceKey);
    }

    function test_deposit_isTheUsers() public {
        bytes memory answer = _execute(alice, abi.encodeCall(router.deposit, (address(usdc), AMOUNT)));
        vm.assertEq(address(bytes20(abi.decode(answer, (bytes32)))), alice);
        vm.assertEq(cashier.balanceWad(alice), 2 * AMOUNT_WAD);
        vm.assertEq(usdc.balanceOf(alice), 0);
        _assertNothingStuck();
    }

    function test_order_isTheUsers() public {
        bytes memory answer = _execute(alice, abi.encodeCall(router.placeMarketOrder, (aapl, 100e18, FAR)));
        vm.assertEq(stock.getOrder(abi.decode(answer, (bytes32))).user, alice);
        vm.assertEq(cashier.balanceWad(alice), AMOUNT_WAD - 100.11e18);
        _assertNothingStuck();
    }

    /// The operator orders it, the user is paid.
    function test_withdraw_paysTheUser() public {
        bytes memory answer = _execute(alice, abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD)));
        vm.assertEq(address(bytes20(abi.decode(answer, (bytes32)))), alice);
        vm.assertEq(cashier.balanceWad(alice), 0);
        vm.assertEq(usdc.balanceOf(alice), AMOUNT + 997.9e6);
        _assertNothingStuck();
    }

    function test_withdraw_openWhileTheStockRouterIsPaused() public {
        vm.prank(guardian);
        router.pause();
        _execute(alice, abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD)));
        vm.assertEq(cashier.balanceWad(alice), 0);
        vm.expectRevert(PAUSED);
        _execute(alice, abi.encodeCall(router.placeMarketOrder, (aapl, 100e18, FAR)));
    }

    /// A paused delegation stops the operator, never the user: she acts herself.
    function test_pausedDelegation_leavesTheUserFree() public {
        vm.prank(guardian);
        oneClick.pause();
        vm.expectRevert(PAUSED);
        _execute(alice, abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD)));
        vm.startPrank(alice);
        oneClick.undelegate();
        router.withdraw(address(usdc), AMOUNT_WAD);
        vm.stopPrank();
        vm.assertEq(usdc.balanceOf(alice), AMOUNT + 997.9e6);
    }

    function test_refusalsArriveUnchanged() public {
        vm.expectRevert(IStockRouter.DeadlineExpired.selector);
        _execute(alice, abi.encodeCall(router.placeMarketOrder, (aapl, 100e18, uint32(block.timestamp - 1))));
        vm.expectRevert(ICashier.InsufficientBalanceWad.selector);
        _execute(alice, abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD + 1e12)));
        address[] memory users = new address[](1);
        users[0] = alice;
        vm.prank(makeAddress("manager"));
        (bool removed,) = compliance.call(abi.encodeWithSignature("removeUsers(address[])", users));
        vm.assertTrue(removed);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        _execute(alice, abi.encodeCall(router.placeMarketOrder, (aapl, 100e18, FAR)));
        _execute(alice, abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD)));
    }

    // --- attacks: the operator has turned ---

    /// Attacker ends with: nothing of Bob's, who never signed.
    function test_attack_operatorReachesForAnotherUser() public {
        bytes memory withdraw = abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD));
        vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
        _execute(bob, withdraw);
        _execute(alice, abi.encodePacked(withdraw, bob));
        vm.assertEq(cashier.balanceWad(alice), 0);
        vm.assertEq(cashier.balanceWad(bob), AMOUNT_WAD);
        vm.assertEq(usdc.balanceOf(bob), AMOUNT);
        _assertNothingStuck();
    }

    /// Attacker ends with: refusals. No target but the router, no function of it but the listed ones: not her tokens, not
    /// her allowances, not the contracts behind the router, not its administration.
    function test_attack_operatorReachesPastTheList() public {
        _assertNotListed(address(usdc), abi.encodeCall(IERC20.transfer, (operator, AMOUNT)));
        _assertNotListed(address(usdc), abi.encodeCall(IERC20.transferFrom, (alice, operator, AMOUNT)));
        _assertNotListed(address(usdc), abi.encodeCall(IERC20.approve, (operator, AMOUNT)));
        _assertNotListed(aapl, abi.encodeCall(IERC20.transfer, (operator, 1)));
        _assertNotListed(address(cashier), abi.encodeCall(cashier.withdraw, (alice, address(usdc), AMOUNT_WAD)));
        _assertNotListed(address(stock), abi.encodeCall(stock.takeBackOrder, ("")));
        _assertNotListed(address(router), abi.encodeCall(router.setCompliance, (operator)));
        _assertNotListed(address(router), abi.encodeCall(router.upgradeToAndCall, (operator, "")));
        _assertNotListed(address(router), abi.encodeCall(router.grantRole, (bytes32(0), operator)));
        _assertNotListed(address(pool), abi.encodeCall(pool.grantRole, (bytes32(0), operator)));
        _assertNotListed(address(oneClick), abi.encodeCall(oneClick.undelegateFor, (bob)));
    }

    /// Attacker ends with: nothing, even where the admin has listed too much. The forwarder has no role and holds nothing, and
    /// an appended admin has no power.
    function test_attack_listedTooMuch() public {
        allow(address(router), StockRouter.setCompliance.selector);
        allow(address(router), bytes4(keccak256("pause()")));
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.TargetNotMetered.selector, address(usdc)));
        allow(address(usdc), IERC20.transfer.selector);
        // What puts nothing known at risk is not called.
        vm.expectRevert(
            abi.encodeWithSelector(IStockRouter.CallNotMetered.selector, StockRouter.setCompliance.selector)
        );
        _execute(alice, abi.encodePacked(abi.encodeCall(router.setCompliance, (operator)), admin));
        vm.expectRevert(abi.encodeWithSelector(IStockRouter.CallNotMetered.selector, bytes4(keccak256("pause()"))));
        _execute(alice, abi.encodePacked(bytes4(keccak256("pause()")), guardian));
        vm.assertEq(usdc.balanceOf(alice), AMOUNT);
        _assertNothingStuck();
    }

    /// Attacker ends with: a withdrawal of its own, of nothing. The router believes the real forwarder only, not an account
    /// that was a forwarder once, nor the pool.
    function test_attack_imitatesTheForwarder() public {
        bytes memory forged = abi.encodePacked(abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD)), alice);
        address[4] memory callers = [outsider, operator, address(pool), makeAddress("forwarder")];
        for (uint256 i; i < callers.length; ++i) {
            vm.prank(callers[i]);
            (bool success, bytes memory answer) = address(router).call(forged);
            vm.assertFalse(success);
            vm.assertEq(bytes32(answer), bytes32(ICashier.InsufficientBalanceWad.selector));
        }
        vm.assertEq(cashier.balanceWad(alice), AMOUNT_WAD);
    }

    /// Attacker ends with: what was done before. Nothing listed works once Alice has undelegated.
    function test_attack_afterUndelegation() public {
        vm.prank(alice);
        oneClick.undelegate();
        bytes[3] memory calls = [
            abi.encodeCall(router.deposit, (address(usdc), AMOUNT)),
            abi.encodeCall(router.withdraw, (address(usdc), AMOUNT_WAD)),
            abi.encodeCall(router.placeMarketOrder, (aapl, 100e18, FAR))
        ];
        for (uint256 i; i < calls.length; ++i) {
            vm.expectRevert(IOneClickRouter.CallerNotDelegatee.selector);
            _execute(alice, calls[i]);
        }
        vm.assertEq(cashier.balanceWad(alice), AMOUNT_WAD);
        vm.assertEq(usdc.balanceOf(alice), AMOUNT);
    }

    function _execute(address user, bytes memory data) private returns (bytes memory) {
        return executeAs(user, address(router), data);
    }

    function _assertNotListed(address to, bytes memory data) private {
        vm.expectRevert(abi.encodeWithSelector(IOneClickRouter.CallNotAllowed.selector, to, bytes4(data)));
        executeAs(alice, to, data);
    }

    /// `AMOUNT` in the venue and `AMOUNT` in the wallet, approved.
    function _fund(address user) private {
        usdc.mint(user, 2 * AMOUNT);
        vm.startPrank(user);
        usdc.approve(address(router), 2 * AMOUNT);
        router.deposit(address(usdc), AMOUNT);
        vm.stopPrank();
    }

    /// Nothing of the venue stays with those that carried the call.
    function _assertNothingStuck() private view {
        address[4] memory carriers = [operator, address(pool), address(oneClick), address(router)];
        for (uint256 i; i < carriers.length; ++i) {
            vm.assertEq(usdc.balanceOf(carriers[i]), 0);
            vm.assertEq(cashier.balanceWad(carriers[i]), 0);
            vm.assertEq(stock.stockBalance(carriers[i], aapl), 0);
        }
    }
}
