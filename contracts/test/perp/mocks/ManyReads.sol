// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Answers many reads in one call.
contract ManyReads {
    /// Reverts with what the first read that fails reverts with.
    function read(address[] calldata targets, bytes[] calldata calls) external view returns (bytes[] memory answers) {
        answers = new bytes[](calls.length);
        for (uint256 i; i < calls.length; ++i) {
            bool isRead;
            (isRead, answers[i]) = targets[i].staticcall(calls[i]);
            if (!isRead) _revertWith(answers[i]);
        }
    }

    function _revertWith(bytes memory reason) private pure {
        assembly ("memory-safe") {
            revert(add(reason, 32), mload(reason))
        }
    }
}
