// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BadFaithHandler} from "./BadFaithHandler.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {TestBase} from "test/TestBase.sol";

/// Whatever a settler does, cash and stock held cover what users are owed, and no more stock comes into being than the caps
/// let.
/// forge-config: default.invariant.runs = 48
/// forge-config: default.invariant.depth = 250
/// forge-config: default.invariant.fail-on-revert = true
contract BadFaithInvariantTest is TestBase {
    BadFaithHandler private handler;

    function setUp() public {
        handler = BadFaithHandler(deployCode("BadFaithHandler.sol:BadFaithHandler", ""));
        handler.setUp();
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](8);
        selectors[0] = handler.deposit.selector;
        selectors[1] = handler.withdraw.selector;
        selectors[2] = handler.buy.selector;
        selectors[3] = handler.sell.selector;
        selectors[4] = handler.settleAnything.selector;
        selectors[5] = handler.settleAnything.selector;
        selectors[6] = handler.grab.selector;
        selectors[7] = handler.timePasses.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    function invariant_usersAreCoveredWhateverTheSettlerDoes() public view {
        vm.assertEq(handler.totalOwedWad(), handler.owedCash(), "mUSD owed is balances, locks and queues");
        vm.assertGe(handler.heldWad(), handler.owedCash(), "cash held covers what is owed");
        StockToken[2] memory stocks = handler.stocks();
        for (uint256 i; i < stocks.length; ++i) {
            vm.assertEq(handler.heldStock(address(stocks[i])), handler.owedStock(address(stocks[i])), "stock held");
            vm.assertLe(stocks[i].totalSupply(), handler.mintable(), "more than the cap");
        }
    }

    function afterInvariant() public view {
        if (handler.successes("timePasses") < 10) return;
        vm.assertGe(handler.successes("deposit"), 1, "deposit");
        vm.assertGe(handler.successes("buy"), 1, "buy");
        vm.assertGe(handler.successes("settle"), 1, "settle");
    }
}
