// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {Condition, QuoteParam} from "src/perp/Types.sol";
import {IConfig} from "src/perp/interfaces/IConfig.sol";

/// The perpetual product as production holds it: Config and the beacon belong to a timelock of 48 hours alone. Nothing that
/// could reach what users own happens sooner, the guardian can stop and not start, and a reserve can always leave.
contract PerpTimelockTest is PerpFixture {
    uint256 private constant DELAY = 48 hours;

    TimelockController private timelock;
    address private proposer = makeAddress("proposer");
    uint256 private time = START;

    function setUp() public override {
        super.setUp();
        address[] memory proposers = new address[](1);
        proposers[0] = proposer;
        timelock = new TimelockController(DELAY, proposers, new address[](1), address(0));
        vm.startPrank(admin);
        beacon.transferOwnership(address(timelock));
        config.transferOwnership(address(timelock));
        vm.stopPrank();
    }

    /// Every function of the owner, with arguments that would work.
    function _privileged() private view returns (address[] memory targets, bytes[] memory calls) {
        (targets, calls) = (new address[](19), new bytes[](19));
        QuoteParam memory param = _param();
        (address[] memory one, bool[] memory flags, QuoteParam[] memory params) =
            (new address[](1), new bool[](1), new QuoteParam[](1));
        (one[0], params[0]) = (address(usd), param);
        for (uint256 i; i < 8; ++i) {
            targets[i] = address(instrument);
        }
        calls[0] = abi.encodeCall(instrument.setLeverage, (300, 200));
        calls[1] = abi.encodeCall(instrument.setQuoteParam, (param));
        calls[2] = abi.encodeCall(instrument.setFundingHour, (8));
        calls[3] = abi.encodeCall(instrument.setDisableOrderRebate, (true));
        calls[4] = abi.encodeCall(instrument.claimProtocolFee, (PERP));
        calls[5] = abi.encodeCall(instrument.recycleInsuranceFund, (PERP));
        calls[6] = abi.encodeCall(instrument.setPlacePaused, (false));
        calls[7] = abi.encodeCall(instrument.freeze, ());
        for (uint256 i = 8; i < 12; ++i) {
            targets[i] = address(gate);
        }
        calls[8] = abi.encodeCall(gate.setThreshold, (address(usd), 1));
        calls[9] = abi.encodeCall(gate.setPendingDuration, (1));
        calls[10] = abi.encodeCall(gate.setBlacklist, (alice, true));
        calls[11] = abi.encodeCall(UUPSUpgradeable.upgradeToAndCall, (address(1), ""));
        for (uint256 i = 12; i < 18; ++i) {
            targets[i] = address(config);
        }
        calls[12] = abi.encodeCall(IConfig.setQuoteParam, (one, params));
        calls[13] = abi.encodeCall(IConfig.setLiquidatorWhitelist, (one, flags));
        calls[14] = abi.encodeCall(IConfig.disableLiquidatorWhitelist, ());
        calls[15] = abi.encodeCall(IConfig.setGuardian, (alice));
        calls[16] = abi.encodeCall(IConfig.transferOwnership, (alice));
        calls[17] = abi.encodeCall(UUPSUpgradeable.upgradeToAndCall, (address(1), ""));
        (targets[18], calls[18]) = (address(beacon), abi.encodeCall(beacon.upgradeTo, (address(1))));
    }

    function testNobodyButTheTimelock() public {
        (address[] memory targets, bytes[] memory calls) = _privileged();
        address[4] memory callers = [admin, guardian, proposer, alice];
        for (uint256 k; k < 4; ++k) {
            for (uint256 i; i < calls.length; ++i) {
                // Freezing is what the guardian is for.
                if (k == 1 && i == 7) continue;
                vm.prank(callers[k]);
                (bool ok,) = targets[i].call(calls[i]);
                vm.assertFalse(ok, vm.toString(100 * k + i));
            }
        }
    }

    function testAnUpgradeOfEveryInstrumentWaits48Hours() public {
        address next = deployCode("Instrument.sol:Instrument", abi.encode(handler));
        _onlyAfterDelay(address(beacon), abi.encodeCall(beacon.upgradeTo, (next)));
        vm.assertEq(beacon.implementation(), next);
    }

    function testAParameterWaits48Hours() public {
        _onlyAfterDelay(address(instrument), abi.encodeCall(instrument.setLeverage, (300, 200)));
        vm.assertEq(uint256(instrument.getSetting().initialMarginRatio), 300);
    }

    /// The guardian freezes at once; what follows is the timelock's. Whoever has money in the reserve takes it out all
    /// the while.
    function testFreezeResolveAndLeave() public {
        vm.prank(guardian);
        instrument.freeze();
        vm.prank(guardian);
        (bool ok,) = address(instrument).call(abi.encodeCall(instrument.normalize, ()));
        vm.assertFalse(ok);
        uint256 reserve = _reserve(alice);
        vm.prank(alice);
        gate.withdraw(Words.token(address(usd), reserve));
        vm.assertEq(_reserve(alice), 0);
        _onlyAfterDelay(address(instrument), abi.encodeCall(instrument.resolve, (3000e18)));
        vm.assertEq(uint256(instrument.condition()), uint8(Condition.RESOLVED));
    }

    function _onlyAfterDelay(address target, bytes memory call) private {
        vm.prank(proposer);
        timelock.schedule(target, 0, call, 0, 0, DELAY);
        time += DELAY - 1;
        vm.warp(time);
        (bool ok,) = address(timelock).call(abi.encodeCall(timelock.execute, (target, 0, call, 0, 0)));
        vm.assertFalse(ok, "not before");
        time += 1;
        vm.warp(time);
        timelock.execute(target, 0, call, 0, 0);
    }
}
