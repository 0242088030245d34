// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The register of wallets that may deposit, trade and hold stock tokens.
/// @dev Stock tokens screen both ends of a transfer, so the `Stock` contract and every settler are listed here too.
interface ICompliance {
    /// A wallet was approved. Not repeated for a wallet that already was.
    event UserApproved(address indexed user);
    /// A wallet lost its approval. Not repeated for a wallet that had none.
    event UserRemoved(address indexed user);

    /// The wallet is not approved.
    error UserNotApproved();
    error AddressCannotBeZero();

    /// Approves wallets. Role COMPLIANCE_MANAGER_ROLE.
    function addUsers(address[] calldata users) external;

    /// Withdraws the approval of wallets. Role COMPLIANCE_MANAGER_ROLE.
    function removeUsers(address[] calldata users) external;

    /// Whether `user` is approved.
    function isCompliant(address user) external view returns (bool);

    /// Reverts with `UserNotApproved` unless `user` is approved.
    function requireCompliant(address user) external view;
}
