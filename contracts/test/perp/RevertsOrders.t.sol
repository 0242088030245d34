// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RevertFixture} from "./RevertFixture.sol";
import {Words} from "./Words.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// Every refusal of perp-protocol 4.1 for orders, one by one.
contract RevertsOrdersTest is RevertFixture {
    // Orders

    function testPlacePaused() public {
        vm.prank(guardian);
        instrument.setPlacePaused(true);
        (int24[] memory ticks, uint16[] memory ratios) = _two(80_100, 80_110, 5000, 5000);
        _refuse(alice, Errors.PlacePaused.selector, _placeCall(80_100, -1e18, 400e18));
        _refuse(alice, Errors.PlacePaused.selector, _batchCall(-2e18, 3e18, ticks, ratios, 0));
        _refuse(guardian, Errors.NotSynFuturesV3Admin.selector, abi.encodeCall(instrument.setPlacePaused, (false)));
        vm.prank(admin);
        instrument.setPlacePaused(false);
        _place(alice, 80_100, -1e18, 400e18);
    }

    function testOrderTickBounds() public {
        _refuse(alice, Errors.TickOutOfBound.selector, _placeCall(MAX_TICK + 1, -1e18, 400e18));
        _refuse(alice, Errors.TickOutOfBound.selector, _placeCall(MIN_TICK - 1, 1e18, 400e18));
    }

    function testOrderWrongSide() public {
        int24 tick = _tick();
        _refuse(alice, Errors.OrderWrongSide.selector, _placeCall(tick, 1e18, 400e18));
        _refuse(alice, Errors.OrderWrongSide.selector, _placeCall(tick, -1e18, 400e18));
        _refuse(alice, Errors.OrderWrongSide.selector, _placeCall(tick + 1, 1e18, 400e18));
        _refuse(alice, Errors.OrderWrongSide.selector, _placeCall(tick - 1, -1e18, 400e18));
        _place(alice, tick + 1, -1e18, 400e18);
        _place(alice, tick - 1, 1e18, 400e18);
    }

    function testOrderTooFar() public {
        int24 far = Tick.fromPrice(3600e18) + 1;
        _refuse(alice, Errors.OrderTooFar.selector, _placeCall(far, -1e18, 1000e18));
        _place(alice, far - 1, -1e18, 1000e18);
    }

    function testFairDeviation() public {
        btcFeed.set(2700e8);
        _refuse(alice, Errors.FairDeviation.selector, _placeCall(79_000, 1e18, 1000e18));
    }

    function testOrderImrUnsafe() public {
        uint256 least = Wad.divUp(Wad.mulUp(Tick.toPrice(80_100), 1e18), 10e18);
        _refuse(
            alice,
            abi.encodeWithSelector(Errors.OrderImrUnsafe.selector, least - 1, least),
            _placeCall(80_100, -1e18, int256(least - 1))
        );
        _refuse(alice, abi.encodeWithSelector(Errors.OrderImrUnsafe.selector, 0, least), _placeCall(80_100, -1e18, -1));
        _place(alice, 80_100, -1e18, int256(least));
        // A buy below the mark is margined at the mark.
        _refuse(
            alice,
            abi.encodeWithSelector(Errors.OrderImrUnsafe.selector, 299e18, 300e18),
            _placeCall(80_000, 1e18, 299e18)
        );
    }

    function testOrderTrivial() public {
        _refuse(alice, Errors.OrderTrivial.selector, _placeCall(80_100, 0, 400e18));
        int256 least = int256(Wad.divUp(200e18, Tick.toPrice(80_100)));
        _refuse(alice, Errors.OrderTrivial.selector, _placeCall(80_100, -(least - 1e3), 400e18));
        _place(alice, 80_100, -least, 400e18);
    }

    function testOrderOccupied() public {
        _place(alice, 80_100, -1e18, 400e18);
        _refuse(alice, Errors.OrderOccupied.selector, _placeCall(80_100, -1e18, 400e18));
        _place(bob, 80_100, -1e18, 400e18);
    }

    function testOrderFull() public {
        for (int24 i = 1; i <= 128; ++i) {
            _place(alice, 80_067 + i, -0.1e18, 40e18);
        }
        _refuse(alice, Errors.OrderFull.selector, _placeCall(80_300, -0.1e18, 40e18));
    }

    function testOrderTooLargeForATick() public {
        _refuse(alice, Errors.AddOverflow.selector, _placeCall(80_100, -4e28, 2e31));
    }

    function testBatchMustBeWhole() public {
        bytes4 reason = Errors.OrderTrivial.selector;
        (int24[] memory ticks, uint16[] memory ratios) = _two(80_100, 80_110, 5000, 4999);
        _refuse(alice, reason, _batchCall(-2e18, 3e18, ticks, ratios, 0));
        (ticks, ratios) = (new int24[](1), new uint16[](1));
        (ticks[0], ratios[0]) = (80_100, 10_000);
        _refuse(alice, reason, _batchCall(-2e18, 3e18, ticks, ratios, 0));
        // A hole between the orders.
        (ticks, ratios) = (new int24[](4), new uint16[](4));
        (ticks[0], ticks[1], ticks[2], ticks[3]) = (80_100, 80_110, type(int24).max, 80_120);
        (ratios[0], ratios[1], ratios[3]) = (5000, 5000, 0);
        _refuse(alice, reason, _batchCall(-2e18, 3e18, ticks, ratios, 0));
        // The same tick twice.
        (ticks, ratios) = _two(80_100, 80_100, 5000, 5000);
        _refuse(alice, Errors.OrderOccupied.selector, _batchCall(-2e18, 3e18, ticks, ratios, 0));
        (ticks, ratios) = _two(80_100, 80_110, 5000, 5000);
        _refuse(alice, Errors.DivByZero.selector, _batchCall(-2e18, 0, ticks, ratios, 0));
        uint256 value = Wad.mulUp(Tick.toPrice(80_100), 1e18);
        _refuse(
            alice,
            abi.encodeWithSelector(Errors.OrderImrUnsafe.selector, Wad.divUp(value, 11e18), Wad.divUp(value, 10e18)),
            _batchCall(-2e18, 11e18, ticks, ratios, 0)
        );
    }

    function testFillRefusals() public {
        uint24 nonce = _place(alice, 80_100, -1e18, 400e18);
        bytes memory call = abi.encodeCall(instrument.fill, (Words.fill(PERP, alice, 80_100, nonce)));
        _refuse(bob, abi.encodeWithSelector(Errors.OrderNotFullyTaken.selector, int256(-1e18), int256(0)), call);
        call = abi.encodeCall(instrument.fill, (Words.fill(PERP, alice, 80_100, nonce + 1)));
        _refuse(bob, Errors.OrderNotExist.selector, call);
        call = abi.encodeCall(instrument.fill, (Words.fill(PERP, bob, 80_100, nonce)));
        _refuse(bob, Errors.OrderNotExist.selector, call);
    }
}
