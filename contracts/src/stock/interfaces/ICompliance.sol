// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The register of wallets that may deposit, trade and hold stock tokens.
/// @dev Stock tokens screen both ends of a transfer. The venue's own contracts are approved by the administrator and not
/// by the manager of wallets, who cannot remove them. A wallet that lost its approval keeps its stock and may bring it to
/// the venue, to sell it there; nobody else can send to it or receive from it.
interface ICompliance {
    /// A wallet was approved. Not repeated for a wallet that already was.
    event UserApproved(address indexed user);
    /// A wallet lost its approval. Not repeated for a wallet that had none.
    event UserRemoved(address indexed user);

    /// A contract became part of the venue or left it. Not repeated for what already was so.
    event VenueContractUpdated(address indexed part, bool isPart);

    /// The wallet is not approved.
    error UserNotApproved();
    error AddressCannotBeZero();
    /// A part of the venue must be a contract.
    error VenueContractHasNoCode(address part);

    /// Approves wallets. Role COMPLIANCE_MANAGER_ROLE.
    function addUsers(address[] calldata users) external;

    /// Withdraws the approval of wallets. Role COMPLIANCE_MANAGER_ROLE.
    function removeUsers(address[] calldata users) external;

    /// Approves a contract of the venue whatever the manager does, or ends that. Role DEFAULT_ADMIN_ROLE. Reverts
    /// `VenueContractHasNoCode`.
    function setVenueContract(address part, bool isPart) external;

    /// Whether the administrator named this contract as part of the venue.
    function isVenueContract(address part) external view returns (bool);

    /// Whether `user` is approved or part of the venue.
    function isCompliant(address user) external view returns (bool);

    /// Reverts with `UserNotApproved` unless `user` is approved.
    function requireCompliant(address user) external view;

    /// Reverts with `UserNotApproved` unless stock may go from `from` to `to`: both approved, or `to` part of the venue.
    /// Zero on either side, for mints and burns, needs no approval.
    function requireTransferable(address from, address to) external view;
}
