// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockPerpFixture} from "./StockPerpFixture.sol";
import {Words} from "./Words.sol";
import {PriceData} from "src/perp/Types.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {ICexMarket} from "src/perp/interfaces/IMarket.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";

/// A perpetual on a stock: no trades and no margin out while its market is closed, a defined reopening.
contract StockMarketTest is StockPerpFixture {
    function _refuseAll() private {
        bytes memory reason = abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(feeder));
        bytes[7] memory calls = _everyAction();
        for (uint256 i; i < calls.length; ++i) {
            _refuse(alice, reason, calls[i]);
        }
        _refuse(bob, reason, _addCall(10_000e18, 1000, 1000));
        _refuse(bob, reason, _liquidateCall(alice, 10e18, 5000e18));
        _refuse(bob, reason, _sweepCall(alice, -10e18));
        _refuse(alice, reason, _tradeCall(0, -1e18, 0, 0));
    }

    function testNothingWhileClosed() public {
        _publish(3000e8, time, 0);
        _refuseAll();
        // The reserve is the user's own all the time.
        uint256 reserve = _reserve(alice);
        vm.prank(alice);
        gate.withdraw(Words.token(address(usd), reserve));
    }

    /// A guardian has frozen the feed: as while it is closed, and readers see neither price nor time, nor an error.
    function testNothingWhileTheFeedIsFrozen() public {
        vm.assertTrue(!feeder.isFrozen(), "not yet");
        vm.prank(admin);
        oracle.freezeFeed(SPX);
        vm.assertTrue(feeder.isFrozen(), "frozen");
        _refuseAll();
        _readsWithoutPrice();
        vm.prank(admin);
        oracle.unfreezeFeed(SPX);
        vm.assertTrue(!feeder.isFrozen(), "released");
        vm.assertEq(_priceData().feeder0UpdatedAt, time);
        _trade(alice, 1e18, 1000e18);
    }

    /// An emptied feed, which is one that was never published, reads the same until the next price.
    function testNothingBeforeTheFirstPrice() public {
        vm.prank(admin);
        oracle.resetFeed(SPX);
        vm.expectRevert(IStockOracle.UnknownPriceId.selector);
        oracle.latestPrice(SPX);
        _refuseAll();
        _readsWithoutPrice();
        vm.assertTrue(!feeder.isFrozen(), "no price is not frozen");
        _publish(3010e8, time, 2);
        vm.assertEq(_priceData().markPrice, 3010e18);
        _trade(alice, 1e18, 1000e18);
    }

    function _priceData() private view returns (PriceData memory) {
        return observer.fetchOnChainContext(address(instrument), PERP, alice, 0).priceData;
    }

    function _readsWithoutPrice() private view {
        (uint80 round, int256 answer, uint256 startedAt, uint256 updatedAt,) = feeder.latestRoundData();
        vm.assertEq(uint256(round) + uint256(answer) + startedAt + updatedAt, 0);
        PriceData memory prices = _priceData();
        vm.assertEq(prices.markPrice + prices.spotPrice + prices.benchmarkPrice + prices.feeder0UpdatedAt, 0);
        vm.assertEq(prices.feeder0, address(feeder));
    }

    /// A price that its source made long ago does not get younger by being published again.
    function testThePriceIsAsOldAsItsSource() public {
        time += HEART_BEAT;
        vm.warp(time);
        _publish(3000e8, START, 2);
        _trade(bob, 1e18, 1000e18);
        time += 1;
        vm.warp(time);
        _publish(3000e8, START, 2);
        _refuseAll();
    }

    /// A week-end and a gap of 8 %: funding is charged for one hour of it, accounts below their margin can be liquidated at
    /// once, margin leaves and orders rest only after trades have brought the price near.
    function testReopening() public {
        time += 50 hours;
        vm.warp(time);
        _publish(3260e8, time, 2);
        uint256 fair = uint256(instrument.inquire(PERP, 0).mark);
        vm.assertEq(fair, 3260e18);
        int256 before = _amm().longFundingIndex;
        instrument.update(PERP);
        int256 hourly = _amm().longFundingIndex - before;
        // Shorts pay: the gap of an hour, a twenty-fourth, shared by twice as many longs.
        vm.assertTrue(hourly > 0 && hourly < int256(260e18) / 24);
        vm.assertEq(uint256(_amm().timestamp), time);
        instrument.update(PERP);
        vm.assertEq(_amm().longFundingIndex - before, hourly, "once");

        _publish(3400e8, time, 2);
        _refuse(bob, Errors.FairDeviation.selector, _addCall(10_000e18, 1000, 1000));
        _refuse(alice, Errors.ForbidNegativeAdjust.selector, _tradeCall(0, -1e18, 0, 0));
        _trade(bob, observer.getBaseSizeByTick(address(instrument), PERP, _tickOf(3400e18)), 500_000e18);
        _add(bob, 10_000e18, 1000, 1000);
    }

    /// While it trades, a silence counts whole up to an hour.
    function testAnOpenMarketIsChargedInFull() public {
        time += 1 hours;
        vm.warp(time);
        _publish(2990e8, time, 2);
        uint256 fair = _fair();
        instrument.update(PERP);
        int256 delta = int256((fair - 2990e18 + 12) / 24);
        vm.assertTrue(_amm().longFundingIndex >= -delta - 1 && _amm().longFundingIndex <= -delta + 1);
    }

    function _fair() private view returns (uint256) {
        uint256 sqrtPX96 = _amm().sqrtPX96;
        return ((sqrtPX96 * sqrtPX96 >> 96) * 1e18 >> 96) + 1;
    }
}
