// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IStock} from "./interfaces/IStock.sol";

/// @title The exchange's storage, which `Stock` and `StockSettlement` share.
abstract contract StockStore {
    /// A market order in one slot, so that placing it writes one; the user is in its id. It stays as a tombstone when
    /// closed.
    struct MarketOrder {
        int96 amount;
        uint32 exitAt;
        uint16 tokenIndex;
        uint16 thirdPartyPpm;
        uint16 protocolPpm;
        IStock.OrderStatus status;
        bool partlyFilled;
        uint32 placedAt;
    }

    /// Of a market order; written only between a first partial fill and the end of the order.
    struct OrderProgress {
        uint96 filledQuantity;
        uint96 filledNotionalWad;
    }

    /// A limit order in two full slots, its progress included: parts are the rule, and writing to a used slot is cheap.
    /// It stays as a tombstone when closed, without its last part.
    struct LimitOrder {
        int96 quantity;
        uint96 filledQuantity;
        uint16 tokenIndex;
        IStock.OrderStatus status;
        bool cancelRequested;
        uint32 placedAt;
        uint96 price;
        uint96 filledNotionalWad;
        uint32 exitAt;
        uint16 thirdPartyPpm;
        uint16 protocolPpm;
    }

    /// `Listing`, with all that trading and stock moves ask for in the first slot; the cap of mints and what is used of it
    /// in the third.
    struct ListingState {
        uint16 tokenIndex;
        bool tradable;
        uint32 maxDeviationPpm;
        uint32 maxLimitDeviationPpm;
        uint32 maxPriceAgeSec;
        bool depositPaused;
        bool withdrawPaused;
        uint32 mintPeriodSec;
        bytes32 priceId;
        uint96 mintCapacity;
        uint96 minted;
        uint40 mintedAt;
    }

    /// In one slot; the user is in its id.
    struct QueuedStock {
        uint128 amount;
        uint32 exitAt;
        uint16 tokenIndex;
        IStock.StockWithdrawalStatus status;
    }

    /// The first slot is read and written by every order.
    /// @custom:storage-location erc7201:bourse.storage.Stock
    struct StockStorage {
        uint64 operationCounter;
        uint32 exitDelaySec;
        uint16 buyThirdPartyPpm;
        uint16 buyProtocolPpm;
        uint16 sellThirdPartyPpm;
        uint16 sellProtocolPpm;
        bool paused;
        uint32 stockExitDelaySec;
        uint32 lateSettlementSec;
        address oracle;
        mapping(address user => mapping(address token => uint256)) stockBalance;
        mapping(bytes32 orderId => MarketOrder) marketOrders;
        mapping(bytes32 orderId => OrderProgress) progress;
        mapping(address token => ListingState) listings;
        address[] tokens;
        mapping(bytes32 orderId => LimitOrder) limitOrders;
        mapping(bytes32 opId => QueuedStock) queuedStock;
    }

    // keccak256(abi.encode(uint256(keccak256("bourse.storage.Stock")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant STORAGE_SLOT = 0x6d4e03fa7ab8406cfd9a66e0e661d028534b3699bc3c85227908748abbb73800;

    function _listed(address token) internal view returns (ListingState storage item) {
        item = _storage().listings[token];
        if (item.tokenIndex == 0) revert IStock.InvalidStockToken();
    }

    function _storage() internal pure returns (StockStorage storage $) {
        assembly {
            $.slot := STORAGE_SLOT
        }
    }
}
