// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface IWrappedNative {
    /// Wraps the native coin sent, for the caller.
    function deposit() external payable;

    /// Unwraps `amount` wei of the caller and sends them to it.
    function withdraw(uint256 amount) external;
}
