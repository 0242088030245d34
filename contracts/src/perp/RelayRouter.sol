// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {InitializeOnce} from "./InitializeOnce.sol";
import {RelayedCalls} from "./RelayedCalls.sol";
import {IConfig} from "./interfaces/IConfig.sol";
import {IRelayRouter} from "./interfaces/IRelayRouter.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {LowLevelCall} from "@openzeppelin/contracts/utils/LowLevelCall.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// The handler of Gate and its instruments. See `IRelayRouter`.
/// @dev Gate and instruments believe what it says of the user, so everything hangs on two checks: `_authorise` says for
/// whom the caller may act, `RelayedCalls.check` that a call acts for that user alone.
contract RelayRouter is IRelayRouter, InitializeOnce, UUPSUpgradeable, EIP712, ReentrancyGuardTransient {
    struct RelayRouterStorage {
        address trustedForwarder;
        address gate;
        address oneClickRouter;
        mapping(address user => address) userToSubAccount;
        mapping(address user => uint256) nonces;
    }

    // The ERC-7201 slot of bourse.perp.RelayRouter:
    // 0x458fcd0b42e690e31401e3d7ccda8b21a0f5c23b6ed7124fcfbb60a375b1dd00
    bytes32 private constant SLOT =
        keccak256(abi.encode(uint256(keccak256("bourse.perp.RelayRouter")) - 1)) & ~bytes32(uint256(0xff));
    uint8 private constant ACTION_SET = 0;
    uint8 private constant ACTION_REMOVE = 1;
    uint256 private constant ADDRESS_LENGTH = 20;

    /// @inheritdoc IRelayRouter
    bytes32 public constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    /// @inheritdoc IRelayRouter
    bytes32 public constant SUBACCOUNT_MANAGEMENT_TYPEHASH =
        keccak256("SubAccountManagement(uint8 action,address subAccount,uint256 nonce,uint256 deadline)");

    address public immutable config;

    modifier onlyAdmin() {
        if (msg.sender != IConfig(config).owner()) revert NotSynFuturesV3Admin();
        _;
    }

    constructor(address config_) EIP712("GelatoRelayRouter", "1") {
        config = config_;
    }

    /// @inheritdoc IRelayRouter
    function initialize(address trustedForwarder_) external initializer {
        _s().trustedForwarder = trustedForwarder_;
    }

    /// @inheritdoc IRelayRouter
    function connect(address gate_, address oneClickRouter_) external onlyAdmin {
        if (gate_ == address(0)) revert ZeroAddress();
        RelayRouterStorage storage $ = _s();
        if ($.gate != address(0)) revert AlreadyConnected();
        ($.gate, $.oneClickRouter) = (gate_, oneClickRouter_);
        emit Connected(gate_, oneClickRouter_);
    }

    // Acting

    /// @inheritdoc IRelayRouter
    function batch(address subAccount, address user, address targetContract, bytes calldata data, bool userPaid)
        external
        payable
        nonReentrant
    {
        _authorise(subAccount, user);
        uint256 value = _relay(user, targetContract, data);
        if (value != msg.value) revert InvalidValue(value, msg.value);
        emit BatchExecuted(subAccount, user, targetContract, data, userPaid);
    }

    /// @inheritdoc IRelayRouter
    function batchMulticall(
        address subAccount,
        address user,
        address[] calldata targetContracts,
        bytes[] calldata dataArray,
        bool userPaid
    ) external payable nonReentrant {
        if (targetContracts.length != dataArray.length) revert LengthMismatch();
        _authorise(subAccount, user);
        uint256 value;
        for (uint256 i; i < targetContracts.length; ++i) {
            value += _relay(user, targetContracts[i], dataArray[i]);
        }
        if (value != msg.value) revert InvalidValue(value, msg.value);
        emit BatchMulticallExecuted(subAccount, user, targetContracts, userPaid);
    }

    // Sub-accounts

    // What a user does itself voids what it has signed before: a signature that nobody has brought would undo it later.

    /// @inheritdoc IRelayRouter
    function setSubAccount(address subAccount) external {
        ++_s().nonces[msg.sender];
        _set(msg.sender, subAccount);
    }

    /// @inheritdoc IRelayRouter
    function removeSubAccount() external {
        ++_s().nonces[msg.sender];
        _remove(msg.sender, _s().userToSubAccount[msg.sender]);
    }

    /// @inheritdoc IRelayRouter
    function executeSubAccountManagement(
        address user,
        uint8 action,
        address subAccount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (block.timestamp > deadline) revert ExpiredSignature();
        bytes32 digest = _hashTypedDataV4(
            keccak256(abi.encode(SUBACCOUNT_MANAGEMENT_TYPEHASH, action, subAccount, _s().nonces[user]++, deadline))
        );
        // What is signed names no user, so the user is whom the signature recovers to, and nobody's word is taken for it.
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(digest, v, r, s);
        if (problem != ECDSA.RecoverError.NoError || signer != user) revert InvalidSignature();
        if (action == ACTION_SET) _set(user, subAccount);
        else if (action == ACTION_REMOVE) _remove(user, subAccount);
        else revert InvalidAction();
        emit SubAccountManagementExecuted(user, action, subAccount);
    }

    // Views

    /// @inheritdoc IRelayRouter
    function getDomainSeparator() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @inheritdoc IRelayRouter
    function getNonce(address user) external view returns (uint256) {
        return _s().nonces[user];
    }

    /// @inheritdoc IRelayRouter
    function nonces(address user) external view returns (uint256) {
        return _s().nonces[user];
    }

    /// @inheritdoc IRelayRouter
    function getSubAccount(address user) external view returns (address) {
        return _s().userToSubAccount[user];
    }

    /// @inheritdoc IRelayRouter
    function userToSubAccount(address user) external view returns (address) {
        return _s().userToSubAccount[user];
    }

    /// @inheritdoc IRelayRouter
    function trustedForwarder() external view returns (address) {
        return _s().trustedForwarder;
    }

    /// @inheritdoc IRelayRouter
    function gate() external view returns (address) {
        return _s().gate;
    }

    /// @inheritdoc IRelayRouter
    function oneClickRouter() external view returns (address) {
        return _s().oneClickRouter;
    }

    // Inside

    /// The one check of who may act for `user`: the user behind the One Click router, or the user's sub-account.
    function _authorise(address subAccount, address user) private view {
        RelayRouterStorage storage $ = _s();
        if (user == address(0)) revert InvalidCaller();
        if (msg.sender == $.oneClickRouter) {
            if (_appended() != user) revert InvalidCaller();
            return;
        }
        address caller = msg.sender == $.trustedForwarder ? _appended() : msg.sender;
        if (caller != subAccount) revert InvalidCaller();
        if (subAccount == address(0) || $.userToSubAccount[user] != subAccount) revert NotSubAccountOwner();
    }

    /// The address that a forwarder puts behind the calldata (ERC-2771).
    function _appended() private pure returns (address) {
        if (msg.data.length < ADDRESS_LENGTH) revert InvalidCaller();
        return address(bytes20(msg.data[msg.data.length - ADDRESS_LENGTH:]));
    }

    /// Makes one call, after it has been read whole. Returns the coins it took along.
    function _relay(address user, address target, bytes calldata data) private returns (uint256 value) {
        value = RelayedCalls.check(_s().gate, user, target, data);
        (bool success, bytes memory result) = target.call{value: value}(data);
        if (!success) LowLevelCall.bubbleRevert(result);
    }

    function _set(address user, address subAccount) private {
        RelayRouterStorage storage $ = _s();
        if (subAccount == address(0) || subAccount == user) revert InvalidSubAccount();
        if ($.userToSubAccount[user] != address(0)) revert SubAccountAlreadyExists();
        $.userToSubAccount[user] = subAccount;
        emit SubAccountSet(user, subAccount);
    }

    function _remove(address user, address subAccount) private {
        RelayRouterStorage storage $ = _s();
        if (subAccount == address(0) || $.userToSubAccount[user] != subAccount) revert InvalidSubAccount();
        delete $.userToSubAccount[user];
        emit SubAccountRemoved(user, subAccount);
    }

    function _authorizeUpgrade(address) internal view override onlyAdmin {}

    function _s() private pure returns (RelayRouterStorage storage $) {
        bytes32 slot = SLOT;
        // A namespaced slot can be bound to a storage pointer in assembly only.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
