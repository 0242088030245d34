// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {TestFeed, TestToken} from "./mocks/Mocks.sol";
import {CexAccState, FeederType, PriceFeeder, Status} from "src/perp/Types.sol";
import {IInstrumentErrors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {ICexMarket, IMarket} from "src/perp/interfaces/IMarket.sol";
import {Wad} from "src/perp/maths/Wad.sol";

contract CexMarketTest is PerpFixture {
    function _friday(uint256 weeks_) private view returns (uint32) {
        return uint32(32 hours + ((block.timestamp - 32 hours) / 1 weeks + weeks_) * 1 weeks);
    }

    function testQuotientOfTwoFeeds() public {
        usdFeed.set(0.9997e8);
        vm.assertEq(market.getSpotPrice(address(instrument)), Wad.div(3000e18, 0.9997e18));
    }

    function testSingleFeed() public {
        _setFeeder(PriceFeeder(1, 0, address(btcFeed), 60, 0, address(0), 0));
        vm.assertEq(market.getSpotPrice(address(instrument)), 3000e18);
        (, uint64 scaler0,,, uint64 scaler1,,) = market.feeders(address(instrument));
        vm.assertEq(uint256(scaler0), 1e10);
        vm.assertEq(uint256(scaler1), 0);
    }

    function testHeartBeatsOfBothFeeds() public {
        btcFeed.setAt(3000e8, block.timestamp - 3600);
        vm.assertEq(market.getSpotPrice(address(instrument)), 3000e18);
        btcFeed.setAt(3000e8, block.timestamp - 3601);
        vm.expectRevert(abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(btcFeed)));
        market.getSpotPrice(address(instrument));
        btcFeed.setAt(3000e8, block.timestamp + 3601);
        vm.expectRevert(abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(btcFeed)));
        market.getSpotPrice(address(instrument));
        btcFeed.set(3000e8);
        usdFeed.setAt(1e8, block.timestamp - 3601);
        vm.expectRevert(abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(usdFeed)));
        market.getSpotPrice(address(instrument));
        usdFeed.set(0);
        vm.expectRevert(abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(usdFeed)));
        market.getSpotPrice(address(instrument));
        usdFeed.set(-1);
        vm.expectRevert(abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(usdFeed)));
        market.getSpotPrice(address(instrument));
    }

    /// Each feed has decimals and a heart beat of its own.
    function testFeedsThatDiffer() public {
        TestFeed other = new TestFeed(18, 0.5e18);
        _setFeeder(PriceFeeder(1, 0, address(btcFeed), 3600, 0, address(other), 60));
        (, uint64 scaler0,, uint24 heartBeat0, uint64 scaler1,, uint24 heartBeat1) = market.feeders(address(instrument));
        vm.assertEq(uint256(scaler0), 1e10);
        vm.assertEq(uint256(scaler1), 1);
        vm.assertEq(uint256(heartBeat0), 3600);
        vm.assertEq(uint256(heartBeat1), 60);
        btcFeed.setAt(3000e8, block.timestamp - 3600);
        other.setAt(0.5e18, block.timestamp - 60);
        vm.assertEq(market.getSpotPrice(address(instrument)), 6000e18);
        other.setAt(0.5e18, block.timestamp - 61);
        vm.expectRevert(abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(other)));
        market.getSpotPrice(address(instrument));
        // The other way round.
        _setFeeder(PriceFeeder(1, 0, address(other), 60, 0, address(btcFeed), 3600));
        other.setAt(6000e18, block.timestamp - 60);
        vm.assertEq(market.getSpotPrice(address(instrument)), 2e18);
    }

    function _setFeeder(PriceFeeder memory feeder) private {
        (address[] memory targets, PriceFeeder[] memory feeders) = (new address[](1), new PriceFeeder[](1));
        (targets[0], feeders[0]) = (address(instrument), feeder);
        vm.prank(admin);
        market.setFeeder(targets, feeders);
    }

    function testSetFeederRefusals() public {
        (address[] memory targets, PriceFeeder[] memory feeders) = (new address[](1), new PriceFeeder[](1));
        vm.expectRevert(IMarket.NotSynFuturesV3Admin.selector);
        market.setFeeder(targets, feeders);
        vm.startPrank(admin);
        vm.expectRevert(ICexMarket.CexNoFeeder.selector);
        market.setFeeder(targets, feeders);
        vm.expectRevert(IMarket.LengthMismatch.selector);
        market.setFeeder(targets, new PriceFeeder[](2));
        feeders[0].aggregator0 = address(new TestFeed(19, 1));
        vm.expectRevert(IMarket.DecimalsExceed.selector);
        market.setFeeder(targets, feeders);
        vm.expectRevert(ICexMarket.CexNoFeeder.selector);
        market.getSpotPrice(alice);
    }

    function testPrepareInstrumentIsGates() public {
        vm.expectRevert(IMarket.NotGate.selector);
        market.prepareInstrument(address(1), abi.encode("X", address(usd)));
    }

    function testQuotesMustTellTheirMetadata() public {
        address eoa = address(new Silent());
        _supportQuote(eoa);
        _setFeeder(address(7), 60);
        vm.prank(address(gate));
        vm.expectRevert(abi.encodeWithSelector(IMarket.GetErc20DecimalsFailed.selector, eoa));
        market.prepareInstrument(address(7), abi.encode("X", eoa));
        address deep = address(new TestToken("DEEP", 19));
        _supportQuote(deep);
        vm.prank(address(gate));
        vm.expectRevert(IMarket.DecimalsExceed.selector);
        market.prepareInstrument(address(7), abi.encode("X", deep));
        vm.mockCall(deep, abi.encodeWithSignature("decimals()"), abi.encode(6));
        vm.etch(deep, address(new Nameless()).code);
        vm.prank(address(gate));
        vm.expectRevert(abi.encodeWithSelector(IMarket.GetErc20SymbolFailed.selector, deep));
        market.prepareInstrument(address(7), abi.encode("X", deep));
    }

    function testCarryOfDatedPairs() public view {
        uint32 expiry = _friday(2);
        uint256 daysLeft = (expiry - block.timestamp) / 1 days + 1;
        vm.assertEq(market.getBenchmarkPrice(address(instrument), expiry), 3000e18 + 0.9e18 * daysLeft);
        vm.assertEq(market.getBenchmarkPrice(address(instrument), PERP), 3000e18);
    }

    function testCarryFallsWhenTheBaseIsStable() public {
        _setFeeder(PriceFeeder(2, 0, address(btcFeed), 60, 0, address(0), 0));
        uint32 expiry = _friday(2);
        uint256 daysLeft = (expiry - block.timestamp) / 1 days + 1;
        vm.assertEq(market.getBenchmarkPrice(address(instrument), expiry), 3000e18 - 0.9e18 * daysLeft);
    }

    /// With neither side stable, or both, there is no interest to expect.
    function testNoCarryOfOtherFeeds() public {
        uint8[2] memory types = [uint8(FeederType.NONE_STABLE), uint8(FeederType.BOTH_STABLE)];
        for (uint256 i; i < 2; ++i) {
            _setFeeder(PriceFeeder(types[i], 0, address(btcFeed), 60, 0, address(0), 0));
            vm.assertEq(market.getBenchmarkPrice(address(instrument), _friday(2)), 3000e18);
        }
    }

    function testMarkOfAnUnfitStatus() public {
        vm.expectRevert(IMarket.WrongStatusToFetchMarkPrice.selector);
        market.getMarkPrice(address(instrument), PERP, uint8(Status.SETTLED));
    }

    /// A dated pair from its first range to its settlement price.
    function testDatedPairSettlesAtTheAverage() public {
        uint32 expiry = _friday(1);
        vm.prank(maker);
        instrument.add(Words.add(expiry, 500_000e18, 0, 2000, ANY_LOW, ANY_HIGH, 0));
        vm.assertEq(instrument.getExpiries().length, 2);
        _tradeOn(expiry, alice, 1e18, 1000e18);
        vm.expectRevert(IInstrumentErrors.BadAmmTiming.selector);
        instrument.update(expiry);

        vm.warp(expiry - 1800);
        instrument.update(expiry);
        vm.assertEq(uint256(instrument.getAmm(expiry).status), uint8(Status.SETTLING));
        vm.assertEq(uint256(instrument.getAmm(expiry).timestamp), expiry - 1800);
        CexAccState memory state = market.getAccState(address(instrument), expiry);
        vm.assertEq(uint256(state.initMark), 3000.9e18, "starts from the benchmark");

        vm.warp(expiry - 900);
        btcFeed.set(3100e8);
        uint256 seen = market.getMarkPrice(address(instrument), expiry, uint8(Status.SETTLING));
        vm.assertEq(seen, (uint256(3000.9e18) + 3000e18) / 2);
        _tradeOn(expiry, alice, -0.5e18, 0);
        vm.warp(expiry + 100);
        instrument.update(expiry);
        vm.assertEq(uint256(instrument.getAmm(expiry).status), uint8(Status.SETTLED));
        vm.assertEq(uint256(instrument.getAmm(expiry).settlementPrice), 3050e18, "half at 3000, half at 3100");

        vm.expectRevert(IInstrumentErrors.BadAmmStatus.selector);
        instrument.update(expiry);
        vm.prank(alice);
        vm.expectRevert(IInstrumentErrors.NotTradeable.selector);
        instrument.trade(Words.trade(expiry, 1e18, 1000e18, 443_636, 0));
        vm.prank(alice);
        vm.expectRevert(IInstrumentErrors.BadAmmStatus.selector);
        instrument.add(Words.add(expiry, 5000e18, 0, 1000, ANY_LOW, ANY_HIGH, 0));
    }

    function testDatedPairPaysNoFunding() public {
        uint32 expiry = _friday(2);
        vm.prank(maker);
        instrument.add(Words.add(expiry, 500_000e18, 0, 2000, ANY_LOW, ANY_HIGH, 0));
        _tradeOn(expiry, alice, 10e18, 10_000e18);
        vm.warp(block.timestamp + 1 days);
        _tradeOn(expiry, alice, 1e18, 1000e18);
        vm.assertEq(int256(instrument.getAmm(expiry).longFundingIndex), 0);
    }

    function testForgetsADeletedPair() public {
        uint32 expiry = _friday(1);
        vm.warp(expiry - 1000);
        vm.startPrank(address(instrument));
        market.markPrice(expiry, uint8(Status.SETTLING));
        vm.assertTrue(market.getAccState(address(instrument), expiry).initTime != 0);
        market.clearStates(expiry);
        vm.assertEq(uint256(market.getAccState(address(instrument), expiry).initTime), 0);
    }
}

contract Silent {}

contract Nameless {
    function decimals() external pure returns (uint8) {
        return 6;
    }
}
