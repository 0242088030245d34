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
    /// A function that may be called.
    struct AllowedCall {
        address target;
        bytes4 selector;
    }

    /// `delegatee` may act as `user` from now on until `endsAt` (Unix seconds). `nextNonce`: what the user's next signature
    /// must carry.
    event Delegated(address indexed user, address indexed delegatee, uint64 nextNonce, uint32 endsAt);
    /// `delegatee` may no longer act as `user`: undelegated, or replaced, then followed by `Delegated`. Zero when the user
    /// had none and only voided signatures. `nextNonce` as in `Delegated`.
    event Undelegated(address indexed user, address indexed delegatee, uint64 nextNonce);
    /// `delegatee` called `target` as `user`. Stands before the logs of that call.
    event Executed(address indexed user, address indexed delegatee, address indexed target, bytes4 selector);
    /// A function was listed or taken off the list. Not repeated for what already was so.
    event AllowedUpdated(address indexed target, bytes4 indexed selector, bool isAllowed);

    /// The user's daily amount from now on, USD with 18 decimals; the venue's default where `isOwn` is false.
    event DailyAmountUpdated(address indexed user, bool isOwn, uint96 amountWad);
    /// For delegations from now on, and for everybody without an amount of its own. Also emitted at initialization.
    event TermsUpdated(uint32 durationSec, uint96 dailyAmountWad);

    error AddressCannotBeZero();
    /// The delegation ended at `endsAt` (Unix seconds); a new signature renews it.
    error DelegationEnded(uint256 endsAt);
    /// The call puts more at risk than is left of the user's daily amount, both USD with 18 decimals.
    error DailyAmountExceeded(uint256 spendWad, uint256 availableWad);
    /// A duration of nothing or of more than MAX_DURATION_SEC.
    error InvalidTerms();
    /// The contract does not say (ERC-165) what a call puts at risk (`IDelegationTarget`).
    error TargetNotMetered(address target);
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

    /// Makes `delegatee` the user's only delegatee, in place of the former, for as long as `terms` says: a new signature
    /// renews. Anyone may bring it.
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
    /// listed functions, only within the user's daily amount. Reverts `CallerNotDelegatee`, `DelegationEnded`,
    /// `DailyAmountExceeded`, `CalldataTooShort`, `CallNotAllowed`, `EnforcedPause`,
    /// `ReentrancyGuardReentrantCall`, and with what the target reverts, unchanged.
    /// @return result what the target returned
    function execute(address user, address target, bytes calldata data) external returns (bytes memory result);

    /// Sets what delegatees may put at risk of the caller's money within a day, USD with 18 decimals, in place of the
    /// venue's default; at once, for what was spent already too. It grows back evenly over the day.
    function setDailyAmount(uint96 amountWad) external;

    /// Gives the caller the venue's default again.
    function useDefaultDailyAmount() external;

    /// Sets how long a delegation lasts (seconds, up to MAX_DURATION_SEC), and the daily amount of users without their own
    /// (USD with 18 decimals). The largest number is no limit: nothing is counted then, and targets need not say what a call puts
    /// at risk. Role DEFAULT_ADMIN_ROLE. Reverts `InvalidTerms`, and `TargetNotMetered` when a limit is set for listed targets
    /// that do not say it.
    function setTerms(uint32 newDurationSec, uint96 newDailyAmountWad) external;

    /// Lists a function for `execute` or takes it off. Role DEFAULT_ADMIN_ROLE. Reverts `TargetHasNoCode`, `TargetForbidden`,
    /// `TargetNotMetered`.
    /// @dev The admin answers for the target: it must trust this contract as its forwarder, take the user from the last 20
    /// bytes only, call nothing that the caller chooses, and give this contract no role or allowance.
    function setAllowed(address target, bytes4 selector, bool newAllowed) external;

    /// The user's delegatee; zero for none and once the delegation has ended.
    function delegateOf(address user) external view returns (address);

    /// When the user's delegation ends or ended, Unix seconds; zero when there is none.
    function endsAt(address user) external view returns (uint32);

    /// The user's daily amount, USD with 18 decimals, and whether it is its own.
    function dailyAmount(address user) external view returns (uint96 amountWad, bool isOwn);

    /// What delegatees may still put at risk for the user now, USD with 18 decimals.
    function availableAmount(address user) external view returns (uint256 amountWad);

    /// As in `setTerms`.
    function terms() external view returns (uint32 durationSec, uint96 dailyAmountWad);

    /// What the user's next signature must carry.
    function nonces(address user) external view returns (uint64);

    /// Whether `execute` may call this function.
    function isAllowed(address target, bytes4 selector) external view returns (bool);

    /// Every function that `execute` may call, in no order.
    function allowedCalls() external view returns (AllowedCall[] memory);

    /// The EIP-712 digest that a user signs, for this chain and this contract.
    function delegateDigest(address user, address delegatee, uint64 nonce, uint32 deadline)
        external
        view
        returns (bytes32);

    /// The EIP-712 domain separator of this chain and this contract.
    function DOMAIN_SEPARATOR() external view returns (bytes32);
}
