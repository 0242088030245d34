// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Reference prices of one stock token in USD, 8 decimals, by price id = keccak256 of the upper-case ticker.
/// @dev Two clocks, never compared with each other: `feedUpdateTimestamp` is the market's, `publishedAt` the chain's.
interface IStockOracle {
    /// @param price last price, USD with 8 decimals
    /// @param bestBid USD with 8 decimals, 0 when there is none
    /// @param bestAsk USD with 8 decimals, 0 when there is none
    /// @param feedUpdateTimestamp the source's own time of the price, Unix seconds
    /// @param publishedAt chain time of the publication, Unix seconds
    /// @param roundId counts the publications of this id from 1
    /// @param session 0 closed, 1 pre-market, 2 regular, 3 after-hours, 4 overnight
    struct PriceData {
        int128 price;
        int128 bestBid;
        int128 bestAsk;
        uint64 feedUpdateTimestamp;
        uint64 publishedAt;
        uint80 roundId;
        uint8 session;
    }

    /// Units and meaning as in `PriceData`.
    struct PriceUpdate {
        bytes32 priceId;
        int128 price;
        int128 bestBid;
        int128 bestAsk;
        uint64 feedUpdateTimestamp;
        uint8 session;
    }

    /// Units and meaning as in `PriceData`.
    event PricePublished(
        bytes32 indexed priceId,
        uint80 indexed roundId,
        int128 price,
        int128 bestBid,
        int128 bestAsk,
        uint64 feedUpdateTimestamp,
        uint64 publishedAt,
        uint8 session
    );
    /// A feed was emptied; its round counter goes on.
    event FeedReset(bytes32 indexed priceId);

    /// Nothing is published under this id.
    error UnknownPriceId();
    /// A price is not positive, a quote negative, or the bid above the ask.
    error InvalidPrice();
    /// A session number above 4.
    error InvalidSession();
    /// The source's time of an update lies before the one already published.
    error FeedTimestampNotMonotonic();
    error AddressCannotBeZero();

    /// Publishes prices; all or none. Role PUBLISHER_ROLE.
    function publish(PriceUpdate[] calldata updates) external;

    /// Empties a feed whose source time was published wrongly, so that it can start again. Role DEFAULT_ADMIN_ROLE.
    function resetFeed(bytes32 priceId) external;

    /// The newest price of `priceId`; reverts with `UnknownPriceId` when there is none.
    function latestPrice(bytes32 priceId) external view returns (PriceData memory);
}
