// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MarketInfo, QuoteParam} from "../Types.sol";
import {IInitializeOnce} from "./IInitializeOnce.sol";

/// Registry of quotes, market types, liquidity providers and liquidators; its owner administers every other contract.
/// Source: perp-protocol 1.4.
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

    function initialize(address admin) external;
    function setQuoteParam(address[] calldata coins, QuoteParam[] calldata params) external;
    function setMarketInfo(string calldata mtype, address market, address beacon) external;
    function enableLpWhitelistForQuote(address quote, bool enable) external;
    function setLpWhiteList(address[] calldata quotes, address[] calldata users, bool[] calldata flags) external;
    function setLiquidatorWhitelist(address[] calldata users, bool[] calldata flags) external;
    function disableLiquidatorWhitelist() external;
    function setGuardian(address guardian) external;
    function transferOwnership(address newOwner) external;
    function renounceOwnership() external;

    function owner() external view returns (address);
    function guardian() external view returns (address);
    function getQuoteParam(address quote) external view returns (QuoteParam memory);
    function getMarketInfo(string calldata mtype) external view returns (MarketInfo memory);
    function getAllMarkets() external view returns (address[] memory);
    function markets(uint256 i) external view returns (address);
    function marketsLength() external view returns (uint256);
    function restrictLp(address quote) external view returns (bool restricted);
    function lpWhitelist(address quote, address user) external view returns (bool authorized);
    function isAuthorizedLp(address quote, address user) external view returns (bool);
    function openLiquidator() external view returns (bool);
    function liquidatorWhitelist(address user) external view returns (bool authorized);
    function isAuthorizedLiquidator(address user) external view returns (bool);
}
