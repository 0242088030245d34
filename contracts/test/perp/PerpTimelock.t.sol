// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpFixture} from "./PerpFixture.sol";
import {Words} from "./Words.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {RelayRouter} from "src/perp/RelayRouter.sol";
import {Condition, PriceFeeder, QuoteParam} from "src/perp/Types.sol";
import {IConfig} from "src/perp/interfaces/IConfig.sol";

/// The perpetual product as production holds it: Config and the beacon belong to a timelock alone. Nothing that
/// could reach what users own happens sooner, the guardian can stop and not start, and a reserve can always leave.
contract PerpTimelockTest is PerpFixture {
    uint256 private constant DELAY = 6 days;

    TimelockController private timelock;
    RelayRouter private relay;
    address private proposer = makeAddress("proposer");
    uint256 private time = START;

    function setUp() public override {
        super.setUp();
        address[] memory proposers = new address[](1);
        proposers[0] = proposer;
        timelock = new TimelockController(DELAY, proposers, new address[](1), address(0));
        address implementation = deployCode("RelayRouter.sol:RelayRouter", abi.encode(address(config)));
        relay = RelayRouter(_proxy(implementation, abi.encodeCall(RelayRouter.initialize, (address(0)))));
        vm.startPrank(admin);
        beacon.transferOwnership(address(timelock));
        config.transferOwnership(address(timelock));
        vm.stopPrank();
    }

    struct Call {
        address target;
        bytes data;
        /// Only a frozen instrument takes it.
        bool ofFrozen;
        /// The guardian may make it too, since it only stops.
        bool ofGuardian;
    }

    /// Every function of the owner that there is, with arguments that work.
    function _privileged() private returns (Call[] memory calls) {
        calls = new Call[](31);
        _ofInstrument(calls);
        _ofGate(calls);
        _ofConfig(calls);
        calls[25] = _call(address(market), abi.encodeCall(market.setFeeder, (new address[](0), new PriceFeeder[](0))));
        address next = deployCode("RelayRouter.sol:RelayRouter", abi.encode(address(config)));
        calls[26] = _call(address(relay), abi.encodeCall(RelayRouter.connect, (address(gate), alice)));
        calls[27] = _call(address(relay), abi.encodeCall(UUPSUpgradeable.upgradeToAndCall, (next, "")));
        next = deployCode("Instrument.sol:Instrument", abi.encode(handler));
        calls[28] = _call(address(beacon), abi.encodeCall(beacon.upgradeTo, (next)));
        calls[29] = _call(address(beacon), abi.encodeCall(beacon.transferOwnership, (alice)));
        calls[30] = _call(address(beacon), abi.encodeCall(beacon.renounceOwnership, ()));
    }

    function _ofInstrument(Call[] memory calls) private view {
        bytes[11] memory data = [
            abi.encodeCall(instrument.setLeverage, (300, 200)),
            abi.encodeCall(instrument.setQuoteParam, (_param())),
            abi.encodeCall(instrument.setFundingHour, (8)),
            abi.encodeCall(instrument.setDisableOrderRebate, (true)),
            abi.encodeCall(instrument.claimProtocolFee, (PERP)),
            abi.encodeCall(instrument.recycleInsuranceFund, (PERP)),
            abi.encodeCall(instrument.setPlacePaused, (false)),
            abi.encodeCall(instrument.setPlacePaused, (true)),
            abi.encodeCall(instrument.freeze, ()),
            abi.encodeCall(instrument.normalize, ()),
            abi.encodeCall(instrument.resolve, (3000e18))
        ];
        for (uint256 i; i < data.length; ++i) {
            calls[i] = Call(address(instrument), data[i], i > 8, i == 7 || i == 8);
        }
    }

    function _ofGate(Call[] memory calls) private {
        address next = deployCode("Gate.sol:Gate", abi.encode(address(weth), address(config), handler));
        calls[11] = _call(address(gate), abi.encodeCall(gate.setThreshold, (address(usd), 1)));
        calls[12] = _call(address(gate), abi.encodeCall(gate.setPendingDuration, (2 days)));
        calls[13] = _call(address(gate), abi.encodeCall(gate.setBlacklist, (alice, true)));
        calls[14] = _call(address(gate), abi.encodeCall(UUPSUpgradeable.upgradeToAndCall, (next, "")));
    }

    function _ofConfig(Call[] memory calls) private {
        (address[] memory one, bool[] memory flags, QuoteParam[] memory params) =
            (new address[](1), new bool[](1), new QuoteParam[](1));
        (one[0], params[0]) = (address(usd), _param());
        bytes[10] memory data = [
            abi.encodeCall(IConfig.setQuoteParam, (one, params)),
            abi.encodeCall(IConfig.setMarketInfo, ("NEW", address(market), address(beacon))),
            abi.encodeCall(IConfig.enableLpWhitelistForQuote, (address(usd), true)),
            abi.encodeCall(IConfig.setLpWhiteList, (one, one, flags)),
            abi.encodeCall(IConfig.setLiquidatorWhitelist, (one, flags)),
            abi.encodeCall(IConfig.disableLiquidatorWhitelist, ()),
            abi.encodeCall(IConfig.setGuardian, (alice)),
            abi.encodeCall(IConfig.transferOwnership, (alice)),
            abi.encodeCall(IConfig.renounceOwnership, ()),
            abi.encodeCall(UUPSUpgradeable.upgradeToAndCall, (deployCode("Config.sol:Config", ""), ""))
        ];
        for (uint256 i; i < data.length; ++i) {
            calls[15 + i] = _call(address(config), data[i]);
        }
    }

    function _call(address target, bytes memory data) private pure returns (Call memory) {
        return Call(target, data, false, false);
    }

    /// All 31 calls, by everybody who might be taken for an owner; each is refused for who makes it and nothing else.
    function testNobodyButTheTimelock() public {
        Call[] memory calls = _privileged();
        address[4] memory callers = [admin, guardian, proposer, alice];
        uint256 refused;
        for (uint256 i; i < calls.length; ++i) {
            uint256 state = vm.snapshotState();
            if (calls[i].ofFrozen) _freeze();
            for (uint256 k; k < 4; ++k) {
                vm.prank(callers[k]);
                (bool ok, bytes memory reason) = calls[i].target.call(calls[i].data);
                bool isAllowed = calls[i].ofGuardian && callers[k] == guardian;
                vm.assertEq(ok, isAllowed, vm.toString(100 * k + i));
                if (ok) continue;
                bytes4 expected = calls[i].target == address(beacon)
                    ? bytes4(keccak256("OwnableUnauthorizedAccount(address)"))
                    : IConfig.NotSynFuturesV3Admin.selector;
                vm.assertEq(bytes32(bytes4(reason)), bytes32(expected), vm.toString(100 * k + i));
                ++refused;
            }
            vm.revertToState(state);
        }
        vm.assertEq(refused, 31 * 4 - 2, "the guardian makes two of them");
    }

    /// The same 31 calls are carried out by the timelock, none of them before its delay is over.
    function testTheTimelockCarriesOutEveryCall() public {
        Call[] memory calls = _privileged();
        uint256 carriedOut;
        for (uint256 i; i < calls.length; ++i) {
            uint256 state = vm.snapshotState();
            if (calls[i].ofFrozen) _freeze();
            _onlyAfterDelay(calls[i].target, calls[i].data);
            vm.revertToState(state);
            ++carriedOut;
        }
        vm.assertEq(carriedOut, 31);
    }

    function _freeze() private {
        vm.prank(guardian);
        instrument.freeze();
    }

    function testAnUpgradeOfEveryInstrumentWaitsTheDelay() public {
        address next = deployCode("Instrument.sol:Instrument", abi.encode(handler));
        _onlyAfterDelay(address(beacon), abi.encodeCall(beacon.upgradeTo, (next)));
        vm.assertEq(beacon.implementation(), next);
    }

    function testAParameterWaitsTheDelay() public {
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
