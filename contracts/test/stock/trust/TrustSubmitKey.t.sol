// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TrustFixture} from "./TrustFixture.sol";
import {IOneClickRouter} from "src/delegation/interfaces/IOneClickRouter.sol";
import {IStock} from "src/stock/interfaces/IStock.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";

/// The submit key in a thief's hands (docs/trust-model.md, "submit"), alone and together with the settle key.
contract TrustSubmitKeyTest is TrustFixture {
    uint256 private constant STEP = 15 minutes;
    uint256 private constant WITHDRAW_FEE_PPM = 2100;

    function test_submitKey_roundsOfFees_withinAnHour() public {
        _expectFees(1 hours);
    }

    function test_submitKey_roundsOfFees_withinADay() public {
        _expectFees(1 days);
    }

    function test_submitKey_roundsOfFees_withinTheTimelocksDelay() public {
        _expectFees(DELAY);
    }

    /// Nothing that the key can call pays anybody but the user, and nothing else is listed.
    function test_submitKey_paysNobodyElse() public {
        (bool done,) = submit(abi.encodeCall(router.withdraw, (address(usdc), 1000e18)));
        vm.assertTrue(done);
        vm.assertEq(usdc.balanceOf(submitter), 0);
        vm.assertEq(usdc.balanceOf(victim), 997.9e6);
        (done,) = submit(abi.encodeWithSignature("grantRole(bytes32,address)", bytes32(0), submitter));
        vm.assertFalse(done);
    }

    function test_submitKey_nothingAfterTheDelegationsEnd() public {
        wait_(DELEGATION);
        (bool done, bytes memory answer) = submit(abi.encodeCall(router.withdraw, (address(usdc), 1e18)));
        vm.assertFalse(done);
        vm.assertEq(answer, abi.encodeWithSelector(IOneClickRouter.DelegationEnded.selector, START + DELEGATION));
        vm.assertEq(oneClick.delegateOf(victim), address(0));
        delegate();
        (done,) = submit(abi.encodeCall(router.withdraw, (address(usdc), 1e18)));
        vm.assertTrue(done, "renewed by a signature");
    }

    /// The user's own transaction sets the amount, at once, and the key cannot.
    function test_submitKey_daysAmountIsTheUsersOwn() public {
        vm.prank(victim);
        oneClick.setDailyAmount(50e18);
        _expectRefused(abi.encodeCall(router.withdraw, (address(usdc), 50e18 + 1)), 50e18 + 1, 50e18);
        (bool done,) = submit(abi.encodeCall(router.withdraw, (address(usdc), 50e18)));
        vm.assertTrue(done);
        _expectRefused(abi.encodeCall(router.withdraw, (address(usdc), 1e18)), 1e18, 0);
        vm.prank(submitter);
        oneClick.setDailyAmount(type(uint96).max);
        _expectRefused(abi.encodeCall(router.withdraw, (address(usdc), 1e18)), 1e18, 0);
        vm.prank(victim);
        oneClick.useDefaultDailyAmount();
        vm.assertEq(oneClick.availableAmount(victim), DAILY_AMOUNT - 50e18);
    }

    /// An order counts what it may cost: a sell at the oracle's price at least, however low its limit.
    function test_submitKey_everyOrderCounts() public {
        _expectRefused(abi.encodeCall(router.placeMarketOrder, (address(aapl), 10_001e18, FAR)), 10_001e18, 10_000e18);
        _expectRefused(
            abi.encodeCall(router.placeLimitOrder, (address(aapl), -30e18, 1, 0, FAR)), 10_200e18, DAILY_AMOUNT
        );
        _expectRefused(
            abi.encodeCall(router.placeLimitOrder, (address(aapl), 1e18, 10_001e18, 0, FAR)), 10_001e18, DAILY_AMOUNT
        );
        (bool done,) = submit(abi.encodeCall(router.placeLimitOrder, (address(aapl), 1e18, 10_000e18, 0, FAR)));
        vm.assertTrue(done);
        vm.assertEq(oneClick.availableAmount(victim), 0);
    }

    /// Where the worth of a sell is not known it is refused; the user's own wallet is free.
    function test_submitKey_sellsNothingWhileTheFeedIsFrozen() public {
        vm.prank(guardian);
        oracle.freezeFeed(AAPL_ID);
        (bool done, bytes memory answer) = submit(abi.encodeCall(router.placeMarketOrder, (address(aapl), -1e18, FAR)));
        vm.assertFalse(done);
        vm.assertEq(answer, abi.encodeWithSelector(IStockOracle.FeedFrozen.selector, AAPL_ID));
    }

    /// Both keys, which production keeps apart: absurd limit orders filled against the thief's own cost the user no more than
    /// the band on a day's amount.
    function test_submitAndSettleKeys_absurdLimitOrders_withinAnHour() public {
        _expectBand(1 hours);
    }

    function test_submitAndSettleKeys_absurdLimitOrders_withinADay() public {
        _expectBand(1 days);
    }

    // --- inside ---

    /// Withdraws and deposits again what the amount leaves, round after round.
    function _expectFees(uint256 span) private {
        vm.prank(victim);
        usdc.approve(address(router), type(uint256).max);
        uint256 before = worth(victim);
        uint256 end = time + span;
        uint256 rounds;
        while (true) {
            _round(oneClick.availableAmount(victim));
            ++rounds;
            if (time == end) break;
            wait_(time + STEP < end ? STEP : end - time);
        }
        uint256 used = DAILY_AMOUNT + DAILY_AMOUNT * span / 1 days;
        uint256 lost = before - worth(victim);
        // A withdrawal is rounded to the token's unit.
        vm.assertLe(lost, used * WITHDRAW_FEE_PPM / 1e6 + rounds * 1e12, "more than the table says");
        vm.assertGe(lost, used * WITHDRAW_FEE_PPM / 1e6 * 97 / 100, "the bound is that of the amount, not of the test");
    }

    function _round(uint256 amountWad) private {
        (bool done,) = submit(abi.encodeCall(router.withdraw, (address(usdc), uint96(amountWad))));
        vm.assertTrue(done, "a round was refused");
        (done,) = submit(abi.encodeCall(router.withdraw, (address(usdc), 1e12 * 2)));
        vm.assertFalse(done, "beyond the amount");
        // The honest settler pays what was queued.
        bytes32[] memory queued = ids(_lastCashId());
        vm.prank(settler);
        cashier.batchSettleWithdraw(queued);
    }

    function _lastCashId() private view returns (bytes32) {
        uint96 tail =
            uint96(uint256(keccak256(abi.encode(block.chainid, address(cashier), victim, cashier.operationCounter()))));
        return bytes32((uint256(uint160(victim)) << 96) | tail);
    }

    function _expectBand(uint256 span) private {
        uint256 end = time + span;
        uint256 before = worth(victim);
        while (true) {
            _absurdRound(AAPL_PRICE * 120 / 100);
            if (time == end) break;
            wait_(time + STEP < end ? STEP : end - time);
        }
        uint256 used = DAILY_AMOUNT + DAILY_AMOUNT * span / 1 days;
        vm.assertLe(before - worth(victim), used * 2011 / 10_000, "the band and the fees on what may be spent");
    }

    /// A limit far above the market for all that the amount leaves, filled as badly as the band lets it.
    function _absurdRound(uint96 worst) private {
        uint96 quantity = uint96(oneClick.availableAmount(victim) * 1e18 / (uint256(worst) * 10));
        (bool done, bytes memory answer) =
            submit(abi.encodeCall(router.placeLimitOrder, (address(aapl), int96(quantity), worst * 10, 0, FAR)));
        vm.assertTrue(done);
        bytes32 orderId = abi.decode(abi.decode(answer, (bytes)), (bytes32));
        IStock.Fill[] memory list = fills(orderId, 0, quantity, worst + 1, false);
        vm.expectRevert(
            abi.encodeWithSelector(
                IStock.FillPriceOutsideBand.selector, orderId, uint256(worst) + 1, uint256(AAPL_PRICE)
            )
        );
        settleLimits(list);
        list[0].price = worst;
        vm.assertEq(settleLimits(list), 1);
    }

    function _expectRefused(bytes memory data, uint256 spendWad, uint256 availableWad) private {
        (bool done, bytes memory answer) = submit(data);
        vm.assertFalse(done);
        vm.assertEq(
            answer, abi.encodeWithSelector(IOneClickRouter.DailyAmountExceeded.selector, spendWad, availableWad)
        );
    }
}
