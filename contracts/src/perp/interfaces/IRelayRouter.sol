// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Acts for users at Gate and its instruments: the `handler` of both. A call comes from the one sub-account a user has
/// named (directly, or through the trusted forwarder), or from the One Click router of the perpetual product. Only the
/// `…For` functions may be called, at Gate and at registered instruments, and the user whom they name must be the user of the
/// call, in each call inside a `multicall` too. Source: perp-protocol 1.7; design 7.
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

    function initialize(address trustedForwarder) external;
    /// Names Gate and the One Click router (zero for none), once. Owner of Config.
    function connect(address gate, address oneClickRouter) external;

    /// Calls `targetContract` with `data` for `user`. From the One Click router `subAccount` is not looked at.
    function batch(address subAccount, address user, address targetContract, bytes calldata data, bool userPaid)
        external
        payable;
    /// `batch` for several calls, all or none.
    function batchMulticall(
        address subAccount,
        address user,
        address[] calldata targetContracts,
        bytes[] calldata dataArray,
        bool userPaid
    ) external payable;
    function setSubAccount(address subAccount) external;
    function removeSubAccount() external;
    /// Sets (`action` 0) or removes (1) the sub-account of `user`, who signed it; anybody may bring the signature.
    function executeSubAccountManagement(
        address user,
        uint8 action,
        address subAccount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;

    function DOMAIN_TYPEHASH() external view returns (bytes32);
    function SUBACCOUNT_MANAGEMENT_TYPEHASH() external view returns (bytes32);
    function getDomainSeparator() external view returns (bytes32);
    function getNonce(address user) external view returns (uint256);
    function getSubAccount(address user) external view returns (address);
    function nonces(address user) external view returns (uint256);
    function userToSubAccount(address user) external view returns (address);
    function trustedForwarder() external view returns (address);
    function gate() external view returns (address);
    function oneClickRouter() external view returns (address);
}
