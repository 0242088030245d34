// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FundFlow, Pending, Range} from "../Types.sol";
import {IInitializeOnce} from "./IInitializeOnce.sol";

/// The margin centre. All quantities are in token decimals. Source: perp-protocol 1.3, 3.14.
interface IGate is IInitializeOnce {
    event Blacklist(address indexed trader, bool banned);
    event Deposit(address indexed quote, address indexed trader, uint256 quantity);
    event Gather(
        address indexed quote, address indexed trader, address indexed instrument, uint32 expiry, uint256 quantity
    );
    event NewInstrument(bytes32 index, address instrument, address base, address quote, string symbol, uint256 total);
    event Scatter(
        address indexed quote, address indexed trader, address indexed instrument, uint32 expiry, uint256 quantity
    );
    event SetPendingDuration(uint256 duration);
    event SetThreshold(address indexed quote, uint256 threshold);
    event UpdatePending(address indexed quote, address indexed trader, Pending pending);
    event Withdraw(address indexed quote, address indexed trader, uint256 quantity);

    error BadInstrumentAddress(address expected, address actual);
    error BlacklistedTrader();
    error InstrumentExists();
    error InsufficientReserve(uint256 requested, uint256 reserve);
    error InvalidMsgValue();
    error MarketTypeNotSupported();
    error NewInstrumentFailed(bytes lowLevelData);
    error NoDirectDeposit();
    error NotHandler();
    error NotInstrument();
    error NotSynFuturesV3Admin();
    error PendingDurationTooLong();
    error PendingWithdrawNotMature();
    error UnsafeToken(address token);

    function initialize() external;
    function deposit(bytes32 arg) external payable;
    function depositFor(address trader, bytes32 arg) external payable;
    function withdraw(bytes32 arg) external;
    function withdrawFor(address trader, bytes32 arg) external;
    function release(address quote, address trader) external;
    function scatter(address quote, address trader, uint32 expiry, uint256 quantity) external;
    function gather(address quote, address trader, uint32 expiry, uint256 quantity) external;
    function launch(string calldata mtype, address instrument, bytes calldata data, bytes32[2] calldata addArgs)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range);
    function setThreshold(address quote, uint256 threshold) external;
    function setPendingDuration(uint256 duration) external;
    function setBlacklist(address trader, bool banned) external;

    function weth() external view returns (address);
    function config() external view returns (address);
    function handler() external view returns (address);
    function instrumentInitData() external view returns (bytes memory);
    function reserveOf(address quote, address user) external view returns (uint256 balance);
    function fundFlowOf(address quote, address trader) external view returns (FundFlow memory fundFlow);
    function pendingOf(address quote, address trader) external view returns (Pending memory pending);
    function thresholdOf(address quote) external view returns (uint256 threshold);
    function pendingDuration() external view returns (uint256);
    function isBlacklisted(address user) external view returns (bool);
    function indexOf(address instrument) external view returns (bytes32 index);
    function allInstruments(uint256 i) external view returns (address);
    function allInstrumentsLength() external view returns (uint256);
    function getAllInstruments() external view returns (address[] memory);
}
