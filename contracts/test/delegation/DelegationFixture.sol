// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ForwardProbe, ProbeWallet} from "./Probes.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {OperatorPool} from "src/delegation/OperatorPool.sol";
import {TestBase} from "test/TestBase.sol";

/// The accounts of every test of the delegation contracts; router and pool behind their proxies, one role an account.
abstract contract DelegationAccounts is TestBase {
    uint32 internal constant FAR = type(uint32).max;
    uint32 internal constant DURATION = 30 days;
    uint96 internal constant DAILY_AMOUNT = 10_000e18;
    bytes4 internal constant PAUSED = bytes4(keccak256("EnforcedPause()"));

    address internal admin = makeAddress("admin");
    address internal guardian = makeAddress("guardian");
    address internal operator = makeAddress("operator");
    address internal outsider = makeAddress("outsider");
    address internal alice;
    address internal bob;
    uint256 internal aliceKey;
    uint256 internal bobKey;

    OneClickRouter internal oneClick;
    OperatorPool internal pool;

    constructor() {
        (alice, aliceKey) = makeAccount("alice");
        (bob, bobKey) = makeAccount("bob");
    }

    // --- deployment ---

    function newOneClick() internal returns (OneClickRouter) {
        return OneClickRouter(
            _proxy(
                deployCode("OneClickRouter.sol:OneClickRouter", ""),
                abi.encodeCall(OneClickRouter.initialize, (admin, DURATION, DAILY_AMOUNT))
            )
        );
    }

    function newPool() internal returns (OperatorPool) {
        return OperatorPool(
            _proxy(deployCode("OperatorPool.sol:OperatorPool", ""), abi.encodeCall(OperatorPool.initialize, (admin)))
        );
    }

    /// `oneClick` and a `pool` of one operator that works with it.
    function deployDelegation() internal {
        oneClick = newOneClick();
        pool = newPool();
        vm.startPrank(admin);
        oneClick.grantRole(oneClick.GUARDIAN_ROLE(), guardian);
        pool.grantRole(pool.GUARDIAN_ROLE(), guardian);
        pool.grantRole(pool.OPERATOR_ROLE(), operator);
        pool.setRouter(address(oneClick), true);
        vm.stopPrank();
    }

    function _proxy(address implementation, bytes memory initData) private returns (address) {
        return address(
            ERC1967Proxy(payable(deployCode("ERC1967Proxy.sol:ERC1967Proxy", abi.encode(implementation, initData))))
        );
    }

    // --- actions ---

    function allow(address target, bytes4 selector) internal {
        vm.prank(admin);
        oneClick.setAllowed(target, selector, true);
    }

    /// A delegation signed with the user's current nonce.
    function signDelegation(uint256 key, address user, address delegatee) internal view returns (bytes memory) {
        return signWith(key, oneClick.delegateDigest(user, delegatee, oneClick.nonces(user), FAR));
    }

    function signWith(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function delegateTo(uint256 key, address delegatee) internal {
        address user = vm.addr(key);
        oneClick.delegateBySig(user, delegatee, FAR, signDelegation(key, user, delegatee));
    }

    /// Through the operator, as the venue does it.
    function enable(uint256 key) internal {
        address user = vm.addr(key);
        bytes memory signature = signDelegation(key, user, address(pool));
        vm.prank(operator);
        pool.enable(address(oneClick), user, FAR, signature);
    }

    function executeAs(address user, address target, bytes memory data) internal returns (bytes memory) {
        vm.prank(operator);
        return pool.execute(address(oneClick), user, target, data);
    }

    function roleError(address account, bytes32 role) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("AccessControlUnauthorizedAccount(address,bytes32)", account, role);
    }
}

/// A fresh router, pool and target for every test. All functions of the target but `hidden` are listed.
abstract contract DelegationFixture is DelegationAccounts {
    ForwardProbe internal target;

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        deployDelegation();
        target = ForwardProbe(deployCode("Probes.sol:ForwardProbe", abi.encode(oneClick)));
        allow(address(target), ForwardProbe.act.selector);
        allow(address(target), ForwardProbe.place.selector);
        allow(address(target), ForwardProbe.cancel.selector);
        allow(address(target), ForwardProbe.refuse.selector);
        allow(address(target), ForwardProbe.revertWith.selector);
        allow(address(target), ForwardProbe.callBack.selector);
    }

    function newWallet() internal returns (ProbeWallet) {
        return ProbeWallet(deployCode("Probes.sol:ProbeWallet", ""));
    }
}
