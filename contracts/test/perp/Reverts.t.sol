// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RevertFixture} from "./RevertFixture.sol";
import {Words} from "./Words.sol";
import {HookedToken} from "./mocks/Mocks.sol";
import {MAX_TICK} from "src/perp/Constants.sol";
import {Instrument} from "src/perp/Instrument.sol";
import {QuoteParam} from "src/perp/Types.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {ICexMarket} from "src/perp/interfaces/IMarket.sol";

/// Every refusal of perp-protocol 4.1 that concerns all actions, and settings, one by one.
contract RevertsTest is RevertFixture {
    // All actions

    /// A token that calls back finds every action locked, and for the lock's own reason.
    function testReentrancyIsLocked() public {
        HookedToken hooked = new HookedToken();
        _supportQuote(address(hooked));
        hooked.mint(maker, 1e30);
        vm.prank(maker);
        hooked.approve(address(gate), type(uint256).max);
        Instrument target = _launch("BTC", address(hooked), 500_000e18, 2000);
        bytes[] memory calls = _openActions();
        for (uint256 i; i < calls.length; ++i) {
            hooked.hook(address(target), calls[i]);
            vm.prank(maker);
            target.trade(Words.trade(PERP, 1e18, 1000e18, MAX_TICK, 0));
            vm.assertEq(bytes32(hooked.answer()), bytes32(Errors.Locked.selector), vm.toString(i));
        }
    }

    /// One call of every action that is open to anybody.
    function _openActions() private view returns (bytes[] memory calls) {
        bytes[7] memory every = _everyAction();
        calls = new bytes[](13);
        for (uint256 i; i < 7; ++i) {
            calls[i] = every[i];
        }
        calls[7] = _addCall(10_000e18, 1000, 1000);
        calls[8] = abi.encodeCall(instrument.update, (PERP));
        calls[9] = abi.encodeCall(instrument.settle, (PERP, maker));
        calls[10] = abi.encodeCall(instrument.liquidate, (PERP, maker, 1, 0));
        calls[11] = abi.encodeCall(instrument.sweep, (PERP, maker, -1));
        calls[12] = abi.encodeCall(instrument.donateInsuranceFund, (PERP, 1e18));
    }

    function testTimeout() public {
        uint32 past = uint32(block.timestamp - 1);
        (int24[] memory ticks, uint16[] memory ratios) = _two(80_100, 80_110, 5000, 5000);
        bytes4 reason = Errors.Timeout.selector;
        _refuse(alice, reason, _tradeCall(1e18, 1000e18, MAX_TICK, past));
        _refuse(alice, reason, abi.encodeCall(instrument.place, (Words.trade(PERP, -1e18, 400e18, 80_100, past))));
        _refuse(alice, reason, _batchCall(-2e18, 3e18, ticks, ratios, past));
        _refuse(alice, reason, _cancelCall(80_100, past));
        _refuse(
            alice, reason, abi.encodeCall(instrument.add, (Words.add(PERP, 1e21, 0, 1000, ANY_LOW, ANY_HIGH, past)))
        );
        _refuse(
            maker,
            reason,
            abi.encodeCall(instrument.remove, (Words.remove(PERP, maker, 78_050, 82_100, ANY_LOW, ANY_HIGH, past)))
        );
        vm.prank(alice);
        instrument.trade(Words.trade(PERP, 1e18, 1000e18, MAX_TICK, uint32(block.timestamp)));
    }

    function testHandlerOnly() public {
        bytes4 reason = Errors.NotHandler.selector;
        bytes32[2] memory two;
        bytes32[3] memory three;
        _refuse(alice, reason, abi.encodeCall(instrument.tradeFor, (alice, two)));
        _refuse(alice, reason, abi.encodeCall(instrument.placeFor, (alice, two)));
        _refuse(alice, reason, abi.encodeCall(instrument.batchPlaceFor, (alice, three)));
        _refuse(alice, reason, abi.encodeCall(instrument.cancelFor, (alice, bytes32(0))));
        _refuse(alice, reason, abi.encodeCall(instrument.addFor, (alice, two)));
        _refuse(alice, reason, abi.encodeCall(instrument.removeFor, (two)));
    }

    function testFrozen() public {
        bytes[7] memory calls = _everyAction();
        vm.prank(guardian);
        instrument.freeze();
        vm.assertEq(uint256(instrument.condition()), 1);
        for (uint256 i; i < calls.length; ++i) {
            _refuse(alice, Errors.BadInstrumentCondition.selector, calls[i]);
        }
        _refuse(alice, Errors.BadInstrumentCondition.selector, _addCall(1e21, 0, 1000));
        _refuse(alice, Errors.BadInstrumentCondition.selector, abi.encodeCall(instrument.update, (PERP)));
        _refuse(guardian, Errors.BadInstrumentCondition.selector, abi.encodeCall(instrument.freeze, ()));
        vm.prank(admin);
        instrument.normalize();
        _refuse(admin, Errors.BadInstrumentCondition.selector, abi.encodeCall(instrument.normalize, ()));
        _trade(alice, 1e18, 1000e18);
    }

    function testDormantPairs() public {
        bytes32[2] memory words = Words.trade(1_751_011_200, 1e18, 1000e18, MAX_TICK, 0);
        _refuse(alice, Errors.NotTradeable.selector, abi.encodeCall(instrument.trade, (words)));
        _refuse(alice, Errors.NotTradeable.selector, abi.encodeCall(instrument.place, (words)));
        _refuse(alice, Errors.NotTradeable.selector, abi.encodeCall(instrument.inquire, (1_751_011_200, 1e18)));
        _refuse(alice, Errors.BadAmmStatus.selector, abi.encodeCall(instrument.update, (1_751_011_200)));
    }

    function testStalePrice() public {
        btcFeed.setAt(3000e8, block.timestamp - 3601);
        bytes memory reason = abi.encodeWithSelector(ICexMarket.InvalidCexPrice.selector, address(btcFeed));
        bytes[7] memory calls = _everyAction();
        for (uint256 i; i < calls.length; ++i) {
            _refuse(alice, reason, calls[i]);
        }
        _refuse(alice, reason, abi.encodeCall(instrument.update, (PERP)));
    }

    function testCrazySpot() public {
        btcFeed.setAt(1, block.timestamp);
        usdFeed.setAt(1e30, block.timestamp);
        _refuse(alice, Errors.CrazySpot.selector, _tradeCall(1e18, 1000e18, MAX_TICK, 0));
        btcFeed.setAt(1e38, block.timestamp);
        usdFeed.setAt(1e8, block.timestamp);
        _refuse(alice, Errors.CrazySpot.selector, _tradeCall(1e18, 1000e18, MAX_TICK, 0));
    }

    // Initialisation, settings

    function testInitialisationGuards() public {
        _refuse(alice, Errors.AlreadyInitialized.selector, abi.encodeCall(instrument.initialize, ("")));
        bytes32[2] memory words;
        _refuse(alice, Errors.NotGate.selector, abi.encodeCall(instrument.init, (alice, words)));
        Instrument implementation = Instrument(beacon.implementation());
        vm.expectRevert(Errors.AlreadyInitialized.selector);
        implementation.initialize("");
    }

    function testSettingsAreTheAdmins() public {
        bytes4 reason = Errors.NotSynFuturesV3Admin.selector;
        _refuse(alice, reason, abi.encodeCall(instrument.freeze, ()));
        _refuse(guardian, reason, abi.encodeCall(instrument.normalize, ()));
        _refuse(guardian, reason, abi.encodeCall(instrument.setLeverage, (1000, 500)));
        _refuse(guardian, reason, abi.encodeCall(instrument.setQuoteParam, (_param())));
        _refuse(guardian, reason, abi.encodeCall(instrument.setFundingHour, (8)));
        _refuse(alice, reason, abi.encodeCall(instrument.setPlacePaused, (true)));
        _refuse(guardian, reason, abi.encodeCall(instrument.setDisableOrderRebate, (true)));
    }

    function testSettingBounds() public {
        bytes4 imr = Errors.BadInitialMarginRatio.selector;
        _refuse(admin, imr, abi.encodeCall(instrument.setLeverage, (10_000, 500)));
        _refuse(admin, imr, abi.encodeCall(instrument.setLeverage, (500, 500)));
        _refuse(admin, Errors.BadMaintenanceMarginRatio.selector, abi.encodeCall(instrument.setLeverage, (500, 0)));
        QuoteParam memory param = _param();
        param.minMarginAmount = 0;
        _refuse(admin, Errors.BadMinMarginAmount.selector, abi.encodeCall(instrument.setQuoteParam, (param)));
        param = _param();
        param.tradingFeeRatio = 1001;
        _refuse(admin, Errors.BadTradingFeeRatio.selector, abi.encodeCall(instrument.setQuoteParam, (param)));
        param = _param();
        param.protocolFeeRatio = 1001;
        _refuse(admin, Errors.BadProtocolFeeRatio.selector, abi.encodeCall(instrument.setQuoteParam, (param)));
        param = _param();
        param.tip = param.minMarginAmount + 1;
        _refuse(admin, Errors.BadTip.selector, abi.encodeCall(instrument.setQuoteParam, (param)));
    }
}
