// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Words} from "./Words.sol";
import {TestFeed, TestToken} from "./mocks/Mocks.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {WETH} from "solady/tokens/WETH.sol";
import {Beacon} from "src/perp/Beacon.sol";
import {LinkMarket} from "src/perp/CexMarket.sol";
import {Config} from "src/perp/Config.sol";
import {MAX_TICK, MIN_TICK, PERP_EXPIRY} from "src/perp/Constants.sol";
import {Gate} from "src/perp/Gate.sol";
import {Instrument} from "src/perp/Instrument.sol";
import {Observer} from "src/perp/Observer.sol";
import {Amm, Order, Pearl, Portfolio, PositionCache, PriceFeeder, QuoteParam, Range, Record} from "src/perp/Types.sol";
import {TestBase} from "test/TestBase.sol";

/// A whole protocol on a fresh chain, with one live perpetual: BTC against a token of six decimals at 3000, quoted by
/// two feeds, ten times leverage, 30 basis points trading and 10 protocol fee.
abstract contract PerpFixture is TestBase {
    uint32 internal constant PERP = PERP_EXPIRY;
    int24 internal constant ANY_LOW = type(int24).min;
    int24 internal constant ANY_HIGH = type(int24).max;
    uint256 internal constant START = 1_750_000_000;

    address internal admin = makeAddress("admin");
    address internal guardian = makeAddress("guardian");
    address internal handler = makeAddress("handler");
    address internal alice = makeAddress("alice");
    address internal bob = makeAddress("bob");
    address internal carol = makeAddress("carol");
    address internal maker = makeAddress("maker");

    WETH internal weth;
    TestToken internal usd;
    TestFeed internal btcFeed;
    TestFeed internal usdFeed;
    Config internal config;
    Gate internal gate;
    Beacon internal beacon;
    LinkMarket internal market;
    Observer internal observer;
    Instrument internal instrument;

    function setUp() public virtual {
        vm.warp(START);
        _deployCore();
        usd = TestToken(deployCode("Mocks.sol:TestToken", abi.encode("USDC", 6)));
        _supportQuote(address(usd));
        address[4] memory accounts = [alice, bob, carol, maker];
        for (uint256 i; i < 4; ++i) {
            _fund(accounts[i], 10_000_000e6);
        }
        instrument = _launch("BTC", address(usd), 500_000e18, 2000);
    }

    function _deployCore() internal {
        weth = WETH(payable(deployCode("WETH.sol:WETH", "")));
        _deployCoreWith(Config(_proxy(deployCode("Config.sol:Config", ""), abi.encodeCall(Config.initialize, (admin)))));
    }

    /// Everything but Config, with the handler as it is set.
    function _deployCoreWith(Config config_) internal {
        config = config_;
        address implementation = deployCode("Gate.sol:Gate", abi.encode(address(weth), address(config), handler));
        gate = Gate(payable(_proxy(implementation, abi.encodeCall(Gate.initialize, ()))));
        implementation = deployCode("Instrument.sol:Instrument", abi.encode(handler));
        beacon = Beacon(deployCode("Beacon.sol:Beacon", abi.encode(implementation, admin)));
        market = LinkMarket(deployCode("CexMarket.sol:LinkMarket", abi.encode(address(config), address(gate))));
        observer = Observer(deployCode("Observer.sol:Observer", abi.encode(address(gate))));
        btcFeed = TestFeed(deployCode("Mocks.sol:TestFeed", abi.encode(8, 3000e8)));
        usdFeed = TestFeed(deployCode("Mocks.sol:TestFeed", abi.encode(8, 1e8)));
        vm.startPrank(admin);
        config.setMarketInfo("LINK", address(market), address(beacon));
        config.setGuardian(guardian);
        vm.stopPrank();
    }

    function _proxy(address implementation, bytes memory call) internal returns (address) {
        return
            address(
                ERC1967Proxy(payable(deployCode("ERC1967Proxy.sol:ERC1967Proxy", abi.encode(implementation, call))))
            );
    }

    function _param() internal pure returns (QuoteParam memory) {
        return QuoteParam({minMarginAmount: 10e18, tradingFeeRatio: 30, protocolFeeRatio: 10, qtype: 1, tip: 0.01e18});
    }

    function _supportQuote(address quote) internal {
        (address[] memory coins, QuoteParam[] memory params) = (new address[](1), new QuoteParam[](1));
        (coins[0], params[0]) = (quote, _param());
        vm.startPrank(admin);
        config.setQuoteParam(coins, params);
        gate.setThreshold(quote, type(uint256).max);
        vm.stopPrank();
    }

    /// Half in the reserve, half in the wallet with an allowance.
    function _fund(address account, uint256 quantity) internal {
        usd.mint(account, quantity);
        vm.startPrank(account);
        usd.approve(address(gate), type(uint256).max);
        gate.deposit(Words.token(address(usd), quantity / 2));
        vm.stopPrank();
    }

    function _instrumentAddress(string memory base, address quote) internal view returns (address) {
        bytes32 initcode = keccak256(
            abi.encodePacked(creationCode("InstrumentProxy.sol:InstrumentProxy"), abi.encode(address(beacon)))
        );
        return Create2.computeAddress(keccak256(abi.encode("LINK", base, quote)), initcode, address(gate));
    }

    function _setFeeder(address target, uint24 heartBeat) internal {
        (address[] memory targets, PriceFeeder[] memory feeders) = (new address[](1), new PriceFeeder[](1));
        targets[0] = target;
        feeders[0] = PriceFeeder(1, 0, address(btcFeed), heartBeat, 0, address(usdFeed), heartBeat);
        vm.prank(admin);
        market.setFeeder(targets, feeders);
    }

    function _launch(string memory base, address quote, int256 margin, uint24 delta) internal returns (Instrument) {
        address target = _instrumentAddress(base, quote);
        _setFeeder(target, 3600);
        vm.prank(maker);
        gate.launch("LINK", target, abi.encode(base, quote), Words.add(PERP, margin, 0, delta, ANY_LOW, ANY_HIGH, 0));
        return Instrument(target);
    }

    // Actions

    function _trade(address trader, int256 size, int256 amount) internal returns (PositionCache memory) {
        return _tradeOn(PERP, trader, size, amount);
    }

    function _tradeOn(uint32 expiry, address trader, int256 size, int256 amount)
        internal
        returns (PositionCache memory)
    {
        int24 limit = size > 0 ? MAX_TICK : MIN_TICK;
        vm.prank(trader);
        return instrument.trade(Words.trade(expiry, size, amount, limit, 0));
    }

    function _place(address trader, int24 tick, int256 size, int256 amount) internal returns (uint24 nonce) {
        vm.prank(trader);
        (nonce,) = instrument.place(Words.trade(PERP, size, amount, tick, 0));
    }

    function _cancel(address trader, int24 tick) internal returns (bool done, PositionCache memory pic) {
        int24[] memory ticks = new int24[](1);
        ticks[0] = tick;
        vm.prank(trader);
        (bool[8] memory all, PositionCache[8] memory pics) = instrument.cancel(Words.cancel(PERP, ticks, 0));
        return (all[0], pics[0]);
    }

    function _fill(address operator, address target, int24 tick, uint24 nonce)
        internal
        returns (PositionCache memory pic, uint256 tip)
    {
        vm.prank(operator);
        return instrument.fill(Words.fill(PERP, target, tick, nonce));
    }

    function _add(address trader, int256 margin, uint24 deltaLower, uint24 deltaUpper)
        internal
        returns (int24 tickLower, int24 tickUpper, Range memory range)
    {
        vm.prank(trader);
        return instrument.add(Words.add(PERP, margin, deltaLower, deltaUpper, ANY_LOW, ANY_HIGH, 0));
    }

    function _remove(address operator, address target, int24 tickLower, int24 tickUpper)
        internal
        returns (PositionCache memory pic, uint256 fee, uint256 tip)
    {
        vm.prank(operator);
        return instrument.remove(Words.remove(PERP, target, tickLower, tickUpper, ANY_LOW, ANY_HIGH, 0));
    }

    // Reading

    function _amm() internal view returns (Amm memory) {
        return instrument.getAmm(PERP);
    }

    function _tick() internal view returns (int24) {
        return instrument.getAmm(PERP).tick;
    }

    function _portfolio(address trader) internal view returns (Portfolio memory) {
        return instrument.getPortfolio(PERP, trader);
    }

    function _reserve(address trader) internal view returns (uint256) {
        return gate.reserveOf(address(usd), trader);
    }

    function _pearl(int24 tick) internal view returns (Pearl memory) {
        int24[] memory ticks = new int24[](1);
        ticks[0] = tick;
        return instrument.getPearls(PERP, ticks)[0];
    }

    function _record(int24 tick, uint24 nonce) internal view returns (Record memory) {
        (int24[] memory ticks, uint24[] memory nonces) = (new int24[](1), new uint24[](1));
        (ticks[0], nonces[0]) = (tick, nonce);
        return instrument.getRecords(PERP, ticks, nonces)[0];
    }

    function _isSet(int24 tick) internal view returns (bool) {
        int16[] memory words = new int16[](1);
        words[0] = int16(tick >> 8);
        return instrument.getTickBitmaps(PERP, words)[0] >> uint8(uint24(tick)) & 1 == 1;
    }
}
