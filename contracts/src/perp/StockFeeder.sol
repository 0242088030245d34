// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IStockOracle} from "../stock/interfaces/IStockOracle.sol";
import {IAggregator} from "./interfaces/IMarket.sol";

/// One price of the stock oracle as a feed with Chainlink's interface. Its time is the source's own, never the
/// publication's, so a price that is published again grows no younger. There is no price (an answer of 0, which every
/// market refuses) while its market is closed, and neither price nor time while the oracle gives none: before the first
/// publication, and while a guardian has frozen the feed.
contract StockFeeder is IAggregator {
    uint8 private constant SESSION_CLOSED = 0;

    IStockOracle public immutable oracle;
    bytes32 public immutable priceId;

    constructor(IStockOracle oracle_, bytes32 priceId_) {
        (oracle, priceId) = (oracle_, priceId_);
    }

    /// @inheritdoc IAggregator
    function decimals() external pure returns (uint8) {
        return 8;
    }

    /// Whether a guardian has frozen the price, which tells that from a market that is closed.
    function isFrozen() external view returns (bool) {
        return oracle.isFrozen(priceId);
    }

    /// @inheritdoc IAggregator
    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        try oracle.latestPrice(priceId) returns (IStockOracle.PriceData memory data) {
            int256 answer = data.session == SESSION_CLOSED ? int256(0) : int256(data.price);
            return (data.roundId, answer, data.feedUpdateTimestamp, data.feedUpdateTimestamp, data.roundId);
        } catch {
            return (0, 0, 0, 0, 0);
        }
    }
}
