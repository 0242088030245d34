// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {PerpHandlerBase} from "./PerpHandlerBase.sol";
import {MAX_TICK, MIN_TICK} from "src/perp/Constants.sol";
import {Status} from "src/perp/Types.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Words} from "test/perp/Words.sol";

/// A perpetual and a dated pair of one instrument, what happened to them, and the whale who brings their curves to the mark.
abstract contract PerpStressBase is PerpHandlerBase {
    enum Kind {
        GAP,
        THIN,
        THIN_DATED,
        LIQUIDATE,
        SWEEP,
        SOCIAL_LOSS,
        CHEAT,
        EDGE,
        TAKEN,
        FILL,
        RANGE,
        RANGE_OUT,
        FREEZE,
        CLOSED,
        PAUSE,
        PENDING,
        RELEASE,
        SETTLING,
        SETTLED,
        SETTLE,
        DELETED
    }

    int256 internal constant AMPLE = 500_000e18;

    mapping(Kind => uint256) public happened;
    /// The dated pair that is open, and pairs that were deleted.
    uint32 public dated;

    function setUp() public override {
        super.setUp();
        vm.prank(admin);
        config.disableLiquidatorWhitelist();
        _openDated();
    }

    function _openDated() internal {
        dated = uint32((block.timestamp - 32 hours) / 1 weeks * 1 weeks + 32 hours + 1 weeks);
        if (dated < block.timestamp + 1 days) dated += 1 weeks;
        vm.prank(maker);
        instrument.add(Words.add(dated, 300_000e18, 0, 4000, ANY_LOW, ANY_HIGH, 0));
        operations++;
    }

    function _happen(Kind kind) internal {
        happened[kind]++;
        // Time may have passed for the other pair alone.
        try instrument.update(PERP) {}
        catch (bytes memory reason) {
            _expected(reason);
        }
        _done(Action.UPDATE);
    }

    /// The whale brings the curves to the mark. It never fails itself: the market would stand still for the rest of its life.
    function _arbitrage() internal {
        _support(PERP);
        _arbitrageOf(PERP, market.getSpotPrice(address(instrument)));
        uint8 status = instrument.getAmm(dated).status;
        if (status == uint8(Status.TRADING)) {
            _support(dated);
            _arbitrageOf(dated, market.getMarkPrice(address(instrument), dated, status));
        }
    }

    function _support(uint32 expiry) internal {
        vm.prank(whale);
        try instrument.trade(Words.trade(expiry, 0, 4 * AMPLE, 0, 0)) {
            _done(Action.ADJUST);
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }

    function _arbitrageOf(uint32 expiry, uint256 mark) internal {
        int24 target = Tick.fromPrice(mark);
        if (target == instrument.getAmm(expiry).tick) return;
        _tryTrade(expiry, whale, observer.getBaseSizeByTick(address(instrument), expiry, target), AMPLE);
    }

    function _tryTrade(uint32 expiry, address trader, int256 size, int256 amount) internal returns (bool done) {
        if (size == 0) return false;
        vm.prank(trader);
        try instrument.trade(Words.trade(expiry, size, amount, size > 0 ? MAX_TICK : MIN_TICK, 0)) {
            _done(Action.TRADE);
            done = true;
        } catch (bytes memory reason) {
            _expected(reason);
        }
    }
}
