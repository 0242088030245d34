// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RevertFixture} from "./RevertFixture.sol";
import {Words} from "./Words.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {Quotation} from "src/perp/Types.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";

/// Every refusal of perp-protocol 4.1 for trading and adjusting, one by one.
contract RevertsTradeTest is RevertFixture {
    // Trade and adjust

    function testTradeOutOfLiquidity() public {
        _refuse(alice, Errors.TradeOutOfLiquidity.selector, _tradeCall(1e30, 1000e18, MAX_TICK, 0));
        _refuse(alice, Errors.TradeOutOfLiquidity.selector, _tradeCall(-1e30, 1000e18, MIN_TICK, 0));
        _refuse(
            alice, Errors.TradeOutOfLiquidity.selector, abi.encodeCall(instrument.inquire, (PERP, type(int256).max))
        );
    }

    /// See Slippage.t.sol for what the limit means.
    function testTradeSlippage() public {
        int24 average = Tick.fromPrice(instrument.inquire(PERP, 10e18).entryNotional / 10);
        _refuse(alice, Errors.TradeSlippage.selector, _tradeCall(10e18, 10_000e18, average, 0));
        vm.prank(alice);
        instrument.trade(Words.trade(PERP, 10e18, 10_000e18, average + 1, 0));
        average = Tick.fromPrice(instrument.inquire(PERP, -20e18).entryNotional / 20);
        _refuse(bob, Errors.TradeSlippage.selector, _tradeCall(-20e18, 20_000e18, average + 1, 0));
        vm.prank(bob);
        instrument.trade(Words.trade(PERP, -20e18, 20_000e18, average, 0));
    }

    function testCrazyDeviation() public {
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, Tick.fromPrice(3155e18));
        _refuse(alice, Errors.CrazyDeviation.selector, _tradeCall(size, 1_000_000e18, MAX_TICK, 0));
        // Beyond the bound already, only the way back is open.
        btcFeed.set(2800e8);
        _refuse(alice, Errors.CrazyDeviation.selector, _tradeCall(1e18, 10_000e18, MAX_TICK, 0));
        _trade(alice, -1e18, 10_000e18);
        // But not to the far side of the benchmark beyond the bound.
        size = observer.getBaseSizeByTick(address(instrument), PERP, Tick.fromPrice(2650e18));
        _refuse(alice, Errors.CrazyDeviation.selector, _tradeCall(size, 1_000_000e18, MIN_TICK, 0));
    }

    function testTradeTrivial() public {
        _refuse(alice, Errors.TradeTrivial.selector, _tradeCall(0.0333e18, 1000e18, MAX_TICK, 0));
        _trade(alice, 0.0334e18, 1000e18);
    }

    function testTradeImrUnsafe() public {
        Quotation memory quotation = instrument.inquire(PERP, 2e18);
        int256 least = int256(quotation.minAmount);
        _refuse(alice, Errors.TradeImrUnsafe.selector, _tradeCall(2e18, least - 1e12, MAX_TICK, 0));
        _trade(alice, 2e18, least);
        _refuse(alice, Errors.TradeImrUnsafe.selector, _tradeCall(1e18, 0, MAX_TICK, 0));
        // Flipping to more than was held.
        _refuse(alice, Errors.TradeImrUnsafe.selector, _tradeCall(-10e18, 0, MIN_TICK, 0));
    }

    function testTradeMmrUnsafeAndBankrupt() public {
        _trade(alice, 2e18, int256(instrument.inquire(PERP, 2e18).minAmount));
        _moveDown(2780);
        _refuse(alice, Errors.TradeMmrUnsafe.selector, _tradeCall(-0.5e18, 0, MIN_TICK, 0));
        _moveDown(2650);
        _refuse(alice, Errors.PositionBankrupt.selector, _tradeCall(-2e18, 0, MIN_TICK, 0));
    }

    /// Brings spot and fair price down together, in steps the deviation rule allows.
    function _moveDown(uint256 price) private {
        btcFeed.set(int256(price * 1e8));
        int24 tick = Tick.fromPrice(price * 1e18);
        _trade(bob, observer.getBaseSizeByTick(address(instrument), PERP, tick), 200_000e18);
    }

    function testForbidNegativeAdjust() public {
        _trade(alice, 2e18, 5000e18);
        btcFeed.set(2700e8);
        _refuse(alice, Errors.ForbidNegativeAdjust.selector, _tradeCall(0, -1e18, 0, 0));
        _refuse(alice, Errors.ForbidNegativeAdjust.selector, _tradeCall(-1e18, -1e18, MIN_TICK, 0));
    }

    function testCannotWithdrawTooMuch() public {
        _trade(alice, 2e18, 1000e18);
        _refuse(alice, Errors.TradeImrUnsafe.selector, _tradeCall(0, -500e18, 0, 0));
        _refuse(alice, Errors.TradeImrUnsafe.selector, _tradeCall(-2e18, -1e18, MIN_TICK, 0));
    }

    function testPositionNotExist() public {
        _refuse(alice, Errors.PositionNotExist.selector, _tradeCall(0, 1e18, 0, 0));
    }
}
