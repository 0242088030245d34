// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Acts for users at Gate and its instruments: the `handler` of both. A call comes from the one sub-account a user has
/// named (directly, or through the trusted forwarder), or from the One Click router of the perpetual product. Only the
/// `…For` functions may be called, at Gate and at registered instruments, and the user whom they name must be the user
/// of the call, in each call inside a `multicall` too. Source: perp-protocol 1.7; design 7.
interface IRelayRouter {
    event BatchExecuted(
        address indexed subAccount, address indexed user, address indexed targetContract, bytes data, bool userPaid
    );
    event BatchMulticallExecuted(
        address indexed subAccount, address indexed user, address[] targetContracts, bool userPaid
    );
    event SubAccountManagementExecuted(address indexed user, uint8 indexed action, address indexed subAccount);
    event SubAccountRemoved(address indexed user, address indexed subAccount);
    event SubAccountSet(address indexed user, address indexed subAccount);
    /// Gate and One Click router are known from now on. Emitted once.
    event Connected(address gate, address oneClickRouter);

    error ExpiredSignature();
    error InvalidAction();
    error InvalidCaller();
    error InvalidSignature();
    error InvalidSubAccount();
    error NotSubAccountOwner();
    error SubAccountAlreadyExists();
    /// The contract is neither Gate nor a registered instrument, or the function is not one that takes a user.
    error CallNotAllowed(address target, bytes4 selector);
    /// The call names another user than the one it is made for.
    error WrongUser(address expected, address actual);
    /// The coins sent are not the native deposits of the calls.
    error InvalidValue(uint256 expected, uint256 actual);
    error LengthMismatch();
    error NotSynFuturesV3Admin();
    error AlreadyConnected();
    error ZeroAddress();

    /// Names the trusted forwarder, once, at deployment; zero for none: then sub-accounts call directly. Reverts
    /// `AlreadyInitialized`.
    function initialize(address trustedForwarder) external;

    /// Names Gate and the One Click router (zero for none), once. Owner of Config. Reverts `ZeroAddress`,
    /// `AlreadyConnected`.
    function connect(address gate, address oneClickRouter) external;

    /// Calls `targetContract` with `data` for `user`, with the call's native deposit as value; `userPaid` is for the
    /// event only. By the user's sub-account, or the One Click router, for which `subAccount` is ignored. Reverts
    /// `InvalidCaller`, `NotSubAccountOwner`, `CallNotAllowed`, `WrongUser`, `InvalidValue`, and as the target.
    function batch(address subAccount, address user, address targetContract, bytes calldata data, bool userPaid)
        external
        payable;

    /// `batch` for several calls, all or none; the value is the sum of their native deposits. Reverts `LengthMismatch`,
    /// and as `batch`.
    function batchMulticall(
        address subAccount,
        address user,
        address[] calldata targetContracts,
        bytes[] calldata dataArray,
        bool userPaid
    ) external payable;

    /// Names the caller's sub-account, which may act for the caller until it is removed, and takes the next nonce, so that
    /// nothing that the caller has signed before has an effect any more. Reverts `InvalidSubAccount`
    /// (zero, or the caller), `SubAccountAlreadyExists`.
    function setSubAccount(address subAccount) external;

    /// Removes the caller's sub-account, and takes the next nonce. Reverts `InvalidSubAccount` when there is none.
    function removeSubAccount() external;

    /// Sets (`action` 0) or removes (1) the sub-account of `user`, who signed it (EIP-712) with the nonce of `getNonce`;
    /// anybody may bring the signature, up to `deadline` (Unix seconds). The signature is the account's own (ECDSA): what is
    /// signed names no user, so a contract wallet (ERC-1271) might take what was meant for another; it calls the two functions
    /// above. Reverts `ExpiredSignature`, `InvalidSignature`, `InvalidAction`, and as those.
    function executeSubAccountManagement(
        address user,
        uint8 action,
        address subAccount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    /// EIP-712 type hash of the domain.
    function DOMAIN_TYPEHASH() external view returns (bytes32);

    /// EIP-712 type hash of what `executeSubAccountManagement` takes a signature of.
    function SUBACCOUNT_MANAGEMENT_TYPEHASH() external view returns (bytes32);

    /// The EIP-712 domain separator of this chain and this contract.
    function getDomainSeparator() external view returns (bytes32);

    /// The nonce that the user's next signature must carry.
    function getNonce(address user) external view returns (uint256);

    /// The user's sub-account; zero for none.
    function getSubAccount(address user) external view returns (address);

    /// As `getNonce`.
    function nonces(address user) external view returns (uint256);

    /// As `getSubAccount`.
    function userToSubAccount(address user) external view returns (address);

    /// The forwarder whose calls carry the caller in their last 20 bytes; zero for none.
    function trustedForwarder() external view returns (address);

    /// The Gate that calls go to; zero until `connect`.
    function gate() external view returns (address);

    /// The One Click router; zero for none, and until `connect`.
    function oneClickRouter() external view returns (address);
}
