// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Instrument} from "src/perp/Instrument.sol";
import {StockFeeder} from "src/perp/StockFeeder.sol";
import {StockMarket} from "src/perp/StockMarket.sol";
import {PriceFeeder} from "src/perp/Types.sol";
import {StockOracle} from "src/stock/StockOracle.sol";
import {IStockOracle} from "src/stock/interfaces/IStockOracle.sol";

/// A perpetual on a stock at 3000, priced by the stock oracle: Alice is long ten of it and Carol short five, each with a
/// margin of 10,000.
abstract contract StockPerpFixture is RiskFixture {
    bytes32 internal constant SPX = keccak256("SPX");
    uint24 internal constant HEART_BEAT = 120;

    StockOracle internal oracle;
    StockFeeder internal feeder;
    StockMarket internal stocks;
    uint256 internal time = START;

    function setUp() public virtual override {
        super.setUp();
        oracle = StockOracle(
            _proxy(deployCode("StockOracle.sol:StockOracle", ""), abi.encodeCall(StockOracle.initialize, (admin)))
        );
        vm.startPrank(admin);
        oracle.grantRole(oracle.PUBLISHER_ROLE(), address(this));
        stocks = StockMarket(deployCode("StockMarket.sol:StockMarket", abi.encode(address(config), address(gate))));
        config.setMarketInfo("EMG", address(stocks), address(beacon));
        vm.stopPrank();
        feeder = StockFeeder(deployCode("StockFeeder.sol:StockFeeder", abi.encode(address(oracle), SPX)));
        _publish(3000e8, time, 2);
        instrument = _launchStock();
        _trade(alice, 10e18, 10_000e18);
        _trade(carol, -5e18, 10_000e18);
    }

    function _publish(int128 price, uint256 sourceTime, uint8 session) internal {
        IStockOracle.PriceUpdate[] memory updates = new IStockOracle.PriceUpdate[](1);
        updates[0] = IStockOracle.PriceUpdate(SPX, price, 0, 0, uint64(sourceTime), session);
        oracle.publish(updates);
    }

    function _launchStock() private returns (Instrument) {
        bytes32 initcode = keccak256(
            abi.encodePacked(creationCode("InstrumentProxy.sol:InstrumentProxy"), abi.encode(address(beacon)))
        );
        address target =
            Create2.computeAddress(keccak256(abi.encode("EMG", "SPX", address(usd))), initcode, address(gate));
        (address[] memory targets, PriceFeeder[] memory feeders) = (new address[](1), new PriceFeeder[](1));
        targets[0] = target;
        feeders[0] = PriceFeeder(1, 0, address(feeder), HEART_BEAT, 0, address(0), 0);
        vm.prank(admin);
        stocks.setFeeder(targets, feeders);
        vm.prank(maker);
        gate.launch(
            "EMG", target, abi.encode("SPX", address(usd)), Words.add(PERP, 500_000e18, 0, 2000, ANY_LOW, ANY_HIGH, 0)
        );
        return Instrument(target);
    }
}
