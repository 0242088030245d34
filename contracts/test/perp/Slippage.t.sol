// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RevertFixture} from "./RevertFixture.sol";
import {Words} from "./Words.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {PositionCache, Quotation, QuoteParam} from "src/perp/Types.sol";
import {IInstrumentErrors as Errors} from "src/perp/interfaces/IInstrumentErrors.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// The limit of a trade is on its average price (perp-protocol 3.3), as the published client sets it.
contract SlippageTest is RevertFixture {
    /// What the client sends for a slippage in basis points.
    function _clientLimit(int256 size, uint256 notional, uint256 slippageBps) private pure returns (int24) {
        uint256 average = Wad.div(notional, uint256(size < 0 ? -size : size));
        if (size > 0) return Tick.fromPrice(average * (10_000 + slippageBps) / 10_000);
        return Tick.fromPrice(average * (10_000 - slippageBps) / 10_000) + 1;
    }

    function _attempt(int256 size, int24 limit) private returns (bool ok, bytes memory data) {
        vm.prank(alice);
        return address(instrument).call(_tradeCall(size, 100_000e18, limit, 0));
    }

    /// At the client's default of 50 and at 10 basis points, on a pool so shallow that the price moves far past both.
    function testTheClientsLimitsPassWhateverTheImpact() public {
        uint256[2] memory slippages = [uint256(50), 10];
        int256[2] memory sizes = [int256(100e18), -100e18];
        for (uint256 i; i < 4; ++i) {
            uint256 state = vm.snapshotState();
            int256 size = sizes[i / 2];
            Quotation memory q = instrument.inquire(PERP, size);
            int24 limit = _clientLimit(size, q.entryNotional, slippages[i % 2]);
            vm.assertTrue(size > 0 ? q.postTick > limit : q.postTick < limit, "the price ends past the limit");
            (bool ok,) = _attempt(size, limit);
            vm.assertTrue(ok, "and the trade passes");
            vm.revertToState(state);
        }
    }

    /// One trade of a twentieth that carries the price out of the range it stands in, at 50 basis points.
    function testATradePastItsRange() public {
        vm.prank(admin);
        instrument.setLeverage(300, 200);
        (, int24 upper,) = _add(bob, 1000e18, 295, 295);
        int256 size = observer.getBaseSizeByTick(address(instrument), PERP, upper + 10);
        btcFeed.set(3060e8);
        Quotation memory q = instrument.inquire(PERP, size);
        vm.assertTrue(q.postTick > upper, "past the edge");
        vm.assertTrue(_clientLimit(size, q.entryNotional, 50) < q.postTick);
        (bool ok,) = _attempt(size, _clientLimit(size, q.entryNotional, 50));
        vm.assertTrue(ok);
    }

    /// A limit passes exactly when the size, at the price of the tick and to nearest, is worth the notional.
    function testFuzzTheLimitIsTheAveragePrice(int256 sizeSeed, int24 offset) public {
        int256 size = bound(sizeSeed, -40e18, 40e18);
        if (size < 0.5e18 && size > -0.5e18) return;
        Quotation memory q = instrument.inquire(PERP, size);
        uint256 magnitude = uint256(size < 0 ? -size : size);
        int24 limit = Tick.fromPrice(Wad.div(q.entryNotional, magnitude)) + int24(bound(int256(offset), -2, 2));
        uint256 worth = Wad.mul(Tick.toPrice(limit), magnitude);
        (bool ok, bytes memory data) = _attempt(size, limit);
        vm.assertEq(ok, size > 0 ? q.entryNotional <= worth : q.entryNotional >= worth);
        if (!ok) vm.assertEq(data, abi.encodePacked(Errors.TradeSlippage.selector));
    }

    function testALimitBeyondTheCurveIsItsEnd() public {
        (bool ok,) = _attempt(1e18, type(int24).max);
        vm.assertTrue(ok);
        (ok,) = _attempt(-2e18, type(int24).min);
        vm.assertTrue(ok);
        _refuse(alice, Errors.TradeSlippage.selector, _tradeCall(1e18, 1000e18, type(int24).min, 0));
        _refuse(alice, Errors.TradeSlippage.selector, _tradeCall(-1e18, 1000e18, type(int24).max, 0));
    }

    /// What a range is worth does not depend on the way the price has gone: across both its edges and back.
    function testARangesEquityAfterTradesAcrossBothEdges() public {
        QuoteParam memory param = _param();
        (param.tradingFeeRatio, param.protocolFeeRatio) = (0, 0);
        vm.startPrank(admin);
        instrument.setQuoteParam(param);
        instrument.setLeverage(300, 200);
        vm.stopPrank();
        (int24 lower, int24 upper,) = _add(bob, 5000e18, 295, 295);
        uint160 start = _amm().sqrtPX96;
        int256 before = _worth(lower, upper);
        int256 up = observer.getBaseSizeByTick(address(instrument), PERP, upper + 20);
        btcFeed.set(3060e8);
        _trade(alice, up, 200_000e18);
        btcFeed.set(3000e8);
        _trade(alice, -up, 0);
        int256 down = observer.getBaseSizeByTick(address(instrument), PERP, lower - 20);
        btcFeed.set(2940e8);
        _trade(carol, down, 200_000e18);
        btcFeed.set(3000e8);
        _trade(carol, -down, 0);
        vm.assertApproxEqAbs(_amm().sqrtPX96, start, 1e9);
        int256 moved = _worth(lower, upper) - before;
        // What the range holds is rounded to a wei of base, which is worth 3000 of quote.
        vm.assertTrue(moved >= -3001 && moved <= 3001, "to the wei of base");
    }

    /// Equity at the fair price, from a removal that is taken back.
    function _worth(int24 lower, int24 upper) private returns (int256) {
        uint256 state = vm.snapshotState();
        (PositionCache memory pic,,) = _remove(bob, bob, lower, upper);
        vm.revertToState(state);
        return pic.balance;
    }
}
