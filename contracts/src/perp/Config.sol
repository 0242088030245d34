// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {InitializeOnce} from "./InitializeOnce.sol";
import {QuoteParams} from "./QuoteParams.sol";
import {MarketInfo, QuoteParam} from "./Types.sol";
import {IConfig} from "./interfaces/IConfig.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// The registry. Its owner (a timelock in production) administers Gate, markets and instruments as well; the guardian
/// can only freeze instruments and pause order placement. Source: perp-protocol 1.4, design 7.
contract Config is IConfig, InitializeOnce, UUPSUpgradeable {
    struct ConfigStorage {
        address owner;
        bool openLiquidator;
        address guardian;
        address[] markets;
        mapping(string => MarketInfo) marketInfo;
        mapping(address => QuoteParam) quoteParam;
        mapping(address => bool) restrictLp;
        mapping(address => mapping(address => bool)) lpWhitelist;
        mapping(address => bool) liquidatorWhitelist;
    }

    // The ERC-7201 slot of bourse.perp.Config:
    // 0xda1989eddf99f3798bd4a71910cfc06833fa11fc1d36a178c8dbf1dffc535200
    bytes32 private constant SLOT =
        keccak256(abi.encode(uint256(keccak256("bourse.perp.Config")) - 1)) & ~bytes32(uint256(0xff));

    modifier onlyOwner() {
        if (msg.sender != _s().owner) revert NotSynFuturesV3Admin();
        _;
    }

    /// @inheritdoc IConfig
    function initialize(address admin) external initializer {
        if (admin == address(0)) revert ZeroAddress();
        _setOwner(admin);
    }

    // Owner

    /// @inheritdoc IConfig
    function setQuoteParam(address[] calldata coins, QuoteParam[] calldata params) external onlyOwner {
        if (coins.length != params.length) revert LengthMismatch();
        for (uint256 i; i < coins.length; ++i) {
            QuoteParams.check(params[i]);
            _s().quoteParam[coins[i]] = params[i];
            emit SetQuoteParam(coins[i], params[i]);
        }
    }

    /// @inheritdoc IConfig
    function setMarketInfo(string calldata mtype, address market, address beacon) external onlyOwner {
        if (market == address(0) || beacon == address(0)) revert SetMarketZeroAddress();
        ConfigStorage storage $ = _s();
        if ($.marketInfo[mtype].market != address(0)) revert ResetMarketInfo(mtype);
        $.marketInfo[mtype] = MarketInfo(mtype, market, beacon);
        $.markets.push(market);
        emit SetMarketInfo(mtype, market, beacon);
    }

    /// @inheritdoc IConfig
    function enableLpWhitelistForQuote(address quote, bool enable) external onlyOwner {
        ConfigStorage storage $ = _s();
        if (!enable && !$.restrictLp[quote]) revert LpWhitelistAlreadyDisabled();
        $.restrictLp[quote] = enable;
        emit EnableLpWhitelistForQuote(quote, enable);
    }

    /// @inheritdoc IConfig
    function setLpWhiteList(address[] calldata quotes, address[] calldata users, bool[] calldata flags)
        external
        onlyOwner
    {
        if (quotes.length != users.length || users.length != flags.length) revert LengthMismatch();
        for (uint256 i; i < quotes.length; ++i) {
            _s().lpWhitelist[quotes[i]][users[i]] = flags[i];
            emit SetLpWhitelistForQuote(quotes[i], users[i], flags[i]);
        }
    }

    /// @inheritdoc IConfig
    function setLiquidatorWhitelist(address[] calldata users, bool[] calldata flags) external onlyOwner {
        if (users.length != flags.length) revert LengthMismatch();
        for (uint256 i; i < users.length; ++i) {
            _s().liquidatorWhitelist[users[i]] = flags[i];
            emit SetLiquidatorWhitelist(users[i], flags[i]);
        }
    }

    /// @inheritdoc IConfig
    function disableLiquidatorWhitelist() external onlyOwner {
        if (_s().openLiquidator) revert LiquidatorWhitelistAlreadyDisabled();
        _s().openLiquidator = true;
        emit DisableLiquidatorWhitelist();
    }

    /// @inheritdoc IConfig
    function setGuardian(address newGuardian) external onlyOwner {
        _s().guardian = newGuardian;
        emit SetGuardian(newGuardian);
    }

    /// @inheritdoc IConfig
    function transferOwnership(address newOwner) external onlyOwner {
        if (newOwner == address(0)) revert ZeroAddress();
        _setOwner(newOwner);
    }

    /// @inheritdoc IConfig
    function renounceOwnership() external onlyOwner {
        _setOwner(address(0));
    }

    // Views

    /// @inheritdoc IConfig
    function owner() external view returns (address) {
        return _s().owner;
    }

    /// @inheritdoc IConfig
    function guardian() external view returns (address) {
        return _s().guardian;
    }

    /// @inheritdoc IConfig
    function getQuoteParam(address quote) external view returns (QuoteParam memory) {
        return _s().quoteParam[quote];
    }

    /// @inheritdoc IConfig
    function getMarketInfo(string calldata mtype) external view returns (MarketInfo memory) {
        return _s().marketInfo[mtype];
    }

    /// @inheritdoc IConfig
    function getAllMarkets() external view returns (address[] memory) {
        return _s().markets;
    }

    /// @inheritdoc IConfig
    function markets(uint256 i) external view returns (address) {
        return _s().markets[i];
    }

    /// @inheritdoc IConfig
    function marketsLength() external view returns (uint256) {
        return _s().markets.length;
    }

    /// @inheritdoc IConfig
    function restrictLp(address quote) external view returns (bool restricted) {
        return _s().restrictLp[quote];
    }

    /// @inheritdoc IConfig
    function lpWhitelist(address quote, address user) external view returns (bool authorized) {
        return _s().lpWhitelist[quote][user];
    }

    /// @inheritdoc IConfig
    function isAuthorizedLp(address quote, address user) external view returns (bool) {
        return !_s().restrictLp[quote] || _s().lpWhitelist[quote][user];
    }

    /// @inheritdoc IConfig
    function openLiquidator() external view returns (bool) {
        return _s().openLiquidator;
    }

    /// @inheritdoc IConfig
    function liquidatorWhitelist(address user) external view returns (bool authorized) {
        return _s().liquidatorWhitelist[user];
    }

    /// @inheritdoc IConfig
    function isAuthorizedLiquidator(address user) external view returns (bool) {
        return _s().openLiquidator || _s().liquidatorWhitelist[user];
    }

    // Inside

    function _setOwner(address newOwner) private {
        address previous = _s().owner;
        _s().owner = newOwner;
        emit OwnershipTransferred(previous, newOwner);
    }

    function _authorizeUpgrade(address) internal view override onlyOwner {}

    function _s() private pure returns (ConfigStorage storage $) {
        bytes32 slot = SLOT;
        // A namespaced slot can be bound to a storage pointer in assembly only.
        assembly ("memory-safe") {
            $.slot := slot
        }
    }
}
