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
        mapping(bytes32 priceId => bool) frozen;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.StockOracle")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x8f71548616ed34d85a2364f33721cb2fd17c958ac8f7305c60018337701e6d00;
    uint8 private constant LAST_SESSION = 4;
    uint8 private constant PRE_MARKET = 1;
    uint8 private constant AFTER_HOURS = 3;

    bytes32 public constant PUBLISHER_ROLE = keccak256("PUBLISHER_ROLE");
    bytes32 public constant GUARDIAN_ROLE = keccak256("GUARDIAN_ROLE");

    /// How far a source's clock may be ahead of the chain's.
    uint64 public constant MAX_LEAD_SEC = 5 minutes;

    constructor() {
        _disableInitializers();
    }

    function initialize(address admin) external initializer {
        if (admin == address(0)) revert AddressCannotBeZero();
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
    }

    /// @inheritdoc IStockOracle
    function publish(PriceUpdate[] calldata updates) external onlyRole(PUBLISHER_ROLE) {
        for (uint256 i; i < updates.length; ++i) {
            _publish(updates[i]);
        }
    }

    /// @inheritdoc IStockOracle
    function resetFeed(bytes32 priceId) external {
        _requireGuardianOrAdmin();
        PriceData storage data = _storage().prices[priceId];
        if (data.publishedAt == 0) revert UnknownPriceId();
        PriceData memory emptied;
        (emptied.roundId, emptied.dayEndedAt) = (data.roundId, data.dayEndedAt);
        emptied.previousDayEndedAt = data.previousDayEndedAt;
        _storage().prices[priceId] = emptied;
        emit FeedReset(priceId);
    }

    /// @inheritdoc IStockOracle
    function freezeFeed(bytes32 priceId) external {
        _requireGuardianOrAdmin();
        _setFrozen(priceId, true);
    }

    /// @inheritdoc IStockOracle
    function unfreezeFeed(bytes32 priceId) external onlyRole(DEFAULT_ADMIN_ROLE) {
        _setFrozen(priceId, false);
    }

    /// @inheritdoc IStockOracle
    function latestPrice(bytes32 priceId) external view returns (PriceData memory) {
        PriceData memory data = _storage().prices[priceId];
        if (data.publishedAt == 0) revert UnknownPriceId();
        if (_storage().frozen[priceId]) revert FeedFrozen(priceId);
        return data;
    }

    /// @inheritdoc IStockOracle
    function isFrozen(bytes32 priceId) external view returns (bool) {
        return _storage().frozen[priceId];
    }

    function _publish(PriceUpdate calldata update) private {
        _check(update);
        if (_storage().frozen[update.priceId]) {
            emit PublicationSkipped(update.priceId);
            return;
        }
        PriceData storage data = _storage().prices[update.priceId];
        if (update.feedUpdateTimestamp < data.feedUpdateTimestamp) revert FeedTimestampNotMonotonic();
        if (_isDay(data.session) && !_isDay(update.session)) {
            data.previousDayEndedAt = data.dayEndedAt;
            data.dayEndedAt = uint64(block.timestamp);
        }
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

    function _setFrozen(bytes32 priceId, bool newFrozen) private {
        if (_storage().frozen[priceId] == newFrozen) return;
        _storage().frozen[priceId] = newFrozen;
        emit FeedFreezeUpdated(priceId, newFrozen);
    }

    /// Sessions of one trade date; the overnight session belongs to the next.
    function _isDay(uint8 session) private pure returns (bool) {
        return session >= PRE_MARKET && session <= AFTER_HOURS;
    }

    function _requireGuardianOrAdmin() private view {
        if (!hasRole(DEFAULT_ADMIN_ROLE, msg.sender)) _checkRole(GUARDIAN_ROLE);
    }

    function _check(PriceUpdate calldata update) private view {
        if (update.feedUpdateTimestamp > block.timestamp + MAX_LEAD_SEC) {
            revert FeedTimestampAhead(update.feedUpdateTimestamp);
        }
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
