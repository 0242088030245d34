// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The delegatee that users sign for: one address before a changing set of operators.
/// @dev Operators can be replaced without users signing again. It adds no power to that of a delegatee (`IOneClickRouter`)
/// and holds nothing: no tokens, no allowances, no roles elsewhere.
interface IOperatorPool {
    /// A One Click router was added or removed. Not repeated for what already was so.
    event RouterUpdated(address indexed router, bool isRouter);

    error AddressCannotBeZero();
    /// The pool does not work with this router.
    error RouterNotAllowed(address router);
    /// The contract does not say (ERC-165) that it is a One Click router.
    error NotOneClickRouter(address router);

    /// Brings a user's signature that makes this pool the delegatee. Role OPERATOR_ROLE. Reverts `RouterNotAllowed`,
    /// `EnforcedPause`, and as `IOneClickRouter.delegateBySig`.
    /// @param deadline Unix seconds, as signed
    function enable(address router, address user, uint32 deadline, bytes calldata signature) external;

    /// Ends a user's delegation to this pool. Role OPERATOR_ROLE. Open while paused. Reverts `RouterNotAllowed`, and as
    /// `IOneClickRouter.undelegateFor`.
    function disable(address router, address user) external;

    /// Calls `target` as `user`. Role OPERATOR_ROLE. Reverts `RouterNotAllowed`, `EnforcedPause`, and as
    /// `IOneClickRouter.execute`, the target's own revert unchanged.
    /// @return result what the target returned
    function execute(address router, address user, address target, bytes calldata data)
        external
        returns (bytes memory result);

    /// Adds or removes a One Click router. Role DEFAULT_ADMIN_ROLE. Reverts `NotOneClickRouter` when adding.
    /// @dev After a removal the pool can no longer end its delegations there (nor use them); the users can.
    function setRouter(address router, bool newAllowed) external;

    /// Whether the pool works with this router.
    function isRouter(address router) external view returns (bool);
}
