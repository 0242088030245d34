// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockHandler} from "./StockHandler.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ICashier} from "src/stock/interfaces/ICashier.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {TestBase} from "test/TestBase.sol";

/// One campaign over random sequences of all actors; after every action all of these hold at once.
/// The 64 runs of CI take some two minutes, since an action is several calls; the long profile is for a night.
contract StockInvariantTest is TestBase {
    uint256 private constant MIN_SUCCESSES = 3;
    uint256 private constant FULL_RUN = 600;

    StockHandler private handler;
    StockHandler.Deployed private venue;
    ICashier private cashier;
    IStock private stock;

    function setUp() public {
        handler = StockHandler(deployCode("StockHandler.sol:StockHandler", ""));
        handler.setUp();
        venue = handler.deployed();
        cashier = ICashier(venue.cashier);
        stock = IStock(venue.stock);
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](39);
        selectors[0] = handler.deposit.selector;
        selectors[1] = handler.depositLarge.selector;
        selectors[2] = handler.withdraw.selector;
        selectors[3] = handler.placeBuy.selector;
        selectors[4] = handler.placeSell.selector;
        selectors[5] = handler.fill.selector;
        selectors[6] = handler.fillBatch.selector;
        selectors[7] = handler.replayFill.selector;
        selectors[8] = handler.reject.selector;
        selectors[9] = handler.settleDeposits.selector;
        selectors[10] = handler.settleWithdrawals.selector;
        selectors[11] = handler.adjustBuffers.selector;
        selectors[12] = handler.collect.selector;
        selectors[13] = handler.takeBackOrder.selector;
        selectors[14] = handler.takeBackDeposit.selector;
        selectors[15] = handler.takeBackWithdrawal.selector;
        selectors[16] = handler.claimWithdrawal.selector;
        selectors[17] = handler.changeTerms.selector;
        selectors[18] = handler.timePasses.selector;
        selectors[19] = handler.outsiderTries.selector;
        selectors[20] = handler.pauses.selector;
        selectors[21] = handler.takeBackLimit.selector;
        selectors[22] = handler.placeLimitBuy.selector;
        selectors[23] = handler.placeLimitSell.selector;
        selectors[24] = handler.askToCancel.selector;
        selectors[25] = handler.depositStock.selector;
        selectors[26] = handler.withdrawStock.selector;
        selectors[27] = handler.depositAndMarketBuy.selector;
        selectors[28] = handler.depositAndLimitBuy.selector;
        selectors[29] = handler.depositStockAndMarketSell.selector;
        selectors[30] = handler.depositStockAndLimitSell.selector;
        selectors[31] = handler.fillLimit.selector;
        selectors[32] = handler.fillLimitBatch.selector;
        selectors[33] = handler.settleRequestedCancel.selector;
        selectors[34] = handler.rejectLimit.selector;
        selectors[35] = handler.expireLimit.selector;
        selectors[36] = handler.replayLimit.selector;
        selectors[37] = handler.depositSmall.selector;
        selectors[38] = handler.withdrawSmall.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    /// forge-config: default.invariant.runs = 2
    /// forge-config: default.invariant.depth = 800
    /// forge-config: default.invariant.fail-on-revert = true
    /// forge-config: whole.invariant.runs = 64
    /// forge-config: whole.invariant.depth = 800
    /// forge-config: whole.invariant.fail-on-revert = true
    function invariant_everythingIsCoveredAndCounted() public view {
        (uint256 balancesWad, uint256 shares) = handler.sumBalances();
        (uint256 locksWad, uint256 sharesLocked) = handler.sumLocks();
        (uint256 depositTokens, uint256 withdrawalWad) = handler.sumQueued();
        uint256 owedWad = cashier.totalOwedWad();
        (uint128 pendingDeposit, uint128 pendingWithdrawalWad) = cashier.totalPending(venue.usdc);

        vm.assertEq(owedWad, balancesWad + locksWad + withdrawalWad, "mUSD owed is balances, locks and queue");
        vm.assertEq(pendingDeposit, depositTokens, "tokens reserved are the queued deposits");
        vm.assertEq(pendingWithdrawalWad, withdrawalWad, "mUSD queued are the queued withdrawals");
        uint256 held = IERC20(venue.usdc).balanceOf(venue.cashier);
        vm.assertGe(held * 1e12, owedWad + depositTokens * 1e12, "cash held covers balances, locks and queues");
        vm.assertEq(
            IERC20(venue.aapl).balanceOf(venue.stock), shares + sharesLocked, "stock held is balances and locks"
        );
        vm.assertLe(cashier.creditBufferWad(), venue.creditCapacity, "credit buffer within its capacity");
        vm.assertLe(
            cashier.tokenConfig(venue.usdc).withdrawBuffer,
            venue.withdrawCapacity,
            "withdrawal buffer within its capacity"
        );
        uint256 gain = cashier.balanceWad(venue.outsider) + stock.stockBalance(venue.outsider, venue.aapl)
            + IERC20(venue.usdc).balanceOf(venue.outsider) + IERC20(venue.aapl).balanceOf(venue.outsider);
        vm.assertEq(gain, 0, "an outsider gained");
    }

    /// A campaign that only failed to do things would prove nothing: every action has worked, in every run.
    function afterInvariant() public view {
        bytes32[42] memory actions = [
            bytes32("deposit, instant"),
            "deposit, queued",
            "withdraw, instant",
            "withdraw, queued",
            "place, buy",
            "place, sell",
            "fill, buy",
            "fill, sell",
            "fill, batch",
            "close",
            "replayFill",
            "reject",
            "settleDeposits",
            "settleWithdrawals",
            "adjustBuffers",
            "collect",
            "takeBackOrder",
            "takeBackDeposit",
            "takeBackWithdrawal",
            "claimWithdrawal",
            "changeTerms",
            "timePasses",
            "outsiderTries",
            "pauses",
            "takeBackLimit",
            "placeLimit, buy",
            "placeLimit, sell",
            "askToCancel",
            "depositStock",
            "withdrawStock",
            "depositAndMarketBuy",
            "depositAndLimitBuy",
            "depositStockAndMarketSell",
            "depositStockAndLimitSell",
            "fillLimit, buy",
            "fillLimit, sell",
            "fillLimit, batch",
            "settleRequestedCancel",
            "rejectLimit",
            "expireLimit",
            "end, last part",
            "replayLimit"
        ];
        uint256 total;
        for (uint256 i; i < actions.length; ++i) {
            total += handler.successes(actions[i]);
        }
        // Forge also comes here after replaying a shortened failure, where counts mean nothing.
        if (total < FULL_RUN) return;
        for (uint256 i; i < actions.length; ++i) {
            vm.assertGe(handler.successes(actions[i]), MIN_SUCCESSES, string(abi.encodePacked(actions[i])));
        }
    }
}
