// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {
    AccessControlEnumerableUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title What router, cashier and exchange have in common: roles, a guardian who can only pause, upgrades by the admin.
/// @dev `DEFAULT_ADMIN_ROLE` belongs to a timelock in production.
abstract contract Guarded is
    AccessControlEnumerableUpgradeable,
    PausableUpgradeable,
    UUPSUpgradeable,
    ReentrancyGuardTransient
{
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    constructor() {
        _disableInitializers();
    }

    /// Router: stops deposits and orders. Cashier: stops deposits and settlement, and withdrawals are queued. Stock: stops
    /// orders, deposits of stock and settlement. Withdrawals, requests to cancel and the users' own exits stay open.
    function pause() external onlyRole(GUARDIAN_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
        _unpause();
    }

    function paused() public view override returns (bool) {
        return _pausedFlag();
    }

    function _pause() internal override whenNotPaused {
        _setPausedFlag(true);
        emit Paused(msg.sender);
    }

    function _unpause() internal override whenPaused {
        _setPausedFlag(false);
        emit Unpaused(msg.sender);
    }

    /// The flag lies in a slot that the contract reads anyway, not in one of the library's.
    function _pausedFlag() internal view virtual returns (bool);

    function _setPausedFlag(bool newFlag) internal virtual;

    function _authorizeUpgrade(address) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}
}
