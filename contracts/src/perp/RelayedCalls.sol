// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {NATIVE_TOKEN, NATIVE_TOKEN_ALIAS} from "./Constants.sol";
import {Packed} from "./Packed.sol";
import {IGate} from "./interfaces/IGate.sol";
import {IInstrument} from "./interfaces/IInstrument.sol";
import {IRelayRouter} from "./interfaces/IRelayRouter.sol";
import {Bytes} from "@openzeppelin/contracts/utils/Bytes.sol";

/// Reads a call that is to be made for a user, and everything inside it: only functions that take a user, only with that
/// user. What is read is what is then sent, decoded by the rules of the target. Source: design 7.
library RelayedCalls {
    using Bytes for bytes;

    uint256 private constant SELECTOR_LENGTH = 4;

    /// Reverts unless `data` is a call of Gate or of a registered instrument for `user`. Returns the native coin it takes
    /// along.
    function check(address gate, address user, address target, bytes memory data)
        internal
        view
        returns (uint256 value)
    {
        bytes4 selector = bytes4(data);
        if (data.length < SELECTOR_LENGTH || gate == address(0)) revert IRelayRouter.CallNotAllowed(target, selector);
        if (target == gate) return _checkGate(user, target, data);
        if (IGate(gate).indexOf(target) == 0) revert IRelayRouter.CallNotAllowed(target, selector);
        _checkInstrument(user, target, data);
    }

    function _checkGate(address user, address gate, bytes memory data) private pure returns (uint256) {
        bytes4 selector = bytes4(data);
        bool deposits = selector == IGate.depositFor.selector;
        if (!deposits && selector != IGate.withdrawFor.selector) revert IRelayRouter.CallNotAllowed(gate, selector);
        (address trader, bytes32 arg) = abi.decode(data.slice(SELECTOR_LENGTH), (address, bytes32));
        _same(user, trader);
        (address token, uint256 quantity) = Packed.token(arg);
        bool native = token == NATIVE_TOKEN || token == NATIVE_TOKEN_ALIAS || token == address(0);
        return deposits && native ? quantity : 0;
    }

    function _checkInstrument(address user, address target, bytes memory data) private pure {
        bytes4 selector = bytes4(data);
        if (data.length < SELECTOR_LENGTH) revert IRelayRouter.CallNotAllowed(target, selector);
        bytes memory arguments = data.slice(SELECTOR_LENGTH);
        if (selector == IInstrument.multicall.selector) {
            bytes[] memory inner = abi.decode(arguments, (bytes[]));
            for (uint256 i; i < inner.length; ++i) {
                _checkInstrument(user, target, inner[i]);
            }
        } else if (selector == IInstrument.removeFor.selector) {
            (, bytes32 owner) = abi.decode(arguments, (bytes32, bytes32));
            _same(user, address(uint160(uint256(owner))));
        } else {
            if (!_takesUser(selector)) revert IRelayRouter.CallNotAllowed(target, selector);
            _same(user, abi.decode(arguments, (address)));
        }
    }

    /// Functions of an instrument whose first argument is the user.
    function _takesUser(bytes4 selector) private pure returns (bool) {
        return selector == IInstrument.tradeFor.selector || selector == IInstrument.placeFor.selector
            || selector == IInstrument.batchPlaceFor.selector || selector == IInstrument.cancelFor.selector
            || selector == IInstrument.addFor.selector;
    }

    function _same(address user, address named) private pure {
        if (named != user) revert IRelayRouter.WrongUser(user, named);
    }
}
