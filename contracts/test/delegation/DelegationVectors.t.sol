// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationAccounts} from "./DelegationFixture.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";
import {IOperatorPool} from "src/delegation/interfaces/IOperatorPool.sol";

/// Selectors, topics, storage slots, and the EIP-712 vectors that server and SDK read too.
contract DelegationVectorsTest is DelegationAccounts {
    /// Of the terms within the router's state: after the delegations, the list of functions (two words) and what was spent.
    uint256 private constant TERMS_OFFSET = 4;
    bytes32 private constant ROUTER_SLOT = 0x51717f78c9c12ed2cc47ce04f23647833798538848c0814e854695d120a8c600;
    bytes32 private constant POOL_SLOT = 0x973a003e7efe00f81f475a3ac168ce8b7aa9b65847b13ef6401297a9188a8600;

    struct Vector {
        uint256 chainId;
        address verifyingContract;
        address user;
        address delegatee;
        uint64 nonce;
        uint32 deadline;
    }

    string private json;
    OneClickRouter private implementation;

    function setUp() public {
        json = vm.readFile("sdk/vectors/delegation.json");
        implementation = OneClickRouter(deployCode("OneClickRouter.sol:OneClickRouter", ""));
    }

    function test_typeHash() public view {
        vm.assertEq(
            implementation.DELEGATE_TYPEHASH(), 0x30747603bd1a806d21b608ede9f5a62c3a1c315efd44c74d0fb645a0088e8d9b
        );
        vm.assertEq(implementation.DELEGATE_TYPEHASH(), _word(".delegateTypeHash"));
        vm.assertEq(keccak256(abi.decode(vm.parseJson(json, ".delegateType"), (bytes))), _word(".delegateTypeHash"));
    }

    /// The published check value names a precompile as the contract, so the contract's own code cannot stand there: what
    /// the contract computes is compared with a second computation, and that one with the value.
    function test_publishedDigest() public view {
        Vector memory check = _vector(".digestOnly");
        vm.assertEq(_digest(check), 0x795841215222598852d5ec09e4fb6a416aa9d814a7f8b9fd5be8ed9de885af34);
        vm.assertEq(_digest(check), _word(".digestOnly.digest"));
        vm.assertEq(_domainSeparator(check), _word(".digestOnly.domainSeparator"));
        vm.assertEq(_structHash(check), _word(".digestOnly.structHash"));
    }

    function testFuzz_contractComputesTheSameDigest(Vector memory any) public {
        any.chainId = bound(any.chainId, 1, type(uint64).max);
        any.verifyingContract = address(newOneClick());
        vm.chainId(any.chainId);
        OneClickRouter router = OneClickRouter(any.verifyingContract);
        vm.assertEq(router.delegateDigest(any.user, any.delegatee, any.nonce, any.deadline), _digest(any));
        vm.assertEq(router.DOMAIN_SEPARATOR(), _domainSeparator(any));
    }

    function test_domainIsPublished() public {
        OneClickRouter router = newOneClick();
        (bytes1 fields, string memory name, string memory version, uint256 chainId, address verifyingContract,,) =
            router.eip712Domain();
        vm.assertEq(uint256(uint8(fields)), 0x0f);
        vm.assertEq(name, "OneClickRouter");
        vm.assertEq(version, "1");
        vm.assertEq(chainId, block.chainid);
        vm.assertEq(verifyingContract, address(router));
    }

    /// Each vector on a router at its address, on its chain, at its deadline, with its user's nonce put in place.
    function test_vectors() public {
        uint256 count = abi.decode(vm.parseJson(json, ".vectors[*].digest"), (bytes32[])).length;
        vm.assertGe(count, 5);
        for (uint256 i; i < count; ++i) {
            _check(string.concat(".vectors[", vm.toString(i), "]"));
        }
    }

    function test_refusedVectors() public {
        Vector memory first = _vector(".vectors[0]");
        OneClickRouter router = _routerFor(first);
        bytes[] memory signatures = abi.decode(vm.parseJson(json, ".refused[*].signature"), (bytes[]));
        vm.assertGe(signatures.length, 6);
        for (uint256 i; i < signatures.length; ++i) {
            vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
            router.delegateBySig(first.user, first.delegatee, first.deadline, signatures[i]);
        }
    }

    function test_selectors() public pure {
        _same(IOneClickRouter.delegateBySig.selector, "delegateBySig(address,address,uint32,bytes)");
        _same(IOneClickRouter.undelegate.selector, "undelegate()");
        _same(IOneClickRouter.undelegateFor.selector, "undelegateFor(address)");
        _same(IOneClickRouter.execute.selector, "execute(address,address,bytes)");
        _same(IOneClickRouter.delegateOf.selector, "delegateOf(address)");
        _same(IOneClickRouter.nonces.selector, "nonces(address)");
        _same(IOneClickRouter.setAllowed.selector, "setAllowed(address,bytes4,bool)");
        _same(IOperatorPool.enable.selector, "enable(address,address,uint32,bytes)");
        _same(IOperatorPool.disable.selector, "disable(address,address)");
        _same(IOperatorPool.execute.selector, "execute(address,address,address,bytes)");
    }

    function test_topics() public pure {
        vm.assertEq(IOneClickRouter.Delegated.selector, keccak256("Delegated(address,address,uint64,uint32)"));
        vm.assertEq(IOneClickRouter.Undelegated.selector, keccak256("Undelegated(address,address,uint64)"));
        vm.assertEq(IOneClickRouter.Executed.selector, keccak256("Executed(address,address,address,bytes4)"));
        vm.assertEq(IOneClickRouter.AllowedUpdated.selector, keccak256("AllowedUpdated(address,bytes4,bool)"));
        vm.assertEq(IOperatorPool.RouterUpdated.selector, keccak256("RouterUpdated(address,bool)"));
    }

    /// Where the state lies, as an upgrade must find it again.
    function test_storage() public {
        _slot("bourse.storage.OneClickRouter", ROUTER_SLOT);
        _slot("bourse.storage.OperatorPool", POOL_SLOT);
        deployDelegation();
        delegateTo(aliceKey, bob);
        vm.assertEq(
            uint256(vm.load(address(oneClick), _delegationSlot(alice))),
            ((block.timestamp + DURATION) << 224) | (uint256(1) << 160) | uint256(uint160(bob))
        );
        vm.assertEq(uint256(vm.load(address(pool), keccak256(abi.encode(oneClick, POOL_SLOT)))), 1);
    }

    function _check(string memory path) private {
        Vector memory vector = _vector(path);
        OneClickRouter router = _routerFor(vector);
        bytes32 digest = router.delegateDigest(vector.user, vector.delegatee, vector.nonce, vector.deadline);
        vm.assertEq(digest, _word(string.concat(path, ".digest")), path);
        vm.assertEq(_structHash(vector), _word(string.concat(path, ".structHash")), path);
        vm.assertEq(router.DOMAIN_SEPARATOR(), _word(string.concat(path, ".domainSeparator")), path);

        uint256 key = uint256(_word(string.concat(path, ".privateKey")));
        bytes memory signature = abi.decode(vm.parseJson(json, string.concat(path, ".signature")), (bytes));
        vm.assertEq(vm.addr(key), vector.user, path);
        vm.assertEq(signWith(key, digest), signature);
        router.delegateBySig(vector.user, vector.delegatee, vector.deadline, signature);
        vm.assertEq(router.delegateOf(vector.user), vector.delegatee, path);
        vm.assertEq(router.nonces(vector.user), uint256(vector.nonce) + 1, path);
    }

    function _routerFor(Vector memory vector) private returns (OneClickRouter router) {
        router = OneClickRouter(vector.verifyingContract);
        vm.etch(address(router), address(implementation).code);
        vm.store(address(router), _delegationSlot(vector.user), bytes32(uint256(vector.nonce) << 160));
        vm.store(address(router), bytes32(uint256(ROUTER_SLOT) + TERMS_OFFSET), bytes32(uint256(DURATION)));
        vm.chainId(vector.chainId);
        // A delegation must have room to last within 32 bits.
        vm.warp(vector.deadline > type(uint32).max - DURATION ? 1_800_000_000 : vector.deadline);
    }

    function _vector(string memory path) private view returns (Vector memory) {
        return Vector({
            chainId: _number(path, ".domain.chainId"),
            verifyingContract: _address(path, ".domain.verifyingContract"),
            user: _address(path, ".message.user"),
            delegatee: _address(path, ".message.delegatee"),
            nonce: uint64(_number(path, ".message.nonce")),
            deadline: uint32(_number(path, ".message.deadline"))
        });
    }

    function _number(string memory path, string memory field) private view returns (uint256) {
        return abi.decode(vm.parseJson(json, string.concat(path, field)), (uint256));
    }

    function _address(string memory path, string memory field) private view returns (address) {
        return abi.decode(vm.parseJson(json, string.concat(path, field)), (address));
    }

    function _word(string memory path) private view returns (bytes32) {
        return abi.decode(vm.parseJson(json, path), (bytes32));
    }

    function _digest(Vector memory vector) private pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", _domainSeparator(vector), _structHash(vector)));
    }

    function _domainSeparator(Vector memory vector) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("OneClickRouter"),
                keccak256("1"),
                vector.chainId,
                vector.verifyingContract
            )
        );
    }

    function _structHash(Vector memory vector) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("Delegate(address user,address delegatee,uint64 nonce,uint32 deadline)"),
                vector.user,
                vector.delegatee,
                vector.nonce,
                vector.deadline
            )
        );
    }

    function _delegationSlot(address user) private pure returns (bytes32) {
        return keccak256(abi.encode(user, ROUTER_SLOT));
    }

    function _same(bytes4 selector, string memory signature) private pure {
        vm.assertEq(bytes32(selector), bytes32(bytes4(keccak256(bytes(signature)))));
    }

    function _slot(string memory id, bytes32 expected) private pure {
        vm.assertEq(keccak256(abi.encode(uint256(keccak256(bytes(id))) - 1)) & ~bytes32(uint256(0xff)), expected);
    }
}
