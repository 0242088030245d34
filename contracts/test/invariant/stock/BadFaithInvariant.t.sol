// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BadFaithRates} from "./BadFaithRates.sol";
import {StockToken} from "src/stock/StockToken.sol";
import {TestBase} from "test/TestBase.sol";

/// Whatever a settler does, cash and stock held cover what users are owed, but for what a cash token lost of its worth; and no
/// more stock comes into being than the caps let.
contract BadFaithInvariantTest is TestBase {
    BadFaithRates private handler;

    function setUp() public {
        handler = BadFaithRates(deployCode("BadFaithRates.sol:BadFaithRates", ""));
        handler.setUp();
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](16);
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
        selectors[12] = handler.settleBuy.selector;
        selectors[13] = handler.settleRequestedCancel.selector;
        selectors[14] = handler.moveRate.selector;
        selectors[15] = handler.setRate.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    /// forge-config: default.invariant.runs = 1
    /// forge-config: default.invariant.depth = 1000
    /// A shortened sequence would end with whatever was counted first, not with what was not reached.
    /// forge-config: default.invariant.shrink-run-limit = 0
    /// forge-config: default.invariant.fail-on-revert = true
    /// forge-config: whole.invariant.runs = 3
    /// forge-config: whole.invariant.depth = 1000
    /// forge-config: whole.invariant.shrink-run-limit = 0
    /// forge-config: whole.invariant.fail-on-revert = true
    function invariant_usersAreCoveredWhateverTheSettlerDoes() public view {
        vm.assertEq(handler.totalOwedWad(), handler.owedCash(), "mUSD owed is balances, locks and queues");
        vm.assertGe(handler.heldWad() + handler.shortWad(), handler.owedCash(), "cash held covers what is owed");
        StockToken[2] memory stocks = handler.stocks();
        for (uint256 i; i < stocks.length; ++i) {
            vm.assertEq(handler.heldStock(address(stocks[i])), handler.owedStock(address(stocks[i])), "stock held");
            vm.assertLe(stocks[i].totalSupply(), handler.mintable(), "more than the cap");
        }
    }

    /// Each of these happens in every life that is not cut short.
    function afterInvariant() public view {
        if (handler.successes("timePasses") < 10) return;
        bytes32[14] memory actions = [
            bytes32("deposit"),
            "withdraw",
            "buy",
            "sell",
            "settle",
            "capped",
            "cancel",
            "settleCancel",
            "endByBroker",
            "reject",
            "takeBack",
            "moveRate",
            "depeg",
            "setRate"
        ];
        for (uint256 i; i < actions.length; ++i) {
            vm.assertGe(handler.successes(actions[i]), 1, string(abi.encodePacked(actions[i])));
        }
    }
}
