// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MarketInfo, QuoteParam} from "../Types.sol";
import {IInitializeOnce} from "./IInitializeOnce.sol";

/// Registry of quotes, market types, liquidity providers and liquidators; its owner administers every other contract.
/// What is for the owner reverts `NotSynFuturesV3Admin` for anybody else. Source: perp-protocol 1.4.
interface IConfig is IInitializeOnce {
    event DisableLiquidatorWhitelist();
    event EnableLpWhitelistForQuote(address quote, bool restricted);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);
    event SetGuardian(address guardian);
    event SetLiquidatorWhitelist(address user, bool authorized);
    event SetLpWhitelistForQuote(address quote, address user, bool authorized);
    event SetMarketInfo(string mtype, address market, address beacon);
    event SetQuoteParam(address quote, QuoteParam param);

    error BadMinMarginAmount();
    error BadProtocolFeeRatio();
    error BadTip();
    error BadTradingFeeRatio();
    error LengthMismatch();
    error LiquidatorWhitelistAlreadyDisabled();
    error LpWhitelistAlreadyDisabled();
    error NotSynFuturesV3Admin();
    error ResetMarketInfo(string mtype);
    error SetMarketZeroAddress();
    error ZeroAddress();

    /// Makes `admin` the owner, once, at deployment. Reverts `AlreadyInitialized`, `ZeroAddress`.
    function initialize(address admin) external;

    /// Sets the templates that new instruments copy: `params[i]` (amounts WAD, ratios in basis points) for the quote
    /// token `coins[i]`. A quote of type INVALID backs no new instrument. Owner. Reverts `LengthMismatch`,
    /// `BadMinMarginAmount`, `BadTradingFeeRatio`, `BadProtocolFeeRatio`, `BadTip`.
    function setQuoteParam(address[] calldata coins, QuoteParam[] calldata params) external;

    /// Registers a market type for ever, since instruments' addresses depend on it: the market that prices its
    /// instruments and the beacon of their code. Owner. Reverts `SetMarketZeroAddress`, and `ResetMarketInfo` for a
    /// registered type.
    function setMarketInfo(string calldata mtype, address market, address beacon) external;

    /// Restricts liquidity provision in a quote to its whitelist, or opens it to everybody (`enable` false). Owner.
    /// Reverts `LpWhitelistAlreadyDisabled` when it is open already.
    function enableLpWhitelistForQuote(address quote, bool enable) external;

    /// Puts `users[i]` on the whitelist of liquidity providers in `quotes[i]`, or takes them off it, by `flags[i]`.
    /// Owner. Reverts `LengthMismatch`.
    function setLpWhiteList(address[] calldata quotes, address[] calldata users, bool[] calldata flags) external;

    /// Puts `users[i]` on the whitelist of liquidators, or takes them off it, by `flags[i]`; without effect once
    /// liquidation is open to everybody. Owner. Reverts `LengthMismatch`.
    function setLiquidatorWhitelist(address[] calldata users, bool[] calldata flags) external;

    /// Opens liquidation to everybody, once and for ever. Owner. Reverts `LiquidatorWhitelistAlreadyDisabled`.
    function disableLiquidatorWhitelist() external;

    /// Names the guardian, who may freeze instruments and pause order placement; zero for none. Owner.
    function setGuardian(address guardian) external;

    /// Hands the ownership over at once; the new owner need not accept it. Owner. Reverts `ZeroAddress`.
    function transferOwnership(address newOwner) external;

    /// Gives the ownership up for ever: nobody administers the protocol afterwards. Owner.
    function renounceOwnership() external;

    /// The owner, who administers Gate, markets and instruments as well; zero once renounced.
    function owner() external view returns (address);

    /// The guardian; zero for none.
    function guardian() external view returns (address);

    /// The template for instruments of a quote: amounts WAD, ratios in basis points. All zero (type INVALID) when never
    /// set.
    function getQuoteParam(address quote) external view returns (QuoteParam memory);

    /// Market and beacon of a market type; all zero when it is not registered.
    function getMarketInfo(string calldata mtype) external view returns (MarketInfo memory);

    /// The markets of all registered types, in order of registration.
    function getAllMarkets() external view returns (address[] memory);

    /// The market with this index, from 0. Reverts when there is none.
    function markets(uint256 i) external view returns (address);

    /// How many market types are registered.
    function marketsLength() external view returns (uint256);

    /// Whether liquidity provision in a quote is restricted to its whitelist.
    function restrictLp(address quote) external view returns (bool restricted);

    /// Whether `user` is on the whitelist of liquidity providers in a quote, be it in force or not.
    function lpWhitelist(address quote, address user) external view returns (bool authorized);

    /// Whether `user` may add liquidity in a quote: it is open to everybody, or the user is on its whitelist.
    function isAuthorizedLp(address quote, address user) external view returns (bool);

    /// Whether liquidation is open to everybody.
    function openLiquidator() external view returns (bool);

    /// Whether `user` is on the whitelist of liquidators, be it in force or not.
    function liquidatorWhitelist(address user) external view returns (bool authorized);

    /// Whether `user` may call `IInstrumentRisk.liquidate`: it is open to everybody, or the user is on the whitelist.
    function isAuthorizedLiquidator(address user) external view returns (bool);
}
