// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title Reference prices of one stock token in USD, 8 decimals, by price id = keccak256 of the upper-case ticker.
/// @dev Two clocks: `feedUpdateTimestamp` is the source's, `publishedAt` the chain's. What is fresh follows from the
/// source's, since a feed that stands still can be published again and again; so the source keeps Unix time, and may be
/// ahead of the chain by MAX_LEAD_SEC at most. A guardian can freeze a feed or empty it, and never set a price.
interface IStockOracle {
    /// @param price last price, USD with 8 decimals
    /// @param bestBid USD with 8 decimals, 0 when there is none
    /// @param bestAsk USD with 8 decimals, 0 when there is none
    /// @param feedUpdateTimestamp the source's own time of the price, Unix seconds
    /// @param publishedAt chain time of the publication, Unix seconds
    /// @param roundId counts the publications of this id from 1
    /// @param session 0 closed, 1 pre-market, 2 regular, 3 after-hours, 4 overnight
    /// @param dayEndedAt chain time at which the sessions of a trade date last ended (1, 2 or 3 became 4 or 0), Unix
    /// seconds; 0 when none has yet
    /// @param previousDayEndedAt the end before that one
    struct PriceData {
        int128 price;
        int128 bestBid;
        int128 bestAsk;
        uint64 feedUpdateTimestamp;
        uint64 publishedAt;
        uint80 roundId;
        uint8 session;
        uint64 dayEndedAt;
        uint64 previousDayEndedAt;
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
    /// A feed was frozen or, by the administrator, released. Not repeated for what already was so.
    event FeedFreezeUpdated(bytes32 indexed priceId, bool isFrozen);
    /// A price was not taken because its feed is frozen.
    event PublicationSkipped(bytes32 indexed priceId);

    /// Nothing is published under this id.
    error UnknownPriceId();
    /// A price is not positive, a quote negative, or the bid above the ask.
    error InvalidPrice();
    /// A session number above 4.
    error InvalidSession();
    /// The source's time of an update lies before the one already published.
    error FeedTimestampNotMonotonic();
    /// The source's time of an update lies more than MAX_LEAD_SEC after this block's.
    error FeedTimestampAhead(uint256 feedUpdateTimestamp);
    /// The guardian has frozen the feed.
    error FeedFrozen(bytes32 priceId);
    error AddressCannotBeZero();

    /// Publishes prices; all or none, but for those of frozen feeds, which are left out. Role PUBLISHER_ROLE.
    function publish(PriceUpdate[] calldata updates) external;

    /// Empties a feed whose source time was published wrongly, so that it can start again. Role GUARDIAN_ROLE or
    /// DEFAULT_ADMIN_ROLE.
    function resetFeed(bytes32 priceId) external;

    /// Stops a feed: nothing is published under the id or read from it. Role GUARDIAN_ROLE or DEFAULT_ADMIN_ROLE.
    function freezeFeed(bytes32 priceId) external;

    /// Releases a frozen feed. Role DEFAULT_ADMIN_ROLE: who may freeze may not undo it.
    function unfreezeFeed(bytes32 priceId) external;

    /// Whether the feed is frozen.
    function isFrozen(bytes32 priceId) external view returns (bool);

    /// The newest price of `priceId`. Reverts `UnknownPriceId` when there is none, `FeedFrozen`.
    function latestPrice(bytes32 priceId) external view returns (PriceData memory);
}
