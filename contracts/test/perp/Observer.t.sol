// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {NATIVE_TOKEN} from "src/perp/Constants.sol";
import {
    Amm,
    BlockInfo,
    CurveState,
    MinimalPearl,
    OnChainContext,
    Portfolio,
    PriceData,
    PriceFeeder,
    Quotation,
    QuoteState,
    Setting,
    Spacing
} from "src/perp/Types.sol";

contract ObserverTest is PerpFixture {
    function testContextOfAPairAndATrader() public {
        _trade(alice, 2e18, 1000e18);
        _place(alice, 80_200, -1e18, 400e18);
        _add(alice, 2000e18, 0, 1000);
        OnChainContext memory context = observer.fetchOnChainContext(address(instrument), PERP, alice, 1e18);
        vm.assertEq(context.setting.symbol, "BTC-USDC-LINK");
        vm.assertEq(context.setting.quote, address(usd));
        vm.assertEq(keccak256(abi.encode(context.amm)), keccak256(abi.encode(_amm())));
        vm.assertEq(keccak256(abi.encode(context.portfolio)), keccak256(abi.encode(_portfolio(alice))));
        vm.assertEq(keccak256(abi.encode(context.quotation)), keccak256(abi.encode(instrument.inquire(PERP, 1e18))));
        vm.assertEq(context.priceData.markPrice, 3000e18);
        vm.assertEq(context.priceData.feeder1, address(usdFeed));
        vm.assertEq(context.priceData.feeder0UpdatedAt, block.timestamp);
        vm.assertEq(context.quoteState.reserve, _reserve(alice));
        vm.assertEq(context.quoteState.balance, usd.balanceOf(alice));
        vm.assertEq(context.quoteState.allowance, type(uint256).max);
        vm.assertEq(int256(context.spacing.pearl), 1);
        vm.assertEq(int256(context.spacing.order), 1);
        vm.assertEq(int256(context.spacing.range), 50);
        vm.assertEq(uint256(context.blockInfo.timestamp), block.timestamp);
    }

    function testNoTraderAndNoSize() public view {
        OnChainContext memory context = observer.fetchOnChainContext(address(instrument), PERP, address(0), 0);
        vm.assertEq(context.portfolio.oids.length, 0);
        vm.assertEq(context.quotation.mark, 0);
        vm.assertEq(context.quoteState.symbol, "USDC");
    }

    /// A refused price reads 0, with the time that explains it; the rest stays readable.
    function testStaysReadableWhenThePriceIsStale() public {
        btcFeed.setAt(3000e8, block.timestamp - 4000);
        OnChainContext memory context = observer.fetchOnChainContext(address(instrument), PERP, alice, 0);
        vm.assertEq(context.priceData.markPrice + context.priceData.spotPrice, 0);
        vm.assertEq(context.priceData.feeder0UpdatedAt, block.timestamp - 4000);
        vm.assertEq(uint256(context.amm.status), 1);
    }

    /// A feed that gives no answer reads as one without price and time; the pairs beside it read as ever.
    function testStaysReadableWhenAFeedGivesNoAnswer() public {
        address silent = address(_launch("ETH", address(usd), 500_000e18, 2000));
        address[3] memory feeds = [address(new OddFeed("")), address(new OddFeed(hex"01")), makeAddress("no contract")];
        for (uint256 i; i < 3; ++i) {
            (address[] memory targets, PriceFeeder[] memory feeders) = (new address[](1), new PriceFeeder[](1));
            (targets[0], feeders[0]) = (silent, PriceFeeder(1, 1e10, feeds[i], 3600, 1e10, feeds[i], 3600));
            vm.prank(admin);
            market.setFeeder(targets, feeders);
            (address[] memory instruments, uint32[] memory expiries) = (new address[](2), new uint32[](2));
            (instruments[0], instruments[1]) = (silent, address(instrument));
            (expiries[0], expiries[1]) = (PERP, PERP);
            (PriceData[] memory prices,) = observer.getPriceData(instruments, expiries);
            vm.assertEq(prices[0].feeder0, feeds[i]);
            vm.assertEq(prices[0].markPrice + prices[0].spotPrice + prices[0].benchmarkPrice, 0);
            vm.assertEq(prices[0].feeder0UpdatedAt + prices[0].feeder1UpdatedAt, 0);
            vm.assertEq(prices[1].markPrice, 3000e18);
            vm.assertEq(prices[1].feeder0UpdatedAt, block.timestamp);
            OnChainContext memory context = observer.fetchOnChainContext(silent, PERP, alice, 0);
            vm.assertEq(uint256(context.amm.status), 1);
            vm.assertEq(context.quoteState.reserve, _reserve(alice));
        }
    }

    function testDormantPairReads() public view {
        (Setting memory setting, Amm memory amm, PriceData memory prices, Spacing memory spacing,) =
            observer.getInstrument(address(instrument), 1_751_011_200);
        vm.assertEq(setting.gate, address(gate));
        vm.assertEq(uint256(amm.status), 0);
        vm.assertTrue(prices.markPrice > 3000e18, "the benchmark it would start at");
        vm.assertEq(int256(spacing.range), 50);
    }

    function testLists() public view {
        vm.assertEq(observer.getAllInstrumentList()[0], address(instrument));
        (address[] memory instruments, uint32[] memory expiries) = (new address[](1), new uint32[](1));
        (instruments[0], expiries[0]) = (address(instrument), PERP);
        (PriceData[] memory prices,) = observer.getPriceData(instruments, expiries);
        vm.assertEq(prices[0].benchmarkPrice, 3000e18);
        address[] memory quotes = new address[](2);
        (quotes[0], quotes[1]) = (address(usd), NATIVE_TOKEN);
        (QuoteState[] memory states,) = observer.getQuoteStates(alice, quotes);
        vm.assertEq(uint256(states[0].decimals), 6);
        vm.assertEq(states[1].balance, alice.balance);
        vm.assertEq(states[1].symbol, "WETH");
    }

    function testTicksAndRecords() public {
        _place(alice, 80_100, -2e18, 1000e18);
        (CurveState memory curve, int24[] memory tids, MinimalPearl[] memory pearls,) =
            observer.liquidityDetails(address(instrument), PERP, 2100);
        vm.assertEq(int256(curve.tick), 80_067);
        vm.assertEq(tids.length, 3);
        vm.assertEq(int256(tids[1]), 80_100);
        vm.assertEq(int256(pearls[1].left), -2e18);
        vm.assertTrue(pearls[0].liquidityNet > 0 && pearls[2].liquidityNet < 0);
        (, tids,,) = observer.liquidityDetails(address(instrument), PERP, 33);
        vm.assertEq(tids.length, 1);
        (, tids,,) = observer.liquidityDetails(address(instrument), PERP, 32);
        vm.assertEq(tids.length, 0);

        _trade(bob, observer.getBaseSizeByTick(address(instrument), PERP, 80_101), 100_000e18);
        uint24[] memory nonces = new uint24[](1);
        tids = new int24[](1);
        tids[0] = 80_100;
        vm.assertEq(int256(observer.getRecords(address(instrument), PERP, tids, nonces)[0].taken), -2e18);
        vm.assertEq(uint256(observer.getPearls(address(instrument), PERP, tids)[0].nonce), 1);
        (Portfolio memory p,) = observer.getPortfolio(address(instrument), PERP, alice);
        vm.assertEq(p.ordersTaken[0], int256(-2e18));
    }

    /// The size it names moves the price exactly to the tick, through all that lies between.
    function testFuzzSizeToTickLandsThere(int24 seed, uint256 orders) public {
        _add(bob, 20_000e18, 953, 953);
        for (int24 i = 1; i <= 4; ++i) {
            _place(alice, 80_067 + i * 50, -int256(bound(orders >> (32 * uint24(i)), 1e17, 5e18)), 2000e18);
            _place(alice, 80_067 - i * 50, int256(bound(orders >> (40 * uint24(i)), 1e17, 5e18)), 2000e18);
        }
        int24 tick = int24(bound(int256(seed), 79_700, 80_450));
        (int256 size, Quotation memory quotation, BlockInfo memory info) =
            observer.inquireByTick(address(instrument), PERP, tick);
        vm.assertEq(uint256(info.height), block.number);
        vm.assertEq(size == 0, tick == 80_067);
        vm.assertEq(size > 0, tick > 80_067);
        vm.assertEq(int256(quotation.postTick), tick);
        if (size == 0) return;
        _trade(carol, size, 1_000_000e18);
        vm.assertEq(int256(_tick()), tick);
    }

    function testFuzzSizeByQuoteIsNear(uint256 notionalSeed, bool long, uint256 orders) public {
        for (int24 i = 1; i <= 3; ++i) {
            _place(alice, 80_067 + i * 50, -int256(bound(orders >> (32 * uint24(i)), 1e17, 5e18)), 2000e18);
            _place(alice, 80_067 - i * 50, int256(bound(orders >> (40 * uint24(i)), 1e17, 5e18)), 2000e18);
        }
        uint256 notional = bound(notionalSeed, 1e18, 300_000e18);
        (int256 size, Quotation memory quotation,) = observer.inquireByQuote(address(instrument), PERP, notional, long);
        vm.assertEq(size > 0, long);
        vm.assertApproxEqAbs(quotation.entryNotional, notional, notional / 1e12 + 1e4);
        vm.assertEq(
            keccak256(abi.encode(instrument.inquire(PERP, size))), keccak256(abi.encode(quotation)), "one quotation"
        );
    }

    function testMoreThanThereIs() public view {
        int256 all = observer.getBaseSizeByQuote(address(instrument), PERP, 1e40, true);
        vm.assertTrue(all > 0);
        Quotation memory quotation = instrument.inquire(PERP, all);
        vm.assertEq(int256(quotation.postTick), 82_100);
        vm.assertEq(observer.getBaseSizeByTick(address(instrument), PERP, 200_000), all);
        vm.assertEq(
            int256(instrument.inquire(PERP, observer.getBaseSizeByTick(address(instrument), PERP, 0)).postTick), 78_050
        );
    }

    function testDeepestPairAmongFactories() public {
        (address pair,,) = observer.inspectMaxReserveDexV2Pair(address(usd), address(weth));
        vm.assertEq(pair, address(0));
        DexStub small = new DexStub(address(usd), 10, 20);
        DexStub large = new DexStub(address(weth), 30, 15);
        DexStub registry = new DexStub(address(0), 0, 0);
        registry.list(address(small), address(large));
        vm.prank(admin);
        config.setMarketInfo("DEXV2", address(registry), address(beacon));
        uint112 reserve0;
        uint112 reserve1;
        (pair, reserve0, reserve1) = observer.inspectMaxReserveDexV2Pair(address(usd), address(weth));
        vm.assertEq(pair, address(large));
        vm.assertEq(uint256(reserve0), 30);
        vm.assertEq(uint256(reserve1), 15);
    }
}

/// Answers every call with the same bytes, or reverts where there are none.
contract OddFeed {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        if (_answer.length == 0) revert("no answer");
        return _answer;
    }
}

/// Market, factory and pair of a constant-product exchange in one.
contract DexStub {
    address public token0;
    uint112 private _reserve0;
    uint112 private _reserve1;
    address[] private _factories;

    constructor(address token0_, uint112 reserve0, uint112 reserve1) {
        (token0, _reserve0, _reserve1) = (token0_, reserve0, reserve1);
    }

    function list(address a, address b) external {
        _factories.push(a);
        _factories.push(b);
    }

    function getDexV2Factories() external view returns (address[] memory) {
        return _factories;
    }

    function getPair(address, address) external view returns (address) {
        return address(this);
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (_reserve0, _reserve1, 0);
    }
}
