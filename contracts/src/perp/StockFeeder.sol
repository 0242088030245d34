// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IStockOracle} from "../stock/interfaces/IStockOracle.sol";
import {IAggregator} from "./interfaces/IMarket.sol";

/// One price of the stock oracle as a feed with Chainlink's interface. Its time is the source's own, never the
/// publication's, so a price that is published again grows no younger; while its market is closed there is no price (an
/// answer of 0, which every market refuses).
contract StockFeeder is IAggregator {
    uint8 private constant SESSION_CLOSED = 0;

    IStockOracle public immutable oracle;
    bytes32 public immutable priceId;

    constructor(IStockOracle oracle_, bytes32 priceId_) {
        (oracle, priceId) = (oracle_, priceId_);
    }

    function decimals() external pure returns (uint8) {
        return 8;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        IStockOracle.PriceData memory data = oracle.latestPrice(priceId);
        int256 answer = data.session == SESSION_CLOSED ? int256(0) : int256(data.price);
        return (data.roundId, answer, data.feedUpdateTimestamp, data.feedUpdateTimestamp, data.roundId);
    }
}
