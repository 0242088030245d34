// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RevertFixture} from "./RevertFixture.sol";
import {Words} from "./Words.sol";
import {Amm, Portfolio, Position} from "src/perp/Types.sol";
import {Tick} from "src/perp/maths/Tick.sol";
import {Wad} from "src/perp/maths/Wad.sol";

/// Accounts that fail: opening thin positions, moving the oracle, reading equities.
abstract contract RiskFixture is RevertFixture {
    function setUp() public virtual override {
        super.setUp();
        vm.prank(admin);
        config.disableLiquidatorWhitelist();
    }

    /// Sets the oracle, `price` in whole dollars.
    function _mark(uint256 price) internal {
        btcFeed.set(int256(price * 1e8));
    }

    /// Opens a position with the least margin there is.
    function _thin(address trader, int256 size) internal {
        _trade(trader, size, int256(instrument.inquire(PERP, size).minAmount));
    }

    function _position(address trader) internal view returns (Position memory) {
        return instrument.getPortfolio(PERP, trader).position;
    }

    function _equity(address trader, uint256 mark) internal view returns (int256) {
        return _equityOf(_position(trader), instrument.getAmm(PERP), mark);
    }

    /// Equity at the stored indices; WAD.
    function _equityOf(Position memory p, Amm memory amm, uint256 mark) internal pure returns (int256 equity) {
        if (p.size == 0) return p.balance;
        bool long = p.size > 0;
        uint256 size = uint256(long ? int256(p.size) : -int256(p.size));
        int256 gain = int256(Wad.mul(mark, size)) - int256(uint256(p.entryNotional));
        uint256 loss = (long ? amm.longSocialLossIndex : amm.shortSocialLossIndex) - p.entrySocialLossIndex;
        int256 funding = int256(long ? amm.longFundingIndex : amm.shortFundingIndex) - p.entryFundingIndex;
        return p.balance + (long ? gain : -gain) + Wad.mulInt(funding, int256(size)) - int256(Wad.mulUp(loss, size));
    }

    function _liquidate(address liquidator, address target, int256 size, uint256 amount) internal {
        vm.prank(liquidator);
        instrument.liquidate(PERP, target, size, amount);
    }

    function _liquidateCall(address target, int256 size, uint256 amount) internal view returns (bytes memory) {
        return abi.encodeCall(instrument.liquidate, (PERP, target, size, amount));
    }

    function _sweepCall(address target, int256 size) internal view returns (bytes memory) {
        return abi.encodeCall(instrument.sweep, (PERP, target, size));
    }

    function _tickOf(uint256 price) internal pure returns (int24) {
        return Tick.fromPrice(price);
    }

    function _donate(address from, uint256 amount) internal {
        vm.prank(from);
        instrument.donateInsuranceFund(PERP, amount);
    }
}
