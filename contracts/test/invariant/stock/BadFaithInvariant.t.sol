// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BadFaithEnds} from "./BadFaithEnds.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {TestBase} from "test/TestBase.sol";

/// Whatever a settler does, cash and stock held cover what users are owed, and no more stock comes into being than the caps
/// let.
/// forge-config: default.invariant.runs = 3
/// forge-config: default.invariant.depth = 1000
/// forge-config: default.invariant.fail-on-revert = true
contract BadFaithInvariantTest is TestBase {
    BadFaithEnds private handler;

    function setUp() public {
        handler = BadFaithEnds(deployCode("BadFaithEnds.sol:BadFaithEnds", ""));
        handler.setUp();
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](12);
        selectors[0] = handler.deposit.selector;
        selectors[1] = handler.withdraw.selector;
        selectors[2] = handler.buy.selector;
        selectors[3] = handler.sell.selector;
        selectors[4] = handler.settleAnything.selector;
        selectors[5] = handler.settleAnything.selector;
        selectors[6] = handler.grab.selector;
        selectors[7] = handler.timePasses.selector;
        selectors[8] = handler.cancel.selector;
        selectors[9] = handler.takeBack.selector;
        selectors[10] = handler.endAnything.selector;
        selectors[11] = handler.rejectAnything.selector;
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

    /// Each of these happens in every life that is not cut short; a cancel that is settled and a mint beyond the cap in most.
    function afterInvariant() public view {
        if (handler.successes("timePasses") < 10) return;
        bytes32[9] memory actions =
            [bytes32("deposit"), "withdraw", "buy", "sell", "settle", "cancel", "endByBroker", "reject", "takeBack"];
        for (uint256 i; i < actions.length; ++i) {
            vm.assertGe(handler.successes(actions[i]), 1, string(abi.encodePacked(actions[i])));
        }
    }
}
