// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {FundFlow, Pending, Range} from "../Types.sol";
import {IInitializeOnce} from "./IInitializeOnce.sol";

/// The margin centre. All quantities are in token decimals; a quote is named by its token, native coin by the wrapped
/// one. What is for the owner of Config reverts `NotSynFuturesV3Admin` for anybody else. Source: perp-protocol 1.3,
/// 3.14.
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

    /// Sets the pending duration to one day, once, at deployment. Reverts `AlreadyInitialized`.
    function initialize() external;

    /// Deposits from the caller's wallet into the caller's reserve. `arg` packs the token (low 160 bits; for native
    /// coin, which is wrapped, zero or one of its aliases) and the quantity in token decimals (upper 96 bits). Reverts
    /// `BlacklistedTrader`, `InvalidMsgValue`, `UnsafeToken` (another amount arrived).
    function deposit(bytes32 arg) external payable;

    /// `deposit` into the reserve of `trader`, whose own wallet ERC-20 tokens come from; native coin comes with the
    /// call. Handler only. Reverts `NotHandler`, and as `deposit`.
    function depositFor(address trader, bytes32 arg) external payable;

    /// Withdraws from the caller's reserve to the caller's wallet; `arg` as in `deposit`. Paid at once while the
    /// trader's net outflow stays within the threshold; else all of it waits (event `UpdatePending`), and what waits
    /// already waits anew. Reverts `InsufficientReserve`.
    function withdraw(bytes32 arg) external;

    /// `withdraw` for `trader`, who is paid. Handler only. Reverts `NotHandler`, and as `withdraw`.
    function withdrawFor(address trader, bytes32 arg) external;

    /// Pays a trader's pending withdrawal to the trader, `pendingDuration` after its last request. Anybody may call.
    /// Reverts `PendingWithdrawNotMature`, also when nothing is pending.
    function release(address quote, address trader) external;

    /// Moves `quantity` of the trader's money to the calling instrument: from the reserve, and what is missing there
    /// from the trader's wallet, within its allowance. `expiry` is for the event only. Instruments only. Reverts
    /// `NotInstrument`, `BlacklistedTrader`, `InsufficientReserve`, `UnsafeToken`.
    function scatter(address quote, address trader, uint32 expiry, uint256 quantity) external;

    /// Moves `quantity` of the calling instrument's own money into the trader's reserve; `expiry` is for the event
    /// only. Instruments only. Reverts `NotInstrument`, `InsufficientReserve`.
    function gather(address quote, address trader, uint32 expiry, uint256 quantity) external;

    /// Creates an instrument at the address the caller computed and opens its first pair with the caller's range.
    /// `data` is what `IMarket.prepareInstrument` of the market type expects; `addArgs` as for `IInstrument.add`.
    /// Anybody may call. Reverts `MarketTypeNotSupported`, `BadInstrumentAddress`, `InstrumentExists`, and as those
    /// two.
    function launch(string calldata mtype, address instrument, bytes calldata data, bytes32[2] calldata addArgs)
        external
        returns (int24 tickLower, int24 tickUpper, Range memory range);

    /// Sets the net outflow of each trader in a quote, in token decimals, up to which withdrawals are paid at once;
    /// 2^128 - 1 or more is no limit. Owner of Config.
    function setThreshold(address quote, uint256 threshold) external;

    /// Sets how long withdrawals wait, in seconds, up to 7 days; holds for what is pending too. Owner of Config.
    /// Reverts `PendingDurationTooLong`.
    function setPendingDuration(uint256 duration) external;

    /// Keeps `trader` from bringing money in, or ends that (`banned` false); withdrawing and closing stay possible.
    /// Owner of Config.
    function setBlacklist(address trader, bool banned) external;

    /// The wrapped native coin, in which native deposits are kept.
    function weth() external view returns (address);

    /// The registry, whose owner administers this contract.
    function config() external view returns (address);

    /// The relay router, which alone may call the `...For` functions.
    function handler() external view returns (address);

    /// What the instrument that is being created is initialised with, which its proxy asks for; empty at any other
    /// time.
    function instrumentInitData() external view returns (bytes memory);

    /// Free balance of a trader, or what an instrument holds, in token decimals.
    function reserveOf(address quote, address user) external view returns (uint256 balance);

    /// What a trader has brought in and taken out of a quote in all, in token decimals.
    function fundFlowOf(address quote, address trader) external view returns (FundFlow memory fundFlow);

    /// A trader's pending withdrawal, in token decimals, the time of its last request (Unix seconds), and what earlier
    /// releases exempt from the threshold.
    function pendingOf(address quote, address trader) external view returns (Pending memory pending);

    /// The net outflow of each trader in a quote, in token decimals, up to which withdrawals are paid at once.
    function thresholdOf(address quote) external view returns (uint256 threshold);

    /// How long withdrawals above the threshold wait, in seconds.
    function pendingDuration() external view returns (uint256);

    /// Whether `user` is kept from bringing money in.
    function isBlacklisted(address user) external view returns (bool);

    /// The CREATE2 salt of an instrument; zero for what is no instrument of this Gate.
    function indexOf(address instrument) external view returns (bytes32 index);

    /// The instrument with this index, from 0 in order of creation. Reverts when there is none.
    function allInstruments(uint256 i) external view returns (address);

    /// How many instruments there are.
    function allInstrumentsLength() external view returns (uint256);

    /// All instruments, in order of creation.
    function getAllInstruments() external view returns (address[] memory);
}
