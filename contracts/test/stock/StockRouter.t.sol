// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {StockRouter} from "src/stock/StockRouter.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {ICompliance} from "src/stock/interfaces/ICompliance.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockRouter} from "src/stock/interfaces/IStockRouter.sol";
import {FeeToken} from "test/tokens/HostileTokens.sol";

contract StockRouterTest is StockFixture {
    bytes4 private constant PAUSED = bytes4(keccak256("EnforcedPause()"));

    // --- deposit ---

    function test_deposit_movesTokensFromUserStraightToCashier() public {
        bytes32 opId = depositFor(alice, 1000e6);
        vm.assertEq(usdc.balanceOf(alice), 0);
        vm.assertEq(usdc.balanceOf(address(router)), 0);
        vm.assertEq(usdc.balanceOf(address(cashier)), 1000e6);
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
        vm.assertEq(address(bytes20(opId)), alice);
    }

    function test_deposit_refusesUnapprovedUser() public {
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        vm.prank(outsider);
        router.deposit(address(usdc), 1000e6);
    }

    function test_deposit_refusesWithoutAllowance() public {
        usdc.mint(alice, 1000e6);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(router), 0, 1000e6)
        );
        vm.prank(alice);
        router.deposit(address(usdc), 1000e6);
    }

    function test_deposit_refusesUnsupportedToken() public {
        vm.prank(minter);
        aapl.mint(alice, 1e18);
        _approve(address(cashier));
        vm.startPrank(alice);
        aapl.approve(address(router), 1e18);
        vm.expectRevert(ICashier.TokenNotSupported.selector);
        router.deposit(address(aapl), 1e18);
        vm.stopPrank();
        vm.assertEq(aapl.balanceOf(alice), 1e18);
    }

    function test_deposit_refusesTokenThatTakesFee() public {
        FeeToken token = FeeToken(deployCode("HostileTokens.sol:FeeToken", abi.encode(6)));
        vm.prank(admin);
        cashier.addSupportedToken(address(token), usdcConfig());
        token.mint(alice, 1000e6);
        token.setTaking(true);
        vm.startPrank(alice);
        token.approve(address(router), 1000e6);
        vm.expectRevert(IStockRouter.ReceivedAmountMismatch.selector);
        router.deposit(address(token), 1000e6);
        vm.stopPrank();
    }

    function test_deposit_refusedWhilePaused() public {
        vm.prank(guardian);
        router.pause();
        vm.expectRevert(PAUSED);
        vm.prank(alice);
        router.deposit(address(usdc), 1000e6);
    }

    // --- withdraw ---

    function test_withdraw_openWhilePausedAndToRemovedUsers() public {
        fund(alice, 1000e6);
        vm.prank(guardian);
        router.pause();
        address[] memory users = new address[](1);
        users[0] = alice;
        vm.prank(manager);
        compliance.removeUsers(users);
        vm.prank(alice);
        router.withdraw(address(usdc), 1000e18);
        vm.assertEq(usdc.balanceOf(alice), 997.9e6);
    }

    // --- orders ---

    function test_placeMarketOrder_reachesStock() public {
        fund(alice, 1000e6);
        bytes32 orderId = place(alice, 100e18);
        vm.assertEq(stock.getOrder(orderId).user, alice);
        vm.assertEq(uint256(stock.getOrder(orderId).status), uint256(IStock.OrderStatus.Open));
    }

    function test_placeMarketOrder_deadlineIsLastValidSecond() public {
        fund(alice, 1000e6);
        vm.startPrank(alice);
        router.placeMarketOrder(address(aapl), 100e18, uint32(block.timestamp));
        vm.expectRevert(IStockRouter.DeadlineExpired.selector);
        router.placeMarketOrder(address(aapl), 100e18, uint32(block.timestamp - 1));
        vm.stopPrank();
    }

    function test_placeMarketOrder_refusesUnapprovedUser() public {
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        vm.prank(outsider);
        router.placeMarketOrder(address(aapl), 100e18, FAR);
    }

    function test_placeMarketOrder_refusedWhilePaused() public {
        vm.prank(guardian);
        router.pause();
        vm.expectRevert(PAUSED);
        place(alice, 100e18);
        vm.prank(admin);
        router.unpause();
        fund(alice, 1000e6);
        place(alice, 100e18);
    }

    // --- forwarding ---

    function test_forwarder_actsForAppendedUser() public {
        fund(alice, 1000e6);
        vm.assertTrue(router.isTrustedForwarder(forwarder));
        vm.assertEq(router.trustedForwarder(), forwarder);
        (bool placed, bytes memory answer) =
            _forward(forwarder, abi.encodeCall(router.placeMarketOrder, (address(aapl), 100e18, FAR)), alice);
        vm.assertTrue(placed);
        vm.assertEq(stock.getOrder(abi.decode(answer, (bytes32))).user, alice);

        usdc.mint(alice, 100e6);
        vm.prank(alice);
        usdc.approve(address(router), 100e6);
        (placed,) = _forward(forwarder, abi.encodeCall(router.deposit, (address(usdc), 100e6)), alice);
        vm.assertTrue(placed);
        (placed,) = _forward(forwarder, abi.encodeCall(router.withdraw, (address(usdc), 100e18)), alice);
        vm.assertTrue(placed);
        vm.assertEq(cashier.balanceWad(alice), 1000e18 + 100e18 - 100.11e18 - 100e18);
    }

    function test_forwarder_checksApprovalOfAppendedUser() public {
        (bool placed, bytes memory answer) =
            _forward(forwarder, abi.encodeCall(router.placeMarketOrder, (address(aapl), 100e18, FAR)), outsider);
        vm.assertFalse(placed);
        vm.assertEq(bytes32(answer), bytes32(ICompliance.UserNotApproved.selector));
    }

    /// Attacker ends with: nothing. What a wrong forwarder appends is ignored; it acts as itself.
    function test_attack_wrongForwarderAppendsVictim() public {
        fund(alice, 1000e6);
        (bool placed, bytes memory answer) =
            _forward(outsider, abi.encodeCall(router.withdraw, (address(usdc), 1000e18)), alice);
        vm.assertFalse(placed);
        vm.assertEq(bytes32(answer), bytes32(ICashier.InsufficientBalanceWad.selector));
        vm.assertEq(cashier.balanceWad(alice), 1000e18);
        vm.assertEq(usdc.balanceOf(outsider), 0);
    }

    /// Attacker ends with: nothing. An admin appended by the forwarder has no power.
    function test_attack_forwarderAppendsAdmin() public {
        (bool done, bytes memory answer) = _forward(forwarder, abi.encodeCall(router.setCompliance, (outsider)), admin);
        vm.assertFalse(done);
        vm.assertEq(answer, roleError(forwarder, bytes32(0)));
        (done,) = _forward(forwarder, abi.encodeWithSignature("pause()"), guardian);
        vm.assertFalse(done);
        vm.assertEq(router.compliance(), address(compliance));
    }

    function test_forwarder_zeroIsNobody() public {
        StockRouter other = StockRouter(
            proxy(newRouter(address(0)), abi.encodeCall(StockRouter.initialize, (admin, address(compliance))))
        );
        vm.assertFalse(other.isTrustedForwarder(address(0)));
        vm.assertFalse(other.isTrustedForwarder(forwarder));
    }

    function _forward(address from, bytes memory data, address user) private returns (bool, bytes memory) {
        vm.prank(from);
        return address(router).call(abi.encodePacked(data, user));
    }

    // --- administration ---

    function test_configure_onceByAdmin() public {
        StockRouter fresh = StockRouter(
            proxy(newRouter(forwarder), abi.encodeCall(StockRouter.initialize, (admin, address(compliance))))
        );
        vm.prank(alice);
        vm.expectRevert(IStockRouter.RouterNotConfigured.selector);
        fresh.withdraw(address(usdc), 1);
        vm.prank(alice);
        vm.expectRevert(IStockRouter.RouterNotConfigured.selector);
        fresh.placeMarketOrder(address(aapl), 1, FAR);
        vm.prank(alice);
        vm.expectRevert(IStockRouter.RouterNotConfigured.selector);
        fresh.deposit(address(usdc), 1);

        vm.expectRevert(roleError(outsider, bytes32(0)));
        vm.prank(outsider);
        fresh.configure(address(cashier), address(stock));
        vm.startPrank(admin);
        vm.expectRevert(IStockRouter.AddressCannotBeZero.selector);
        fresh.configure(address(0), address(stock));
        vm.expectRevert(IStockRouter.AddressCannotBeZero.selector);
        fresh.configure(address(cashier), address(0));
        vm.expectEmit(address(fresh));
        emit IStockRouter.RouterConfigured(address(cashier), address(stock));
        fresh.configure(address(cashier), address(stock));
        vm.expectRevert(IStockRouter.RouterAlreadyConfigured.selector);
        fresh.configure(address(cashier), address(stock));
        vm.stopPrank();
        vm.assertEq(fresh.cashier(), address(cashier));
        vm.assertEq(fresh.stock(), address(stock));
    }

    function test_initialize_checksAndHappensOnce() public {
        StockRouter implementation = StockRouter(newRouter(forwarder));
        bytes4 again = bytes4(keccak256("InvalidInitialization()"));
        vm.expectRevert(again);
        implementation.initialize(admin, address(compliance));
        vm.expectRevert(again);
        router.initialize(outsider, address(compliance));
        vm.expectRevert(IStockRouter.AddressCannotBeZero.selector);
        proxy(address(implementation), abi.encodeCall(StockRouter.initialize, (address(0), address(compliance))));
        vm.expectRevert(IStockRouter.AddressCannotBeZero.selector);
        proxy(address(implementation), abi.encodeCall(StockRouter.initialize, (admin, address(0))));
    }

    function test_setCompliance() public {
        vm.expectEmit(address(router));
        emit IStockRouter.ComplianceSet(address(compliance), bob);
        vm.prank(admin);
        router.setCompliance(bob);
        vm.assertEq(router.compliance(), bob);
        vm.expectRevert(IStockRouter.AddressCannotBeZero.selector);
        vm.prank(admin);
        router.setCompliance(address(0));
        vm.expectRevert(roleError(manager, bytes32(0)));
        vm.prank(manager);
        router.setCompliance(address(compliance));
    }

    function test_guardian_canOnlyPause() public {
        vm.expectRevert(roleError(outsider, router.GUARDIAN_ROLE()));
        vm.prank(outsider);
        router.pause();
        vm.startPrank(guardian);
        router.pause();
        vm.assertTrue(router.paused());
        vm.expectRevert(PAUSED);
        router.pause();
        vm.expectRevert(roleError(guardian, bytes32(0)));
        router.unpause();
        vm.stopPrank();
        vm.startPrank(admin);
        router.unpause();
        vm.assertFalse(router.paused());
        vm.expectRevert(bytes4(keccak256("ExpectedPause()")));
        router.unpause();
        vm.stopPrank();
    }

    function test_upgrade_byAdminKeepsState() public {
        address next = newRouter(bob);
        vm.expectRevert(roleError(guardian, bytes32(0)));
        vm.prank(guardian);
        router.upgradeToAndCall(next, "");
        vm.prank(admin);
        router.upgradeToAndCall(next, "");
        vm.assertEq(router.trustedForwarder(), bob);
        vm.assertEq(router.cashier(), address(cashier));
        vm.assertEq(router.compliance(), address(compliance));
    }
}
