// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IStockOracle} from "./interfaces/IStockOracle.sol";
import {
    AccessControlEnumerableUpgradeable
} from "@openzeppelin/contracts-upgradeable/access/extensions/AccessControlEnumerableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// @title Reference prices, published in batches. See `IStockOracle`.
contract StockOracle is IStockOracle, AccessControlEnumerableUpgradeable, UUPSUpgradeable {
    /// @custom:storage-location erc7201:bourse.storage.StockOracle
    struct StockOracleStorage {
        mapping(bytes32 priceId => PriceData) prices;
    }

    bytes32 private constant STORAGE_SLOT = 0x8f71548616ed34d85a2364f33721cb2fd17c958ac8f7305c60018337701e6d00;
    uint8 private constant LAST_SESSION = 4;

    bytes32 public constant PUBLISHER_ROLE = keccak256("PUBLISHER_ROLE");

    constructor() {
        _disableInitializers();
    }

    function initialize(address admin) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    function publish(PriceUpdate[] calldata updates) external onlyRole(PUBLISHER_ROLE) {
        for (uint256 i; i < updates.length; ++i) {
            _publish(updates[i]);
        }
    }

    function resetFeed(bytes32 priceId) external onlyRole(DEFAULT_ADMIN_ROLE) {
        PriceData storage data = _storage().prices[priceId];
        if (data.publishedAt == 0) revert UnknownPriceId();
        uint80 roundId = data.roundId;
        delete _storage().prices[priceId];
        data.roundId = roundId;
        emit FeedReset(priceId);
    }

    function latestPrice(bytes32 priceId) external view returns (PriceData memory) {
        PriceData memory data = _storage().prices[priceId];
        if (data.publishedAt == 0) revert UnknownPriceId();
        return data;
    }

    function _publish(PriceUpdate calldata update) private {
        _check(update);
        PriceData storage data = _storage().prices[update.priceId];
        if (update.feedUpdateTimestamp < data.feedUpdateTimestamp) revert FeedTimestampNotMonotonic();
        uint80 roundId = data.roundId + 1;
        data.price = update.price;
        data.bestBid = update.bestBid;
        data.bestAsk = update.bestAsk;
        data.feedUpdateTimestamp = update.feedUpdateTimestamp;
        data.publishedAt = uint64(block.timestamp);
        data.roundId = roundId;
        data.session = update.session;
        emit PricePublished(
            update.priceId,
            roundId,
            update.price,
            update.bestBid,
            update.bestAsk,
            update.feedUpdateTimestamp,
            uint64(block.timestamp),
            update.session
        );
    }

    function _check(PriceUpdate calldata update) private pure {
        if (update.price <= 0 || update.bestBid < 0 || update.bestAsk < 0) revert InvalidPrice();
        if (update.bestBid > 0 && update.bestAsk > 0 && update.bestBid > update.bestAsk) revert InvalidPrice();
        if (update.session > LAST_SESSION) revert InvalidSession();
    }

    function _authorizeUpgrade(address) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}

    function _storage() private pure returns (StockOracleStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
