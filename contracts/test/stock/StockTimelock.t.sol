// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";

/// The venue as production holds it: every admin role belongs to a timelock alone, so upgrades and parameters
/// can be seen coming, and the guardian can only pause (design: contracts).
contract StockTimelockTest is StockFixture {
    /// As the example plan has it (docs/trust-model.md).
    uint256 private constant DELAY = 6 days;
    bytes32 private constant ADMIN_ROLE = 0;

    TimelockController private timelock;
    /// Kept here: the compiler may read `block.timestamp` once for all of a test.
    uint256 private time = START;
    address private proposer = makeAddress("proposer");

    function setUp() public override {
        super.setUp();
        address[] memory proposers = new address[](1);
        proposers[0] = proposer;
        // Nobody administers the timelock but itself; everybody may execute what has waited long enough.
        address[] memory executors = new address[](1);
        timelock = new TimelockController(DELAY, proposers, executors, address(0));
        address[4] memory parts = _parts();
        vm.startPrank(admin);
        for (uint256 i; i < parts.length; ++i) {
            IAccessControl(parts[i]).grantRole(ADMIN_ROLE, address(timelock));
            IAccessControl(parts[i]).renounceRole(ADMIN_ROLE, admin);
        }
        vm.stopPrank();
    }

    function test_anUpgradeWaitsTheDelay() public {
        address implementation = newStock();
        bytes memory upgrade = abi.encodeCall(UUPSUpgradeable.upgradeToAndCall, (implementation, ""));
        _expectOnlyAfterDelay(address(stock), upgrade);
        vm.assertEq(_implementationOf(address(stock)), implementation);
    }

    function test_aParameterWaitsTheDelay() public {
        IStock.FeeRates memory newRates = IStock.FeeRates(500, 50, 0, 50);
        _expectOnlyAfterDelay(address(stock), abi.encodeCall(IStock.setFeeRates, (newRates)));
        vm.assertEq(stock.feeRates().buyThirdPartyPpm, 500);
    }

    function test_unpausingAndRolesWaitTheDelay() public {
        vm.prank(guardian);
        stock.pause();
        _expectOnlyAfterDelay(address(stock), abi.encodeCall(stock.unpause, ()));
        vm.assertFalse(stock.paused());
        bytes memory grant = abi.encodeCall(IAccessControl.grantRole, (stock.ORDER_SETTLER_ROLE(), outsider));
        _expectOnlyAfterDelay(address(stock), grant);
    }

    function test_formerAdminGuardianAndProposerCanDoNothingByThemselves() public {
        address[3] memory callers = [admin, guardian, proposer];
        address[4] memory parts = _parts();
        for (uint256 i; i < callers.length; ++i) {
            for (uint256 j; j < parts.length; ++j) {
                vm.expectRevert(_unauthorized(callers[i]));
                vm.prank(callers[i]);
                UUPSUpgradeable(parts[j]).upgradeToAndCall(address(1), "");
            }
            vm.expectRevert(_unauthorized(callers[i]));
            vm.prank(callers[i]);
            stock.setExitDelay(2 days);
        }
    }

    /// `data` is refused at once and a second too early, and works afterwards.
    function _expectOnlyAfterDelay(address target, bytes memory data) private {
        vm.expectRevert();
        vm.prank(proposer);
        timelock.schedule(target, 0, data, 0, 0, DELAY - 1);
        vm.prank(proposer);
        timelock.schedule(target, 0, data, 0, 0, DELAY);
        time += DELAY;
        vm.warp(time - 1);
        vm.expectRevert();
        timelock.execute(target, 0, data, 0, 0);
        vm.warp(time);
        timelock.execute(target, 0, data, 0, 0);
    }

    function _parts() private view returns (address[4] memory) {
        return [address(router), address(cashier), address(stock), address(oracle)];
    }

    function _unauthorized(address caller) private pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, caller, ADMIN_ROLE);
    }

    function _implementationOf(address proxied) private view returns (address) {
        bytes32 slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
        return address(uint160(uint256(vm.load(proxied, slot))));
    }
}
