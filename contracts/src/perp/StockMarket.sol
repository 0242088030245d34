// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CexMarket} from "./CexMarket.sol";
import {MOST_FUNDING_SILENCE} from "./Constants.sol";

/// Instruments priced by feeds of markets that close (`StockFeeder`). While the market is closed its price is refused,
/// and with it every action; after a silence longer than an hour, which a closing time always is, funding is charged
/// for one hour only. The type's name is the protocol's for prices that operators push. See
/// docs/decisions/perp-closed-markets.md.
contract StockMarket is CexMarket {
    constructor(address config_, address gate_) CexMarket(config_, gate_) {}

    /// @inheritdoc CexMarket
    function getMarketType() public pure override returns (string memory) {
        return "EMG";
    }

    /// @inheritdoc CexMarket
    function chargeableTime(uint256 elapsed) external pure override returns (uint256) {
        return elapsed < MOST_FUNDING_SILENCE ? elapsed : MOST_FUNDING_SILENCE;
    }
}
