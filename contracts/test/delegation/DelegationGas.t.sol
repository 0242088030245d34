// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationAccounts} from "./DelegationFixture.sol";
import {GasProbe} from "./Probes.sol";

/// What delegation costs, as whole transactions (`isolate`): the 21,000 of a transaction, its calldata and every cold access,
/// through the real proxies. The overhead is that of the same call sent by the user directly.
contract DelegationGasTest is DelegationAccounts {
    /// Two proxies, their roles, pauses and lists, and the daily amount; see the snapshot for the figure itself.
    uint256 private constant OVERHEAD_LIMIT = 55_000;

    GasProbe private target;

    function setUp() public {
        deployDelegation();
        target = GasProbe(deployCode("Probes.sol:GasProbe", ""));
        allow(address(target), GasProbe.order.selector);
    }

    /// forge-config: default.isolate = true
    function test_delegation() public {
        bytes memory signature = signDelegation(aliceKey, alice, address(pool));
        vm.prank(operator);
        pool.enable(address(oneClick), alice, FAR, signature);
        vm.snapshotGasLastCall("DelegationGas", "enable, a user's first");
        vm.prank(operator);
        pool.disable(address(oneClick), alice);
        vm.snapshotGasLastCall("DelegationGas", "disable");
        signature = signDelegation(aliceKey, alice, address(pool));
        vm.prank(operator);
        pool.enable(address(oneClick), alice, FAR, signature);
        vm.snapshotGasLastCall("DelegationGas", "enable, again");
        vm.prank(alice);
        oneClick.undelegate();
        vm.snapshotGasLastCall("DelegationGas", "undelegate");
    }

    /// The target does the same for whoever it is, so the difference is the delegation's.
    /// forge-config: default.isolate = true
    function test_execute() public {
        enable(aliceKey);
        delegateTo(bobKey, outsider);
        // Both have sent before: what they spend is counted in a slot that is used.
        vm.prank(outsider);
        oneClick.execute(bob, address(target), abi.encodeCall(target.order, (address(target), -1e18, FAR)));
        vm.prank(operator);
        pool.execute(
            address(oneClick), alice, address(target), abi.encodeCall(target.order, (address(target), -1e18, FAR))
        );
        vm.warp(block.timestamp + 12);
        bytes memory data = abi.encodeCall(target.order, (address(target), -1e18, FAR));
        vm.prank(alice);
        target.order(address(target), -1e18, FAR);
        uint256 direct = vm.snapshotGasLastCall("DelegationGas", "a call of 100 bytes, direct");
        vm.prank(outsider);
        oneClick.execute(bob, address(target), data);
        uint256 byRouter = vm.snapshotGasLastCall("DelegationGas", "the same by OneClickRouter.execute");
        vm.prank(operator);
        pool.execute(address(oneClick), alice, address(target), data);
        uint256 byPool = vm.snapshotGasLastCall("DelegationGas", "the same by OperatorPool.execute");
        vm.snapshotValue("DelegationGas", "overhead of OneClickRouter.execute", byRouter - direct);
        vm.snapshotValue("DelegationGas", "overhead of OperatorPool.execute", byPool - direct);
        vm.assertLe(byPool - direct, OVERHEAD_LIMIT);
    }

    /// forge-config: default.isolate = true
    function test_sizes() public {
        _size("OneClickRouter");
        _size("OperatorPool");
    }

    function _size(string memory name) private {
        uint256 size = runtimeSize(string.concat(name, ".sol:", name));
        vm.assertLe(size, 24_576);
        vm.snapshotValue("DelegationSize", name, size);
    }
}
