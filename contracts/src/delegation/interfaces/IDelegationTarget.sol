// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title What a contract says of itself that a `IOneClickRouter` may call as its users.
/// @dev It says by ERC-165 that it has this interface.
interface IDelegationTarget {
    /// What a call puts at risk of the user's money (fees, a bad price), USD with 18 decimals: it counts towards the
    /// user's daily amount. Reverts for a function that it does not know, and where the worth cannot be told.
    /// @param user as whom the call would be made
    /// @param data selector and arguments, without the user behind them
    function spendOf(address user, bytes calldata data) external view returns (uint256 spendWad);
}
