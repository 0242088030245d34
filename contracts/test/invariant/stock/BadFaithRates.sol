// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {BadFaithEnds} from "./BadFaithEnds.sol";

/// What cash tokens are worth moves beside it: the rate manager moves rates and reports depegs, which pause a token; the
/// administrator sets the rate anew and lifts the pause.
contract BadFaithRates is BadFaithEnds {
    /// What the Cashier held less than it owed after a rate moved last, mUSD: the venue bears what a token loses, and nothing
    /// else may make that larger.
    uint256 public shortWad;

    function moveRate(bool inHalf, uint256 rate) external {
        address token = _cash(inHalf);
        uint256 anchor = cashier.referenceRate(token);
        vm.prank(manager);
        cashier.setUsdRate(token, uint32(bound(rate, anchor * 985 / 1000, anchor * 1021 / 1000)));
        bool paused = cashier.tokenConfig(token).depositPaused;
        ++successes[paused ? bytes32("depeg") : bytes32("moveRate")];
        _noteShortage();
    }

    function setRate(bool inHalf, uint256 rate) external {
        address token = _cash(inHalf);
        if (!cashier.tokenConfig(token).depositPaused) return;
        uint256 first = inHalf ? 500_000 : 1_000_000;
        vm.startPrank(admin);
        cashier.setUsdRate(token, uint32(bound(rate, first * 9 / 10, first * 11 / 10)));
        cashier.setTokenPause(token, false, false);
        vm.stopPrank();
        ++successes["setRate"];
        _noteShortage();
    }

    function _noteShortage() private {
        (uint256 held, uint256 owed) = (heldWad(), owedCash());
        shortWad = held < owed ? owed - held : 0;
    }
}
