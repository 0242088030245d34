// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";

/// Two users with cash, and what the settler held and how much stock there was before a settlement.
abstract contract SettlementFixture is StockFixture {
    uint256 internal settlerCash;
    uint256 internal supply;

    function setUp() public override {
        super.setUp();
        fund(alice, 3000e6);
        fund(bob, 3000e6);
        _note();
    }

    function _note() internal {
        settlerCash = usdc.balanceOf(settler);
        supply = aapl.totalSupply();
    }
}
