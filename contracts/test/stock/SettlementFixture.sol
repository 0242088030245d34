// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";

/// Two users with cash, and what the settler held before a settlement.
abstract contract SettlementFixture is StockFixture {
    uint256 internal settlerCash;
    uint256 internal settlerStock;

    function setUp() public override {
        super.setUp();
        fund(alice, 3000e6);
        fund(bob, 3000e6);
        _note();
    }

    function _note() internal {
        settlerCash = usdc.balanceOf(settler);
        settlerStock = aapl.balanceOf(settler);
    }
}
