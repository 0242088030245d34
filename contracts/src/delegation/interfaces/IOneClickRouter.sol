// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title One Click: a user names one delegatee, which may then make listed calls as the user.
/// @dev It calls a listed target with the user's 20 bytes after the calldata (ERC-2771); the target takes them for the
/// caller because this contract is its trusted forwarder. One instance serves one product.
///
/// EIP-712 domain: name "OneClickRouter", version "1", chain id, this contract. A delegation is signed as
/// `Delegate(address user,address delegatee,uint64 nonce,uint32 deadline)` with the user's `nonces`. Every delegation and
/// every undelegation takes a nonce, so a signature works once, and none made with the nonce of its time works after an
/// undelegation.
interface IOneClickRouter {
    /// `delegatee` may act as `user` from now on. `nextNonce`: what the user's next signature must carry.
    event Delegated(address indexed user, address indexed delegatee, uint64 nextNonce);
    /// `delegatee` may no longer act as `user`: undelegated, or replaced, then followed by `Delegated`. Zero when the user
    /// had none and only voided signatures. `nextNonce` as in `Delegated`.
    event Undelegated(address indexed user, address indexed delegatee, uint64 nextNonce);
    /// `delegatee` called `target` as `user`. Stands before the logs of that call.
    event Executed(address indexed user, address indexed delegatee, address indexed target, bytes4 selector);
    /// A function was listed or taken off the list. Not repeated for what already was so.
    event AllowedUpdated(address indexed target, bytes4 indexed selector, bool isAllowed);

    error AddressCannotBeZero();
    /// The deadline lies before this block's time.
    error DeadlineExpired();
    /// Not the user's signature of this delegation with the user's current nonce, on this chain, for this contract.
    error InvalidSignature();
    /// The user has not delegated to the caller.
    error CallerNotDelegatee();
    /// The caller is neither the user nor the user's delegatee.
    error CallerNotUserOrDelegatee();
    /// The calldata has no selector (fewer than 4 bytes).
    error CalldataTooShort();
    /// The function is not on the list.
    error CallNotAllowed(address target, bytes4 selector);
    /// A target must be a contract.
    error TargetHasNoCode(address target);
    /// A One Click router or an operator pool can never be a target: calls would come from a forwarder.
    error TargetForbidden(address target);

    /// Makes `delegatee` the user's only delegatee, in place of the former. Anyone may bring the signature.
    /// Reverts `AddressCannotBeZero`, `DeadlineExpired`, `InvalidSignature`, `EnforcedPause`.
    /// @param user who signed: an EOA by 65 bytes (r, s in the lower half order, v 27 or 28), an account with code by ERC-1271
    /// @param deadline Unix seconds, the last one at which the signature is taken; it does not end the delegation
    function delegateBySig(address user, address delegatee, uint32 deadline, bytes calldata signature) external;

    /// Ends the caller's delegation and voids every signature made before. Always open; without a delegation it still
    /// voids.
    function undelegate() external;

    /// `undelegate` for `user`, by the user or the user's delegatee. Always open. Reverts `CallerNotUserOrDelegatee`.
    function undelegateFor(address user) external;

    /// Calls `target` with `data` and the user's address behind it, without value. Only by the user's delegatee, only
    /// listed functions. Reverts `CallerNotDelegatee`, `CalldataTooShort`, `CallNotAllowed`, `EnforcedPause`,
    /// `ReentrancyGuardReentrantCall`, and with what the target reverts, unchanged.
    /// @return result what the target returned
    function execute(address user, address target, bytes calldata data) external returns (bytes memory result);

    /// Lists a function for `execute` or takes it off. Role DEFAULT_ADMIN_ROLE. Reverts `TargetHasNoCode`, `TargetForbidden`.
    /// @dev The admin answers for the target: it must trust this contract as its forwarder, take the user from the last 20
    /// bytes only, call nothing that the caller chooses, and give this contract no role or allowance.
    function setAllowed(address target, bytes4 selector, bool newAllowed) external;

    /// The user's delegatee; zero for none.
    function delegateOf(address user) external view returns (address);

    /// What the user's next signature must carry.
    function nonces(address user) external view returns (uint64);

    /// Whether `execute` may call this function.
    function isAllowed(address target, bytes4 selector) external view returns (bool);

    /// The EIP-712 digest that a user signs, for this chain and this contract.
    function delegateDigest(address user, address delegatee, uint64 nonce, uint32 deadline)
        external
        view
        returns (bytes32);

    /// The EIP-712 domain separator of this chain and this contract.
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}
