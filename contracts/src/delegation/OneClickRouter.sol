// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationGuarded} from "./DelegationGuarded.sol";
import {IDelegationTarget} from "./interfaces/IDelegationTarget.sol";
import {IOneClickRouter} from "./interfaces/IOneClickRouter.sol";
import {IOperatorPool} from "./interfaces/IOperatorPool.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {RateLimit} from "src/limits/RateLimit.sol";

/// @title One Click: listed calls as a user, by the user's delegatee. See `IOneClickRouter`.
/// @dev No multicall and no reentrance, so one call is one action of one user. The user that is appended comes from the
/// checked argument, never from `data`: whatever `data` ends with, the target reads what stands behind it.
contract OneClickRouter is IOneClickRouter, DelegationGuarded, EIP712, ReentrancyGuardTransient {
    using EnumerableSet for EnumerableSet.Bytes32Set;

    /// One slot a user.
    struct Delegation {
        address delegatee;
        uint64 nonce;
        uint32 endsAt;
    }

    /// One slot a user: what was spent, and the user's own daily amount where there is one.
    struct Spending {
        uint96 spentWad;
        uint40 spentAt;
        uint96 ownDailyAmountWad;
        bool hasOwn;
    }

    /// @custom:storage-location erc7201:bourse.storage.OneClickRouter
    struct OneClickRouterStorage {
        mapping(address user => Delegation) delegations;
        EnumerableSet.Bytes32Set allowed;
        mapping(address user => Spending) spending;
        uint32 durationSec;
        uint96 dailyAmountWad;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.OneClickRouter")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x51717f78c9c12ed2cc47ce04f23647833798538848c0814e854695d120a8c600;
    uint256 private constant SELECTOR_LENGTH = 4;
    uint256 private constant DAY_SEC = 1 days;

    uint32 public constant MAX_DURATION_SEC = 365 days;
    /// A daily amount that is none: nothing is counted.
    uint96 public constant UNLIMITED = type(uint96).max;

    bytes32 public constant DELEGATE_TYPEHASH =
        keccak256("Delegate(address user,address delegatee,uint64 nonce,uint32 deadline)");

    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() EIP712("OneClickRouter", "1") {}

    /// Units as in `setTerms`.
    function initialize(address admin, uint32 durationSec_, uint96 dailyAmountWad_) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _setTerms(durationSec_, dailyAmountWad_);
    }

    /// @inheritdoc IOneClickRouter
    function delegateBySig(address user, address delegatee, uint32 deadline, bytes calldata signature)
        external
        whenNotPaused
    {
        if (delegatee == address(0)) revert AddressCannotBeZero();
        if (block.timestamp > deadline) revert DeadlineExpired();
        OneClickRouterStorage storage $ = _storage();
        Delegation storage delegation = $.delegations[user];
        bytes32 digest = delegateDigest(user, delegatee, delegation.nonce, deadline);
        // A contract wallet is asked by a static call, so it changes nothing between this check and what follows.
        if (!SignatureChecker.isValidSignatureNowCalldata(user, digest, signature)) revert InvalidSignature();

        address former = delegation.delegatee;
        uint64 nextNonce = ++delegation.nonce;
        uint32 newEndsAt = uint32(block.timestamp + $.durationSec);
        delegation.delegatee = delegatee;
        delegation.endsAt = newEndsAt;
        if (former != address(0) && former != delegatee) emit Undelegated(user, former, nextNonce);
        emit Delegated(user, delegatee, nextNonce, newEndsAt);
    }

    /// @inheritdoc IOneClickRouter
    function undelegate() external {
        _undelegate(msg.sender);
    }

    /// @inheritdoc IOneClickRouter
    function undelegateFor(address user) external {
        if (msg.sender != user && msg.sender != delegateOf(user)) revert CallerNotUserOrDelegatee();
        _undelegate(user);
    }

    /// @inheritdoc IOneClickRouter
    function execute(address user, address target, bytes calldata data)
        external
        whenNotPaused
        nonReentrant
        returns (bytes memory result)
    {
        Delegation storage delegation = _storage().delegations[user];
        if (msg.sender != delegation.delegatee) revert CallerNotDelegatee();
        if (block.timestamp >= delegation.endsAt) revert DelegationEnded(delegation.endsAt);
        if (data.length < SELECTOR_LENGTH) revert CalldataTooShort();
        bytes4 selector = bytes4(data[:SELECTOR_LENGTH]);
        if (!isAllowed(target, selector)) revert CallNotAllowed(target, selector);
        (uint96 dailyAmountWad,) = dailyAmount(user);
        if (dailyAmountWad != UNLIMITED) _spend(user, IDelegationTarget(target).spendOf(user, data));
        emit Executed(user, msg.sender, target, selector);

        bool success;
        (success, result) = target.call(abi.encodePacked(data, user));
        if (!success) LowLevelCall.bubbleRevert(result);
    }

    /// @inheritdoc IOneClickRouter
    function setDailyAmount(uint96 amountWad) external {
        Spending storage spending = _storage().spending[msg.sender];
        spending.ownDailyAmountWad = amountWad;
        spending.hasOwn = true;
        emit DailyAmountUpdated(msg.sender, true, amountWad);
    }

    /// @inheritdoc IOneClickRouter
    function useDefaultDailyAmount() external {
        Spending storage spending = _storage().spending[msg.sender];
        spending.ownDailyAmountWad = 0;
        spending.hasOwn = false;
        emit DailyAmountUpdated(msg.sender, false, 0);
    }

    /// @inheritdoc IOneClickRouter
    function setTerms(uint32 newDurationSec, uint96 newDailyAmountWad) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setTerms(newDurationSec, newDailyAmountWad);
    }

    /// @inheritdoc IOneClickRouter
    function setAllowed(address target, bytes4 selector, bool newAllowed) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (newAllowed == isAllowed(target, selector)) return;
        bytes32 call = _callOf(target, selector);
        if (newAllowed) {
            _checkTarget(target);
            _storage().allowed.add(call);
        } else {
            _storage().allowed.remove(call);
        }
        emit AllowedUpdated(target, selector, newAllowed);
    }

    /// @inheritdoc IOneClickRouter
    function nonces(address user) external view returns (uint64) {
        return _storage().delegations[user].nonce;
    }

    /// @inheritdoc IOneClickRouter
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @inheritdoc IOneClickRouter
    function delegateOf(address user) public view returns (address) {
        Delegation storage delegation = _storage().delegations[user];
        return block.timestamp < delegation.endsAt ? delegation.delegatee : address(0);
    }

    /// @inheritdoc IOneClickRouter
    function endsAt(address user) external view returns (uint32) {
        return _storage().delegations[user].endsAt;
    }

    /// @inheritdoc IOneClickRouter
    function dailyAmount(address user) public view returns (uint96 amountWad, bool isOwn) {
        Spending storage spending = _storage().spending[user];
        return spending.hasOwn ? (spending.ownDailyAmountWad, true) : (_storage().dailyAmountWad, false);
    }

    /// @inheritdoc IOneClickRouter
    function availableAmount(address user) public view returns (uint256 amountWad) {
        Spending storage spending = _storage().spending[user];
        (uint96 dailyAmountWad,) = dailyAmount(user);
        return RateLimit.available(spending.spentWad, spending.spentAt, dailyAmountWad, DAY_SEC);
    }

    /// @inheritdoc IOneClickRouter
    function terms() external view returns (uint32 durationSec, uint96 dailyAmountWad) {
        return (_storage().durationSec, _storage().dailyAmountWad);
    }

    /// @inheritdoc IOneClickRouter
    function isAllowed(address target, bytes4 selector) public view returns (bool) {
        return _storage().allowed.contains(_callOf(target, selector));
    }

    /// @inheritdoc IOneClickRouter
    function allowedCalls() external view returns (AllowedCall[] memory calls) {
        bytes32[] memory listed = _storage().allowed.values();
        calls = new AllowedCall[](listed.length);
        for (uint256 i; i < listed.length; ++i) {
            calls[i] = AllowedCall(address(bytes20(listed[i])), bytes4(listed[i] << 160));
        }
    }

    /// @inheritdoc IOneClickRouter
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

    /// Counts what a call puts at risk towards the user's daily amount.
    function _spend(address user, uint256 spendWad) private {
        if (spendWad == 0) return;
        uint256 availableWad = availableAmount(user);
        if (spendWad > availableWad) revert DailyAmountExceeded(spendWad, availableWad);
        Spending storage spending = _storage().spending[user];
        (uint96 dailyAmountWad,) = dailyAmount(user);
        uint256 inUseWad = RateLimit.inUse(spending.spentWad, spending.spentAt, dailyAmountWad, DAY_SEC);
        // Within the daily amount, which has 96 bits.
        spending.spentWad = uint96(inUseWad + spendWad);
        spending.spentAt = uint40(block.timestamp);
    }

    function _setTerms(uint32 newDurationSec, uint96 newDailyAmountWad) private {
        if (newDurationSec == 0 || newDurationSec > MAX_DURATION_SEC) revert InvalidTerms();
        OneClickRouterStorage storage $ = _storage();
        if (newDailyAmountWad != UNLIMITED) {
            uint256 count = $.allowed.length();
            for (uint256 i; i < count; ++i) {
                _requireMetered(address(bytes20($.allowed.at(i))));
            }
        }
        $.durationSec = newDurationSec;
        $.dailyAmountWad = newDailyAmountWad;
        emit TermsUpdated(newDurationSec, newDailyAmountWad);
    }

    function _undelegate(address user) private {
        Delegation storage delegation = _storage().delegations[user];
        address former = delegation.delegatee;
        uint64 nextNonce = ++delegation.nonce;
        delegation.delegatee = address(0);
        delegation.endsAt = 0;
        emit Undelegated(user, former, nextNonce);
    }

    /// A function of a target in one word: 20 bytes of the one, 4 of the other.
    function _callOf(address target, bytes4 selector) private pure returns (bytes32) {
        return bytes32(bytes20(target)) | (bytes32(selector) >> 160);
    }

    function _checkTarget(address target) private view {
        if (target.code.length == 0) revert TargetHasNoCode(target);
        // This contract is such a router too.
        if (
            ERC165Checker.supportsInterface(target, type(IOneClickRouter).interfaceId)
                || ERC165Checker.supportsInterface(target, type(IOperatorPool).interfaceId)
        ) revert TargetForbidden(target);
        if (_storage().dailyAmountWad != UNLIMITED) _requireMetered(target);
    }

    function _requireMetered(address target) private view {
        if (!ERC165Checker.supportsInterface(target, type(IDelegationTarget).interfaceId)) {
            revert TargetNotMetered(target);
        }
    }

    function _storage() private pure returns (OneClickRouterStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
