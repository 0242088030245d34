// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IInitializeOnce} from "./interfaces/IInitializeOnce.sol";

/// One-time initialisation of a proxied contract, with the event the protocol's clients decode (its version is a
/// uint8, which is why the library of the same purpose is not used). The implementation itself is locked on creation.
abstract contract InitializeOnce is IInitializeOnce {
    struct InitializeOnceStorage {
        bool done;
    }

    // The ERC-7201 slot of bourse.perp.InitializeOnce:
    // 0x762f0e1d9e932899897805600790c45ec4df57dfed9fc59b554f1affa5bf5100
    bytes32 private constant SLOT =
        keccak256(abi.encode(uint256(keccak256("bourse.perp.InitializeOnce")) - 1)) & ~bytes32(uint256(0xff));

    constructor() {
        _storage().done = true;
    }

    modifier initializer() {
        if (_storage().done) revert AlreadyInitialized();
        _storage().done = true;
        _;
        emit Initialized(1);
    }

    function _storage() private pure returns (InitializeOnceStorage storage $) {
        bytes32 slot = SLOT;
        // A namespaced slot can be bound to a storage pointer in assembly only.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
