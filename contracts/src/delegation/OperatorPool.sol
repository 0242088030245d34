// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {DelegationGuarded} from "./DelegationGuarded.sol";
import {IOneClickRouter} from "./interfaces/IOneClickRouter.sol";
import {IOperatorPool} from "./interfaces/IOperatorPool.sol";
import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";

/// @title The delegatee that users sign for. See `IOperatorPool`.
contract OperatorPool is IOperatorPool, DelegationGuarded {
    /// @custom:storage-location erc7201:bourse.storage.OperatorPool
    struct OperatorPoolStorage {
        mapping(address router => bool) routers;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.OperatorPool")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x973a003e7efe00f81f475a3ac168ce8b7aa9b65847b13ef6401297a9188a8600;

    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");

    modifier onlyFor(address router) {
        if (!isRouter(router)) revert RouterNotAllowed(router);
        _;
    }

    function initialize(address admin) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    /// @inheritdoc IOperatorPool
    function enable(address router, address user, uint32 deadline, bytes calldata signature)
        external
        onlyRole(OPERATOR_ROLE)
        whenNotPaused
        onlyFor(router)
    {
        IOneClickRouter(router).delegateBySig(user, address(this), deadline, signature);
    }

    /// @inheritdoc IOperatorPool
    function disable(address router, address user) external onlyRole(OPERATOR_ROLE) onlyFor(router) {
        IOneClickRouter(router).undelegateFor(user);
    }

    /// @inheritdoc IOperatorPool
    function execute(address router, address user, address target, bytes calldata data)
        external
        onlyRole(OPERATOR_ROLE)
        whenNotPaused
        onlyFor(router)
        returns (bytes memory result)
    {
        return IOneClickRouter(router).execute(user, target, data);
    }

    /// @inheritdoc IOperatorPool
    function setRouter(address router, bool newAllowed) external onlyRole(DEFAULT_ADMIN_ROLE) {
        if (newAllowed == isRouter(router)) return;
        if (newAllowed && !ERC165Checker.supportsInterface(router, type(IOneClickRouter).interfaceId)) {
            revert NotOneClickRouter(router);
        }
        _storage().routers[router] = newAllowed;
        emit RouterUpdated(router, newAllowed);
    }

    /// @inheritdoc IOperatorPool
    function isRouter(address router) public view returns (bool) {
        return _storage().routers[router];
    }

    /// Says by ERC-165 what it is, so that no router takes it for a target.
    function supportsInterface(bytes4 interfaceId) public view override returns (bool) {
        return interfaceId == type(IOperatorPool).interfaceId || super.supportsInterface(interfaceId);
    }

    function _storage() private pure returns (OperatorPoolStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
