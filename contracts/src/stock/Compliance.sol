// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ICompliance} from "./interfaces/ICompliance.sol";
import {
    AccessControlEnumerableUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// @title The register of approved wallets. See `ICompliance`.
contract Compliance is ICompliance, AccessControlEnumerableUpgradeable, UUPSUpgradeable {
    /// @custom:storage-location erc7201:bourse.storage.Compliance
    struct ComplianceStorage {
        mapping(address user => bool) approved;
        mapping(address part => bool) venueContracts;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.Compliance")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x8cb579f92d6f1daeedb720495727e3823f9d8cc393759f3e83fcb60124eed700;

    bytes32 public constant COMPLIANCE_MANAGER_ROLE = keccak256("COMPLIANCE_MANAGER_ROLE");

    constructor() {
        _disableInitializers();
    }

    function initialize(address admin) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    /// @inheritdoc ICompliance
    function addUsers(address[] calldata users) external onlyRole(COMPLIANCE_MANAGER_ROLE) {
        ComplianceStorage storage $ = _storage();
        for (uint256 i; i < users.length; ++i) {
            address user = users[i];
            if (user == address(0)) revert AddressCannotBeZero();
            if ($.approved[user]) continue;
            $.approved[user] = true;
            emit UserApproved(user);
        }
    }

    /// @inheritdoc ICompliance
    function removeUsers(address[] calldata users) external onlyRole(COMPLIANCE_MANAGER_ROLE) {
        ComplianceStorage storage $ = _storage();
        for (uint256 i; i < users.length; ++i) {
            address user = users[i];
            if (!$.approved[user]) continue;
            $.approved[user] = false;
            emit UserRemoved(user);
        }
    }

    /// @inheritdoc ICompliance
    function setVenueContract(address part, bool isPart) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (part.code.length == 0) revert VenueContractHasNoCode(part);
        ComplianceStorage storage $ = _storage();
        if ($.venueContracts[part] == isPart) return;
        $.venueContracts[part] = isPart;
        emit VenueContractUpdated(part, isPart);
    }

    /// @inheritdoc ICompliance
    function isVenueContract(address part) external view returns (bool) {
        return _storage().venueContracts[part];
    }

    /// @inheritdoc ICompliance
    function isCompliant(address user) public view returns (bool) {
        return _storage().approved[user] || _storage().venueContracts[user];
    }

    /// @inheritdoc ICompliance
    function requireCompliant(address user) public view {
        if (!isCompliant(user)) revert UserNotApproved();
    }

    /// @inheritdoc ICompliance
    function requireTransferable(address from, address to) external view {
        if (to != address(0)) requireCompliant(to);
        // Who lost the approval can still bring its stock to the venue and sell it there.
        if (from != address(0) && !_storage().venueContracts[to]) requireCompliant(from);
    }

    function _authorizeUpgrade(address) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}

    function _storage() private pure returns (ComplianceStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
