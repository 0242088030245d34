// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {OneClickRouter} from "src/delegation/OneClickRouter.sol";
import {Config} from "src/perp/Config.sol";
import {NATIVE_TOKEN} from "src/perp/Constants.sol";
import {RelayRouter} from "src/perp/RelayRouter.sol";
import {Portfolio} from "src/perp/Types.sol";
import {IInitializeOnce} from "src/perp/interfaces/IInitializeOnce.sol";
import {IRelayRouter} from "src/perp/interfaces/IRelayRouter.sol";

/// The handler: a delegate of one user can do nothing for another, through any function that takes a user, alone or inside
/// calls inside calls.
contract RelayRouterTest is PerpFixture {
    RelayRouter private router;
    OneClickRouter private oneClick;
    address private forwarder = makeAddress("forwarder");
    address private agent = makeAddress("agent");
    address private delegatee = makeAddress("delegatee");

    /// The router stands at the address that Gate and instrument were deployed with as their handler.
    function setUp() public override {
        super.setUp();
        // Config names a market type once for ever, so the second protocol has a second Config.
        config = Config(_proxy(deployCode("Config.sol:Config", ""), abi.encodeCall(Config.initialize, (admin))));
        address implementation = deployCode("RelayRouter.sol:RelayRouter", abi.encode(address(config)));
        address proxy = _proxy(implementation, abi.encodeCall(RelayRouter.initialize, (forwarder)));
        oneClick = OneClickRouter(
            _proxy(
                deployCode("OneClickRouter.sol:OneClickRouter", ""),
                abi.encodeCall(OneClickRouter.initialize, (admin, 30 days, type(uint96).max))
            )
        );
        router = RelayRouter(proxy);
        _rebuildWith(proxy);
        vm.startPrank(admin);
        router.connect(address(gate), address(oneClick));
        oneClick.setAllowed(address(router), RelayRouter.batch.selector, true);
        oneClick.setAllowed(address(router), RelayRouter.batchMulticall.selector, true);
        vm.stopPrank();
        vm.prank(alice);
        router.setSubAccount(agent);
    }

    /// The whole protocol again, with this handler.
    function _rebuildWith(address newHandler) private {
        handler = newHandler;
        _deployCoreWith(config);
        _supportQuote(address(usd));
        address[4] memory accounts = [alice, bob, carol, maker];
        for (uint256 i; i < 4; ++i) {
            _fund(accounts[i], 10_000_000e6);
        }
        instrument = _launch("BTC", address(usd), 500_000e18, 2000);
    }

    function _tradeFor(address user, int256 size) private view returns (bytes memory) {
        int24 limit = size > 0 ? int24(443_636) : int24(-322_517);
        return abi.encodeCall(instrument.tradeFor, (user, Words.trade(PERP, size, 2000e18, limit, 0)));
    }

    function _refuse(address sender, bytes memory reason, bytes memory call) private {
        vm.prank(sender);
        (bool ok, bytes memory data) = address(router).call(call);
        vm.assertFalse(ok, "must be refused");
        if (reason.length != 0) vm.assertEq(data, reason);
    }

    function _batch(address subAccount, address user, address target, bytes memory data)
        private
        view
        returns (bytes memory)
    {
        return abi.encodeCall(router.batch, (subAccount, user, target, data, false));
    }

    function _size(address user) private view returns (int256) {
        return _portfolio(user).position.size;
    }

    // What works

    function testASubAccountTrades() public {
        vm.prank(agent);
        router.batch(agent, alice, address(instrument), _tradeFor(alice, 1e18), true);
        vm.assertEq(_size(alice), 1e18);
    }

    function testThroughTheTrustedForwarder() public {
        vm.prank(forwarder);
        (bool ok,) = address(router)
            .call(abi.encodePacked(_batch(agent, alice, address(instrument), _tradeFor(alice, 1e18)), agent));
        vm.assertTrue(ok);
        vm.assertEq(_size(alice), 1e18);
        // Somebody else's address behind it is somebody else's call.
        vm.prank(forwarder);
        (ok,) = address(router)
            .call(abi.encodePacked(_batch(agent, alice, address(instrument), _tradeFor(alice, 1e18)), bob));
        vm.assertFalse(ok);
    }

    function testEveryFunctionThatTakesAUser() public {
        address[] memory targets = new address[](7);
        bytes[] memory calls = new bytes[](7);
        for (uint256 i; i < 5; ++i) {
            targets[i] = address(instrument);
        }
        (targets[5], targets[6]) = (address(gate), address(gate));
        int24[] memory ticks = new int24[](2);
        (ticks[0], ticks[1]) = (80_300, 80_310);
        uint16[] memory ratios = new uint16[](2);
        (ratios[0], ratios[1]) = (5000, 5000);
        calls[0] = abi.encodeCall(instrument.placeFor, (alice, Words.trade(PERP, -1e18, 400e18, 80_200, 0)));
        calls[1] = abi.encodeCall(instrument.batchPlaceFor, (alice, Words.batch(PERP, -2e18, 3e18, ticks, ratios, 0)));
        calls[2] = abi.encodeCall(instrument.cancelFor, (alice, Words.cancel(PERP, ticks, 0)));
        calls[3] =
            abi.encodeCall(instrument.addFor, (alice, Words.add(PERP, 5000e18, 1000, 1000, ANY_LOW, ANY_HIGH, 0)));
        calls[4] = _tradeFor(alice, 1e18);
        calls[5] = abi.encodeCall(gate.depositFor, (alice, Words.token(address(usd), 5e6)));
        calls[6] = abi.encodeCall(gate.withdrawFor, (alice, Words.token(address(usd), 7e6)));
        uint256 wallet = usd.balanceOf(alice);
        vm.prank(agent);
        router.batchMulticall(agent, alice, targets, calls, false);
        Portfolio memory p = _portfolio(alice);
        vm.assertEq(p.oids.length, 1);
        vm.assertEq(p.rids.length, 1);
        vm.assertEq(int256(p.position.size), 1e18);
        vm.assertEq(usd.balanceOf(alice), wallet + 2e6, "to and from her own wallet");
        int24 lower = int24(uint24(p.rids[0] >> 24));
        bytes[] memory inner = new bytes[](1);
        inner[0] = abi.encodeCall(
            instrument.removeFor, (Words.remove(PERP, alice, lower, int24(uint24(p.rids[0])), ANY_LOW, ANY_HIGH, 0))
        );
        inner[0] = abi.encodeCall(instrument.multicall, (inner));
        vm.prank(agent);
        router.batch(agent, alice, address(instrument), abi.encodeCall(instrument.multicall, (inner)), false);
        vm.assertEq(_portfolio(alice).rids.length, 0);
    }

    function testNativeDeposit() public {
        vm.deal(agent, 3 ether);
        bytes memory call = abi.encodeCall(gate.depositFor, (alice, Words.token(NATIVE_TOKEN, 2 ether)));
        vm.prank(agent);
        router.batch{value: 2 ether}(agent, alice, address(gate), call, false);
        vm.assertEq(gate.reserveOf(address(weth), alice), 2 ether);
        vm.prank(agent);
        vm.expectRevert(abi.encodeWithSelector(IRelayRouter.InvalidValue.selector, 0, 1));
        router.batch{value: 1}(agent, alice, address(instrument), _tradeFor(alice, 1e18), false);
        (address[] memory targets, bytes[] memory calls) = (new address[](2), new bytes[](2));
        (targets[0], targets[1], calls[0], calls[1]) = (address(gate), address(gate), call, call);
        vm.deal(agent, 5 ether);
        vm.prank(agent);
        vm.expectRevert(abi.encodeWithSelector(IRelayRouter.InvalidValue.selector, 4 ether, 5 ether));
        router.batchMulticall{value: 5 ether}(agent, alice, targets, calls, false);
        vm.prank(agent);
        router.batchMulticall{value: 4 ether}(agent, alice, targets, calls, false);
        vm.assertEq(gate.reserveOf(address(weth), alice), 6 ether);
        vm.assertEq(address(router).balance, 0);
    }

    function _delegate(address user, uint256 key) private {
        bytes32 digest = oneClick.delegateDigest(user, delegatee, oneClick.nonces(user), uint32(block.timestamp));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        oneClick.delegateBySig(user, delegatee, uint32(block.timestamp), abi.encodePacked(r, s, v));
    }

    function testOneClick() public {
        (, uint256 key) = makeAccount("bob");
        _delegate(bob, key);
        vm.prank(delegatee);
        oneClick.execute(bob, address(router), _batch(address(0), bob, address(instrument), _tradeFor(bob, 1e18)));
        vm.assertEq(_size(bob), 1e18);
        // For another: neither as the batch's user nor inside it, nor with her address behind the calldata.
        bytes[3] memory calls = [
            _batch(agent, alice, address(instrument), _tradeFor(alice, 1e18)),
            _batch(agent, bob, address(instrument), _tradeFor(alice, 1e18)),
            abi.encodePacked(_batch(agent, alice, address(instrument), _tradeFor(alice, 1e18)), alice)
        ];
        for (uint256 i; i < 3; ++i) {
            vm.prank(delegatee);
            (bool ok,) = address(oneClick).call(abi.encodeCall(oneClick.execute, (bob, address(router), calls[i])));
            vm.assertFalse(ok);
        }
        vm.assertEq(_size(alice), 0);
    }

    // What a delegate of Alice tries for Bob

    function testNoFunctionActsForAnother() public {
        bytes[8] memory calls = [
            _tradeFor(bob, 1e18),
            abi.encodeCall(instrument.placeFor, (bob, Words.trade(PERP, -1e18, 400e18, 80_200, 0))),
            abi.encodeCall(instrument.batchPlaceFor, (bob, [bytes32(0), 0, 0])),
            abi.encodeCall(instrument.cancelFor, (bob, bytes32(0))),
            abi.encodeCall(instrument.addFor, (bob, [bytes32(0), 0])),
            abi.encodeCall(instrument.removeFor, (Words.remove(PERP, bob, 0, 50, ANY_LOW, ANY_HIGH, 0))),
            abi.encodeCall(gate.depositFor, (bob, Words.token(address(usd), 5e6))),
            abi.encodeCall(gate.withdrawFor, (bob, Words.token(address(usd), 5e6)))
        ];
        bytes memory wrong = abi.encodeWithSelector(IRelayRouter.WrongUser.selector, alice, bob);
        for (uint256 i; i < 8; ++i) {
            address target = i < 6 ? address(instrument) : address(gate);
            _refuse(agent, wrong, _batch(agent, alice, target, calls[i]));
            if (i >= 6) continue;
            bytes memory nested = calls[i];
            for (uint256 depth; depth < 3; ++depth) {
                bytes[] memory inner = new bytes[](2);
                (inner[0], inner[1]) = (_tradeFor(alice, 1e18), nested);
                nested = abi.encodeCall(instrument.multicall, (inner));
                _refuse(agent, wrong, _batch(agent, alice, target, nested));
            }
            // And not as a batch for Bob either.
            _refuse(
                agent, abi.encodePacked(IRelayRouter.NotSubAccountOwner.selector), _batch(agent, bob, target, calls[i])
            );
        }
        vm.assertEq(_size(alice), 0);
        vm.assertEq(_size(bob), 0);
    }

    function testOnlyListedFunctionsOfKnownContracts() public {
        bytes[7] memory calls = [
            abi.encodeCall(instrument.trade, (Words.trade(PERP, 1e18, 0, 443_636, 0))),
            abi.encodeCall(instrument.fill, (bytes32(0))),
            abi.encodeCall(instrument.settle, (PERP, alice)),
            abi.encodeCall(instrument.liquidate, (PERP, alice, 1, 0)),
            abi.encodeCall(instrument.donateInsuranceFund, (PERP, 1)),
            bytes(hex"dae97f"),
            bytes("")
        ];
        for (uint256 i; i < calls.length; ++i) {
            bytes4 selector = bytes4(calls[i]);
            bytes memory reason =
                abi.encodeWithSelector(IRelayRouter.CallNotAllowed.selector, address(instrument), selector);
            _refuse(agent, reason, _batch(agent, alice, address(instrument), calls[i]));
            bytes[] memory inner = new bytes[](1);
            inner[0] = calls[i];
            _refuse(
                agent, reason, _batch(agent, alice, address(instrument), abi.encodeCall(instrument.multicall, (inner)))
            );
        }
        address[4] memory strangers = [address(usd), address(router), address(config), address(oneClick)];
        for (uint256 i; i < 4; ++i) {
            bytes memory reason = abi.encodeWithSelector(
                IRelayRouter.CallNotAllowed.selector, strangers[i], instrument.tradeFor.selector
            );
            _refuse(agent, reason, _batch(agent, alice, strangers[i], _tradeFor(alice, 1e18)));
        }
        _refuse(
            agent,
            abi.encodeWithSelector(IRelayRouter.CallNotAllowed.selector, address(gate), gate.deposit.selector),
            _batch(agent, alice, address(gate), abi.encodeCall(gate.deposit, (bytes32(0))))
        );
    }

    /// Dirty upper bits of the user, an argument cut short: what the target would not read the router does not either.
    function testCrookedArguments() public {
        bytes memory call = _tradeFor(alice, 1e18);
        call[4] = 0x01;
        _refuse(agent, "", _batch(agent, alice, address(instrument), call));
        _refuse(agent, "", _batch(agent, alice, address(instrument), abi.encodePacked(instrument.tradeFor.selector)));
        vm.assertEq(_size(alice), 0);
    }

    function testWhoMayNot() public {
        bytes memory call = _batch(agent, alice, address(instrument), _tradeFor(alice, 1e18));
        _refuse(bob, abi.encodePacked(IRelayRouter.InvalidCaller.selector), call);
        _refuse(alice, abi.encodePacked(IRelayRouter.InvalidCaller.selector), call);
        _refuse(
            bob,
            abi.encodePacked(IRelayRouter.NotSubAccountOwner.selector),
            _batch(bob, alice, address(instrument), _tradeFor(alice, 1e18))
        );
        vm.prank(alice);
        router.removeSubAccount();
        _refuse(agent, abi.encodePacked(IRelayRouter.NotSubAccountOwner.selector), call);
    }

    // Sub-accounts

    function _sign(uint256 key, uint8 action, address subAccount, uint256 nonce, uint256 deadline)
        private
        view
        returns (uint8, bytes32, bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("GelatoRelayRouter"),
                keccak256("1"),
                block.chainid,
                address(router)
            )
        );
        vm.assertEq(domain, router.getDomainSeparator());
        bytes32 inner = keccak256(
            abi.encode(
                keccak256("SubAccountManagement(uint8 action,address subAccount,uint256 nonce,uint256 deadline)"),
                action,
                subAccount,
                nonce,
                deadline
            )
        );
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, inner)));
    }

    function testSignedManagement() public {
        (, uint256 key) = makeAccount("bob");
        (uint8 v, bytes32 r, bytes32 s) = _sign(key, 0, agent, 0, block.timestamp);
        vm.expectEmit(address(router));
        emit IRelayRouter.SubAccountSet(bob, agent);
        router.executeSubAccountManagement(bob, 0, agent, block.timestamp, v, r, s);
        vm.assertEq(router.getSubAccount(bob), agent);
        vm.assertEq(router.getNonce(bob), 1);
        vm.expectRevert(IRelayRouter.InvalidSignature.selector);
        router.executeSubAccountManagement(bob, 0, agent, block.timestamp, v, r, s);
        (v, r, s) = _sign(key, 1, agent, 1, block.timestamp);
        vm.expectRevert(IRelayRouter.InvalidSignature.selector);
        router.executeSubAccountManagement(alice, 1, agent, block.timestamp, v, r, s);
        router.executeSubAccountManagement(bob, 1, agent, block.timestamp, v, r, s);
        vm.assertEq(router.userToSubAccount(bob), address(0));
        (v, r, s) = _sign(key, 2, agent, 2, block.timestamp);
        vm.expectRevert(IRelayRouter.InvalidAction.selector);
        router.executeSubAccountManagement(bob, 2, agent, block.timestamp, v, r, s);
        vm.expectRevert(IRelayRouter.ExpiredSignature.selector);
        router.executeSubAccountManagement(bob, 0, agent, block.timestamp - 1, v, r, s);
    }

    /// What is signed names no user, so it is one of the account that its signature recovers to, and of no other: neither of the
    /// contract wallets that the account owns, which would take its word by ERC-1271, nor of nobody.
    function testASignatureIsOfWhomItRecoversToAlone() public {
        (address owner, uint256 key) = makeAccount("owner");
        address[4] memory others = [_plainWallet(owner), _plainWallet(owner), carol, address(0)];
        (uint8 v, bytes32 r, bytes32 s) = _sign(key, 0, agent, 0, block.timestamp);
        for (uint256 i; i < others.length; ++i) {
            _expectNoSignature(others[i], v, r, s);
            _expectNoSignature(others[i], 0, r, s);
        }
        router.executeSubAccountManagement(owner, 0, agent, block.timestamp, v, r, s);
        vm.assertEq(router.getSubAccount(owner), agent);
        // A contract wallet calls instead.
        vm.prank(others[0]);
        router.setSubAccount(agent);
        vm.assertEq(router.getSubAccount(others[0]), agent);
    }

    /// An account with code of its own (EIP-7702) signs as it did without, whatever that code says.
    function testAnAccountWithCodeSigns() public {
        (address owner, uint256 key) = makeAccount("owner");
        vm.etch(owner, _plainWallet(alice).code);
        (uint8 v, bytes32 r, bytes32 s) = _sign(key, 0, agent, 0, block.timestamp);
        router.executeSubAccountManagement(owner, 0, agent, block.timestamp, v, r, s);
        vm.assertEq(router.getSubAccount(owner), agent);
    }

    function _plainWallet(address owner) private returns (address) {
        return address(new PlainWallet(owner));
    }

    function _expectNoSignature(address user, uint8 v, bytes32 r, bytes32 s) private {
        vm.expectRevert(IRelayRouter.InvalidSignature.selector);
        router.executeSubAccountManagement(user, 0, agent, block.timestamp, v, r, s);
        vm.assertEq(router.getNonce(user), 0);
    }

    function testWhatAUserDoesItselfVoidsItsSignatures() public {
        (, uint256 key) = makeAccount("bob");
        (uint8 v, bytes32 r, bytes32 s) = _sign(key, 0, agent, 0, block.timestamp);
        vm.startPrank(bob);
        router.setSubAccount(agent);
        router.removeSubAccount();
        vm.assertEq(router.getNonce(bob), 2);
        vm.stopPrank();
        vm.expectRevert(IRelayRouter.InvalidSignature.selector);
        router.executeSubAccountManagement(bob, 0, agent, block.timestamp, v, r, s);
        (v, r, s) = _sign(key, 0, agent, 1, block.timestamp);
        vm.expectRevert(IRelayRouter.InvalidSignature.selector);
        router.executeSubAccountManagement(bob, 0, agent, block.timestamp, v, r, s);
        vm.assertEq(router.getSubAccount(bob), address(0));
    }

    function testSubAccountRefusals() public {
        vm.startPrank(alice);
        vm.expectRevert(IRelayRouter.SubAccountAlreadyExists.selector);
        router.setSubAccount(bob);
        router.removeSubAccount();
        vm.expectRevert(IRelayRouter.InvalidSubAccount.selector);
        router.removeSubAccount();
        vm.expectRevert(IRelayRouter.InvalidSubAccount.selector);
        router.setSubAccount(address(0));
        vm.expectRevert(IRelayRouter.InvalidSubAccount.selector);
        router.setSubAccount(alice);
    }

    function testConnectsOnceAndUpgradesByTheOwner() public {
        vm.expectRevert(IRelayRouter.NotSynFuturesV3Admin.selector);
        router.connect(address(gate), address(0));
        vm.prank(admin);
        vm.expectRevert(IRelayRouter.AlreadyConnected.selector);
        router.connect(address(gate), address(0));
        vm.expectRevert(IInitializeOnce.AlreadyInitialized.selector);
        router.initialize(forwarder);
        vm.expectRevert(IRelayRouter.NotSynFuturesV3Admin.selector);
        router.upgradeToAndCall(address(1), "");
    }
}

/// A contract wallet (ERC-1271) that takes whatever digest its owner has signed, for whomever that was meant.
contract PlainWallet {
    address private immutable OWNER;

    constructor(address owner) {
        OWNER = owner;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (bytes32 r, bytes32 s, uint8 v) = (bytes32(signature[:32]), bytes32(signature[32:64]), uint8(signature[64]));
        return ecrecover(digest, v, r, s) == OWNER ? this.isValidSignature.selector : bytes4(0);
    }
}
