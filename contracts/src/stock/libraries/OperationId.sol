// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Ids of orders and cash operations.
/// @dev The user, then 96 bits of a hash over chain, contract, user and counter: no two chains, contracts, users or
/// operations share one, and the user need not be stored beside the operation.
library OperationId {
    function derive(address user, uint256 counter) internal view returns (bytes32) {
        uint96 tail = uint96(uint256(keccak256(abi.encode(block.chainid, address(this), user, counter))));
        return bytes32((uint256(uint160(user)) << 96) | tail);
    }

    function userOf(bytes32 id) internal pure returns (address) {
        return address(bytes20(id));
    }
}
