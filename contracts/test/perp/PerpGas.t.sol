// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RiskFixture} from "./RiskFixture.sol";
import {Words} from "./Words.sol";

/// Gas of whole transactions, base cost and calldata included (each call is isolated), with time between them, so that
/// funding is charged as it is for users. The accounts have traded and deposited before, as most callers have, unless the name
/// says "first".
contract PerpGasTest is RiskFixture {
    string private constant GROUP = "PerpGas";
    /// Kept here: the compiler may read `block.timestamp` once for all of a test.
    uint256 private time = START;

    function setUp() public override {
        super.setUp();
        _later();
        _trade(carol, -3e18, 2000e18);
        _trade(alice, 2e18, 2000e18);
        _later();
    }

    function _later() private {
        time += 60;
        vm.warp(time);
    }

    function _snapshot(string memory name) private {
        vm.snapshotGasLastCall(GROUP, name);
    }

    /// A figure that the aims are about, with the room of a hundredth above what it was. See docs/decisions/perp-gas.md.
    function _snapshotWithin(string memory name, uint256 most) private {
        uint256 gasUsed = vm.snapshotGasLastCall(GROUP, name);
        // What the fast compiler makes is not what is deployed.
        bool isDeployed = bytes(vm.envOr("CONTRACTS", string(""))).length == 0;
        if (isDeployed) vm.assertLe(gasUsed, most, name);
    }

    /// The aim is 250,000.
    /// forge-config: default.isolate = true
    function testGasTrade() public {
        _trade(alice, 1e18, 1000e18);
        _snapshotWithin("trade, increase within one segment", 228_000);
    }

    /// forge-config: default.isolate = true
    function testGasFirstTrade() public {
        _trade(bob, 1e18, 1000e18);
        _snapshot("trade, first of an account");
    }

    /// forge-config: default.isolate = true
    function testGasTradeAcrossFiveTicks() public {
        for (uint24 i; i < 5; ++i) {
            _add(maker, 2000e18, 953, 953 + 50 * i);
        }
        btcFeed.set(3330e8);
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, 81_260);
        _later();
        _trade(alice, size, 500_000e18);
        _snapshot("trade, 5 ticks crossed");
    }

    /// forge-config: default.isolate = true
    function testGasTradeTakingFiveOrders() public {
        for (int24 i = 1; i <= 5; ++i) {
            _place(maker, 80_100 + i, -1e18, 400e18);
        }
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, 80_106);
        _later();
        _trade(alice, size, 20_000e18);
        _snapshot("trade, 5 orders taken");
    }

    /// The aims of 170,000 and 150,000 are missed; what they would cost stands with the decision.
    /// forge-config: default.isolate = true
    function testGasPlace() public {
        _place(alice, 80_200, -1e18, 400e18);
        _snapshot("place, first of an account");
        _later();
        _place(alice, 80_210, -1e18, 400e18);
        _snapshotWithin("place, at an untouched tick", 180_800);
        _place(bob, 80_211, -1e18, 400e18);
        _later();
        _place(alice, 80_211, -1e18, 400e18);
        _snapshotWithin("place, at a tick in use", 156_200);
    }

    /// forge-config: default.isolate = true
    function testGasBatchPlace() public {
        (int24[] memory ticks, uint16[] memory ratios) = (new int24[](9), new uint16[](9));
        for (uint256 i; i < 9; ++i) {
            (ticks[i], ratios[i]) = (80_100 + int24(int256(i)), i == 8 ? 1200 : 1100);
        }
        vm.prank(alice);
        instrument.batchPlace(Words.batch(PERP, -9e18, 5e18, ticks, ratios, 0));
        _snapshot("batchPlace of 9");
    }

    /// forge-config: default.isolate = true
    function testGasCancel() public {
        int24[] memory ticks = new int24[](8);
        for (int24 i; i < 8; ++i) {
            ticks[uint24(i)] = 80_100 + i;
            _place(alice, 80_100 + i, -1e18, 400e18);
        }
        _place(alice, 80_200, -1e18, 400e18);
        _later();
        vm.prank(alice);
        instrument.cancel(Words.cancel(PERP, ticks, 0));
        _snapshot("cancel of 8");
        _later();
        _cancel(alice, 80_200);
        _snapshot("cancel of 1");
    }

    /// forge-config: default.isolate = true
    function testGasCancelOfAFlatAccount() public {
        _place(bob, 80_200, -1e18, 400e18);
        _later();
        _cancel(bob, 80_200);
        _snapshot("cancel of 1, account without a position");
    }

    /// The aim is 180,000.
    /// forge-config: default.isolate = true
    function testGasFill() public {
        uint24 nonce = _place(alice, 80_100, -1e18, 400e18);
        _trade(carol, observer.getBaseSizeByTick(address(instrument), PERP, 80_101), 20_000e18);
        _later();
        _fill(bob, alice, 80_100, nonce);
        _snapshotWithin("fill by another", 180_000);
    }

    /// forge-config: default.isolate = true
    function testGasRange() public {
        (int24 tickLower, int24 tickUpper,) = _add(alice, 5000e18, 1000, 1000);
        _snapshot("add");
        _trade(carol, 1e18, 1000e18);
        _later();
        _remove(alice, alice, tickLower, tickUpper);
        _snapshot("remove");
    }

    /// forge-config: default.isolate = true
    function testGasGate() public {
        vm.startPrank(alice);
        gate.deposit(Words.token(address(usd), 100e6));
        _snapshot("deposit");
        gate.withdraw(Words.token(address(usd), 100e6));
        _snapshot("withdraw");
        vm.stopPrank();
    }

    /// The aim is 300,000. Bob, who holds a position, takes over a whole one that is short of its margin but not bankrupt.
    /// forge-config: default.isolate = true
    function testGasLiquidate() public {
        _trade(bob, 1e18, 1000e18);
        _failing();
        _liquidate(bob, maker, 10e18, 5000e18);
        _snapshotWithin("liquidate", 169_800);
    }

    /// forge-config: default.isolate = true
    function testGasSweep() public {
        _failing();
        vm.prank(bob);
        instrument.sweep(PERP, maker, -10e18);
        _snapshot("sweep");
    }

    /// The maker's long of ten with little left.
    function _failing() private {
        _thin(maker, 10e18);
        _later();
        _mark(2820);
    }

    /// forge-config: default.isolate = true
    function testGasSettle() public {
        vm.prank(guardian);
        instrument.freeze();
        vm.prank(admin);
        instrument.resolve(3000e18);
        _later();
        vm.prank(bob);
        instrument.settle(PERP, alice);
        _snapshot("settle, a position");
        vm.prank(bob);
        instrument.settle(PERP, carol);
        vm.prank(bob);
        instrument.settle(PERP, maker);
        _snapshot("settle, a range, the last account");
    }

    /// forge-config: default.isolate = true
    function testGasRelease() public {
        vm.prank(admin);
        gate.setThreshold(address(usd), 0);
        vm.prank(address(instrument));
        gate.gather(address(usd), alice, PERP, 10_000e6);
        uint256 all = _reserve(alice);
        vm.prank(alice);
        gate.withdraw(Words.token(address(usd), all));
        _snapshot("withdraw, above the threshold");
        time += 1 days;
        vm.warp(time);
        gate.release(address(usd), alice);
        _snapshot("release");
    }

    function testSizes() public {
        string[18] memory artifacts = [
            "Gate.sol:Gate",
            "Config.sol:Config",
            "Instrument.sol:Instrument",
            "Observer.sol:Observer",
            "CexMarket.sol:LinkMarket",
            "StockMarket.sol:StockMarket",
            "StockFeeder.sol:StockFeeder",
            "RelayRouter.sol:RelayRouter",
            "Trades.sol:Trades",
            "Orders.sol:Orders",
            "Ranges.sol:Ranges",
            "Liquidations.sol:Liquidations",
            "Settlement.sol:Settlement",
            "Treasury.sol:Treasury",
            "Upkeep.sol:Upkeep",
            "Readers.sol:Readers",
            "Quotations.sol:Quotations",
            "Depth.sol:Depth"
        ];
        for (uint256 i; i < artifacts.length; ++i) {
            uint256 size = runtimeSize(artifacts[i]);
            vm.assertLe(size, 24_576, artifacts[i]);
            vm.snapshotValue("PerpSize", artifacts[i], size);
        }
    }
}
