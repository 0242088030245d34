// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationGuarded} from "./DelegationGuarded.sol";
import {IOneClickRouter} from "./interfaces/IOneClickRouter.sol";
import {IOperatorPool} from "./interfaces/IOperatorPool.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

/// @title One Click: listed calls as a user, by the user's delegatee. See `IOneClickRouter`.
/// @dev No multicall and no reentrance, so one call is one action of one user. The user that is appended comes from the
/// checked argument, never from `data`: whatever `data` ends with, the target reads what stands behind it.
contract OneClickRouter is IOneClickRouter, DelegationGuarded, EIP712, ReentrancyGuardTransient {
    /// One slot a user.
    struct Delegation {
        address delegatee;
        uint64 nonce;
    }

    /// @custom:storage-location erc7201:bourse.storage.OneClickRouter
    struct OneClickRouterStorage {
        mapping(address user => Delegation) delegations;
        mapping(address target => mapping(bytes4 selector => bool)) allowed;
    }

    bytes32 private constant STORAGE_SLOT = 0x51717f78c9c12ed2cc47ce04f23647833798538848c0814e854695d120a8c600;
    uint256 private constant SELECTOR_LENGTH = 4;

    bytes32 public constant DELEGATE_TYPEHASH =
        keccak256("Delegate(address user,address delegatee,uint64 nonce,uint32 deadline)");

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() EIP712("OneClickRouter", "1") {}

    function initialize(address admin) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    function delegateBySig(address user, address delegatee, uint32 deadline, bytes calldata signature)
        external
        whenNotPaused
    {
        if (delegatee == address(0)) revert AddressCannotBeZero();
        if (block.timestamp > deadline) revert DeadlineExpired();
        Delegation storage delegation = _storage().delegations[user];
        bytes32 digest = delegateDigest(user, delegatee, delegation.nonce, deadline);
        // A contract wallet is asked by a static call, so it changes nothing between this check and what follows.
        if (!SignatureChecker.isValidSignatureNowCalldata(user, digest, signature)) revert InvalidSignature();

        address former = delegation.delegatee;
        uint64 nextNonce = ++delegation.nonce;
        delegation.delegatee = delegatee;
        if (former != address(0) && former != delegatee) emit Undelegated(user, former, nextNonce);
        emit Delegated(user, delegatee, nextNonce);
    }

    function undelegate() external {
        _undelegate(msg.sender);
    }

    function undelegateFor(address user) external {
        if (msg.sender != user && msg.sender != delegateOf(user)) revert CallerNotUserOrDelegatee();
        _undelegate(user);
    }

    function execute(address user, address target, bytes calldata data)
        external
        whenNotPaused
        nonReentrant
        returns (bytes memory result)
    {
        if (msg.sender != delegateOf(user)) revert CallerNotDelegatee();
        if (data.length < SELECTOR_LENGTH) revert CalldataTooShort();
        bytes4 selector = bytes4(data[:SELECTOR_LENGTH]);
        if (!isAllowed(target, selector)) revert CallNotAllowed(target, selector);
        emit Executed(user, msg.sender, target, selector);

        bool success;
        (success, result) = target.call(abi.encodePacked(data, user));
        if (!success) LowLevelCall.bubbleRevert(result);
    }

    function setAllowed(address target, bytes4 selector, bool newAllowed) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (newAllowed == isAllowed(target, selector)) return;
        if (newAllowed) _checkTarget(target);
        _storage().allowed[target][selector] = newAllowed;
        emit AllowedUpdated(target, selector, newAllowed);
    }

    function nonces(address user) external view returns (uint64) {
        return _storage().delegations[user].nonce;
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function delegateOf(address user) public view returns (address) {
        return _storage().delegations[user].delegatee;
    }

    function isAllowed(address target, bytes4 selector) public view returns (bool) {
        return _storage().allowed[target][selector];
    }

    function delegateDigest(address user, address delegatee, uint64 nonce, uint32 deadline)
        public
        view
        returns (bytes32)
    {
        return _hashTypedDataV4(keccak256(abi.encode(DELEGATE_TYPEHASH, user, delegatee, nonce, deadline)));
    }

    /// Says by ERC-165 what it is: an `OperatorPool` works with nothing else, and no router takes another for a target.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IOneClickRouter).interfaceId || super.supportsInterface(interfaceId);
    }

    function _undelegate(address user) private {
        Delegation storage delegation = _storage().delegations[user];
        address former = delegation.delegatee;
        uint64 nextNonce = ++delegation.nonce;
        delegation.delegatee = address(0);
        emit Undelegated(user, former, nextNonce);
    }

    function _checkTarget(address target) private view {
        if (target.code.length == 0) revert TargetHasNoCode(target);
        // This contract is such a router too.
        if (
            ERC165Checker.supportsInterface(target, type(IOneClickRouter).interfaceId)
                || ERC165Checker.supportsInterface(target, type(IOperatorPool).interfaceId)
        ) revert TargetForbidden(target);
    }

    function _storage() private pure returns (OneClickRouterStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
