// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {Compliance} from "src/stock/Compliance.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {ICompliance} from "src/stock/interfaces/ICompliance.sol";
import {IStockToken} from "src/stock/interfaces/IStockToken.sol";

/// The stock token and the register it asks.
contract StockTokenTest is StockFixture {
    function setUp() public override {
        super.setUp();
        vm.prank(minter);
        aapl.mint(alice, 10e18);
    }

    function test_metadata() public view {
        vm.assertEq(aapl.name(), "AAPL aStock");
        vm.assertEq(aapl.symbol(), "aAAPL");
        vm.assertEq(aapl.decimals(), 18);
        vm.assertEq(aapl.compliance(), address(compliance));
        vm.assertEq(aapl.sharesPerToken(), 1e18);
    }

    function test_mintAndBurn_byRole() public {
        vm.expectRevert(roleError(outsider, aapl.MINTER_ROLE()));
        vm.prank(outsider);
        aapl.mint(alice, 1);
        vm.expectRevert(roleError(alice, aapl.BURNER_ROLE()));
        vm.prank(alice);
        aapl.burn(1);
        vm.expectRevert(roleError(alice, aapl.BURNER_ROLE()));
        vm.prank(alice);
        aapl.burnFrom(bob, 1);
        vm.startPrank(minter);
        aapl.mint(minter, 5e18);
        aapl.burn(2e18);
        vm.assertEq(aapl.balanceOf(minter), 3e18);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, minter, 0, 1e18));
        aapl.burnFrom(alice, 1e18);
        vm.stopPrank();
        vm.prank(alice);
        aapl.approve(minter, 1e18);
        vm.prank(minter);
        aapl.burnFrom(alice, 1e18);
        vm.assertEq(aapl.balanceOf(alice), 9e18);
        vm.assertEq(aapl.allowance(alice, minter), 0);
    }

    function test_transfers_betweenApprovedWalletsOnly() public {
        vm.prank(alice);
        aapl.transfer(bob, 1e18);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        vm.prank(alice);
        aapl.transfer(outsider, 1e18);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        vm.prank(minter);
        aapl.mint(outsider, 1e18);
        _remove(alice);
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        vm.prank(alice);
        aapl.transfer(bob, 1e18);
    }

    function test_pause_stopsEverythingThatMoves() public {
        vm.expectRevert(roleError(outsider, aapl.PAUSE_ROLE()));
        vm.prank(outsider);
        aapl.pause();
        vm.prank(guardian);
        aapl.pause();
        vm.assertTrue(aapl.paused());
        vm.expectRevert(IStockToken.TokenPaused.selector);
        vm.prank(alice);
        aapl.transfer(bob, 1e18);
        vm.expectRevert(IStockToken.TokenPaused.selector);
        vm.prank(minter);
        aapl.mint(alice, 1e18);
        vm.expectRevert(IStockToken.TokenPaused.selector);
        vm.prank(minter);
        aapl.burn(0);
        vm.expectRevert(roleError(guardian, bytes32(0)));
        vm.prank(guardian);
        aapl.unpause();
        vm.prank(admin);
        aapl.unpause();
        vm.prank(alice);
        aapl.transfer(bob, 1e18);
    }

    /// A 4:1 split multiplies the shares of every holder and moves no balance.
    function test_split_movesTheMultiplierOnly() public {
        vm.expectEmit(address(aapl));
        emit IStockToken.SharesPerTokenUpdated(1e18, 4e18);
        vm.prank(admin);
        aapl.setSharesPerToken(4e18);
        vm.assertEq(aapl.balanceOf(alice), 10e18);
        vm.assertEq(aapl.sharesOf(alice), 40e18);
        vm.expectRevert(IStockToken.SharesPerTokenCannotBeZero.selector);
        vm.prank(admin);
        aapl.setSharesPerToken(0);
    }

    function test_configure() public {
        vm.startPrank(admin);
        vm.expectEmit(address(aapl));
        emit IStockToken.NameChanged("Apple aStock");
        aapl.setName("Apple aStock");
        vm.expectEmit(address(aapl));
        emit IStockToken.SymbolChanged("aAPL");
        aapl.setSymbol("aAPL");
        vm.expectEmit(address(aapl));
        emit IStockToken.ComplianceSet(address(compliance), bob);
        aapl.setCompliance(bob);
        vm.expectRevert(IStockToken.ComplianceCannotBeZero.selector);
        aapl.setCompliance(address(0));
        vm.stopPrank();
        vm.assertEq(aapl.name(), "Apple aStock");
        vm.assertEq(aapl.symbol(), "aAPL");
        bytes32 role = aapl.CONFIGURE_ROLE();
        _expectRefused(abi.encodeCall(aapl.setName, ("")), bytes32(0));
        _expectRefused(abi.encodeCall(aapl.setSymbol, ("")), bytes32(0));
        _expectRefused(abi.encodeCall(aapl.setCompliance, (outsider)), bytes32(0));
        _expectRefused(abi.encodeCall(aapl.setSharesPerToken, (2e18)), role);
        _expectRefused(abi.encodeCall(aapl.upgradeToAndCall, (outsider, "")), bytes32(0));
    }

    function test_initialize_refusesEveryZero() public {
        address implementation = deployCode("StockToken.sol:StockToken", "");
        bytes4[6] memory errors = [
            IStockToken.ComplianceCannotBeZero.selector,
            IStockToken.AdminCannotBeZero.selector,
            IStockToken.ConfigurerCannotBeZero.selector,
            IStockToken.MinterCannotBeZero.selector,
            IStockToken.BurnerCannotBeZero.selector,
            IStockToken.PauserCannotBeZero.selector
        ];
        for (uint256 i; i < errors.length; ++i) {
            address[6] memory accounts = [admin, admin, admin, admin, admin, admin];
            accounts[i] = address(0);
            vm.expectRevert(errors[i]);
            proxy(
                implementation,
                abi.encodeWithSelector(
                    StockToken.initialize.selector,
                    "N",
                    "S",
                    accounts[0],
                    accounts[1],
                    accounts[2],
                    accounts[3],
                    accounts[4],
                    accounts[5]
                )
            );
        }
        vm.expectRevert(bytes4(keccak256("InvalidInitialization()")));
        aapl.initialize("", "", admin, admin, admin, admin, admin, admin);
    }

    function test_upgrade_keepsBalances() public {
        address next = deployCode("StockToken.sol:StockToken", "");
        vm.prank(admin);
        aapl.upgradeToAndCall(next, "");
        vm.assertEq(aapl.balanceOf(alice), 10e18);
        vm.assertEq(aapl.symbol(), "aAAPL");
    }

    // --- the register ---

    function test_compliance_batches() public {
        address[] memory users = new address[](3);
        (users[0], users[1], users[2]) = (alice, outsider, outsider);
        vm.recordLogs();
        vm.prank(manager);
        compliance.addUsers(users);
        vm.assertEq(vm.getRecordedLogs().length, 1);
        vm.assertTrue(compliance.isCompliant(outsider));
        compliance.requireCompliant(outsider);
        vm.expectEmit(address(compliance));
        emit ICompliance.UserRemoved(alice);
        vm.expectEmit(address(compliance));
        emit ICompliance.UserRemoved(outsider);
        vm.prank(manager);
        compliance.removeUsers(users);
        vm.assertFalse(compliance.isCompliant(outsider));
        vm.expectRevert(ICompliance.UserNotApproved.selector);
        compliance.requireCompliant(outsider);
    }

    function test_compliance_refusals() public {
        address[] memory users = new address[](1);
        vm.expectRevert(ICompliance.AddressCannotBeZero.selector);
        vm.prank(manager);
        compliance.addUsers(users);
        vm.startPrank(outsider);
        vm.expectRevert(roleError(outsider, compliance.COMPLIANCE_MANAGER_ROLE()));
        compliance.addUsers(users);
        vm.expectRevert(roleError(outsider, compliance.COMPLIANCE_MANAGER_ROLE()));
        compliance.removeUsers(users);
        vm.expectRevert(roleError(outsider, bytes32(0)));
        compliance.upgradeToAndCall(outsider, "");
        vm.stopPrank();
        address implementation = deployCode("Compliance.sol:Compliance", "");
        vm.expectRevert(ICompliance.AddressCannotBeZero.selector);
        proxy(implementation, abi.encodeCall(Compliance.initialize, (address(0))));
        vm.expectRevert(bytes4(keccak256("InvalidInitialization()")));
        Compliance(implementation).initialize(admin);
        vm.prank(admin);
        compliance.upgradeToAndCall(implementation, "");
        vm.assertTrue(compliance.isCompliant(alice));
    }

    function _expectRefused(bytes memory data, bytes32 role) private {
        vm.prank(outsider);
        (bool done, bytes memory answer) = address(aapl).call(data);
        vm.assertFalse(done);
        vm.assertEq(answer, roleError(outsider, role));
    }
}
