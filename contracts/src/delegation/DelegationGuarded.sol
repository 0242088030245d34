// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    AccessControlEnumerableUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// @title What router and pool have in common: roles, a guardian who can only pause, upgrades by the admin.
/// @dev `DEFAULT_ADMIN_ROLE` belongs to a timelock in production.
abstract contract DelegationGuarded is AccessControlEnumerableUpgradeable, PausableUpgradeable, UUPSUpgradeable {
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    constructor() {
        _disableInitializers();
    }

    /// Router: stops `delegateBySig` and `execute`. Pool: stops `enable` and `execute`. Ending a delegation stays open in both.
    function pause() external onlyRole(GUARDIAN_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    function _authorizeUpgrade(address) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}
}
