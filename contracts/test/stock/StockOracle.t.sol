// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {StockFixture} from "./StockFixture.sol";
import {StockOracle} from "src/stock/StockOracle.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";

contract StockOracleTest is StockFixture {
    bytes32 private constant ID = keccak256("SPX");

    function test_publish_keepsAndEmitsEverything() public {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](2);
        updates[0] = IStockOracle.PriceUpdate(ID, 340.155e8, 340.11e8, 340.2e8, 946_684_800, 2);
        updates[1] = IStockOracle.PriceUpdate(AAPL_ID, 341e8, 0, 0, uint64(START + 5), 4);
        vm.warp(START + 10);
        vm.expectEmit(address(oracle));
        emit IStockOracle.PricePublished(ID, 1, 340.155e8, 340.11e8, 340.2e8, 946_684_800, uint64(START + 10), 2);
        vm.expectEmit(address(oracle));
        emit IStockOracle.PricePublished(AAPL_ID, 2, 341e8, 0, 0, uint64(START + 5), uint64(START + 10), 4);
        vm.prank(publisher);
        oracle.publish(updates);
        IStockOracle.PriceData memory data = oracle.latestPrice(ID);
        vm.assertEq(int256(data.price), 340.155e8);
        vm.assertEq(int256(data.bestBid), 340.11e8);
        vm.assertEq(int256(data.bestAsk), 340.2e8);
        vm.assertEq(data.feedUpdateTimestamp, 946_684_800);
        vm.assertEq(data.publishedAt, START + 10);
        vm.assertEq(data.roundId, 1);
        vm.assertEq(data.session, 2);
    }

    function test_publish_sourceTimeMayStandButNotGoBack() public {
        _publish(340e8, 0, 0, 100, 2);
        _publish(340e8, 0, 0, 100, 2);
        vm.assertEq(oracle.latestPrice(ID).roundId, 2);
        vm.expectRevert(IStockOracle.FeedTimestampNotMonotonic.selector);
        _publish(340e8, 0, 0, 99, 2);
    }

    function test_publish_refusals() public {
        vm.expectRevert(IStockOracle.InvalidPrice.selector);
        _publish(0, 0, 0, 1, 2);
        vm.expectRevert(IStockOracle.InvalidPrice.selector);
        _publish(-1, 0, 0, 1, 2);
        vm.expectRevert(IStockOracle.InvalidPrice.selector);
        _publish(1, -1, 0, 1, 2);
        vm.expectRevert(IStockOracle.InvalidPrice.selector);
        _publish(1, 0, -1, 1, 2);
        vm.expectRevert(IStockOracle.InvalidPrice.selector);
        _publish(1, 3, 2, 1, 2);
        vm.expectRevert(IStockOracle.InvalidSession.selector);
        _publish(1, 2, 2, 1, 5);
        vm.expectRevert(roleError(outsider, oracle.PUBLISHER_ROLE()));
        vm.prank(outsider);
        oracle.publish(new IStockOracle.PriceUpdate[](0));
    }

    function test_latestPrice_unknownIdReverts() public {
        vm.expectRevert(IStockOracle.UnknownPriceId.selector);
        oracle.latestPrice(ID);
    }

    function test_publish_sourceTimeMayLeadByABoundOnly() public {
        uint64 farthest = uint64(block.timestamp) + oracle.MAX_LEAD_SEC();
        vm.expectRevert(abi.encodeWithSelector(IStockOracle.FeedTimestampAhead.selector, farthest + 1));
        _publish(340e8, 0, 0, farthest + 1, 2);
        _publish(340e8, 0, 0, farthest, 2);
        vm.assertEq(oracle.latestPrice(ID).feedUpdateTimestamp, farthest);
        // Once the clock has come there, the feed goes on by itself.
        vm.warp(farthest + 1);
        _publish(341e8, 0, 0, farthest + 1, 2);
    }

    function test_freeze_stopsOneFeedUntilTheAdministratorReleasesIt() public {
        _publish(340e8, 0, 0, 100, 2);
        bytes32 role = oracle.GUARDIAN_ROLE();
        vm.expectRevert(roleError(publisher, role));
        vm.prank(publisher);
        oracle.freezeFeed(ID);
        vm.expectEmit(address(oracle));
        emit IStockOracle.FeedFreezeUpdated(ID, true);
        vm.prank(guardian);
        oracle.freezeFeed(ID);
        vm.assertTrue(oracle.isFrozen(ID));
        vm.expectRevert(abi.encodeWithSelector(IStockOracle.FeedFrozen.selector, ID));
        oracle.latestPrice(ID);
        // The others of a publication are taken.
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](2);
        updates[0] = IStockOracle.PriceUpdate(ID, 1e8, 0, 0, 101, 2);
        updates[1] = IStockOracle.PriceUpdate(AAPL_ID, 341e8, 0, 0, uint64(START), 2);
        vm.expectEmit(address(oracle));
        emit IStockOracle.PublicationSkipped(ID);
        vm.prank(publisher);
        oracle.publish(updates);
        vm.assertEq(int256(oracle.latestPrice(AAPL_ID).price), 341e8);
        vm.recordLogs();
        vm.prank(guardian);
        oracle.freezeFeed(ID);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        vm.expectRevert(roleError(guardian, bytes32(0)));
        vm.prank(guardian);
        oracle.unfreezeFeed(ID);
        vm.prank(admin);
        oracle.unfreezeFeed(ID);
        vm.assertEq(int256(oracle.latestPrice(ID).price), 340e8);
        vm.assertEq(oracle.latestPrice(ID).roundId, 1);
    }

    function test_dayEnds_areTimesOfTheChain() public {
        uint8[7] memory sessions = [1, 2, 3, 4, 1, 3, 0];
        for (uint256 i; i < sessions.length; ++i) {
            vm.warp(START + i * 1 hours);
            _publish(340e8, 0, 0, uint64(START), sessions[i]);
        }
        vm.assertEq(oracle.latestPrice(ID).dayEndedAt, START + 6 hours);
        vm.assertEq(oracle.latestPrice(ID).previousDayEndedAt, START + 3 hours);
        vm.prank(guardian);
        oracle.resetFeed(ID);
        _publish(340e8, 0, 0, uint64(START), 4);
        vm.assertEq(oracle.latestPrice(ID).dayEndedAt, START + 6 hours);
        vm.assertEq(oracle.latestPrice(ID).previousDayEndedAt, START + 3 hours);
    }

    /// Whatever of a day is published last ends with what is not of it.
    function test_dayEnds_afterAnyOfItsSessions() public {
        uint8[6] memory sessions = [1, 0, 2, 4, 3, 0];
        for (uint256 i; i < sessions.length; ++i) {
            vm.warp(START + i * 1 hours);
            _publish(340e8, 0, 0, uint64(START), sessions[i]);
            if (i % 2 == 1) vm.assertEq(oracle.latestPrice(ID).dayEndedAt, START + i * 1 hours);
        }
    }

    function test_resetFeed_letsItStartAgain() public {
        _publish(340e8, 0, 0, uint64(block.timestamp) + 200, 2);
        bytes32 role = oracle.GUARDIAN_ROLE();
        vm.expectRevert(roleError(publisher, role));
        vm.prank(publisher);
        oracle.resetFeed(ID);
        vm.expectEmit(address(oracle));
        emit IStockOracle.FeedReset(ID);
        vm.prank(guardian);
        oracle.resetFeed(ID);
        vm.expectRevert(IStockOracle.UnknownPriceId.selector);
        oracle.latestPrice(ID);
        vm.expectRevert(IStockOracle.UnknownPriceId.selector);
        vm.prank(admin);
        oracle.resetFeed(ID);
        _publish(340e8, 0, 0, 100, 2);
        vm.assertEq(oracle.latestPrice(ID).roundId, 2);
    }

    function test_initialize() public {
        address implementation = deployCode("StockOracle.sol:StockOracle", "");
        vm.expectRevert(bytes4(keccak256("InvalidInitialization()")));
        StockOracle(implementation).initialize(admin);
        vm.expectRevert(IStockOracle.AddressCannotBeZero.selector);
        proxy(implementation, abi.encodeCall(StockOracle.initialize, (address(0))));
        vm.expectRevert(roleError(publisher, bytes32(0)));
        vm.prank(publisher);
        oracle.upgradeToAndCall(implementation, "");
        vm.prank(admin);
        oracle.upgradeToAndCall(implementation, "");
        vm.assertEq(int256(oracle.latestPrice(AAPL_ID).price), 340e8);
    }

    function _publish(int128 price, int128 bid, int128 ask, uint64 feedTime, uint8 session) private {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] = IStockOracle.PriceUpdate(ID, price, bid, ask, feedTime, session);
        vm.prank(publisher);
        oracle.publish(updates);
    }
}
