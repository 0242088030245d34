// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationFixture} from "./DelegationFixture.sol";
import {ProbeWallet} from "./Probes.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";

/// Which signatures are taken and which are not: of keys and of contract wallets. Every refusal leaves nonce and delegatee
/// as they were.
contract DelegationSignaturesTest is DelegationFixture {
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    /// A wallet may burn what it is given; a 64th of this is enough to refuse it.
    uint256 private constant WALLET_GAS = 5_000_000;
    /// A constant, since the compiler may read `block.chainid` again after a test has changed it.
    uint256 private constant HOME_CHAIN = 31337;

    address private delegatee = makeAddress("delegatee");

    function setUp() public override {
        super.setUp();
        vm.chainId(HOME_CHAIN);
    }

    // --- keys ---

    function testFuzz_key_goodSignatureWorksOnce(uint256 key, address to, uint32 deadline) public {
        key = bound(key, 1, ORDER - 1);
        vm.assume(to != address(0));
        deadline = uint32(bound(deadline, block.timestamp, FAR));
        address user = vm.addr(key);
        bytes memory signature = signWith(key, oneClick.delegateDigest(user, to, 0, deadline));
        oneClick.delegateBySig(user, to, deadline, signature);
        vm.assertEq(oneClick.delegateOf(user), to);
        vm.assertEq(oneClick.nonces(user), 1);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(user, to, deadline, signature);
    }

    function testFuzz_key_wrongSigner(uint256 key) public {
        key = bound(key, 1, ORDER - 1);
        vm.assume(key != aliceKey);
        _refused(alice, signDelegation(key, alice, delegatee));
    }

    function testFuzz_key_wrongNonce(uint64 nonce) public {
        vm.assume(nonce != 0);
        _refused(alice, signWith(aliceKey, oneClick.delegateDigest(alice, delegatee, nonce, FAR)));
    }

    /// Good now, so good only for what was signed: every other field makes it another signature.
    function testFuzz_key_otherFields(address otherUser, address otherDelegatee, uint32 otherDeadline) public {
        vm.assume(otherUser != alice && otherUser.code.length == 0);
        vm.assume(otherDelegatee != delegatee && otherDelegatee != address(0));
        otherDeadline = uint32(bound(otherDeadline, block.timestamp, FAR - 1));
        bytes memory signature = signDelegation(aliceKey, alice, delegatee);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(otherUser, delegatee, FAR, signature);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(alice, otherDelegatee, FAR, signature);
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(alice, delegatee, otherDeadline, signature);
        oneClick.delegateBySig(alice, delegatee, FAR, signature);
    }

    function testFuzz_key_wrongChain(uint64 otherChain) public {
        vm.assume(otherChain != 0 && otherChain != HOME_CHAIN);
        vm.chainId(otherChain);
        bytes memory foreign = signDelegation(aliceKey, alice, delegatee);
        vm.chainId(HOME_CHAIN);
        _refused(alice, foreign);
        // And the other way round: the digest follows the chain, also after a fork of it.
        bytes memory native = signDelegation(aliceKey, alice, delegatee);
        vm.chainId(otherChain);
        _refused(alice, native);
    }

    function test_key_wrongContract() public {
        OneClickRouter other = newOneClick();
        _refused(alice, signWith(aliceKey, other.delegateDigest(alice, delegatee, 0, FAR)));
        // Not even the implementation's own domain counts behind the proxy.
        OneClickRouter implementation = OneClickRouter(deployCode("OneClickRouter.sol:OneClickRouter", ""));
        _refused(alice, signWith(aliceKey, implementation.delegateDigest(alice, delegatee, 0, FAR)));
    }

    function testFuzz_key_expired(uint32 deadline) public {
        deadline = uint32(bound(deadline, 0, block.timestamp - 1));
        bytes memory signature = signWith(aliceKey, oneClick.delegateDigest(alice, delegatee, 0, deadline));
        vm.expectRevert(IOneClickRouter.DeadlineExpired.selector);
        oneClick.delegateBySig(alice, delegatee, deadline, signature);
        _unchanged(alice);
    }

    /// The other signature that the same key would have made: upper half order, other v.
    function testFuzz_key_malleated(uint256 key) public {
        key = bound(key, 1, ORDER - 1);
        address user = vm.addr(key);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, oneClick.delegateDigest(user, delegatee, 0, FAR));
        bytes32 high = bytes32(ORDER - uint256(s));
        _refused(user, abi.encodePacked(r, high, v == 27 ? uint8(28) : uint8(27)));
        _refused(user, abi.encodePacked(r, high, v));
        oneClick.delegateBySig(user, delegatee, FAR, abi.encodePacked(r, s, v));
    }

    function testFuzz_key_otherV(uint8 v) public {
        (uint8 good, bytes32 r, bytes32 s) = vm.sign(aliceKey, oneClick.delegateDigest(alice, delegatee, 0, FAR));
        vm.assume(v != good);
        _refused(alice, abi.encodePacked(r, s, v));
    }

    /// Cut at every length, in the compact form of 64 bytes, and with something behind it.
    function testFuzz_key_otherLengths(bytes memory tail) public {
        vm.assume(tail.length != 0);
        bytes32 digest = oneClick.delegateDigest(alice, delegatee, 0, FAR);
        bytes memory signature = signWith(aliceKey, digest);
        for (uint256 length; length < 65; ++length) {
            bytes memory cut = abi.encodePacked(signature);
            assembly {
                mstore(cut, length)
            }
            _refused(alice, cut);
        }
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(aliceKey, digest);
        _refused(alice, abi.encodePacked(r, bytes32(uint256(s) | (uint256(v - 27) << 255))));
        _refused(alice, abi.encodePacked(signature, tail));
    }

    function testFuzz_key_garbage(bytes memory signature) public {
        _refused(alice, signature);
        // What cannot be recovered must not stand for the zero address.
        _refused(address(0), signature);
        _refused(address(0), new bytes(65));
    }

    /// A signed text or a bare struct hash is not a typed message.
    function test_key_otherKindsOfMessage() public {
        bytes32 digest = oneClick.delegateDigest(alice, delegatee, 0, FAR);
        _refused(alice, signWith(aliceKey, keccak256(abi.encodePacked("\x19Ethereum Signed Message:\n32", digest))));
        bytes32 bare = keccak256(abi.encode(oneClick.DELEGATE_TYPEHASH(), alice, delegatee, uint64(0), FAR));
        _refused(alice, signWith(aliceKey, bare));
    }

    // --- contract wallets ---

    function testFuzz_wallet_signsAnyLength(bytes memory signature) public {
        ProbeWallet wallet = newWallet();
        wallet.accept(oneClick.delegateDigest(address(wallet), address(pool), 0, FAR), signature);
        vm.prank(operator);
        pool.enable(address(oneClick), address(wallet), FAR, signature);
        executeAs(address(wallet), address(target), abi.encodeCall(target.act, (7)));
        vm.assertEq(target.callsAs(address(wallet)), 1);

        // It is asked about the next nonce now, and no longer says yes.
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        vm.prank(operator);
        pool.enable(address(oneClick), address(wallet), FAR, signature);
    }

    function test_wallet_endsItsDelegation() public {
        ProbeWallet wallet = newWallet();
        _acceptAndDelegate(wallet);
        wallet.act(address(oneClick), abi.encodeCall(oneClick.undelegate, ()));
        vm.assertEq(oneClick.delegateOf(address(wallet)), address(0));
        vm.assertEq(oneClick.nonces(address(wallet)), 2);
    }

    function test_wallet_everyOtherAnswerIsNo() public {
        for (uint8 answer = 1; answer <= uint8(type(ProbeWallet.Answer).max); ++answer) {
            ProbeWallet wallet = newWallet();
            wallet.accept(oneClick.delegateDigest(address(wallet), delegatee, 0, FAR), "sig");
            wallet.setAnswer(ProbeWallet.Answer(answer));
            vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
            oneClick.delegateBySig{gas: WALLET_GAS}(address(wallet), delegatee, FAR, "sig");
            _unchanged(address(wallet));
        }
    }

    /// Among them one that would write down that it was asked, which a static call does not let it.
    function test_wallet_contractWithoutTheFunction() public {
        address[3] memory contracts = [address(target), address(pool), address(oneClick)];
        for (uint256 i; i < contracts.length; ++i) {
            vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
            oneClick.delegateBySig{gas: WALLET_GAS}(contracts[i], delegatee, FAR, "sig");
            _unchanged(contracts[i]);
        }
    }

    /// A key cannot sign for an address that has code, even if it is that address's key.
    function test_wallet_codeComesBeforeTheKey() public {
        bytes memory signature = signDelegation(aliceKey, alice, delegatee);
        vm.etch(alice, address(newWallet()).code);
        _refused(alice, signature);
    }

    /// Ends with one delegation and one nonce: while it is asked a wallet can change nothing (static call).
    function test_wallet_reentrant() public {
        bytes[4] memory calls = [
            abi.encodeCall(oneClick.undelegate, ()),
            abi.encodeCall(oneClick.undelegateFor, (alice)),
            abi.encodeCall(oneClick.delegateBySig, (alice, delegatee, FAR, signDelegation(aliceKey, alice, delegatee))),
            abi.encodeCall(oneClick.execute, (alice, address(target), abi.encodeCall(target.act, (7))))
        ];
        for (uint256 i; i < calls.length; ++i) {
            ProbeWallet wallet = newWallet();
            wallet.callWhenAsked(address(oneClick), calls[i]);
            _acceptAndDelegate(wallet);
            vm.assertEq(oneClick.delegateOf(address(wallet)), delegatee);
            vm.assertEq(oneClick.nonces(address(wallet)), 1);
        }
        _unchanged(alice);
        vm.assertEq(target.callsAs(alice), 0);
    }

    function _acceptAndDelegate(ProbeWallet wallet) private {
        wallet.accept(oneClick.delegateDigest(address(wallet), delegatee, 0, FAR), "sig");
        oneClick.delegateBySig(address(wallet), delegatee, FAR, "sig");
    }

    function _refused(address user, bytes memory signature) private {
        vm.expectRevert(IOneClickRouter.InvalidSignature.selector);
        oneClick.delegateBySig(user, delegatee, FAR, signature);
        _unchanged(user);
    }

    function _unchanged(address user) private view {
        vm.assertEq(oneClick.nonces(user), 0);
        vm.assertEq(oneClick.delegateOf(user), address(0));
    }
}
