// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {ReentrantToken} from "test/tokens/HostileTokens.sol";

/// A venue with a token under the attacker's control, which calls back when it is moved.
abstract contract AttackFixture is StockFixture {
    bytes4 internal constant REENTRANT = bytes4(keccak256("ReentrancyGuardReentrantCall()"));

    ReentrantToken internal evil;

    function _act(address target, bytes memory data) internal returns (bytes memory) {
        return evil.act(target, data);
    }

    function _assertRefused(bytes4 selector) internal view {
        vm.assertTrue(evil.called(), "the attack was tried");
        vm.assertFalse(evil.succeeded(), "the attack was refused");
        vm.assertEq(bytes32(evil.answer()), bytes32(selector));
    }
}
